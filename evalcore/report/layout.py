"""The values of a report arranged for reading: a section a family, a block a model, lines of metrics.

Metrics at several values of their parameters (K, a false-positive budget, the two thresholds of a gate) stand
in one line, a column each; groups stand in columns. Mean and standard deviation over folds stand beside the
pooled value, every figure about spread in a table of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from evalcore.catalog import METRICS
from evalcore.evaluation import COLUMNS, Report
from evalcore.spec import ABBREVIATIONS, Metric
from evalcore.text.numerals import bound_text, mean_and_sd_text, sd_text, value_text

if TYPE_CHECKING:
    from evalcore.report.metrics_json import MetricsFile

GROUPS_A_BLOCK = 10
ONE_VALUE = "value"
WHOLE_LIST = "whole list"
SD_IN_WORDS = {"population": "1/N", "sample": "1/(N − 1)"}


class Params(NamedTuple):
    """The parameters of a row: the metric's own, and which figure about what spread it is."""

    own: str
    stat: str
    over: str


@lru_cache(maxsize=4096)
def _read(params: str) -> Params:
    """The column ``params``, which many rows share, taken apart."""
    parts = params.split(";")
    named = dict(part.split("=", 1) for part in parts if "=" in part)
    own = ";".join(part for part in parts if not part.startswith(("stat=", "over=")))
    return Params(own, named.get("stat", ""), named.get("over", ""))


class Value(NamedTuple):
    """A row of the table, by column name."""

    family: str
    metric: str
    params: str
    variant: str
    population: str
    model: str
    group_by: str
    group: str
    value: float
    n: int
    ci_low: float
    ci_high: float
    ci_level: float
    ci_method: str
    note: str
    over_folds: str = ""
    beside: float = 0.0
    """The largest value of the metric in the same table, which is written with as many decimals."""

    @property
    def is_spread(self) -> bool:
        """Whether it says how a metric spreads over queries, folds or groups."""
        return "stat=" in self.params

    @property
    def own_params(self) -> str:
        """The parameters of the metric, without those of the spread."""
        return _read(self.params).own

    @property
    def own_variant(self) -> str:
        """The metric's variant, without that of the standard deviation."""
        parts = [part for part in self.variant.split(";") if part not in SD_IN_WORDS]
        return ";".join(parts) or self.declared.default_variant

    @property
    def stat(self) -> str:
        """What it says of the spread, in words: ``mean``, ``sd (1/N)``; empty for the metric itself."""
        name = _read(self.params).stat
        sd = next((SD_IN_WORDS[part] for part in self.variant.split(";") if part in SD_IN_WORDS), "")
        return f"{name} ({sd})" if sd else name

    @property
    def over(self) -> str:
        """What it spreads over: ``queries``, ``folds``, ``criterion``; empty for the metric itself."""
        return _read(self.params).over

    @property
    def is_declared(self) -> bool:
        """Whether this version knows the metric, which a value that was written elsewhere may be of."""
        return f"{self.family}.{self.metric}" in METRICS

    @property
    def declared(self) -> Metric:
        """The metric that the value is of."""
        return METRICS[f"{self.family}.{self.metric}"]

    @property
    def part(self) -> str:
        """The heading that it stands under: of its family or, where this is read by chapter, of both."""
        chapter = self.declared.chapter
        return f"{family_title(self.family)}: {chapter}" if chapter else family_title(self.family)

    @property
    def text(self) -> str:
        """The value as a person reads it, ``n/a`` where it is undefined; a spread of shares is in points."""
        if self.stat.startswith("sd") and self.declared.is_percent:
            return sd_text(self.declared, self.value)
        return value_text(self.declared, self.value, beside=self.beside)

    @property
    def reason(self) -> str:
        """Why there is no value, with n; empty where there is one."""
        return f"{self.note} (n = {self.n:,})" if math.isnan(self.value) else ""

    @property
    def interval(self) -> str:
        """The interval as ``0.89 to 0.93 (95 %)``, empty without one."""
        if math.isnan(self.ci_low) and math.isnan(self.ci_high):
            return ""
        is_count = self.declared.counts and not self.is_spread
        how: dict[str, Any] = {"is_count": is_count, "beside": self.beside}
        low = bound_text(self.declared, self.ci_low, is_low=True, **how)
        high = bound_text(self.declared, self.ci_high, is_low=False, **how)
        return f"{low} to {high} ({100 * self.ci_level:g} %)"


