"""What was selected for each query, as sets of ids: by a policy, or as a file states it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from evalcore.crosscheck.extraction import Selected, selected_k
from evalcore.crosscheck.rows import ListRows, PlainData, QueryRows

OWN_SELECTION = "selected_k"


def selections(plain: PlainData, policy: Mapping[str, Any], model: str) -> list[Selected] | None:
    """What was selected for each query, by a policy or as the file states it.

    Parameters
    ----------
    plain : the data.
    policy : ``policy`` and its parameters; ``selected_k`` is the file's own selection.
    model : name of the lists, or of the queries where no lists exist.
    """
    lists = plain.lists(model)
    rows = plain.rows(model) or _only_model(plain)
    if policy["policy"] == OWN_SELECTION:
        return None if rows is None else _stated(plain, rows, lists)
    if lists is None:
        return None
    scores = lists.pairs[0]
    is_probability = all(0 <= score <= 1 for score in scores)
    params = {**policy, "is_probability": is_probability}
    best_first = [_best_first(listed, plain.ties) for _, listed in lists.queries]
    ks = [selected_k([score for _, score in listed], **params) for listed in best_first]
    return _selected(plain, lists, best_first, ks, rows)


def _only_model(plain: PlainData) -> QueryRows | None:
    queries = plain.data.queries
    return plain.rows(queries.models[0]) if queries is not None and len(queries.models) == 1 else None


def _best_first(listed: Sequence[tuple[str, float]], ties: str) -> list[tuple[str, float]]:
    """A list by score, ties in the order of the input or by id; a selection does not leave them open."""
    rows = listed if ties == "stable" else sorted(listed, key=lambda row: row[0].encode(), reverse=True)
    return sorted(rows, key=lambda row: -row[1])


def _selected(
    plain: PlainData,
    lists: ListRows,
    best_first: Sequence[Sequence[tuple[str, float]]],
    ks: Sequence[int | None],
    rows: QueryRows | None,
) -> list[Selected]:
    passed = {} if rows is None else dict(zip(rows.names, plain.passed(rows), strict=True))
    selected = []
    for name, (gold, _), listed, k in zip(lists.names, lists.queries, best_first, ks, strict=True):
        if k is not None:
            ids = frozenset(item for item, _ in listed[:k])
            selected.append(Selected(frozenset(gold), ids, passed.get(name, True)))
    return selected


def _stated(plain: PlainData, rows: QueryRows, lists: ListRows | None) -> list[Selected] | None:
    if "selected_k" not in rows.numbers:
        return None
    numbers = dict(zip(rows.names, rows.numbers["selected_k"], strict=True))
    stated = {name: int(k) for name, k in numbers.items() if not math.isnan(k)}
    if lists is not None:
        best_first = [_best_first(listed, plain.ties) for _, listed in lists.queries]
        return _selected(plain, lists, best_first, [stated.get(name) for name in lists.names], rows)
    return [
        Selected(frozenset(["gold"] * label), frozenset(map(str, range(stated[name]))), passed)
        for name, label, passed in zip(rows.names, rows.labels, plain.passed(rows), strict=True)
        if name in stated
    ]
