"""Annotations as a saved report keeps them: hashes for ids, and what they must be once they are opened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.annotations import (
    ANNOTATOR,
    LABELS,
    Annotations,
    PredictedLabels,
    Responses,
    Slices,
    ToolScores,
)
from evalcore.drawn.weights import hashes
from evalcore.evaluation.options import Options
from evalcore.tallies import flaws
from evalcore.tallies.flaws import Flaws, within

KNOWN = ("language", "calibration", "domain", "system", "discard_reason")
"""Columns of annotations that have a meaning here, and are kept; others only where they were asked for."""


def unnamed_annotations(said: Annotations, options: Options) -> Annotations:
    """Annotations with hashes for the ids of records and chunks, and numbers for the names of annotators.

    Annotators keep their names where the report names them: it counts some of them, or breaks down by them.
    What names single rows, what a sidecar states, and columns that nobody asked for are left out.
    """
    names = options.annotators or ANNOTATOR in options.by
    kept = {*KNOWN, *options.by, options.cluster}

    def asked(slices: Slices) -> Slices:
        return {name: column for name, column in slices.items() if name in kept}

    return Annotations(
        record_ids=_hashed(said.record_ids),
        responses={
            task: replace(
                one,
                chunk_ids=_hashed(one.chunk_ids),
                annotator_ids=one.annotator_ids if names else _numbered(len(one.annotator_ids)),
                slices=asked(one.slices),
            )
            for task, one in said.responses.items()
        },
        scores=tuple(replace(one, suspicious=(), slices=asked(one.slices)) for one in said.scores),
        predictions=tuple(replace(one, chunk_ids=_hashed(one.chunk_ids)) for one in said.predictions),
    )


def flaws_of_annotations(said: Annotations) -> Flaws:
    """What does not agree in annotations that were opened."""
    n = len(said.record_ids)
    yield from flaws.hashes("record_ids", said.record_ids, is_ascending=False)
    for task, responses in said.responses.items():
        yield from flaws.unless(responses.task == task, f"responses/{task}", responses.task, task)
        yield from within(f"responses/{task}", _of_responses(responses, n))
    for at, scores in enumerate(said.scores):
        yield from within(f"scores/{at}", _of_scores(scores, n))
    for at, predicted in enumerate(said.predictions):
        yield from within(f"predictions/{at}", _of_predicted(predicted, n))


def _of_responses(one: Responses, n_records: int) -> Flaws:
    n, n_chunks = len(one), len(one.chunk_ids)
    yield from flaws.codes("record", one.record, n, n_records)
    yield from flaws.hashes("chunk_ids", one.chunk_ids, is_ascending=False)
    yield from flaws.codes("chunk", one.chunk, n, n_chunks, may_lack=True)
    yield from flaws.counts("rank", one.rank, n)
    yield from flaws.counts("n_retrieved", one.n_retrieved, n, least=-1)
    yield from flaws.levels("annotator_ids", one.annotator_ids)
    yield from flaws.codes("annotator", one.annotator, n, len(one.annotator_ids), may_lack=True)
    yield from flaws.flags("is_submitted", one.is_submitted, n)
    for kind in ("labels", "adjudicated"):
        labels: Mapping[str, NDArray[Any]] = getattr(one, kind)
        yield from _of_task(kind, labels, one.task)
        for name, said in labels.items():
            yield from flaws.codes(f"{kind}/{name}", said, n, 2, may_lack=True)
    yield from flaws.columns("slices", one.slices, n)
    yield from flaws.rows("row", one.row, n)


def _of_scores(one: ToolScores, n_records: int) -> Flaws:
    n = len(one.record)
    yield from flaws.codes("record", one.record, n, n_records)
    yield from flaws.numbers("value", one.value, n, may_lack=True)
    yield from flaws.columns("slices", one.slices, n)


def _of_predicted(one: PredictedLabels, n_records: int) -> Flaws:
    n = len(one.record)
    yield from flaws.codes("record", one.record, n, n_records)
    yield from flaws.hashes("chunk_ids", one.chunk_ids, is_ascending=False)
    yield from flaws.codes("chunk", one.chunk, n, len(one.chunk_ids), may_lack=True)
    yield from _of_task("labels", one.labels, one.task)
    for name, values in one.labels.items():
        yield from flaws.numbers(f"labels/{name}", values, n, low=0, high=1, may_lack=True)


def _of_task(place: str, names: Mapping[str, Any], task: Any) -> Flaws:
    return flaws.unless(set(names) <= set(LABELS[task]), place, "another label", f"labels of {task}")


def _hashed(ids: Any) -> Any:
    return hashes(ids)


def _numbered(n: int) -> Any:
    """Names of annotators that say nothing, in the order of their numbers."""
    return np.array([f"annotator {at:0{len(str(n))}d}" for at in range(1, n + 1)], object)
