"""A report as one file, without its rows: the table, the tallies, and what every file of a report says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import TYPE_CHECKING, Any, get_args

from evalcore.catalog import METRICS
from evalcore.data import Data, Task
from evalcore.evaluation.gathering.gather import Gathered, unnamed
from evalcore.evaluation.options import Options, illegal
from evalcore.evaluation.rag import RagResults
from evalcore.evaluation.saved.archive import DOCUMENT, packed, unpacked
from evalcore.evaluation.saved.columns import Columns, Written
from evalcore.evaluation.saved.facts import data_facts, read_data
from evalcore.evaluation.saved.fields import UnkeptError, facts_of, value_of
from evalcore.evaluation.saved.tables import read_tables, tables_facts
from evalcore.problems import KINDS, SHOWN, InputError, problem
from evalcore.readers.formats.own_exports import SAVED, own_export
from evalcore.tallies.flaws import KEPT, Flaw, within

if TYPE_CHECKING:
    import pandas as pd

SCHEMA = "evalcore.report/2"


@dataclass(frozen=True)
class Parts:
    """What a report holds, with the meaning that `evalcore.Report` gives them."""

    table: pd.DataFrame
    data: Data
    options: Options
    rag: RagResults | None
    gathered: Gathered
    made_by: str


def to_bytes(parts: Parts) -> bytes:
    """The bytes of the file; the same report makes the same.

    Raises
    ------
    InputError : REP-293 for tallies that a file cannot hold: none is left out in silence.
    """
    out, gathered = Written(), parts.gathered
    unknown = [name for name, tally in gathered.tallies.items() if KEPT.get(name) is not type(tally)]
    tallies = {}
    try:
        for name, tally in gathered.tallies.items():
            tallies[name] = facts_of(unnamed(tally, parts.options), name, out)
    except UnkeptError as error:
        unknown.append(str(error))
    if unknown:
        raise InputError([problem("REP-293", found=", ".join(unknown), expected=", ".join(sorted(KEPT)))])
    document = {
        "schema": SCHEMA,
        "evalcore": parts.made_by,
        "data": data_facts(parts.data),
        "options": facts_of(parts.options, "options", out),
        "tables": tables_facts(parts.table, parts.rag, out),
        "tallies": tallies,
    }
    return packed(document, out.columns)


def from_bytes(content: bytes, *, file: str | None = None) -> Parts:
    """What a file holds, checked.

    Parameters
    ----------
    content : the file.
    file : its name, for messages.

    Raises
    ------
    InputError : REP-290 for another file, REP-291 with what is damaged, REP-292 for one of a newer version.
    """
    own = own_export(content)
    if own is None or own[0] != SAVED:
        raise InputError([problem("REP-290", file=file, found="another file" if own is None else own[0])])
    document, columns = unpacked(content, file)
    _check_schema(document, file)
    given = Columns(columns, file)
    task = document["data"]["task"]
    given.hold(task in get_args(Task), f"{DOCUMENT}, task", task, "a task of this version")
    given.stop()
    data = read_data(document["data"])
    for warning in data.warnings:
        given.hold(warning.code in KINDS, f"{DOCUMENT}, warnings", warning.code, "a code of this version")
    options = _read_options(document["options"], data, given)
    table, rag = read_tables(document["tables"], given)
    keys = dict.fromkeys((table.family + "." + table.metric).tolist())
    unknown = ", ".join(key for key in keys if key not in METRICS)
    given.hold(not unknown, "tables, values", unknown, "metrics of this version")
    gathered = _read_tallies(document["tallies"], data, given)
    for name, tally in gathered.tallies.items():
        if hasattr(tally, "flaws_beside"):
            given.held(within(name, tally.flaws_beside(table, options)))
    given.stop()
    return Parts(table, data, options, rag, gathered, document["evalcore"])


def _read_options(facts: Any, data: Data, given: Columns) -> Options:
    """The options; what they may not be, whatever data they were for, is collected by ``given``."""
    try:
        options: Options = value_of(Options, facts, "options", given)
        given.stop()
        found = illegal(options, data.score_kind)
    except InputError as error:
        given.stop()
        found = list(error.problems)
    for one in found:
        given.refuse("options", one.found, one.expected)
    given.stop()
    return options


def _read_tallies(facts: Mapping[str, Any], data: Data, given: Columns) -> Gathered:
    """The tallies, each of the kind of its table, once they are found to agree with themselves."""
    for name in facts:
        given.hold(name in KEPT, "tallies", name, f"tables of this version: {', '.join(sorted(KEPT))}")
    given.stop()
    tallies = {name: value_of(KEPT[name], one, name, given) for name, one in facts.items()}
    given.stop()
    for name, tally in tallies.items():
        given.held(within(name, _flaws_of(tally, data)))
    given.end()
    return Gathered(tallies)


def _flaws_of(tally: Any, data: Data) -> list[Flaw]:
    """What does not agree in a tally, by its kind; columns that do not even fit together end the search."""
    found: list[Flaw] = []
    try:
        found.extend(tally.flaws(data))
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        found.append(Flaw("", f"what does not fit together ({type(error).__name__})", "one tally"))
    return found


def _check_schema(document: Any, file: str | None) -> None:
    stated = document.get("schema") if isinstance(document, dict) else None
    if isinstance(stated, str) and stated != SCHEMA:
        version = str(document.get("evalcore"))
        raise InputError([problem("REP-292", file=file, found=stated, expected=SCHEMA, version=version)])
    problems = [
        problem(
            "REP-291",
            file=file,
            place="/".join([DOCUMENT, *map(str, error.absolute_path)]),
            found=error.message if len(error.message) < 200 else "another value",
            expected="a document after its schema",
        )
        for error in islice(_validator().iter_errors(document), SHOWN)
    ]
    if problems:
        raise InputError(problems)


@cache
def _validator() -> Any:
    import jsonschema

    return jsonschema.Draft202012Validator(
        json.loads(files(__package__).joinpath("report.schema.json").read_bytes())
    )
