"""From scores of all items to lists: the best items of each user, and the negatives below what is relevant.

Scores are compared, and sorted only for users with many relevant items; no array is users × items.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evalcore.evaluation.recommender.listing import Pairs, Shown, grouped, keys, side_by_side
from evalcore.recommendations import ItemLists, ScoreMatrix
from evalcore.rows import rows_from, rows_of_lists
from evalcore.tallies.places import by_code
from evalcore.tallies.recommended import ByUser

Codes = NDArray[np.intp]
Counts = NDArray[np.int64]
Values = NDArray[np.floating]
Floats = NDArray[np.float64]
BLOCK_CELLS = 1 << 20
"""Scores, and comparisons, at a time: with fewer, beginning each takes more time than its numbers."""
GROUPS_A_PLACE = 4
"""Groups of columns for each place of a list: with more of them fewer scores are left to be sorted."""
MANY_RELEVANT = 32
"""Relevant items of a user above which a sort of the user's scores takes less time than a count for each."""
ROW_BUFFER = 512
"""Columns from which numpy compares a row with one value; for shorter ones it writes the value out first."""


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
    values: Callable[[Codes], Values]


class _Block(NamedTuple):
    """What the scores of some users give.

    Parameters
    ----------
    at : the users' places, in any order; of each ``has_list``, whether there is a score, of train or not, and
        ``n_scored``, scored items that are not of train.
    item, score : of the best items by user, best first, equal scores by item.
    cell : places of the users' relevant items; of each ``has_score``, and how many of the user's scored items
        that are not relevant score lower (``below``) and the same (``equal``).
    """

    at: Codes
    has_list: NDArray[np.bool_]
    n_scored: Counts
    item: NDArray[np.int32]
    score: Floats
    cell: Codes
    has_score: NDArray[np.bool_]
    below: Counts
    equal: Counts


