"""Scores of classes inside of cells: two lists beside each other, or objects with a name and a score each."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from evalcore.readers.formats.cells import cell_text, spells_number
from evalcore.schema import plain

_CLASSES = ("label", "class", "classname", "name", "displayname", "tagname", "category", "value")
_SCORES = ("score", "probability", "prob", "confidence", "p", "value")
_CLASS_LISTS = ("classes", "labels", "displaynames", "classnames", "ids", "names")
_SCORE_LISTS = ("scores", "confidences", "probabilities", "probs", "probability")
MOST_ENTRIES = 20


def named_beside(every: Mapping[str, Sequence[Any]]) -> dict[str, str]:
    """Column of lists of scores → the column of lists of the same lengths that names their classes."""
    filled = {
        name: cells
        for name, cells in every.items()
        if any(cells) and all(cell is None or isinstance(cell, list) for cell in cells)
    }
    texts = [
        name for name, cells in filled.items() if all(map(_is_text, itertools.chain(*filter(None, cells))))
    ]
    found: dict[str, str] = {}
    for name, cells in filled.items():
        pairs = (
            [[paired(*both) for both in zip(filled[other], cells, strict=True)] for other in texts]
            if name not in texts
            else []
        )
        fitting = [
            other for other, pair in zip(texts, pairs, strict=False) if classes_of([*filter(None, pair)])
        ]
        if len(fitting) == 1:
            found[name] = fitting[0]
    return found


def paired(classes: Any, scores: Any) -> Any:
    """Classes and scores of two columns as one cell."""
    return None if classes is None or scores is None else {"classes": classes, "scores": scores}


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and not spells_number(value)


def classes_of(values: list[Any]) -> list[str]:
    """The classes whose scores lie in each value: two or more, each score a number."""
    found: dict[str, None] = {}
    for value in values:
        pairs = scored(value)
        if pairs is None or not all(spells_number(str(score)) for _, score in pairs):
            return []
        found.update(dict.fromkeys(name for name, _ in pairs))
    return list(found) if 2 <= len(found) <= MOST_ENTRIES and any(_n(value) > 1 for value in values) else []


def _n(value: Any) -> int:
    return len(scored(value) or ())


def scored(value: Any) -> list[tuple[str, Any]] | None:
    """Class and score of each class in a value; None where it holds none."""
    if isinstance(value, dict):
        lists = {key: one for key, one in value.items() if isinstance(one, list) and one}
        keys = _keys(list(lists), [lists], _CLASS_LISTS, _SCORE_LISTS)
        if keys is None or len(lists[keys[0]]) != len(lists[keys[1]]):
            return None
        return [(cell_text(name), score) for name, score in zip(*(lists[key] for key in keys), strict=True)]
    if not isinstance(value, list) or not value:
        return None
    if all(isinstance(one, list) for one in value):
        pairs: list[Any] = (
            list(zip(*value, strict=True)) if len(value) == 2 and len(value[0]) == len(value[1]) else []
        )
        for entries in (value, pairs):
            if entries and all(len(one) == 2 and _is_text(one[0]) and _is_score(one[1]) for one in entries):
                return [(name, score) for name, score in entries]
        return None
    if not all(isinstance(one, dict) for one in value):
        return None
    shared = [key for key in value[0] if all(key in one for one in value)]
    found = _keys(shared, value, _CLASSES, _SCORES)
    return None if found is None else [(cell_text(one[found[0]]), one[found[1]]) for one in value]


def _keys(
    names: Sequence[str], objects: Sequence[Mapping[str, Any]], classes: Sequence[str], scores: Sequence[str]
) -> tuple[str, str] | None:
    """The names under which the class and its score stand: known ones, else the only text and number."""
    values = {
        name: [
            cell
            for one in objects
            for cell in (one[name] if isinstance(one[name], list) else [one[name]])
            if not isinstance(cell, (dict, list))
        ]
        for name in names
    }
    texts = [name for name in names if values[name] and all(map(_is_text, values[name]))]
    numbers = [name for name in names if values[name] and all(map(_is_score, values[name]))]
    known = {plain(name).replace("_", ""): name for name in reversed(names) if values[name]}
    label = next((known[name] for name in classes if name in known and (known[name] in texts)), None)
    label = label or next((known[name] for name in classes if name in known), None)
    label = label if label is not None or len(texts) != 1 else texts[0]
    others = [name for name in numbers if name != label]
    score = next((known[name] for name in scores if known.get(name) in others), None)
    score = score if score is not None or len(others) != 1 else others[0]
    return None if label is None or score is None else (label, score)


def _is_score(value: Any) -> bool:
    return not isinstance(value, (bool, dict, list)) and spells_number(str(value))


def are_named(entries: Sequence[Any]) -> bool:
    """Whether a text stands beside a number in every entry, and is not always the same."""
    if not entries or not all(isinstance(entry, (dict, list)) for entry in entries):
        return False
    cells = [list(entry.values()) if isinstance(entry, dict) else entry for entry in entries]
    texts = {text for cell in cells for text in cell if _is_text(text)}
    is_beside = all(any(map(_is_text, cell)) and any(map(_is_score, cell)) for cell in cells)
    return is_beside and len(texts) > 1
