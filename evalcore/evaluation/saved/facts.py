"""What a saved report knows of its input: no row, no id and no text of the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from evalcore.data import Data, Source
from evalcore.problems import Problem


def data_facts(data: Data) -> dict[str, Any]:
    """What every file of a report says of the data; warnings about rows and ids in general terms."""
    return {
        "task": data.task,
        "score_kind": data.score_kind,
        "positive": data.positive,
        "score_of": data.score_of,
        "files_as": data.files_as,
        "sources": [asdict(source) for source in data.sources],
        "warnings": [asdict(warning.in_general()) for warning in data.warnings],
        "n_more": dict(data.facts.get("n_more", {})),
        "notes": list(data.notes),
    }


def read_data(facts: Mapping[str, Any]) -> Data:
    """The data without their tables."""
    kept = ("task", "score_kind", "positive", "score_of", "files_as")
    return Data(
        **{name: facts[name] for name in kept},
        sources=tuple(Source(**{**one, "others": tuple(one["others"])}) for one in facts["sources"]),
        tables={},
        warnings=tuple(Problem(**one) for one in facts["warnings"]),
        notes=tuple(facts["notes"]),
        facts={"n_more": facts["n_more"]} if facts["n_more"] else {},
    )
