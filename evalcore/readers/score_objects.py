"""A JSON object ``{query: {document: score}}``, as ranx, MTEB and others write runs and qrels."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.problems import Findings
from evalcore.readers.inputs import RawFile
from evalcore.readers.json_limits import is_within_limits
from evalcore.readers.table import SAMPLE_ROWS, Columns, Form, MayRank, Numbers, Table, Texts
from evalcore.schema import is_gold_derived, is_known_name

_BEGINS = re.compile(rb'\s*\{\s*"(?:[^"\\]|\\.)*+"\s*:\s*\{', re.DOTALL)
_BESIDE = frozenset({"mteb_model_meta", "metadata", "meta"})
"""Members that say how the numbers were made."""

_MEMBERS_SHOWN = 4
_VALUE = {"qrels": "relevance", "run": "score"}


@dataclass(frozen=True)
class Scores:
    """The numbers of an object, a row for each pair of query and document.

    Parameters
    ----------
    topic, document : of each row; a topic may have none.
    value : float64, shape (N,).
    are_whole : whether every number is written as a whole one.
    """

    topic: Texts
    document: Texts
    value: NDArray[np.float64]
    are_whole: bool


def score_table(
    file: RawFile, text: bytes, codec: str | None, max_rows: int | None, findings: Findings
) -> Table | None:
    """The table of such an object, or None where the text is none.

    Parameters
    ----------
    file : the file as it came.
    text : its content as UTF-8.
    codec : how the file is packed, or None.
    max_rows : the most pairs that are read, or None.
    findings : gets FILE-012, and RNK-122 where an object holds several rankings.
    """
    if not _BEGINS.match(text) or _are_lines(text) or not is_within_limits(text, file.name, Findings()):
        return None
    try:
        found = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return None
    found, names = _unwrapped(found)
    if names:
        listed = ", ".join(names[:_MEMBERS_SHOWN]) + (", …" if len(names) > _MEMBERS_SHOWN else "")
        findings.add("RNK-122", file=file.name, n=len(names), found=listed)
    if not _are_scores(found) or _is_frame(found):
        return None
    scores = _flat(found)
    n_rows = len(scores.value)
    is_too_long = max_rows is not None and n_rows > max_rows
    if is_too_long:
        findings.add("FILE-012", file=file.name, n_rows=n_rows, limit=max_rows)
    table = Table(
        name=file.name,
        sha256=file.sha256,
        n_bytes=len(file.content),
        format="JSON, query → document → number" + (f", {codec}" if codec else ""),
        names=(),
        sample={},
        read=lambda _: Columns(0, 0, np.zeros(0, np.intp), {}, {}, {}),
        encoding="UTF-8",
        is_readable=not (names or is_too_long),
    )
    said = "qrels" if scores.are_whole else None if _are_integral(scores.value) else "run"

    def make(kind: str, _: Findings) -> Table:
        return _as_kind(table, scores, kind)

    return replace(table, may_rank=MayRank(("qrels", "run"), said, False, True, make))


def _are_lines(text: bytes) -> bool:
    """Whether the first line is a record of its own, with others below."""
    first, _, rest = text.strip().partition(b"\n")
    if not rest or not is_within_limits(first, None, Findings()):
        return False
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        return False
    return True


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; a name that it has twice would lose a number."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError
    return found


def _unwrapped(found: Any) -> tuple[Any, list[str]]:
    """What lies inside subset and split, and the names of several where there are several."""
    while isinstance(found, dict):
        inner = {name: value for name, value in found.items() if name not in _BESIDE} or found
        values = [value for value in inner.values() if not _is_empty(value)]
        if not values or not all(isinstance(value, dict) and _are_objects(value) for value in values):
            return found, []
        if len(inner) > 1:
            return next(iter(inner.values())), list(inner)
        found = values[0]
    return found, []


def _is_empty(value: Any) -> bool:
    return isinstance(value, dict) and not value


def _are_objects(value: dict[str, Any]) -> bool:
    return all(isinstance(inner, dict) for inner in value.values())


def _are_scores(found: Any) -> bool:
    """Whether an object holds objects of numbers only, and at least one number."""
    if not isinstance(found, dict) or not _are_objects(found):
        return False
    return any(found.values()) and all(
        type(value) in (int, float) for documents in found.values() for value in documents.values()
    )


def _is_frame(found: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether an object is a table by columns or rows, of cells or metrics: the same names everywhere."""
    inner = [documents.keys() for documents in found.values()]
    if any(names != inner[0] for names in inner[1:]):
        return False
    return any(is_known_name(name) or is_gold_derived(name) for name in (*found, *inner[0]))


def _flat(found: Mapping[str, Mapping[str, Any]]) -> Scores:
    sizes = [len(documents) for documents in found.values()]
    index: dict[str, int] = {}
    codes = [index.setdefault(name, len(index)) for documents in found.values() for name in documents]
    values = [value for documents in found.values() for value in documents.values()]
    topics = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    return Scores(
        topic=Texts(topics, _levels(found)),
        document=Texts(np.asarray(codes, np.int32), _levels(index)),
        value=np.asarray([_number(value) for value in values]),
        are_whole=all(type(value) is int for value in values),
    )


def _levels(names: Iterable[str]) -> NDArray[np.object_]:
    """Ids as text that can be written: halves of surrogate pairs are none."""
    texts = [name if name.isascii() else name.encode("utf-8", "replace").decode() for name in names]
    return np.asarray(texts, object)


def _number(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return np.inf if value > 0 else -np.inf


def _are_integral(values: NDArray[np.float64]) -> bool:
    return bool((values == np.floor(values)).all())


def _as_kind(table: Table, scores: Scores, kind: str) -> Table:
    number = _VALUE[kind]
    texts = {"topic": scores.topic, "document": scores.document}
    names = (*texts, number)
    n_rows = len(scores.value)
    nowhere = np.zeros(n_rows, bool)

    def read(forms: Mapping[str, Form]) -> Columns:
        return Columns(
            n_rows=n_rows,
            n_blank=0,
            row=np.arange(1, n_rows + 1),
            texts={name: texts[name] for name, form in forms.items() if form == "text"},
            numbers={name: Numbers(scores.value, nowhere, nowhere) for name in forms if name == number},
            raw={},
        )

    shown = range(min(n_rows, SAMPLE_ROWS))
    sample = {name: tuple(column.at(at) for at in shown) for name, column in texts.items()}
    sample[number] = tuple(f"{value:.15g}" for value in scores.value[:SAMPLE_ROWS])
    fields = {name: name for name in names}
    return replace(table, kind=kind, names=names, sample=sample, read=read, fields=fields, may_rank=None)