def alike(lines: Iterable[Iterable[Value | str | None]]) -> list[list[Value | str | None]]:
    """The lines of a table, in which all values of a metric have as many decimals."""
    table = [list(line) for line in lines]
    largest: dict[str, float] = {}
    for one in (one for line in table for one in line):
        if isinstance(one, Value) and abs(one.value) > largest.get(one.metric, 0.0):  # NaN is not
            largest[one.metric] = abs(one.value)
    return [
        [one._replace(beside=largest.get(one.metric, 0.0)) if isinstance(one, Value) else one for one in line]
        for line in table
    ]


@dataclass(frozen=True)
class Line:
    """One metric, parameters, variant and population; a value or None in each column of its block."""

    label: str
    key: str
    params: str
    variant: str
    population: str
    values: tuple[Value | None, ...]
    meaning: str = ""

    @property
    def detail(self) -> str:
        """Parameters and variant in words, empty for the only variant without parameters."""
        parts = [self.params.replace(";", ", "), "" if self.variant == "default" else self.variant]
        return " · ".join(part for part in parts if part)

    @property
    def n(self) -> str:
        """The n of all values where they share one, else empty."""
        found = {value.n for value in self.values if value is not None}
        return f"{found.pop():,}" if len(found) == 1 else ""

    @property
    def n_of_each(self) -> str:
        """The n that all values share, or that of each, in the order of the columns."""
        return self.n or " / ".join("–" if one is None else f"{one.n:,}" for one in self.values)

    @property
    def note(self) -> str:
        """The note of the values that are defined where they share one, else empty."""
        found = {value.note for value in self.values if value is not None and not value.reason}
        return found.pop() if len(found) == 1 else ""


@dataclass(frozen=True)
class Block:
    """Lines with the same columns; the title names the model and stands at its first block only."""

    title: str
    columns: tuple[str, ...]
    lines: tuple[Line, ...]

    @property
    def has_notes(self) -> bool:
        """Whether any line has a note of its own."""
        return any(line.note for line in self.lines)


@dataclass(frozen=True)
class Section:
    """The blocks of one family, or of one family by or over one column."""

    title: str
    group_by: str
    blocks: tuple[Block, ...]


def family_title(family: str) -> str:
    """The heading of a family."""
    return family.upper() if family in ABBREVIATIONS else family.capitalize()


def values(report: Report | MetricsFile) -> list[Value]:
    """The rows of the table, in its order; pooled ones with mean and sd over folds where there are any."""
    columns = [report.table[name].tolist() for name in COLUMNS]
    rows = [Value(*row) for row in zip(*columns, strict=True)]
    folds: dict[tuple[str, ...], dict[str, float]] = {}
    for row in rows:
        if row.over == "folds":
            folds.setdefault(_of_metric(row), {})[row.stat] = row.value
    return [
        row._replace(over_folds=_mean_and_sd(row.declared, folds[_of_metric(row)]))
        if not (row.is_spread or row.group_by) and _of_metric(row) in folds
        else row
        for row in rows
    ]


def overall(rows: list[Value]) -> list[Section]:
    """All values over all rows, a section a family or chapter, figures about spread left out."""
    sections = []
    pooled = [value for value in rows if not (value.group_by or value.is_spread)]
    for part, of_part in split(pooled, "part"):
        blocks: list[Block] = []
        for model, of_model in split(of_part, "model"):
            blocks += _by_params(model, of_model)
        sections.append(Section(part, "", tuple(blocks)))
    return sections


def spread(rows: list[Value]) -> list[Section]:
    """How the values spread, a section a family and what it spreads over; the statistics stand in columns."""
    sections = []
    about = [value for value in rows if value.is_spread and not value.group_by]
    for over, of_over in split(about, "over"):
        for family, of_family in split(of_over, "family"):
            blocks = [_by_stat(model, of_model) for model, of_model in split(of_family, "model")]
            sections.append(Section(family_title(family), over, tuple(blocks)))
    return sections


