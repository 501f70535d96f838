"""The responses of all files of a task together, and what must hold among them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.annotations import UNSAID
from evalcore.problems import SHOWN, Findings
from evalcore.readers.columns.ids import repeated
from evalcore.readers.rag.parts import ResponsePart, joined_texts, same_text
from evalcore.readers.rag.responses.zero_ranks import ZeroRanks, zero_ranks

Excluded = Counter[tuple[str, str]]
_REPEATED = "repeated chunk (its best rank was kept)"
_SAME = "the same response again"
_ADJUDICATION = "the adjudicator's decision, kept beside the responses"


def stacked(parts: Sequence[ResponsePart]) -> ResponsePart:
    """The rows of several files of one task, one under the other."""
    if len(parts) == 1:
        return parts[0]
    start = np.cumsum([0, *(len(part.files) for part in parts)])
    files = tuple(name for part in parts for name in part.files)

    def column(values: Sequence[NDArray[Any]]) -> NDArray[Any]:
        return np.concatenate(values)

    def said(get: str) -> dict[str, NDArray[np.int8]]:
        names = dict.fromkeys(name for part in parts for name in getattr(part, get))
        nothing = [np.full(len(part), UNSAID, np.int8) for part in parts]
        return {
            name: column(
                [getattr(part, get).get(name, none) for part, none in zip(parts, nothing, strict=True)]
            )
            for name in names
        }

    slices = dict.fromkeys(name for part in parts for name in part.slices)
    return ResponsePart(
        task=parts[0].task,
        files=files,
        file=column([part.file + at for part, at in zip(parts, start[:-1], strict=True)]),
        row=column([part.row for part in parts]),
        record=joined_texts([part.record for part in parts]),
        chunk=joined_texts([part.chunk for part in parts]),
        annotator=joined_texts([part.annotator for part in parts]),
        rank=column([part.rank for part in parts]),
        n_retrieved=column([part.n_retrieved for part in parts]),
        is_submitted=column([part.is_submitted for part in parts]),
        labels=said("labels"),
        adjudicated=said("adjudicated"),
        slices={
            name: joined_texts([part.slices.get(name, same_text("", len(part))) for part in parts])
            for name in slices
        },
    )


def checked(
    part: ResponsePart,
    keep_first: bool,
    adjudicator: str | None,
    findings: Findings,
    ranks: list[ZeroRanks] | None = None,
) -> tuple[ResponsePart, Excluded]:
    """The responses with each chunk once a list and each annotator once a unit; what fails is reported.

    Parameters
    ----------
    part : all responses of a task.
    keep_first : whether a chunk at several ranks keeps its best one, the ranks behind it closing up.
    adjudicator : the annotator whose rows are decisions, or None.
    ranks : gets how ranks begin, where other records play a part in what is said of it; None: it is said.

    Returns
    -------
    The rows used, and (file, reason) → rows left out.
    """
    excluded: Excluded = Counter()
    if part.task == "retrieval":
        begins = zero_ranks(part)
        if ranks is None:
            begins.tell(findings)
        else:
            ranks.append(begins)
        part, left_out = _one_rank_a_chunk(part, keep_first, findings)
        excluded += left_out
        _check_ranks(part, findings)
    part, left_out = _one_response(part, keep_first, findings)
    excluded += left_out
    part = _adjudication_of_all_rows(part, findings)
    if adjudicator is not None:
        part, left_out = _with_decisions(part, adjudicator)
        excluded += left_out
    return part, excluded


def unit_keys(part: ResponsePart) -> NDArray[np.int64]:
    """One code for each (record, chunk), shape (N,)."""
    return part.record.codes.astype(np.int64) * max(len(part.chunk.levels), 1) + part.chunk.codes


def _left_out(part: ResponsePart, rows: NDArray[np.intp], reason: str) -> Excluded:
    return Counter((part.files[code], reason) for code in part.file[rows].tolist())


def _one_rank_a_chunk(
    part: ResponsePart, keep_first: bool, findings: Findings
) -> tuple[ResponsePart, Excluded]:
    """Report chunks at several ranks of a record; on request they keep the best one."""
    unit = unit_keys(part)
    several = _several_ranks(unit, part.rank)
    if not several:
        return part, Counter()
    if keep_first:
        return _best_ranks(part, unit, several)
    _report_ranks(part, unit, several, findings)
    return part, Counter()


def _several_ranks(unit: NDArray[np.int64], rank: NDArray[np.int64]) -> dict[int, list[int]]:
    """The ranks of each chunk that has more than one, ascending, by the chunk that stands first."""
    ranked = np.flatnonzero(rank > 0)
    later, first = repeated(unit[ranked])
    moved = np.isin(unit, unit[ranked[later[rank[ranked[later]] != rank[ranked[first]]]]]) & (rank > 0)
    ranks: defaultdict[int, set[int]] = defaultdict(set)
    for key, one in zip(unit[moved].tolist(), rank[moved].tolist(), strict=True):
        ranks[key].add(one)
    return {key: sorted(found) for key, found in ranks.items()}


def _report_ranks(
    part: ResponsePart, unit: NDArray[np.int64], several: dict[int, list[int]], findings: Findings
) -> None:
    """A chunk twice in one annotator's list, or ranks that annotators contradict each other about."""
    for key, found in list(several.items())[:SHOWN]:
        mine = np.flatnonzero((unit == key) & (part.rank > 0))
        record, chunk = part.record.at(int(mine[0])), part.chunk.at(int(mine[0]))
        by_annotator: defaultdict[int, set[int]] = defaultdict(set)
        for i in mine.tolist():
            by_annotator[int(part.annotator.codes[i])].add(int(part.rank[i]))
        later = int(mine[np.flatnonzero(part.rank[mine] != part.rank[mine[0]])[0]])
        where = {"file": part.files[part.file[later]], "row": int(part.row[later]), "column": "chunk_rank"}
        if any(len(own) > 1 for own in by_annotator.values()):
            listed = " and ".join(map(str, found))
            findings.add("RAG-005", **where, chunk=chunk, record=record, ranks=listed)
        else:
            findings.add(
                "RAG-007",
                **where,
                chunk=chunk,
                record=record,
                rank=int(part.rank[later]),
                other=int(part.rank[mine[0]]),
                first=part.place(int(mine[0])),
            )
    if len(several) > SHOWN:
        findings.count_more("RAG-005", len(several))


