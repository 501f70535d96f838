"""Bootstrap weights: how often each post is drawn, the same on one frame, in blocks and on any machine."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from decimal import Decimal, localcontext
from math import factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

_WORD = 1 << 64
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_BLOCK = 1 << 15  # weights at a time: what they need fits the processor's cache
_TOP_BITS = 16


def poisson_weights(post_ids: Iterable[str], *, seed: int, start: int, stop: int) -> NDArray[np.uint8]:
    """Weights of posts in the replicates ``start`` … ``stop`` − 1 of the Poisson bootstrap.

    Each weight is Poisson(1), independent of the others, and a pure function of the seed, the number of the
    replicate and the post's id as UTF-8 text. The order of the posts, which other posts there
    are, and how replicates are cut into blocks change nothing.

    Parameters
    ----------
    post_ids : ids as text, P of them.
    seed : whole number from 0 on.
    start, stop : numbers of replicates, from 0 on.

    Returns
    -------
    uint8, shape (stop − start, P), each from 0 to 20.

    Source
    ------
    Hanley and MacGibbon 2006, Poisson bootstrap; statistics.md, Intervals.

    Examples
    --------
    >>> poisson_weights(["s_1", "s_2", "s_3"], seed=0, start=0, stop=2).tolist()
    [[1, 0, 0], [1, 1, 2]]
    """
    return weights_of(hashes(post_ids), seed=seed, start=start, stop=stop)


def hashes(ids: Iterable[str] | NDArray[Any]) -> NDArray[np.uint64]:
    """The first 64 bits of the BLAKE2b digest of each id's UTF-8 text; what is hashed already stays.

    Parameters
    ----------
    ids : as text, or a uint64 array: the ids of a saved report, which holds no others.
    """
    if isinstance(ids, np.ndarray) and ids.dtype == np.uint64:
        return ids
    digests, fresh = bytearray(), hashlib.blake2b(digest_size=8).copy  # a copy takes less than one made anew
    for one in map(str.encode, map(str, ids.tolist() if isinstance(ids, np.ndarray) else ids)):
        digest = fresh()
        digest.update(one)
        digests += digest.digest()
    return np.frombuffer(digests, "<u8").astype(np.uint64)


def paired_hashes(first: NDArray[np.uint64], second: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A hash of each pair of hashed ids."""
    return _mixed(_mixed(first) ^ second)


def weights_of(hashed: NDArray[np.uint64], *, seed: int, start: int, stop: int) -> NDArray[np.uint8]:
    """As `poisson_weights`, for ids that `hashes` has hashed once; each post's lie together in memory."""
    of_seed = _mixed(np.uint64((seed + int(_GOLDEN)) % _WORD))
    replicate = _mixed(of_seed ^ np.arange(start, stop, dtype=np.uint64))
    of_post = _mixed(hashed)[:, None]
    weights = np.empty((len(of_post), len(replicate)), np.uint8)
    n = max(1, _BLOCK // max(1, len(replicate)))
    for first in range(0, len(of_post), n):
        weights[first : first + n] = _poisson(_mixed(of_post[first : first + n] ^ replicate))
    return weights.T


def _mixed(word: NDArray[np.uint64] | np.uint64) -> NDArray[np.uint64]:
    """SplitMix64: every bit of the result depends on every bit of the word (Steele et al. 2014)."""
    with np.errstate(over="ignore"):
        mixed = np.asarray(word, np.uint64) + _GOLDEN
        mixed ^= mixed >> np.uint64(30)
        mixed *= np.uint64(0xBF58476D1CE4E5B9)
        mixed ^= mixed >> np.uint64(27)
        mixed *= np.uint64(0x94D049BB133111EB)
        mixed ^= mixed >> np.uint64(31)
        return mixed


def _poisson(uniform: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """The number of steps that each 64-bit number reaches; its top bits mostly say it alone."""
    weights = np.take(_WEIGHT_OF_TOP, uniform >> np.uint64(64 - _TOP_BITS))
    open_ = weights == _OPEN
    weights[open_] = np.searchsorted(_STEPS, uniform[open_], side="right")
    return weights


def _steps() -> NDArray[np.uint64]:
    """P(weight ≤ k) · 2^64 for k = 0, 1, …: a 64-bit number has the weight of the steps that it reaches."""
    steps = []
    with localcontext(prec=60):
        at_most = Decimal(0)
        for k in range(64):
            at_most += Decimal(-1).exp() / factorial(k)
            step = int(at_most * _WORD)
            if step >= _WORD - 1:
                break
            steps.append(step)
    return np.array(steps, np.uint64)


_STEPS = _steps()
_OPEN = np.uint8(255)


def _weight_of_top() -> NDArray[np.uint8]:
    """The weight by the top bits of a number, `_OPEN` where the other bits decide; shape (2^16,)."""
    low = np.arange(1 << _TOP_BITS, dtype=np.uint64) << np.uint64(64 - _TOP_BITS)
    least = np.searchsorted(_STEPS, low, side="right")
    most = np.searchsorted(_STEPS, low | np.uint64((1 << (64 - _TOP_BITS)) - 1), side="right")
    return np.where(least == most, least, _OPEN).astype(np.uint8)


_WEIGHT_OF_TOP = _weight_of_top()
