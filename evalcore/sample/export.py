"""Synthetic annotations of retrieved chunks and generated answers, in the columns of an annotation export.

Thirty invented questions (``question_id``), each answered by two systems: sixty records. Three annotators of
unequal care, every fourth record judged by all three and every third by two; a few responses discarded, lists
with a chunk nobody judged, a record for which nothing was retrieved, and an adjudicated column. There is no
text in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from evalcore.annotations import LABELS
from evalcore.sample.draws import stream, uniform

SYSTEMS = ("dense", "hybrid")
N_QUERIES = 30
DEPTH = 5
_LANGUAGES = ("en", "de", "fr")
_DOMAINS = ("travel", "health", "law", "housing")
_ERROR = {"ann_a": 0.04, "ann_b": 0.1, "ann_c": 0.2}
_REASONS = ("unclear", "outside_reviewer_expertise")
_RELEVANT = {"dense": (0.7, 0.6, 0.5, 0.4, 0.3), "hybrid": (0.85, 0.7, 0.55, 0.45, 0.35)}
_DISCARDED = 0.03
_N_DRAWS = 20_000


@dataclass(frozen=True)
class Made:
    """The tables of an export by name, and the sidecar that counts their rows."""

    tables: Mapping[str, pd.DataFrame]
    sidecar: Mapping[str, Any]


@dataclass(frozen=True)
class _Record:
    """One query and one system's answer, with what is true of them."""

    record_uuid: str
    question_id: str
    system: str
    language: str
    domain: str
    annotators: tuple[str, ...]
    n_retrieved: int
    answer: Mapping[str, bool]
    chunks: tuple[tuple[str, int | None, Mapping[str, bool]], ...]

    def shared(self, annotator: str) -> dict[str, Any]:
        """The columns that every table has."""
        is_shared = len(self.annotators) == len(_ERROR)
        return {
            "record_uuid": self.record_uuid,
            "question_id": self.question_id,
            "annotator_id": annotator,
            "system": self.system,
            "language": self.language,
            "domain": self.domain,
            "calibration": str(is_shared).lower(),
        }


def annotation_export(seed: int = 0) -> Made:
    """An export of annotations and predicted labels.

    Raises
    ------
    ValueError : for a negative seed.

    Examples
    --------
    >>> sorted(annotation_export().tables)
    ['generation', 'grounding', 'predictions', 'retrieval']
    """
    draw = iter(uniform(stream(seed, "annotations"), _N_DRAWS).tolist())
    records = [_record(i, draw) for i in range(N_QUERIES * len(SYSTEMS))]
    tables = {
        "retrieval": _decided(pd.DataFrame(_chunk_rows(records, draw)), records),
        "grounding": pd.DataFrame(_answer_rows(records, "grounding", draw)),
        "generation": pd.DataFrame(_answer_rows(records, "generation", draw)),
    }
    sidecar = {
        "export_id": f"sample_{seed}",
        "dataset_id": "synthetic",
        "tasks": list(tables),
        "include_discarded": True,
        "row_counts": {name: len(table) for name, table in tables.items()},
        "n_annotators": {name: int(table["annotator_id"].nunique()) for name, table in tables.items()},
    }
    return Made({**tables, "predictions": pd.DataFrame(_predictions(records, draw))}, sidecar)


def _record(i: int, draw: Iterator[float]) -> _Record:
    query, system = i // len(SYSTEMS), SYSTEMS[i % len(SYSTEMS)]
    names = tuple(_ERROR)
    first = query % len(names)
    n_annotators = 3 if i % 4 == 0 else 2 if i % 3 == 0 else 1
    n_retrieved = 0 if i == N_QUERIES else 3 if i % 11 == 5 else DEPTH
    chunks = [_chunk(query, rank, system, draw) for rank in range(1, n_retrieved + 1)]
    if i % 13 == 4:
        chunks.append(_chunk(query, None, system, draw))
    unsupported, cited = next(draw) < 0.3, next(draw) < 0.6
    answer = {
        "support_present": next(draw) < 0.8,
        "unsupported_claim_present": unsupported,
        "contradicted_claim_present": unsupported and next(draw) < 0.3,
        "source_cited": cited,
        "fabricated_source": cited and next(draw) < 0.15,
        "proper_action": next(draw) < 0.9,
        "response_on_topic": next(draw) < 0.92,
        "helpful": next(draw) < (0.75 if system == "hybrid" else 0.6),
        "incomplete": next(draw) < 0.35,
        "unsafe_content": next(draw) < 0.03,
    }
    return _Record(
        record_uuid=f"rag-{i + 1:03d}",
        question_id=f"question-{query + 1:02d}",
        system=system,
        language=_LANGUAGES[query % 7 % len(_LANGUAGES)],
        domain=_DOMAINS[query % len(_DOMAINS)],
        annotators=tuple(names[(first + j) % len(names)] for j in range(n_annotators)),
        n_retrieved=n_retrieved,
        answer=answer,
        chunks=tuple(chunks),
    )


