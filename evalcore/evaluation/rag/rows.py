"""From the judgements of one group to rows of the table: metrics, variants, cut-offs and treatments."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalcore.annotations import UNSAID, RagTask
from evalcore.catalog import METRICS
from evalcore.evaluation.intervals import NONE, Bounds
from evalcore.evaluation.options import Options
from evalcore.evaluation.rag.coverage import Coverage, Tally, coverage, in_words
from evalcore.evaluation.rag.groups import Judged
from evalcore.evaluation.rag.intervals import NOT_ESTIMABLE, Draws
from evalcore.evaluation.row import Row
from evalcore.evaluation.values import measure
from evalcore.metrics.rag import SHARES
from evalcore.spec import Metric
from evalcore.tallies.judgements import TIED, TREATMENTS, JudgedChunks, panels_at

MODEL = "annotations"


@dataclass
class Cell:
    """One value on its way into the table."""

    metric: Metric
    k: int | None
    variant: str
    treatment: str
    tally: Tally
    values: NDArray[np.float64]
    value: float
    n: int

    @property
    def is_default(self) -> bool:
        """Whether it is the metric as it is meant when nobody says otherwise."""
        return self.variant == self.metric.default_variant and self.treatment == "default"

    @property
    def params(self) -> str:
        """As the table prints them."""
        return "" if self.k is None else f"k={self.k}"

    @property
    def named(self) -> str:
        """The variant as the table prints it."""
        parts = [name for name in (self.variant, self.treatment) if name != "default"]
        return ";".join(parts) or "default"


def metrics_of(task: RagTask) -> list[Metric]:
    """The metrics that are computed from the responses of a task."""
    return [m for m in METRICS.values() if m.function.__module__ == f"evalcore.metrics.rag.{task}"]


def treatments_of(judged: Judged) -> list[str]:
    """The treatments that can change a value of these judgements; the default always."""
    is_tied = any((state == TIED).any() for state in judged.state.values())
    is_open = any((state == UNSAID).any() for state in judged.state.values())
    if isinstance(judged, JudgedChunks):
        is_open |= bool(panels_at(judged, None).is_incomplete.any())
    names = [name for name in TREATMENTS if not name.startswith("ties") or is_tied]
    names = [name for name in names if not name.startswith("fill") or is_open]
    return [name for name in names if name != "as_is" or (isinstance(judged, JudgedChunks) and is_open)]


def rows_of(
    task: RagTask,
    judged: Judged,
    treatments: list[str],
    draws: Draws,
    options: Options,
    group: tuple[str, str],
    weakest_of: Mapping[str, str],
) -> tuple[list[Row], list[Coverage]]:
    """Every row that the judgements of one group give, and what the default values rest on.

    ``weakest_of`` says of each metric the weakest agreement that it rests on, over all groups.
    """
    cells = list(_cells(task, judged, treatments, options))
    in_means = [c for c in cells if c.metric.key not in SHARES and c.treatment == "default" and c.n]
    of_means = draws.of_means([c.values for c in in_means], judged.record)
    bounds = {id(cell): found for cell, found in zip(in_means, of_means, strict=True)}
    rows: list[Row] = []
    covers: list[Coverage] = []
    unit = "queries" if task == "retrieval" else "answers"
    for cell in cells:
        found = bounds.get(id(cell), NONE)
        if cell.metric.key in SHARES and cell.treatment == "default":
            found = draws.of_share(cell.values, judged.record)
        remarks = [_remark(cell)]
        if cell.is_default:
            same = [c for c in cells if (c.metric, c.k, c.variant) == (cell.metric, cell.k, cell.variant)]
            values = {c.treatment: (c.value, c.n) for c in same}
            rests_on = coverage(cell.metric, cell.tally, (cell.params, *group), values)
            remarks.append(in_words(rests_on, unit))
            covers.append(rests_on._replace(left_out="; ".join(filter(None, remarks))))
            remarks.append(weakest_of[cell.metric.key])
        if found.method == NOT_ESTIMABLE:
            remarks.append(f"interval {NOT_ESTIMABLE}")
            found = NONE
        note = "; ".join(remark for remark in remarks if remark)
        rows.append(_row(cell, cell.params, cell.value, cell.n, found, note, group, options))
        if cell.is_default and cell.metric.key not in SHARES:
            for _, spread, value, n, _ in measure(cell.metric, cell.tally, {}, with_spread=True)[1:]:
                params = ";".join(part for part in (cell.params, spread) if part)
                rows.append(_row(cell, params, value, n, NONE, "", group, options))
    return rows, covers


def _remark(cell: Cell) -> str:
    """Why there is no value, or what the metric remarks on the one that there is."""
    given = {"variant": cell.variant} if cell.metric.variants else {}
    if math.isnan(cell.value):
        return cell.metric.reason(cell.tally, cell.variant) or "not computable on these data"
    return cell.metric.remark(cell.tally, **given) if cell.metric.remark is not None else ""


def _row(
    cell: Cell,
    params: str,
    value: float,
    n: int,
    interval: Bounds,
    note: str,
    group: tuple[str, str],
    options: Options,
) -> Row:
    fill = cell.metric.contract_value
    if math.isnan(value) and options.undefined == "contract" and not callable(fill):
        value, note = fill, f"filled as document 000 §5 prints: {note}"
    return Row(
        family=cell.metric.family,
        metric=cell.metric.name,
        params=params,
        variant=cell.named,
        population=cell.metric.population[0],
        model=MODEL,
        group_by=group[0],
        group=group[1],
        value=value,
        n=n,
        ci_low=interval.low,
        ci_high=interval.high,
        ci_level=interval.level,
        ci_method=interval.method,
        note=note,
    )


def _cells(task: RagTask, judged: Judged, treatments: list[str], options: Options) -> Iterator[Cell]:
    metrics = metrics_of(task)
    for k in (*options.ks, None) if isinstance(judged, JudgedChunks) else (None,):
        for treatment in treatments:
            tally: Tally
            if isinstance(judged, JudgedChunks):
                tally = panels_at(judged, k, treatment)
            else:
                tally = judged.treated(treatment)
            everyone = np.ones(len(tally), bool)
            for metric in metrics:
                for variant in metric.variants or ("default",):
                    result = metric(tally, **({"variant": variant} if metric.variants else {}))
                    yield Cell(metric, k, variant, treatment, tally, result.values, *result.over(everyone))
