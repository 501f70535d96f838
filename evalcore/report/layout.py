"""The values of a report arranged for reading: a section a family, a block a model, lines of metrics.

Metrics at several values of their parameters (K, a false-positive budget, the two thresholds of a gate) stand
in one line, a column each; groups stand in columns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from evalcore.catalog import METRICS
from evalcore.evaluation import Report
from evalcore.spec import Metric

GROUPS_A_BLOCK = 10
ONE_VALUE = "value"
WHOLE_LIST = "whole list"


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

    @property
    def declared(self) -> Metric:
        """The metric that the value is of."""
        return METRICS[f"{self.family}.{self.metric}"]

    @property
    def text(self) -> str:
        """The value as a person reads it, ``n/a`` where it is undefined."""
        return number(self.value, is_count=self.declared.bounds[1] == math.inf)

    @property
    def reason(self) -> str:
        """Why there is no value, with n; empty where there is one."""
        return f"{self.note} (n = {self.n:,})" if math.isnan(self.value) else ""

    @property
    def interval(self) -> str:
        """The interval as ``0.89 to 0.93 (95 %)``, empty without one."""
        if math.isnan(self.ci_low) and math.isnan(self.ci_high):
            return ""
        low, high = (number(bound) for bound in (self.ci_low, self.ci_high))
        return f"{low} to {high} ({100 * self.ci_level:g} %)"


@dataclass(frozen=True)
class Line:
    """One metric, parameters, variant and population; a value or None in each column of its block."""

    label: str
    key: str
    params: str
    variant: str
    population: str
    values: tuple[Value | None, ...]

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
    """The blocks of one family, or of one family broken down by one column."""

    title: str
    group_by: str
    blocks: tuple[Block, ...]


def values(report: Report) -> list[Value]:
    """The rows of the table, in its order."""
    columns = [report.table[name].tolist() for name in Value._fields]
    return [Value(*row) for row in zip(*columns, strict=True)]


def overall(report: Report) -> list[Section]:
    """All values over all rows, a section a family."""
    sections = []
    for family, of_family in _split([v for v in values(report) if not v.group_by], "family"):
        blocks: list[Block] = []
        for model, of_model in _split(of_family, "model"):
            blocks += _by_params(model, of_model)
        sections.append(Section(family.capitalize(), "", tuple(blocks)))
    return sections


def by_group(report: Report) -> list[Section]:
    """The default variants by group, a section a column and family; groups stand in columns, ten a block."""
    sections = []
    defaults = [v for v in values(report) if v.group_by and _is_default(v)]
    for group_by, of_column in _split(defaults, "group_by"):
        for family, of_family in _split(of_column, "family"):
            blocks = []
            for model, of_model in _split(of_family, "model"):
                groups = list(dict.fromkeys(value.group for value in of_model))
                for start in range(0, len(groups), GROUPS_A_BLOCK):
                    shown = groups[start : start + GROUPS_A_BLOCK]
                    within = [value for value in of_model if value.group in shown]
                    title = "" if start else model
                    blocks.append(_block(title, shown, within, column=lambda value: value.group))
            sections.append(Section(family.capitalize(), group_by.replace(";", " and "), tuple(blocks)))
    return sections


def number(value: float, *, is_count: bool = False) -> str:
    """A value as a person reads it: four digits, more where it would round to 0 or 1 without being it.

    Examples
    --------
    >>> number(0.897213), number(0.99998), number(0.00001234), number(1.0), number(14770.0, is_count=True)
    ('0.8972', '0.99998', '1.234e-05', '1.0000', '14,770')
    >>> number(float("nan"))
    'n/a'
    """
    if math.isnan(value):
        return "n/a"
    if is_count and value == int(value):
        return f"{int(value):,}"
    if abs(value) >= 100:
        return f"{value:,.2f}"
    if 0 < abs(value) < 0.001:
        return f"{value:.4g}"
    digits = 4
    while digits < 16 and abs(round(value, digits)) == 1 and abs(value) != 1:
        digits += 1
    return f"{value:.{digits}f}"


def _split(all_values: Iterable[Value], field: str) -> list[tuple[str, list[Value]]]:
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
    return Block(
        title, shown, tuple(Line(*line, tuple(map(found.get, shown))) for line, found in lines.items())
    )


def _is_default(value: Value) -> bool:
    metric = value.declared
    return value.variant.split(";")[0] == metric.default_variant and value.population == metric.population[0]
