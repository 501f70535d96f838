"""A comparison of any metric: what nobody prepared for, one definition of each, what is left out and why."""

import math
from dataclasses import replace

import numpy as np
import pytest

from evalcore import evaluate, load
from evalcore.catalog import METRICS
from evalcore.compare import METRICS_COMPARED, compare
from evalcore.drawn.swaps import Swaps
from evalcore.evaluation.intervals.replicates import GroupReplicates
from evalcore.problems import InputError
from tests.inference.test_drawn import CRITERIA, declared_as, unprepared
from tests.support.made.two_models import FAST, two_models

N_HELD = 8


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """24 posts, three criteria, scores, selections and scored lists of the models a and b."""
    rng = np.random.default_rng(5)
    place = tmp_path_factory.mktemp("two")
    queries, lists = ["post_id,criterion_id,has_evidence,probability,selected_k,model"], []
    for post in range(24):
        for criterion in CRITERIA:
            label = int(rng.random() < 0.35)
            gold = rng.permutation(6)[:2] if label else []
            for model, shift in (("a", 0.1), ("b", 0.4)):
                p = round(float(np.clip(rng.beta(2, 4) + shift * label, 0, 1)), 2)
                queries.append(f"s{post},{criterion},{label},{p},{rng.integers(0, 4)},{model}")
            lists += [
                f"s{post},{criterion},c{at},{scores[0]:.1f},{scores[1]:.1f},{int(at in gold)}"
                for at, scores in enumerate(rng.random((rng.integers(1, 6), 2)))
            ]
    (place / "queries.csv").write_text("\n".join(queries))
    (place / "candidates.csv").write_text("\n".join(["post_id,criterion_id,sent_uid,a,b,is_gold", *lists]))
    return load([place / "queries.csv"], candidates=place / "candidates.csv")


def allowed(result, key):
    rows = result.table[result.table["metric"] == key]
    return rows[~rows["ci_method"].str.startswith("delong")]


def test_a_metric_nobody_prepared_for_is_compared(data):
    metrics = unprepared()
    with declared_as(*metrics):
        keys = tuple(one.key for one in metrics)
        result = compare(data, "a", "b", metrics=keys, by="criterion", tau_neg=0.2, tau_pos=0.5, **FAST)
    assert {one.tally for one in metrics} >= {
        "ScoreTable", "PairTable", "Confusion", "StateCounts", "RankedQueries", "Selections", "LabelMatrix"
    }  # fmt: skip
    for key in keys:
        rows = allowed(result, key)
        assert set(rows["group"]) == {"", *CRITERIA}, key
        whole = rows[rows["group"] == ""]
        assert whole["difference"].notna().all(), key
        is_alike = whole["ci_method"].str.startswith("not_estimable(alike_in_replicates;")
        assert ((whole["ci_low"] < whole["ci_high"]) | is_alike).all(), key
        assert whole["p"].between(0.01, 1).all(), key


