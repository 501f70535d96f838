"""Values of posts whose weighted totals have the same bits in any order, in any blocks, on any threads."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from evalcore.drawn.swaps import Swaps

_WEIGHT_BITS = 6
_FLOAT_BITS = 53


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
    def from_rows(values: NDArray[np.float64], unit: NDArray[np.intp], n_units: int) -> PostValues:
        """The sums of rows by the unit that each is drawn with; the order of rows changes no bit.

        Parameters
        ----------
        values : float64, shape (N, J), finite.
        unit : int codes 0 … P − 1, shape (N,).
        n_units : P.

        Examples
        --------
        >>> values = PostValues.from_rows(np.array([[0.1], [0.2], [0.2]]), np.array([0, 1, 1]), 2)
        >>> values.totals(np.array([[1, 1], [3, 0]])).ravel().tolist()
        [0.5, 0.30000000000000004]
        """
        largest = len(values) * np.abs(values).max(initial=0.0)
        shift = _FLOAT_BITS - _WEIGHT_BITS - 1 - int(np.frexp(largest)[1])
        high = np.rint(np.ldexp(values, shift))
        parts = [np.ldexp(_by_unit(high, unit, n_units), -shift)]
        low = np.rint(np.ldexp(np.ldexp(values, shift) - high, shift))
        if low.any():
            parts.append(np.ldexp(_by_unit(low, unit, n_units), -2 * shift))
        return PostValues(tuple(part.T for part in parts))

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
        first = np.concatenate([one.parts[0] for one in values])
        second = [one.parts[1] if len(one.parts) > 1 else np.zeros_like(one.parts[0]) for one in values]
        return PostValues((first, np.concatenate(second)))

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
        by_post = np.ascontiguousarray(np.asarray(weights, np.float64).T)
        # One product for both parts: what takes the time is to read the weights.
        high = self.parts[0]
        used = [np.flatnonzero(part.any(axis=1)) for part in self.parts[1:]]
        stacked = [high, *(part[rows] for part, rows in zip(self.parts[1:], used, strict=True))]
        product = np.concatenate(stacked) @ by_post
        total = product[: len(high)]
        for rows in used:
            total[rows] += product[len(high) : len(high) + len(rows)]
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


def _by_unit(whole: NDArray[np.float64], unit: NDArray[np.intp], n_units: int) -> NDArray[np.float64]:
    """Sums of whole numbers by unit, exact in any order; shape (P, J)."""
    if len(unit) == n_units and np.array_equal(unit, np.arange(n_units)):
        return whole
    one_a_row = (np.ones(len(unit)), unit, np.arange(len(unit) + 1))
    return np.asarray(sparse.csc_array(one_a_row, shape=(n_units, len(unit))) @ whole)
