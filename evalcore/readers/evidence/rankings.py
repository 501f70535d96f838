"""Rankings of one or more files: queries, items and gold shared, a list for each model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.data import FilesAs, RankedRows, Rankings
from evalcore.problems import SHOWN, Findings
from evalcore.readers.columns.ids import Keys, merged_levels, pair_codes
from evalcore.readers.evidence.queries.stacking import file_labels
from evalcore.readers.evidence.rows import coded_slice
from evalcore.readers.formats.table import Texts

MISSING_GOLD = "(gold that is not among the candidates)"
MAX_GRADE = 1000
"""Beyond it the gain 2^grade − 1 is no number."""
_NONE = np.asarray([""], object)


@dataclass(frozen=True)
class Gold:
    """Gold of a part: query and item of each pair, grade from 1."""

    query: NDArray[np.intp]
    item: Texts
    grade: NDArray[np.int64]


@dataclass(frozen=True)
class ModelList:
    """The lists of one model in a part, as in `evalcore.data.RankedRows` with items as text."""

    model: str
    query: NDArray[np.intp]
    item: Texts
    score: NDArray[np.float64]
    has_scores: bool
    n_candidates: NDArray[np.int64]


@dataclass(frozen=True)
class RankingPart:
    """What one file, or one model of it, says about queries and lists.

    Parameters
    ----------
    file, kind : its name, and its kind of table.
    keys : the queries, each once, shape (Q,).
    row : the first data row of each query, shape (Q,).
    groups : columns to break down by, shape (Q,).
    gold : the gold pairs, or None where the file judges nothing.
    is_complete : whether gold outside the lists is known.
    lists : the lists.
    """

    file: str
    kind: str
    keys: Keys
    row: NDArray[np.intp]
    groups: Mapping[str, Texts]
    gold: Gold | None
    is_complete: bool
    lists: tuple[ModelList, ...]


@dataclass(frozen=True)
class Joined:
    """Rankings of all parts, the parts under their final names, and the place of each of their queries."""

    rankings: Rankings
    parts: tuple[RankingPart, ...]
    query: tuple[NDArray[np.intp], ...]

    @property
    def is_complete(self) -> NDArray[np.bool_]:
        """Whether all gold of a query is known, shape (Q,)."""
        known = np.zeros(self.rankings.n_queries, bool)
        for part, code in zip(self.parts, self.query, strict=True):
            known[code] |= part.is_complete
        return known


def join(parts: list[RankingPart], findings: Findings, files_as: FilesAs | None = None) -> Joined:
    """Bring the parts together by their queries and items; gold that differs between files is reported.

    Parameters
    ----------
    parts : of all files.
    findings : gets gold that differs, and queries that several parts of one table rank.
    files_as : what the user says several files are; None: models where they rank the same query.
    """
    posts, post_codes = merged_levels([part.keys.post.levels for part in parts])
    criteria = [part.keys.criterion or Texts(np.zeros(len(part.row), np.int32), _NONE) for part in parts]
    criterion_ids, criterion_codes = merged_levels([texts.levels for texts in criteria])
    post = np.concatenate([code[part.keys.post.codes] for part, code in zip(parts, post_codes, strict=True)])
    criterion = np.concatenate([code[t.codes] for t, code in zip(criteria, criterion_codes, strict=True)])
    code, first = pair_codes(post, criterion, len(criterion_ids))
    query = tuple(np.split(code, np.cumsum([len(part.row) for part in parts])[:-1]))
    parts = _named_apart(parts, query, files_as, findings)
    items = _Items(parts)
    gold_key, grade = _gold(parts, query, items, len(first), findings)
    none = np.flatnonzero(criterion_ids == "")
    of_first = criterion[first]
    rankings = Rankings(
        post=post[first],
        post_ids=posts,
        criterion=np.where(of_first == none[0], -1, of_first - (of_first > none[0]))
        if len(none)
        else of_first,
        criterion_ids=np.delete(criterion_ids, none),
        slices={
            name: _slice(parts, query, len(first), name)
            for name in dict.fromkeys(n for p in parts for n in p.groups)
        },
        item_ids=items.ids,
        gold_query=gold_key // max(len(items.ids), 1),
        gold_item=gold_key % max(len(items.ids), 1),
        gold_grade=grade,
        lists=_lists(parts, query, items, len(first)),
        has_posts=all(part.keys.has_posts for part in parts),
        has_ids=all(part.keys.has_ids for part in parts),
    )
    return Joined(rankings, tuple(parts), query)


class _Items:
    """Items of all parts as codes of one list of ids; columns that share levels are merged once."""

    def __init__(self, parts: list[RankingPart]) -> None:
        columns = [part.gold.item for part in parts if part.gold is not None]
        columns += [one.item for part in parts for one in part.lists]
        levels = {id(texts.levels): texts.levels for texts in columns}
        self.ids, codes = merged_levels(list(levels.values()))
        self._codes = dict(zip(levels, codes, strict=True))

    def codes(self, texts: Texts) -> NDArray[np.intp]:
        """The codes of a column of items."""
        return self._codes[id(texts.levels)][texts.codes]


def _named_apart(
    parts: list[RankingPart],
    query: tuple[NDArray[np.intp], ...],
    files_as: FilesAs | None,
    findings: Findings,
) -> list[RankingPart]:
    """Lists of one name in two files are one model unless both rank the same query: then files name them."""
    holders: dict[str, list[tuple[RankingPart, NDArray[np.intp]]]] = {}
    for part, code in zip(parts, query, strict=True):
        for one in part.lists:
            holders.setdefault(one.model, []).append((part, code))
    shared = [found for ones in holders.values() if (found := _first_shared(ones)) is not None]
    if files_as == "parts":
        for here, at, there in shared:
            words = query_words(here.keys, at)
            findings.add("QRY-084", file=here.file, row=int(here.row[at]), found=words, **there)
        return parts
    if not shared and not (files_as == "models" and len({part.file for part in parts}) > 1):
        return parts
    labels = file_labels([part.file for part in parts])
    return [
        replace(part, lists=tuple(replace(one, model=_file_model(label, one.model)) for one in part.lists))
        for part, label in zip(parts, labels, strict=True)
    ]


def _first_shared(
    ones: list[tuple[RankingPart, NDArray[np.intp]]],
) -> tuple[RankingPart, int, dict[str, Any]] | None:
    """The first query of a part that an earlier part ranks too: part, place, and where it stood before."""
    if len(ones) == 1:
        return None
    known = np.zeros(0, np.intp)
    for nth, (part, code) in enumerate(ones):
        at = np.flatnonzero(np.isin(code, known))
        if len(at):
            before, codes = next(one for one in ones[:nth] if code[at[0]] in one[1])
            row = int(before.row[np.flatnonzero(codes == code[at[0]])[0]])
            return part, int(at[0]), {"first": before.file, "first_row": row}
        known = np.union1d(known, code)
    return None


def _file_model(label: str, model: str) -> str:
    return f"{label}: {model}"


def _gold(
    parts: list[RankingPart],
    query: tuple[NDArray[np.intp], ...],
    items: _Items,
    n_queries: int,
    findings: Findings,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Key ``query · n_items + item`` of each gold pair, once, and its highest grade."""
    n_items = max(len(items.ids), 1)
    keys = [
        code[part.gold.query].astype(np.int64) * n_items + items.codes(part.gold.item)
        if part.gold is not None
        else np.zeros(0, np.int64)
        for part, code in zip(parts, query, strict=True)
    ]
    _compare_gold(parts, query, keys, n_queries, n_items, findings)
    key = np.concatenate(keys)
    grade = np.concatenate(
        [part.gold.grade if part.gold is not None else np.zeros(0, np.int64) for part in parts]
    )
    order = np.lexsort((-grade, key))
    key, grade = key[order], grade[order]
    is_first = np.concatenate([[True], key[1:] != key[:-1]]) if len(key) else np.zeros(0, bool)
    return key[is_first], grade[is_first]


