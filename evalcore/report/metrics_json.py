"""``metrics.json``: what was evaluated, how, and every value."""

from __future__ import annotations

import json
import math
from typing import Any

from evalcore.evaluation import COLUMNS, Report
from evalcore.report.beside import beside_json
from evalcore.report.facts import facts
from evalcore.report.tool_scores import score_rows


def metrics_json(report: Report) -> str:
    """A report as strict JSON: the inputs with their digests, options, version, and one object a value.

    Means of other tools' scores stand behind ours. An undefined value is ``null``, with the reason in
    ``note``.
    """
    columns = [report.table[name].tolist() for name in COLUMNS]
    found = [*zip(*columns, strict=True), *score_rows(report)]
    rows = [dict(zip(COLUMNS, map(_strict, row), strict=True)) for row in found]
    head = json.dumps({**facts(report), **beside_json(report)}, indent=2, ensure_ascii=False, allow_nan=False)
    values = ",\n    ".join(json.dumps(row, ensure_ascii=False, allow_nan=False) for row in rows)
    return f'{head[:-2]},\n  "metrics": [\n    {values}\n  ]\n}}\n'


def _strict(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value
