"""A report as one file, without its rows: the table, the tallies, and what every file of a report says."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from evalcore.catalog import METRICS
from evalcore.data import Data, present
from evalcore.evaluation.gathering.annotations import GatheredAnnotations
from evalcore.evaluation.gathering.gather import Gathered
from evalcore.evaluation.options import Options
from evalcore.evaluation.rag import RagResults
from evalcore.evaluation.saved.annotations import annotations_facts, read_annotations
from evalcore.evaluation.saved.archive import DOCUMENT, packed, unpacked
from evalcore.evaluation.saved.columns import Columns, Written
from evalcore.evaluation.saved.facts import data_facts, options_facts, read_data, read_options
from evalcore.evaluation.saved.tables import read_tables, tables_facts
from evalcore.evaluation.saved.tallies import lists_facts, read_lists, read_scores, scores_facts
from evalcore.evaluation.saved.unnamed import unnamed_annotations
from evalcore.problems import KINDS, SHOWN, InputError, Problem, problem
from evalcore.readers.formats.own_exports import SAVED, own_export
from evalcore.settings import too_many_replicates

if TYPE_CHECKING:
    import pandas as pd

SCHEMA = "evalcore.report/1"
TABLES = ("queries", "rankings", "annotations")
"""Whose tallies a file can hold."""


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
    unknown = [name for name in gathered.tallies if name not in TABLES]
    if unknown:
        raise InputError([problem("REP-293", found=", ".join(unknown), expected=", ".join(TABLES))])
    said = None if gathered.said is None else unnamed_annotations(gathered.said, parts.options)
    document = {
        "schema": SCHEMA,
        "evalcore": parts.made_by,
        "data": data_facts(parts.data),
        "options": options_facts(parts.options),
        "tables": tables_facts(parts.table, parts.rag, out),
        "scores": None if gathered.scores is None else scores_facts(gathered.scores, out),
        "lists": None if gathered.lists is None else lists_facts(gathered.lists, out),
        "annotations": None if said is None else annotations_facts(said, out),
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
    data, options = read_data(document["data"]), read_options(document["options"])
    _check_options(options, given)
    for warning in data.warnings:
        given.hold(warning.code in KINDS, f"{DOCUMENT}, warnings", warning.code, "a code of this version")
    table, rag = read_tables(document["tables"], given)
    keys = dict.fromkeys((table.family + "." + table.metric).tolist())
    unknown = ", ".join(key for key in keys if key not in METRICS)
    given.hold(not unknown, "tables, values", unknown, "metrics of this version")
    scores, lists, said = (document[name] for name in ("scores", "lists", "annotations"))
    is_probability = data.score_kind == "probability"
    gathered = Gathered(
        present(
            queries=None if scores is None else read_scores(scores, given, is_probability=is_probability),
            rankings=None if lists is None else read_lists(lists, given),
            annotations=None if said is None else GatheredAnnotations((read_annotations(said, given),)),
        )
    )
    given.end()
    return Parts(table, data, options, rag, gathered, document["evalcore"])


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


def _check_options(options: Options, given: Columns) -> None:
    """What options may not be, whatever data they were for."""
    found: list[Problem] = too_many_replicates({"bootstrap": options.bootstrap})
    given.problems += found
    low = -np.inf if options.tau_neg is None else options.tau_neg
    high = np.inf if options.tau_pos is None else options.tau_pos
    is_pair = (options.tau_neg is None) == (options.tau_pos is None)
    given.hold(is_pair and low <= high, "options", f"τ_neg {low}, τ_pos {high}", "a pair, τ_neg ≤ τ_pos")
