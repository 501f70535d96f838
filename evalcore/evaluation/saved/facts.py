"""What a saved report knows of its input and options: no row, no id and no text of the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from decimal import Decimal
from typing import Any

from evalcore.data import Data, Source
from evalcore.evaluation.options import Options
from evalcore.kernels.policy import Policy
from evalcore.problems import Problem

_LISTED = ("by", "ks", "fprs", "annotators")


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


def options_facts(options: Options) -> dict[str, Any]:
    """Every option by name; a share that was written as text or as a decimal number stays as written."""
    policy = None if options.policy is None else asdict(options.policy)
    if policy is not None and isinstance(policy["ratio"], Decimal):
        policy["ratio"] = str(policy["ratio"])
    found = {field.name: getattr(options, field.name) for field in fields(options)}
    return {**found, **{name: list(found[name]) for name in _LISTED}, "policy": policy}


def read_options(facts: Mapping[str, Any]) -> Options:
    """The options.

    Raises
    ------
    InputError : for an illegal policy.
    """
    policy = None if facts["policy"] is None else Policy(**facts["policy"])
    return Options(**{name: _as_given(value) for name, value in facts.items()} | {"policy": policy})


def _as_given(value: Any) -> Any:
    """An option with tuples where a file has lists."""
    return tuple(map(_as_given, value)) if isinstance(value, list) else value
