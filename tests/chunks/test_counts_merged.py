"""Counts of scored pairs are merged exactly, in little memory, and kept as narrow as they allow."""

import ctypes
import sys
import tracemalloc
from dataclasses import replace
from functools import reduce

import numpy as np
import psutil
import pytest

from evalcore.engines import memory
from evalcore.tallies.counted_pairs import CountedPairs, pair_table
from evalcore.tallies.scores import PairTable, ScoredRows

CELLS = ("a",), ("b",), ("c",), ()
"""The last one has no value in any column."""


def scored(rng: np.random.Generator, n: int, n_queries: int, digits: int) -> ScoredRows:
    """Pairs with few distinct scores, both zeros and an infinite one among them."""
    score = np.round(rng.normal(size=n), digits)
    score[rng.random(n) < 0.05] = -0.0
    score[rng.random(n) < 0.05] = np.inf
    return ScoredRows(score, rng.random(n) < 0.2, rng.integers(0, n_queries, n), n_queries)


def columns(pairs: CountedPairs) -> tuple[np.ndarray, ...]:
    return pairs.cell, pairs.score, pairs.n_pos, pairs.n_neg


def n_bytes(pairs: CountedPairs) -> int:
    return sum(column.nbytes for column in columns(pairs))


@pytest.mark.parametrize("seed", range(6))
def test_parts_merged_in_any_order_are_the_counts_of_all_rows(seed):
    rng = np.random.default_rng(seed)
    parts, rows = [], []
    for _ in range(5):
        names = tuple(CELLS[at] for at in rng.permutation(4)[: rng.integers(1, 5)])
        own = scored(rng, int(rng.choice([0, 1, 40, 900])), 20, int(rng.integers(0, 3)))
        of_query = rng.integers(0, len(names), 20).astype(np.int32)
        parts.append(CountedPairs.of(own, names, of_query))
        kept = own.post, own.score, own.is_positive
        rows += [(names[of_query[post]], *row) for post, *row in zip(*kept, strict=True)]
    found = reduce(CountedPairs.merge, (parts[at] for at in rng.permutation(5)))
    for at, name in enumerate(found.cells):
        of_cell = [(score, is_gold) for cell, score, is_gold in rows if cell == name]
        score, is_gold = (np.array([row[nth] for row in of_cell]) for nth in (0, 1))
        nothing = np.zeros(len(of_cell), np.intp)
        expected = PairTable.from_rows(ScoredRows(score.astype(float), is_gold.astype(bool), nothing, 1))
        own = found.cell == at
        for name, column in zip(("score", "n_pos", "n_neg"), columns(found)[1:], strict=True):
            np.testing.assert_array_equal(column[own], getattr(expected, name))
    everything = pair_table(found)
    assert everything.n_pos.dtype == everything.n_neg.dtype == np.int64
    assert (np.diff(everything.score) > 0).all()
    assert int(everything.total) == len(rows)


def test_counts_are_as_narrow_as_they_allow_and_grow_beyond():
    rows = ScoredRows(np.zeros(100), np.zeros(100, bool), np.zeros(100, np.intp), 1)
    pairs = CountedPairs.of(rows, ((),), np.zeros(1, np.int32))
    assert [column.dtype for column in columns(pairs)] == [np.int8, np.float64, np.int8, np.int8]
    for times, kind in ((2, np.int16), (400, np.int32)):
        many = reduce(CountedPairs.merge, [pairs] * times)
        assert many.n_neg.dtype == kind
        assert many.n_neg.tolist() == [100 * times]


def test_to_merge_takes_little_more_memory_than_what_comes_of_it():
    rng = np.random.default_rng(1)
    nothing = np.zeros(60_000, np.intp)
    one, other = (
        CountedPairs.of(
            ScoredRows(np.round(rng.random(60_000), 6), rng.random(60_000) < 0.1, nothing, 1),
            ((),),
            np.zeros(1, np.int32),
        )
        for _ in range(2)
    )
    tracemalloc.start()
    try:
        found = one.merge(other)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert n_bytes(found) < 14 * len(found.score)
    assert peak < 2.5 * n_bytes(found)


def test_counts_that_were_opened_stand_in_their_order():
    rows = ScoredRows(np.array([0.3, 0.1, 0.2]), np.ones(3, bool), np.array([0, 0, 1]), 2)
    pairs = CountedPairs.of(rows, (("a",), ("b",)), np.array([0, 1], np.int32))
    assert not list(pairs.flaws(2))
    for changed in ({"score": np.array([0.3, 0.1, 0.2])}, {"cell": np.array([1, 0, 0], np.int8)}):
        assert [one.place for one in replace(pairs, **changed).flaws(2)] == ["score"]
    again = replace(pairs, score=np.array([0.1, 0.1, 0.2]))
    assert [one.expected for one in again.flaws(2)] == ["each once a cell, ascending"]


@pytest.mark.skipif(sys.platform != "linux", reason="of Linux")
def test_what_is_free_is_given_back():
    def resident() -> float:
        return psutil.Process().memory_info().rss / 2**20

    kept = [np.ones(10_000) for _ in range(1_000)]  # 80 kB each: pieces of the heap
    del kept[:-1]  # below the last one, where nothing is given back by itself
    before = resident()
    memory.give_back()
    if memory._of_glibc("malloc_trim") is not None:
        assert before - resident() > 30
    assert len(kept)


def test_where_the_library_of_c_offers_nothing_nothing_is_done(monkeypatch):
    def no_library(_):
        raise OSError("no such library")

    monkeypatch.setattr(ctypes, "CDLL", no_library)
    memory._of_glibc.cache_clear()
    try:
        memory.give_back()
        assert memory._of_glibc("malloc_trim") is None
        memory.keep_freed()
    finally:
        memory._of_glibc.cache_clear()