def scored(
    scores: ScoreMatrix | ItemLists,
    n_users: int,
    n_items: int,
    train: Pairs,
    relevant: ByUser,
    depth: int,
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
    n_known = np.bincount(train.user, minlength=n_users)
    known = _Cells.of(n_known, train.item, users)
    wanted = _Cells.of(relevant.n, relevant["item"], users)
    size = max(1, BLOCK_CELLS // max(n_items, 1))

    n_wanted = np.diff(wanted.edges)

    def of_block(start: int) -> _Block:
        # Users with as many relevant items stand together: each is compared with as many scores.
        at = start + np.argsort(n_wanted[start : start + size], kind="stable")
        return _of_block(at, values(at), known.within(at)[0], wanted.within(at), depth)

    found = side_by_side(of_block, range(0, max(len(users), 1), size))
    of = _Block(*map(np.concatenate, zip(*found, strict=True)))
    has_list, n_scored = np.zeros(n_users, bool), np.zeros(n_users, np.int64)
    has_list[users[of.at]], n_scored[users[of.at]] = of.has_list, of.n_scored
    lists = ByUser(np.minimum(n_scored, depth), {"item": of.item, "score": of.score})
    n_relevant = len(relevant["item"])
    has_score, below, equal = np.zeros(n_relevant, bool), *np.zeros((2, n_relevant), np.int64)
    row = wanted.row[of.cell]
    has_score[row], below[row], equal[row] = of.has_score, of.below, of.equal

    user = relevant.user
    in_train, _ = train.find(keys(user, relevant["item"], n_items))
    n_negatives = n_items - n_known - relevant.n + np.bincount(user[in_train], minlength=n_users)
    # Every negative without a score is below what has one, and the same as what has none.
    unscored = n_negatives - (n_scored - np.bincount(user[has_score], minlength=n_users))
    below = np.where(has_score, below + unscored[user], 0)
    equal = np.where(has_score, equal, np.where(n_scored > 0, unscored, 0)[user])
    return Scored(Shown(lists, n_scored, has_list), below, equal, n_negatives)


def _blocks(scores: ScoreMatrix | ItemLists, n_users: int, n_items: int) -> _Blocks:
    """The scores of a matrix, or of rows in any order."""
    if isinstance(scores, ScoreMatrix):
        order = by_code(scores.user, n_users)
        is_whole = len(scores.item) == n_items and bool((scores.item == np.arange(n_items)).all())

        def of_matrix(at: Codes) -> Values:
            raw: Values = scores.values[order[at]]
            if is_whole:
                return raw
            values = np.full((len(raw), n_items), np.nan, raw.dtype)
            values[:, scores.item] = raw
            return values

        return _Blocks(scores.user[order], of_matrix)
    n_scored, item, score = grouped(scores, n_users, n_items)
    users = np.flatnonzero(n_scored)
    n_scored = n_scored[users]
    first = np.cumsum(n_scored) - n_scored

    def of_rows(at: Codes) -> Values:
        user, row = rows_from(first[at], n_scored[at])
        values = np.full((len(at), n_items), np.nan)
        values[user, item[row]] = score[row]
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
    def of(n: Counts, item: Codes, users: Codes) -> _Cells:
        """The pairs of these users, from those of all users: how many each has, and their items."""
        _, row = rows_of_lists(n, users)
        return _Cells(row, item[row], np.append(0, np.cumsum(n[users])))

    def within(self, at: Codes) -> tuple[tuple[Codes, Codes], Codes]:
        """The cells of the pairs of users at these places, numbered from 0, and the places of the pairs."""
        first = self.edges[at]
        row, cell = rows_from(first, self.edges[at + 1] - first)
        return (row, self.item[cell]), cell


def _of_block(
    at: Codes,
    values: Values,
    known: tuple[Codes, Codes],
    wanted: tuple[tuple[Codes, Codes], Codes],
    depth: int,
) -> _Block:
    """What a block gives.

    Parameters
    ----------
    at : places of users, by ascending number of relevant items.
    values : shape (b, I), NaN for what has no score; changed.
    known, wanted : cells of train and of relevant items, and the places of the latter.
    depth : how many places of a list are kept.
    """
    cells, cell = wanted
    with np.errstate():  # the size of the buffer is the old one again at its end
        np.setbufsize(ROW_BUFFER)
        n_scored = np.full(len(values), values.shape[1])
        lacks = np.flatnonzero(np.isnan(values.min(axis=1, initial=np.inf)))
        n_scored[lacks] -= np.isnan(values[lacks]).sum(axis=1)
        has_list = n_scored > 0
        n_scored -= np.bincount(known[0][~np.isnan(values[known])], minlength=len(values))
        values[known] = np.nan
        item, score = _best(values, n_scored, depth, np.argsort(at))
        value, n = values[cells], np.bincount(cells[0], minlength=len(values))
        values[cells] = np.nan
        few = int(np.searchsorted(n, MANY_RELEVANT, side="right"))
        n_few = int(n[:few].sum())
        below, equal = np.concatenate(
            [
                _by_comparing(values[:few], n[:few], value[:n_few]),
                _by_sorting(values[few:], n[few:], value[n_few:]),
            ],
            axis=1,
        )
    return _Block(at, has_list, n_scored, item, score, cell, ~np.isnan(value), below, equal)


def _best(values: Values, n_scored: Counts, depth: int, rows: Codes) -> tuple[NDArray[np.int32], Floats]:
    """Item and score of the best ``depth`` items of these rows, best first, equal scores by item.

    The best of each of some groups of columns are had in one pass. What is below the best ``depth`` of them
    is not among the best ``depth`` of all, and few are left to be sorted.
    """
    n_rows, n_items = values.shape
    n_groups = max(1, n_items // (GROUPS_A_PLACE * depth))
    width = n_items // n_groups
    least = np.full(n_rows, -np.inf, values.dtype)
    if width >= depth:
        best = np.fmax.reduce(values[:, : n_groups * width].reshape(n_rows, n_groups, width), axis=1)
        nth = -np.sort(-best, axis=1)[:, depth - 1]  # NaN, which comes last, where too few have a score
        least = np.fmax(nth, least)
    cell = np.flatnonzero(values >= least[:, None])
    row, item = np.divmod(cell, max(n_items, 1))
    n = np.bincount(row, minlength=n_rows)
    padded = np.full((n_rows, n.max(initial=0)), np.nan, values.dtype)
    padded[np.arange(padded.shape[1]) < n[:, None]] = score = values.ravel()[cell]
    order = (-padded).argsort(axis=1, kind="stable")[:, :depth]
    is_kept = np.arange(order.shape[1]) < n_scored[rows, None]
    at = (order + (np.cumsum(n) - n)[:, None])[rows][is_kept]
    return item[at].astype(np.int32), score[at].astype(np.float64)


def _by_comparing(values: Values, n: Counts, value: Values) -> Counts:
    """How many scores of its row are lower than each value, and how many the same, shape (2, N).

    Parameters
    ----------
    values : shape (b, I).
    n : how many of the values each row has, ascending.
    value : shape (N,), row by row.
    """
    bars = np.full((len(values), n.max(initial=0)), np.nan, values.dtype)
    is_bar = np.arange(bars.shape[1]) < n[:, None]
    bars[is_bar] = value
    # Eight of them are added as one number, each byte of which counts to 255.
    width = -(-values.shape[1] // 8)
    holds = np.zeros(max(BLOCK_CELLS // 8, bars.shape[1] * width), np.uint64)
    starts = np.arange(0, max(width, 1), 255)
    sums = np.zeros((2, *bars.shape, len(starts)), np.uint64)
    begin = int(np.searchsorted(n, 0, side="right"))
    while begin < len(n):
        n_cells = np.arange(1, len(n) - begin + 1) * n[begin:] * width
        end = begin + max(1, int(np.searchsorted(n_cells, len(holds), side="right")))
        shape = end - begin, int(n[end - 1]), width
        eights = holds[: math.prod(shape)].reshape(shape)
        own, bar = values[begin:end, None], bars[begin:end, : shape[1], None]
        for total, compare in zip(sums, (np.less, np.equal), strict=True):
            compare(own, bar, out=eights.view(bool)[:, :, : values.shape[1]])
            total[begin:end, : shape[1]] = np.add.reduceat(eights, starts, axis=2)
        begin = end
    parts = [_bytes_of(of_some[:, is_bar]) for of_some in np.moveaxis(sums, 3, 0)]
    return np.asarray(np.sum(parts, axis=0, dtype=np.int64))


def _bytes_of(eights: NDArray[np.uint64]) -> Counts:
    """The sum of the eight bytes of each number: of every second one, of the other four, then of both."""
    every_second, of_four = np.uint64(0x00FF00FF00FF00FF), np.uint64(0x0001000100010001)
    pairs = (eights & every_second) + (eights >> np.uint64(8) & every_second)
    return (pairs * of_four >> np.uint64(48)).astype(np.int64)


def _by_sorting(values: Values, n: Counts, value: Values) -> Counts:
    """The same, for rows with many values each."""
    edges = np.append(0, np.cumsum(n))
    counts = np.empty((2, len(value)), np.int64)
    for own, (begin, end) in zip(np.sort(values, axis=1), pairwise(edges), strict=True):
        lower = own.searchsorted(value[begin:end])
        counts[:, begin:end] = lower, own.searchsorted(value[begin:end], side="right") - lower
    return counts
