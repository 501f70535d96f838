"""A report as ``metrics.json``, which follows ``metrics.schema.json`` beside this module."""

from __future__ import annotations

import json
from collections.abc import Iterable
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
    columns = [_strict(report.table[name].tolist()) for name in COLUMNS]
    found = [*zip(*columns, strict=True), *map(_strict, score_rows(report))]
    said = {"schema": SCHEMA, **facts(report), **beside_json(report)}
    head = json.dumps(said, indent=2, ensure_ascii=False, allow_nan=False)
    written = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
    values = ",\n    ".join(written(dict(zip(COLUMNS, row, strict=True))) for row in found)
    return f'{head[:-2]},\n  "metrics": [\n    {values}\n  ]\n}}\n'


def _strict(values: Iterable[Any]) -> list[Any]:
    """The values, with None for NaN, which alone is not equal to itself."""
    return [value if value == value else None for value in values]
