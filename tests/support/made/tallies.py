"""Tallies of every kind: generated rows, what is made of them, and cases at the edge."""

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from evalcore.annotations import LABELS
from evalcore.tallies.decisions import Confusion, StateCounts, confusion_at, states_at
from evalcore.tallies.judgements import JudgedAnswers, JudgedChunks, Panels, panels_at
from evalcore.tallies.labels import LabelMatrix
from evalcore.tallies.ranked import RankedQueries
from evalcore.tallies.scores import PairTable, ScoredRows, ScoreTable
from evalcore.tallies.selections import Selections
from tests.support.made.evidence import make_rankings

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


Rows = list[Any]


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


EDGES["StateCounts"] += [TALLY["StateCounts"](rows) for rows in ([(0.0, False)], [(1.0, True)])]
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
    label_matrix(rows)
    for rows in (
        [],
        [[(0, 0)] * 3],
        [[(1, 1), None, None]],
        [[(0, 1), (0, 0), (0, 0)]],
        [[(0, 1), (1, 0), (0, 1)]],
    )
]


EDGES["Panels"] = [
    panels([]),
    *(panels([(1, [(1, 1, 1)])], labels) for labels in (("evidence_sufficient",), ("topically_relevant",))),
    panels([(1, [(1, 1, 1)])]),
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


EDGES["RankedQueries"] = [
    ranked([]),
    ranked([({}, {"a": 0.5})]),
    ranked([({}, {}), ({}, {})]),
    ranked([({"a": 1}, {"a": 0.5})]),
]
