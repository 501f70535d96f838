"""The queries that two models share, row beside row, and a count of those that fell out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.data import Queries, Rankings
from evalcore.evaluation.groups import groups
from evalcore.operating_point.row_sets import in_split
from evalcore.tallies.ranked import RankedQueries

Codes = NDArray[np.intp]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Shared:
    """How many queries two models have in common.

    Parameters
    ----------
    what : ``checks`` (labels and scores) or ``lists``.
    n : queries compared.
    n_first_only, n_second_only : queries that only one of the two has.
    n_other_label : queries that both have, with another label or other gold.
    """

    what: str
    n: int
    n_first_only: int
    n_second_only: int
    n_other_label: int

    @property
    def n_dropped(self) -> int:
        """Queries that could not be compared."""
        return self.n_first_only + self.n_second_only + self.n_other_label


@dataclass(frozen=True, eq=False)
class Paired:
    """N shared queries in the order of their names, so that the order of no file matters.

    Parameters
    ----------
    first, second : positions in each model's own data, shape (N,).
    post : codes into ``post_ids``, shape (N,).
    post_ids : the P posts of the shared queries as text, sorted.
    has_posts : whether rows of one post are known; otherwise the row is the unit.
    shared : what was compared and what fell out.
    group_of : the first model's columns, to break down by.
    """

    first: Codes
    second: Codes
    post: Codes
    post_ids: tuple[str, ...]
    has_posts: bool
    shared: Shared
    group_of: Queries | Rankings

    def groups(self, by: tuple[str, ...]) -> Iterator[tuple[str, str, Mask]]:
        """All shared queries, then each group of them: (group_by, group, mask of shape (N,))."""
        for group_by, group, mask in groups(self.group_of, by):
            members = mask[self.first]
            if not group_by or members.any():
                yield group_by, group, members


def pair_scores(first: Queries, second: Queries) -> Paired:
    """The checks that both models scored and that have the same label in both.

    Parameters
    ----------
    first, second : rows of one model each, of one file or of two.
    """
    keys = _names(first), _names(second)
    at_first, at_second = _matched(*keys)
    same = first.has_evidence[at_first] == second.has_evidence[at_second]
    return _paired(first, second, at_first, at_second, same, (len(first), len(second)), "checks")


def pair_lists(
    first: Rankings,
    second: Rankings,
    of_first: RankedQueries,
    of_second: RankedQueries,
    *,
    split: str | None = None,
) -> Paired:
    """The queries for which both models return a list and that have the same gold in both.

    A query without any candidate of a model counts as not ranked by it: it falls out, and is counted.

    Parameters
    ----------
    first, second : gold and queries of the two models, the same object where one file holds both.
    of_first, of_second : the tallies of their lists.
    split : only the queries of this split; None: all.
    """
    ranked = [
        np.flatnonzero((one.n_ranked > 0) & (True if split is None else in_split(part, split)))
        for part, one in ((first, of_first), (second, of_second))
    ]
    names = [_names(part)[at] for part, at in zip((first, second), ranked, strict=True)]
    at_first, at_second = _matched(*names)
    at_first, at_second = ranked[0][at_first], ranked[1][at_second]
    same = np.ones(len(at_first), bool)
    if first is not second:
        gold = [_gold(part) for part in (first, second)]
        same = np.array([gold[0].get(a) == gold[1].get(b) for a, b in zip(at_first, at_second, strict=True)])
    n = len(ranked[0]), len(ranked[1])
    return _paired(first, second, at_first, at_second, same.astype(bool), n, "lists")


def _paired(
    first: Any, second: Any, at_first: Codes, at_second: Codes, same: Mask, n: tuple[int, int], what: str
) -> Paired:
    shared = Shared(what, int(same.sum()), n[0] - len(same), n[1] - len(same), int((~same).sum()))
    at_first, at_second = at_first[same], at_second[same]
    posts, post = np.unique(first.post_ids[first.post[at_first]].astype(str), return_inverse=True)
    has_posts = bool(first.has_posts and second.has_posts)
    ids = tuple(posts.tolist())
    return Paired(at_first, at_second, post.astype(np.intp), ids, has_posts, shared, first)


def _names(part: Queries | Rankings) -> NDArray[np.str_]:
    """The names of queries as text: post and criterion, in a form that no other pair has."""
    posts = np.array([f"{len(str(one))}:{one}" for one in part.post_ids], object)
    criteria = np.array([*(str(one) for one in part.criterion_ids), ""], object)  # −1, no criterion: the last
    names = posts[part.post] + "::" + criteria[part.criterion] if len(part.post) else posts[:0]
    return np.asarray(names).astype(str)


def _matched(first: NDArray[np.str_], second: NDArray[np.str_]) -> tuple[Codes, Codes]:
    _, at_first, at_second = np.intersect1d(first, second, assume_unique=True, return_indices=True)
    return at_first, at_second


def _gold(rankings: Rankings) -> dict[int, frozenset[tuple[str, int]]]:
    """Query → its gold ids with their grades; queries without gold are left out."""
    found: dict[int, list[tuple[str, int]]] = {}
    rows = (rankings.gold_query, rankings.item_ids[rankings.gold_item], rankings.gold_grade)
    for query, item, grade in zip(*(column.tolist() for column in rows), strict=True):
        found.setdefault(query, []).append((str(item), grade))
    return {query: frozenset(golds) for query, golds in found.items()}
