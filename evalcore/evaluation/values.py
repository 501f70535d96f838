"""From one tally to the rows of the table: every metric, variant and parameter."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from evalcore.catalog import METRICS
from evalcore.data import Data
from evalcore.evaluation.gathering.tallies import Tally
from evalcore.evaluation.intervals.bounds import Bounds, Sample
from evalcore.evaluation.intervals.defined_values import Asked, Replicates
from evalcore.evaluation.options import Options
from evalcore.evaluation.parameters import parameters
from evalcore.evaluation.populations import population_of, units_in, value_over
from evalcore.evaluation.row import Place, Row
from evalcore.quantiles import counted_values, quantiles, standard_deviation
from evalcore.rows import kept_with
from evalcore.spec import Metric, OfTotals, PerQuery
from evalcore.tallies.counted_queries import each
from evalcore.text.numerals import between

USUAL, TREC = "default", "trec"
"""What a metric, and the order of ties, is named when nobody says otherwise: it is not printed."""
ON_GRID = "the scores are known by the points of a grid, not by their value"
NOT_A_PROBABILITY = "the score is not a probability (score kind: score)"


class Cell(NamedTuple):
    """One value on its way into the table.

    Parameters
    ----------
    row : without its interval.
    asked : the metric with what it was computed on and what it gave.
    variant : of the metric, whatever its tally was made with.
    value, note : as they are where nothing fills an undefined value; the note is its reason, or a remark.
    is_spread : whether it tells how values spread, and is not the metric's own.
    """

    row: Row
    asked: Asked
    variant: str
    value: float
    note: str
    is_spread: bool

    @property
    def is_drawn(self) -> bool:
        """Whether chance is asked for: of the metric itself, not of what a label left open could change."""
        return not self.is_spread and _treatment(self.asked.made_with) == USUAL


class Valued(NamedTuple):
    """Rows of the table, each with its value in every bootstrap replicate where these are kept and exist."""

    rows: list[Row]
    replicates: list[Replicates | None]
    cells: list[Cell]


def values(
    data: Data,
    options: Options,
    tallies: Iterator[Tally],
    sample: Sample,
    place: Place,
    *,
    with_replicates: bool = False,
) -> Valued:
    """Every row of the table that the tallies of one place give, with intervals from what they rest on.

    Parameters
    ----------
    with_replicates : whether the values' replicates are kept, for means over groups.
    """
    cells = [
        cell
        for kind, made_with, tally in tallies
        for metric in of_tally(kind, made_with.get("labels"))
        if not options.metrics or metric.key in options.metrics
        for params in grid(metric, options)
        for variant in metric.variants or (USUAL,)
        for cell in _value(data, options, metric, tally, made_with, params, variant, sample, place)
    ]
    whose = [at for at, cell in enumerate(cells) if cell.is_drawn and not math.isnan(cell.value)]
    asked = [cells[at].asked for at in whose]
    bounds, drawn = sample.intervals(asked, with_replicates=with_replicates)
    rows: list[Row] = [cell.row for cell in cells]
    replicates: list[Replicates | None] = [None] * len(rows)
    for at, found, of_row in zip(whose, bounds, drawn, strict=True):
        rows[at] = rows[at]._replace(
            ci_low=found.low, ci_high=found.high, ci_level=found.level, ci_method=found.method
        )
        replicates[at] = of_row if with_replicates else None
    return Valued(rows, replicates, cells)


@cache
def of_tally(kind: str, labels: tuple[str, ...] | None = None) -> tuple[Metric, ...]:
    """The metrics of a kind of tally, in the order of the catalogue; only by these labels of annotators."""
    return tuple(
        metric
        for metric in METRICS.values()
        if metric.tally == kind and (labels is None or set(metric.labels) <= set(labels))
    )


def grid(metric: Metric, options: Options) -> list[dict[str, Any]]:
    """Every combination of the metric's own parameters; what options do not name takes its default."""
    return kept_with(options, f"grid of {metric.key} {metric.params}", lambda: _grid(metric, options))


def _grid(metric: Metric, options: Options) -> list[dict[str, Any]]:
    defaults = parameters(metric)
    ks = options.ks if metric.is_cut else (*options.ks, None)
    offered: dict[str, tuple[Any, ...]] = {"k": ks, "fpr": options.fprs, "pop_ratio": (options.pop_ratio,)}
    own = [name for name in metric.params if name in defaults]
    values = [offered.get(name, (defaults[name].default,)) for name in own]
    usual = [dict(zip(own, combination, strict=True)) for combination in product(*values)]
    found: list[dict[str, Any]] = []
    for given in ({}, *options.settings_of(metric)):
        found += [asked for one in usual if (asked := {**one, **given}) not in found]
    return found


