"""Candidates in long form: a row per (post, criterion, sentence), in any order, with gold and scores."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evalcore.problems import SHOWN, Findings
from evalcore.readers.columns.ids import Keys, pair_codes, repeated, report_lookalikes
from evalcore.readers.evidence.rankings import MAX_GRADE, Gold, ModelList, RankingPart
from evalcore.readers.evidence.repeats import Place, check_repeats
from evalcore.readers.evidence.rows import Rows, check_floating_ids, groups_of
from evalcore.readers.evidence.trec.topics import warn_of_reversed_ranks
from evalcore.readers.formats.table import Numbers, Texts
from evalcore.rows import Places
from evalcore.schema import binary

_GROUPS = ("fold", "split", "state")
_OF_LIST = ("post_id", "criterion_id", "query_id", "model")
"""Roles whose columns name a list."""

_MAX_RANK = 2**31
_GRADE = re.compile(r"[+]?([0-9]+)(\.0*)?")


@dataclass(frozen=True)
class _ModelRows:
    """The rows of one model; None, and all of them, where no column names models."""

    name: str | None
    rows: Places


def candidate_parts(rows: Rows, keys: Keys, keep_first: bool, findings: Findings) -> list[RankingPart]:
    """The rankings of a table, a part for each model of its model column.

    Parameters
    ----------
    rows, keys : the table, and the query of each row.
    keep_first : whether a repeated candidate keeps its best rank.
    """
    item_column = rows.mapped.one("sent_uid")
    item = rows.text("sent_uid")
    if item is None or item_column is None:
        return []
    check_floating_ids(rows, item_column, item, findings)
    report_lookalikes(item, rows.row, rows.name, item_column, findings)
    empty = np.flatnonzero(item.is_empty)
    where: list[tuple[int, dict[str, str]]] = [(int(rows.row[i]), {}) for i in empty[:SHOWN]]
    findings.add_rows(
        "QRY-005", where, len(empty), file=rows.name, column=item_column, expected="a sentence id"
    )
    grade = _grades(rows, findings)
    scores = _scores(rows, keys, item, findings)
    groups, _ = groups_of(rows, _GROUPS)
    parts = [
        _part(rows, keys, item, grade, scores, groups, one, keep_first, findings) for one in _models(rows)
    ]
    if keep_first and rows.excluded.get("repeated candidate"):
        findings.add("RNK-011", file=rows.name, n=rows.excluded["repeated candidate"])
    return parts


def _models(rows: Rows) -> list[_ModelRows]:
    model = rows.text("model")
    if model is None:
        return [_ModelRows(None, slice(None))]
    return [
        _ModelRows(str(level), np.flatnonzero(model.codes == code)) for code, level in enumerate(model.levels)
    ]


def _grades(rows: Rows, findings: Findings) -> NDArray[np.int64] | None:
    texts, column = rows.text("is_gold"), rows.mapped.one("is_gold")
    if texts is None or column is None:
        return None
    of_level = [_grade(level) for level in texts.levels.tolist()]
    bad = np.asarray([grade is None for grade in of_level], bool)[texts.codes]
    at = np.flatnonzero(bad)
    facts = ((int(rows.row[i]), {"found": texts.at(i).strip()[:40] or "an empty cell"}) for i in at[:SHOWN])
    findings.add_rows("RNK-004", facts, len(at), file=rows.name, column=column)
    return np.asarray([grade or 0 for grade in of_level], np.int64)[texts.codes]


def _grade(level: str) -> int | None:
    whole = _GRADE.fullmatch(level.strip())
    if whole:
        return int(whole.group(1)) if len(whole.group(1)) < 10 and int(whole.group(1)) <= MAX_GRADE else None
    truth = binary(level)
    return None if truth is None else int(truth)


def _scores(
    rows: Rows, keys: Keys, item: Texts, findings: Findings
) -> dict[str, tuple[NDArray[np.float64], bool]]:
    """Column → its scores, NaN where a candidate is not in the list, and whether they are no ranks."""
    found: dict[str, tuple[NDArray[np.float64], bool]] = {}
    for column in rows.mapped.roles.get("score", ()):
        numbers = rows.columns.numbers[column]
        bad = np.flatnonzero(numbers.is_unreadable | (~np.isfinite(numbers.values) & ~numbers.is_empty))
        if len(bad):
            cells = rows.cells(column)
            facts = ((int(rows.row[i]), _place(keys, item, cells(int(i)), int(i))) for i in bad[:SHOWN])
            findings.add_rows("RNK-002", facts, len(bad), file=rows.name, column=column)
        if numbers.is_empty.any():
            findings.add("COL-009", file=rows.name, column=column, n=int(numbers.is_empty.sum()))
        found[column] = numbers.values, True
    ranks, rank_column = rows.number("rank"), rows.mapped.one("rank")
    if rank_column is not None:
        lists = [name for role in _OF_LIST if (name := rows.mapped.one(role)) is not None]
        for column in found:
            warn_of_reversed_ranks(rows, lists, rank_column, column, findings)
    if not found and ranks is not None and rank_column is not None:
        found[rank_column] = -_checked_ranks(rows, keys, rank_column, ranks, findings), False
    return found


def _place(keys: Keys, item: Texts, cell: str, index: int) -> dict[str, str]:
    post = keys.post.at(index)
    criterion = keys.criterion.at(index) if keys.criterion is not None else ""
    query = f"{post}::{criterion}" if criterion else post
    return {"found": cell.strip()[:40], "item": item.at(index), "query": query}


def _checked_ranks(
    rows: Rows, keys: Keys, column: str, ranks: Numbers, findings: Findings
) -> NDArray[np.float64]:
    lowest = 0 if _begin_at_zero(rows, keys, ranks) else 1
    with np.errstate(invalid="ignore"):
        is_rank = (
            (ranks.values >= lowest) & (ranks.values <= _MAX_RANK) & (ranks.values == np.floor(ranks.values))
        )
    bad = np.flatnonzero(~is_rank & ~ranks.is_empty)
    if len(bad):
        cells = rows.cells(column)
        facts = ((int(rows.row[i]), {"found": cells(int(i)).strip()[:40]}) for i in bad[:SHOWN])
        findings.add_rows("RNK-017", facts, len(bad), file=rows.name, column=column)
    else:
        _report_shared_ranks(rows, keys, column, ranks, findings)
    return ranks.values


def _lists(rows: Rows, keys: Keys) -> NDArray[np.int64]:
    """The list that each row belongs to: one for each query and model."""
    key = keys.post.codes.astype(np.int64)
    for texts in (keys.criterion, rows.text("model")):
        if texts is not None:
            key = key * len(texts.levels) + texts.codes
    return key


def _begin_at_zero(rows: Rows, keys: Keys, ranks: Numbers) -> bool:
    """Whether every list has one rank 0: then ranks count from 0, as data frames do."""
    is_first = ranks.values == 0
    if not is_first.any():
        return False
    key = _lists(rows, keys)
    firsts = key[is_first]
    return len(np.unique(firsts)) == len(firsts) == len(np.unique(key[~ranks.is_empty]))


def _report_shared_ranks(rows: Rows, keys: Keys, column: str, ranks: Numbers, findings: Findings) -> None:
    """Name candidates of one query, and model, that have the same rank."""
    key = _lists(rows, keys)
    listed = np.flatnonzero(~ranks.is_empty)
    rank = ranks.values[listed].astype(np.int64)
    later, first = repeated(key[listed] * (rank.max(initial=0) + 1) + rank)
    facts = (
        (int(rows.row[listed[i]]), {"rank": int(rank[i]), "first": f"row {rows.row[listed[j]]}"})
        for i, j in zip(later[:SHOWN].tolist(), first[:SHOWN].tolist(), strict=True)
    )
    findings.add_rows("RNK-018", facts, len(later), file=rows.name, column=column)


def _part(
    rows: Rows,
    keys: Keys,
    item: Texts,
    grade: NDArray[np.int64] | None,
    scores: dict[str, tuple[NDArray[np.float64], bool]],
    groups: dict[str, Texts],
    one: _ModelRows,
    keep_first: bool,
    findings: Findings,
) -> RankingPart:
    """The rows of one model as queries, gold and lists."""
    at = one.rows
    post = keys.post.where(at)
    criterion = keys.criterion.where(at) if keys.criterion is not None else None
    query, first = pair_codes(
        post.codes,
        criterion.codes if criterion is not None else np.zeros_like(post.codes),
        len(criterion.levels) if criterion is not None else 1,
    )
    own_keys = Keys(
        post.where(first), criterion.where(first) if criterion is not None else None, keys.has_posts
    )
    own_item = item.where(at)
    n_candidates = np.bincount(query, minlength=len(first)).astype(np.int64)
    lists = [
        _list(_name(one.name, column, len(scores)), query, own_item, values[at], has_scores, n_candidates)
        for column, (values, has_scores) in scores.items()
    ]
    whole = ModelList("", query, own_item, _best(lists, len(query), scores, at), True, n_candidates)
    place = Place(rows.name, rows.mapped.one("sent_uid"), rows.row[at])
    _, dropped = check_repeats(whole, own_keys, place, keep_first, findings)
    if keep_first and len(dropped):
        rows.excluded["repeated candidate"] = rows.excluded.get("repeated candidate", 0) + len(dropped)
        unique = n_candidates - np.bincount(query[dropped], minlength=len(first))
        kept = [check_repeats(each, own_keys, place, True, findings)[0] for each in lists]
        lists = [replace(each, n_candidates=unique) for each in kept]
    return RankingPart(
        file=rows.name,
        kind="candidates",
        keys=own_keys,
        row=rows.row[at][first],
        groups=_constant_groups(rows, groups, query, first, at),
        gold=_gold(query, own_item, grade[at]) if grade is not None else None,
        is_complete=False,
        lists=tuple(lists),
    )


def _best(
    lists: list[ModelList],
    n_rows: int,
    scores: dict[str, tuple[NDArray[np.float64], bool]],
    at: Places,
) -> NDArray[np.float64]:
    """The first score column with absent candidates last: by it repetitions are named and counted."""
    if not lists:
        return np.zeros(n_rows)
    values = next(iter(scores.values()))[0][at]
    is_absent = np.isnan(values)
    return np.where(is_absent, -np.inf, values) if is_absent.any() else values


def _list(
    model: str,
    query: NDArray[np.intp],
    item: Texts,
    values: NDArray[np.float64],
    has_scores: bool,
    n_candidates: NDArray[np.int64],
) -> ModelList:
    in_list = ~np.isnan(values)
    if in_list.all():
        return ModelList(model, query, item, values, has_scores, n_candidates)
    return ModelList(model, query[in_list], item.where(in_list), values[in_list], has_scores, n_candidates)


def _name(model: str | None, column: str, n_columns: int) -> str:
    if model is None:
        return column
    return model if n_columns == 1 else f"{model} {column}"


def _gold(query: NDArray[np.intp], item: Texts, grade: NDArray[np.int64]) -> Gold:
    is_gold = grade > 0
    return Gold(query[is_gold], item.where(is_gold), grade[is_gold])


def _constant_groups(
    rows: Rows,
    groups: dict[str, Texts],
    query: NDArray[np.intp],
    first: NDArray[np.intp],
    at: Places,
) -> dict[str, Texts]:
    """Groups of queries: columns with one value within each query; others are left out and said so."""
    constant: dict[str, Texts] = {}
    for name, texts in groups.items():
        own = texts.where(at)
        if np.array_equal(own.codes, own.codes[first][query]):
            constant[name] = own.where(first)
        else:
            rows.unused[rows.mapped.one(name) or name] = "differs between the candidates of a query"
    return constant
