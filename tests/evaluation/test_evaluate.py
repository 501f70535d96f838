"""Evaluate: the table others rely on, groups against masked data, options refused together."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import evalcore
from evalcore import evaluate
from evalcore.evaluation import COLUMNS, natural_key, with_states
from evalcore.problems import InputError
from tests.conftest import ROOT
from tests.support.made.scored_data import data_of
from tests.support.reading import upload

SAMPLE = ROOT / "sample_data" / "queries.csv"
ROWS = [
    ("s1", "A.1", 0.9, 1),
    ("s1", "A.2", 0.2, 0),
    ("s2", "A.1", 0.4, 0),
    ("s2", "A.10", 0.8, 1),
    ("s3", "A.2", 0.3, 1),
    ("s3", "A.10", 0.1, 0),
]


def rows_of(report, metric, **where):
    table = report.table[report.table.metric == metric]
    for column, value in where.items():
        table = table[table[column] == value]
    return table


def test_table_has_exactly_the_documented_columns():
    assert tuple(evaluate(data_of(ROWS)).table.columns) == COLUMNS
    assert (
        *("family", "metric", "params", "variant", "population", "model", "group_by", "group"),
        *("value", "n", "ci_low", "ci_high", "ci_level", "ci_method", "note"),
    ) == COLUMNS


def test_decisions_are_at_one_half_without_a_gate_and_at_both_thresholds_with_one():
    without, gated = evaluate(data_of(ROWS)), evaluate(data_of(ROWS), tau_neg=0.3, tau_pos=0.85)
    assert list(rows_of(without, "sensitivity").params) == ["threshold=0.5;rule=decision"]
    assert list(rows_of(gated, "sensitivity").params) == [
        "threshold=0.3;rule=screened_in",
        "threshold=0.85;rule=alert",
    ]
    assert list(rows_of(gated, "sensitivity").value) == [1.0, 1 / 3]
    assert "gate" not in set(without.table.family)
    assert list(rows_of(gated, "neg_rate").params) == ["tau_neg=0.3;tau_pos=0.85"]


def test_a_group_equals_the_metric_on_the_masked_rows():
    whole = evaluate(data_of(ROWS), by=("criterion",), tau_neg=0.3, tau_pos=0.85)
    for criterion in ("A.1", "A.2", "A.10"):
        alone = evaluate(data_of([row for row in ROWS if row[1] == criterion]), tau_neg=0.3, tau_pos=0.85)
        grouped = whole.table[whole.table.group == criterion].reset_index(drop=True)
        np.testing.assert_array_equal(grouped.value, alone.table.value)
        assert list(grouped.n) == list(alone.table.n)
        assert list(grouped.note) == list(alone.table.note)


def test_groups_come_in_natural_order_alone_and_together():
    rows = [(*row, split) for row, split in zip(ROWS, ["tune", "test"] * 3, strict=True)]
    report = evaluate(data_of(rows), by=("criterion", "split"))
    groups = rows_of(report, "auroc")
    groups = groups[groups.params == ""]
    assert list(groups.group_by) == ["", *["criterion"] * 3, *["split"] * 2, *["criterion;split"] * 4]
    assert list(groups.group) == [
        *("", "A.1", "A.2", "A.10", "test", "tune"),
        *("A.1;tune", "A.2;test", "A.2;tune", "A.10;test"),
    ]
    assert natural_key("A.2") < natural_key("A.10")


def test_undefined_values_carry_their_reason_and_the_contract_fills_only_on_request():
    one_class = data_of([("s1", "A.1", 0.9, 1), ("s2", "A.1", 0.2, 1)])
    plain = rows_of(evaluate(one_class), "auroc").iloc[0]
    assert math.isnan(plain.value)
    assert plain.note == "no row without evidence"
    filled = rows_of(evaluate(one_class, undefined="contract"), "auroc").iloc[0]
    assert filled.value == 0.5
    assert filled.note == "filled as document 000 §5 prints: no row without evidence"
    prior = rows_of(evaluate(one_class, undefined="contract"), "auprc").iloc[0]
    assert prior.value == 1.0


def test_a_score_on_another_scale_has_no_calibration_and_says_why():
    rows = [("s1", "A.1", -3.0, 0), ("s2", "A.1", 2.5, 1)]
    report = evaluate(data_of(rows, score_kind="score"), tau_neg=-1.0, tau_pos=2.0)
    brier = rows_of(report, "brier").iloc[0]
    assert math.isnan(brier.value)
    assert brier.note == "the score is not a probability (score kind: score)"
    assert report.value("gate.screening_sensitivity") == 1.0


def test_every_illegal_option_is_named_at_once():
    with pytest.raises(InputError) as caught:
        evaluate(data_of(ROWS), ks=(0, 5), tau_neg=0.9, tau_pos=0.1, by=("colour",), undefined="zero")
    assert [p.code for p in caught.value.problems] == ["OPT-001", "OPT-002", "OPT-003", "OPT-006"]
    assert str(caught.value.problems[1]) == (
        "found τ_neg = 0.9 above τ_pos = 0.1, expected τ_neg ≤ τ_pos. Swap or correct them."
    )


def test_one_threshold_alone_is_refused():
    with pytest.raises(InputError, match="only one of τ_neg and τ_pos"):
        evaluate(data_of(ROWS), tau_neg=0.1)


def test_order_of_rows_changes_no_number():
    forward, backward = evaluate(data_of(ROWS)), evaluate(data_of(ROWS[::-1]))
    np.testing.assert_array_equal(forward.table.value, backward.table.value)


def test_order_of_rows_and_columns_changes_no_bit_of_the_sample(tmp_path):
    rows = pd.read_csv(SAMPLE, dtype=str, keep_default_na=False)
    rows = rows[rows.post_id.isin(rows.post_id.unique()[:150])]
    orders = [rows, rows.sample(frac=1, random_state=3)[rows.columns[::-1]]]
    found = []
    for name, ordered in zip("ab", orders, strict=True):
        ordered.to_csv(tmp_path / f"{name}.csv", index=False)
        report = evaluate(evalcore.load(tmp_path / f"{name}.csv"), tau_neg=0.05, tau_pos=0.5, bootstrap=100)
        found.append(report.table.sort_values(["model", "family"], kind="stable", ignore_index=True))
    pd.testing.assert_frame_equal(*found, check_exact=True)


def test_values_by_state_are_those_of_the_rows_in_each_state():
    report = evaluate(data_of(ROWS), tau_neg=0.3, tau_pos=0.8, by="state")
    for state, members in (("NEG", [1, 5]), ("UNCERTAIN", [2, 4]), ("POS", [0, 3])):
        alone = evaluate(data_of([ROWS[at] for at in members]), tau_neg=0.3, tau_pos=0.8)
        for metric in ("neg_rate", "pos_rate", "brier"):
            of_state, of_rows = rows_of(report, metric, group=state), rows_of(alone, metric)
            np.testing.assert_array_equal(of_state.value, of_rows.value)
            assert set(of_state.n) == set(of_rows.n) == {2}


def test_states_come_from_the_thresholds_of_each_row_and_never_replace_those_of_the_file():
    data = data_of(ROWS)
    low, high = np.array([0.1, np.nan, 0.5, 0.1, 0.1, 0.1]), np.full(6, 0.5)
    queries = replace(data.queries, numbers={"tau_neg": low, "tau_pos": high})
    code, levels = with_states(data.with_tables(queries=queries)).queries.slices["state"]
    assert [levels[at] if at >= 0 else "" for at in code] == [
        "POS",
        "",
        "NEG",
        "POS",
        "UNCERTAIN",
        "UNCERTAIN",
    ]
    stated = data.with_tables(queries=replace(queries, slices={"state": (np.zeros(6, int), ("POS",))}))
    assert with_states(stated, 0.3, 0.8) is stated
    assert with_states(data) is data


def test_by_state_without_thresholds_names_the_columns_there_are():
    with pytest.raises(InputError, match="a column 'state' to break down by, expected one of criterion"):
        evaluate(data_of(ROWS), by="state")


def test_models_are_evaluated_side_by_side():
    rows = [(*row, "", model) for model in ("a", "b") for row in ROWS]
    report = evaluate(data_of(rows))
    assert list(rows_of(report, "auroc").model) == ["a", "b"]
    assert report.value("classification.auroc", model="a") == report.value("classification.auroc", model="b")


def test_query_and_pair_auroc_of_real_candidates_are_two_numbers(shared):
    data = evalcore.load([shared / "data" / "evidence" / "val_candidates.csv"], columns={"score": "jina"})
    report = evaluate(data, tau_neg=-0.1, tau_pos=0.1)
    assert report.value("classification.auroc") == pytest.approx(0.70212, abs=5e-6)
    assert report.value("classification.pair_auroc") == pytest.approx(0.82896, abs=5e-6)
    assert 0 < report.value("gate.neg_rate") < 1


def test_a_file_that_contradicts_its_own_gate_is_counted_by_its_thresholds():
    text = """post_id,criterion_id,p4_prob_calibrated,has_evidence_gold,state,tau_neg,tau_pos
