"""The intervals of an evaluation: which values have one, what it rests on, what changes it."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from evalcore import evaluate, load
from evalcore.catalog import METRICS
from evalcore.drawn.weights import poisson_weights
from evalcore.inference.clustered import ClusterSums, ci_method, share_interval
from evalcore.inference.correlation import ScoreCorrelation
from evalcore.inference.delong import delong
from evalcore.metrics.calibration import ici
from evalcore.metrics.classification import auroc
from evalcore.problems import InputError
from evalcore.tallies.labels import LabelMatrix
from evalcore.tallies.scores import ScoredRows, ScoreTable
from evalcore.text.numerals import bound
from tests.support.reading import read, upload

B = 200


def file(*, order: np.random.Generator | None = None, columns: list[str] | None = None) -> str:
    """Forty posts of three criteria, some positives in most, as text."""
    rng = np.random.default_rng(7)
    rows = pd.DataFrame(
        {
            "post_id": np.repeat([f"p{i}" for i in range(40)], 3),
            "criterion_id": ["A.1", "A.2", "A.3"] * 40,
            "fold": np.repeat(np.arange(40) % 4, 3),
            "label": rng.integers(0, 2, 120),
        }
    )
    rows["p"] = (0.7 * rng.random(120) + 0.3 * rows["label"]).round(2)
    if order is not None:
        rows = rows.iloc[order.permutation(len(rows))]
    return rows[columns or list(rows.columns)].to_csv(index=False)


def table(text: str, **options: object) -> pd.DataFrame:
    return evaluate(read(text), **options).table


def one(rows: pd.DataFrame, metric: str, **where: str) -> pd.Series:
    where = {"group": "", "variant": "default", **where}
    found = rows[(rows["metric"] == metric) & np.logical_and.reduce([rows[c] == v for c, v in where.items()])]
    return found.iloc[0]


def test_bootstrap_interval_of_auroc_is_the_percentile_over_reweighted_posts():
    data = read(file())
    found = one(evaluate(data, bootstrap=B, seed=3).table, "auroc")
    rows = ScoredRows.from_queries(data.queries)
    weights = poisson_weights(data.queries.post_ids, seed=3, start=0, stop=B).astype(np.int64)
    values = [auroc(ScoreTable.from_rows(rows, weight[rows.post])) for weight in weights]
    low, high = np.quantile(values, [0.025, 0.975])
    assert found.ci_low == pytest.approx(low, abs=1e-12)
    assert found.ci_high == pytest.approx(high, abs=1e-12)
    assert found.ci_level == 0.95
    assert found.ci_method == f"cluster_bootstrap(posts=40;B={B};undefined=0;seed=3;sides=2)"


def test_shares_and_auroc_have_bounds_without_a_bootstrap_and_the_rest_has_none():
    rows = table(file(), tau_neg=0.3, tau_pos=0.7)
    with_bounds = set(rows[rows["ci_method"].str.startswith(("korn", "strict"))]["metric"])
    assert with_bounds == {
        "sensitivity",
        "specificity",
        "false_positive_rate",
        "precision",
        "npv",
        "screening_sensitivity",
        "screening_fn_per_1000",
        "alert_precision",
        "alert_recall",
        "neg_npv",
    }
    assert set(rows[rows["ci_method"].str.startswith("delong")]["metric"]) == {"auroc"}
    assert not one(rows, "auprc").ci_method


def test_auroc_has_delongs_interval_which_stands_beside_that_of_a_bootstrap():
    data = read(file())
    interval = delong(data.queries.score, data.queries.has_evidence).interval()
    alone = one(table(file()), "auroc")
    assert (alone.ci_low, alone.ci_high) == (
        pytest.approx(float(interval.low[0]), abs=1e-12),
        pytest.approx(float(interval.high[0]), abs=1e-12),
    )
    assert alone.ci_method == "delong(rows=120;sides=2;independence_assumed)"
    beside = one(table(file(), bootstrap=B), "auroc")
    assert beside.ci_method.startswith("cluster_bootstrap(")
    assert beside.note == (
        "DeLong, which takes rows as independent: "
        f"{bound(alone.ci_low, is_low=True)} to {bound(alone.ci_high, is_low=False)} (95 %)"
    )


def test_auroc_of_classes_that_lie_apart_or_of_one_positive_has_no_interval_by_delong():
    header = "post_id,has_evidence,probability\n"
    for text in ("p1,0,0.1\np2,0,0.2\np3,1,0.8\np4,1,0.9\n", "p1,0,0.1\np2,0,0.5\np3,1,0.3\n"):
        found = one(table(header + text), "auroc")
        assert math.isnan(found.ci_low)
        assert (found.ci_method, found.note) == ("", "")


@pytest.mark.parametrize("every", [1, 2])
def test_bounds_of_a_share_rest_on_its_own_cases(every):
    """With every row, of which posts hold three, and with the two of a post that leave Korn–Graubard."""
    lines = file().splitlines()
    kept = [line for at, line in enumerate(lines) if at == 0 or every == 1 or at % 3]
    data = read("\n".join(kept))
    rows = evaluate(data, tau_neg=0.4, tau_pos=0.7).table
    queries = data.queries
    skipped, alerted, label = queries.score < 0.4, queries.score >= 0.7, queries.has_evidence
    everything = np.ones(len(label), bool)
    per_1000 = 1000 * label.sum()
    correlation = ScoreCorrelation.of(queries.score[label], queries.post[label])
    expected = {
        ("screening_sensitivity", "default"): (~skipped, label, 1, "above"),
        ("screening_fn_per_1000", "default"): (skipped, label, per_1000 / len(label), "below"),
        ("screening_fn_per_1000", "per_1000_positives"): (skipped, label, 1000, "below"),
        ("alert_precision", "default"): (label, alerted, 1, None),
        ("alert_recall", "default"): (alerted, label, 1, "above"),
        ("neg_npv", "default"): (~label, skipped, 1, None),
    }
    assert everything.sum() > label.sum() > (skipped & label).sum() > 0
    methods = set()
    for (metric, variant), (success, case, scale, succeed) in expected.items():
        found = one(rows, metric, variant=variant)
        share = (success & case).sum() / case.sum()
        assert found.value == pytest.approx(scale * share)
        rho = 1.0 if succeed is None else correlation.of_share((success & case).sum(), case.sum(), succeed)
        interval = share_interval(ClusterSums.from_rows(success, case, queries.post, 40, correlation=rho))
        assert found.ci_low == pytest.approx(scale * float(interval.low))
        assert found.ci_high == pytest.approx(scale * float(interval.high))
        assert found.ci_method == ci_method(interval, sides=2)
        assert found.ci_low <= found.value <= found.ci_high
        methods.add(interval.method)
    assert "korn_graubard" in methods or every == 1


def test_missed_per_1000_allows_no_more_than_the_sensitivity_beside_it():
    rows = table(file(), tau_neg=0.4, tau_pos=0.7)
    prevalence = read(file()).queries.has_evidence.mean()
    kept, missed = one(rows, "screening_sensitivity"), one(rows, "screening_fn_per_1000", variant="default")
    assert missed.ci_high == pytest.approx(1000 * prevalence * (1 - kept.ci_low))
    assert missed.ci_low == pytest.approx(1000 * prevalence * (1 - kept.ci_high))


def test_mean_over_folds_is_cut_to_the_range_of_its_metric_and_says_so():
    """Folds of 1, 1, 1 and .5 have the t-interval .875 ± .4: no sensitivity is 1.27."""
    lines = ["post_id,fold,label,p"]
    for fold in range(4):
        for at in range(4):
            missed = fold == 3 and at < 2
            lines.append(f"s{fold}_{at},{fold},1,{0.1 if missed else 0.9}")
            lines.append(f"n{fold}_{at},{fold},0,0.1")
    rows = table("\n".join(lines))
    mean = one(rows, "sensitivity", params="threshold=0.5;rule=decision;stat=mean;over=folds")
    assert mean.value == 0.875
    assert mean.ci_high == 1
    assert mean.ci_low == pytest.approx(0.875 - stats.t.ppf(0.975, 3) * 0.25 / 2)
    assert mean.ci_method == "t(folds=4;sides=2;cut)"
    assert mean.note.endswith("the t-interval is cut to the range of the metric, 0 to 1")


def test_every_defined_interval_holds_its_ends_in_order_and_says_how_it_came_about():
    rows = table(file(), bootstrap=B, by=("criterion",))
    is_stated = (rows["ci_method"] != "") & ~rows["ci_method"].str.startswith("not_estimable")
    stated = rows[is_stated]
    assert len(stated) > 100
    assert (stated["ci_low"] <= stated["ci_high"]).all()
    assert stated[["ci_low", "ci_high", "ci_level"]].notna().all().all()
    silent = rows[~is_stated]
    assert silent[["ci_low", "ci_high", "ci_level"]].isna().all().all()


def test_order_of_rows_and_columns_changes_no_interval():
    columns = ["p", "label", "fold", "criterion_id", "post_id"]
    other = file(order=np.random.default_rng(1), columns=columns)
    how = {"bootstrap": B, "by": ("criterion",)}
    pd.testing.assert_frame_equal(
        table(file(), **how)[["metric", "params", "group", "ci_low", "ci_high", "ci_method"]],
        table(other, **how)[["metric", "params", "group", "ci_low", "ci_high", "ci_method"]],
        rtol=1e-12,
    )


def test_same_seed_same_intervals_and_another_seed_others():
    first, again, other = (one(table(file(), bootstrap=B, seed=seed), "auprc") for seed in (1, 1, 2))
    assert (first.ci_low, first.ci_high) == (again.ci_low, again.ci_high)
    assert (first.ci_low, first.ci_high) != (other.ci_low, other.ci_high)


def test_group_is_drawn_with_the_weights_of_the_whole():
    by = table(file(), bootstrap=B, by=("criterion",))
    alone = "\n".join(line for i, line in enumerate(file().splitlines()) if i == 0 or ",A.2," in line)
    of_group, of_file = one(by, "brier", group="A.2"), one(table(alone, bootstrap=B), "brier")
    assert of_group.ci_low == pytest.approx(of_file.ci_low, abs=1e-12)


def test_posts_are_drawn_unless_another_column_is_named():
    rows = table(file(), bootstrap=B, cluster="fold")
    assert one(rows, "auroc").ci_method.startswith("cluster_bootstrap(fold=4;")
    without_posts = "label,p\n" + "\n".join(f"{i % 2},{i / 100}" for i in range(40))
    assert one(table(without_posts, bootstrap=B), "auroc").ci_method.startswith("cluster_bootstrap(rows=40;")


def test_replicates_without_a_class_are_counted():
    few = "post_id,label,p\na,1,0.9\nb,0,0.1\nc,0,0.3\n"
    method = one(table(few, bootstrap=B), "auroc").ci_method
    n_undefined = int(method.split("undefined=")[1].split(";")[0])
    weights = poisson_weights(["a", "b", "c"], seed=0, start=0, stop=B)
    assert n_undefined == int(((weights[:, 0] == 0) | (weights[:, 1:].sum(axis=1) == 0)).sum()) > 0


def test_mean_over_folds_has_the_t_interval_of_the_sample_spread():
    rows = table(file())
    mean = one(rows, "brier", params="stat=mean;over=folds")
    folds = table(file(), by=("fold",))
    values = folds[(folds["metric"] == "brier") & (folds["group_by"] == "fold")]["value"]
    low, high = stats.t.interval(0.95, 3, values.mean(), values.std(ddof=1) / math.sqrt(4))
    assert (mean.ci_low, mean.ci_high) == (pytest.approx(low), pytest.approx(high))
    assert mean.ci_method == "t(folds=4;sides=2)"


@pytest.mark.parametrize("wrong", [{"bootstrap": -1}, {"bootstrap": 99}, {"bootstrap": 2.5}, {"seed": -1}])
def test_numbers_of_replicates_and_seeds_out_of_range_are_refused(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        table(file(), **wrong)


def test_unknown_cluster_is_refused_with_what_there_is():
    with pytest.raises(InputError, match="cluster = nix, expected one of post, criterion, fold"):
        table(file(), cluster="nix")


def test_a_statistic_that_is_alike_in_every_replicate_has_a_reason_and_no_interval():
    perfect = "post_id,label,p\n" + "\n".join(f"s{i},{i % 2},{0.8 if i % 2 else 0.1}" for i in range(40))
    found = one(table(perfect, bootstrap=B), "auroc")
    assert found.value == 1
    assert found[["ci_low", "ci_high", "ci_level"]].isna().all()
    assert found.ci_method.startswith(f"not_estimable(alike_in_replicates;posts=40;B={B};undefined=")
    assert one(table(file(), bootstrap=B), "auroc").ci_method.startswith("cluster_bootstrap(")


def test_folds_that_agree_have_no_t_interval():
    same = "post_id,fold,label,p\n" + "\n".join(f"s{i},{i % 2},{i // 2 % 2},0.5" for i in range(40))
    mean = one(table(same), "brier", params="stat=mean;over=folds")
    assert mean.value == 0.25
    assert math.isnan(mean.ci_low)
    assert mean.ci_method == "not_estimable(alike_in_folds;folds=2)"


@pytest.mark.parametrize("metric", ["ici", "e50", "e90"])
def test_distances_to_a_smoothed_curve_say_why_they_have_no_interval(metric):
    found = one(table(file(), bootstrap=B), metric)
    assert math.isnan(found.ci_low)
    assert found.ci_method == "not_estimable(a_refitted_curve_widens_the_distance)"
    assert not one(table(file()), metric).ci_method


def test_a_refitted_curve_widens_the_distance():
    """Why ICI has no percentile interval: most replicates lie above the value of all rows."""
    rows = ScoredRows.from_queries(read(file()).queries)
    weights = poisson_weights([f"p{i}" for i in range(40)], seed=0, start=0, stop=60).astype(np.int64)
    value = ici(ScoreTable.from_rows(rows))
    again = [ici(ScoreTable.from_rows(rows, weight[rows.post])) for weight in weights]
    assert np.mean(np.array(again) > value) > 0.6


@pytest.mark.parametrize("variant", ["micro", "macro", "weighted"])
def test_interval_of_f1_over_labels_is_the_percentile_over_repeated_posts(variant):
    data = read(file())
    rows = evaluate(data, bootstrap=B, seed=3).table
    matrix = LabelMatrix.from_queries(data.queries)
    weights = poisson_weights(data.queries.post_ids, seed=3, start=0, stop=B)
    repeated = [np.repeat(np.arange(40), drawn) for drawn in weights]
    for name, params in (("f1", {"variant": variant}), ("exact_match", {})):
        metric = METRICS[f"multilabel.{name}"]
        values = [
            getattr(found, "value", found) for at in repeated if (found := metric(matrix.take(at), **params))
        ]
        found = one(rows, name, variant=params.get("variant", "default"), family="multilabel")
        low, high = np.quantile(values, [0.025, 0.975])
        assert found.ci_low == pytest.approx(low, abs=1e-12)
        assert found.ci_high == pytest.approx(high, abs=1e-12)


def test_a_table_that_lacks_the_cluster_column_is_named_in_a_warning():
    lists = "post_id,criterion_id,gold_ids,mine_topk,ward\n"
    rows = [f"p{i},A.{c},p{i}_1,p{i}_0|p{i}_1|p{i}_2,w{i % 5}\n" for i in range(40) for c in (1, 2, 3)]
    both = load([upload(file()), upload(lists + "".join(rows), "ranked_lists.csv")])
    report = evaluate(both, bootstrap=B, cluster="ward")
    (warning,) = [problem for problem in report.warnings if problem.code == "OPT-009"]
    assert (warning.found, warning.column) == ("queries without the column 'ward' to draw by", "ward")
    assert "draw posts instead" in warning.remedy
    assert not [
        problem for problem in evaluate(read(file()), cluster="fold").warnings if problem.code == "OPT-009"
    ]
