"""What a ``metrics.json`` holds, once it is found to follow its schema: recognised by what is in it.

A value is looked at by the kinds of its fields alone, as there may be a million of them; what is wrong with
one is then said by the schema. A test holds both to the same answers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from itertools import islice
from types import NoneType
from typing import Any, get_type_hints

from evalcore.evaluation.row import Row
from evalcore.evaluation.saved.tables import BESIDE
from evalcore.problems import SHOWN, Findings, InputError, problem
from evalcore.readers.formats.json.limits import is_within_limits
from evalcore.readers.formats.json.strict import strict_value
from evalcore.readers.formats.own_exports import METRICS_JSON, own_export
from evalcore.report.beside import TABLES

SCHEMA = "evalcore.metrics/1"
VALUES = "metrics"
ROWS: Mapping[str, type] = {VALUES: Row, **{name: BESIDE[of] for name, of in TABLES.items()}}
"""Name of a table in the file → what one of its rows is."""
_DEFINED = {
    VALUES: "value",
    "coverage": "coverage",
    "tool_scores": "tool_score",
    "agreement": "agreement",
    "predicted_labels": "predicted_label",
}
"""Name of a table → what the schema calls one of its rows."""
_NEEDED = {"evalcore", "data_sha256", VALUES}
_LONGEST, _MOST = 100_000, 10**15
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")


def checked(raw: bytes, file: str | None) -> dict[str, Any]:
    """The document in a file, which follows its schema; a whole number that is written otherwise is one.

    Parameters
    ----------
    raw : the file.
    file : its name, for messages.

    Raises
    ------
    InputError : REP-320 for another file, REP-321 with what is damaged, REP-322 for one of another version;
        FILE-017 or FILE-074 where it is too large or too deep.
    """
    own = own_export(raw)
    if own is None or own[0] != METRICS_JSON:
        raise InputError([problem("REP-320", file=file, found="another file" if own is None else own[0])])
    findings = Findings()
    if not is_within_limits(raw, file, findings):
        raise InputError(findings.problems)
    try:
        document = strict_value(raw)
        if _HALF.search(raw):  # may be half a character, which no file and no page can say again
            json.dumps(document, ensure_ascii=False).encode()
    except ValueError as error:
        raise InputError([_damaged(file, "the file", str(error), "strict JSON")]) from None
    if not isinstance(document, dict) or not document.keys() >= _NEEDED:
        raise InputError([problem("REP-320", file=file, found="JSON that holds such a file within it")])
    stated = document.get("schema", SCHEMA)
    if isinstance(stated, str) and stated != SCHEMA:
        version = str(document["evalcore"])
        raise InputError([problem("REP-322", file=file, found=stated, expected=SCHEMA, version=version)])
    problems = [
        _damaged(file, place, found if len(found) < 200 else "another value", "what its schema says")
        for place, found in islice(_faults(document), SHOWN)
    ]
    if problems:
        raise InputError(problems)
    return document


def _damaged(file: str | None, place: str, found: str, expected: str) -> Any:
    return problem("REP-321", file=file, place=place, found=found, expected=expected)


def _faults(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What does not follow the schema: where, and what was found there; its tables row by row."""
    tables = {name: document[name] for name in ROWS if isinstance(document.get(name), list)}
    head = document | {name: [] for name in tables}
    for error in _validator().iter_errors(head):
        yield "/".join(map(str, error.absolute_path)) or "the file", error.message
    for name, rows in tables.items():
        kinds = kinds_of(ROWS[name])
        for at, row in enumerate(rows):
            if not fits(row, kinds, needs_reason=name == VALUES):
                yield from _faults_of_row(name, at, row)


def _faults_of_row(name: str, at: int, row: Any) -> Iterator[tuple[str, str]]:
    found = [
        ("/".join(map(str, (name, at, *error.absolute_path))), error.message)
        for error in _validator(_DEFINED[name]).iter_errors(row)
    ]
    yield from found or [(f"{name}/{at}", "another row")]


def kinds_of(row: type) -> dict[str, type]:
    """Field of a row → ``str``, ``int``, ``float`` or ``bool``; a name of a task is text."""
    return {name: kind if kind in (int, float, bool) else str for name, kind in get_type_hints(row).items()}


def fits(row: Any, kinds: Mapping[str, type], *, needs_reason: bool = False) -> bool:
    """Whether a row follows the schema; whole numbers in it that are written as 3.0 are made whole.

    Parameters
    ----------
    row : as JSON has it.
    kinds : of its fields.
    needs_reason : whether a value of null needs a note.
    """
    if not isinstance(row, dict) or row.keys() != kinds.keys():
        return False
    for name, kind in kinds.items():
        value = row[name]
        if kind is int and type(value) is float and value.is_integer():
            value = row[name] = int(value)
        if kind is str and not (type(value) is str and len(value) <= _LONGEST):
            return False
        if kind is int and not (type(value) is int and 0 <= value <= _MOST):
            return False
        if kind is bool and type(value) is not bool:
            return False
        if kind is float and type(value) not in (float, int, NoneType):
            return False
    return not (needs_reason and row["value"] is None and not row["note"])


@cache
def schema() -> dict[str, Any]:
    """The JSON Schema of ``metrics.json``."""
    found: dict[str, Any] = json.loads(files(__package__).joinpath("metrics.schema.json").read_bytes())
    return found


@cache
def _validator(of: str | None = None) -> Any:
    """What checks a document, or a row of one of its tables."""
    import jsonschema

    part = schema() if of is None else {"$ref": f"#/$defs/{of}", "$defs": schema()["$defs"]}
    return jsonschema.Draft202012Validator(part)
