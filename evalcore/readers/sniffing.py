"""Which task files belong to, from the names of their columns and their first rows alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from json import JSONDecoder
from typing import Any, NamedTuple

from evalcore.data import Task
from evalcore.problems import Findings
from evalcore.readers.formats import columnar
from evalcore.readers.formats.json.parts import Fits, JsonText, is_json
from evalcore.readers.formats.signatures import columnar_format
from evalcore.readers.formats.text.layout import layout_of
from evalcore.readers.formats.text.trec import trec_kind
from evalcore.readers.inputs import RawFile
from evalcore.readers.opening import json_in, text_of
from evalcore.readers.options import Options
from evalcore.settings import Settings

_HEAD = 2**16
_ROWS = 50


class Sniff(NamedTuple):
    """How the files of a task are told.

    Parameters
    ----------
    fits : whether columns of these names are the task's, with the words of the first rows, in which a wide
        table names its labels.
    roles : roles that no other task's columns have: one that the user names decides.
    beside : what can be given beside its inputs, by name; anything that is given decides.
    is_called : whether a file of this name is the task's, whatever is in it.
    are_called : whether files that no task has by their columns are the task's together.
    """

    fits: Callable[[Sequence[str], Sequence[str]], bool]
    roles: frozenset[str] = frozenset()
    beside: tuple[str, ...] = ()
    is_called: Callable[[str], bool] = lambda _: False
    are_called: Callable[[Sequence[RawFile]], bool] = lambda _: False


def task_of(
    files: Sequence[RawFile], options: Options, sniffs: Mapping[Task, Sniff], findings: Findings
) -> Task | None:
    """The task of files, or None where they are of two, which is reported.

    Parameters
    ----------
    files : the inputs.
    options : with the columns that the user names.
    sniffs : of each task; the first that fits a file has it, and the last has what fits none.
    """
    asked = {role for role, names in options.columns.items() if names}
    for task, sniff in sniffs.items():
        if asked & sniff.roles or not options.beside.keys().isdisjoint(sniff.beside):
            return task
    found: dict[Task, list[str]] = {}
    for file in files:
        fitting = next((task for task, sniff in sniffs.items() if sniff.is_called(file.name)), None)
        if fitting is None:
            names, cells = names_in(file, options.fits)
            fitting = next((task for task, sniff in sniffs.items() if sniff.fits(names, cells)), None)
        if fitting is not None:
            found.setdefault(fitting, []).append(file.name)
    if not found:
        found = {task: [] for task, sniff in sniffs.items() if sniff.are_called(files)}
    *others, usual = sniffs
    if len(found) > 1:
        first, second = [task for task in (usual, *others) if task in found][:2]
        told = {"first": ", ".join(found[first]), "second": ", ".join(found[second])}
        findings.add("RAG-022", **told, tasks=f"--task {first} or --task {second}")
        return None
    return next(iter(found), usual)


def names_in(file: RawFile, fits: Fits) -> tuple[list[str], list[str]]:
    """The names of a file's columns or fields, and the words of its first rows; empty without any.

    Parameters
    ----------
    fits : as for `evalcore.readers.opening.open_table`.
    """
    kind = columnar_format(file.content)
    if kind is not None:
        head = columnar.columnar_head(file.content, kind, file.name, None, Findings(), file.heads)
        return ([] if head is None else list(columnar.named(head.first.schema))), []
    text = text_of(file, most=_HEAD)
    if text is None:
        return [], []
    if is_json(text):
        return _fields(text, file, fits), []
    if trec_kind(text) is not None:
        return [], []
    layout = layout_of(text, file.name, Findings())
    if layout is None:
        return [], []
    rows = layout.sample[:_ROWS]
    return layout.header[: Settings.read().max_columns], [cell for row in rows for cell in row]


def _fields(text: bytes, file: RawFile, fits: Fits) -> list[str]:
    """The names of the first record; the whole file is asked where its beginning does not tell."""
    found: Mapping[str, Any] | None = _first_of_lines(text)
    if found is None:
        known = json_in(file, None, fits, Findings())
        names = [] if known is None or not isinstance(known.found, JsonText) else known.found.names()
        return names[: Settings.read().max_columns]
    return list(found)[: Settings.read().max_columns]


def _first_of_lines(text: bytes) -> dict[str, Any] | None:
    """The first record of an array, or of JSON Lines; None where it must be looked for elsewhere."""
    text = text.strip()
    if text[:1] == b"[":
        try:
            found, _ = JSONDecoder().raw_decode(text[1:].lstrip().decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            return None
        return found if isinstance(found, dict) else None
    first, _, rest = text.partition(b"\n")
    try:
        found = json.loads(first)
    except (ValueError, RecursionError):
        return None
    return found if rest.strip() and isinstance(found, dict) else None
