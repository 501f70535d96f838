"""The choice tried over folds: counted by hand, no verdict, nothing averaged, exploratory."""

import numpy as np
import pytest

from evalcore.operating_point import OperatingPoint, choose_operating_point, choose_over_folds
from evalcore.operating_point.constraints import SENSITIVITY, Constraint, find_thresholds, n_allowed_misses
from evalcore.operating_point.document.canonical import json_text
from evalcore.problems import InputError
from tests.support.made.choices import table_of
from tests.support.made.scored_data import codes_of, data_of

AIM = {"screening_sensitivity": 0.9, "alert_precision": 0.8}


def with_folds(rows, folds):
    """Data of rows with a fold each; empty text is no fold."""
    data = data_of(rows)
    codes, levels = codes_of([name for name in folds if name])
    of_row = np.full(len(rows), -1)
    of_row[[bool(name) for name in folds]] = codes
    data.queries.slices["fold"] = (of_row, levels)
    return data


def rows_of(n_posts=240, *, seed=0):
    """One check a post; scores without ties."""
    rng = np.random.default_rng(seed)
    label = rng.random(n_posts) < 0.5
    score = np.where(label, rng.beta(4, 1.5, n_posts), rng.beta(1.5, 4, n_posts))
    return [(f"s{at}", "A.1", float(p), int(y)) for at, (p, y) in enumerate(zip(score, label, strict=True))]


ROWS = rows_of()
FOLDS = [str(at % 4) for at in range(len(ROWS))]


def estimates_of(point, role):
    return {
        one["metric"].split(".")[1]: one for one in point.document["estimates"] if one["evaluated_on"] == role
    }


def by_hand(rows, folds, aim):
    """(skipped, missed, alerts, right) of each fold at the thresholds of the others, by plain counting."""
    found = {}
    for name in sorted(set(folds)):
        others = [row for row, fold in zip(rows, folds, strict=True) if fold != name]
        table = table_of([p for *_, p, y in others if y], [p for *_, p, y in others if not y])
        targets = [Constraint(metric, value, 0.95) for metric, value in aim]
        tau = find_thresholds(table, *targets)
        held = [row for row, fold in zip(rows, folds, strict=True) if fold == name]
        skipped = [row for row in held if tau.tau_neg is not None and row[2] < tau.tau_neg]
        alerts = [row for row in held if tau.tau_pos is not None and row[2] >= tau.tau_pos]
        right = sum(row[3] for row in alerts)
        found[name] = (tau, len(skipped), sum(row[3] for row in skipped), len(alerts), right)
    return found


def test_each_fold_is_counted_at_the_thresholds_of_the_others():
    point = choose_over_folds(with_folds(ROWS, FOLDS), **AIM)
    expected = by_hand(ROWS, FOLDS, [(SENSITIVITY, 0.9), ("gate.alert_precision", 0.8)])
    held_out = point.document["selection"]["folds"]["held_out"]
    assert [one["fold"] for one in held_out] == ["0", "1", "2", "3"]
    for one in held_out:
        tau, *counts = expected[one["fold"]]
        assert (one["tau_neg"]["value"], one["tau_pos"]["value"]) == (tau.tau_neg, tau.tau_pos)
        assert [one[key] for key in ("skipped", "missed", "alerts", "alerts_right")] == counts
    pooled = estimates_of(point, "folds")
    n_missed = sum(missed for _, _, missed, *_ in expected.values())
    n_pos = sum(y for *_, y in ROWS)
    kept = pooled["screening_sensitivity"]
    assert (kept["numerator"], kept["denominator"], kept["ci"]) == (n_pos - n_missed, n_pos, None)
    assert pooled["neg_rate"]["numerator"] == sum(counts[1] for counts in expected.values())
    assert pooled["alert_precision"]["numerator"] == sum(counts[4] for counts in expected.values())


