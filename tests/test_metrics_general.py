"""What holds for every declared metric, driven by the declarations: a new metric needs no line here.

Within its bounds or NaN with a declared reason; NaN in every declared case; blind to the order of rows; equal
for a group and for the group's rows alone; equal for data merged from parts; over replicates as one by one.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalcore.annotations import LABELS
from evalcore.catalog import METRICS
from evalcore.evaluation import Options, evaluate
from evalcore.evaluation.values import grid, measure
from evalcore.spec import Metric, Ratio, Undefined
from evalcore.tallies.decisions import Confusion, StateCounts, confusion_at, states_at
from evalcore.tallies.judgements import JudgedAnswers, JudgedChunks, Panels, panels_at
from evalcore.tallies.labels import LabelMatrix
from evalcore.tallies.ranked import RankedQueries
from evalcore.tallies.scores import PairTable, ScoredRows, ScoreTable
from evalcore.tallies.selections import Selections
from tests.evidence import make_data, make_queries, make_rankings

OPTIONS = Options(ks=(1, 3), fprs=(0.0, 0.05, 1.0))
PROBABILITIES = st.one_of(
    st.sampled_from([0.0, 0.1, 0.3, 0.30000000000000004, 0.5, 0.7, 1.0]), st.floats(0, 1, width=32)
)
SCORED = st.lists(st.tuples(PROBABILITIES, st.booleans()), max_size=12)
ITEMS = st.sampled_from("abcdef")
RANKED = st.lists(
    st.tuples(
        st.dictionaries(ITEMS, st.integers(1, 2), max_size=3),
        st.dictionaries(ITEMS, st.sampled_from([-1.0, 0.0, 0.5]), max_size=5),
    ),
    max_size=5,
)
SELECTED = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 5), st.booleans()).map(
        lambda row: (row[0], min(row[:3]), row[2], row[3])
    ),
    max_size=8,
)
POSTS = st.lists(
    st.lists(st.sampled_from([None, (0, 0), (0, 1), (1, 0), (1, 1)]), min_size=3, max_size=3).filter(any),
    max_size=6,
)
SAID = st.sampled_from([1, 1, 0, 0, -1, -2])
JUDGED = st.lists(
    st.tuples(st.sampled_from([-1, 0, 2, 3]), st.lists(st.tuples(SAID, SAID, SAID), max_size=4)), max_size=5
)
ANSWERS = st.lists(st.tuples(*[SAID] * 10), max_size=6)
UNTRIED = {"the fit does not converge"}  # no small table is known that overlaps and does not converge

Rows = list[Any]
Values = dict[str, tuple[float, int, str]]


def score_table(rows: Rows) -> ScoreTable:
    """The table of (score, label) rows."""
    scores, labels = np.array([row[0] for row in rows], float), np.array([row[1] for row in rows], bool)
    return ScoreTable.from_rows(ScoredRows(scores, labels, np.arange(len(rows)), len(rows)))


def pair_table(rows: Rows) -> PairTable:
    """The same as a table of pairs."""
    table = score_table(rows)
    return PairTable(table.score, table.n_pos, table.n_neg)


def ranked(rows: Rows) -> RankedQueries:
    """The queries of (gold with grades, candidates with scores) rows."""
    rankings = make_rankings([list(gold) for gold, _ in rows], [list(scored.items()) for _, scored in rows])
    grades = [grade for gold, _ in rows for grade in gold.values()]
    return RankedQueries.from_rankings(replace(rankings, gold_grade=np.array(grades, np.int64)), "reranked")


def selected(rows: Rows) -> Selections:
    """The selections of (n_selected, n_hits, n_gold, passed) rows."""
    n_selected, n_hits, n_gold = np.array([row[:3] for row in rows], np.int64).reshape(-1, 3).T
    passed = np.array([row[3] for row in rows], bool)
    return Selections(n_selected, n_hits, n_gold, n_selected + 1, passed)


def label_matrix(rows: Rows) -> LabelMatrix:
    """The matrix of posts, each a list of three cells: None or (label, call)."""
    label, called, present = np.zeros((3, len(rows), 3), bool)
    for post, cells in enumerate(rows):
        for criterion, cell in enumerate(cells):
            if cell is not None:
                present[post, criterion] = True
                label[post, criterion], called[post, criterion] = cell
    return LabelMatrix(label, called, present, ("A.1", "A.2", "A.3"))


def panels(rows: Rows, labels: tuple[str, ...] = LABELS["retrieval"]) -> Panels:
    """The panels, cut at 3, of (n_listed, states of each chunk in the order of its rank) rows."""
    states = np.array([state for _, chunks in rows for state in chunks], np.int8).reshape(-1, 3)
    n = [len(chunks) for _, chunks in rows]
    rank = np.array([at + 1 for length in n for at in range(length)], np.int64)
    n_listed = np.array(
        [max(length, known) if known else length for length, (known, _) in zip(n, rows, strict=True)]
    )
    query = np.repeat(np.arange(len(rows)), n)
    said = {name: states[:, at] for at, name in enumerate(LABELS["retrieval"]) if name in labels}
    everyone = np.ones(len(rank), bool)
    record, chunk = np.arange(len(rows)), np.arange(len(rank))
    return panels_at(JudgedChunks(record, n_listed.astype(np.int64), query, chunk, rank, everyone, said), 3)


def answers(rows: Rows, leave_out: str = "") -> JudgedAnswers:
    """Answers with the states of the ten labels."""
    states = np.array(rows, np.int8).reshape(-1, 10)
    names = (*LABELS["grounding"], *LABELS["generation"])
    said = {name: states[:, at] for at, name in enumerate(names) if name != leave_out}
    return JudgedAnswers(np.arange(len(rows)), said)


def summed(first: Any, second: Any) -> Any:
    """Counts of two parts added; a threshold is the same in both."""
    counts = [field.name for field in fields(first) if field.name != "threshold"]
    return replace(first, **{name: getattr(first, name) + getattr(second, name) for name in counts})


TALLY: dict[str, Callable[[Rows], Any]] = {
    "ScoreTable": score_table,
    "PairTable": pair_table,
    "Confusion": lambda rows: confusion_at(score_table(rows), 0.3),
    "StateCounts": lambda rows: states_at(score_table(rows), 0.1, 0.7),
    "RankedQueries": ranked,
    "Selections": selected,
    "LabelMatrix": label_matrix,
    "Panels": panels,
    "JudgedAnswers": answers,
}
MERGE: dict[type, Callable[[Any, Any], Any]] = {
    ScoreTable: ScoreTable.merge,
    PairTable: ScoreTable.merge,
    Confusion: summed,
    StateCounts: summed,
    RankedQueries: RankedQueries.merge,
    Selections: Selections.merge,
    LabelMatrix: LabelMatrix.merge,
    Panels: Panels.merge,
    JudgedAnswers: JudgedAnswers.merge,
}
EDGES: dict[str, list[Any]] = {
    name: [TALLY[name](rows) for rows in ([], [(0.5, True)], [(0.5, False)], [(0.0, True), (1.0, False)])]
    + [TALLY[name](rows) for rows in ([(0.0, False), (1.0, True)], [(0.2, True)] * 2 + [(0.2, False)] * 2)]
    for name in ("ScoreTable", "PairTable", "Confusion", "StateCounts")
}
EDGES["Confusion"] += [confusion_at(score_table([(1.0, True), (0.2, False)]), 1.0)]
EDGES["Selections"] = [
    *(
        selected(rows)
        for rows in (
            [],
            [(2, 0, 0, True)],
            [(2, 1, 1, False)],
            [(0, 0, 1, True)],
            [(0, 0, 0, True)],
            [(1, 1, 1, False), (1, 0, 0, True)],
        )
    ),
    Selections(np.ones(1, np.int64), None, np.ones(1, np.int64), None, np.ones(1, bool)),
]
EDGES["LabelMatrix"] = [
    label_matrix(rows) for rows in ([], [[(0, 0)] * 3], [[(1, 1), None, None]], [[(0, 1), (0, 0), (0, 0)]])
]
EDGES["Panels"] = [
    panels([]),
    *(panels([(1, [(1, 1, 1)])], labels) for labels in (("evidence_sufficient",), ("topically_relevant",))),
    panels([(2, [(1, 1, 1)])]),
    panels([(1, [(-1, -2, -1)])]),
    panels([(0, [])]),
    panels([(1, [(0, 0, 0)])]),
]
EDGES["JudgedAnswers"] = [
    answers([]),
    *(answers([[1] * 10], name) for name in (*LABELS["grounding"], *LABELS["generation"])),
    answers([[-1] * 10]),
    answers([[-2] * 10]),
    answers([[0] * 10]),
    answers([[1, 1, 1, 1, -1, 1, 1, 1, 1, 1]]),
]
EDGES["RankedQueries"] = [ranked([]), ranked([({}, {"a": 0.5})]), ranked([({}, {}), ({}, {})])]


def settings_of(declared: Metric) -> list[dict[str, Any]]:
    """Every variant with every combination of parameters."""
    variants = [{"variant": variant} for variant in declared.variants] or [{}]
    return [{**variant, **params} for variant in variants for params in grid(declared, OPTIONS)]


def every_value(declared: Metric, tally: Any) -> list[Values]:
    """What the metric says in each of its settings."""
    return [by_population(declared, tally, given) for given in settings_of(declared)]


def by_population(declared: Metric, tally: Any, given: Mapping[str, Any]) -> Values:
    """What the metric says in one setting: population → (value, n, note)."""
    measured = measure(declared, tally, given)
    return {population: (value, n, note) for population, _, value, n, note in measured}


def assert_in_bounds_or_reasoned(declared: Metric, tally: Any) -> None:
    """A value lies within its bounds, or it is NaN for a declared reason."""
    reasons = {case.reason for case in declared.undefined} | {
        "no query with gold",
        "no query without gold",
        "no queries",
        "no query with annotated chunks",
        "no annotated answer",
    }
    low, high = declared.bounds
    for values in every_value(declared, tally):
        assert list(values) == list(declared.population)
        for value, n, note in values.values():
            assert n >= 0
            if math.isnan(value):
                assert note in reasons, f"{declared.key} is NaN: {note!r}"
            else:
                assert math.isfinite(value)
                assert low <= value <= high, f"{declared.key} = {value}"


def assert_undefined_where_declared(declared: Metric, tally: Any) -> None:
    """Where a declared case holds there is no value, and the first case that holds is the reason."""
    for params in settings_of(declared):
        reason = declared.reason(tally, params.get("variant"))
        value, _, note = by_population(declared, tally, params)[declared.population[0]]
        if reason is not None:
            assert math.isnan(value), f"{declared.key} = {value} though {reason}"
            assert note == reason


def assert_blind_to_order(declared: Metric, rows: Rows, shuffled: Rows) -> None:
    """The same rows in another order give the same values, to the last bit."""
    make = TALLY[declared.tally]
    assert repr(every_value(declared, make(shuffled))) == repr(every_value(declared, make(rows)))


def rows_for(declared: Metric) -> st.SearchStrategy[Rows]:
    """Generated rows of the kind that the metric is about."""
    kinds = {"RankedQueries": RANKED, "Selections": SELECTED, "LabelMatrix": POSTS}
    return {**kinds, "Panels": JUDGED, "JudgedAnswers": ANSWERS}.get(declared.tally, SCORED)


def takes_replicates(declared: Metric) -> bool:
    """Whether the metric takes a table with a leading replicate axis; those that do not say so."""
    return declared.tally == "ScoreTable" and "no replicate axis" not in (declared.function.__doc__ or "")


every_metric = pytest.mark.parametrize("key", METRICS)
few_examples = settings(max_examples=20, deadline=None)


def test_every_kind_of_tally_is_tried() -> None:
    assert {declared.tally for declared in METRICS.values()} <= set(TALLY)


@every_metric
@few_examples
@given(data=st.data())
def test_value_is_within_bounds_or_undefined_with_reason(key: str, data: st.DataObject) -> None:
    declared = METRICS[key]
    tally = TALLY[declared.tally](data.draw(rows_for(declared)))
    assert_in_bounds_or_reasoned(declared, tally)
    assert_undefined_where_declared(declared, tally)


@every_metric
def test_value_is_undefined_in_every_declared_case(key: str) -> None:
    declared = METRICS[key]
    for tally in EDGES[declared.tally]:
        assert_in_bounds_or_reasoned(declared, tally)
        assert_undefined_where_declared(declared, tally)
    given_reasons = {
        declared.reason(tally, params.get("variant"))
        for tally in EDGES[declared.tally]
        for params in settings_of(declared)
    }
    assert {case.reason for case in declared.undefined} - given_reasons <= UNTRIED


@every_metric
@few_examples
@given(data=st.data())
def test_value_is_blind_to_the_order_of_rows(key: str, data: st.DataObject) -> None:
    declared = METRICS[key]
    rows = data.draw(rows_for(declared))
    shuffled = data.draw(st.permutations(rows))
    assert_blind_to_order(declared, rows, shuffled)


@every_metric
@few_examples
@given(data=st.data())
def test_value_of_merged_parts_is_that_of_the_whole(key: str, data: st.DataObject) -> None:
    declared = METRICS[key]
    rows = data.draw(rows_for(declared))
    cut = data.draw(st.integers(0, len(rows)))
    make = TALLY[declared.tally]
    first, second = make(rows[:cut]), make(rows[cut:])
    merged = MERGE[type(first)](first, second)
    assert repr(every_value(declared, merged)) == repr(every_value(declared, make(rows)))


@pytest.mark.parametrize("key", [key for key, declared in METRICS.items() if takes_replicates(declared)])
def test_value_over_replicates_is_that_of_each_alone(key: str) -> None:
    declared = METRICS[key]
    rng = np.random.default_rng(5)
    score = np.array([0.0, 0.1, 0.25, 0.3, 0.5, 0.8, 1.0])
    n_pos, n_neg = rng.integers(1, 5, (2, 3, len(score)))
    for given_params in settings_of(declared):
        alone = [declared(ScoreTable(score, p, n), **given_params) for p, n in zip(n_pos, n_neg, strict=True)]
        together = declared(ScoreTable(score, n_pos, n_neg), **given_params)
        np.testing.assert_allclose(number_of(together), [number_of(value) for value in alone], rtol=1e-12)


def number_of(result: Any) -> Any:
    """The value of a result, counts or not."""
    return result.value if isinstance(result, Ratio) else result


def test_value_of_a_group_is_that_of_its_rows_alone() -> None:
    rng = np.random.default_rng(11)
    n = 60
    criteria = [f"A.{at}" for at in rng.integers(1, 4, n)]
    labels, scores = rng.random(n) < 0.4, rng.integers(0, 11, n) / 10
    folds = [str(at) for at in rng.integers(0, 2, n)]
    gates = {"tau_neg": [0.2] * n, "tau_pos": [0.8] * n}
    queries = make_queries(labels, scores, criteria=criteria, slices={"fold": folds}, numbers=gates)
    gold = [[item for item in "abc" if rng.random() < 0.3] for _ in range(n)]
    lists = [[(item, float(rng.integers(0, 3))) for item in "abcde" if rng.random() < 0.7] for _ in range(n)]
    by_group = evaluate(
        make_data(queries, make_rankings(gold, lists, criteria=criteria)), by=("criterion",)
    ).table
    for group in sorted(set(criteria)):
        kept = [row for row in range(n) if criteria[row] == group]
        alone = evaluate(
            make_data(
                queries.where(np.array(criteria) == group),
                make_rankings([gold[row] for row in kept], [lists[row] for row in kept]),
            )
        ).table
        alone = alone[~alone.params.str.contains("over=folds")]
        shown = by_group[by_group.group == group]
        assert len(shown) == len(alone) > len(METRICS)
        columns = ["family", "metric", "params", "variant", "population", "model", "value", "n", "note"]
        assert repr(shown[columns].values.tolist()) == repr(alone[columns].values.tolist())


WITH_SKIPPED = TALLY["StateCounts"]([(0.05, False), (0.05, True), (0.9, True)])


def test_broken_bound_is_noticed() -> None:
    planted = replace(METRICS["gate.neg_rate"], bounds=(0.0, 0.5))
    with pytest.raises(AssertionError, match=r"gate\.neg_rate = 0\.66"):
        assert_in_bounds_or_reasoned(planted, WITH_SKIPPED)


def test_nan_without_a_declared_reason_is_noticed() -> None:
    planted = replace(METRICS["gate.neg_npv"], undefined=())
    with pytest.raises(AssertionError, match=r"gate\.neg_npv is NaN"):
        assert_in_bounds_or_reasoned(planted, TALLY["StateCounts"]([(0.9, True)]))


def test_value_in_a_declared_case_is_noticed() -> None:
    planted = replace(METRICS["gate.neg_rate"], undefined=(Undefined(lambda _: True, "never measured"),))
    with pytest.raises(AssertionError, match="though never measured"):
        assert_undefined_where_declared(planted, WITH_SKIPPED)


def test_metric_that_minds_the_order_of_rows_is_noticed() -> None:
    def first_query(queries: RankedQueries) -> Ratio:
        return Ratio(queries.n_gold[0], 1)

    planted = replace(METRICS["ranking.recall"], function=first_query, params=(), remark=None, undefined=())
    rows = [({"a": 1}, {"a": 0.5}), ({}, {"a": 0.5})]
    with pytest.raises(AssertionError):
        assert_blind_to_order(planted, rows, rows[::-1])
