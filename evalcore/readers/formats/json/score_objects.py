"""JSON objects ``{query: {document: score}}`` and ``{query: [documents]}``, as runs and qrels are written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evalcore.problems import Findings
from evalcore.readers.formats.cells import number_text, spells_number
from evalcore.readers.formats.table import SAMPLE_ROWS, Columns, Form, MayRank, Numbers, Table, Texts
from evalcore.readers.inputs import RawFile
from evalcore.schema import is_gold_derived, is_known_name

_BESIDE = frozenset({"mteb_model_meta", "metadata", "meta"})
"""Members that say how the numbers were made."""

_MEMBERS_SHOWN = 4


@dataclass(frozen=True)
class Scores:
    """The numbers of an object, a row for each pair of query and document.

    Parameters
    ----------
    topic, document : of each row; a topic may have none.
    value : float64, shape (N,); of lists the places, from 1.
    are_whole : whether every number is written as a whole one.
    are_lists : whether the object holds lists of documents without numbers, in their order.
    members : the names of several rankings in one object, of which none is read.
    """

    topic: Texts
    document: Texts
    value: NDArray[np.float64]
    are_whole: bool
    are_lists: bool = False
    members: tuple[str, ...] = ()

    def names(self) -> list[str]:
        """The names of the queries."""
        return [str(one) for one in self.topic.levels.tolist()]


def scores_in(
    found: Mapping[str, Any], members: Mapping[str, bytes], name: str, findings: Findings
) -> Scores | None:
    """The numbers or the lists of documents by query in an object, or None where it holds neither.

    Parameters
    ----------
    found : the object, its numbers as text.
    members : name → text of each member, which tells numbers from text.
    name, findings : gets RNK-122 where an object holds several rankings.
    """
    inner, names = _unwrapped(found)
    lists = _listed(inner) if not names else None
    if lists is not None:
        return lists
    if not _are_scores(inner) or _is_frame(inner) or _has_texts(found, members):
        return None
    if names:
        listed = ", ".join(names[:_MEMBERS_SHOWN]) + (", …" if len(names) > _MEMBERS_SHOWN else "")
        findings.add("RNK-122", file=name, n=len(names), found=listed)
    return replace(_flat(inner), members=tuple(names))


def score_table(
    file: RawFile, scores: Scores, codec: str | None, max_rows: int | None, findings: Findings
) -> Table:
    """The table of such an object.

    Parameters
    ----------
    file : the file as it came.
    codec : how the file is packed, or None.
    max_rows : the most pairs that are read, or None.
    findings : gets FILE-012.
    """
    n_rows = len(scores.value)
    is_too_long = max_rows is not None and n_rows > max_rows
    if is_too_long:
        findings.add("FILE-012", file=file.name, n_rows=n_rows, limit=max_rows)
    what = "list of documents" if scores.are_lists else "document → number"
    table = Table(
        name=file.name,
        sha256=file.sha256,
        n_bytes=len(file.content),
        format=f"JSON, query → {what}" + (f", {codec}" if codec else ""),
        names=(),
        sample={},
        read=lambda _: Columns(0, 0, np.zeros(0, np.intp), {}, {}, {}),
        encoding="UTF-8",
        is_readable=not (scores.members or is_too_long),
    )

    def make(kind: str, _: Findings) -> Table:
        return _as_kind(table, scores, kind)

    if scores.are_lists:
        return replace(table, may_rank=MayRank(("run", "qrels"), None, False, False, make))
    said = "qrels" if scores.are_whole else None if _are_integral(scores.value) else "run"
    return replace(table, may_rank=MayRank(("qrels", "run"), said, False, True, make))


def _has_texts(found: Mapping[str, Any], members: Mapping[str, bytes]) -> bool:
    """Whether some value is a text: then there are more of them than names."""
    texts = [text for name, text in members.items() if name not in _BESIDE or len(members) == 1]
    n_quotes = sum(text.replace(b"\\\\", b"").replace(b'\\"', b"").count(b'"') for text in texts)
    counted = {name: one for name, one in found.items() if name not in _BESIDE or len(found) == 1}
    return n_quotes != 2 * (_n_names(counted) - len(counted))


def _n_names(found: Any) -> int:
    """How many names the members of an object have, and those of the objects in it."""
    return len(found) + sum(_n_names(one) for one in found.values() if isinstance(one, dict))


def _listed(found: Any) -> Scores | None:
    """Lists of documents, or of pairs of a document and its score; None where an object holds others."""
    if not isinstance(found, dict) or any(is_known_name(name) for name in found):
        return None
    lists = list(found.values())
    if not all(isinstance(one, list) for one in lists) or not any(lists):
        return None
    items = [item for one in lists for item in one]
    are_pairs = all(isinstance(item, list) and len(item) == 2 for item in items)
    if are_pairs and all(isinstance(a, str) and isinstance(b, str) and spells_number(b) for a, b in items):
        return _flat_pairs(found, [[(a, b) for a, b in one] for one in lists])
    if not all(isinstance(item, str) for item in items) or any(map(_is_fraction, items)):
        return None
    placed = [[(item, str(place)) for place, item in enumerate(one, 1)] for one in lists]
    return replace(_flat_pairs(found, placed), are_lists=True)


def _is_fraction(item: str) -> bool:
    """Whether a number is no id: lists of scores are no rankings."""
    return spells_number(item) and not float(item).is_integer()


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
    """Whether an object holds objects of numbers (here as text) only, and at least one number."""
    if not isinstance(found, dict) or not _are_objects(found):
        return False
    return any(found.values()) and all(
        isinstance(value, str) for documents in found.values() for value in documents.values()
    )


def _is_frame(found: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether an object is a table by columns or rows, of cells or metrics: the same names everywhere."""
    inner = [documents.keys() for documents in found.values()]
    if any(names != inner[0] for names in inner[1:]):
        return False
    return any(is_known_name(name) or is_gold_derived(name) for name in (*found, *inner[0]))


