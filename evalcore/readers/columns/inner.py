"""Values inside of cells: fields of objects, entries of vectors, scores of classes, as columns one can name.

``prediction.score`` is a field, ``probability[1]`` the second entry of a list, ``prediction.yes`` the score
of the class *yes*, whether a file keeps classes and scores in two lists (``{"classes": […], "scores": […]}``)
or in one list of objects (``[{"label": "yes", "score": 0.9}, …]``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

from evalcore.readers.columns.class_scores import (
    MOST_ENTRIES,
    are_named,
    classes_of,
    named_beside,
    paired,
    scored,
)
from evalcore.readers.formats import storage
from evalcore.readers.formats.cells import cell_text, numbers_of, spells_number, texts_of
from evalcore.readers.formats.table import Columns, Form, Table
from evalcore.readers.formats.text.literals import python_literal
from evalcore.schema import is_list_column, is_text_name

_DEEPEST, _MOST_FIELDS, _MOST = 4, 50, 200
_NUMBERS = re.compile(r"\[\s*[-+0-9.eE]+(\s+[-+0-9.eE]+)*\s*\]")
_SEVERAL = re.compile(r"[0-9]+ scores of .*", re.DOTALL)
_Kind = Literal["field", "entry", "class"]


@dataclass(frozen=True)
class Step:
    """One step into a cell: to a field by its name, to an entry by its place, or to the score of a class."""

    kind: _Kind
    to: str | int

    @property
    def words(self) -> str:
        """The step as a part of a name."""
        return f"[{self.to}]" if self.kind == "entry" else f".{self.to}"


@dataclass(frozen=True)
class Inner:
    """A value inside of the cells of a column.

    Parameters
    ----------
    column : the column.
    path : the way to it.
    sample : the first of them as text.
    is_number : whether all of these are numbers.
    classes : the column whose lists name the classes of the scores in ``column``, where these are lists too.
    """

    column: str
    path: tuple[Step, ...]
    sample: tuple[str, ...]
    is_number: bool
    classes: str | None = None

    def is_beside(self, other: Inner) -> bool:
        """Whether both are fields of one object."""
        return (self.column, self.path[:-1]) == (other.column, other.path[:-1]) and self.path != other.path


def inside_of(sample: Mapping[str, Sequence[str]], first: Any = None) -> dict[str, Inner]:
    """Name → each value inside of the cells of a table, as the first rows tell; lists of ids have none.

    Parameters
    ----------
    sample : column → its first cells as text.
    first : the first rows as an Arrow table, where there is one: it holds what is nested.
    """
    found: dict[str, Inner] = {}
    every: dict[str, list[Any]] = {}
    for name, texts in sample.items():
        if not is_list_column(name):
            is_stored = first is not None and pa.types.is_nested(storage.inner(first.schema.field(name).type))
            try:
                cells = _cells(first.column(name)) if is_stored else _spelled(texts)
            except (storage.NotTextError, pa.ArrowException):
                continue  # reading the column will report what is wrong
            every[name] = cells
    named = named_beside(every)
    for name, cells in every.items():
        if name in named:
            pairs = [paired(*both) for both in zip(every[named[name]], cells, strict=True)]
            inside = _inside(name, pairs)
            found |= {one: replace(inner, classes=named[name]) for one, inner in inside.items()}
        elif name not in named.values():
            found |= _inside(name, cells)
    return {name: one for name, one in found.items() if name not in sample}


def _cells(column: Any) -> list[Any]:
    """The cells of a nested column."""
    values = storage.values(column)
    if pa.types.is_map(storage.inner(column.type)):
        return [None if value is None else {cell_text(key): one for key, one in value} for value in values]
    return [_with_objects(value) if isinstance(value, list) else value for value in values]


def _with_objects(items: list[Any]) -> list[Any]:
    """The items of a list, as objects and lists where they spell these: some readers keep them as text."""
    found = [cell_value(item) if isinstance(item, str) else None for item in items]
    return [item if one is None else one for item, one in zip(items, found, strict=True)]


def _spelled(texts: Sequence[str]) -> list[Any]:
    """What cells of text spell; nothing where most of them spell neither an object nor a list."""
    first = next(filter(None, texts), "")
    if first.lstrip()[:1] not in ("[", "{"):
        return []
    cells = [cell_value(text) for text in texts]
    n_spelled, n_filled = sum(cell is not None for cell in cells), sum(bool(text.strip()) for text in texts)
    return cells if 2 * n_spelled > n_filled else []


def cell_value(cell: str) -> Any:
    """The object or list that a text spells, as JSON, Python or NumPy write it; None where it spells none.

    >>> cell_value('{"a": 1}'), cell_value("['a', 2]"), cell_value("[0.9 0.1]"), cell_value("a")
    ({'a': 1}, ['a', 2], ['0.9', '0.1'], None)
    """
    text = cell.strip()
    if text[:1] not in ("[", "{"):
        return None
    if _NUMBERS.fullmatch(text):
        return text.strip("[]").split()
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return json.loads(json.dumps(python_literal(text)))  # names of fields become text, tuples lists
    except (ValueError, TypeError):
        return None


def _inside(name: str, cells: list[Any]) -> dict[str, Inner]:
    """The values inside of the cells of one column; none where some cell is a single value."""
    filled = [cell for cell in cells if cell is not None]
    if not filled or not all(isinstance(cell, (dict, list)) for cell in filled):
        return {}
    found: dict[str, Inner] = {}
    for path in _paths(filled, 0):
        leaves = [_at(cell, path, is_first=True) for cell in cells]
        sample = tuple(map(cell_text, leaves))
        last = str(path[-1].to)
        is_text = path[-1].kind == "field" and (is_text_name(last) or _are_sentences(sample))
        if is_text or len(found) == _MOST:
            continue
        is_number = any(sample) and all(spells_number(cell) for cell in sample if cell)
        found[name + "".join(step.words for step in path)] = Inner(name, path, sample, is_number)
    return found


def _are_sentences(cells: Sequence[str]) -> bool:
    return any(len(cell.split()) >= 5 or len(cell) > 200 for cell in cells)


def _paths(values: list[Any], depth: int) -> Iterator[tuple[Step, ...]]:
    """The ways to single values that lie inside of some objects or lists."""
    values = [value for value in values if value is not None]
    if not values or depth > _DEEPEST:
        return
    if not any(isinstance(value, (dict, list)) for value in values):
        if depth:
            yield ()
    elif all(isinstance(value, (dict, list)) for value in values) and (classes := classes_of(values)):
        yield from ((Step("class", one),) for one in classes)
    elif all(isinstance(value, dict) for value in values):
        names = list(dict.fromkeys(name for value in values for name in value))
        for name in names[:_MOST_FIELDS]:
            for path in _paths([value.get(name) for value in values], depth + 1):
                yield (Step("field", name), *path)
    elif all(isinstance(value, list) for value in values):
        n = max(map(len, values))
        entries = [entry for value in values for entry in value if entry is not None]
        is_vector = all(isinstance(entry, (dict, list)) or spells_number(str(entry)) for entry in entries)
        if n > 1 and are_named(entries):
            return  # the same place holds the score of another class in another row
        if n <= MOST_ENTRIES and is_vector and all(len(value) in (0, n) for value in values):
            for i in range(n):
                for path in _paths([value[i] if value else None for value in values], depth + 1):
                    yield (Step("entry", i), *path)


def is_several(cell: str) -> bool:
    """Whether a cell is what is read where a class has several scores in one row.

    >>> is_several("2 scores of EV"), is_several("0.2")
    (True, False)
    """
    return _SEVERAL.fullmatch(cell) is not None


def _at(value: Any, path: Sequence[Step], *, is_first: bool = False) -> Any:
    """The single value at the end of a way, or None where the way ends before.

    Of several scores of a class none is taken: how many there are is told, unless the first will do.
    """
    for step in path:
        if step.kind == "class":
            scores = [score for name, score in scored(value) or () if name == step.to]
            if len(scores) > 1 and not is_first:
                return f"{len(scores)} scores of {step.to}"
            value = scores[0] if scores else None
        elif step.kind == "field":
            value = value.get(step.to) if isinstance(value, dict) else None
        else:
            at = int(step.to)
            value = value[at] if isinstance(value, list) and at < len(value) else None
    return None if isinstance(value, (dict, list)) else value


def with_inner(table: Table, inner: Mapping[str, Inner]) -> Table:
    """The table, whose columns can also be read at the values inside of them."""
    if not inner:
        return table
    read = table.read

    def read_inside(forms: Mapping[str, Form]) -> Columns:
        return _read(read, inner, forms)

    return replace(
        table,
        inner=inner,
        sample={**table.sample, **{name: one.sample for name, one in inner.items()}},
        places={
            **table.places,
            **{n: table.places[i.column] for n, i in inner.items() if i.column in table.places},
        },
        read=read_inside,
    )


def _read(read: Any, inner: Mapping[str, Inner], forms: Mapping[str, Form]) -> Columns:
    """Columns and values inside of columns, in the forms asked for."""
    outer: dict[str, Form] = {name: form for name, form in forms.items() if name not in inner}
    inside = {name: inner[name] for name in forms if name in inner}
    if not inside:
        return read(outer)  # type: ignore[no-any-return]
    nested: dict[str, Form] = {}
    for name, one in inside.items():
        is_exact = forms[name] != "number" or nested.get(one.column) == "raw"
        nested[one.column] = "raw" if is_exact else "native"
        if one.classes is not None:
            nested[one.classes] = "raw"
    is_twofold = any(outer.get(column, "raw") != "raw" for column in nested)
    found: Columns = read(outer if is_twofold else outer | nested)
    raw = {**found.raw, **(read(nested).raw if is_twofold else {})}
    texts, numbers = dict(found.texts), dict(found.numbers)
    for name, one in inside.items():
        if one.classes is None:
            column = _pulled(raw[one.column], one.path)
        else:
            pairs = zip(_objects(raw[one.classes]), _objects(raw[one.column]), strict=True)
            column = _as_column([_at(paired(*both), one.path) for both in pairs])
        if forms[name] == "number":
            numbers[name] = numbers_of(column, comma_allowed=True)
        elif forms[name] == "text":
            texts[name] = texts_of(column)
        else:
            raw[name] = pa.chunked_array([pa.array(map(cell_text, column.to_pylist()), pa.string())])
    for column in [column for column in nested if outer.get(column) != "raw"]:
        del raw[column]
    return replace(found, texts=texts, numbers=numbers, raw=raw)


def _pulled(column: Any, path: Sequence[Step]) -> Any:
    """The values at the end of a way as an Arrow column: in Arrow as far as that goes, else one by one."""
    column = column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])
    for i, step in enumerate(path):
        kind = column.type
        try:
            if step.kind == "field" and pa.types.is_struct(kind):
                column = pc.struct_field(column, step.to)
            elif step.kind == "entry" and (pa.types.is_list(kind) or pa.types.is_large_list(kind)):
                column = pc.list_element(column, step.to)
            else:
                return _one_by_one(column, path[i:])
        except pa.ArrowInvalid:  # a list that is too short
            return _one_by_one(column, path[i:])
    return column


def _one_by_one(column: Any, path: Sequence[Step]) -> Any:
    if pa.types.is_nested(storage.inner(column.type)):
        values = [_at(cell, path) for cell in _cells(column)]
    else:
        values = [_at_or_text(cell, path) for cell in storage.values(column)]
    return _as_column(values)


def _objects(column: Any) -> list[Any]:
    """The lists and objects that the cells of a column hold or spell."""
    if pa.types.is_nested(storage.inner(column.type)):
        return _cells(column)
    return [cell_value(cell or "") for cell in storage.values(column)]


def _as_column(values: list[Any]) -> Any:
    if all(value is None or isinstance(value, float) for value in values):
        return pa.chunked_array([pa.array(values, pa.float64())])
    return pa.chunked_array([pa.array([None if v is None else cell_text(v) for v in values], pa.string())])


def _at_or_text(cell: str | None, path: Sequence[Step]) -> Any:
    """As `_at`, of a cell of text; the text itself where it spells nothing."""
    value = cell_value(cell or "")
    return _at(value, path) if value is not None else cell