def _best_ranks(
    part: ResponsePart, unit: NDArray[np.int64], several: dict[int, list[int]]
) -> tuple[ResponsePart, Excluded]:
    best = np.asarray([several[k][0] if k in several else 0 for k in unit.tolist()], np.int64)
    is_worse = (best > 0) & (part.rank > best)
    own = unit * max(len(part.annotator.levels), 1) + part.annotator.codes
    has_best = set(own[(best > 0) & (part.rank == best)].tolist())
    dropped = is_worse & np.asarray([key in has_best for key in own.tolist()], bool)
    gone: defaultdict[int, set[int]] = defaultdict(set)
    for record, rank in zip(part.record.codes[is_worse].tolist(), part.rank[is_worse].tolist(), strict=True):
        gone[record].add(rank)
    for record, rank in zip(
        part.record.codes[~is_worse].tolist(), part.rank[~is_worse].tolist(), strict=True
    ):
        gone[record].discard(rank)
    rank = np.where(is_worse, best, part.rank)
    n_before = [sum(g < r for g in gone[c]) for c, r in zip(part.record.codes.tolist(), rank, strict=True)]
    n_gone = np.asarray([len(gone[c]) for c in part.record.codes.tolist()], np.int64)
    n_retrieved = np.where(part.n_retrieved > 0, part.n_retrieved - n_gone, part.n_retrieved)
    closed = replace(part, rank=rank - np.asarray(n_before, np.int64), n_retrieved=n_retrieved)
    return closed.where(~dropped), _left_out(part, np.flatnonzero(dropped), _REPEATED)


def _check_ranks(part: ResponsePart, findings: Findings) -> None:
    """One chunk a rank, one number of retrieved chunks a record, no rank above it."""
    record, rank, n = part.record.codes.astype(np.int64), part.rank, part.n_retrieved
    ranks, rank_code = np.unique(rank, return_inverse=True)
    at_rank = _first_alike(record * len(ranks) + rank_code, np.flatnonzero(rank))
    numbered = _first_alike(record, np.flatnonzero(n >= 0))
    has_other_chunk = part.chunk.codes != part.chunk.codes[at_rank]
    has_other_number = n != n[numbered]
    is_beyond = (n >= 0) & (n < rank)
    for i in np.flatnonzero(has_other_chunk | has_other_number | is_beyond).tolist():
        where = {"file": part.files[part.file[i]], "row": int(part.row[i])}
        named = {"record": part.record.at(i)}
        if has_other_chunk[i] and _may_add("RAG-008", findings):
            j = int(at_rank[i])
            facts = {"chunk": part.chunk.at(i), "rank": int(rank[i]), "other": part.chunk.at(j)}
            findings.add("RAG-008", **where, column="chunk_rank", **named, **facts, first=part.place(j))
        if has_other_number[i] and _may_add("RAG-011", findings):
            j = int(numbered[i])
            facts = {"found": f"{n[i]:,}", "other": f"{n[j]:,}", "first": part.place(j)}
            findings.add("RAG-011", **where, column="n_retrieved_chunks", **named, **facts)
        if is_beyond[i] and _may_add("RAG-012", findings):
            findings.add("RAG-012", **where, column="chunk_rank", **named, rank=int(rank[i]), n=int(n[i]))


