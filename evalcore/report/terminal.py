"""The values of a report as lines of text for a terminal."""

from __future__ import annotations

from evalcore.evaluation import Report
from evalcore.evaluation.row import Row
from evalcore.report.layout import Value, values
from evalcore.report.tool_scores import score_rows
from evalcore.text.legible import legible
from evalcore.text.numerals import number


def as_text(report: Report) -> str:
    """Every value in one line: what, over what, how much, within which limits, or why there is no value."""
    found = [*map(_cells, values(report)), *map(_of_tool, score_rows(report))]
    rows = [tuple(map(legible, cells)) for cells in found]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)] if rows else []
    return "\n".join(
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def _of_tool(row: Row) -> tuple[str, ...]:
    group = f"{row.group_by}={row.group}" if row.group_by else ""
    named = f"{row.family}.{row.metric}"
    what = (named, row.params, row.variant, row.population, row.model, group)
    return (*what, number(row.value), f"n={row.n}", row.note)


def _cells(value: Value) -> tuple[str, ...]:
    group = f"{value.group_by}={value.group}" if value.group_by else ""
    named = f"{value.family}.{value.metric}"
    what = (named, value.params, value.variant, value.population, value.model, group)
    text = f"{value.text}, {value.interval}" if value.interval else value.text
    return (*what, text, f"n={value.n}", value.note)
