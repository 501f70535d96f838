"""Groups at a threshold: counts are those of the raw rows, bounds those of the group alone."""

import csv
import io
from dataclasses import replace

import numpy as np
import pytest

from evalcore.data import Data
from evalcore.inference.verdicts import VERDICTS
from evalcore.operating_point.test_rows.row_sets import row_set
from evalcore.operating_point.tradeoff.column_groups import all_groups, column_groups
from evalcore.operating_point.tradeoff.groups import (
    GroupCount,
    check_marks,
    group_columns,
    group_counts,
    group_verdict,
    group_words,
    known_marks,
    mark_text,
    read_mark,
    verdict_with_marked,
    worst_first,
)
from evalcore.operating_point.tradeoff.table import compute_tradeoff
from evalcore.problems import InputError
from tests.support.made.evidence import make_queries
from tests.support.reading import read

HOSPITALS = ("A", "B", "C", "")


def made_text(n_posts: int = 120) -> str:
    """Posts of five criteria in three hospitals, a few in none; some scores tie."""
    rng = np.random.default_rng(5)
    lines = ["post_id,criterion_id,has_evidence,probability,hospital"]
    for post in range(n_posts):
        hospital = HOSPITALS[int(rng.choice(4, p=[0.5, 0.35, 0.1, 0.05]))]
        for criterion in range(1, 6):
            label = int(rng.random() < 0.3)
            score = round(float(rng.beta(2, 2) if label else rng.beta(0.6, 4)), 2)
            lines.append(f"p{post},A.{criterion},{label},{score},{hospital}")
    return "\n".join(lines)


TEXT = made_text()
ROWS = list(csv.DictReader(io.StringIO(TEXT)))


@pytest.fixture(scope="module")
def data() -> Data:
    return read(TEXT)


def missed_in(column: str, level: str, tau_neg: float) -> tuple[int, int, int]:
    """Rows, positives and missed of a group, row by row."""
    own = [row for row in ROWS if row[column] == level]
    positive = [row for row in own if row["has_evidence"] == "1"]
    return len(own), len(positive), sum(float(row["probability"]) < tau_neg for row in positive)


def test_groups_are_the_columns_of_the_input(data: Data) -> None:
    assert group_columns(data.queries) == ("criterion", "hospital")


@pytest.mark.parametrize(("column", "name"), [("hospital", "hospital"), ("criterion", "criterion_id")])
def test_counts_of_groups_are_those_of_the_raw_rows(data: Data, column: str, name: str) -> None:
    rows = row_set(data, "all", split=None, model=None)
    for tau in np.random.default_rng(1).random(10).round(3):
        for one in group_counts(rows.scored, rows.queries, column, tau):
            assert (one.n, one.n_positive, one.n_missed) == missed_in(name, one.level, tau)
            assert one.screening_sensitivity == (one.n_positive - one.n_missed) / one.n_positive


def test_rows_without_a_level_are_in_no_group(data: Data) -> None:
    rows = row_set(data, "all", split=None, model=None)
    found = group_counts(rows.scored, rows.queries, "hospital", 0.2)
    assert [one.level for one in found] == ["A", "B", "C"]
    assert sum(one.n for one in found) == sum(row["hospital"] != "" for row in ROWS) < len(ROWS)


def test_the_bound_of_a_group_is_that_of_its_rows_alone(data: Data) -> None:
    rows = row_set(data, "all", split=None, model=None)
    codes, levels = rows.queries.slices["hospital"]
    for level in "AB":
        alone = compute_tradeoff(rows.scored.where(codes == levels.index(level)))
        for tau in (0.05, 0.2, 0.4, 0.7):
            counts = group_counts(rows.scored, rows.queries, "hospital", tau)
            (one,) = (group for group in counts if group.level == level)
            assert one.bound == pytest.approx(alone.sensitivity_low[alone.index(tau)], abs=1e-12)


def test_nothing_is_missed_where_nothing_is_skipped(data: Data) -> None:
    rows = row_set(data, "all", split=None, model=None)
    counts = group_counts(rows.scored, rows.queries, "hospital", None)
    assert {one.n_missed for one in counts} == {0}
    assert {one.bound == one.best_bound for one in counts} == {True}


