"""What a saved report holds in place of rows: a hash stands for the id of each post, record and chunk."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np

from evalcore.annotations import ANNOTATOR, Annotations, Slices
from evalcore.data import Data, Queries
from evalcore.drawn.weights import hashes
from evalcore.evaluation.gathering.gather import Gathered
from evalcore.evaluation.options import Options

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


def _hashed(ids: Any) -> Any:
    return hashes(ids)


def _numbered(n: int) -> Any:
    """Names of annotators that say nothing, in the order of their numbers."""
    return np.array([f"annotator {at:0{len(str(n))}d}" for at in range(1, n + 1)], object)


def unnamed_data(data: Data, gathered: Gathered, options: Options) -> Data:
    """The data of a report with what its tallies hold, for what shows no single row.

    Parameters
    ----------
    data : what is known of the input.
    gathered : the tallies of its rows and lists, and its annotations.
    options : of the report.

    Returns
    -------
    Data whose queries stand in the order of the tallies, with the hashes of posts as ids, and with the
    columns that were broken down by, folds and splits. Draws of posts are those of the report.
    """
    scores = gathered.scores
    said = None if gathered.said is None else unnamed_annotations(gathered.said, options)
    data = data.with_tables(queries=None, rankings=None, lists=gathered.lists, annotations=said)
    if scores is None:
        return data
    queries = Queries(
        post=scores.post,
        post_ids=cast("Any", scores.post_ids),
        criterion=scores.criterion,
        criterion_ids=scores.criterion_ids,
        has_evidence=scores.has_evidence,
        score=scores.score,
        model=scores.model,
        models=scores.models,
        slices=scores.slices,
        numbers=scores.numbers,
        row=np.arange(1, len(scores) + 1),
        has_posts=scores.has_posts,
        has_ids=False,
    )
    return data.with_tables(queries=queries)
