"""Defined values whose intervals are asked for, and the road to the replicates of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evalcore.evaluation.populations import population_of, value_over
from evalcore.spec import Metric, OfTotals, PerQuery, Spread

Replicates = NDArray[np.float64]
Params = Mapping[str, Any]
ON_ROWS = ("ScoreTable", "PairTable", "Confusion", "StateCounts")
"""Kinds of tally that count scored rows."""

ON_COUNTS = ("Confusion", "StateCounts")
"""Kinds of tally of a few counts, whose metrics take arrays of them."""

ON_TABLES = ("ScoreTable", "PairTable")
"""Kinds of tally of a table of scores, whose blocks of replicates are counted together."""


class Asked(NamedTuple):
    """A defined value whose interval is asked for.

    Parameters
    ----------
    metric : its declaration.
    made_with : the parameters that the tally was made with.
    tally : what the metric was computed on.
    given : what the metric's function was given.
    result : what it returned.
    population : what the value is over.
    """

    metric: Metric
    made_with: Params
    tally: Any
    given: Params
    result: Any
    population: str

    @property
    def of_totals(self) -> OfTotals | None:
        """The result where it is a value of totals."""
        return self.result if isinstance(self.result, OfTotals) else None

    @property
    def lies_beside(self) -> bool:
        """Whether its replicates lie beside the value."""
        return bool(self.metric.lies_beside) or (self.of_totals is not None and self.of_totals.lies_beside)

    @property
    def no_interval(self) -> str:
        """Why it has no interval; empty where it may have one."""
        return self.metric.no_interval or ("" if self.of_totals is None else self.of_totals.no_interval)

    @property
    def spread(self) -> Spread | None:
        """What it is the size of, where it tells how unlike figures are."""
        return None if self.of_totals is None else self.of_totals.spread

    @property
    def bounds(self) -> tuple[float, float]:
        """The range of the value in these data."""
        own = None if self.of_totals is None else self.of_totals.bounds
        return self.metric.bounds if own is None else own


def road_of(asked: Asked) -> str:
    """How its replicates are come by."""
    if isinstance(asked.result, PerQuery):
        return "units"
    if isinstance(asked.result, OfTotals):
        is_of_units = asked.metric.tally not in ON_ROWS and len(asked.metric.population) == 1
        return "totals" if is_of_units else "one at a time"
    if asked.metric.drawn is not None:
        return asked.metric.drawn.by
    if asked.metric.tally in ON_COUNTS:
        return "counts"
    return "tables" if asked.metric.tally in ON_TABLES else "one at a time"


def value_of(asked: Asked, tally: Any) -> float:
    """The metric of another tally of its kind."""
    result = asked.metric(tally, **asked.given)
    return value_over(asked.metric, tally, asked.given, result, asked.population)[0]


def function_of(asked: Asked) -> Any:
    """The faster way to its replicates that it declares."""
    assert asked.metric.drawn is not None
    return asked.metric.drawn.function


def entering(asked: Asked) -> Replicates:
    """The value of each query or post, NaN for those outside the population."""
    is_member = population_of(asked.population).members(asked.tally)
    return np.where(is_member, asked.result.values, np.nan)
