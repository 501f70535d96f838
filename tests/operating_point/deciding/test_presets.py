"""Presets of targets: what the rule finds for them, and what that costs in counts."""

from evalcore.operating_point import choose_thresholds
from evalcore.operating_point.choosing.request import constraints_of
from evalcore.operating_point.deciding.presets import USUAL, found_for, in_words
from evalcore.operating_point.test_rows.row_sets import row_set
from evalcore.text.numerals import percent_of
from tests.support.made.scored_data import data_of

ROWS = [(f"p{at}", "A.1", (at + 0.5) / 1000, int(at >= 500 or at % 100 == 99)) for at in range(1000)]
"""505 of 1,000 checks with evidence, 5 of them scattered below the middle."""
DATA = data_of(ROWS)


def found(**targets):
    rows = row_set(DATA, "all", split=None, model=None)
    return found_for(rows, constraints_of(**{"confidence": 0.95, "alert_precision": 0.9, **targets}))


def test_a_preset_finds_what_the_rule_finds():
    for value in USUAL[:2]:
        here = found(screening_sensitivity=value)
        rule = choose_thresholds(DATA, screening_sensitivity=value)
        assert (here.thresholds.tau_neg, here.thresholds.tau_pos) == (rule.tau_neg, rule.tau_pos)


def test_the_cost_of_a_preset_is_a_plain_count_of_the_rows():
    here = found(screening_sensitivity=0.98)
    tau = here.thresholds.tau_neg
    skipped = [label for _, _, score, label in ROWS if score < tau]
    n, missed = len(skipped), sum(skipped)
    assert here.cost("gate.screening_sensitivity") == (
        f"{n} of 1,000 checks are skipped, {1000 - n} are looked at (workload {percent_of(1000 - n, 1000)}), "
        f"{missed} of 505 with evidence are missed"
    )
    assert here.short == f"≥ 98 % · workload {percent_of(1000 - n, 1000)}"
    assert here.workload == (1000 - n) / 1000


def test_what_is_met_and_what_cannot_be_had_are_told_apart():
    here = found(screening_sensitivity=0.9999)
    assert [in_words(one) for one in here.unmet] == [
        "Screening sensitivity of at least 99.99 % with 95 % confidence"
    ]
    assert [one.name for one in here.met] == ["alert precision"]
    assert here.short == "≥ 99.99 % · nothing skipped"
