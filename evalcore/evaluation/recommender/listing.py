"""From rows to lists: the first places of each user, where relevant items stand, and what scores lower.

One sort of the scores of a block of users serves the lists and the areas; no array is users × items.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evalcore.recommendations import ItemLists, ScoreMatrix
from evalcore.tallies.places import best_first, nth_of_run, run_starts
from evalcore.tallies.recommended import ByUser

Codes = NDArray[np.intp]
Counts = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
BLOCK_CELLS = 1 << 21
"""Scores that are sorted at a time."""


class Pairs(NamedTuple):
    """Pairs of a user and an item by user and item, each once: codes into Q users and I items."""

    user: Codes
    item: Codes
    key: Counts

    @staticmethod
    def of(user: Codes, item: Codes, n_items: int) -> tuple[Pairs, Codes]:
        """The pairs in their order, and the order."""
        key = user.astype(np.int64) * n_items + item
        order = np.arange(len(key)) if (key[1:] > key[:-1]).all() else np.argsort(key, kind="stable")
        return Pairs(user[order], item[order], key[order]), order

    def find(self, key: Counts) -> tuple[Mask, Codes]:
        """Which of the keys are among the pairs, and the place of each, 0 where it is not."""
        if not len(self.key):
            return np.zeros(len(key), bool), np.zeros(len(key), np.intp)
        at = np.minimum(np.searchsorted(self.key, key), len(self.key) - 1)
        found = self.key[at] == key
        return found, np.where(found, at, 0)


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
    has_list = np.zeros(n_users, bool)
    has_list[rows.user] = True
    user, item, score = rows.user, rows.item, rows.score
    if len(train.key):
        is_known, _ = train.find(user.astype(np.int64) * n_items + item)
        if is_known.any():
            user, item, score = user[~is_known], item[~is_known], score[~is_known]
    if not _is_best_first(user, item, score):
        by_item = np.lexsort((item, user))
        user, item, score = user[by_item], item[by_item], score[by_item]
        order = best_first(user, score)
        user, item, score = user[order], item[order], score[order]
    n_ranked = np.bincount(user, minlength=n_users)
    kept = nth_of_run(run_starts(user)) <= depth
    shown = score[kept] if rows.has_scores else np.full(int(kept.sum()), np.nan)
    n = np.minimum(n_ranked, depth)
    return Shown(ByUser(n, {"item": item[kept].astype(np.int32), "score": shown}), n_ranked, has_list)


def _is_best_first(user: Codes, item: Codes, score: Floats) -> bool:
    """Whether rows stand by user, score and item already."""
    is_next = user[1:] > user[:-1]
    is_same = user[1:] == user[:-1]
    is_lower = (score[1:] < score[:-1]) | ((score[1:] == score[:-1]) & (item[1:] > item[:-1]))
    return bool((is_next | (is_same & is_lower)).all())


class Block(NamedTuple):
    """Scores of some users, NaN for what has none and for items of their train.

    Parameters
    ----------
    users : codes, shape (b,).
    values : shape (b, I).
    is_scored : whether any item has a score, of train or not, shape (b,).
    """

    users: Codes
    values: NDArray[np.floating]
    is_scored: Mask


def blocks(scores: ScoreMatrix | ItemLists, n_items: int, train: ByUser) -> Iterator[Block]:
    """The scores of a model, some users at a time."""
    first = np.cumsum(train.n) - train.n
    size = max(1, BLOCK_CELLS // max(n_items, 1))
    for users, values in _raw_blocks(scores, n_items, size):
        is_scored = ~np.isnan(values).all(axis=1)
        n = train.n[users]
        row = np.repeat(np.arange(len(users)), n)
        at = np.repeat(first[users] - (np.cumsum(n) - n), n) + np.arange(int(n.sum()))
        values[row, train["item"][at]] = np.nan
        yield Block(users, values, is_scored)


def _raw_blocks(
    scores: ScoreMatrix | ItemLists, n_items: int, size: int
) -> Iterator[tuple[Codes, NDArray[np.floating]]]:
    if isinstance(scores, ScoreMatrix):
        is_whole = len(scores.item) == n_items and bool((scores.item == np.arange(n_items)).all())
        for start in range(0, len(scores.user), size):
            users = scores.user[start : start + size]
            raw = scores.values[start : start + size]
            if is_whole:
                yield users, raw.copy()
                continue
            values = np.full((len(users), n_items), np.nan, raw.dtype)
            values[:, scores.item] = raw
            yield users, values
        return
    order = np.argsort(scores.user, kind="stable")
    user, item, score = scores.user[order], scores.item[order], scores.score[order]
    present, begin = np.unique(user, return_index=True)
    end = np.append(begin[1:], len(user))
    for start in range(0, len(present), size):
        users = present[start : start + size]
        rows = slice(int(begin[start]), int(end[min(start + size, len(present)) - 1]))
        values = np.full((len(users), n_items), np.nan)
        values[np.searchsorted(users, user[rows]), item[rows]] = score[rows]
        yield users, values


class Scored(NamedTuple):
    """What the scores of all items give.

    Parameters
    ----------
    shown : the lists made from them.
    below, equal : int64, shape (N,), of each relevant item, negatives that score lower and the same.
    score : float64, shape (N,), of each relevant item; NaN without one.
    n_negatives : int64, shape (Q,), items neither relevant nor in train.
    """

    shown: Shown
    below: Counts
    equal: Counts
    n_negatives: Counts


def scored(
    scores: ScoreMatrix | ItemLists, n_users: int, n_items: int, train: ByUser, relevant: ByUser, depth: int
) -> Scored:
    """Lists of the best ``depth`` items, and the negatives below each relevant item: none without any score.

    Parameters
    ----------
    scores : with items in the order of their ids.
    n_users, n_items : Q, I.
    train : the users' own items, which have no score and are no negatives.
    relevant : with a column ``item``; an item that is in train too stands with those without a score.
    depth : how many places of a list are kept.
    """
    below, equal = np.zeros((2, len(relevant["item"])), np.int64)
    n_ranked = np.zeros(n_users, np.int64)
    has_list = np.zeros(n_users, bool)
    first = np.cumsum(relevant.n) - relevant.n
    train_keys = Pairs.of(train.user, train["item"], n_items)[0]
    in_train = train_keys.find(relevant.user.astype(np.int64) * n_items + relevant["item"])[0]
    n_negatives = n_items - train.n - relevant.n + np.bincount(relevant.user[in_train], minlength=n_users)
    shown: list[tuple[Codes, Codes, Floats]] = []
    for users, values, is_scored in blocks(scores, n_items, train):
        users, values = users[is_scored], values[is_scored]
        has_list[users] = True
        ordered = np.sort(values, axis=1)  # NaN comes last
        n_scored = n_items - np.isnan(ordered).sum(axis=1)
        n_ranked[users] = n_scored
        shown.append(_best(users, values, ordered, n_scored, depth))
        n = relevant.n[users]
        row = np.repeat(np.arange(len(users)), n)
        at = np.repeat(first[users] - (np.cumsum(n) - n), n) + np.arange(int(n.sum()))
        score = values[row, relevant["item"][at]]
        low, high = _bisected(ordered, n_scored, row, score)
        own_low, own_high = _among(row, score)
        has_score = ~np.isnan(score)
        unscored = n_negatives[users] - (n_scored - np.bincount(row[has_score], minlength=len(users)))
        below[at] = np.where(has_score, low - own_low + unscored[row], 0)
        equal[at] = np.where(
            has_score, (high - low) - (own_high - own_low), np.where(n_scored > 0, unscored, 0)[row]
        )
    user, item, best = (
        np.concatenate(parts) if parts else np.zeros(0, np.intp)
        for parts in (list(one) for one in (zip(*shown, strict=True) if shown else ((), (), ())))
    )
    by_user = np.argsort(user, kind="stable")
    columns: dict[str, NDArray[Any]] = {
        "item": item[by_user].astype(np.int32),
        "score": best[by_user].astype(np.float64),
    }
    lists = ByUser(np.bincount(user, minlength=n_users), columns)
    return Scored(Shown(lists, n_ranked, has_list), below, equal, n_negatives)


def _best(
    users: Codes, values: NDArray[Any], ordered: NDArray[Any], n_scored: Counts, depth: int
) -> tuple[Codes, Codes, Floats]:
    """User, item and score of the best ``depth`` items of each user, best first, equal scores by item."""
    place = np.clip(n_scored - depth, 0, max(values.shape[1] - 1, 0))
    least = np.take_along_axis(ordered, place[:, None], axis=1)
    row, item = np.nonzero(values >= least)
    score = values[row, item]
    order = best_first(row, score.astype(np.float64))
    row, item, score = row[order], item[order], score[order]
    kept = nth_of_run(run_starts(row)) <= depth
    return users[row[kept]], item[kept], score[kept]


def _bisected(
    ordered: NDArray[Any], n_scored: Counts, row: Codes, value: NDArray[Any]
) -> tuple[Counts, Counts]:
    """How many of the first ``n_scored`` of a row are below each value, and how many are not above it."""
    found = []
    for is_right in (False, True):
        low, high = np.zeros(len(row), np.int64), n_scored[row].astype(np.int64)
        for _ in range(int(ordered.shape[1]).bit_length()):
            is_open = low < high
            middle = (low + high) // 2
            at = ordered[row, np.minimum(middle, ordered.shape[1] - 1)]
            is_below = is_open & ((at <= value) if is_right else (at < value))
            low = np.where(is_below, middle + 1, low)
            high = np.where(is_open & ~is_below, middle, high)
        found.append(low)
    return found[0], found[1]


def _among(row: Codes, value: NDArray[Any]) -> tuple[Counts, Counts]:
    """Of each value, how many of the same row are below it, and how many not above."""
    order = np.lexsort((value, row))
    row, value = row[order], value[order]
    nth = nth_of_run(run_starts(row))
    begins = run_starts(row, value)
    run = np.cumsum(begins) - 1
    before = (nth[begins] - 1)[run]
    size = np.bincount(run)[run] if len(run) else run
    found = np.empty((2, len(row)), np.int64)
    found[:, order] = before, before + size
    return found[0], found[1]