def _value(
    data: Data,
    options: Options,
    metric: Metric,
    tally: Any,
    made_with: Mapping[str, Any],
    own: Mapping[str, Any],
    variant: str,
    sample: Sample,
    place: Place,
) -> Iterator[Cell]:
    """The values of one metric, one for each population, and how they spread."""
    tally = tally if metric.takes_counted else each(tally)
    params = {**made_with, **own}
    accepted = parameters(metric)
    given = {name: value for name, value in params.items() if name in accepted}
    if "variant" in accepted:
        given["variant"] = variant
    result: Any = None
    why = _without_probability(metric, tally, data)
    if why:
        results = [(population, "", math.nan, 0, why) for population in metric.population]
    else:
        result = metric(tally, **given)
        is_usual = variant == metric.default_variant and _treatment(made_with) == USUAL
        with_spread = is_usual and not metric.is_share
        results = _measured(metric, tally, given, result, with_spread=with_spread)
    printed = [f"{name}={_text(params[name])}" for name in metric.params if params.get(name) is not None]
    ties = options.ties if metric.tally == "RankedQueries" else TREC
    named = [name for name in (variant, ties, _treatment(made_with)) if name not in (USUAL, TREC)]
    for population, spread, value, n, note in results:
        if not spread and not math.isnan(value) and sample.resampling is not None:
            note = note or _other_interval(sample.by_delong(metric, tally))
        own_value, own_note = value, note
        if math.isnan(value) and options.undefined == "contract" and not why:
            fill = metric.contract_value
            value = float(fill(tally) if callable(fill) else fill)
            note = f"filled as document 000 §5 prints: {note}"
        row = Row(
            family=metric.family,
            metric=metric.name,
            params=";".join([*printed, *([spread] if spread else [])]),
            variant=";".join(named) or USUAL,
            population=population,
            model=place.model,
            group_by=place.group_by,
            group=place.group,
            value=value,
            n=n,
            note=note,
        )
        is_used = sample.resampling is not None or metric.cases is not None or metric.is_share
        asked = Asked(metric, made_with, tally, given, result if is_used else None, population)
        yield Cell(row, asked, variant, own_value, own_note, bool(spread))


def _without_probability(metric: Metric, tally: Any, data: Data) -> str:
    """Why a metric of probabilities has no value, where there are none; empty for any other."""
    if not metric.needs_probability:
        return ""
    is_on_grid = not getattr(tally, "holds_scores", True)
    return NOT_A_PROBABILITY if data.score_kind == "score" else ON_GRID if is_on_grid else ""


def _other_interval(bounds: Bounds) -> str:
    """DeLong's interval beside that of the bootstrap, as a remark; empty where there is none."""
    if math.isnan(bounds.low):
        return ""
    ends = between(bounds.low, bounds.high)
    return f"DeLong, which takes rows as independent: {ends} ({100 * bounds.level:g} %)"


Measured = tuple[str, str, float, int, str]


def measure(
    metric: Metric, tally: Any, params: Mapping[str, Any], *, with_spread: bool = False
) -> list[Measured]:
    """One metric on one tally: (population, spread, value, n, note); the note gives the reason of a NaN.

    The spread is empty for the metric itself, or names a statistic: ``stat=median;over=queries``.
    """
    tally = tally if metric.takes_counted else each(tally)
    return _measured(metric, tally, params, metric(tally, **params), with_spread=with_spread)


def _measured(
    metric: Metric, tally: Any, params: Mapping[str, Any], result: Any, *, with_spread: bool
) -> list[Measured]:
    if isinstance(result, PerQuery) or len(metric.population) > 1:
        own = getattr(result, "population", "")
        return [
            measured
            for population in ((own,) if own else metric.population)
            for measured in _over(metric, tally, params, result, population, with_spread)
        ]
    (population,) = metric.population
    value, n = value_over(metric, tally, params, result, population)
    return [(population, "", value, n, _remark(metric, tally, params, value, result))]


NOT_COMPUTABLE = "not computable on these data"


def _remark(metric: Metric, tally: Any, params: Mapping[str, Any], value: float, result: Any) -> str:
    """The reason of a NaN, or what the metric says beside a value."""
    if math.isnan(value):
        return metric.reason(tally, params.get("variant")) or _otherwise(metric, result)
    return getattr(tally, "told", "") if metric.remark is None else metric.remark(tally, **params)


def _otherwise(metric: Metric, result: Any) -> str:
    """Why there is no value where no declared case holds."""
    told = result.why if isinstance(result, OfTotals) else ""
    return told or next(iter(metric.otherwise), NOT_COMPUTABLE)


def _over(
    metric: Metric,
    tally: Any,
    params: Mapping[str, Any],
    result: Any,
    population: str,
    with_spread: bool,
) -> Iterator[Measured]:
    """The value over one population of queries or posts and, where asked, how they spread about it."""
    whose = population_of(population)
    members = whose.members(tally)
    value, n = value_over(metric, tally, params, result, population)
    if math.isnan(value):
        why = metric.reason(tally, variant := params.get("variant"))
        why = why or (metric.reason(tally.where(members), variant) if members.any() else whose.empty)
        yield population, "", value, n, why or _otherwise(metric, result)
        return
    yield population, "", value, n, _remark(metric, tally, params, value, result)
    if with_spread and isinstance(result, PerQuery) and result.quantile is None:
        entered = members & ~np.isnan(result.values)
        times = getattr(tally, "of_each", None)
        spread = _spread(result.values[entered], None if times is None else times[entered])
        for name, figure in spread.items():
            yield population, f"stat={name};over={units_in(population)}", figure, n, ""


def _spread(values: Any, times: Any) -> dict[str, float]:
    """Population standard deviation and linear quartiles of the queries' values, to the bit in any order."""
    ordered, n = counted_values(values, times)
    p25, median, p75 = quantiles(ordered, (0.25, 0.5, 0.75), n)
    return {"sd": standard_deviation(ordered, n), "p25": p25, "median": median, "p75": p75}


def _treatment(made_with: Mapping[str, Any]) -> str:
    """What the tally was made to do about labels that are not settled."""
    return str(made_with.get("treatment", USUAL))


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return "+".join(map(_text, value))
    return repr(float(value)) if isinstance(value, float) else str(value)
