"""Annotations of a saved report, whose records and chunks are hashes, as columns and as facts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from evalcore.annotations import LABELS, Annotations, PredictedLabels, RagTask, Responses, Slices, ToolScores
from evalcore.evaluation.saved.columns import Columns, Written, distinct

Facts = Mapping[str, Any]


def annotations_facts(said: Annotations, out: Written) -> dict[str, Any]:
    """The facts of annotations whose ids are hashed; their columns go into ``out``."""
    out.add("annotations/record_hash", said.record_ids)
    return {
        "n": len(said.record_ids),
        "responses": [_of_responses(one, f"annotations/{task}", out) for task, one in said.responses.items()],
        "scores": [_of_scores(one, f"annotations/scores_{at}", out) for at, one in enumerate(said.scores)],
        "predictions": [
            _of_predicted(one, f"annotations/predicted_{at}", out) for at, one in enumerate(said.predictions)
        ],
    }


def read_annotations(facts: Facts, given: Columns) -> Annotations:
    """Annotations of their facts and columns; ``given`` collects what is wrong with them."""
    n = facts["n"]
    distinct(given, "annotations, tasks", (one["task"] for one in facts["responses"]))
    return Annotations(
        record_ids=cast("Any", given.hashes("annotations/record_hash", n, is_ascending=False)),
        responses={
            one["task"]: _read_responses(one, f"annotations/{one['task']}", n, given)
            for one in facts["responses"]
        },
        scores=tuple(
            _read_scores(one, f"annotations/scores_{at}", n, given) for at, one in enumerate(facts["scores"])
        ),
        predictions=tuple(
            _read_predicted(one, f"annotations/predicted_{at}", n, given)
            for at, one in enumerate(facts["predictions"])
        ),
    )


def _of_responses(one: Responses, place: str, out: Written) -> dict[str, Any]:
    for name in ("record", "chunk", "rank", "n_retrieved", "annotator", "row"):
        out.add_whole(f"{place}/{name}", getattr(one, name))
    out.add(f"{place}/chunk_hash", one.chunk_ids)
    out.add(f"{place}/is_submitted", one.is_submitted)
    for kind in ("labels", "adjudicated"):
        for name, label in getattr(one, kind).items():
            out.add_whole(f"{place}/{kind}/{name}", label)
    return {
        "task": one.task,
        "n": len(one),
        "n_chunks": len(one.chunk_ids),
        "annotators": [str(name) for name in one.annotator_ids],
        "labels": list(one.labels),
        "adjudicated": list(one.adjudicated),
        "slices": _of_slices(one.slices, place, out),
    }


def _read_responses(facts: Facts, place: str, n_records: int, given: Columns) -> Responses:
    n, n_chunks, task = facts["n"], facts["n_chunks"], cast("RagTask", facts["task"])
    annotators = distinct(given, f"{place}, annotators", facts["annotators"])
    said = {kind: _labels(facts[kind], task, f"{place}/{kind}", given) for kind in ("labels", "adjudicated")}
    return Responses(
        task=task,
        record=given.codes(f"{place}/record", n, n_records),
        chunk=given.codes(f"{place}/chunk", n, n_chunks, may_lack=True),
        chunk_ids=cast("Any", given.hashes(f"{place}/chunk_hash", n_chunks, is_ascending=False)),
        rank=given.counts(f"{place}/rank", n),
        n_retrieved=given.counts(f"{place}/n_retrieved", n, least=-1),
        annotator=given.codes(f"{place}/annotator", n, len(annotators), may_lack=True),
        annotator_ids=np.array(annotators, object),
        is_submitted=given.flags(f"{place}/is_submitted", n),
        labels={name: _said(f"{place}/labels/{name}", n, given) for name in said["labels"]},
        adjudicated={name: _said(f"{place}/adjudicated/{name}", n, given) for name in said["adjudicated"]},
        slices=_read_slices(facts["slices"], place, n, given),
        row=given.rows(f"{place}/row", n).astype(np.intp),
    )


def _of_scores(one: ToolScores, place: str, out: Written) -> dict[str, Any]:
    out.add_whole(f"{place}/record", one.record)
    out.add(f"{place}/value", one.value)
    kept = {"tool": one.tool, "name": one.name, "meaning": one.meaning, "n": len(one.record)}
    bounds = None if one.bounds is None else list(one.bounds)
    return {**kept, "bounds": bounds, "slices": _of_slices(one.slices, place, out)}


def _read_scores(facts: Facts, place: str, n_records: int, given: Columns) -> ToolScores:
    n = facts["n"]
    return ToolScores(
        **{name: facts[name] for name in ("tool", "name", "meaning")},
        record=given.codes(f"{place}/record", n, n_records),
        value=given.numbers(f"{place}/value", n, may_lack=True),
        bounds=None if facts["bounds"] is None else cast("Any", tuple(facts["bounds"])),
        slices=_read_slices(facts["slices"], place, n, given),
    )


def _of_predicted(one: PredictedLabels, place: str, out: Written) -> dict[str, Any]:
    out.add_whole(f"{place}/record", one.record)
    out.add_whole(f"{place}/chunk", one.chunk)
    out.add(f"{place}/chunk_hash", one.chunk_ids)
    for name, values in one.labels.items():
        out.add(f"{place}/labels/{name}", values)
    kept = {"task": one.task, "file": one.file, "is_probability": bool(one.is_probability)}
    return {**kept, "n": len(one.record), "n_chunks": len(one.chunk_ids), "labels": list(one.labels)}


def _read_predicted(facts: Facts, place: str, n_records: int, given: Columns) -> PredictedLabels:
    n, n_chunks, task = facts["n"], facts["n_chunks"], cast("RagTask", facts["task"])
    labels = {
        name: given.numbers(f"{place}/labels/{name}", n, may_lack=True)
        for name in _labels(facts["labels"], task, f"{place}/labels", given)
    }
    for name, values in labels.items():
        outside = bool(((values < 0) | (values > 1)).any())
        given.hold(not outside, f"{place}/labels/{name}", "another number", "probabilities from 0 to 1")
    return PredictedLabels(
        task=task,
        record=given.codes(f"{place}/record", n, n_records),
        chunk=given.codes(f"{place}/chunk", n, n_chunks, may_lack=True),
        chunk_ids=cast("Any", given.hashes(f"{place}/chunk_hash", n_chunks, is_ascending=False)),
        labels=labels,
        is_probability=facts["is_probability"],
        file=facts["file"],
    )


def _labels(names: list[str], task: RagTask, place: str, given: Columns) -> tuple[str, ...]:
    """Labels that the task has, each once."""
    given.hold(set(names) <= set(LABELS[task]), place, "another label", f"labels of {task}")
    return distinct(given, place, names)


def _said(place: str, n: int, given: Columns) -> Any:
    return given.codes(place, n, 2, may_lack=True).astype(np.int8)


def _of_slices(slices: Slices, place: str, out: Written) -> list[dict[str, Any]]:
    for at, (codes, _) in enumerate(slices.values()):
        out.add_whole(f"{place}/slice_{at}", codes)
    return [{"name": name, "levels": list(levels)} for name, (_, levels) in slices.items()]


def _read_slices(facts: Any, place: str, n: int, given: Columns) -> Slices:
    distinct(given, f"{place}, slices", (one["name"] for one in facts))
    found = {}
    for at, one in enumerate(facts):
        levels = distinct(given, f"{place}, levels", one["levels"])
        found[one["name"]] = given.codes(f"{place}/slice_{at}", n, len(levels), may_lack=True), levels
    return found
