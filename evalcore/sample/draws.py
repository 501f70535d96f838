"""Random numbers that are the same on every machine: raw PCG64 words and exact integer arithmetic.

NumPy keeps the words of a bit generator fixed; the streams of `Generator` methods and the last bits of
``exp`` and ``log`` may change with version and processor, so neither is used.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

Subject = Literal["posts", "labels", "gate", "baseline", "gold", "scores", "annotations", "recommendations"]
_STREAM: dict[Subject, int] = {
    "posts": 0,
    "labels": 1,
    "gate": 2,
    "baseline": 3,
    "gold": 4,
    "scores": 5,
    "annotations": 6,
    "recommendations": 7,
}
_HALVES_PER_WORD = 4
_BELL_MEAN = _HALVES_PER_WORD * 65535 // 2
_BELL_SD = 37837.0  # of a sum of four uniform 16-bit numbers: √(4·(2³² − 1)/12)


def stream(seed: int, subject: Subject) -> np.random.PCG64:
    """Source of raw words for one subject; subjects of one seed are independent of each other.

    Raises
    ------
    ValueError : for a negative seed.
    """
    return np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(_STREAM[subject],)))


def uniform(bits: np.random.PCG64, size: int) -> Any:
    """Uniform float64 in [0, 1), shape (size,)."""
    return (bits.random_raw(size) >> np.uint64(11)) * 2.0**-53


def bell(bits: np.random.PCG64, size: int) -> Any:
    """Bell-shaped float32 with mean 0, standard deviation 1 and range about ±3.46, shape (size,)."""
    halves = bits.random_raw(size).view(np.uint16).reshape(size, _HALVES_PER_WORD)
    total = halves[:, 0].astype(np.int32)
    for column in range(1, _HALVES_PER_WORD):
        total += halves[:, column]
    return (total - _BELL_MEAN).astype(np.float32) / np.float32(_BELL_SD)


def shuffled(bits: np.random.PCG64, size: int) -> Any:
    """The integers below ``size`` in random order, shape (size,)."""
    return np.argsort(bits.random_raw(size), kind="stable")


def apportioned(total: int, weights: Any) -> Any:
    """Whole numbers in proportion to ``weights`` that sum to ``total`` (largest remainder, first one first).

    Parameters
    ----------
    total : what is shared out, at least 0.
    weights : integers of at least 0, shape (n,); all 0 only where ``total`` is.

    Returns
    -------
    int64 array, shape (n,).

    Examples
    --------
    >>> apportioned(10, [1, 1, 1]).tolist()
    [4, 3, 3]
    """
    weights = np.asarray(weights, dtype=np.int64)
    shares, remainders = np.divmod(total * weights, max(weights.sum(), 1))
    shares[np.argsort(-remainders, kind="stable")[: total - shares.sum()]] += 1
    return shares


def rank_within(group: Any, key: Any) -> Any:
    """Position of every element within its group in ascending order of ``key``, from 0.

    Parameters
    ----------
    group : integer codes, shape (n,).
    key : numbers to order by, shape (n,).

    Examples
    --------
    >>> rank_within(np.array([0, 1, 0]), np.array([5, 9, 2])).tolist()
    [1, 0, 0]
    """
    order = np.lexsort((key, group))
    sizes = np.bincount(group)
    starts = np.cumsum(sizes) - sizes
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order)) - starts[group[order]]
    return rank
