"""Two points side by side: differences are plain counts over the rows, and posts are named."""

from random import Random

import numpy as np
import pytest

from evalcore.operating_point.deciding.side_by_side import two_points
from evalcore.operating_point.test_rows.row_sets import row_set
from tests.support.made.scored_data import data_of

random = Random(7)
ROWS = [
    (f"s{at // 2}", f"A.{1 + at % 2}", round(random.random(), 3), int(random.random() < 0.3))
    for at in range(400)
]
A, B = (0.2, 0.9), (0.35, 0.8)


def rows(**options):
    return row_set(data_of(ROWS, **options), "all", split=None, model=None)


@pytest.fixture
def found():
    return two_points(rows(), A, B)


def between(low, high):
    return [row for row in ROWS if low <= row[2] < high]


def test_the_sentence_counts_what_the_second_does_more_of(found):
    more = between(0.2, 0.35)
    missed = sorted({post for post, _, _, label in more if label})
    n_missed = sum(label for *_, label in more)
    alerts = between(0.8, 0.9)
    right = sum(label for *_, label in alerts)
    assert found.posts == tuple(missed)
    assert found.sentence("A", "B") == (
        f"B skips {len(more)} more; misses {n_missed} more; raises {len(alerts)} alerts more, {right} more "
        f"of them right than A. What only B misses lies in {len(missed)} posts ({', '.join(missed[:5])} and "
        f"{len(missed) - 5} more)."
    )
    back = two_points(rows(), B, A).sentence("B", "A")
    assert back.startswith(f"A skips {len(more)} fewer; misses {n_missed} fewer; raises")
    assert "What only B misses lies in" in back


def test_posts_of_a_saved_report_are_counted_and_not_named(found):
    said = found.sentence("A", "B", has_names=False)
    assert "(" not in said
    assert f"in {len(found.posts)} posts." in said


def test_the_same_point_twice_differs_in_nothing():
    same = two_points(rows(), A, A)
    assert same.sentence("A", "B") == "B decides every check as A does."
    assert same.flips == ()
    assert same.groups("criterion") == ()


def test_every_check_that_changes_is_counted_once(found):
    assert sum(one.n for one in found.flips) == len(between(0.2, 0.35)) + len(between(0.8, 0.9))
    first = found.flips[0]
    assert (first.before, first.after, first.n) == ("look", "skip", len(between(0.2, 0.35)))
    assert first.n_positive == sum(label for *_, label in between(0.2, 0.35))


def test_groups_that_miss_more_are_named_with_both_counts(found):
    for a, b in found.groups("criterion"):
        of_group = [row for row in ROWS if row[1] == a.level and row[3]]
        assert a.n_missed == sum(row[2] < 0.2 for row in of_group)
        assert b.n_missed == sum(row[2] < 0.35 for row in of_group)


def test_lines_stand_beside_each_other_with_their_difference(found):
    lines = {one.name: one for one in found.lines}
    n_pos = sum(label for *_, label in ROWS)
    missed = [sum(label for _, _, score, label in ROWS if score < tau) for tau in (0.2, 0.35)]
    assert (lines["Missed evidence"].a, lines["Missed evidence"].b) == tuple(
        f"{n} of {n_pos}" for n in missed
    )
    assert lines["Missed evidence"].difference == f"+{missed[1] - missed[0]}"
    assert lines["Workload"].difference == f"−{len(between(0.2, 0.35))}"
    assert "at least " in lines["Screening sensitivity, lower bound at 95 %"].a


def test_an_empty_zone_is_a_point_as_well():
    found = two_points(rows(), (None, None), (0.2, None))
    assert found.lines[0].a == "none"
    assert found.lines[7].a == "none"
    assert found.sentence("A", "B").startswith("B skips ")
    assert np.isfinite(found.counts_a.total)
