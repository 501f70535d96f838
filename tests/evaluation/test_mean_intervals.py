"""Means over groups: their interval is that of the mean in every replicate, with the same draws."""

import math

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from evalcore import evaluate
from evalcore.drawn.weights import poisson_weights
from tests.support.reading import read

B, SEED = 200, 3


def rows(*, rare: bool = False) -> pd.DataFrame:
    """Forty posts of three criteria; with ``rare`` the last criterion has two positives only."""
    rng = np.random.default_rng(7)
    found = pd.DataFrame(
        {
            "post_id": np.repeat([f"p{i}" for i in range(40)], 3),
            "criterion_id": ["A.1", "A.2", "A.3"] * 40,
            "label": rng.integers(0, 2, 120),
        }
    )
    if rare:
        found.loc[found["criterion_id"] == "A.3", "label"] = [1, 1] + [0] * 38
    found["p"] = (0.7 * rng.random(120) + 0.3 * found["label"]).round(2)
    return found


def table(frame: pd.DataFrame, **options: object) -> pd.DataFrame:
    how = {"bootstrap": B, "seed": SEED, "by": ("criterion",), **options}
    return evaluate(read(frame.to_csv(index=False)), **how).table


def mean_of(found: pd.DataFrame, metric: str, variant: str = "default") -> pd.Series:
    is_mean = (found["metric"] == metric) & (found["variant"] == variant)
    return found[is_mean & found["params"].str.endswith("stat=mean;over=criterion")].iloc[0]


def over_criteria(frame: pd.DataFrame, value, weights: np.ndarray) -> np.ndarray:
    """The mean over criteria of a statistic of (label, p, weight) in every replicate, by loops."""
    posts = [f"p{i}" for i in range(40)]
    means = []
    for drawn in weights:
        weight = frame["post_id"].map(dict(zip(posts, drawn, strict=True)))
        values = [
            value(part["label"], part["p"], weight[part.index]) for _, part in frame.groupby("criterion_id")
        ]
        known = [one for one in values if not math.isnan(one)]
        means.append(sum(known) / len(known) if known else math.nan)
    return np.array(means)


def with_both(statistic):
    """The statistic, NaN where only one class is drawn."""

    def value(label, p, weight):
        both = weight[label == 1].sum() > 0 and weight[label == 0].sum() > 0
        return statistic(label, p, sample_weight=weight) if both else math.nan

    return value


def recall(label, p, weight):
    cases = weight[label == 1].sum()
    return weight[(label == 1) & (p >= 0.5)].sum() / cases if cases else math.nan


STATISTICS = {
    "auroc": with_both(roc_auc_score),
    "auprc": with_both(average_precision_score),
    "brier": lambda label, p, weight: (weight * (label - p) ** 2).sum() / weight.sum(),
    "sensitivity": recall,
}


@pytest.mark.parametrize("metric", STATISTICS)
@pytest.mark.parametrize("rare", [False, True])
def test_interval_of_a_mean_is_the_percentile_of_the_mean_over_explicitly_reweighted_groups(metric, rare):
    frame = rows(rare=rare)
    found = mean_of(table(frame), metric)
    weights = poisson_weights([f"p{i}" for i in range(40)], seed=SEED, start=0, stop=B).astype(float)
    means = over_criteria(frame, STATISTICS[metric], weights)
    low, high = np.quantile(means, [0.025, 0.975])
    assert found.ci_low == pytest.approx(low, abs=1e-12)
    assert found.ci_high == pytest.approx(high, abs=1e-12)
    assert found.ci_method == f"cluster_bootstrap(posts=40;B={B};undefined=0;seed={SEED};sides=2)"


def test_a_group_that_a_replicate_leaves_undefined_does_not_enter_its_mean():
    """Both positives of A.3 are missing from some draws: counted as 0 they would lower the bound."""
    frame = rows(rare=True)
    weights = poisson_weights(["p0", "p1"], seed=SEED, start=0, stop=B)
    assert (weights.sum(axis=1) == 0).any()
    as_zero = over_criteria(
        frame,
        lambda *one: 0.0 if math.isnan(recall(*one)) else recall(*one),
        poisson_weights([f"p{i}" for i in range(40)], seed=SEED, start=0, stop=B).astype(float),
    )
    assert mean_of(table(frame), "sensitivity").ci_low > np.quantile(as_zero, 0.025) + 0.01


def test_every_defined_mean_has_an_interval_or_says_why_not():
    found = table(rows(), tau_neg=0.3, tau_pos=0.7)
    means = found[found["params"].str.endswith("stat=mean;over=criterion") & found["value"].notna()]
    assert len(means) > 50
    assert (means["ci_method"] != "").all()
    assert mean_of(found, "ici").ci_method == "not_estimable(a_refitted_curve_widens_the_distance)"


def test_a_mean_that_holds_a_fill_value_says_that_it_has_no_replicates():
    frame = rows()
    frame.loc[frame["criterion_id"] == "A.3", "label"] = 0
    found = mean_of(table(frame, undefined="contract"), "auroc")
    assert (found["n"], found["ci_method"]) == (3, "not_estimable(a_group_without_replicates)")
    skipped = mean_of(table(frame), "auroc")
    assert skipped["n"] == 2
    assert skipped["ci_method"].startswith("cluster_bootstrap(posts=40;")


def test_without_a_bootstrap_means_over_criteria_have_no_interval():
    assert mean_of(table(rows(), bootstrap=0), "auroc")["ci_method"] == ""


def test_progress_that_raises_ends_an_evaluation():
    class StopError(Exception):
        pass

    told = []

    def progress(what: str) -> None:
        told.append(what)
        if len(told) == 2:
            raise StopError

    with pytest.raises(StopError):
        evaluate(read(rows().to_csv(index=False)), by=("criterion",), progress=progress)
    assert len(told) == 2
