"""Whether two models differ: a permutation test that exchanges the two within whole posts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalcore.drawn.post_values import PairedPostValues
from evalcore.drawn.weights import hashes

Floats = NDArray[np.float64]
Words = NDArray[np.uint64]
PERMUTATIONS = 9999
_BLOCK = 512
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_PURPOSE = np.uint64(0x73776170)
"""Keeps these coins apart from the weights of a bootstrap with the same seed."""


@dataclass(frozen=True)
class SwapTest:
    """The result of a test by whole-post swaps.

    Parameters
    ----------
    difference : value of the second model − that of the first; NaN where either is undefined.
    p_value : two-sided, (1 + b) / (1 + B) with b the swaps whose difference is at least as large in
        magnitude; in [1 / (1 + B), 1]; NaN where the difference is.
    n_permutations : B.
    n_undefined : swaps without a difference; b counts them, which can only make p larger.
    """

    difference: float
    p_value: float
    n_permutations: int
    n_undefined: int


def post_swaps(post_ids: Sequence[str], *, seed: int, start: int, stop: int) -> NDArray[np.bool_]:
    """In which posts the two models change places, in the permutations from ``start`` to ``stop`` − 1.

    Each entry is a fair coin that depends on the seed, the permutation and the post's text alone: not on the
    order of the posts, on the other posts or on how the permutations are cut into blocks.

    Parameters
    ----------
    post_ids : P ids as text.
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
    >>> whole = post_swaps(["a", "b"], seed=0, start=0, stop=80)
    >>> part = post_swaps(["b"], seed=0, start=63, stop=66)
    >>> bool((part[:, 0] == whole[63:66, 1]).all())
    True
    """
    return swaps_of(hashes(post_ids), seed=seed, start=start, stop=stop)


def swaps_of(hashed: Words, *, seed: int, start: int, stop: int) -> NDArray[np.bool_]:
    """As `post_swaps`, for ids that `evalcore.drawn.weights.hashes` has hashed once."""
    keys = _mixed(hashed ^ _mixed(np.array([seed], np.uint64) ^ _PURPOSE))
    first, last = start // 64, -(-stop // 64)
    words = _mixed(keys + np.arange(first + 1, last + 1, dtype=np.uint64)[:, None] * _GOLDEN)
    permutation = np.arange(start, stop)
    shift = (permutation % 64).astype(np.uint64)
    return ((words[permutation // 64 - first] >> shift[:, None]) & np.uint64(1)).astype(bool)


def n_at_least(differences: Floats, observed: float) -> int:
    """How many differences are at least as large in magnitude as the observed one, undefined ones included.

    Equal ones may differ by rounding; a slack far below any real difference lets them count.
    """
    limit = abs(observed) * (1 - 1e-9) - 1e-12
    return int(np.count_nonzero(~(np.abs(differences) < limit)))


def post_swap_test(
    values: PairedPostValues,
    value: Callable[[Floats], Floats],
    post_ids: Sequence[str],
    *,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> SwapTest:
    """Test whether the two models are exchangeable, post by post, in what a statistic sees.

    Rows of one post stay together, so that their likeness does not make chance look like a difference.

    Parameters
    ----------
    values : J values of each of P posts under each model.
    value : from totals over posts, shape (B, J), to B values of the statistic, NaN where undefined.
    post_ids : P ids as text, no two alike.
    permutations : B, at least 1.
    seed : whole number from 0 on.

    Source
    ------
    statistics.md, "Comparing two models"; p = (1 + b) / (1 + B): Phipson and Smyth 2010.

    Examples
    --------
    >>> from evalcore.drawn.post_values import PostValues
    >>> sides = [PostValues.from_array(values) for values in ([[0], [0], [1]], [[1], [1], [1]])]
    >>> result = post_swap_test(
    ...     PairedPostValues(*sides), lambda totals: totals[:, 0] / 3, ["a", "b", "c"]
    ... )
    >>> round(result.difference, 3), 0.45 < result.p_value < 0.55
    (0.667, True)
    """
    observed = float(values.whole.differences(value).item())
    if np.isnan(observed):
        return SwapTest(observed, np.nan, permutations, 0)
    hashed = hashes(post_ids)
    n_large = n_undefined = 0
    for start in range(0, permutations, _BLOCK):
        stop = min(start + _BLOCK, permutations)
        swaps = swaps_of(hashed, seed=seed, start=start, stop=stop)
        differences = values.swapped(swaps).differences(value)
        n_large += n_at_least(differences, observed)
        n_undefined += int(np.isnan(differences).sum())
    return SwapTest(observed, (1 + n_large) / (1 + permutations), permutations, n_undefined)


def _mixed(words: Words) -> Words:
    """SplitMix64's finaliser."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))
