"""Values of posts whose weighted totals have the same bits in any order, in any blocks, on any threads."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from evalcore.drawn.swaps import Swaps
from evalcore.problems import InputError, problem

_WEIGHT_BITS = 6
_FLOAT_BITS = 53
MOST_DRAWN = (1 << _WEIGHT_BITS) - 1
"""So often at most is a unit drawn in a replicate."""
_BLOCK_BYTES = 1 << 22  # of weights as floats at a time: fewer replicates take a product longer
LIMB_BITS = 26
"""Of a limb: the sum of 2^20 of them, each drawn up to 63 times, is below 2^53."""
MOST_ROWS = 1 << (_FLOAT_BITS - _WEIGHT_BITS - LIMB_BITS - 1)
MOST_COUNTED = float(1 << LIMB_BITS)
"""The largest count of a row: such a limb counts in ones."""
MOST_SHIFT = 900
"""No unit is smaller than the powers of two that a float holds and divides by."""
ROUNDING = 1e-9
"""By so much of itself a bound may be exceeded: a mean of ones may round to more than 1."""


@dataclass(frozen=True, eq=False)
class PostValues:
    """J values of each of P posts, split into parts that add without rounding.

    Parameters
    ----------
    parts : float64, shape (J, P); their sum is the values. Every weighted total of
        one part is a multiple of one power of two and below 2^53 of it, so float64 holds it exactly.
    """

    parts: tuple[NDArray[np.float64], ...]

    @staticmethod
    def from_rows(
        values: NDArray[np.float64],
        unit: NDArray[np.intp],
        n_units: int,
        *,
        bound: ArrayLike | None = None,
    ) -> PostValues:
        """The sums of rows by the unit that each is drawn with; neither order nor other rows change a bit.

        Each value is kept as whole multiples of 2^-52 of its bound, in limbs whose sums are exact.

        Parameters
        ----------
        values : float64, shape (N, J), finite.
        unit : int codes 0 … P − 1, shape (N,).
        n_units : P.
        bound : what no value's size exceeds, above 0, shape (J,) or one for all, known without the values.
            None or infinite takes values as counts, exactly; where they are none, the largest of the column
            is its bound, and sums of parts may differ in their last bits from those of the whole.

        Raises
        ------
        InputError : QRY-244 for a value beyond its bound.

        Examples
        --------
        >>> rows = np.array([[0.1], [0.2], [0.2]]), np.array([0, 1, 1]), 2
        >>> PostValues.from_rows(*rows, bound=1).totals(np.array([[1, 1], [3, 0]])).ravel().round(12).tolist()
        [0.5, 0.3]
        """
        largest = np.abs(values).max(axis=0, initial=0.0)
        limit = np.array(
            np.broadcast_to(np.inf if bound is None else np.asarray(bound), largest.shape), float
        )
        is_open = np.isinf(limit)
        if is_open.any():
            unbound = values[:, is_open]
            is_count = (largest[is_open] <= MOST_COUNTED) & (np.rint(unbound) == unbound).all(axis=0)
            limit[is_open] = np.where(is_count, MOST_COUNTED, largest[is_open])
        if (beyond := np.flatnonzero(largest > limit * (1 + ROUNDING))).size:
            found, expected = f"{largest[beyond[0]]:g}", f"{limit[beyond[0]]:g}"
            raise InputError([problem("QRY-244", found=found, expected=expected)])
        fraction, exponent = np.frexp(limit)
        # A product with a power of two is exact, and takes a fifth of the time of ``np.ldexp``.
        shift = np.minimum(LIMB_BITS - (exponent - (fraction == 0.5)), MOST_SHIFT)
        scaled = values * np.ldexp(1.0, shift)
        high = np.rint(scaled)
        limbs = [(high, 0), (np.rint((scaled - high) * 2.0**LIMB_BITS), LIMB_BITS)]
        if len(values) > MOST_ROWS:
            limbs = [half for limb in limbs for half in _halves(*limb)]
        sums = [
            (_by_unit(limb, unit, n_units) * np.ldexp(1.0, -(shift + below))).T
            for at, (limb, below) in enumerate(limbs)
            if at == 0 or limb.any()
        ]
        return PostValues(tuple(sums))

    @property
    def n_values(self) -> int:
        """J."""
        return int(self.parts[0].shape[0])

    @staticmethod
    def none(n_posts: int) -> PostValues:
        """No value of each of P posts."""
        return PostValues((np.empty((0, n_posts)),))

    @staticmethod
    def joined(values: Sequence[PostValues]) -> PostValues:
        """The values of several sets beside each other, at least one, of the same posts and all dense.

        Examples
        --------
        >>> one, other = (PostValues.from_rows(np.array([[x]]), np.array([0]), 1) for x in (1.0, 0.1))
        >>> PostValues.joined([one, other]).totals(np.array([[2]])).tolist()
        [[2.0, 0.2]]
        """
        n_parts = max(len(one.parts) for one in values)
        parts = [
            [one.parts[at] if at < len(one.parts) else np.zeros_like(one.parts[0]) for one in values]
            for at in range(n_parts)
        ]
        return PostValues(tuple(np.concatenate(part) for part in parts))

    def totals(self, weights: NDArray[Any] | Swaps) -> NDArray[np.float64]:
        """Weighted totals over the posts.

        Parameters
        ----------
        weights : whole numbers from −63 to 63, shape (B, P), or swaps.

        Returns
        -------
        float64, shape (B, J).
        """
        if isinstance(weights, Swaps):
            return np.asarray(sum(weights.times(part) for part in self.parts)).T
        # One product for all parts: what takes the time is to read the weights.
        high = self.parts[0]
        used = [np.flatnonzero(part.any(axis=1)) for part in self.parts[1:]]
        stacked = [high, *(part[rows] for part, rows in zip(self.parts[1:], used, strict=True))]
        product = _weighted(np.concatenate(stacked), weights.T)
        total, *others = np.split(product, np.cumsum([len(part) for part in stacked[:-1]]))
        for rows, other in zip(used, others, strict=True):
            total[rows] += other
        return np.asarray(total.T)


Result = TypeVar("Result")
Work = Generator[PostValues, NDArray[np.float64], Result]
"""What asks once for the totals of values, and returns what it makes of them."""


def totals_together(works: Sequence[Work[Result]], weights: NDArray[Any] | Swaps) -> list[Result]:
    """The results of works that each ask once for totals, from one product for all of them.

    A product reads all weights whether it serves one value or a hundred.

    Parameters
    ----------
    works : generators that yield the values of P posts and are sent their totals, shape (B, J).
    weights : as of `PostValues.totals`, shape (B, P).
    """
    asked = [next(work) for work in works]
    if not asked:
        return []
    ends = np.cumsum([one.n_values for one in asked])
    parts = np.split(PostValues.joined(asked).totals(weights), ends[:-1], axis=1)
    return [result_of(work, part) for work, part in zip(works, parts, strict=True)]


def result_of(work: Generator[Any, Any, Result], sent: Any) -> Result:
    """What a generator returns when it is sent what it asked for.

    Raises
    ------
    RuntimeError : for one that asks again.
    """
    try:
        work.send(sent)
    except StopIteration as end:
        result: Result = end.value
        return result
    raise RuntimeError("asks for totals twice")


def _weighted(values: NDArray[np.float64], by_post: NDArray[Any]) -> NDArray[np.float64]:
    """Totals over posts, shape (J, B), from values of shape (J, P) and weights of shape (P, B)."""
    n_posts, n_replicates = by_post.shape
    size = max(1, _BLOCK_BYTES // (8 * max(n_posts, 1)))
    product = np.empty((len(values), n_replicates))
    for start in range(0, n_replicates, size):
        block = slice(start, start + size)
        product[:, block] = values @ np.ascontiguousarray(by_post[:, block], np.float64)
    return product


def _halves(limb: NDArray[np.float64], below: int) -> list[tuple[NDArray[np.float64], int]]:
    """A limb as two of half its bits, of which 2^33 have an exact sum."""
    half = LIMB_BITS // 2
    high = np.rint(np.ldexp(limb, -half))
    return [(high, below - half), (limb - np.ldexp(high, half), below)]


def _by_unit(whole: NDArray[np.float64], unit: NDArray[np.intp], n_units: int) -> NDArray[np.float64]:
    """Sums of whole numbers by unit, exact in any order; shape (P, J)."""
    if len(unit) == n_units and np.array_equal(unit, np.arange(n_units)):
        return whole
    one_a_row = (np.ones(len(unit)), unit, np.arange(len(unit) + 1))
    return np.asarray(sparse.csc_array(one_a_row, shape=(n_units, len(unit))) @ whole)
