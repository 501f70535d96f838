"""From one tally to the rows of the table: every metric, variant and parameter."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np

from evalcore.catalog import METRICS
from evalcore.data import Data
from evalcore.evaluation.options import Options
from evalcore.evaluation.tallies import Tally
from evalcore.spec import Metric, PerQuery, Ratio

NOT_A_PROBABILITY = "the score is not a probability (score kind: score)"


def values(
    data: Data, options: Options, tallies: Iterator[Tally], place: tuple[str, str, str]
) -> Iterator[tuple[Any, ...]]:
    """Every row of the table that the tallies of one place (model, group_by, group) give."""
    for kind, made_with, tally in tallies:
        for metric in [m for m in METRICS.values() if m.tally == kind]:
            for params in _grid(metric, options):
                for variant in metric.variants or {"default": ""}:
                    yield from _value(data, options, metric, tally, {**made_with, **params}, variant, place)


def _grid(metric: Metric, options: Options) -> Iterator[dict[str, Any]]:
    """Every combination of the metric's own parameters; what options do not name takes its default."""
    defaults = inspect.signature(metric.function).parameters
    offered: dict[str, tuple[Any, ...]] = {"k": (*options.ks, None), "fpr": options.fprs}
    own = [name for name in metric.params if name in defaults]
    values = [offered.get(name, (defaults[name].default,)) for name in own]
    for combination in product(*values):
        yield dict(zip(own, combination, strict=True))


def _value(
    data: Data,
    options: Options,
    metric: Metric,
    tally: Any,
    params: Mapping[str, Any],
    variant: str,
    place: tuple[str, str, str],
) -> Iterator[tuple[Any, ...]]:
    """The rows of one metric, one for each population."""
    accepted = inspect.signature(metric.function).parameters
    given = {name: value for name, value in params.items() if name in accepted}
    if "variant" in accepted:
        given["variant"] = variant
    if metric.needs_probability and data.score_kind == "score":
        results = dict.fromkeys(metric.population, (math.nan, 0, NOT_A_PROBABILITY))
    else:
        results = measure(metric, tally, given)
    model, group_by, group = place
    printed = ";".join(
        f"{name}={_text(params[name])}" for name in metric.params if params.get(name) is not None
    )
    named = (
        variant
        if options.ties == "trec" or metric.tally != "RankedQueries"
        else _joined(variant, options.ties)
    )
    for population, (value, n, note) in results.items():
        if math.isnan(value) and options.undefined == "contract" and note != NOT_A_PROBABILITY:
            fill = metric.contract_value
            value = float(fill(tally) if callable(fill) else fill)
            note = f"filled as document 000 §5 prints: {note}"
        ci = (math.nan, math.nan, math.nan, "")
        row = (metric.family, metric.name, printed, named, population, model, group_by, group, value, n)
        yield (*row, *ci, note)


def measure(metric: Metric, tally: Any, params: Mapping[str, Any]) -> dict[str, tuple[float, int, str]]:
    """One metric on one tally: population → (value, n, note); the note gives the reason of a NaN."""
    result = metric(tally, **params)
    reason = metric.reason(tally, params.get("variant"))
    remark = metric.remark(tally, **params) if metric.remark is not None and reason is None else ""
    if isinstance(result, PerQuery):
        with_gold = tally.n_gold > 0
        masks = {"positives_only": with_gold, "all_queries": np.ones(len(with_gold), bool)}
        measured = {}
        for population in metric.population:
            values = result.values[masks[population]]
            empty = "no query with gold" if population == "positives_only" else "no queries"
            value = math.fsum(values) / len(values) if len(values) else math.nan
            measured[population] = (value, len(values), remark if len(values) else empty)
        return measured
    if isinstance(result, Ratio):
        value, n = float(result.value), int(result.denominator)
    else:
        value, n = float(result), int(tally.total)
    if math.isnan(value) and reason is None:
        reason = "not computable on these data"
    return dict.fromkeys(metric.population, (value, n, reason or remark))


def _joined(variant: str, ties: str) -> str:
    return ties if variant == "default" else f"{variant};{ties}"


def _text(value: Any) -> str:
    return repr(float(value)) if isinstance(value, float) else str(value)