def _chunk(
    query: int, rank: int | None, system: str, draw: Iterator[float]
) -> tuple[str, int | None, Mapping[str, bool]]:
    """One chunk with its rank, None where it was judged but not retrieved, and what is true of it."""
    is_relevant = next(draw) < (_RELEVANT[system][rank - 1] if rank else 0.5)
    is_sufficient = next(draw) < 0.45 and is_relevant
    truth = {
        "topically_relevant": is_relevant,
        "evidence_sufficient": is_sufficient,
        "misleading": next(draw) < 0.15 and not is_sufficient,
    }
    return f"c{query + 1:02d}-{rank or 9}{system[0]}", rank, truth


def _response(
    truth: Mapping[str, bool], labels: tuple[str, ...], annotator: str, draw: Iterator[float]
) -> dict[str, Any]:
    """What an annotator says: the truth but for slips, or nothing in a discarded response."""
    is_discarded = next(draw) < _DISCARDED
    slips = {label: next(draw) < _ERROR[annotator] for label in labels}
    reason = _REASONS[next(draw) < 0.5] if is_discarded else ""
    said = {label: str(truth[label] != slips[label]).lower() for label in labels}
    return {
        "response_status": "discarded" if is_discarded else "submitted",
        "discard_reason": reason,
        **(dict.fromkeys(labels, "") if is_discarded else said),
    }


def _chunk_rows(records: list[_Record], draw: Iterator[float]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for i, record in enumerate(records):
        for annotator in record.annotators:
            shared = record.shared(annotator)
            if not record.n_retrieved:
                nothing = {"chunk_id": "", "chunk_rank": "", "n_retrieved_chunks": 0}
                empty = dict.fromkeys(LABELS["retrieval"], "")
                status = {"response_status": "submitted", "discard_reason": ""}
                rows.append({**shared, **nothing, **status, **empty})
            for chunk_id, rank, truth in record.chunks:
                if i % 17 == 7 and rank == DEPTH:
                    continue
                place = {
                    "chunk_id": chunk_id,
                    "chunk_rank": rank or "",
                    "n_retrieved_chunks": record.n_retrieved,
                }
                rows.append({**shared, **place, **_response(truth, LABELS["retrieval"], annotator, draw)})
    return rows


def _answer_rows(records: list[_Record], task: Any, draw: Iterator[float]) -> list[dict[str, Any]]:
    labels = LABELS[task]
    return [
        {**record.shared(annotator), **_response(record.answer, labels, annotator, draw)}
        for record in records
        for annotator in record.annotators
    ]


def _decided(table: pd.DataFrame, records: list[_Record]) -> pd.DataFrame:
    """The table with what an adjudicator decided in every other case in which two annotators disagree."""
    truth = {(r.record_uuid, chunk): said for r in records for chunk, _, said in r.chunks}
    units: dict[tuple[str, str], list[str]] = {}
    keys = list(zip(table["record_uuid"], table["chunk_id"], strict=True))
    for key, said in zip(keys, table["topically_relevant"], strict=True):
        units.setdefault(key, []).append(said)
    split = [key for key, said in units.items() if sorted(said) == ["false", "true"]]
    decided = {key: str(truth[key]["topically_relevant"]).lower() for key in split[::2]}
    return table.assign(topically_relevant_adjudicated=[decided.get(key, "") for key in keys])


def _predictions(records: list[_Record], draw: Iterator[float]) -> list[dict[str, Any]]:
    """A classifier's labels of every retrieved chunk: it says yes a little too often."""
    return [
        {
            "record_uuid": record.record_uuid,
            "chunk_id": chunk_id,
            "chunk_rank": rank,
            "n_retrieved_chunks": record.n_retrieved,
            **{label: int(next(draw) < (0.85 if truth[label] else 0.2)) for label in LABELS["retrieval"]},
        }
        for record in records
        for chunk_id, rank, truth in record.chunks
        if rank is not None
    ]
