"""TREC qrels and runs as rankings: a topic is a query, relevance above 0 is gold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.problems import SHOWN, Findings
from evalcore.readers.ids import Keys, repeated
from evalcore.readers.rankings import MAX_GRADE, Gold, ModelList, RankingPart
from evalcore.readers.repeats import Place, check_repeats
from evalcore.readers.rows import Rows
from evalcore.readers.table import Texts
from evalcore.readers.trec import FIELDS


def qrels_part(rows: Rows, findings: Findings) -> RankingPart:
    """The judgements of a qrels file; relevance below 0 means not relevant."""
    topic, document, relevance = _topics(rows)
    key = topic.codes.astype(np.int64) * len(document.levels) + document.codes
    later, first = repeated(key)
    for i, j in zip(later[:SHOWN].tolist(), first[:SHOWN].tolist(), strict=True):
        facts = {"item": document.at(i), "query": topic.at(i), "first": int(rows.row[j])}
        findings.add("RNK-012", file=rows.name, line=int(rows.row[i]), **facts)
    findings.count_more("RNK-012", len(later))
    is_grade = (np.abs(relevance) <= MAX_GRADE) & (relevance == np.floor(relevance))
    broken = np.flatnonzero(~is_grade)
    for i in broken[:SHOWN].tolist():
        findings.add(
            "RNK-008", file=rows.name, line=int(rows.row[i]), found=f"the relevance {relevance[i]:g}"
        )
    findings.count_more("RNK-008", len(broken))
    is_gold = relevance > 0
    grade = np.where(is_gold & is_grade, relevance, 1).astype(np.int64)
    gold = Gold(topic.codes[is_gold].astype(np.intp), document.where(is_gold), grade[is_gold])
    return RankingPart(rows.name, "qrels", _keys(topic), _first_rows(rows, topic), {}, gold, True, ())


def run_part(rows: Rows, keep_first: bool, findings: Findings) -> RankingPart:
    """The lists of a run; its tag names the model."""
    topic, document, score = _topics(rows)
    broken = np.flatnonzero(~np.isfinite(score))
    for i in broken[:SHOWN].tolist():
        facts = {"found": f"{score[i]:g}", "item": document.at(i), "query": topic.at(i)}
        findings.add("RNK-002", file=rows.name, line=int(rows.row[i]), **facts)
    findings.count_more("RNK-002", len(broken))
    tags = rows.columns.texts["tag"].levels.tolist()
    query = topic.codes.astype(np.intp)
    n_candidates = np.bincount(query, minlength=len(topic.levels)).astype(np.int64)
    keys = _keys(topic)
    model = tags[0] if len(tags) == 1 else rows.name.split(".")[0]
    ranked = ModelList(model, query, document, score, True, n_candidates)
    ranked, dropped = check_repeats(
        ranked, keys, Place(rows.name, None, rows.row, True), keep_first, findings
    )
    if keep_first and len(dropped):
        rows.excluded["repeated candidate"] = len(dropped)
        findings.add("RNK-011", file=rows.name, n=len(dropped))
    return RankingPart(rows.name, "run", keys, _first_rows(rows, topic), {}, None, False, (ranked,))


def check_hashed(parts: list[RankingPart], findings: Findings) -> None:
    """Tell of topics that begin with ``#``; refuse those that may be comments.

    A line ``#301 0 d1 1`` is a row of the topic ``#301`` where the other kind of file has that topic too.
    Where it has not and the same file has a topic ``301``, it may be a line that was taken out.
    """
    trec = [part for part in parts if part.kind in FIELDS]
    topics = {
        kind: {t for p in trec if p.kind == kind for t in p.keys.post.levels.tolist()} for kind in FIELDS
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


def _topics(rows: Rows) -> tuple[Texts, Texts, NDArray[np.float64]]:
    number = "relevance" if rows.mapped.kind == "qrels" else "score"
    return rows.columns.texts["topic"], rows.columns.texts["document"], rows.columns.numbers[number].values


def _keys(topic: Texts) -> Keys:
    return Keys(Texts(np.arange(len(topic.levels), dtype=np.int32), topic.levels), None, False)


def _first_rows(rows: Rows, topic: Texts) -> NDArray[np.intp]:
    first: NDArray[Any] = np.zeros(len(topic.levels), np.intp)
    first[topic.codes[::-1]] = rows.row[::-1]
    return first
