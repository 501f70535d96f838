"""The second implementations: each metric has one, they share nothing with the first, and both agree."""

import ast
import importlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.nonparametric.smoothers_lowess import lowess

from evalcore import catalog
from evalcore.crosscheck import calibration as second_calibration
from evalcore.crosscheck.compare import relative_deviation
from evalcore.crosscheck.extraction import Selected, selected_k
from evalcore.crosscheck.multilabel import Row
from evalcore.kernels.policy import Policy
from evalcore.kernels.selection import select
from evalcore.spec import METRICS, PerQuery
from evalcore.tallies.decisions import confusion_at, states_at, states_by_row
from evalcore.tallies.labels import LabelMatrix
from evalcore.tallies.ranked import RankedQueries
from evalcore.tallies.scores import ScoredRows, ScoreTable
from evalcore.tallies.selections import ScoredLists, Selections
from tests.support.crosschecked import SECOND, keys, number
from tests.support.made.evidence import make_queries
from tests.support.made.rankings import rankings_of

for module in (*catalog.MODULES, "extraction", "multilabel"):
    importlib.import_module(f"evalcore.metrics.{module}")


ROOT = Path(__file__).resolve().parents[2]
PROBABILITY = st.one_of(st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.7, 1.0]), st.floats(0, 1, width=32))
SCORED = st.lists(st.tuples(PROBABILITY, st.booleans()), max_size=14)
KS = (1, 2, 5, None)


few_examples = settings(max_examples=60, deadline=None)


def variants(key):
    """The variants of a metric as arguments."""
    return [{"variant": name} for name in METRICS[key].variants] or [{}]


def assert_alike(key, first, second, tolerance=1e-9):
    assert relative_deviation(first, second) <= tolerance or abs(first - second) <= tolerance, (
        key,
        first,
        second,
    )


def table_of(rows):
    """The table of (score, label) rows."""
    score, label = np.array([row[0] for row in rows], float), np.array([row[1] for row in rows], bool)
    return ScoreTable.from_rows(ScoredRows(score, label, np.arange(len(rows)), len(rows)))


def columns(rows):
    return [row[0] for row in rows], [row[1] for row in rows]


def test_every_metric_has_a_second_implementation():
    assert sorted(METRICS) == sorted(SECOND)


def test_second_implementations_share_no_code_with_the_first():
    for file in (ROOT / "evalcore" / "crosscheck").glob("*.py"):
        modules = {
            node.module or ""
            for node in ast.walk(ast.parse(file.read_text()))
            if isinstance(node, ast.ImportFrom)
        }
        own = {name for name in modules if name.startswith("evalcore")}
        tables = ("evalcore.data", "evalcore.recommendations")
        assert all(name.startswith(("evalcore.crosscheck", *tables)) for name in own), file.name


@few_examples
@given(SCORED)
def test_classification_over_all_thresholds(rows):
    table = table_of(rows)
    for key in ("auroc", "auprc", "pair_auroc", "pair_auprc"):
        key = f"classification.{key}"
        assert_alike(key, number(METRICS[key](table)), SECOND[key](*columns(rows)))
    key = "classification.tpr_at_fpr"
    for params in [{**variant, "fpr": fpr} for variant in variants(key) for fpr in (0.0, 0.05, 0.3, 1.0)]:
        assert_alike(key, number(METRICS[key](table, **params)), SECOND[key](*columns(rows), **params))


@few_examples
@given(SCORED, st.sampled_from([0.0, 0.3, 0.5, 1.0]))
def test_classification_at_a_threshold(rows, threshold):
    counts = confusion_at(table_of(rows), threshold)
    for key in keys("classification"):
        if METRICS[key].tally == "Confusion":
            second = SECOND[key](*columns(rows), threshold=threshold)
            assert_alike(key, number(METRICS[key](counts)), second)


