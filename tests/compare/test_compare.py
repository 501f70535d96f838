"""Two models on the queries they share: pairing, values, intervals, tests, breakdowns and sentences."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, brier_score_loss, roc_auc_score

from evalcore import evaluate
from evalcore.catalog import METRICS
from evalcore.compare import COLUMNS, answer, as_csv, compare
from evalcore.compare.evidence.gates import largest_threshold
from evalcore.drawn.weights import hashes, poisson_weights
from evalcore.figures.comparison import comparison_figure
from evalcore.inference.binomial import Interval
from evalcore.inference.delong import delong, paired_test
from evalcore.inference.permutation import swaps_of
from tests.support.made.scored_data import data_of
from tests.support.made.two_models import FAST, only, row_of, two_models

KEYS = {
    "classification.auroc": roc_auc_score,
    "classification.auprc": average_precision_score,
    "calibration.brier": brier_score_loss,
}


def test_values_are_those_of_an_evaluation():
    data = two_models()
    result = compare(data, "a", "b", tau_neg=0.3, tau_pos=0.7, by="criterion", **FAST)
    report = evaluate(data, tau_neg=0.3, tau_pos=0.7, by=("criterion",))
    assert set(result.table["group"]) == {"", "A.1", "A.2", "A.3"}
    for row in result.table.to_dict("records"):
        for side, model in (("first", "a"), ("second", "b")):
            expected = report.value(row["metric"], model=model, group=row["group"], params=row["params"])
            assert row[side] == expected
        assert row["difference"] == row["second"] - row["first"]


def test_interval_is_that_of_explicit_reweighting():
    data = two_models()
    result = compare(data, "a", "b", bootstrap=100, permutations=0, seed=7)
    a, b = only(data, "a").queries, only(data, "b").queries
    posts = sorted(a.post_ids)
    weights = poisson_weights(posts, seed=7, start=0, stop=100)
    of_row = np.array([posts.index(a.post_ids[post]) for post in a.post])
    for key, oracle in KEYS.items():
        differences = [
            oracle(b.has_evidence, b.score, sample_weight=weight[of_row])
            - oracle(a.has_evidence, a.score, sample_weight=weight[of_row])
            for weight in weights
        ]
        row = row_of(result, key)
        low, high = np.quantile(differences, [0.025, 0.975])
        assert (row["ci_low"], row["ci_high"]) == pytest.approx((low, high), abs=1e-12)
    assert row["ci_method"] == "cluster_bootstrap(posts=30;B=100;undefined=0;seed=7;sides=2)"
    assert row["p_method"] == ""


def test_p_is_that_of_explicit_swaps_of_whole_posts():
    data = two_models(n_posts=12, better=0.1)
    result = compare(data, "a", "b", bootstrap=0, permutations=99, seed=3)
    a, b = only(data, "a").queries, only(data, "b").queries
    posts = sorted(a.post_ids)
    of_row = np.array([posts.index(a.post_ids[post]) for post in a.post])
    swaps = swaps_of(hashes(posts), seed=3, start=0, stop=99)[:, of_row]
    ranks = [
        np.searchsorted(np.sort(s), s) + np.searchsorted(np.sort(s), s, side="right")
        for s in (a.score, b.score)
    ]
    scores = {"calibration.brier": (a.score, b.score)}
    for key, oracle in KEYS.items():
        one, two = scores.get(key, ranks)
        observed = oracle(a.has_evidence, two) - oracle(a.has_evidence, one)
        swapped = [
            oracle(a.has_evidence, np.where(swap, one, two))
            - oracle(a.has_evidence, np.where(swap, two, one))
            for swap in swaps
        ]
        n_large = sum(abs(one_of) >= abs(observed) - 1e-12 for one_of in swapped)
        assert row_of(result, key)["p"] == (1 + n_large) / 100


def test_calibration_error_agrees_with_bins_by_hand():
    scores = {"a": [0.05, 0.15, 0.3], "b": [0.0, 0.3, 1.0]}
    data = data_of([(f"s{at}", "A.1", scores[m][at], int(at > 0), "", m) for at in range(3) for m in scores])
    row = row_of(compare(data, "a", "b", **FAST), "calibration.ece")
    # Bins [0, .1), [.1, .2), [.3, .4): .05 + .85 + .7; then .0 + .7 + .0, a score of 1 in the last bin.
    assert row["first"] == pytest.approx(float(Fraction(160, 300)))
    assert row["second"] == pytest.approx(float(Fraction(70, 300)))


def test_a_difference_of_calibration_errors_has_a_test_and_no_interval():
    row = row_of(compare(two_models(), "a", "b", **FAST), "calibration.ece")
    assert row["ci_method"] == f"not_estimable({METRICS['calibration.ece'].no_interval})"
    assert np.isnan([row["ci_low"], row["ci_high"], row["ci_level"]]).all()
    assert 0 < row["p"] <= 1


def test_one_class_has_no_area_and_says_why():
    data = data_of(
        [("s1", "A.1", 0.2, 0, "", m) for m in "ab"] + [("s2", "A.1", 0.4, 0, "", m) for m in "ab"]
    )
    row = row_of(compare(data, "a", "b", **FAST), "classification.auroc")
    assert np.isnan([row["first"], row["difference"], row["ci_low"], row["p"]]).all()
    assert row["note"] == "no row with evidence"


def test_difference_by_delong_stands_beside_and_says_what_it_assumes():
    data = two_models()
    rows = compare(data, "a", "b", **FAST).table
    (row,) = rows[rows["ci_method"].str.startswith("delong")].to_dict("records")
    a, b = only(data, "a").queries, only(data, "b").queries
    test = paired_test(delong([b.score, a.score], a.has_evidence))
    assert row["p"] == test.p_value
    assert row["ci_high"] - row["ci_low"] == pytest.approx(2 * 1.959963984540054 * test.standard_error)
    assert row["ci_method"] == "delong(rows=90;sides=2;independence_assumed)"
    assert row["note"] == "DeLong assumes independent rows"


def test_exchanging_the_models_turns_the_sign():
    data = two_models()
    one, two = (compare(data, *names, **FAST).table for names in (("a", "b"), ("b", "a")))
    assert one["difference"].tolist() == (-two["difference"]).tolist()
    assert one["ci_low"].to_numpy() == pytest.approx(-two["ci_high"].to_numpy(), abs=1e-12, nan_ok=True)
    assert one["p"].tolist() == two["p"].tolist()


def test_same_model_twice_differs_in_nothing():
    data = only(two_models(), "a")
    table = compare(data, other=data, **FAST).table
    resampled = table[~table["ci_method"].str.startswith("delong")]
    assert (resampled["difference"] == 0).all()
    assert (resampled["p"] == 1).all()


def test_a_difference_alike_in_all_replicates_has_no_interval_as_its_values_have_none():
    data = only(two_models(), "a")
    halved = data.with_tables(queries=replace(data.queries, score=data.queries.score / 2))
    for other in (data, halved):  # what rests on the order of scores alone is the same
        row = row_of(compare(data, other=other, **FAST), "classification.auprc")
        assert np.isnan([row["ci_low"], row["ci_high"]]).all()
        assert row["ci_method"].startswith("not_estimable(alike_in_replicates;posts=")
    rescored = row_of(compare(data, other=halved, **FAST), "calibration.brier")
    assert rescored["ci_low"] < rescored["ci_high"]


def test_holm_is_over_the_groups_of_a_column_and_leaves_undefined_ones_out():
    data = two_models(n_criteria=3)
    has_none = data.queries.has_evidence & (data.queries.criterion != 2)
    data = data.with_tables(queries=replace(data.queries, has_evidence=has_none))
    table = compare(data, "a", "b", by="criterion", **FAST, metrics=("classification.auroc",)).table
    table = table[table["ci_method"].str.startswith("cluster") | table["difference"].isna()]
    assert table.loc[table["group_by"] == "", "p_holm"].isna().all()
    groups = table[table["group_by"] == "criterion"].set_index("group")
    assert groups.loc["A.3", "note"] == "no row with evidence"
    assert np.isnan(groups.loc["A.3", "p_holm"])
    low, high = sorted(groups.loc[["A.1", "A.2"], "p"])
    assert sorted(groups.loc[["A.1", "A.2"], "p_holm"]) == [min(2 * low, 1), max(2 * low, high)]


def test_same_sensitivity_gives_each_model_its_own_threshold():
    data = two_models()
    result = compare(data, "a", "b", screening_sensitivity=0.9, **FAST)
    gate = result.table[result.table["metric"].str.startswith("gate.")]
    assert set(gate["metric"]) == {"gate.neg_rate", "gate.screening_sensitivity"}
    assert set(gate["params"]) == {"screening_sensitivity=0.9"}
    assert (row_of(result, "gate.screening_sensitivity")[["first", "second"]] >= 0.9).all()
    assert "each model at its own τ_neg" in result.notes[0]


def test_largest_threshold_keeps_ties_together():
    score = np.array([0.1, 0.2, 0.2, 0.4, 0.5])
    positive = np.array([0.2, 0.2, 0.4, 0.5])
    assert largest_threshold(score, positive, 1.0) == 0.19
    assert largest_threshold(score, positive, 0.75) == 0.19  # one of the two at 0.2 cannot go alone
    assert largest_threshold(score, positive, 0.5) == 0.3


def test_no_posts_makes_the_row_the_unit_and_says_so():
    rows = [
        (f"r{at}", "", at / size, at % 2, "", name)
        for at in range(6)
        for name, size in (("a", 10), ("b", 12))
    ]
    result = compare(data_of(rows, has_posts=False), "a", "b", **FAST)
    assert row_of(result, "calibration.brier")["ci_method"].startswith("cluster_bootstrap(rows=6;")


def test_scores_that_are_no_probabilities_are_compared_by_their_order_only():
    data = replace(two_models(), score_kind="score")
    result = compare(data, "a", "b", **FAST)
    assert set(result.table["metric"]) == {
        "classification.auroc",
        "classification.auprc",
        "gate.neg_rate",
        "gate.screening_sensitivity",
    }
    assert "Calibration was not compared: a score is not a probability." in result.notes


def test_what_progress_raises_ends_the_comparison():
    def stop(text):
        if text.startswith("test"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compare(two_models(n_posts=3), "a", "b", progress=stop, **FAST)


def test_answer_names_the_better_model_and_what_chance_could_do():
    result = compare(two_models(n_posts=40, better=0.6), "a", "b", **FAST, metrics=("classification.auroc",))
    row = row_of(result, "classification.auroc")
    assert answer(result).startswith(f"b is better: AUROC +{row['difference']:.4f} [+{row['ci_low']:.4f}, ")
    same = compare(two_models(better=0.0), "a", "b", **FAST, metrics=("classification.auroc",))
    assert answer(same).startswith("Compatible with no difference: AUROC ")
    few = compare(two_models(n_posts=4), "a", "b", **FAST, metrics=("classification.auroc",))
    assert answer(few) == "Fewer than 20 cases, no verdict: AUROC."


def test_lower_is_better_where_the_metric_says_so():
    result = compare(two_models(n_posts=40, better=0.8), "a", "b", **FAST, metrics=("calibration.brier",))
    assert row_of(result, "calibration.brier")["difference"] < 0
    assert answer(result).startswith("b is better: Brier score −")


def test_table_has_its_columns_and_the_csv_reads_back():
    result = compare(two_models(), "a", "b", **FAST)
    assert tuple(result.table.columns) == COLUMNS
    header, first, *_ = as_csv(result).splitlines()
    cells = dict(zip(header.split(","), first.split(","), strict=True))
    assert (cells["first"], cells["second"], cells["p_holm"]) == ("a", "b", "")
    assert float(cells["difference"]) == result.table["difference"].iloc[0]


def test_blocks_of_replicates_change_no_byte(monkeypatch):
    data = two_models()
    whole = as_csv(compare(data, "a", "b", tau_neg=0.3, tau_pos=0.7, by="criterion", **FAST))
    monkeypatch.setattr("evalcore.compare.resampling.BLOCK_BYTES", 30 * 7)
    monkeypatch.setattr("evalcore.drawn.swaps.BLOCK_BYTES", 30 * 8 * 4)
    assert as_csv(compare(data, "a", "b", tau_neg=0.3, tau_pos=0.7, by="criterion", **FAST)) == whole


def test_figure_tells_by_colour_and_shape_which_model_a_difference_speaks_for():
    figure = comparison_figure(
        ["<AUROC>", "Brier", "NEG rate", "AUPRC", "precision"],
        np.array([0.2, 0.1, 0.3, 0.0, np.nan]),
        Interval(np.array([0.1, 0.05, 0.2, -0.1, np.nan]), np.array([0.3, 0.15, 0.4, 0.1, np.nan])),
        ["second", "first", "differ", "open", "open"],
        first="a",
        second="b",
        title="difference, b − a",
    )
    marks = {trace.name: (trace.marker.symbol, trace.marker.color, list(trace.y)) for trace in figure.data}
    assert {name: places for name, (_, _, places) in marks.items()} == {
        "a is better": [1],
        "b is better": [0],
        "they differ": [2],
        "compatible with no difference": [3],
    }
    assert len({symbol for symbol, _, _ in marks.values()}) == 4
    assert figure.layout.yaxis.ticktext[0] == "&lt;AUROC&gt;"
    assert figure.layout.shapes[0].x0 == figure.layout.shapes[0].x1 == 0
    assert figure.layout.meta["description"] == (
        "difference, b − a: 5 differences between b and a with intervals, 3 of them away from 0. "
        "a is better: 0.1 at Brier; b is better: 0.2 at <AUROC>; they differ: 0.3 at NEG rate; "
        "compatible with no difference: 0 at AUPRC."
    )
