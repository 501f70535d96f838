"""Retrieved chunks and answers a second time: plain dictionaries and loops, as document 003 prints them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evalcore.crosscheck.spread import summary

YES, NO, UNSAID, TIED = "yes", "no", "unsaid", "tied"
_SAID = {1: YES, 0: NO, -1: UNSAID}


@dataclass
class Chunk:
    """One chunk of a query: its rank (0: not retrieved), whether anybody judged it, and its labels."""

    rank: int
    is_judged: bool
    labels: dict[str, str]


@dataclass
class Query:
    """One query with its chunks; n_retrieved is None where nothing is known of its list."""

    n_retrieved: int | None
    chunks: list[Chunk]


def majority(votes: Sequence[str]) -> str:
    """What more than half of those who said anything say."""
    said = [vote for vote in votes if vote != UNSAID]
    if not said:
        return UNSAID
    n_yes = said.count(YES)
    return YES if 2 * n_yes > len(said) else NO if 2 * n_yes < len(said) else TIED


def plain_rows(responses: Any, annotators: Sequence[str] = ()) -> list[dict[str, Any]]:
    """The responses of a task as dictionaries; of these annotators alone, where any are named.

    Queries that none of them saw are left out. In the others everybody's rows stay, so that no chunk leaves a
    list, but only theirs say anything, and nothing is adjudicated.
    """
    columns = {
        name: getattr(responses, name).tolist()
        for name in ("record", "chunk", "rank", "n_retrieved", "is_submitted")
    }
    rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    for part in ("labels", "adjudicated"):
        said = {name: states.tolist() for name, states in getattr(responses, part).items()}
        for at, row in enumerate(rows):
            row[part] = {name: _SAID[states[at]] for name, states in said.items()}
    names = [str(name) for name in responses.annotator_ids.tolist()]
    is_theirs = [
        not annotators or (code >= 0 and names[code] in annotators) for code in responses.annotator.tolist()
    ]
    seen = {row["record"] for row, own in zip(rows, is_theirs, strict=True) if own}
    for row, own in zip(rows, is_theirs, strict=True):
        row["is_submitted"] = row["is_submitted"] and own
        if annotators:
            row["adjudicated"] = {}
    return [row for row in rows if row["record"] in seen]


def settled(rows: Sequence[dict[str, Any]]) -> dict[str, str]:
    """Label → what the rows about one chunk or answer say together."""
    found = {}
    for name in {name for row in rows for part in ("labels", "adjudicated") for name in row[part]}:
        decided = majority([row["adjudicated"].get(name, UNSAID) for row in rows])
        votes = [row["labels"].get(name, UNSAID) for row in rows if row["is_submitted"]]
        found[name] = majority(votes) if decided == UNSAID else decided
    return found


def answers_of(responses: Any, annotators: Sequence[str] = ()) -> list[dict[str, str]]:
    """The labels of each answer."""
    by_record: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in plain_rows(responses, annotators):
        by_record[row["record"]].append(row)
    return [settled(rows) for rows in by_record.values()]


def queries_of(responses: Any, annotators: Sequence[str] = ()) -> list[Query]:
    """The judged list of each query."""
    by_record: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in plain_rows(responses, annotators):
        by_record[row["record"]].append(row)
    return [_query(rows) for rows in by_record.values()]


def _query(rows: list[dict[str, Any]]) -> Query:
    by_chunk: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        if row["chunk"] >= 0:
            by_chunk[row["chunk"]].append(row)
    chunks = []
    for of_chunk in by_chunk.values():
        ranks = [row["rank"] for row in of_chunk if row["rank"] > 0]
        is_judged = any(
            row["is_submitted"] or any(said != UNSAID for said in row["adjudicated"].values())
            for row in of_chunk
        )
        chunks.append(Chunk(min(ranks, default=0), is_judged, settled(of_chunk)))
    known = [row["n_retrieved"] for row in rows if row["n_retrieved"] >= 0]
    known += [chunk.rank for chunk in chunks if chunk.rank > 0]
    return Query(max(known, default=None), chunks)


def panel(query: Query, k: float, treatment: str) -> list[Chunk] | None:
    """The chunks within the cut-off after the treatment; None where the query does not enter."""
    if query.n_retrieved is None:
        return None
    n = min(query.n_retrieved, k)
    within = [chunk for chunk in query.chunks if 1 <= chunk.rank <= k]
    judged = {chunk.rank for chunk in within if chunk.is_judged}
    if treatment.startswith("fill"):
        taken = {chunk.rank for chunk in within}
        within = within + [Chunk(rank, False, {}) for rank in range(1, int(n) + 1) if rank not in taken]
    elif treatment == "as_is":
        if n and not judged:
            return None
    elif len(judged) < n:
        return None
    return sorted(within, key=lambda chunk: chunk.rank)


def treated(said: str, treatment: str) -> str:
    """A label after the treatment of ties or of what nobody annotated."""
    replaced = {"ties": TIED, "fill": UNSAID}.get(treatment.split("_")[0])
    return {"0": NO, "1": YES}[treatment[-1]] if said == replaced else said


def _label(chunk: Chunk, name: str, treatment: str) -> str:
    return treated(chunk.labels.get(name, UNSAID), treatment)


def _has(queries: Sequence[Query], *labels: str) -> bool:
    return all(any(label in chunk.labels for query in queries for chunk in query.chunks) for label in labels)


Values = list[float | None]


def _lists(
    queries: Sequence[Query], k: int | None, treatment: str, of_list: Callable[[Query, list[Chunk]], Any]
) -> Values:
    limit = math.inf if k is None else k
    panels = [(query, panel(query, limit, treatment)) for query in queries]
    return [of_list(query, chunks) for query, chunks in panels if chunks is not None]


def _rate(label: str) -> Callable[..., float]:
    def rate(
        queries: Sequence[Query],
        *,
        k: int | None = None,
        variant: str = "present",
        treatment: str = "default",
        stat: str = "mean",
    ) -> float:
        def of_list(query: Query, chunks: list[Chunk]) -> float | None:
            said = [_label(chunk, label, treatment) for chunk in chunks]
            known = [one for one in said if one in (YES, NO)]
            if not known:
                return 0.0 if variant == "k" and query.n_retrieved == 0 else None
            length = len(known) if variant == "present" else k or query.n_retrieved
            assert length is not None
            return known.count(YES) / length

        return _mean(_lists(queries, k, treatment, of_list), stat) if _has(queries, label) else math.nan

    return rate


def _first(label: str, worth: Callable[[int], float]) -> Callable[..., float]:
    def first(
        queries: Sequence[Query],
        *,
        k: int | None = None,
        variant: str = "default",
        treatment: str = "default",
        stat: str = "mean",
    ) -> float:
        def of_list(query: Query, chunks: list[Chunk]) -> float | None:
            if query.n_retrieved == 0:
                return 0.0 if variant == "default" else None
            for chunk in chunks:
                if _label(chunk, label, treatment) == YES:
                    return worth(chunk.rank)
            is_known = any(_label(chunk, label, treatment) == NO for chunk in chunks)
            return 0.0 if is_known else None

        return _mean(_lists(queries, k, treatment, of_list), stat) if _has(queries, label) else math.nan

    return first


def _grade(chunk: Chunk, treatment: str) -> int | None:
    relevant, sufficient = (
        _label(chunk, name, treatment) for name in ("topically_relevant", "evidence_sufficient")
    )
    if sufficient == YES:
        return 2
    return None if sufficient != NO or relevant not in (YES, NO) else int(relevant == YES)


def ndcg_at_k(
    queries: Sequence[Query],
    *,
    k: int | None = None,
    variant: str = "within_list",
    treatment: str = "default",
    stat: str = "mean",
) -> float:
    """DCG with gain 2^w − 1 over that of the best order."""

    def of_list(query: Query, chunks: list[Chunk]) -> float | None:
        if query.n_retrieved == 0 and variant in ("retrieved_only", "defined_only"):
            return None
        graded = [(chunk.rank, _grade(chunk, treatment)) for chunk in chunks]
        known = [(rank, grade) for rank, grade in graded if grade is not None]
        if not known:
            return 0.0 if query.n_retrieved == 0 else None
        grades = [grade for _, grade in known]
        if variant == "all_judged":
            outside = [chunk for chunk in query.chunks if all(chunk is not one for one in chunks)]
            rule = treatment if treatment.startswith("ties") else "default"
            grades += [grade for chunk in outside if (grade := _grade(chunk, rule)) is not None]
        best = sorted(grades, reverse=True)[:k]
        ideal = math.fsum((2**grade - 1) / math.log2(at + 2) for at, grade in enumerate(best))
        if ideal == 0:
            return None if variant == "defined_only" else 0.0
        return math.fsum((2**grade - 1) / math.log2(rank + 1) for rank, grade in known) / ideal

    has_both = _has(queries, "topically_relevant", "evidence_sufficient")
    return _mean(_lists(queries, k, treatment, of_list), stat) if has_both else math.nan


def _share(label: str, among: str | None = None) -> Callable[..., float]:
    def share(answers: Sequence[dict[str, str]], *, treatment: str = "default", stat: str = "mean") -> float:
        values: Values = []
        for answer in answers:
            said, given = (treated(answer.get(one, UNSAID), treatment) for one in (label, among or label))
            if said in (YES, NO) and (among is None or given == YES):
                values.append(float(said == YES))
        has_labels = all(any(one in answer for answer in answers) for one in (label, among or label))
        return _mean(values, stat) if has_labels else math.nan

    return share


def _mean(values: Values, stat: str) -> float:
    return summary([each for each in values if each is not None], stat)


RAG: Mapping[str, Callable[..., float]] = {
    "topical_precision_at_k": _rate("topically_relevant"),
    "sufficiency_hit_at_k": _first("evidence_sufficient", lambda _: 1.0),
    "sufficiency_rate_at_k": _rate("evidence_sufficient"),
    "misleading_context_rate_at_k": _rate("misleading"),
    "mean_reciprocal_rank_at_k": _first("topically_relevant", lambda rank: 1 / rank),
    "ndcg_at_k": ndcg_at_k,
    "grounding_presence_rate": _share("support_present"),
    "unsupported_claim_rate": _share("unsupported_claim_present"),
    "contradiction_rate": _share("contradicted_claim_present"),
    "citation_presence_rate": _share("source_cited"),
    "conditional_fabrication_rate": _share("fabricated_source", among="source_cited"),
    "proper_action_rate": _share("proper_action"),
    "on_topic_rate": _share("response_on_topic"),
    "helpfulness_rate": _share("helpful"),
    "incompleteness_rate": _share("incomplete"),
    "unsafe_content_rate": _share("unsafe_content"),
}
TASK_OF = {
    name: "retrieval" if name.endswith("_at_k") else "grounding" if at < 11 else "generation"
    for at, name in enumerate(RAG)
}
"""Metric → the task whose responses it is computed from."""
TREATMENTS = ("ties_0", "ties_1", "as_is", "fill_0", "fill_1")


def units_of(responses: Any, annotators: Sequence[str] = ()) -> list[Any]:
    """The queries, or the answers, of a task."""
    of_task = queries_of if responses.task == "retrieval" else answers_of
    return of_task(responses, annotators)


def value(name: str, units: Sequence[Any], variant: str, params: Mapping[str, Any]) -> float:
    """One value, the variant as the table prints it, such as ``present;ties_0``."""
    parts = [part for part in variant.split(";") if part != "default"]
    given = {"treatment" if part in TREATMENTS else "variant": part for part in parts}
    return RAG[name](units, **given, **params)