@few_examples
@given(SCORED, st.sampled_from([(0.0, 1.0), (0.1, 0.7), (0.3, 0.3)]))
def test_gate(rows, pair):
    scores, labels = columns(rows)
    own = [np.full(len(rows), tau) for tau in pair]
    of_table = states_at(table_of(rows), *pair)
    of_rows = states_by_row(np.array(scores, float), np.array(labels, bool), *own)
    for key in keys("gate"):
        for variant in variants(key):
            low, high = pair
            second = SECOND[key](scores, labels, tau_neg=low, tau_pos=high, **variant)
            by_row = {"tau_neg": own[0].tolist(), "tau_pos": own[1].tolist()}
            assert_alike(key, number(METRICS[key](of_table, **variant)), second)
            assert_alike(
                key,
                number(METRICS[key](of_rows, **variant)),
                SECOND[key](scores, labels, **by_row, **variant),
            )


@few_examples
@given(SCORED)
def test_calibration_by_bins_and_losses(rows):
    table = table_of(rows)
    for name in ("ece", "mce", "brier", "brier_skill", "log_loss"):
        key = f"calibration.{name}"
        for variant in variants(key):
            assert_alike(key, number(METRICS[key](table, **variant)), SECOND[key](*columns(rows), **variant))


@pytest.mark.parametrize("seed", range(6))
def test_calibration_by_fits(seed):
    rng = np.random.default_rng(seed)
    score = np.clip(rng.beta(0.5, 2, 400).round(rng.integers(1, 4)), 0, 1)
    rows = list(zip(score.tolist(), (rng.random(400) < score**1.5).tolist(), strict=True))
    for name in ("calibration_intercept", "calibration_slope", "ici", "e50", "e90"):
        key = f"calibration.{name}"
        assert_alike(key, number(METRICS[key](table_of(rows))), SECOND[key](*columns(rows)), 1e-8)


@few_examples
@given(st.lists(st.tuples(st.sampled_from([0.0, 0.1, 0.4, 0.8, 1.0]), st.booleans()), max_size=14))
def test_calibration_by_fits_on_a_few_rows(rows):
    for name in ("calibration_intercept", "calibration_slope", "ici", "e50", "e90"):
        key = f"calibration.{name}"
        assert_alike(key, number(METRICS[key](table_of(rows))), SECOND[key](*columns(rows)), 1e-6)


def test_smoothed_rate_is_that_of_statsmodels():
    rng = np.random.default_rng(2)
    score = rng.random(200)
    label = rng.random(200) < score
    distances = np.abs(score - lowess(label, score, frac=0.75, it=0, delta=0, return_sorted=False))
    args = score.tolist(), label.tolist()
    assert second_calibration.ici(*args) == pytest.approx(distances.mean(), abs=1e-9)
    assert second_calibration.e90(*args) == pytest.approx(np.quantile(distances, 0.9), abs=1e-9)


def test_more_distinct_scores_than_points_are_interpolated(monkeypatch):
    rng = np.random.default_rng(3)
    score = rng.random(300)
    args = score.tolist(), (rng.random(300) < score).tolist()
    exact = second_calibration.ici(*args)
    second_calibration._distances_of.cache_clear()
    monkeypatch.setattr(second_calibration, "FEWEST_POINTS", 60)
    monkeypatch.setattr(second_calibration, "CELLS", 0)
    assert second_calibration.ici(*args) == pytest.approx(exact, rel=1e-2)


ITEMS = "abcdefg"
QUERIES = st.lists(
    st.tuples(
        st.dictionaries(st.sampled_from(ITEMS), st.integers(1, 3), max_size=3),
        st.dictionaries(st.sampled_from(ITEMS), st.sampled_from([-1.0, 0.0, 0.5]), max_size=6),
    ),
    max_size=4,
)


