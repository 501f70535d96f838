"""From scores of all items to lists: the best items of each user, and the negatives below what is relevant.

One sort of the scores of a block of users serves both; no array is users × items.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evalcore.evaluation.recommender.listing import Pairs, Shown, keys, side_by_side
from evalcore.recommendations import ItemLists, ScoreMatrix
from evalcore.rows import rows_of_lists
from evalcore.tallies.places import best_first, by_code, nth_of_run, run_starts
from evalcore.tallies.recommended import ByUser

Codes = NDArray[np.intp]
Counts = NDArray[np.int64]
Values = NDArray[np.floating]
Block = tuple[NDArray[Any], NDArray[Any], Codes, Values, Counts, Counts]
BLOCK_CELLS = 1 << 18
"""Scores that are sorted at a time: what they need fits the processor's cache."""


class Scored(NamedTuple):
    """What the scores of all items give.

    Parameters
    ----------
    shown : the lists made from them.
    below, equal : int64, shape (N,), of each relevant item, negatives that score lower and the same.
    n_negatives : int64, shape (Q,), items neither relevant nor in train.
    """

    shown: Shown
    below: Counts
    equal: Counts
    n_negatives: Counts


class _Blocks(NamedTuple):
    """The scores of a model, which can be had some users at a time.

    Parameters
    ----------
    users : codes in ascending order, shape (n,): who may have scores.
    values : gives the scores of the users at these places, NaN for what has none, shape (places, I).
    """

    users: Codes
    values: Callable[[slice], Values]


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
    users, values = _blocks(scores, n_users, n_items)
    known = _Cells.of(train, users)
    wanted = _Cells.of(relevant, users)
    size = max(1, BLOCK_CELLS // max(n_items, 1))

    def of_block(start: int) -> Block:
        own = slice(start, min(start + size, len(users)))
        return _of_block(values(own), known.within(own), wanted.within(own), depth)

    found = side_by_side(of_block, range(0, max(len(users), 1), size))
    own_has_list, own_scored, item, score, own_low, own_high = map(np.concatenate, zip(*found, strict=True))
    has_list, n_scored = np.zeros(n_users, bool), np.zeros(n_users, np.int64)
    has_list[users], n_scored[users] = own_has_list, own_scored
    lists = ByUser(
        np.minimum(n_scored, depth), {"item": item.astype(np.int32), "score": score.astype(np.float64)}
    )
    low, high = np.zeros((2, len(relevant["item"])), np.int64)
    low[wanted.row], high[wanted.row] = own_low, own_high
    below, equal, n_negatives = _negatives(low, high, n_scored, train, relevant, n_items)
    return Scored(Shown(lists, n_scored, has_list), below, equal, n_negatives)


def _blocks(scores: ScoreMatrix | ItemLists, n_users: int, n_items: int) -> _Blocks:
    """The scores of a matrix, or of rows in any order."""
    order = by_code(scores.user, n_users)
    if isinstance(scores, ScoreMatrix):
        is_whole = len(scores.item) == n_items and bool((scores.item == np.arange(n_items)).all())

        def of_matrix(own: slice) -> Values:
            raw: Values = scores.values[order[own]]
            if is_whole:
                return raw
            values = np.full((len(raw), n_items), np.nan, raw.dtype)
            values[:, scores.item] = raw
            return values

        return _Blocks(scores.user[order], of_matrix)
    item, score = scores.item[order], scores.score[order]
    n_scored = np.bincount(scores.user, minlength=n_users)
    users = np.flatnonzero(n_scored)
    n_scored = n_scored[users]
    edges = np.append(0, np.cumsum(n_scored))

    def of_rows(own: slice) -> Values:
        rows = slice(edges[own.start], edges[own.stop])
        n = n_scored[own]
        values = np.full((len(n), n_items), np.nan)
        values[np.repeat(np.arange(len(n)), n), item[rows]] = score[rows]
        return values

    return _Blocks(users, of_rows)


class _Cells(NamedTuple):
    """Pairs of users that may have scores.

    Parameters
    ----------
    row : which of all pairs they are.
    item : of each.
    edges : shape (n + 1,), where the pairs of each user begin and end.
    """

    row: Codes
    item: Codes
    edges: Codes

    @staticmethod
    def of(pairs: ByUser, users: Codes) -> _Cells:
        """The pairs of these users."""
        _, row = rows_of_lists(pairs.n, users)
        return _Cells(row, pairs["item"][row], np.append(0, np.cumsum(pairs.n[users])))

    def within(self, own: slice) -> tuple[Codes, Codes]:
        """The cells of the pairs of some users, numbered from 0."""
        edges = self.edges[own.start : own.stop + 1]
        return np.repeat(np.arange(len(edges) - 1), np.diff(edges)), self.item[edges[0] : edges[-1]]


def _of_block(values: Values, known: tuple[Codes, Codes], wanted: tuple[Codes, Codes], depth: int) -> Block:
    """What a block gives.

    Parameters
    ----------
    values : shape (b, I), NaN for what has no score; changed.
    known, wanted : cells of train and of relevant items.
    depth : how many places of a list are kept.

    Returns
    -------
    Whether a user has a score, of train or not; the user's scored items; item and score of the best, best
    first, equal scores by item; of each relevant item how many of the user's scored items are below it and
    how many are not above it.
    """
    has_list = np.asarray((~np.isnan(values)).any(axis=1))
    values[known] = np.nan
    ordered = np.sort(values, axis=1)  # NaN comes last
    n_scored = values.shape[1] - np.isnan(values).sum(axis=1)
    item, score = _best(values, ordered, n_scored, depth)
    row, value = wanted[0], values[wanted]
    low = _counted(ordered, row, value, np.less)
    high = low + ~np.isnan(value)
    after = np.minimum(low + 1, values.shape[1] - 1)
    is_tied = (after > low) & (ordered[row, after] == value)
    high[is_tied] = _counted(ordered, row[is_tied], value[is_tied], np.less_equal)
    return has_list, n_scored, item, score, low, high


def _best(values: Values, ordered: Values, n_scored: Counts, depth: int) -> tuple[Codes, Values]:
    """Item and score of the best ``depth`` items of each row, best first, equal scores by item."""
    place = np.clip(n_scored - depth, 0, max(values.shape[1] - 1, 0))
    least = np.take_along_axis(ordered, place[:, None], axis=1)
    cell = np.flatnonzero(values >= least)
    row, item = np.divmod(cell, max(values.shape[1], 1))
    score = values.ravel()[cell]
    order = best_first(row, score, item)
    item, score = item[order], score[order]
    if len(cell) > np.minimum(n_scored, depth).sum():  # ties at the last place
        kept = nth_of_run(run_starts(row)) <= depth
        item, score = item[kept], score[kept]
    return item, score


def _counted(
    ordered: Values, row: Codes, value: Values, compared: Callable[[Values, Values], NDArray[np.bool_]]
) -> Counts:
    """How many scores of an ascending row compare so with each value, by halves; none with NaN."""
    flat, n = ordered.ravel(), ordered.shape[1]
    before = row * n - 1
    found = np.zeros(len(row), np.int64)
    for bit in reversed(range(n.bit_length())):
        more = found + (1 << bit)
        is_within = (more <= n) & compared(flat[before + np.minimum(more, n)], value)
        found = np.where(is_within, more, found)
    return found


def _negatives(
    low: Counts, high: Counts, n_scored: Counts, train: ByUser, relevant: ByUser, n_items: int
) -> tuple[Counts, Counts, Counts]:
    """Of each relevant item, negatives below it and equal to it; and how many negatives each user has."""
    user, n_users = relevant.user, len(relevant.n)
    known = Pairs.of(train.user, train["item"], n_users, n_items)[0]
    in_train, _ = known.find(keys(user, relevant["item"], n_items))
    n_negatives = n_items - train.n - relevant.n + np.bincount(user[in_train], minlength=n_users)
    has_score = high > low
    unscored = n_negatives - (n_scored - np.bincount(user[has_score], minlength=n_users))
    own_low, own_high = _among(user, np.where(has_score, low, n_items), n_users, n_items)
    below = np.where(has_score, low - own_low + unscored[user], 0)
    of_unscored = np.where(n_scored > 0, unscored, 0)[user]
    equal = np.where(has_score, (high - low) - (own_high - own_low), of_unscored)
    return below, equal, n_negatives


def _among(user: Codes, value: Counts, n_users: int, n_values: int) -> tuple[Counts, Counts]:
    """Of each value, how many of the same user are below it, and how many not above."""
    order = by_code(value, n_values + 1)
    order = order[by_code(user[order], n_users)]
    user, value = user[order], value[order]
    nth = nth_of_run(run_starts(user))
    begins = run_starts(user, value)
    run = np.cumsum(begins) - 1
    before = (nth[begins] - 1)[run]
    size = np.bincount(run)[run] if len(run) else run
    found = np.empty((2, len(user)), np.int64)
    found[:, order] = before, before + size
    return found[0], found[1]