def by_group(rows: list[Value]) -> list[Section]:
    """The default variants by group, a section a column and family; groups stand in columns, ten a block."""
    sections = []
    defaults = [v for v in rows if v.group_by and not v.is_spread and is_default(v)]
    for group_by, of_column in split(defaults, "group_by"):
        for family, of_family in split(of_column, "family"):
            blocks = []
            for model, of_model in split(of_family, "model"):
                groups = list(dict.fromkeys(value.group for value in of_model))
                for start in range(0, len(groups), GROUPS_A_BLOCK):
                    shown = groups[start : start + GROUPS_A_BLOCK]
                    within = [value for value in of_model if value.group in shown]
                    title = "" if start else model
                    block = _block(title, shown, within, column=lambda value: value.group)
                    if ";" in group_by:  # groups of one column may have one in their name
                        block = replace(block, columns=tuple(name.replace(";", ", ") for name in shown))
                    blocks.append(block)
            sections.append(Section(family_title(family), group_by.replace(";", " and "), tuple(blocks)))
    return sections


def split(all_values: Iterable[Value], field: str) -> list[tuple[str, list[Value]]]:
    """The values by what they say of one field or property, in the order in which it first comes."""
    parts: dict[str, list[Value]] = {}
    for value in all_values:
        parts.setdefault(getattr(value, field), []).append(value)
    return list(parts.items())


def _by_params(model: str, placed: list[Value]) -> list[Block]:
    """A block of the metrics with one value, and a block a set of parameters for those with several."""
    used: dict[str, dict[str, None]] = {}
    for value in placed:
        used.setdefault(value.metric, {})[value.params] = None
    single = [value for value in placed if len(used[value.metric]) == 1]
    blocks = [_block(model, [ONE_VALUE], single, column=lambda _: ONE_VALUE)] if single else []
    kinds: dict[tuple[str, ...], list[Value]] = {}
    for value in placed:
        if len(used[value.metric]) > 1:
            kinds.setdefault(value.declared.params, []).append(value)
    for several in kinds.values():
        columns = dict.fromkeys(map(_column, several))
        title = "" if blocks else model
        blocks.append(_block(title, columns, several, column=_column, params=lambda _: ""))
    return blocks


def _by_stat(model: str, placed: list[Value]) -> Block:
    """A line of statistics for each metric, parameters, variant and population."""
    stats = dict.fromkeys(value.stat for value in placed)
    own = [value._replace(model=value.stat, variant=value.own_variant) for value in placed]
    return _block(model, stats, own, column=lambda value: value.model, params=lambda value: value.own_params)


def _column(value: Value) -> str:
    return value.params.replace(";", ", ") or WHOLE_LIST


def _block(
    title: str,
    columns: Iterable[str],
    placed: list[Value],
    *,
    column: Callable[[Value], str],
    params: Callable[[Value], str] = lambda value: value.params,
) -> Block:
    """Values with the same metric, parameters, variant and population in one line, each in its column."""
    lines: dict[tuple[str, str, str, str, str], dict[str, Value]] = {}
    for value in placed:
        line = (value.declared.label, value.declared.key, params(value), value.variant, value.population)
        lines.setdefault(line, {})[column(value)] = value
    shown = tuple(columns)
    explained: set[str] = set()
    made = []
    for line, found in lines.items():
        meaning = "" if line[1] in explained else METRICS[line[1]].summary
        explained.add(line[1])
        made.append(Line(*line, tuple(map(found.get, shown)), meaning))
    return Block(title, shown, tuple(made))


def _of_metric(value: Value) -> tuple[str, ...]:
    """What a pooled value shares with the figures about its spread."""
    return (
        value.family,
        value.metric,
        value.own_params,
        value.own_variant,
        value.population,
        value.model,
    )


def _mean_and_sd(metric: Metric, stats: dict[str, float]) -> str:
    mean, sd = stats.get("mean", math.nan), stats.get("sd (1/N)", math.nan)
    return "" if math.isnan(mean) else mean_and_sd_text(metric, mean, sd)


def is_default(value: Value) -> bool:
    """Whether it is what is meant when nobody names a variant or population."""
    metric = value.declared
    of_ties = value.family == "ranking"  # there the order of ties follows the variant
    variant = value.variant.split(";")[0] if of_ties else value.variant
    return variant == metric.default_variant and value.population == metric.population[0]
