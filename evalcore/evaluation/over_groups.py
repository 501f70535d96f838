"""Figures over groups: the mean of a metric's group values and, over folds, their spread."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from statistics import pstdev, stdev

from scipy import special

from evalcore.catalog import METRICS
from evalcore.evaluation.intervals.bounds import NONE, Bounds
from evalcore.evaluation.row import Row

FOLD = "fold"
LEVEL = 0.95


CUT = "the t-interval is cut to the range of the metric, {low:g} to {high:g}"
Cell = tuple[str, ...]


def cell_of(row: Row) -> Cell:
    """What a value is of, whichever group it is over."""
    return row.family, row.metric, row.params, row.variant, row.population


def over_groups(rows: Iterable[Row], means: Mapping[Cell, Bounds] | None = None) -> Iterator[Row]:
    """The mean over the groups of one column (macro) for each metric, and over folds the standard deviations.

    Parameters
    ----------
    rows : rows of one model and one column of a breakdown.
    means : the intervals of means over groups that are no folds, by what they are of.

    Returns
    -------
    Rows whose ``params`` end in ``stat=mean;over=criterion`` and the like. Groups without a value are left
    out; ``n`` says how many entered and ``note`` how many there are. The spread over folds comes as 1/N
    (`population`, document 001 §6) and as 1/(N − 1) (`sample`); the latter gives the mean its t-interval,
    cut where it would leave the range of the metric: ``ci_method`` and ``note`` say so.
    """
    cells: dict[Cell, list[Row]] = {}
    for row in rows:
        if "stat=" not in row.params:
            cells.setdefault(cell_of(row), []).append(row)
    for cell, of_cell in cells.items():
        yield from _figures(of_cell, (means or {}).get(cell, NONE))


def _figures(rows: list[Row], bounds: Bounds) -> Iterator[Row]:
    first = rows[0]
    over = "folds" if first.group_by == FOLD else first.group_by
    values = [row.value for row in rows if not math.isnan(row.value)]
    note = f"{len(values)} of {len(rows)} groups entered"
    missing = [f"{row.group}: {row.note}" for row in rows if math.isnan(row.value)]
    note += f" ({'; '.join(missing)})" if missing else ""
    whole = Row(*first[:6], group_by="", group="", value=math.nan, n=len(values), note=note)

    def figure(stat: str, value: float, variant: str) -> Row:
        params = ";".join([*([first.params] if first.params else []), f"stat={stat}", f"over={over}"])
        return whole._replace(params=params, variant=variant, value=value)

    mean = figure("mean", math.fsum(values) / len(values) if values else math.nan, first.variant)
    if over != "folds":
        low, high, level, method = bounds
        yield mean._replace(ci_low=low, ci_high=high, ci_level=level, ci_method=method)
        return
    if len(values) > 1:
        range_of_metric = METRICS[f"{first.family}.{first.metric}"].bounds
        mean = _with_t_interval(mean, values, range_of_metric)
    yield mean
    yield figure("sd", pstdev(values) if values else math.nan, _joined(first.variant, "population"))
    yield figure("sd", stdev(values) if len(values) > 1 else math.nan, _joined(first.variant, "sample"))


def _with_t_interval(mean: Row, values: list[float], range_of_metric: tuple[float, float]) -> Row:
    """The mean over folds with its interval from their 1/(N − 1) spread; it takes folds as independent.

    The t distribution knows no range: what lies beyond that of the metric is impossible and cut off.
    """
    n = len(values)
    if len(set(values)) == 1:
        return mean._replace(ci_method=f"not_estimable(alike_in_folds;folds={n})")
    half = float(special.stdtrit(n - 1, (1 + LEVEL) / 2)) * stdev(values) / math.sqrt(n)
    lowest, highest = range_of_metric
    low, high = max(mean.value - half, lowest), min(mean.value + half, highest)
    is_cut = (low, high) != (mean.value - half, mean.value + half)
    return mean._replace(
        ci_low=low,
        ci_high=high,
        ci_level=LEVEL,
        ci_method=f"t(folds={n};sides=2{';cut' if is_cut else ''})",
        note=f"{mean.note}; {CUT.format(low=lowest, high=highest)}" if is_cut else mean.note,
    )


def _joined(variant: str, other: str) -> str:
    return other if variant == "default" else f"{variant};{other}"
