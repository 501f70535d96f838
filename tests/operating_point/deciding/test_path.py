"""The path to a certificate: four steps, each with its state and what blocks it in plain words."""

from random import Random

import pytest

from evalcore.operating_point import LooksAtTest, outlooks
from evalcore.operating_point.choosing.request import constraints_of
from evalcore.operating_point.constraints import Thresholds
from evalcore.operating_point.deciding.path import (
    AFTER_TEST,
    BY_HAND,
    NO_SPLIT,
    NOTHING_SKIPPED,
    OnTest,
    first_to_say,
    path_to_certificate,
)
from evalcore.operating_point.test_rows.row_sets import row_set
from tests.support.made.scored_data import data_of

NOON = "2026-01-31T12:00:00Z"


def rows(n_posts, *, share=0.5, is_shared=False):
    """Posts of one check, every second with evidence, well told apart; the share of them is test."""
    random = Random(4)
    found = []
    for post in range(n_posts):
        label = post % 2
        score = random.uniform(0.5, 0.99) if label else random.uniform(0.01, 0.5)
        split = "test" if post < share * n_posts else "tune"
        name = f"p{post % (n_posts // 2)}" if is_shared else f"p{post}"
        found.append((name, "A.1", round(score, 5), label, split))
    return found


def path(found, *, has_split=True, taus=(0.4, 0.6), data_options=None, **options):
    targets = {"screening_sensitivity": 0.9, "alert_precision": 0.9, "confidence": 0.95}
    targets |= {name: options.pop(name) for name in [*options] if name in targets}
    from_data = options.pop("from_data", ())
    data = data_of(found, **(data_options or {}))
    chosen = row_set(data, "tune" if has_split else "all", split="tune" if has_split else None, model=None)
    tested = row_set(data, "test", split="test", model=None) if has_split else None
    said = outlooks(data, **targets, tune="tune", test="test") if has_split else ()
    return path_to_certificate(
        chosen,
        tested,
        constraints_of(**targets, from_data=from_data),
        Thresholds(*taus),
        outlooks=said,
        **options,
    )


def states(steps):
    return [one.state for one in steps]


def test_a_point_that_the_rule_found_only_waits_for_the_test():
    steps = path(rows(400), is_found=True)
    assert [one.name for one in steps] == ["Rows", "Targets", "Thresholds", "Test"]
    assert states(steps) == ["done", "done", "done", "open"]
    assert steps[0].short == "200 tune, 200 test"
    assert steps[1].short == "≥ 90 %, ≥ 90 %"
    assert steps[3].short.startswith("chance at most ")
    assert steps[3].why[0].startswith("Test can show at most ≥ 97.0 % with 100 positives; the chance")
    assert first_to_say(steps) == steps[3]


def test_without_a_split_nothing_can_confirm_the_choice():
    steps = path(rows(400), has_split=False, is_found=True)
    assert states(steps) == ["blocked", "done", "done", "open"]
    assert first_to_say(steps).why == (NO_SPLIT,)


def test_too_few_checks_with_evidence_are_counted_beside_those_needed():
    steps = path(rows(744), screening_sensitivity=0.995, is_found=True)
    assert steps[1].state == "blocked"
    assert steps[1].why == (
        "99.5 % needs 598 checks with evidence in test and no miss (95 % confidence); test has 186.",
    )
    alone = path(rows(372), has_split=False, screening_sensitivity=0.995)
    assert alone[1].why[0].endswith("no miss (95 % confidence); these rows have 186.")
    assert steps[3].state == "blocked"
    assert steps[3].short == "cannot confirm"


def test_thresholds_set_by_hand_are_left_to_find():
    steps = path(rows(400))
    assert (steps[2].state, steps[2].short, steps[2].why) == ("open", "set by hand", (BY_HAND,))


def test_an_empty_zone_leaves_nothing_to_confirm():
    steps = path(rows(400), taus=(None, 0.6), is_found=True)
    assert (steps[2].state, steps[2].why) == ("blocked", (NOTHING_SKIPPED,))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"from_data": ["alert_precision"]}, "were said to support, no target set before"),
        ({"confidence": 0.8}, "with 80 % confidence: a certificate needs at least 90 %"),
    ],
)
def test_targets_that_certify_nothing_say_why(options, words):
    step = path(rows(400), is_found=True, **options)[1]
    assert step.state == "blocked"
    assert words in step.why[0]


def test_posts_on_both_sides_and_rows_without_posts_block_the_first_step():
    shared = path(rows(400, is_shared=True))[0]
    assert (shared.state, shared.short) == ("blocked", "200 shared")
    assert shared.why == ("200 posts have rows in both tune and test, so a test is not independent.",)
    nameless = path(rows(400), data_options={"has_posts": False})[0]
    assert nameless.why[0].startswith("The rows name no posts, so it cannot be shown")


def test_a_look_before_blocks_the_test_and_a_move_after_it_the_thresholds():
    looks = LooksAtTest(2, ("a", "b"), "server", NOON)
    seen = path(rows(400), is_found=True, looks=looks)[3]
    assert (seen.state, seen.short) == ("blocked", "2 looks before")
    moved = path(rows(400), is_found=True, is_set_after_test=True)
    assert (moved[2].state, moved[2].why) == ("blocked", (AFTER_TEST,))
    assert moved[3].state == "blocked"


def test_after_a_test_the_last_step_has_its_words():
    steps = path(rows(400), is_found=True, result=OnTest("not met on test", False))
    assert (steps[3].state, steps[3].short) == ("blocked", "not met on test")
    certified = path(rows(400), is_found=True, result=OnTest("certified", True))
    assert states(certified) == ["done"] * 4
    assert first_to_say(certified) is None
