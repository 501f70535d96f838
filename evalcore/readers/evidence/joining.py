"""What several files say together: labels beside candidates, gold beside labels, the queries they share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evalcore.data import Queries, Rankings
from evalcore.problems import SHOWN, Findings
from evalcore.readers.columns.ids import Keys, merged_levels, pair_codes
from evalcore.readers.evidence.queries.parts import QueryPart
from evalcore.readers.evidence.rankings import MISSING_GOLD, Joined, ModelList, RankingPart
from evalcore.readers.formats.table import Texts

_NONE = np.asarray([""], object)


@dataclass(frozen=True)
class Holder:
    """A file and the queries it holds."""

    kind: str
    file: str
    keys: Keys


def count_shared(holders: list[Holder], findings: Findings) -> None:
    """Report how many queries the files of a kind share with those of the first kind, where not all."""
    kinds = list(dict.fromkeys(holder.kind for holder in holders))
    if len(kinds) < 2:
        return
    codes = shared_codes([holder.keys for holder in holders])
    of_kind = {
        kind: np.unique(np.concatenate([c for c, h in zip(codes, holders, strict=True) if h.kind == kind]))
        for kind in kinds
    }
    files = {kind: " and ".join(dict.fromkeys(h.file for h in holders if h.kind == kind)) for kind in kinds}
    first = kinds[0]
    for kind in kinds[1:]:
        n_joined = len(np.intersect1d(of_kind[first], of_kind[kind], assume_unique=True))
        n_first, n_second = len(of_kind[first]) - n_joined, len(of_kind[kind]) - n_joined
        if n_first or n_second:
            findings.add(
                "RNK-010",
                n_joined=n_joined,
                n_only_first=n_first,
                n_only_second=n_second,
                first=files[first],
                second=files[kind],
            )


def strangers(holders: list[Holder], extra: set[str]) -> set[str]:
    """The runs among some files that share no query with the judgements, where another run does.

    Parameters
    ----------
    extra : the files that may be left out.
    """
    if not extra or all(holder.kind == "run" for holder in holders):
        return set()
    codes = shared_codes([holder.keys for holder in holders])
    known = np.concatenate([code for code, one in zip(codes, holders, strict=True) if one.kind != "run"])
    shares = {
        one.file: bool(np.isin(code, known).any())
        for code, one in zip(codes, holders, strict=True)
        if one.kind == "run"
    }
    return {name for name in extra if not shares[name]} if any(shares.values()) else set()


def shared_codes(keys: list[Keys]) -> list[NDArray[np.intp]]:
    """One code for each query, the same in all tables, for every row of each."""
    _, post_codes = merged_levels([k.post.levels for k in keys])
    criteria = [k.criterion or Texts(np.zeros(len(k.post.codes), np.int32), _NONE) for k in keys]
    criterion_ids, criterion_codes = merged_levels([_NONE, *(texts.levels for texts in criteria)])
    post = np.concatenate([code[k.post.codes] for code, k in zip(post_codes, keys, strict=True)])
    criterion = np.concatenate([code[t.codes] for code, t in zip(criterion_codes[1:], criteria, strict=True)])
    code, _ = pair_codes(post, criterion, len(criterion_ids))
    return np.split(code, np.cumsum([len(k.post.codes) for k in keys])[:-1])


def places(queries: Queries, rankings: Rankings) -> NDArray[np.intp]:
    """For each row of the queries, the query of the rankings that it is, or −1: shape (N,)."""
    left, right = shared_codes([_keys(queries), _keys(rankings)])
    at = np.full(max(int(left.max(initial=-1)), int(right.max(initial=-1))) + 1, -1)
    at[right] = np.arange(len(right))
    return at[left]


def _keys(table: Queries | Rankings) -> Keys:
    criterion_ids = np.concatenate([_NONE, table.criterion_ids])
    return Keys(
        Texts(table.post.astype(np.int32), table.post_ids),
        Texts((table.criterion + 1).astype(np.int32), criterion_ids),
        table.has_posts,
        table.has_ids,
    )


def with_labels(queries: Queries, joined: Joined, file: str, column: str, findings: Findings) -> Rankings:
    """Rankings that know the labels: a query with evidence and no known gold gets gold that no list holds.

    Parameters
    ----------
    queries, joined : the two tables.
    file, column : of the labels, for messages.
    """
    rankings, is_complete = joined.rankings, joined.is_complete
    at = places(queries, rankings)
    rows = np.flatnonzero(at >= 0)
    _, first = np.unique(at[rows], return_index=True)
    rows = rows[np.sort(first)]
    query, label = at[rows], queries.has_evidence[rows]
    has_gold = np.bincount(rankings.gold_query, minlength=rankings.n_queries) > 0
    contradicts = (label != has_gold[query]) & (is_complete[query] | ~label)
    wrong = rows[contradicts]
    facts = ((int(queries.row[i]), {"found": str(int(queries.has_evidence[i]))}) for i in wrong[:SHOWN])
    findings.add_rows("QRY-017", facts, len(wrong), file=file, column=column)
    missing = query[label & ~has_gold[query] & ~is_complete[query]]
    slices = _with_slices(queries, rankings, rows, query)
    if not len(missing):
        return replace(rankings, slices=slices)
    findings.add("RNK-015", n=len(missing))
    return replace(
        rankings,
        slices=slices,
        item_ids=np.append(rankings.item_ids, np.asarray([MISSING_GOLD], object)),
        gold_query=np.concatenate([rankings.gold_query, missing]),
        gold_item=np.concatenate([rankings.gold_item, np.full(len(missing), len(rankings.item_ids))]),
        gold_grade=np.concatenate([rankings.gold_grade, np.ones(len(missing), np.int64)]),
    )


def _with_slices(
    queries: Queries, rankings: Rankings, rows: NDArray[np.intp], query: NDArray[np.intp]
) -> Mapping[str, tuple[NDArray[np.intp], tuple[str, ...]]]:
    """The groups of the rankings, and those that only the queries have."""
    slices = dict(rankings.slices)
    for name in ("fold", "split"):
        if name in queries.slices and name not in slices:
            codes, levels = queries.slices[name]
            of_query = np.full(rankings.n_queries, -1)
            of_query[query] = codes[rows]
            slices[name] = of_query, levels
    return slices


def candidate_queries(joined: Joined, label: NDArray[np.bool_], findings: Findings) -> list[QueryPart]:
    """Query-level rows of candidates: the score is the highest of the query's candidates.

    Parameters
    ----------
    joined : rankings of all files; only candidates have scores of their own.
    label : whether each query of the rankings has evidence, shape (Q,).
    """
    found: list[QueryPart] = []
    for part, code in zip(joined.parts, joined.query, strict=True):
        for one in part.lists:
            if one.has_scores and part.kind == "candidates":
                found += _query_part(part, one, label[code], findings)
    return found


def _query_part(
    part: RankingPart, one: ModelList, label: NDArray[np.bool_], findings: Findings
) -> list[QueryPart]:
    score = np.full(len(part.row), -np.inf)
    np.maximum.at(score, one.query, one.score)
    kept = np.flatnonzero(np.isfinite(score))
    if len(kept) < len(score):
        findings.add("RNK-016", file=part.file, column=one.model, n=len(score) - len(kept))
    if not len(kept):
        return []
    criterion = part.keys.criterion.where(kept) if part.keys.criterion is not None else None
    return [
        QueryPart(
            file=part.file,
            keys=Keys(part.keys.post.where(kept), criterion, part.keys.has_posts),
            is_positive=label[kept],
            score=score[kept],
            model=Texts(np.zeros(len(kept), np.int32), np.asarray([one.model], object)),
            groups={name: texts.where(kept) for name, texts in part.groups.items()},
            numbers={"n_candidates": one.n_candidates[kept].astype(np.float64)},
            row=part.row[kept],
        )
    ]


def labels_by_query(queries: Queries | None, rankings: Rankings) -> NDArray[np.bool_]:
    """Whether each query of the rankings has evidence: as the queries say, else by its gold."""
    label = np.bincount(rankings.gold_query, minlength=rankings.n_queries) > 0
    if queries is not None:
        at = places(queries, rankings)
        label[at[at >= 0]] = queries.has_evidence[at >= 0]
    return label