def _flat(found: Mapping[str, Mapping[str, str]]) -> Scores:
    return _flat_pairs(found, [list(documents.items()) for documents in found.values()])


def _flat_pairs(found: Mapping[str, Any], lists: list[list[tuple[str, str]]]) -> Scores:
    """The pairs of each query, document and number, as rows."""
    index: dict[str, int] = {}
    codes = [index.setdefault(name, len(index)) for one in lists for name, _ in one]
    values = [value for one in lists for _, value in one]
    topics = np.repeat(np.arange(len(lists), dtype=np.int32), list(map(len, lists)))
    return Scores(
        topic=Texts(topics, _levels(found)),
        document=Texts(np.asarray(codes, np.int32), _levels(index)),
        value=np.asarray(list(map(float, values)), np.float64),
        are_whole=all(value.lstrip("-").isdigit() for value in values),
    )


def _levels(names: Iterable[str]) -> NDArray[np.object_]:
    """Ids as text that can be written: halves of surrogate pairs are none."""
    texts = [name if name.isascii() else name.encode("utf-8", "backslashreplace").decode() for name in names]
    return np.asarray(texts, object)


def _are_integral(values: NDArray[np.float64]) -> bool:
    return bool((values == np.floor(values)).all())


def _as_kind(table: Table, scores: Scores, kind: str) -> Table:
    number = "relevance" if kind == "qrels" else "rank" if scores.are_lists else "score"
    value = np.ones(len(scores.value)) if scores.are_lists and kind == "qrels" else scores.value
    texts = {"topic": scores.topic, "document": scores.document}
    names = (*texts, number)
    n_rows = len(value)
    nowhere = np.zeros(n_rows, bool)

    def read(forms: Mapping[str, Form]) -> Columns:
        return Columns(
            n_rows=n_rows,
            n_blank=0,
            row=np.arange(1, n_rows + 1),
            texts={name: texts[name] for name, form in forms.items() if form == "text"},
            numbers={name: Numbers(value, nowhere, nowhere) for name in forms if name == number},
            raw={name: cells_of(name) for name, form in forms.items() if form == "raw"},
        )

    def cells_of(name: str) -> Any:
        if name == number:
            return pa.array(map(number_text, value.tolist()), pa.string())
        return pa.array(texts[name].levels[texts[name].codes], pa.string())

    shown = range(min(n_rows, SAMPLE_ROWS))
    sample = {name: tuple(column.at(at) for at in shown) for name, column in texts.items()}
    sample[number] = tuple(f"{one:.15g}" for one in value[:SAMPLE_ROWS])
    fields = {name: name for name in names}
    return replace(table, kind=kind, names=names, sample=sample, read=read, fields=fields, may_rank=None)
