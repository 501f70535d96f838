"""From rows to lists: pairs of users and items in their order, and the first places of each user."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from evalcore.recommendations import ItemLists
from evalcore.tallies.places import best_first, nth_of_run, run_starts
from evalcore.tallies.recommended import ByUser

Codes = NDArray[np.intp]
Counts = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Part = TypeVar("Part")
Found = TypeVar("Found")
Block = tuple[slice, slice]
"""Some users, and the rows of these."""
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
        by_item = _rows_of(np.arange(len(key)), item, user, (n_items, n_users))
        cells = by_item.tocsc()
        user = np.repeat(np.arange(n_users), np.diff(cells.indptr))
        return Pairs(user, cells.indices, keys(user, cells.indices, n_items)), cells.data

    def find(self, key: Counts) -> tuple[Codes, Codes]:
        """The places of the keys that are among the pairs, and where each of these is."""
        if not len(self.key):
            return np.zeros(0, np.intp), np.zeros(0, np.intp)
        # Most keys are not: what their last bits tell is had sooner than a place for each.
        place = np.flatnonzero(self._has_last_bits[key & self._last_bits])
        at = np.minimum(np.searchsorted(self.key, key[place]), len(self.key) - 1)
        is_found = self.key[at] == key[place]
        return place[is_found], at[is_found]

    def of_users(self, users: slice, n_items: int) -> tuple[Pairs, int]:
        """The pairs of some users, and where the first of them is."""
        begin, end = np.searchsorted(self.key, [users.start * n_items, users.stop * n_items]).tolist()
        return Pairs(self.user[begin:end], self.item[begin:end], self.key[begin:end]), begin

    def among(self, lists: ByUser, n_items: int) -> tuple[Codes, Codes]:
        """The rows of lists that are among the pairs, and where each of these is."""

        def of_block(block: Block) -> tuple[Codes, Codes]:
            users, own = block
            user = np.repeat(np.arange(users.start, users.stop), lists.n[users])
            pairs, begin = self.of_users(users, n_items)
            row, at = pairs.find(keys(user, lists["item"][own], n_items))
            return row + own.start, at + begin

        row, at = map(np.concatenate, zip(*side_by_side(of_block, blocks(lists.n)), strict=True))
        return row, at

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


def side_by_side(compute: Callable[[Part], Found], parts: Sequence[Part]) -> list[Found]:
    """The results of all parts, in their order; numpy sorts and gathers without the interpreter's lock."""
    if len(parts) == 1:
        return [compute(parts[0])]
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        return list(threads.map(compute, parts))


def blocks(n_rows: Counts) -> list[Block]:
    """Users of some rows at a time, and these rows: where one has more rows that user alone.

    Parameters
    ----------
    n_rows : int64, shape (Q,), rows of each user, one user after the other.
    """
    edges = np.append(0, np.cumsum(n_rows))
    starts = np.unique(np.searchsorted(edges[:-1], np.arange(0, max(edges[-1], 1), BLOCK_ROWS)))
    users = pairwise([*starts.tolist(), len(n_rows)])
    return [(slice(start, stop), slice(edges[start], edges[stop])) for start, stop in users]


def grouped(rows: ItemLists, n_users: int, n_items: int) -> tuple[Counts, NDArray[np.int32], Floats]:
    """How many rows each user has, and item and score of these by user, in arrays of their own."""
    if (rows.user[1:] >= rows.user[:-1]).all():
        n_rows = np.bincount(rows.user, minlength=n_users)
        return n_rows, rows.item.astype(np.int32), rows.score.astype(np.float64)
    cells = _rows_of(rows.score.astype(np.float64, copy=False), rows.user, rows.item, (n_users, n_items))
    return np.diff(cells.indptr).astype(np.int64), cells.indices.astype(np.int32, copy=False), cells.data


def _rows_of(
    values: NDArray[Any], row: Codes, column: Codes, shape: tuple[int, int]
) -> sparse.csr_array[Any]:
    """Values of pairs, each pair once, row by row; those of a row as they stand."""
    cells = sparse.coo_array((values, (row, column)), shape=shape)
    cells.has_canonical_format = True  # else those of a row are sorted, and added up where a pair repeats
    return cells.tocsr()


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
    n_rows, items, scores = grouped(rows, n_users, n_items)

    def of_block(block: Block) -> tuple[Counts, slice]:
        users, own = block
        n, item, score = n_rows[users], items[own], scores[own]
        user = np.repeat(np.arange(users.start, users.stop), n)
        if len(train.key):
            is_new = np.ones(len(user), bool)
            is_new[train.of_users(users, n_items)[0].find(keys(user, item, n_items))[0]] = False
            user, item, score = user[is_new], item[is_new], score[is_new]
            n = np.bincount(user - users.start, minlength=len(n))
        if not _is_best_first(user, item, score):
            by_score = best_first(user, score, item)
            item, score = item[by_score], score[by_score]
        if n.max(initial=0) > depth:
            kept = nth_of_run(run_starts(user)) <= depth
            item, score = item[kept], score[kept]
        own = slice(own.start, own.start + len(item))
        items[own], scores[own] = item, score
        return n, own

    found = side_by_side(of_block, blocks(n_rows))
    n_ranked = np.concatenate([n for n, _ in found])
    lists = ByUser(np.minimum(n_ranked, depth), {"item": items, "score": scores})
    if lists.n.sum() < len(items):
        kept = [own for _, own in found]
        columns = {name: np.concatenate([of[own] for own in kept]) for name, of in lists.columns.items()}
        lists = ByUser(lists.n, columns)
    if not rows.has_scores:
        lists["score"][:] = np.nan
    return Shown(lists, n_ranked, n_rows > 0)


def _is_best_first(user: Codes, item: NDArray[np.integer], score: Floats) -> bool:
    """Whether rows, which stand by user, stand by score and item within one already."""
    for n in (1000, len(user)):  # the first rows mostly tell of others that they do not
        user_of, item_of, score_of = user[:n], item[:n], score[:n]
        is_lower = (score_of[1:] < score_of[:-1]) | (
            (score_of[1:] == score_of[:-1]) & (item_of[1:] > item_of[:-1])
        )
        if not (is_lower | (user_of[1:] != user_of[:-1])).all():
            return False
    return True