def count(n_missed: int, n_positive: int, bound: float, best: float, level: str = "B") -> GroupCount:
    share = 1 - n_missed / n_positive if n_positive else float("nan")
    return GroupCount("hospital", level, 300, n_positive, n_missed, share, bound, best)


MISSING = count(3, 41, 0.82, 0.93)
FEW = count(0, 12, 0.78, 0.78, "C")
FINE = count(1, 900, 0.9953, 0.998, "A")
NONE = count(0, 0, float("nan"), float("nan"), "D")


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (MISSING, "not_met"),
        (FEW, "not_assessed"),
        (NONE, "not_assessed"),
        (count(0, 41, 0.93, 0.93), "infeasible_with_this_n"),
        (FINE, "met_with_confidence"),
        (count(4, 900, 0.990, 0.998), "met_point_only"),
    ],
)
def test_a_group_is_held_to_the_target_of_the_whole(one: GroupCount, expected: str) -> None:
    assert group_verdict(one, 0.995) == expected


@pytest.mark.parametrize(
    ("whole", "marked", "expected"),
    [
        ("met_with_confidence", [], "met_with_confidence"),
        ("met_with_confidence", ["not_met", "not_assessed"], "not_met"),
        ("met_with_confidence", ["not_assessed"], "infeasible_with_this_n"),
        ("met_with_confidence", ["met_point_only"], "met_point_only"),
        ("met_point_only", ["met_with_confidence"], "met_point_only"),
        ("infeasible_with_this_n", ["not_met"], "not_met"),
        ("not_met", ["met_with_confidence"], "not_met"),
        ("not_assessed", ["not_met"], "not_assessed"),
    ],
)
def test_a_marked_group_can_only_lower_the_verdict(whole: str, marked: list[str], expected: str) -> None:
    assert verdict_with_marked(whole, marked) == expected


def test_a_verdict_on_a_group_is_said_with_its_counts() -> None:
    assert group_words(MISSING, group_verdict(MISSING, 0.995)) == "not met for hospital = B: 3 of 41 missed"
    assert group_words(FEW, "not_assessed") == "cannot be shown for hospital = C: 0 of 12 missed"
    assert group_words(NONE, "not_assessed") == "cannot be shown for hospital = D: no positives"


def test_the_worst_stand_first_and_small_groups_after_them() -> None:
    small = replace(FEW, n_missed=6, screening_sensitivity=0.5, level="E")
    order = worst_first([NONE, FEW, FINE, small, MISSING], marks=[("hospital", "A")])
    assert [one.level for one in order] == ["A", "B", "E", "C", "D"]


def test_marked_groups_are_counted_in_the_order_given(data: Data) -> None:
    rows = row_set(data, "all", split=None, model=None)
    marks = [("hospital", "C"), ("criterion", "A.5"), ("hospital", "A")]
    found = rows.marked_counts(marks, 0.3)
    assert [(one.column, one.level) for one in found] == marks


def test_a_marked_group_without_a_row_here_is_there_and_cannot_be_shown(data: Data) -> None:
    rows = row_set(data, "all", split=None, model=None)
    codes, levels = rows.queries.slices["hospital"]
    others = rows.where(codes != levels.index("C"))
    (found,) = others.marked_counts([("hospital", "C")], 0.3)
    assert (found.n, found.n_positive, group_verdict(found, 0.995)) == (0, 0, "not_assessed")


def test_marks_that_name_no_group_are_refused_together(data: Data) -> None:
    with pytest.raises(InputError) as refused:
        check_marks(data.queries, [("clinic", "A"), ("hospital", "Z"), ("criterion", "A.1")])
    assert [str(one) for one in refused.value.problems] == [
        "found a column 'clinic' of groups that must not be missed, expected one of criterion, "
        "hospital. Name a column of the input that it can be broken down by.",
        "found no group 'Z' in hospital, which must not be missed, expected one of A, B, C. Correct "
        "the level: it stands as the input writes it.",
    ]


WARDS = read(
    "post_id,has_evidence,probability,ward\n"
    "a,1,0.5, X\nb,0,0.4,X\nc,0,0.2,X\nd,1,0.7, X\ne,1,0.9,X\nf,0,0.1, Y\ng,0,0.1,Z\n"
)