def held_to_the_definition(monkeypatch):
    """The swaps of the next comparisons beside the definition's, one at a time: key → largest distance."""
    farthest = {}
    fast = GroupReplicates.of

    def both(self, asked):
        found = fast(self, asked)
        few = self
        if isinstance(self.resampling, Swaps):
            few = replace(self, resampling=Swaps(self.resampling.swapped[:, : N_HELD // 2]))
            for at, expected in few.one_at_a_time({at: asked[at] for at in found}).items():
                held, key = found[at][:N_HELD], asked[at].metric.key
                assert (np.isnan(held) == np.isnan(expected)).all(), key
                gap = np.nanmax(np.abs(held - expected) / np.maximum(1, np.abs(expected)), initial=0.0)
                farthest[key] = max(farthest.get(key, 0.0), float(gap))
        return found

    monkeypatch.setattr(GroupReplicates, "of", both)
    return farthest


@pytest.mark.parametrize("gate", [{}, {"screening_sensitivity": 0.9}, {"tau_neg": 0.2, "tau_pos": 0.5}])
def test_every_metric_is_compared_or_says_why_not(monkeypatch, data, gate):
    farthest = held_to_the_definition(monkeypatch)
    keys = tuple(key for key, one in METRICS.items() if one.family not in ("rag", "recommender"))
    result = compare(data, "a", "b", metrics=keys, **gate, **FAST)
    for key in keys:
        rows = allowed(result, key)
        if rows.empty and not METRICS[key].compared:
            assert any(METRICS[key].label in note for note in result.notes), key
        for row in rows.to_dict("records"):
            assert row["note"] or row["ci_method"], key
            is_without = bool(METRICS[key].no_interval)
            assert (row["ci_method"] == f"not_estimable({METRICS[key].no_interval})") == is_without
            assert math.isnan(row["p"]) == (is_without and METRICS[key].drawn is None)
    solved = ("calibration.calibration_intercept", "calibration.calibration_slope")
    assert all(gap < (1e-9 if key in solved else 1e-12) for key, gap in farthest.items()), farthest
    assert {"classification.auroc", "calibration.ece", "extraction.p90_selected_k"} <= set(farthest)
    assert set(keys) - set(result.table["metric"]) == (
        set() if "tau_neg" in gate else
        {"gate.uncertain_rate", "gate.pos_rate", "gate.alerts_per_1000", "gate.alert_precision",
         "gate.alert_recall", "gate.reviews_per_true_alert"}
        | ({"classification.net_benefit"} if gate else set())
    )  # fmt: skip


def test_values_are_those_of_an_evaluation_to_the_bit(data):
    kinds = ("ScoreTable", "Confusion", "LabelMatrix")
    keys = tuple(key for key, one in METRICS.items() if one.tally in kinds)
    table = compare(data, "a", "b", metrics=keys, fpr=0.1, bootstrap=0, permutations=0).table
    report = evaluate(data)
    for row in table.to_dict("records"):
        for side, model in (("first", "a"), ("second", "b")):
            of = {"population": row["population"], "params": row["params"]}
            expected = report.value(row["metric"], model=model, **of)
            assert row[side] == expected or (math.isnan(row[side]) and math.isnan(expected)), row["metric"]


def shares_of_positives(table):
    """What takes the place of AUROC for the test below; its replicates are counted one at a time."""
    return float(table.total_pos) / float(table.total) + float(table.score.mean())


def test_one_definition_moves_the_value_the_interval_the_comparison_and_the_groups():
    data, key = two_models(n_posts=12), "classification.auroc"
    settings = {"bootstrap": 100, "by": ("criterion",)}

    def figures():
        table = evaluate(data, **settings).table
        own = table[(table["metric"] == "auroc") & ~table["params"].str.contains("stat=")]
        compared = compare(data, "a", "b", metrics=(key,), **settings, permutations=99)
        found = [own["value"], own["ci_low"], own["ci_high"]]
        rows = allowed(compared, key)
        return [np.array(column) for column in (*found, *(rows[name] for name in ("first", "ci_low", "p")))]

    before = figures()
    with declared_as(replace(METRICS[key], function=shares_of_positives, drawn=None)):
        after = figures()
        values = after[0]
        assert values[0] == shares_of_positives_of(data)
        # A second definition anywhere would keep an old figure: every one of them has moved.
        for old, new in zip(before[:5], after[:5], strict=True):
            assert (old != new).all()
        assert (before[5] != after[5]).any()
    assert all(np.array_equal(old, new, equal_nan=True) for old, new in zip(before, figures(), strict=True))


def shares_of_positives_of(data):
    own = data.queries.where(data.queries.model == 0)
    return float(own.has_evidence.sum()) / len(own) + float(np.unique(own.score).mean())


def test_a_wrong_way_to_swaps_is_seen(monkeypatch, data):
    auroc = METRICS["classification.auroc"]
    farthest = held_to_the_definition(monkeypatch)
    wrong = replace(auroc, drawn=replace(auroc.drawn, function=lambda ranks: ranks.total_pos))
    with declared_as(wrong):
        compare(data, "a", "b", metrics=("auroc",), **FAST)
    assert farthest["classification.auroc"] > 1


def test_what_stands_in_a_comparison_is_declared_in_its_order():
    assert METRICS_COMPARED[:3] == ("classification.auroc", "classification.auprc", "calibration.brier")
    assert [METRICS[key].compared for key in METRICS_COMPARED] == list(range(1, 15))
    assert [key for key in METRICS_COMPARED if METRICS[key].is_of_whole_list] == [
        "ranking.mrr",
        "ranking.map",
    ]


def test_what_is_named_and_not_there_is_told():
    result = compare(two_models(n_posts=6), "a", "b", metrics=("ndcg", "mean_selected_k"), **FAST)
    assert result.table.empty
    assert result.notes == (
        "Not compared, as not both have ranked lists: nDCG@K.",
        "Not compared, as not both state what they selected: Mean selected K.",
    )


def test_a_budget_beyond_1_is_refused():
    with pytest.raises(InputError, match=r"FPR = 1\.5"):
        compare(two_models(n_posts=3), "a", "b", fpr=1.5, **FAST)