@few_examples
@given(QUERIES, st.sampled_from(["trec", "stable", "expected"]))
def test_ranking(queries, ties):
    gold = {f"q{at}": graded for at, (graded, _) in enumerate(queries)}
    rows = [
        (f"q{at}", item, score) for at, (_, scored) in enumerate(queries) for item, score in scored.items()
    ]
    tally = RankedQueries.from_rankings(rankings_of(gold, rows), "model", ties=ties)
    plain = [(graded, list(scored.items())) for graded, scored in queries]
    members = {"positives_only": tally.n_gold > 0, "all_queries": np.ones(len(tally), bool)}
    for key in keys("ranking"):
        for params in [{**variant, "k": k} for variant in variants(key) for k in KS]:
            result = METRICS[key](tally, **params)
            for population, mask in members.items():
                second = SECOND[key](plain, ties=ties, population=population, **params)
                assert_alike(key, number(result, mask), second)


SELECTED = st.lists(
    st.tuples(
        st.sets(st.sampled_from(ITEMS), max_size=3),
        st.sets(st.sampled_from(ITEMS), max_size=5),
        st.booleans(),
    ),
    max_size=6,
)


@few_examples
@given(SELECTED)
def test_extraction(queries):
    counts = [(len(ids), len(gold & ids), len(gold)) for gold, ids, _ in queries]
    passed = np.array([let_through for *_, let_through in queries], bool)
    n_selected, n_hits, n_gold = np.array(counts, np.int64).reshape(-1, 3).T
    tally = Selections(n_selected, n_hits, n_gold, None, passed)
    members = {
        "positives_only": n_gold > 0,
        "negatives_only": n_gold == 0,
        "all_queries": np.ones(len(queries), bool),
    }
    plain = [Selected(frozenset(gold), frozenset(ids), let_through) for gold, ids, let_through in queries]
    for key in keys("extraction"):
        for variant in variants(key):
            for population in METRICS[key].population:
                mask = members[population]
                first = METRICS[key](tally, **variant)
                if not isinstance(first, PerQuery):
                    first = METRICS[key](tally.where(mask), **variant)
                second = SECOND[key](plain, population=population, **variant)
                assert_alike(key, number(first, mask), second)


@few_examples
@given(
    st.lists(st.lists(st.sampled_from([-2.0, -0.5, 0.0, 0.2, 0.9, 3.0]), max_size=9), max_size=4),
    st.sampled_from(
        [
            Policy("fixed", k=3),
            Policy("threshold", threshold=0.2, k_min=0),
            Policy("mass", gamma=0.8, ratio=1),
            Policy("mass", gamma=0.5, temperature=0.3, rounding="ceil"),
            Policy("combined", gamma=0.9, threshold=-0.5, ratio=0.7),
        ]
    ),
)
def test_policies(scores, policy):
    descending = [sorted(of_one, reverse=True) for of_one in scores]
    rows = [(f"q{at}", f"s{n}", s) for at, of_one in enumerate(descending) for n, s in enumerate(of_one)]
    lists = ScoredLists.from_rankings(rankings_of({f"q{at}": {} for at in range(len(scores))}, rows), "model")
    params = policy.params(lists.scale)
    ks = [selected_k(of_one, is_probability=lists.scale == "probability", **params) for of_one in descending]
    assert select(lists, policy).n_selected.tolist() == ks


@few_examples
@given(
    st.dictionaries(
        st.tuples(st.sampled_from("pqr"), st.sampled_from(["A.1", "A.2", "A.10"])),
        st.tuples(st.booleans(), st.sampled_from([0.1, 0.5, 0.9])),
        max_size=9,
    ),
    st.sampled_from([0.1, 0.5, 0.95]),
)
def test_multilabel(cells, threshold):
    plain = [Row(*name, *cell) for name, cell in cells.items()]
    posts, criteria, labels, scores = (
        (list(column) for column in zip(*plain, strict=True)) if plain else ([],) * 4
    )
    matrix = LabelMatrix.from_queries(make_queries(labels, scores, posts=posts, criteria=criteria), threshold)
    for key in keys("multilabel"):
        for variant in variants(key):
            second = SECOND[key](plain, threshold=threshold, **variant)
            assert_alike(key, number(METRICS[key](matrix, **variant)), second)
