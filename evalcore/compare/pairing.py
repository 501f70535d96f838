"""The queries that two models share, row beside row, and a count of those that fell out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.data import Queries, Rankings
from evalcore.evaluation.groups import Divided, Members, groups
from evalcore.operating_point.test_rows.row_sets import in_split
from evalcore.problems import InputError, Problem, problem
from evalcore.tallies.ranked import RankedQueries

Codes = NDArray[np.intp]
Mask = NDArray[np.bool_]
NOWHERE = -1


@dataclass(frozen=True)
class Shared:
    """How many queries two models have in common.

    Parameters
    ----------
    what : ``checks`` (labels and scores), ``queries with gold`` (lists) or ``users`` (recommendations).
    n : queries compared.
    n_first_only, n_second_only : queries that only one of the two has.
    n_other_label : queries that both have, with another label or other gold; users with other test or train.
    n_first_missing, n_second_missing : queries compared for which the one has no list: an empty one.
    n_neither : queries with gold for which neither has a list, where only shared ones are compared.
    """

    what: str
    n: int
    n_first_only: int
    n_second_only: int
    n_other_label: int
    n_first_missing: int = 0
    n_second_missing: int = 0
    n_neither: int = 0

    @property
    def n_dropped(self) -> int:
        """Queries that could not be compared."""
        return self.n_first_only + self.n_second_only + self.n_other_label + self.n_neither


@dataclass(frozen=True, eq=False)
class Paired:
    """N shared queries in the order of their names, so that the order of no file matters.

    Parameters
    ----------
    first, second : positions in each model's own data, shape (N,); −1 where it does not know the query.
    post : codes into ``post_ids``, shape (N,).
    post_ids : the P posts of the shared queries as text, sorted, or their hashes.
    word : what a unit is: ``posts``, or ``rows`` where the post of a row is not known.
    shared : what was compared and what fell out.
    group_of, also_of : the first model's columns to break down by, and the second's for what only it knows.
    """

    first: Codes
    second: Codes
    post: Codes
    post_ids: tuple[str, ...] | NDArray[np.uint64]
    word: str
    shared: Shared
    group_of: Queries | Rankings | Divided
    also_of: Queries | Rankings | Divided

    def groups(self, by: tuple[str, ...]) -> Iterator[tuple[str, str, Mask]]:
        """All shared queries, then each group of them: (group_by, group, mask of shape (N,))."""
        only_second = self.first == NOWHERE
        others: dict[tuple[str, str], Members] = {}
        if only_second.any():
            others = {names[:2]: names[2] for names in groups(self.also_of, by)}
        for group_by, group, own in groups(self.group_of, by):
            members = own.mask[self.first] & ~only_second
            if (group_by, group) in others:
                members |= others.pop((group_by, group)).mask[self.second] & only_second
            if not group_by or members.any():
                yield group_by, group, members
        for (group_by, group), own in others.items():
            members = own.mask[self.second] & only_second
            if members.any():
                yield group_by, group, members


def pair_scores(first: Queries, second: Queries, *, by_row: bool = False) -> Paired:
    """The checks that both models scored and that have the same label in both.

    Parameters
    ----------
    first, second : rows of one model each, of one file or of two.
    by_row : whether row pairs with row, in the order of the files, instead of id with id.

    Raises
    ------
    InputError : OPT-032 where row cannot be paired with row.
    """
    if by_row:
        at = _row_by_row(first.has_evidence, second.has_evidence, "label")
        return _paired(first, second, at, at, Shared("checks", len(at), 0, 0, 0))
    at_first, at_second, _ = _matched(_names(first), _names(second))
    same = first.has_evidence[at_first] == second.has_evidence[at_second]
    n = len(first) - len(same), len(second) - len(same)
    shared = Shared("checks", int(same.sum()), *n, int((~same).sum()))
    return _paired(first, second, at_first[same], at_second[same], shared)


def pair_lists(
    first: Rankings,
    second: Rankings,
    of_first: RankedQueries,
    of_second: RankedQueries,
    *,
    split: str | None = None,
    is_shared_only: bool = False,
    by_row: bool = False,
) -> Paired:
    """The queries that have gold in either of the two, and the same in both where both know them.

    A list that one of them lacks is an empty one, as it is when a model is evaluated; how many is counted.

    Parameters
    ----------
    first, second : gold and queries of the two models, the same object where one file holds both.
    of_first, of_second : the tallies of their lists.
    split : only the queries of this split; None: all.
    is_shared_only : leave out the queries for which one of them has no list.
    by_row : as in `pair_scores`.

    Raises
    ------
    InputError : OPT-032 where row cannot be paired with row.
    """
    golds = [_gold(part) for part in (first, second)] if first is not second else []
    if by_row and golds:
        inside = [_inside(part, split) for part in (first, second)]
        of_row = [
            np.array([hash(gold.get(at)) for at in rows.tolist()], np.int64)
            for gold, rows in zip(golds, inside, strict=True)
        ]
        at = _row_by_row(of_row[0], of_row[1], "gold")
        at_first, at_second = inside[0][at], inside[1][at]
    else:
        at_first, at_second = _by_name(first, second, split)
    has_gold = (_at(of_first.n_gold, at_first) > 0) | (_at(of_second.n_gold, at_second) > 0)
    at_first, at_second = at_first[has_gold], at_second[has_gold]
    same = np.ones(len(at_first), bool)
    if golds:
        pairs = zip(at_first.tolist(), at_second.tolist(), strict=True)
        same = np.array(
            [NOWHERE in pair or golds[0].get(pair[0]) == golds[1].get(pair[1]) for pair in pairs], bool
        )
    ranked = _at(of_first.n_ranked, at_first) > 0, _at(of_second.n_ranked, at_second) > 0
    in_one = [int(np.count_nonzero(same & one & ~other)) for one, other in (ranked, ranked[::-1])]
    n_neither = int(np.count_nonzero(same & ~ranked[0] & ~ranked[1]))
    n_other = int(np.count_nonzero(~same))
    if is_shared_only:
        kept = same & ranked[0] & ranked[1]
        n = int(kept.sum())
        shared = Shared("queries with gold", n, in_one[0], in_one[1], n_other, n_neither=n_neither)
    else:
        kept = same
        missing = {"n_first_missing": in_one[1] + n_neither, "n_second_missing": in_one[0] + n_neither}
        shared = Shared("queries with gold", int(kept.sum()), 0, 0, n_other, **missing)
    return _paired(first, second, at_first[kept], at_second[kept], shared)


def _by_name(first: Rankings, second: Rankings, split: str | None) -> tuple[Codes, Codes]:
    """Where each query of either stands in both, sorted by name; −1 where one does not know it."""
    inside = [_inside(part, split) for part in (first, second)]
    names = [_names(part)[at] for part, at in zip((first, second), inside, strict=True)]
    at_first, at_second, (only_first, only_second) = _matched(*names)
    nowhere = [np.full(len(only), NOWHERE) for only in (only_second, only_first)]
    found = (
        np.concatenate([inside[0][at_first], inside[0][only_first], nowhere[0]]),
        np.concatenate([inside[1][at_second], nowhere[1], inside[1][only_second]]),
    )
    order = np.argsort(
        np.concatenate([names[0][at_first], names[0][only_first], names[1][only_second]]), kind="stable"
    )
    return found[0][order], found[1][order]


def _inside(part: Rankings, split: str | None) -> Codes:
    """The queries of a split; all of them where none is named."""
    return np.flatnonzero(np.ones(part.n_queries, bool) if split is None else in_split(part, split))


def _row_by_row(of_first: NDArray[Any], of_second: NDArray[Any], word: str) -> Codes:
    """The rows 0 … N − 1, where nothing shows that row k of the one is not row k of the other."""
    n = len(of_first), len(of_second)
    if n[0] != n[1]:
        raise InputError([_not_by_row(f"the one has {n[0]:,} rows and the other {n[1]:,}")])
    differs = np.flatnonzero(of_first != of_second)
    if len(differs):
        told = (
            f"{len(differs):,} of {n[0]:,} rows have another {word}, the first of them row {differs[0] + 1:,}"
        )
        raise InputError([_not_by_row(told)])
    return np.arange(n[0])


def _not_by_row(found: str) -> Problem:
    expected = "the same rows in the same order"
    return problem("OPT-032", found=found, expected=expected, advice="Put them in one order, or add ids.")


def _at(values: NDArray[Any], at: Codes) -> NDArray[Any]:
    """The values at some positions, 0 where there is none."""
    return np.where(at == NOWHERE, 0, values[at]) if len(values) else np.zeros(len(at), values.dtype)


def _paired(first: Any, second: Any, at_first: Codes, at_second: Codes, shared: Shared) -> Paired:
    """The pairs with their posts, by the ids of whichever side knows the query."""
    sides = (first, second) if first.has_ids or not second.has_ids else (second, first)
    places = (at_first, at_second) if sides[0] is first else (at_second, at_first)
    names = [
        part.post_ids[part.post[at]].astype(str) if len(part.post) else np.full(len(at), "")
        for part, at in zip(sides, places, strict=True)
    ]
    posts, post = np.unique(np.where(places[0] == NOWHERE, names[1], names[0]), return_inverse=True)
    has_posts = bool(sides[0].has_posts and (sides[1].has_posts or not sides[1].has_ids))
    ids = tuple(posts.tolist())
    word = "posts" if has_posts else "rows"
    return Paired(at_first, at_second, post.astype(np.intp), ids, word, shared, first, second)


def _names(part: Queries | Rankings) -> NDArray[np.str_]:
    """The names of queries as text: post and criterion, in a form that no other pair has."""
    posts = np.array([f"{len(str(one))}:{one}" for one in part.post_ids], object)
    criteria = np.array([*(str(one) for one in part.criterion_ids), ""], object)  # −1, no criterion: the last
    names = posts[part.post] + "::" + criteria[part.criterion] if len(part.post) else posts[:0]
    return np.asarray(names).astype(str)


def _matched(first: NDArray[np.str_], second: NDArray[np.str_]) -> tuple[Codes, Codes, tuple[Codes, Codes]]:
    """Where the shared names stand in each, sorted by name, and where those that only one has."""
    _, at_first, at_second = np.intersect1d(first, second, assume_unique=True, return_indices=True)
    only = tuple(
        np.setdiff1d(np.arange(len(names)), at, assume_unique=True)
        for names, at in ((first, at_first), (second, at_second))
    )
    return at_first, at_second, (only[0], only[1])


def _gold(rankings: Rankings) -> dict[int, frozenset[tuple[str, int]]]:
    """Query → its gold ids with their grades; queries without gold are left out."""
    found: dict[int, list[tuple[str, int]]] = {}
    rows = (rankings.gold_query, rankings.item_ids[rankings.gold_item], rankings.gold_grade)
    for query, item, grade in zip(*(column.tolist() for column in rows), strict=True):
        found.setdefault(query, []).append((str(item), grade))
    return {query: frozenset(golds) for query, golds in found.items()}
