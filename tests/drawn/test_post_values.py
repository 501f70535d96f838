"""Values of posts in parts whose totals are exact: where they are cut, and what does not fit."""

from fractions import Fraction

import numpy as np
import pytest

from evalcore.drawn import post_values
from evalcore.drawn.post_values import (
    LIMB_BITS,
    MOST_COUNTED,
    MOST_ROWS,
    PostValues,
    result_of,
    totals_together,
)
from evalcore.problems import InputError

MOST_DRAWN = 63


def of_rows(*values, unit=None, n_units=None, bound=None):
    """Rows of J values each, every row a unit of its own where none is said."""
    rows = np.array(values, float).reshape(len(values), -1)
    unit = np.arange(len(rows)) if unit is None else np.array(unit)
    return PostValues.from_rows(rows, unit, n_units or len(rows), bound=bound)


def test_as_many_rows_as_are_summed_at_once_stay_exact_and_a_sign_has_room():
    assert (MOST_ROWS, MOST_COUNTED) == (2**20, 2**26)
    assert MOST_ROWS * MOST_DRAWN * 2**LIMB_BITS < 2**52 < 2 * MOST_ROWS * (MOST_DRAWN + 1) * 2**LIMB_BITS


@pytest.mark.parametrize(
    ("bound", "step"),
    [
        (1.0, Fraction(1, 2**26)),
        (3.0, Fraction(4, 2**26)),
        (4.0, Fraction(4, 2**26)),
        (0.75, Fraction(1, 2**26)),
        (2.0**-20, Fraction(1, 2**46)),
    ],
)
def test_a_value_is_cut_into_steps_of_the_power_of_two_that_holds_its_bound(bound, step):
    value = bound * 0.7
    high, low = (Fraction(float(part[0, 0])) for part in of_rows(value, bound=bound).parts)
    assert high == round(Fraction(value) / step) * step
    assert low == round((Fraction(value) - high) / step * 2**26) * step / 2**26


def test_without_a_bound_whole_numbers_are_counts_and_others_take_their_largest():
    counts, shares, both = (
        of_rows(*rows) for rows in (([3.0], [2.0**26]), ([0.1], [2.0**-20]), ([3.0, 0.1], [5.0, 1.0]))
    )
    assert [part.tolist() for part in counts.parts] == [[[3, 2**26]]]  # one part: nothing is left over
    assert Fraction(float(shares.parts[0][0, 0])) == Fraction(round(0.1 * 2**29), 2**29)
    assert both.totals(np.array([[1, 2]])).tolist() == [[13, 2.1]]
    assert of_rows([2.0**-30], [0.0]).totals(np.array([[3, 1]])).tolist() == [[3 * 2.0**-30]]


def test_counts_too_large_for_one_part_take_two_and_stay_exact():
    large = of_rows([2.0**26 + 1], [3.0])
    assert len(large.parts) == 2
    assert large.totals(np.array([[1, 1], [63, 2]])).ravel().tolist() == [2**26 + 4, 63 * (2**26 + 1) + 6]


def test_one_column_that_is_no_count_leaves_the_others_counts():
    values = PostValues.from_rows(np.array([[1.0, 7.0], [0.1, 2.0**25]]), np.arange(2), 2)
    assert values.parts[0][1].tolist() == [7, 2**25]
    assert values.totals(np.array([[1, 1]])).tolist() == [[1.1, 7 + 2**25]]
    assert not values.parts[1][1].any()


def test_a_bound_is_kept_but_for_rounding():
    assert of_rows(1.0, bound=1).totals(np.array([[1]])) == 1
    assert of_rows(-1.0, bound=1).totals(np.array([[1]])) == -1
    within = 1 + 0.9e-9
    assert of_rows(within, bound=1).totals(np.array([[1]])) == pytest.approx(within, rel=1e-15)
    for beyond in (1 + 1.1e-9, -1 - 1.1e-9):
        with pytest.raises(InputError, match="QRY-244"):
            of_rows(beyond, bound=1)


def test_the_first_column_beyond_its_bound_is_named():
    with pytest.raises(InputError, match=r"a value of 4\.5 .* at most 4\b"):
        of_rows([0.5, 4.5, 3.0], [1.0, 0.5, 0.0], bound=(1.0, 4.0, 2.0))


def test_rows_are_summed_by_the_unit_they_name():
    expected = [[0.0, 0.5, 0.25]]
    assert of_rows(0.25, 0.5, unit=[2, 1], n_units=3, bound=1).parts[0].tolist() == expected
    assert of_rows(0.5, 0.0, 0.25, unit=[1, 0, 2], bound=1).parts[0].tolist() == expected  # each once, turned
    assert of_rows(0.5, 0.25, unit=[0, 0], n_units=1, bound=1).parts[0].tolist() == [[0.75]]


def test_more_rows_than_are_summed_at_once_are_cut_into_halves(monkeypatch):
    monkeypatch.setattr(post_values, "MOST_ROWS", 3)
    values = np.array([0.1, -0.7, 1.0, 1 / 3])
    as_many, more = of_rows(*values[:3], bound=1), of_rows(*values, bound=1)
    assert len(as_many.parts) == 2
    assert len(more.parts) == 4
    for at, part in enumerate(more.parts, 1):
        halves = part * 2.0 ** (13 * at)
        assert (halves == np.rint(halves)).all()
        assert np.abs(halves).max() <= (2**13 if at == 1 else 2**12)
    weights = np.array([[1, 2, 3, 4], [63, 0, -5, 1]])
    assert more.totals(weights)[:, 0] == pytest.approx(weights @ values, rel=1e-15)


def test_totals_take_every_part_of_a_value_whichever_units_have_one():
    values = of_rows([0.5, 0.1, 0.5], [0.1, 0.5, 0.25], bound=1)
    assert [part.any(axis=1).tolist() for part in values.parts] == [[True] * 3, [True, True, False]]
    assert values.n_values == 3
    found = values.totals(np.array([[1, 0], [0, 1], [2, 3]]))
    assert found == pytest.approx(np.array([[0.5, 0.1, 0.5], [0.1, 0.5, 0.25], [1.3, 1.7, 1.75]]), rel=1e-15)


def test_no_value_and_no_row_have_totals_all_the_same():
    assert PostValues.none(3).n_values == 0
    assert PostValues.none(3).totals(np.ones((2, 3))).shape == (2, 0)
    empty = PostValues.from_rows(np.empty((0, 2)), np.empty(0, np.intp), 3)
    assert empty.totals(np.ones((2, 3))).tolist() == [[0, 0], [0, 0]]


def work(values):
    """Asks for the totals of values and returns them with their number."""
    totals = yield values
    return values.n_values, totals.tolist()


def test_works_asked_together_are_sent_their_own_totals():
    one, none, two = of_rows(3.0, 4.0), PostValues.none(2), of_rows([0.75, 0.5], [0.25, 1.0], bound=1)
    weights = np.array([[1, 0], [0, 2]])
    found = totals_together([work(one), work(none), work(two)], weights)
    assert found == [(1, [[3], [8]]), (0, [[], []]), (2, [[0.75, 0.5], [0.5, 2.0]])]
    assert totals_together([], weights) == []


def test_what_asks_for_totals_twice_is_an_error():
    def greedy():
        yield of_rows(1.0)
        yield of_rows(2.0)

    asking = greedy()
    next(asking)
    with pytest.raises(RuntimeError, match="asks for totals twice"):
        result_of(asking, None)
