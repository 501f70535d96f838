"""All parts as one: shared ids, and rows in an order that does not depend on the order of the files' rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.annotations import Annotations, Codes, PredictedLabels, RagTask, Responses, ToolScores
from evalcore.readers.formats.table import Texts
from evalcore.readers.rag.parts import PredictionPart, ResponsePart, ScorePart, joined_texts, same_text


def annotations_of(
    responses: Sequence[ResponsePart],
    scores: Sequence[ScorePart],
    predictions: Sequence[PredictionPart],
    stated: Mapping[str, Any],
) -> Annotations:
    """The annotations of all files; ids are sorted as text, and rows by ids and rank."""
    texts = [part.record for part in responses]
    texts += [part.record for part in scores] + [part.record for part in predictions]
    record_ids = sorted({text.levels[code] for text in texts for code in set(text.codes.tolist())})
    index = {record: i for i, record in enumerate(record_ids)}
    found: dict[RagTask, Responses] = {part.task: _responses(part, index) for part in responses}
    order = sorted(range(len(scores)), key=lambda i: (scores[i].tool, scores[i].name))
    return Annotations(
        record_ids=_ids(record_ids),
        responses=found,
        scores=tuple(_scores(scores[i], index) for i in order),
        predictions=tuple(_predictions(part, index) for part in predictions),
        stated=stated,
    )


def _ids(texts: Sequence[str]) -> NDArray[np.object_]:
    ids = np.empty(len(texts), object)
    ids[:] = texts
    return ids


def _looked_up(texts: Texts, index: Mapping[str, int]) -> Codes:
    of_level = np.asarray([index.get(level, -1) for level in texts.levels.tolist()], np.intp)
    return of_level[texts.codes] if len(texts.levels) else np.zeros(len(texts.codes), np.intp)


def _sorted(texts: Texts) -> tuple[Codes, list[str]]:
    """Codes into the sorted levels that occur; −1 where the cell is empty."""
    levels = sorted({texts.levels[code] for code in set(texts.codes.tolist())} - {""})
    return _looked_up(texts, {level: i for i, level in enumerate(levels)}), levels


def _slices(slices: Mapping[str, Texts], order: Any) -> dict[str, tuple[Codes, tuple[str, ...]]]:
    coded = {name: _sorted(texts) for name, texts in sorted(slices.items())}
    return {name: (codes[order], tuple(levels)) for name, (codes, levels) in coded.items()}


def _responses(part: ResponsePart, index: Mapping[str, int]) -> Responses:
    record = _looked_up(part.record, index)
    chunk, chunk_ids = _sorted(part.chunk)
    annotator, annotator_ids = _sorted(part.annotator)
    order = np.lexsort((annotator, chunk, part.rank, record))
    return Responses(
        task=part.task,
        record=record[order],
        chunk=chunk[order],
        chunk_ids=_ids(chunk_ids),
        rank=part.rank[order],
        n_retrieved=part.n_retrieved[order],
        annotator=annotator[order],
        annotator_ids=_ids(annotator_ids),
        is_submitted=part.is_submitted[order],
        labels={name: said[order] for name, said in part.labels.items()},
        adjudicated={name: said[order] for name, said in part.adjudicated.items()},
        slices=_slices(part.slices, order),
        row=part.row[order],
    )


def _scores(part: ScorePart, index: Mapping[str, int]) -> ToolScores:
    record = _looked_up(part.record, index)
    coded = [_sorted(texts)[0] for _, texts in sorted(part.slices.items(), reverse=True)]
    order = np.lexsort((part.value, *coded, record))
    return ToolScores(
        tool=part.tool,
        name=part.name,
        meaning=part.meaning,
        record=record[order],
        value=part.value[order],
        bounds=part.bounds,
        slices=_slices(part.slices, order),
        suspicious=tuple(sorted(part.suspicious)),
    )


def _predictions(part: PredictionPart, index: Mapping[str, int]) -> PredictedLabels:
    record = _looked_up(part.record, index)
    chunk, chunk_ids = _sorted(part.chunk)
    order = np.lexsort((chunk, record))
    return PredictedLabels(
        task=part.task,
        record=record[order],
        chunk=chunk[order],
        chunk_ids=_ids(chunk_ids),
        labels={name: values[order] for name, values in part.labels.items()},
        is_probability=part.is_probability,
        file=part.file,
    )


def merged_scores(parts: Sequence[ScorePart]) -> list[ScorePart]:
    """Scores of one tool and name from several runs or files as one, their slices kept apart."""
    by_name: dict[tuple[str, str], list[ScorePart]] = {}
    for part in parts:
        by_name.setdefault((part.tool, part.name), []).append(part)
    merged: list[ScorePart] = []
    for (tool, name), found in by_name.items():
        if len(found) == 1:
            merged.append(found[0])
            continue
        slices = dict.fromkeys(key for part in found for key in part.slices)
        merged.append(
            ScorePart(
                tool,
                name,
                found[0].meaning,
                joined_texts([part.record for part in found]),
                np.concatenate([part.value for part in found]),
                found[0].bounds if len({part.bounds for part in found}) == 1 else None,
                {
                    key: joined_texts(
                        [part.slices.get(key, same_text("", len(part.value))) for part in found]
                    )
                    for key in slices
                },
                tuple(text for part in found for text in part.suspicious),
            )
        )
    return merged
