"""From rows to lists: pairs of users and items in their order, and the first places of each user."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from evalcore.recommendations import ItemLists
from evalcore.tallies.places import best_first, by_code, nth_of_run, run_starts
from evalcore.tallies.recommended import ByUser

Codes = NDArray[np.intp]
Counts = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Found = TypeVar("Found")
MARKS_A_PAIR, MOST_BITS = 16, 25
"""How large a table of last bits is."""
BLOCK_ROWS = 1 << 18
"""Rows that are sorted at a time."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of a user and an item by user and item, each once: codes into Q users and I items."""

    user: Codes
    item: Codes
    key: Counts

    @staticmethod
    def of(user: Codes, item: Codes, n_users: int, n_items: int) -> tuple[Pairs, Codes]:
        """The pairs in their order, and the order."""
        key = keys(user, item, n_items)
        if (key[1:] > key[:-1]).all():
            return Pairs(user, item, key), np.arange(len(key))
        by_item = by_code(item, n_items)
        order = by_item[by_code(user[by_item], n_users)]
        return Pairs(user[order], item[order], key[order]), order

    def find(self, key: Counts) -> tuple[Codes, Codes]:
        """The places of the keys that are among the pairs, and where each of these is."""
        if not len(self.key):
            return np.zeros(0, np.intp), np.zeros(0, np.intp)
        # Most keys are not: what their last bits tell is had sooner than a place for each.
        place = np.flatnonzero(self._has_last_bits[key & self._last_bits])
        at = np.minimum(np.searchsorted(self.key, key[place]), len(self.key) - 1)
        is_found = self.key[at] == key[place]
        return place[is_found], at[is_found]

    @property
    def _last_bits(self) -> int:
        return (1 << min((MARKS_A_PAIR * len(self.key)).bit_length(), MOST_BITS)) - 1

    @cached_property
    def _has_last_bits(self) -> Mask:
        """Whether the key of any pair ends so."""
        found = np.zeros(self._last_bits + 1, bool)
        found[self.key & self._last_bits] = True
        return found


def keys(user: Codes, item: NDArray[np.integer], n_items: int) -> Counts:
    """Pairs of a user and an item as numbers, in the order of users and of a user's items."""
    return np.asarray(user.astype(np.int64) * n_items + item)


def side_by_side(compute: Callable[[int], Found], starts: Sequence[int]) -> list[Found]:
    """The results for each start, in their order; numpy sorts and gathers without the interpreter's lock."""
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        return list(threads.map(compute, starts))


class Shown(NamedTuple):
    """The first places of the lists of Q users."""

    lists: ByUser
    n_ranked: Counts
    has_list: Mask


def first_places(rows: ItemLists, n_users: int, n_items: int, train: Pairs, depth: int) -> Shown:
    """The lists of a model without the users' own items of train, cut to ``depth`` places.

    Parameters
    ----------
    rows : with items in the order of their ids.
    n_users, n_items : Q, I.
    train : what is left out.
    depth : how many places are kept.
    """
    n_rows = np.bincount(rows.user, minlength=n_users)
    edges = np.append(0, np.cumsum(n_rows))
    order = by_code(rows.user, n_users) if (rows.user[1:] < rows.user[:-1]).any() else None
    # The users of some rows at a time, where one has more rows that user alone.
    starts = np.unique(np.searchsorted(edges[:-1], np.arange(0, max(len(rows), 1), BLOCK_ROWS), side="left"))
    stops = dict(pairwise([*starts.tolist(), n_users]))

    def of_users(start: int) -> tuple[Counts, NDArray[np.int32], Floats]:
        stop = stops[start]
        n, own = n_rows[start:stop], slice(edges[start], edges[stop])
        at = own if order is None else order[own]
        user, item, score = np.repeat(np.arange(start, stop), n), rows.item[at], rows.score[at]
        if len(train.key):
            is_new = np.ones(len(user), bool)
            is_new[train.find(keys(user, item, n_items))[0]] = False
            user, item, score = user[is_new], item[is_new], score[is_new]
            n = np.bincount(user - start, minlength=stop - start)
        if not _is_best_first(user, item, score):
            by_score = best_first(user, score, item)
            item, score = item[by_score], score[by_score]
        if n.max(initial=0) > depth:
            kept = nth_of_run(run_starts(user)) <= depth
            item, score = item[kept], score[kept]
        return n, item.astype(np.int32), score

    n_ranked, item, score = map(np.concatenate, zip(*side_by_side(of_users, list(stops)), strict=True))
    n = np.minimum(n_ranked, depth)
    if not rows.has_scores:
        score = np.full(len(score), np.nan)
    return Shown(ByUser(n, {"item": item, "score": score}), n_ranked, n_rows > 0)


def _is_best_first(user: Codes, item: Codes, score: Floats) -> bool:
    """Whether rows, which stand by user, stand by score and item within one already."""
    is_same = user[1:] == user[:-1]
    is_lower = (score[1:] < score[:-1]) | ((score[1:] == score[:-1]) & (item[1:] > item[:-1]))
    return bool((is_lower | ~is_same).all())