def _first_alike(key: NDArray[np.int64], rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """Of each of some rows the first of them with its key; every other row stands for itself."""
    found = np.arange(len(key))
    later, first = repeated(key[rows])
    found[rows[later]] = rows[first]
    return found


def _may_add(code: str, findings: Findings) -> bool:
    """Whether a problem of this kind is named; the 21st and later ones are counted."""
    if sum(p.code == code for p in findings.problems) < SHOWN:
        return True
    findings.count_more(code, SHOWN + 1)
    return False


def _one_response(part: ResponsePart, keep_first: bool, findings: Findings) -> tuple[ResponsePart, Excluded]:
    """Report an annotator's second response to a unit; on request one that says the same is left out."""
    own = unit_keys(part) * max(len(part.annotator.levels), 1) + part.annotator.codes
    later, first = repeated(own)
    if not len(later):
        return part, Counter()
    one_rank = (part.rank[later] == part.rank[first]) | (part.rank[later] == 0) | (part.rank[first] == 0)
    later, first = later[one_rank], first[one_rank]  # those of several ranks were reported as such
    is_same = np.asarray([_says_the_same(part, i, j) for i, j in zip(later, first, strict=True)], bool)
    wrong = np.flatnonzero(~is_same if keep_first else np.ones(len(later), bool))
    facts = (
        (
            int(part.row[later[w]]),
            {
                "file": part.files[part.file[later[w]]],
                "annotator": part.annotator.at(int(later[w])) or "an annotator who is not named",
                "unit": part.unit(int(later[w])),
                "first": part.place(int(first[w])),
            },
        )
        for w in wrong[:SHOWN].tolist()
    )
    findings.add_rows("RAG-006", facts, len(wrong))
    if not keep_first:
        return part, Counter()
    dropped = later[is_same]
    return part.where(np.setdiff1d(np.arange(len(part)), dropped)), _left_out(part, dropped, _SAME)


def _says_the_same(part: ResponsePart, i: int, j: int) -> bool:
    columns = (part.is_submitted, part.rank, *part.labels.values(), *part.adjudicated.values())
    groups = (texts.codes for texts in part.slices.values())
    return all(column[i] == column[j] for column in (*columns, *groups))


def _adjudication_of_all_rows(part: ResponsePart, findings: Findings) -> ResponsePart:
    """What was decided of a unit stands beside each of its rows; two decisions are reported."""
    unit = unit_keys(part).tolist()
    spread: dict[str, NDArray[np.int8]] = {}
    for name, said in part.adjudicated.items():
        first: dict[int, int] = {}
        for i in np.flatnonzero(said != UNSAID).tolist():
            j = first.setdefault(unit[i], i)
            if said[j] != said[i] and _may_add("RAG-023", findings):
                where = {"file": part.files[part.file[i]], "row": int(part.row[i]), "column": name}
                findings.add("RAG-023", **where, unit=part.unit(i), first=part.place(j))
        spread[name] = np.asarray([said[first[u]] if u in first else UNSAID for u in unit], np.int8)
    return replace(part, adjudicated=spread)


def _with_decisions(part: ResponsePart, adjudicator: str) -> tuple[ResponsePart, Excluded]:
    """The rows of one annotator taken as decisions on their units."""
    codes = np.flatnonzero(part.annotator.levels == adjudicator)
    is_his = np.isin(part.annotator.codes, codes) & part.is_submitted
    unit = unit_keys(part)
    decided = dict(part.adjudicated)
    for name, said in part.labels.items():
        of_unit = dict(zip(unit[is_his].tolist(), said[is_his].tolist(), strict=True))
        own = np.asarray([of_unit.get(u, UNSAID) for u in unit.tolist()], np.int8)
        before = decided.get(name, np.full(len(part), UNSAID, np.int8))
        decided[name] = np.where(own == UNSAID, before, own).astype(np.int8)
    others = set(unit[~is_his].tolist())
    dropped = is_his & np.asarray([u in others for u in unit.tolist()], bool)
    labels = {n: np.where(is_his, UNSAID, said).astype(np.int8) for n, said in part.labels.items()}
    found = replace(part, labels=labels, adjudicated=decided)
    return found.where(~dropped), _left_out(part, np.flatnonzero(dropped), _ADJUDICATION)
