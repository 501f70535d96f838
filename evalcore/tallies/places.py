"""Find the golds in their lists: rank, and the candidates of equal score around each.

Lists are not sorted. A gold's rank is one more than the number of candidates of its query that score
higher, and the order of equal scores is looked at for tied golds only. Queries with many golds are the
exception: there one sort of their rows is faster than a count for each gold.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from evalcore.data import RankedRows

Ties = Literal["trec", "stable", "expected"]
Codes = NDArray[np.intp]
Counts = NDArray[np.int64]
Ids = NDArray[np.object_]

MANY_GOLDS = 16
BLOCK = 1 << 15  # rows at a time: what they need fits the processor's cache


def gold_places(
    rows: RankedRows, gold_query: Codes, gold_item: Codes, n_ranked: Counts, ties: Ties, item_ids: Ids
) -> Counts:
    """Where each gold stands in the list of its query.

    Parameters
    ----------
    rows : the lists of one model, no candidate twice in one list.
    gold_query, gold_item : int codes, shape (G,), by ascending query.
    n_ranked : int64, shape (Q,), rows of each query.
    ties : order of equal scores: ``trec`` (candidate id descending by UTF-8 bytes), ``stable`` (order of the
        rows) or ``expected`` (left open).
    item_ids : candidate ids as text, indexed by item codes.

    Returns
    -------
    int64, shape (3, G): rank from 1 (under ``expected`` the first rank of the tie), first rank of the
    candidates with the same score, and their number; all 0 where the list lacks the gold.
    """
    n_gold = np.bincount(gold_query, minlength=len(n_ranked))
    places = np.zeros((3, len(gold_query)), np.int64)
    for place, has_such in ((_by_counting, n_gold <= MANY_GOLDS), (_by_sorting, n_gold > MANY_GOLDS)):
        at = has_such[gold_query]
        if at.any():
            places[:, at] = place(rows, gold_query[at], gold_item[at], n_ranked, ties, item_ids)
    return places


def run_starts(*columns: NDArray[Any]) -> NDArray[np.bool_]:
    """True at rows where any of the columns, each of shape (N,), differs from the row before."""
    starts = np.ones(len(columns[0]), bool)
    if len(starts):
        starts[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    return starts


def nth_of_run(starts: NDArray[np.bool_]) -> Counts:
    """Number of each row within its run, from 1; ``starts``, shape (N,), is True where a run begins."""
    index = np.arange(len(starts), dtype=np.int64)
    return index - np.maximum.accumulate(np.where(starts, index, 0)) + 1


def by_code(code: NDArray[np.integer], n_codes: int) -> NDArray[Any]:
    """The order of rows by code, rows of one code as they stand; shape (N,).

    Rows are counted and not compared: ten times as fast as a sort of millions.

    Parameters
    ----------
    code : int codes, shape (N,).
    n_codes : how many codes there may be.

    Examples
    --------
    >>> by_code(np.array([2, 0, 2, 1]), 3).tolist()
    [1, 3, 0, 2]
    """
    n = len(code)
    index = np.int32 if max(n, n_codes) < np.iinfo(np.int32).max else np.int64
    cells = np.zeros(n, bool), code.astype(index), np.arange(n + 1, dtype=index)
    return np.asarray(sparse.csr_array(cells, shape=(n, n_codes)).tocsc().indices)


def best_first(
    query: Codes, score: NDArray[np.floating], settles: NDArray[np.integer] | None = None
) -> Codes:
    """The order of rows by query and descending score, shape (N,).

    Lists of one length are sorted as the rows of a matrix, and only rows of equal score are looked at again.

    Parameters
    ----------
    query : int codes, shape (N,).
    score : shape (N,), not NaN.
    settles : shape (N,), by which rows of equal score stand; None: as they stand.

    Examples
    --------
    >>> best_first(np.array([1, 0, 0]), np.array([0.5, 0.5, 0.5]), np.array([0, 8, 4])).tolist()
    [2, 1, 0]
    """
    order = np.arange(len(query))
    if (query[1:] < query[:-1]).any():
        order = by_code(query, int(query.max()) + 1)
        query, score = query[order], score[order]
    first = np.flatnonzero(run_starts(query))
    length = np.diff(np.append(first, len(query)))
    within = np.empty(len(query), np.intp)
    by_length = np.argsort(length, kind="stable")
    groups = np.split(by_length, np.flatnonzero(np.diff(length[by_length])) + 1) if len(first) else []
    if len(groups) == 1:
        within = (first[:, None] + (-score.reshape(len(first), -1)).argsort(axis=1)).ravel()
        groups = []
    for lists in groups:
        place = np.arange(length[lists[0]])
        n = max(1, BLOCK // len(place))
        for start in range(0, len(lists), n):
            begin = first[lists[start : start + n], None]
            within[begin + place] = begin + (-score[begin + place]).argsort(axis=1)
    order, score = order[within], score[within]
    begins = run_starts(query, score)
    if not begins.all():
        is_tied = ~begins
        is_tied[:-1] |= is_tied[1:]
        tied = np.flatnonzero(is_tied)
        rows, run = order[tied], np.cumsum(begins)[tied]
        order[tied] = rows[np.lexsort((rows if settles is None else settles[rows], run))]
    return order


def _blocks(query: Codes, n_ranked: Counts) -> Iterator[slice]:
    """Slices of some thousand rows that split no query; one slice where the rows of a query lie apart."""
    begins = np.flatnonzero(run_starts(query))
    if len(begins) > np.count_nonzero(n_ranked):
        begins = begins[:1]
    edges = np.append(begins, len(query))
    nearest = np.searchsorted(edges, np.arange(0, len(query) + BLOCK, BLOCK).clip(max=len(query)))
    for start, end in pairwise(np.unique(edges[nearest]).tolist()):
        yield slice(start, end)


def _by_counting(
    rows: RankedRows, gold_query: Codes, gold_item: Codes, n_ranked: Counts, ties: Ties, item_ids: Ids
) -> Counts:
    n_gold = np.bincount(gold_query, minlength=len(n_ranked))
    first = np.cumsum(n_gold) - n_gold
    gold_row = np.full(len(gold_query), -1)
    gold_score = np.full(len(gold_query), np.inf)
    higher, same, ahead = np.zeros((3, len(gold_query)), np.int64)
    for block in _blocks(rows.query, n_ranked):
        query, item, score = rows.query[block], rows.item[block], rows.score[block]
        gold, left = first[query], n_gold[query]
        for nth in range(left.max()):
            if left.min() <= nth:
                more = np.flatnonzero(left > nth)
                item, score, gold, left = item[more], score[more], gold[more], left[more]
            found = np.flatnonzero(item == gold_item[gold])
            gold_row[gold[found]], gold_score[gold[found]] = found, score[found]  # row within the block
            bar = gold_score[gold]
            tied = np.flatnonzero(score == bar)
            np.add.at(higher, gold[np.flatnonzero(score > bar)], 1)
            np.add.at(same, gold[tied], 1)
            if ties != "expected" and len(tied) > len(found):
                tied = tied[same[gold[tied]] > 1]
                if ties == "trec":  # text compares by code point, which is the order of its UTF-8 bytes
                    before = item_ids[item[tied]] > item_ids[gold_item[gold[tied]]]
                else:
                    before = tied < gold_row[gold[tied]]
                np.add.at(ahead, gold[tied[before]], 1)
            gold = gold + 1
    start = np.where(same > 0, higher + 1, 0)
    return np.stack([start + ahead, start, same])


def _by_sorting(
    rows: RankedRows, gold_query: Codes, gold_item: Codes, n_ranked: Counts, ties: Ties, item_ids: Ids
) -> Counts:
    wanted = np.zeros(len(n_ranked), bool)
    wanted[gold_query] = True
    row = np.flatnonzero(wanted[rows.query])
    row = row[np.lexsort((-rows.score[row], rows.query[row]))]
    query, item, score = rows.query[row], rows.item[row], rows.score[row]
    rank = nth_of_run(run_starts(query))
    tie_begins = run_starts(query, score)
    tie = np.cumsum(tie_begins) - 1
    start, size = rank[tie_begins][tie], np.bincount(tie)[tie]
    n_items = np.int64(len(item_ids))
    key, gold_key = query * n_items + item, gold_query * n_items + gold_item
    by_key = np.argsort(key)
    listed = np.isin(gold_key, key)
    at = by_key[np.searchsorted(key, gold_key[listed], sorter=by_key)]
    if ties == "trec":  # to compare texts takes long: only where a gold is among those of one score
        has_gold = np.zeros(tie[-1] + 1 if len(tie) else 0, bool)
        has_gold[tie[at]] = True
        tied = np.flatnonzero((size > 1) & has_gold[tie])
        by_id = np.unique(item_ids[item[tied]], return_inverse=True)[1]
        rank[tied[np.lexsort((-by_id, tie[tied]))]] = rank[tied]
    if ties == "expected":
        rank = start
    places = np.zeros((3, len(gold_key)), np.int64)
    places[:, listed] = rank[at], start[at], size[at]
    return places
