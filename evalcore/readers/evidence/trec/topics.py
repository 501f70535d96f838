"""Qrels and runs as rankings: a topic is a query, relevance above 0 is gold."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.problems import SHOWN, Findings
from evalcore.readers.columns.ids import Keys, repeated
from evalcore.readers.evidence.rankings import MAX_GRADE, Gold, ModelList, RankingPart
from evalcore.readers.evidence.repeats import Place, check_repeats
from evalcore.readers.evidence.rows import Rows, check_ids
from evalcore.readers.formats.table import Texts
from evalcore.readers.formats.text.trec import KINDS

_MAX_RANK = 2**31


def qrels_part(rows: Rows, findings: Findings) -> RankingPart:
    """The judgements of a qrels file; relevance below 0 means not relevant."""
    topic, document = _topics(rows, findings)
    relevance = _values(rows, "relevance")
    key = topic.codes.astype(np.int64) * len(document.levels) + document.codes
    later, first = repeated(key)
    for i, j in zip(later[:SHOWN].tolist(), first[:SHOWN].tolist(), strict=True):
        facts = {"item": document.at(i), "query": topic.at(i), "first": _words(rows, j), "word": _word(rows)}
        findings.add("RNK-012", **_place(rows, None, i), **facts)
    findings.count_more("RNK-012", len(later))
    with np.errstate(invalid="ignore"):
        is_grade = (np.abs(relevance) <= MAX_GRADE) & (relevance == np.floor(relevance))
    broken = np.flatnonzero(~is_grade)
    for i, cell in _cells(rows, "relevance", relevance, broken[:SHOWN]):
        facts = {"found": cell, "item": document.at(i), "query": topic.at(i)}
        findings.add("RNK-121", **_place(rows, "relevance", i), **facts)
    findings.count_more("RNK-121", len(broken))
    is_gold = relevance > 0
    grade = np.where(is_gold & is_grade, relevance, 1).astype(np.int64)
    gold = Gold(topic.codes[is_gold].astype(np.intp), document.where(is_gold), grade[is_gold])
    return RankingPart(rows.name, "qrels", _keys(topic), _first_rows(rows, topic), {}, gold, True, ())


def run_part(rows: Rows, keep_first: bool, findings: Findings) -> RankingPart:
    """The lists of a run, by its scores, else by its ranks, else by the order of its lines.

    Its tag names the model, or its file where it has no tag or several.
    """
    topic, document = _topics(rows, findings)
    score, has_scores = _scores(rows, topic, document, findings)
    tag = rows.text("tag")
    tags = tag.levels.tolist() if tag is not None else []
    query = topic.codes.astype(np.intp)
    n_candidates = np.bincount(query, minlength=len(topic.levels)).astype(np.int64)
    keys = _keys(topic)
    if tag is not None and _report_tags(rows, topic, document, tag, findings):
        return RankingPart(rows.name, "run", keys, _first_rows(rows, topic), {}, None, False, ())
    if has_scores:
        fields = rows.mapped.table.fields
        if {"rank", "score"} <= fields.keys():
            warn_of_reversed_ranks(rows, [fields["topic"]], fields["rank"], fields["score"], findings)
    model = tags[0] if len(tags) == 1 and tags[0] else rows.name.split(".")[0]
    ranked = ModelList(model, query, document, score, has_scores, n_candidates)
    is_line = rows.mapped.table.counts_lines
    ranked, dropped = check_repeats(
        ranked, keys, Place(rows.name, None, rows.row, is_line), keep_first, findings
    )
    if keep_first and len(dropped):
        rows.excluded["repeated candidate"] = len(dropped)
        findings.add("RNK-011", file=rows.name, n=len(dropped))
    return RankingPart(rows.name, "run", keys, _first_rows(rows, topic), {}, None, False, (ranked,))


def _report_tags(rows: Rows, topic: Texts, document: Texts, tag: Texts, findings: Findings) -> bool:
    """Report several runs in one file, whose tags rank the same document of a query; whether there are."""
    if len(tag.levels) < 2:
        return False
    later, first = repeated(topic.codes.astype(np.int64) * len(document.levels) + document.codes)
    both = later[tag.codes[later] != tag.codes[first]]
    if not len(both):
        return False
    tags = ", ".join(repr(one[:40]) for one in tag.levels.tolist()[:SHOWN])
    query_word = topic.at(int(both[0]))
    findings.add("RNK-230", file=rows.name, n=len(tag.levels), found=tags, query=query_word)
    return True


def warn_of_reversed_ranks(
    rows: Rows, query: Sequence[str], rank: str, score: str, findings: Findings
) -> None:
    """Tell where the first rows have ranks against the order of their scores, or scores of no order.

    Parameters
    ----------
    query, rank, score : the columns that name a list, and those of its ranks and scores.
    findings : gets RNK-231, or RNK-310 where all scores of a list are the same.
    """
    table = rows.mapped.table
    cells = [table.sample.get(column, ()) for column in (*query, rank, score)]
    if len(set(map(len, cells))) > 1:
        return
    lists: dict[tuple[str, ...], list[tuple[float, float]]] = {}
    try:
        for *name, at, value in zip(*cells, strict=True):
            lists.setdefault(tuple(name), []).append((float(at), float(value)))
    except ValueError:
        return
    several = [sorted(one) for one in lists.values() if len(one) > 1]
    pairs = [pair for one in several for pair in itertools.pairwise(one)]
    column = None if table.counts_lines else score
    if pairs and all(a[0] < b[0] and a[1] < b[1] for a, b in pairs):
        findings.add("RNK-231", file=rows.name, column=column)
    elif pairs and all(a[0] < b[0] and a[1] == b[1] for a, b in pairs):
        findings.add("RNK-310", file=rows.name, column=column)


def _scores(
    rows: Rows, topic: Texts, document: Texts, findings: Findings
) -> tuple[NDArray[np.float64], bool]:
    """What orders the rows of a run, higher first, and whether they are scores of the file."""
    if rows.mapped.one("score") is not None:
        score = _values(rows, "score")
        broken = np.flatnonzero(~np.isfinite(score))
        for i, cell in _cells(rows, "score", score, broken[:SHOWN]):
            facts = {"found": cell, "item": document.at(i), "query": topic.at(i)}
            findings.add("RNK-002", **_place(rows, "score", i), **facts)
        findings.count_more("RNK-002", len(broken))
        return score, True
    if rows.mapped.one("rank") is None:
        return -np.arange(len(topic.codes), dtype=np.float64), False
    rank = _values(rows, "rank")
    with np.errstate(invalid="ignore"):
        is_rank = (rank >= 0) & (rank <= _MAX_RANK) & (rank == np.floor(rank))
    broken = np.flatnonzero(~is_rank)
    for i, cell in _cells(rows, "rank", rank, broken[:SHOWN]):
        findings.add("RNK-017", **_place(rows, "rank", i), found=cell)
    findings.count_more("RNK-017", len(broken))
    if not len(broken):
        key = topic.codes.astype(np.int64) * (int(rank.max(initial=0)) + 1) + rank.astype(np.int64)
        later, first = repeated(key)
        for i, j in zip(later[:SHOWN].tolist(), first[:SHOWN].tolist(), strict=True):
            findings.add("RNK-018", **_place(rows, "rank", i), rank=int(rank[i]), first=_words(rows, j))
        findings.count_more("RNK-018", len(later))
    return -rank, False


def _values(rows: Rows, role: str) -> NDArray[np.float64]:
    numbers = rows.number(role)
    return np.zeros(rows.columns.n_rows) if numbers is None else numbers.values


def _cells(
    rows: Rows, role: str, values: NDArray[np.float64], at: NDArray[np.intp]
) -> Iterable[tuple[int, str]]:
    """The cells of some rows in words; fields of a line and members of an object are numbers in any case."""
    column = rows.mapped.one(role)
    table = rows.mapped.table
    if column is None or not len(at):
        return
    cell = rows.cells(column) if table.places or table.floating or table.delimiter is not None else None
    for i in at.tolist():
        yield i, (cell(i).strip()[:40] or "an empty cell") if cell is not None else f"{values[i]:g}"


def _word(rows: Rows) -> str:
    return "line" if rows.mapped.table.counts_lines else "row"


def _words(rows: Rows, index: int) -> str:
    return f"{_word(rows)} {rows.row[index]}"


def _place(rows: Rows, role: str | None, index: int) -> dict[str, Any]:
    """Where a row stands: by its line where no header and no columns are."""
    at = int(rows.row[index])
    if rows.mapped.table.counts_lines:
        return {"file": rows.name, "line": at}
    return {"file": rows.name, "row": at, "column": None if role is None else rows.mapped.one(role)}


def check_hashed(parts: list[RankingPart], findings: Findings) -> None:
    """Tell of topics that begin with ``#``; refuse those that may be comments.

    A line ``#301 0 d1 1`` is a row of the topic ``#301`` where the other kind of file has that topic too.
    Where it has not and the same file has a topic ``301``, it may be a line that was taken out.
    """
    trec = [part for part in parts if part.kind in KINDS]
    topics = {
        kind: {t for p in trec if p.kind == kind for t in p.keys.post.levels.tolist()} for kind in KINDS
    }
    for part in trec:
        other = topics["run" if part.kind == "qrels" else "qrels"]
        levels = part.keys.post.levels.tolist()
        hashed = [(at, str(topic)) for at, topic in enumerate(levels) if topic.startswith("#")]
        doubtful = [(at, topic) for at, topic in hashed if topic not in other and topic[1:] in set(levels)]
        for at, topic in doubtful[:SHOWN]:
            findings.add("RNK-033", file=part.file, line=int(part.row[at]), topic=topic, plain=topic[1:])
        findings.count_more("RNK-033", len(doubtful))
        if len(hashed) > len(doubtful):
            topic = next(topic for at, topic in hashed if (at, topic) not in doubtful)
            findings.add("RNK-034", file=part.file, n=len(hashed) - len(doubtful), topic=topic)


def _topics(rows: Rows, findings: Findings) -> tuple[Texts, Texts]:
    """Topic and document of each row; a table of columns may have empty cells and numbers as ids."""
    found: list[Texts] = []
    for role, expected in (("topic", "the id of a query"), ("document", "the id of a document")):
        column = str(rows.mapped.one(role))
        texts = rows.columns.texts[column]
        if not rows.mapped.table.counts_lines:
            check_ids(rows, column, texts, expected, findings)
        found.append(texts)
    return found[0], found[1]


def _keys(topic: Texts) -> Keys:
    return Keys(Texts(np.arange(len(topic.levels), dtype=np.int32), topic.levels), None, False)


def _first_rows(rows: Rows, topic: Texts) -> NDArray[np.intp]:
    first: NDArray[Any] = np.zeros(len(topic.levels), np.intp)
    first[topic.codes[::-1]] = rows.row[::-1]
    return first
