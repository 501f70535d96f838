"""What every file of a report says besides its values: inputs, options, version, warnings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from decimal import Decimal
from typing import Any

from evalcore.data import Data
from evalcore.evaluation import Report


def facts(report: Report) -> dict[str, Any]:
    """The inputs with their digests, the options and the version, ready for JSON; no row, no id."""
    data = report.data
    return {
        "evalcore": report.made_by,
        "data_sha256": data.digest,
        "inputs": [_plain(source) for source in data.sources],
        "reading": {"task": data.task, "score_kind": data.score_kind, "positive": data.positive},
        "options": _plain(report.options),
        "notes": list(data.notes),
        "warnings": warnings(data),
    }


def warnings(data: Data) -> list[dict[str, Any]]:
    """The warnings of the data, each kind once for a file and column, with the number of times it was found.

    A warning about rows or ids is told in general terms, since a report holds neither.
    """
    found: dict[tuple[str, str | None, str | None, str], int] = {}
    more = dict(data.facts.get("n_more", {}))
    for warning in data.warnings:
        told = warning.in_general()
        text = f"Found {told.found}. {told.remedy}".strip()
        key = (warning.code, warning.file, warning.column, text)
        found[key] = found.get(key, 0) + 1 + more.pop(warning.code, 0)
    return [
        {"code": code, "file": file, "column": column, "text": text, "n": n}
        for (code, file, column, text), n in found.items()
    ]


def printed(option: str, value: Any) -> str:
    """The value of an option as a person reads it."""
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, dict):
        return ", ".join(f"{name}={part}" for name, part in value.items() if part is not None)
    if value is None:
        return "from the file" if option.startswith("tau") else "none"
    return str(value)


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, Decimal):
        return str(value)
    return [_plain(part) for part in value] if isinstance(value, list | tuple) else value