def test_what_is_exported_is_chosen_on_all_rows_and_exploratory():
    data = with_folds(ROWS, FOLDS)
    point, plain = choose_over_folds(data, **AIM), choose_operating_point(data, **AIM)
    assert (point.tau_neg, point.tau_pos) == (plain.tau_neg, plain.tau_pos)
    assert point.status == "exploratory"
    assert point.document["selection"]["chosen_on"] == "folds"
    assert [entry["role"] for entry in point.document["data"]] == ["all"]
    mean = np.mean([one["tau_neg"]["value"] for one in point.document["selection"]["folds"]["held_out"]])
    assert point.tau_neg != pytest.approx(mean, abs=1e-9)


def test_the_folds_get_no_verdict_and_the_spread_is_said():
    point = choose_over_folds(with_folds(ROWS, FOLDS), **AIM)
    verdicts = {claim["verdict"] for claim in point.document["claims"] if claim["evaluated_on"] == "folds"}
    assert verdicts == {"not_assessed"}
    held_out = point.document["selection"]["folds"]["held_out"]
    low = min(one["tau_neg"]["value"] for one in held_out)
    sentence = next(line for line in point.document["limits"] if line.startswith("Over 4 folds"))
    assert f"the threshold to skip lay from {low}" in sentence
    assert sentence in point.summary


@pytest.mark.parametrize("seed", range(12))
def test_without_ties_the_procedure_misses_one_more_than_the_rule_allows(seed):
    rows = rows_of(160, seed=seed)
    rng = np.random.default_rng(seed)
    folds = [str(fold) for fold in rng.integers(0, 4, len(rows))]
    point = choose_over_folds(with_folds(rows, folds), screening_sensitivity=0.9, alert_precision=None)
    kept = estimates_of(point, "folds")["screening_sensitivity"]
    n_others = [
        sum(y for (*_, y), fold in zip(rows, folds, strict=True) if fold != name) for name in set(folds)
    ]
    allowed = min(n_allowed_misses(n, Constraint(SENSITIVITY, 0.9, 0.95)) for n in n_others)
    assert allowed >= 0
    assert kept["denominator"] - kept["numerator"] >= allowed + 1


def test_a_document_over_folds_verifies_and_a_changed_fold_is_named(tmp_path):
    data = with_folds(ROWS, FOLDS)
    point = choose_over_folds(data, **AIM)
    read = OperatingPoint.load(point.save(tmp_path / "point.json"))
    assert read.verify(data).differences == ()
    read.document["selection"]["folds"]["held_out"][2]["missed"] += 1
    found = read.verify(data).differences
    assert str(found[0]).startswith("found selection.folds.held_out[2].missed = ")


def test_a_document_over_folds_does_not_hold_on_rows_without_folds():
    data = with_folds(ROWS, FOLDS)
    point = choose_over_folds(data, **AIM)
    del data.queries.slices["fold"]
    assert str(point.verify(data).first).startswith(
        "found selection.chosen_on = 'folds', expected not so: no column of folds"
    )


def test_posts_in_several_folds_are_counted_and_said():
    rows = [(f"s{at // 2}", f"A.{at % 2}", p, y) for at, (*_, p, y) in enumerate(ROWS)]
    point = choose_over_folds(with_folds(rows, FOLDS), **AIM)
    assert point.document["selection"]["folds"]["posts_in_several_folds"] == 120
    assert any(line.startswith("120 posts have rows in several folds") for line in point.document["limits"])
    assert point.verify(with_folds(rows, FOLDS)).holds


@pytest.mark.parametrize(
    ("folds", "message"),
    [
        (["1"] * len(ROWS), "found a single fold, expected at least two folds"),
        (["", *FOLDS[1:]], "found 1 row of 240 without a fold, expected a fold in every row"),
        ([""] * len(ROWS), "found no column of folds, expected at least two folds"),
    ],
)
def test_folds_that_are_none_are_refused(folds, message):
    with pytest.raises(InputError) as caught:
        choose_over_folds(with_folds(ROWS, folds), **AIM)
    assert message in str(caught.value)


def test_a_malformed_fold_is_a_departure_from_the_schema():
    point = choose_over_folds(with_folds(ROWS, FOLDS), **AIM)
    del point.document["selection"]["folds"]["held_out"][0]["tau_neg"]
    with pytest.raises(InputError, match="DOC-002"):
        OperatingPoint.from_bytes(json_text(point.document).encode())
