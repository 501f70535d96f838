"""The data of evidence detection from the rows of all tables: queries and rankings that know each other."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from evalcore.data import HIGHEST_OF_CANDIDATES, Data, Queries, Rankings, present
from evalcore.problems import Findings
from evalcore.readers.columns.labels import Labels, levels_of
from evalcore.readers.evidence.candidates import candidate_parts
from evalcore.readers.evidence.joining import (
    Holder,
    candidate_queries,
    count_shared,
    labels_by_query,
    strangers,
    with_labels,
)
from evalcore.readers.evidence.matching import check_matches
from evalcore.readers.evidence.naming.spelling import check_spelling
from evalcore.readers.evidence.queries.parts import QueryPart, query_parts, report_duplicates
from evalcore.readers.evidence.queries.stacking import stack
from evalcore.readers.evidence.ranked_lists import ranked_list_parts
from evalcore.readers.evidence.rankings import Joined, RankingPart, join
from evalcore.readers.evidence.row_numbers import (
    are_counted,
    are_open,
    ask_of_counted,
    ask_of_few_shared,
    check_joinable,
    check_parts,
    check_same_rows,
    note_of,
    numbered_on,
)
from evalcore.readers.evidence.rows import Rows, keys_of
from evalcore.readers.evidence.trec.topics import check_hashed, qrels_part, run_part
from evalcore.readers.options import Options


def evidence_data(
    rows: list[Rows],
    labels: dict[str, Labels],
    given: Mapping[str, tuple[str, ...]],
    options: Options,
    findings: Findings,
    *,
    is_whole: bool = True,
) -> Data | None:
    """The data of all tables, or None where an error or an open choice stops them.

    Parameters
    ----------
    rows : the tables whose rows were read.
    labels : file → its labels; filled here.
    given : role → columns, as the user said.
    options : how the inputs are to be read.
    findings : every problem; more are added.
    is_whole : whether these are all rows; how ids are written is compared on the whole alone.
    """
    query_rows, ranking_parts, holders = _parts(rows, labels, options, findings)
    rows = [one for one in rows if one.name in {holder.file for holder in holders} or not _is_extra(one)]
    kinds = {one.mapped.kind for one in rows}
    _check_pairs(rows, kinds, findings)
    check_hashed(ranking_parts, findings)
    check_joinable(holders, options.files_as, findings)
    if options.files_as == "parts":
        check_parts([one.mapped for one in rows], findings)
    elif options.files_as is None:
        ask_of_few_shared(holders, findings)
    is_open = are_open(holders) or (are_counted(holders) and options.files_as == "parts")
    if query_rows and options.files_as is None and are_counted(holders):
        ask_of_counted(holders, query_rows, findings)
    how_read = [note_of(holders, options.files_as)] if is_open and options.files_as is not None else []
    how_read += dict.fromkeys(part.note for part in query_rows if part.note)
    if is_open and options.files_as == "parts":
        query_rows, ranking_parts = numbered_on(query_rows, ranking_parts, holders)
    elif is_open and query_rows:
        check_same_rows(query_rows, findings)
    if is_whole:
        check_spelling(_by_kind(holders), findings, are_parts=options.files_as == "parts")
    if not any(p.code == "QRY-081" for p in findings.problems):
        count_shared(_by_kind(holders), findings)
    if findings.errors or not rows:
        return None
    for one in rows:
        one.mapped.table.close()
    base = stack(query_rows, findings, options.files_as) if query_rows else None
    joined = join(ranking_parts, findings, options.files_as) if ranking_parts else None
    if joined is not None:
        check_matches(joined, findings)
    if findings.errors:
        return None
    queries, rankings, notes, is_score = _together(query_rows, base, joined, rows, given, findings)
    if "candidates" in kinds and not kinds & {"queries", "ranked_lists"}:
        findings.add("RNK-005", file=next(one.name for one in rows if one.mapped.kind == "candidates"))
    if findings.errors or (queries is None and rankings is None):
        return None
    found = {label.answer or label.positive for label in labels.values()}
    score_of = next((part.score_of for part in query_rows if part.score_of is not None), None)
    n_holders = len(holders)
    del query_rows, ranking_parts, holders, base, joined
    for one in rows:
        one.release()
    if is_whole:
        pa.default_memory_pool().release_unused()
    return Data(
        task="evidence",
        sources=tuple(one.source() for one in rows),
        tables=present(queries=queries, rankings=rankings),
        score_kind="score" if is_score else options.score_kind,
        positive=next(iter(found)) if len(found) == 1 else options.positive or "1",
        notes=(*how_read, *notes),
        score_of=score_of,
        files_as=options.files_as if n_holders > 1 else None,
        facts={"unused_columns": {one.name: dict(one.unused) for one in rows if one.unused}},
    )


def _parts(
    rows: list[Rows], labels: dict[str, Labels], options: Options, findings: Findings
) -> tuple[list[QueryPart], list[RankingPart], list[Holder]]:
    """The queries and the rankings of each table."""
    queries: list[QueryPart] = []
    rankings: list[RankingPart] = []
    holders: list[Holder] = []
    of_run: dict[str, Findings] = {}
    for one in rows:
        kind = str(one.mapped.kind)
        if kind in ("qrels", "run"):
            own = of_run.setdefault(one.name, Findings()) if _is_extra(one) else findings
            part = qrels_part(one, own) if kind == "qrels" else run_part(one, options.keep_first, own)
            rankings.append(part)
            holders.append(Holder(kind, one.name, part.keys))
            continue
        if kind == "truth":  # its labels stand beside the scores already
            continue
        keys = keys_of(one, findings)
        if keys is None:
            continue
        holders.append(Holder(kind, one.name, keys))
        if kind == "candidates":
            rankings += candidate_parts(one, keys, options.keep_first, findings)
            continue
        report_duplicates(one, keys, findings)
        if kind == "ranked_lists":
            rankings += ranked_list_parts(one, keys, options.keep_first, findings)
        if kind == "queries" or {"has_evidence", "probability"} <= one.mapped.roles.keys():
            found, label = query_parts(
                one, keys, options, findings, (*options.labels, *labels_beside(one, rows))
            )
            queries += found
            if label is not None and one.labels is None:
                labels[one.name] = label
    left_out = strangers(holders, set(of_run))
    for name, own in of_run.items():
        if name in left_out:
            findings.add("FILE-019", file=name, reason="none of its queries is one of the other files")
        else:
            own.hand_over(findings)
    kept = [part for part in rankings if part.file not in left_out]
    return queries, kept, [holder for holder in holders if holder.file not in left_out]


def _is_extra(one: Rows) -> bool:
    """Whether a run is JSON of a folder, not named itself: settings look like ``{query: …}`` too."""
    table = one.mapped.table
    return one.mapped.kind == "run" and not table.was_named and table.format.startswith("JSON, query")


def labels_beside(one: Rows, rows: list[Rows]) -> list[str]:
    """The labels of the other files."""
    texts = [other.text("has_evidence") for other in rows if other is not one and other.labels is None]
    return list(dict.fromkeys(label for found in texts if found is not None for label in levels_of(found)))


_ORDER = ("queries", "ranked_lists", "candidates", "qrels", "run")


def _by_kind(holders: list[Holder]) -> list[Holder]:
    return sorted(holders, key=lambda holder: _ORDER.index(holder.kind))


def _check_pairs(rows: list[Rows], kinds: set[str | None], findings: Findings) -> None:
    is_asked = any(p.code == "RNK-120" for p in findings.problems)
    for kind, other in (("qrels", "run"), ("run", "qrels")) if not is_asked else ():
        if kind in kinds and other not in kinds:
            file = next(one.name for one in rows if one.mapped.kind == kind)
            findings.add("RNK-009", file=file, found=kind, missing=other)


def _together(
    query_rows: list[QueryPart],
    base: Queries | None,
    joined: Joined | None,
    rows: list[Rows],
    given: Mapping[str, tuple[str, ...]],
    findings: Findings,
) -> tuple[Queries | None, Rankings | None, tuple[str, ...], bool]:
    """Queries and rankings that know of each other, what to note, and whether scores are of any scale."""
    if joined is None:
        return base, None, (), False
    rankings = joined.rankings
    if base is not None:
        file, column = _labelled(rows)
        rankings = with_labels(base, joined, file, column, findings)
    if base is not None and not _names_candidate_scores(rows, given):
        return base, rankings, (), False
    own = candidate_queries(joined, labels_by_query(base, rankings), findings)
    if not own:
        return base, rankings, (), False
    notes = [f"{one.model.at(0)}: {HIGHEST_OF_CANDIDATES} ({one.file})." for one in own]
    is_score = any(bool(((one.score < 0) | (one.score > 1)).any()) for one in own)
    if is_score:
        notes.append(
            "Some of these scores lie outside [0, 1]: all are taken as scores, not as probabilities."
        )
    return stack([*query_rows, *own], findings), rankings, tuple(notes), is_score


def _labelled(rows: list[Rows]) -> tuple[str, str]:
    """The first file with labels and its label column."""
    return next((one.name, column) for one in rows if (column := one.mapped.one("has_evidence")) is not None)


def _names_candidate_scores(rows: list[Rows], given: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether the user named the score of a candidates file: then its queries are wanted too."""
    named = {name for names in given.values() for name in names}
    scores = [one.mapped.roles.get("score", ()) for one in rows if one.mapped.kind == "candidates"]
    return any(names and named.issuperset(names) for names in scores)
