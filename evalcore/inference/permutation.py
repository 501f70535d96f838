"""Whether two systems differ: coins that exchange the two within whole units, and what they count."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Words = NDArray[np.uint64]
PERMUTATIONS = 9999
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_PURPOSE = np.uint64(0x73776170)
"""Keeps these coins apart from the weights of a bootstrap with the same seed."""


def swaps_of(hashed: Words, *, seed: int, start: int, stop: int) -> NDArray[np.bool_]:
    """In which posts the two models change places, in the permutations from ``start`` to ``stop`` − 1.

    Each entry is a fair coin that depends on the seed, the permutation and the post's text alone: not on the
    order of the posts, on the other posts or on how the permutations are cut into blocks.

    Parameters
    ----------
    hashed : uint64, shape (P,), from the posts' ids, by `evalcore.drawn.weights.hashes`.
    seed : whole number from 0 to 2^64 − 1.
    start, stop : 0 ≤ start ≤ stop.

    Returns
    -------
    bool, shape (stop − start, P).

    Source
    ------
    Bits of SplitMix64 (Steele, Lea and Flood 2014), started from a BLAKE2b hash of the id.

    Examples
    --------
    >>> whole = swaps_of(np.array([3, 8], np.uint64), seed=0, start=0, stop=80)
    >>> part = swaps_of(np.array([8], np.uint64), seed=0, start=63, stop=66)
    >>> bool((part[:, 0] == whole[63:66, 1]).all())
    True
    """
    keys = _mixed(hashed ^ _mixed(np.array([seed], np.uint64) ^ _PURPOSE))
    first, last = start // 64, -(-stop // 64)
    words = _mixed(keys[:, None] + np.arange(first + 1, last + 1, dtype=np.uint64) * _GOLDEN)
    coins = np.unpackbits(words.astype("<u8").view(np.uint8), axis=1, bitorder="little")
    return coins[:, start - 64 * first : stop - 64 * first].T.view(np.bool_)


def n_at_least(differences: Floats, observed: float) -> int:
    """How many differences are at least as large in magnitude as the observed one, undefined ones included.

    Equal ones may differ by rounding; a slack far below any real difference lets them count.
    """
    limit = abs(observed) * (1 - 1e-9) - 1e-12
    return int(np.count_nonzero(~(np.abs(differences) < limit)))


def _mixed(words: Words) -> Words:
    """SplitMix64's finaliser."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))
