"""Replicates of every metric: the fast ways give what the metric gives on repeated units."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

from evalcore import evaluate, load, spec
from evalcore.catalog import METRICS
from evalcore.data import Data
from evalcore.drawn.replicates import Resampling
from evalcore.drawn.swaps import Swaps
from evalcore.evaluation.intervals.replicates import GroupReplicates
from evalcore.evaluation.values import of_tally
from evalcore.spec import PerQuery, Ratio, Undefined, metric
from evalcore.tallies.decisions import Confusion, StateCounts
from evalcore.tallies.labels import LabelMatrix
from evalcore.tallies.ranked import RankedQueries
from evalcore.tallies.scores import PairTable, ScoreTable
from evalcore.tallies.selections import Selections
from tests.support.but_long import but_long

SUMS_ONLY = ("Confusion", "StateCounts")
SOLVED = ("calibration.calibration_intercept", "calibration.calibration_slope")
"""Found by Newton steps, which stop at the last digits; classes nearly apart lose some more."""

N_REPLICATES = 100  # the fewest that are allowed
N_HELD = 6  # replicates computed by the definition
CRITERIA = ("A.1", "A.2", "A.3")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """24 posts, three criteria, scores with ties, thresholds and selections, lists with ties and gaps."""
    rng = np.random.default_rng(11)
    place = tmp_path_factory.mktemp("drawn")
    queries, lists = ["post_id,criterion_id,site,has_evidence,probability,selected_k,tau_neg,tau_pos"], []
    for post in range(24):
        for criterion in CRITERIA:
            label = int(rng.random() < 0.35)
            p = round(float(np.clip(rng.beta(2, 4) + 0.3 * label, 0, 1)), 2)
            queries.append(f"s{post},{criterion},site{post % 3},{label},{p},{rng.integers(0, 4)},0.2,0.6")
            found = rng.permutation(6)[: rng.integers(1, 6)]
            gold = set(rng.permutation(6)[:2].tolist()) if label else set()
            lists += [
                f"s{post},{criterion},site{post % 3},c{at},{round(rng.random(), 1)},{int(at in gold)}"
                for at in found
            ]
    (place / "queries.csv").write_text("\n".join(queries))
    header = "post_id,criterion_id,site,sent_uid,score,is_gold"
    (place / "candidates.csv").write_text("\n".join([header, *lists]))
    return place


@pytest.fixture(scope="module")
def data(folder) -> Data:
    return load([folder / "queries.csv"], candidates=folder / "candidates.csv")


def held_to_the_definition(monkeypatch) -> dict[str, float]:
    """Every replicate of the next evaluations beside the definition's: metric key → largest distance."""
    farthest: dict[str, float] = {}
    fast = GroupReplicates.of

    def both(self, asked):
        found = fast(self, asked)
        drawn = self.resampling
        if isinstance(drawn, Swaps):
            few = replace(self, resampling=Swaps(drawn.swapped[:, : N_HELD // 2]))
        else:
            few = replace(self, resampling=Resampling(drawn.drawn[:N_HELD], drawn.seed))
        for at, expected in few.one_at_a_time({at: asked[at] for at in found}).items():
            held = found[at][:N_HELD]
            assert (np.isnan(held) == np.isnan(expected)).all(), asked[at].metric.key
            gap = np.nanmax(np.abs(held - expected) / np.maximum(1, np.abs(expected)), initial=0.0)
            key = asked[at].metric.key
            farthest[key] = max(farthest.get(key, 0.0), float(gap))
            if asked[at].metric.tally in SUMS_ONLY:
                assert gap == 0, key
        return found

    monkeypatch.setattr(GroupReplicates, "of", both)
    return farthest


EVALUATED = {
    "a pair for all": {"tau_neg": 0.15, "tau_pos": 0.5, "by": ("criterion", "site")},
    "the file's pair": {"by": ("site",)},
    "drawn by site": {"cluster": "site", "by": ("criterion",)},
    "any order of ties": {"ties": "expected"},
}


@pytest.mark.parametrize("options", but_long(EVALUATED.values(), 2), ids=EVALUATED)
def test_every_fast_way_equals_one_replicate_at_a_time(monkeypatch, data, options):
    farthest = held_to_the_definition(monkeypatch)
    report = evaluate(data, bootstrap=N_REPLICATES, seed=5, **options)
    assert all(gap < (1e-9 if key in SOLVED else 1e-12) for key, gap in farthest.items())
    defined = report.table.dropna(subset="value")
    evaluated = set(defined.family + "." + defined.metric)
    assert evaluated - set(farthest) <= {
        key for key in evaluated if METRICS[key].cases or METRICS[key].no_interval
    }


@pytest.mark.parametrize("own", ["0.2", "0.3"])
def test_thresholds_a_row_have_the_definitions_replicates(monkeypatch, folder, tmp_path, own):
    lines = (folder / "queries.csv").read_text().splitlines()
    lines[1] = lines[1].replace(",0.2,0.6", f",{own}1,0.6")
    (tmp_path / "queries.csv").write_text("\n".join(lines))
    farthest = held_to_the_definition(monkeypatch)
    evaluate(load([tmp_path / "queries.csv"]), bootstrap=N_REPLICATES, by=("site",))
    assert any(METRICS[key].tally == "StateCounts" for key in farthest)


def test_a_wrong_fast_way_is_seen(monkeypatch, data):
    auroc = METRICS["classification.auroc"]
    wrong = replace(auroc, drawn=replace(auroc.drawn, function=lambda ranks: ranks.total_pos))
    with declared_as(wrong):
        farthest = held_to_the_definition(monkeypatch)
        evaluate(data, bootstrap=N_REPLICATES)
    assert farthest["classification.auroc"] > 1


@contextmanager
def declared_as(*metrics) -> Iterator[None]:
    """The metrics among the declared ones, for the block."""
    before = dict(METRICS)
    METRICS.update({one.key: one for one in metrics})
    of_tally.cache_clear()
    try:
        yield
    finally:
        METRICS.clear()
        METRICS.update(before)
        of_tally.cache_clear()


def unprepared():
    """A metric of each kind of tally that nobody has heard of, none of them additive."""
    facts = {
        "family": "classification", "label": "Thrown away", "formula": "?", "bounds": (-math.inf, math.inf),
        "undefined": (Undefined(lambda _: False, "never"),), "better": "neither", "source": "a test",
    }  # fmt: skip

    def spread_of_scores(table: ScoreTable):
        """How many distinct scores."""
        return float(len(table.score))

    def spread_of_pairs(table: PairTable):
        """The median place of a positive pair."""
        return float(np.median(np.repeat(table.score, table.n_pos))) if table.n_pos.any() else math.nan

    def oddity(counts: Confusion):
        """An odds ratio."""
        return (
            (1 + counts.true_pos) * (1 + counts.true_neg) / ((1 + counts.false_pos) * (1 + counts.false_neg))
        )

    def balance(counts: StateCounts):
        """Alerts to skipped."""
        return Ratio(counts.n_pos, counts.n_neg)

    def distinct_ranks(queries: RankedQueries):
        """How many ranks hold a gold."""
        return float(len(np.unique(queries.rank)))

    def first_rank(queries: RankedQueries):
        """The mean rank of the first gold."""
        return PerQuery(np.where(queries.n_gold > 0, queries.n_ranked, math.nan).astype(float))

    def distinct_k(selections: Selections):
        """How many numbers selected there are."""
        return float(len(np.unique(selections.n_selected)))

    def busiest(matrix: LabelMatrix):
        """The largest number of calls of a post."""
        return float(matrix.called.sum(axis=1).max(initial=0))

    functions = (spread_of_scores, spread_of_pairs, oddity, balance, distinct_ranks, distinct_k, busiest)
    populations = {spread_of_pairs: "all_pairs", busiest: "all_posts"}
    populations = {one: populations.get(one, "all_queries") for one in functions}
    populations[first_rank] = ("all_queries", "positives_only")
    before = set(spec.METRICS)
    for function, population in populations.items():
        metric(population=population, **facts)(function)
    found = [spec.METRICS.pop(key) for key in list(spec.METRICS) if key not in before]
    assert len(found) == len(populations)
    return found


def test_a_metric_nobody_prepared_for_has_values_intervals_and_means(monkeypatch, data):
    metrics = unprepared()
    with declared_as(*metrics):
        held_to_the_definition(monkeypatch)
        report = evaluate(data, bootstrap=N_REPLICATES, by=("criterion", "site"), tau_neg=0.15, tau_pos=0.5)
    names = {one.name for one in metrics}
    assert names
    table = report.table[report.table.metric.isin(names)]
    assert set(table.metric) == names
    table = table[table.group_by.isin(("", "criterion", "site", "criterion;site"))]
    for name in names:
        own = table[(table.metric == name) & (~table.params.str.contains("stat="))]
        assert set(own.group_by) == {"", "criterion", "site", "criterion;site"}
        assert own[own.group_by == ""].value.notna().all()
        assert (own[own.value.notna()].ci_method != "").all(), name
        has_interval = own.ci_method.str.startswith("cluster_bootstrap")
        assert has_interval.any() or own.ci_method.str.contains("alike_in_replicates").all()
    means = table[table.params.str.contains("stat=mean") & ~table.params.str.contains("over=fold")]
    assert set(means.metric) == names
    assert (means.ci_method != "").all()
