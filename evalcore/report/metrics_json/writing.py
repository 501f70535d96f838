"""A report as ``metrics.json``, which follows ``metrics.schema.json`` beside this module."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from evalcore.evaluation import COLUMNS, Report
from evalcore.report.beside import beside_json
from evalcore.report.facts import facts
from evalcore.report.metrics_json.checked import SCHEMA
from evalcore.report.tool_scores import score_rows


def metrics_json(report: Report) -> str:
    """A report as strict JSON: the inputs with their digests, options, version, and one object a value.

    Means of other tools' scores stand behind ours. An undefined value is ``null``, with the reason in
    ``note``.
    """
    others = score_rows(report)
    columns = [
        _written([*report.table[name].tolist(), *(row[at] for row in others)])
        for at, name in enumerate(COLUMNS)
    ]
    value = "{" + ", ".join(f'"{name}": %s' for name in COLUMNS) + "}"
    values = ",\n    ".join(map(value.__mod__, zip(*columns, strict=True)))
    said = {"schema": SCHEMA, **facts(report), **beside_json(report)}
    head = json.dumps(said, indent=2, ensure_ascii=False, allow_nan=False)
    return f'{head[:-2]},\n  "metrics": [\n    {values}\n  ]\n}}\n'


def _written(values: Sequence[Any]) -> list[str]:
    """Each text or number of a column as JSON, with null for NaN, which alone is not equal to itself."""
    written = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
    strict = [value if value == value else None for value in values]
    if strict and not any(isinstance(value, str) for value in strict):
        return written(strict)[1:-1].split(", ")
    known = {value: written(value) for value in set(strict)}  # the same few names stand in thousands of rows
    return [known[value] for value in strict]
