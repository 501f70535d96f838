"""The values of a report as lines of text for a terminal."""

from __future__ import annotations

from evalcore.evaluation import Report
from evalcore.legible import legible
from evalcore.report.layout import Value, values


def as_text(report: Report) -> str:
    """Every value in one line: what, over what, how much, within which limits, or why there is no value."""
    rows = [tuple(map(legible, _cells(value))) for value in values(report)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)] if rows else []
    return "\n".join(
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def _cells(value: Value) -> tuple[str, ...]:
    group = f"{value.group_by}={value.group}" if value.group_by else ""
    named = f"{value.family}.{value.metric}"
    what = (named, value.params, value.variant, value.population, value.model, group)
    text = f"{value.text}, {value.interval}" if value.interval else value.text
    return (*what, text, f"n={value.n}", value.note)
