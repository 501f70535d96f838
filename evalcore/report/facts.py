"""What every file of a report says besides its values: inputs, options, version, warnings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from decimal import Decimal
from typing import Any

from evalcore.data import Data, says_something
from evalcore.evaluation import Options, Report

READING = {"score_kind": "score_kind", "positive": "positive label"}
"""What is told of how the files were read, and under which name."""
_EMPTY = {one.name: one.metadata.get("empty") or "none" for one in fields(Options)}


def facts(report: Report) -> dict[str, Any]:
    """The inputs with their digests, the options and the version, ready for JSON; no row, no id.

    Of the options and of how the files were read, only what says something of what the report rests on.
    """
    data = report.data
    tables = report.gathered.tallies
    reading = [one.name for one in fields(Data) if one.name in READING and says_something(one, tables)]
    own = [one.name for one in fields(Options) if says_something(one, tables)]
    return {
        "evalcore": report.made_by,
        "data_sha256": data.digest,
        "inputs": [_plain(source) for source in data.sources],
        "reading": {"task": data.task, **{name: getattr(data, name) for name in reading}},
        "options": {name: _plain(getattr(report.options, name)) for name in own},
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
    """The value of an option as a person reads it.

    Examples
    --------
    >>> printed("ks", [10, 20]), printed("metrics", []), printed("tau_neg", None)
    ('10, 20', 'all', 'from the file')
    >>> printed("settings", [["recommender.f1", [["of", ["ndcg", "map"]], ["beta", 0.5]]]])
    'recommender.f1 with of=ndcg+map, beta=0.5'
    """
    if option == "settings":
        return "; ".join(_setting(*one) for one in value) or "none"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or _EMPTY.get(option, "none")
    if isinstance(value, dict):
        return ", ".join(f"{name}={part}" for name, part in value.items() if part is not None)
    if value is None:
        return "from the file" if option.startswith("tau") else "none"
    return str(value)


def _setting(key: str, params: list[list[Any]]) -> str:
    parts = (f"{name}={'+'.join(map(str, to)) if isinstance(to, list) else to}" for name, to in params)
    return f"{key} with {', '.join(parts)}"


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, Decimal):
        return str(value)
    return [_plain(part) for part in value] if isinstance(value, list | tuple) else value