def _compare_gold(
    parts: list[RankingPart],
    query: tuple[NDArray[np.intp], ...],
    keys: list[NDArray[np.int64]],
    n_queries: int,
    n_items: int,
    findings: Findings,
) -> None:
    known = np.full(n_queries, -1)
    full = np.zeros(0, np.int64)
    for i, (part, code, key) in enumerate(zip(parts, query, keys, strict=True)):
        if not part.is_complete:
            continue
        shared = known[code] >= 0
        if shared.any():
            is_shared = np.zeros(n_queries, bool)
            is_shared[code[shared]] = True
            both = np.setxor1d(full[is_shared[full // n_items]], key[is_shared[key // n_items]])
            differing = np.unique(both // n_items)
            local = np.full(n_queries, -1)
            local[code] = np.arange(len(code))
            for q in differing[:SHOWN].tolist():
                at = int(local[q])
                findings.add(
                    "RNK-013",
                    file=part.file,
                    row=int(part.row[at]),
                    query=query_words(part.keys, at),
                    first=parts[int(known[q])].file,
                )
            findings.count_more("RNK-013", len(differing))
        known[code] = np.where(known[code] < 0, i, known[code])
        full = np.union1d(full, key)
    for part, key in zip(parts, keys, strict=True):
        if not part.is_complete and part.gold is not None and (known >= 0).any():
            extra = np.setdiff1d(key[known[key // n_items] >= 0], full)
            if len(extra):
                other = parts[int(known[extra[0] // n_items])].file
                findings.add("RNK-014", file=part.file, n=len(extra), other=other)


def query_words(keys: Keys, index: int) -> str:
    """A query's name, ``post::criterion`` or the post alone."""
    criterion = keys.criterion.at(index) if keys.criterion is not None else ""
    return f"{keys.post.at(index)}::{criterion}" if criterion else keys.post.at(index)


def _slice(
    parts: list[RankingPart], query: tuple[NDArray[np.intp], ...], n_queries: int, name: str
) -> tuple[NDArray[np.intp], tuple[str, ...]]:
    having = [
        (part.groups[name], code) for part, code in zip(parts, query, strict=True) if name in part.groups
    ]
    levels, codes = merged_levels([_NONE, *(texts.levels for texts, _ in having)])
    merged = np.zeros(n_queries, np.int32)
    for (texts, code), of_level in zip(reversed(having), reversed(codes[1:]), strict=True):
        value = of_level[texts.codes]
        merged[code[value > 0]] = value[value > 0]
    return coded_slice(Texts(merged, levels))


def _lists(
    parts: list[RankingPart], query: tuple[NDArray[np.intp], ...], items: _Items, n_queries: int
) -> dict[str, RankedRows]:
    by_model: dict[str, list[tuple[ModelList, NDArray[np.intp]]]] = {}
    for part, code in zip(parts, query, strict=True):
        for one in part.lists:
            by_model.setdefault(one.model, []).append((one, code))
    lists: dict[str, RankedRows] = {}
    for model, ones in by_model.items():
        n_candidates = np.zeros(n_queries, np.int64)
        for one, code in ones:
            n_candidates[code] += one.n_candidates
        lists[model] = RankedRows(
            query=np.concatenate([code[one.query] for one, code in ones]),
            item=np.concatenate([items.codes(one.item) for one, _ in ones]),
            score=np.concatenate([one.score for one, _ in ones]),
            has_scores=any(one.has_scores for one, _ in ones),
            n_candidates=n_candidates,
        )
    return lists
