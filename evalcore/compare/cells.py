"""The rows of a comparison before anything is resampled: every metric on every pair of tallies."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evalcore.compare.options import CompareOptions
from evalcore.compare.pairs import Pair
from evalcore.evaluation.intervals.defined_values import Asked
from evalcore.evaluation.parameters import parameters
from evalcore.evaluation.populations import value_over
from evalcore.spec import Metric, OfTotals

WITH_GOLD = "positives_only"


@dataclass(frozen=True, eq=False)
class Cell:
    """One metric on one pair of tallies.

    Parameters
    ----------
    pair : the tallies.
    metric : its declaration.
    given : the parameters of its function.
    population : what the value is over.
    params : as printed.
    values : of the first system and of the second; NaN where undefined.
    ns : how many queries or posts enter under each: its denominators.
    note : the reason of a NaN.
    of_results : why its values have no interval, beside what their metric declares.
    """

    pair: Pair
    metric: Metric
    given: Mapping[str, Any]
    population: str
    params: str
    values: tuple[float, float]
    ns: tuple[int, int]
    note: str
    of_results: str = ""

    @property
    def difference(self) -> float:
        """The second system's value − the first's."""
        return self.values[1] - self.values[0]

    @property
    def key(self) -> tuple[str, str, str]:
        """What tells it from the other cells of its pair."""
        return self.metric.key, self.params, self.population

    @property
    def why_no_interval(self) -> str:
        """Why the difference has no interval: as the value; empty where it may have one.

        What a replicate adds to a distance it adds to the smaller one most, so that it does not cancel in the
        difference (docs/coverage.md).
        """
        return self.metric.no_interval or self.of_results

    @property
    def is_testable(self) -> bool:
        """Whether systems are swapped: always but for a value without an interval that only takes long.

        A swap needs no interval: if nothing differs, the two systems with units swapped are as good as they.
        """
        return not self.metric.no_interval or self.metric.drawn is not None

    def asked(self, tally: Any) -> Asked:
        """The metric of a tally of this pair's kind, as its replicates are asked for."""
        result = self.metric(tally, **self.given)
        return Asked(self.metric, self.pair.made_with, tally, self.given, result, self.population)


def cells_of(
    pairs: Iterable[Pair], metrics: Sequence[Metric], options: CompareOptions, *, with_gold: bool
) -> Iterator[Cell]:
    """The cells of pairs of tallies.

    Parameters
    ----------
    pairs : of the groups that are compared.
    metrics : those that are wanted and that the systems allow.
    options : with K and the false-positive budget.
    with_gold : whether only queries with gold are compared, so that values over others are none of these.
    """
    for pair in pairs:
        for metric in metrics:
            if metric.tally == pair.kind:
                is_gold = with_gold and WITH_GOLD in metric.population
                yield _cell(pair, metric, options, WITH_GOLD if is_gold else metric.population[0])


def _cell(pair: Pair, metric: Metric, options: CompareOptions, population: str) -> Cell:
    accepted = parameters(metric)
    own = {
        name: _own(metric, name, accepted[name].default, options)
        for name in metric.params
        if name in accepted
    }
    given = {name: value for name, value in pair.made_with.items() if name in accepted} | own
    results = [metric(tally, **given) for tally in pair.tallies]
    (first, n_first), (second, n_second) = (
        value_over(metric, tally, given, result, population)
        for tally, result in zip(pair.tallies, results, strict=True)
    )
    why = next((one.no_interval for one in results if isinstance(one, OfTotals)), "")
    printed = [
        f"{name}={_text(value)}" for name, value in {**pair.printed, **own}.items() if value is not None
    ]
    note = _reasons(metric, pair) if math.isnan(second - first) else ""
    return Cell(
        pair,
        metric,
        given,
        population,
        ";".join(printed),
        (first, second),
        (n_first, n_second),
        note,
        why,
    )


def _own(metric: Metric, name: str, default: Any, options: CompareOptions) -> Any:
    """The value of one of a metric's own parameters."""
    k = None if metric.is_of_whole_list else options.k
    offered = {"k": k, "fpr": options.fpr, "pop_ratio": options.pop_ratio}
    return offered.get(name, default)


def _reasons(metric: Metric, pair: Pair) -> str:
    """Why a value is undefined under one of the systems."""
    first, second = (metric.reason(tally, metric.default_variant) or "" for tally in pair.tallies)
    if first == second:
        return first or next(iter(metric.otherwise), "not computable on these data")
    named = (("first", first), ("second", second))
    return "; ".join(f"{name} model: {reason}" for name, reason in named if reason)


def _text(value: Any) -> str:
    return repr(value) if isinstance(value, float) else str(value)
