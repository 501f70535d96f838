"""Tallies of every kind: generated rows, what is made of them, and cases at the edge."""

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from evalcore.annotations import LABELS
from evalcore.evaluation.recommender.gathering import lists_of
from evalcore.evaluation.recommender.listing import Pairs, first_places
from evalcore.evaluation.recommender.scores import scored
from evalcore.recommendations import ItemLists
from evalcore.tallies.decisions import Confusion, StateCounts, confusion_at, states_at
from evalcore.tallies.judgements import JudgedAnswers, JudgedChunks, Panels, panels_at
from evalcore.tallies.labels import LabelMatrix
from evalcore.tallies.ranked import RankedQueries
from evalcore.tallies.recommended import ByUser, Catalogue, ItemGroups, RecommendationLists
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


LIKED = st.dictionaries(ITEMS, st.sampled_from([0.0, 1.0, 3.5, 5.0]), max_size=4)
RECOMMENDED = st.lists(
    st.tuples(
        LIKED,
        st.dictionaries(ITEMS, st.sampled_from([-1.0, 0.0, 0.5, 4.0]), max_size=6),
        st.sets(ITEMS, max_size=2),
        st.sampled_from([0, 1, -1]),
    ),
    max_size=5,
)


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
    rankings = make_rankings([list(gold) for gold, _ in rows], [list(scores.items()) for _, scores in rows])
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


def recommended(rows: Rows, **how: Any) -> RecommendationLists:
    """The lists, cut at 3, of users as (rating of each test item, scores, items of train, group) rows.

    Parameters
    ----------
    how : ``catalogue`` and ``has_scores``, of all items, where they are other than usual.
    """
    names = list("abcdef")
    n_items = len(names)
    test, scores = (
        [(user, names.index(item), value) for user, row in enumerate(rows) for item, value in row[at].items()]
        for at in (0, 1)
    )
    own = [(user, names.index(item)) for user, row in enumerate(rows) for item in sorted(row[2])]
    train = by_user(len(rows), own, ("item",))
    relevant = by_user(len(rows), sorted(row for row in test if row[2] > 0), ("item", "rating"))
    known = Pairs.of(train.user, train["item"], len(rows), n_items)[0]
    found = None
    if how.get("has_scores", True):
        long = ItemLists(*columns_of(scores, 2), np.array([row[2] for row in scores], float), has_scores=True)
        found = scored(long, len(rows), n_items, known, relevant, 3)
        shown = found.shown
    else:
        nothing = np.zeros(0, np.intp)
        shown = first_places(
            ItemLists(*columns_of(scores, 2), np.array([-row[2] for row in scores], float), has_scores=False)
            if scores
            else ItemLists(nothing, nothing, np.zeros(0), has_scores=False),
            len(rows),
            n_items,
            known,
            3,
        )
    group = np.array([row[3] for row in rows], np.intp)
    pairs = [
        (user, rating, dict(rows[user][1])[names[item]])
        for user, item, rating in sorted(test)
        if names[item] in rows[user][1] and names[item] not in rows[user][2]
    ]
    return lists_of(
        how.get("catalogue", CATALOGUE),
        shown,
        found,
        relevant,
        depth=3,
        slices={"user_group": (group, ("1", "2"))},
        train=train,
        has_test=np.array([bool(row[0]) for row in rows], bool),
        pairs=by_user(len(rows), pairs if found is not None else [], ("rating", "score")),
    )


CATALOGUE = Catalogue(
    np.array([5, 0, 2, 1, 1, 1]),
    7,
    {"item_group": (np.array([0, 0, 1, 1, -1, 2]), ("1", "2", "3"))},
    np.array([[1, 0], [0, 1], [1, 1], [0, 0], [0, 0], [1, 0]], bool),
)
"""Six items a … f."""


def columns_of(rows: Rows, n: int) -> list[Any]:
    """The first columns of rows of codes."""
    return [np.array([row[at] for row in rows], np.intp) for at in range(n)]


def by_user(n_users: int, rows: Rows, names: tuple[str, ...]) -> ByUser:
    """Rows of (user, …) by user."""
    n = np.bincount(columns_of(rows, 1)[0], minlength=n_users)
    kinds = {"item": np.intp}
    return ByUser(
        n,
        {
            name: np.array([row[at] for row in rows], kinds.get(name, float))
            for at, name in enumerate(names, 1)
        },
    )