s1,A.1,0.82,1,POS,0.0,1.0
s1,A.2,0.12,0,NEG,0.0,1.0
s1,A.3,0.45,1,UNCERTAIN,0.0,1.0
s1,A.4,0.06,0,NEG,0.0,1.0
"""
    data = evalcore.load(upload(text))
    report = evaluate(data)
    # Nothing is below 0, nothing reaches 1.
    assert report.value("gate.neg_rate", params="tau_neg=0.0;tau_pos=1.0") == 0.0
    assert report.value("gate.uncertain_rate") == 1.0
    assert report.value("gate.pos_rate") == 0.0
    assert [p.row for p in data.warnings if p.code == "QRY-011"] == [1, 2, 4]


def test_figures_over_groups_and_folds_say_how_many_entered():
    rows = [("s1", "A.1", 0.9, 1), ("s1", "A.2", 0.2, 0), ("s2", "A.1", 0.4, 0), ("s2", "A.2", 0.8, 0)]
    macro = rows_of(evaluate(data_of(rows), by=("criterion",)), "auroc", params="stat=mean;over=criterion")
    assert list(macro.value) == [1.0]
    assert list(macro.n) == [1]
    assert list(macro.note) == ["1 of 2 groups entered (A.2: no row with evidence)"]


def test_one_column_may_be_named_as_text_and_as_in_the_file():
    assert evaluate(data_of(ROWS), by="criterion_id").options.by == ("criterion",)