@pytest.mark.parametrize(("typed", "n"), [("ward= X", 2), ("ward=X", 3), ("ward =X", 3)])
def test_a_level_is_taken_with_its_blanks(typed: str, n: int) -> None:
    mark = read_mark(typed)
    check_marks(WARDS.queries, [mark])
    rows = row_set(WARDS, "all", split=None, model=None)
    (found,) = rows.marked_counts([mark], 0.3)
    assert found.n == n


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("ward= Z", "expected one of 'Z': the blanks around it differ."),
        ("ward=Y", "expected one of ' Y': the blanks around it differ."),
        ("ward=X  ", "expected one of ' X', 'X': the blanks around it differ."),
        ("ward=Q", "expected one of ' X', ' Y', X, Z."),
    ],
)
def test_a_level_with_other_blanks_is_refused_with_those_there_are(typed: str, expected: str) -> None:
    with pytest.raises(InputError) as refused:
        check_marks(WARDS.queries, [read_mark(typed)])
    assert expected in str(refused.value.problems[0])


@pytest.mark.parametrize("text", ["hospital", "=A", "hospital=", "hospital= ", ""])
def test_a_mark_is_a_column_and_a_level(text: str) -> None:
    with pytest.raises(InputError, match="COLUMN=LEVEL"):
        read_mark(text)


@pytest.mark.parametrize("column", ["hospital", "criterion"])
def test_groups_at_every_threshold_are_those_at_each(data: Data, column: str) -> None:
    rows = row_set(data, "all", split=None, model=None)
    tradeoff = compute_tradeoff(rows.scored)
    found = column_groups(rows.scored, rows.queries, column, target=0.8, confidence=0.9)
    starts = np.cumsum(found.n_pos) - found.n_pos
    step = found.steps(tradeoff.score)
    for tau in np.random.default_rng(2).random(20).round(3):
        counts = group_counts(rows.scored, rows.queries, column, tau, confidence=0.9)
        for at, one in enumerate(counts):
            own = step[starts[at] : starts[at] + found.n_pos[at]]
            n_missed = int(np.count_nonzero(own <= tradeoff.index(tau)))
            place = starts[at] + at + n_missed
            assert (found.levels[at], found.n_rows[at], n_missed) == (one.level, one.n, one.n_missed)
            assert found.low[place] == pytest.approx(one.bound, abs=1e-12)
            assert VERDICTS[found.verdict[place]] == group_verdict(one, 0.8)


def test_a_column_with_one_group_here_is_left_out_unless_it_is_marked(data: Data) -> None:
    rows = row_set(data, "all", split=None, model=None)
    codes, _ = rows.queries.slices["hospital"]
    alone = rows.where(codes == 0)
    options = {"target": 0.9, "confidence": 0.95}
    assert [one.column for one in all_groups(alone.scored, alone.queries, **options)] == ["criterion"]
    both = all_groups(alone.scored, alone.queries, **options, marked=["hospital"])
    assert [one.column for one in both] == ["criterion", "hospital"]


def test_groups_without_a_positive_have_no_bound() -> None:
    data = read("post_id,has_evidence,probability,site\na,1,0.5,x\nb,0,0.4,y\nc,0,0.2,y\nd,1,0.7,x")
    rows = row_set(data, "all", split=None, model=None)
    found = column_groups(rows.scored, rows.queries, "site", target=0.9, confidence=0.95)
    assert (found.levels, found.n_rows.tolist(), found.n_pos.tolist()) == (("x", "y"), [2, 2], [2, 0])
    assert np.isnan(found.low[3])
    assert VERDICTS[found.verdict[3]] == "not_assessed"


def test_groups_whose_names_hold_equals_signs_are_told_apart() -> None:
    queries = make_queries(
        [1, 0, 1], [0.1, 0.2, 0.3], slices={"a": ["b=x", "q", "q"], "a=b": ["x", "z", "x"]}
    )
    known = known_marks(queries)
    every = {("a", "b=x"), ("a", "q"), ("a=b", "x"), ("a=b", "z")}
    assert every <= set(known.values())
    assert {read_mark(text) for text, mark in known.items() if mark in every} == every
    for text, mark in known.items():
        assert (mark_text(mark), read_mark(text)) == (text, mark)