def item_groups(rows: Rows) -> ItemGroups:
    """The same by groups of items."""
    return ItemGroups(recommended(rows))


def summed(first: Any, second: Any) -> Any:
    """Counts of two parts added; a threshold is the same in both."""
    counts = [field.name for field in fields(first) if field.name != "threshold"]
    return replace(first, **{name: getattr(first, name) + getattr(second, name) for name in counts})


def counted_together(first: ScoreTable, second: ScoreTable) -> ScoreTable:
    """The table of the rows that two tables count."""
    parts = [
        (one.score, n, label) for one in (first, second) for n, label in ((one.n_pos, 1), (one.n_neg, 0))
    ]
    scores = np.concatenate([np.repeat(score, n) for score, n, _ in parts])
    labels = np.concatenate([np.full(n.sum(), label, bool) for _, n, label in parts])
    return type(first).from_rows(ScoredRows(scores, labels, np.arange(len(scores)), len(scores)))


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
    "RecommendationLists": recommended,
    "ItemGroups": item_groups,
}


MERGE: dict[type, Callable[[Any, Any], Any]] = {
    ScoreTable: counted_together,
    PairTable: counted_together,
    Confusion: summed,
    StateCounts: summed,
    RankedQueries: RankedQueries.merge,
    Selections: Selections.merge,
    LabelMatrix: LabelMatrix.merge,
    Panels: Panels.merge,
    JudgedAnswers: JudgedAnswers.merge,
    RecommendationLists: RecommendationLists.merge,
    ItemGroups: ItemGroups.merge,
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


NOBODY_KNOWN = ({"a": 0.0}, {}, set(), 0)
EVERYTHING_LIKED = (dict.fromkeys("abcdef", 1.0), {"a": 0.5}, set(), 0)
WITHOUT_TRAIN = replace(CATALOGUE, popularity=np.zeros(6, np.int64))
ONE_ITEM = Catalogue(np.array([1]), 1, {}, None)
EDGES["RecommendationLists"] = [
    recommended([]),
    recommended([NOBODY_KNOWN]),
    recommended([({"a": 0.0}, {"a": 0.5}, set(), 0)]),
    recommended([EVERYTHING_LIKED]),
    recommended([({}, {"a": 0.5}, set(), 0)]),
    recommended([({"b": 1.0}, {"b": 3.0, "e": 2.0, "f": 1.0}, set(), 0)]),
    recommended([({"d": 1.0}, {"d": 0.5}, set(), 0)]),
    recommended([({"a": 1001.0}, {"a": 0.5}, set(), 0)]),
    recommended([({"a": 1.0}, {}, set(), 0)]),
    recommended([({"a": 1.0}, {"a": 1.0}, {"a"}, 0)]),
    recommended([({"a": 1.0}, {"a": 1.0}, set(), 0), ({"c": 2.0}, {"a": 1.0}, set(), 1)], has_scores=False),
    recommended([({"a": 1.0}, {"a": 1.0}, set(), 0)], catalogue=WITHOUT_TRAIN),
    recommended([({"a": 1.0}, {"a": 1.0}, set(), 0)], catalogue=replace(CATALOGUE, features=None)),
    replace(recommended([({"a": 1.0}, {"a": 1.0}, set(), 0)]), slices={}),
    replace(recommended([({"a": 1.0}, {"a": 1.0}, set(), 0)]), catalogue=ONE_ITEM),
]
EDGES["ItemGroups"] = [
    *(ItemGroups(lists, code) for code in (None, 0) for lists in EDGES["RecommendationLists"][:-1]),
    ItemGroups(EDGES["RecommendationLists"][-1]),
    *(
        ItemGroups(
            recommended([({"a": 1.0}, {"a": 1.0, "c": 0.0}, {"f"}, 0), ({"c": 2.0}, {"b": 1.0}, set(), 1)]),
            code,
        )
        for code in (None, 0, 1, 2)
    ),
]


EDGES["RankedQueries"] = [
    ranked([]),
    ranked([({}, {"a": 0.5})]),
    ranked([({}, {}), ({}, {})]),
    ranked([({"a": 1}, {"a": 0.5})]),
]
