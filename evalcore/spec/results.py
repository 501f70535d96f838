"""What a metric gives of a tally: two counts, a value of each query, or a value of totals over units."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.quantiles import counted_values, exact_sum, quantiles

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Ratio:
    """A share or rate as its two counts, so that intervals and documents can use them.

    Parameters
    ----------
    numerator, denominator : counts, or arrays of counts over replicates.
    scale : what the quotient is multiplied by, such as 1000 for "per 1000".
    """

    numerator: Any
    denominator: Any
    scale: float = 1.0

    @property
    def value(self) -> Any:
        """Scaled quotient; NaN where the denominator is 0."""
        if np.ndim(self.numerator) == 0 and np.ndim(self.denominator) == 0:
            return (
                self.scale * float(self.numerator) / float(self.denominator) if self.denominator else math.nan
            )
        with np.errstate(divide="ignore", invalid="ignore"):
            quotient = self.scale * np.asarray(self.numerator, float) / np.asarray(self.denominator, float)
        return np.where(np.asarray(self.denominator) == 0, math.nan, quotient)


@dataclass(frozen=True)
class PerQuery:
    """One value per query (or post), shape (Q,); the metric is their mean or a quantile over a population.

    Parameters
    ----------
    values : float64, shape (Q,); NaN for a query that does not enter.
    quantile : which quantile the metric is (linear between values); None for the mean.
    population : of a variant that is over others than the metric, over whom; empty: as the metric declares.
    """

    values: NDArray[np.float64]
    quantile: float | None = None
    population: str = ""

    def over(self, members: NDArray[np.bool_], times: NDArray[np.int64] | None = None) -> tuple[float, int]:
        """Mean or quantile over the queries of a mask, and how many enter it; NaN where none does.

        Parameters
        ----------
        members : bool, shape (Q,).
        times : how many queries each value is of, shape (Q,); None: of one.
        """
        entered = members & ~np.isnan(self.values)
        of_each = None if times is None else times[entered]
        n = int(np.count_nonzero(entered) if of_each is None else of_each.sum())
        if not n:
            return math.nan, 0
        if self.quantile is None:
            return exact_sum(self.values[entered], of_each) / n, n
        ordered, counts = counted_values(self.values[entered], of_each)
        return quantiles(ordered, (self.quantile,), counts)[0], n


@dataclass(frozen=True)
class Spread:
    """How unlike figures of groups are, as figures and their size.

    Chance alone makes alike figures unlike, and never less than alike: neither percentiles over replicates
    nor a standard error are an interval of it. What chance adds to the figures has a size too, and by no more
    than that does the size of the figures move.

    Parameters
    ----------
    figures : of totals, shape (..., J), giving those of C groups, shape (..., C); NaN of a group without one.
    size : of figures, shape (..., C), giving shape (...), of at least two that are no NaN: 0 for all alike,
        that of a sum at most the sum of sizes, and the same whatever the sign.
    """

    figures: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    size: Callable[[NDArray[np.float64]], NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class OfTotals:
    """A value of totals over units: what each unit adds to them, and what they give.

    Sums of units drawn give its replicates, so that what is no mean, such as a count of distinct items or a
    ratio of sums, needs no second definition.

    Parameters
    ----------
    columns : what each of Q units adds to J totals, shape (Q, J), dense or a sparse array; finite.
    value : of totals, shape (..., J), giving values of shape (...); NaN where these are undefined.
    n : how many units or pairs the value is over.
    reason : of totals, shape (J,), why they give no value: one of those that the metric declares as
        ``otherwise``; None where there is one reason at most.
    bounds : the range of the value in these data, where it is known to be narrower than that of the metric.
    spread : what the value is the size of, where it tells how unlike figures are.
    lies_beside : whether its replicates lie beside it, as those of a metric that declares so.
    no_interval : as of a metric, where it depends on the parameters.
    among : of a number of units, whom it counts among, bool of shape (Q,): as many in every replicate.
    """

    columns: Any
    value: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    n: int
    reason: Callable[[NDArray[np.float64]], str] | None = None
    bounds: tuple[float, float] | None = None
    spread: Spread | None = None
    lies_beside: bool = False
    no_interval: str = ""
    among: Mask | None = None

    @property
    def of_all(self) -> float:
        """The value of the totals over all units, to the bit in any order of them."""
        return float(self.value(self._totals))

    @property
    def why(self) -> str:
        """Why the totals over all units give no value; empty where that is not told."""
        return "" if self.reason is None else self.reason(self._totals)

    @property
    def _totals(self) -> NDArray[np.float64]:
        """The sum of each column, in which no rounding is seen."""
        columns = self.columns
        if not hasattr(columns, "tocsc"):
            return np.array([math.fsum(one) for one in np.asarray(columns, np.float64).T.tolist()])
        if (np.rint(columns.data) == columns.data).all():
            return np.array(columns.sum(axis=0), np.float64)  # counts: their sum has no rounding
        by_column = columns.tocsc()
        found = np.zeros(columns.shape[1])
        for at in np.flatnonzero(np.diff(by_column.indptr)).tolist():
            found[at] = math.fsum(by_column.data[by_column.indptr[at] : by_column.indptr[at + 1]])
        return found


def wrong_shape(found: Any) -> str:
    """What is wrong with the shape of what a metric gives for each unit; empty where nothing is."""
    if isinstance(found, OfTotals) and np.ndim(found.columns) != 2 and not hasattr(found.columns, "tocsc"):
        return f"columns of shape {np.shape(found.columns)}, expected (Q, J): a row a unit, a column a total"
    if isinstance(found, PerQuery) and np.ndim(found.values) != 1:
        return f"values of shape {np.shape(found.values)}, expected (Q,): one of each query or user"
    return ""
