"""Groups of annotated queries and answers: the levels of a column at the grain of queries, and annotators."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from evalcore.annotations import Codes, Responses
from evalcore.evaluation.groups import ANNOTATOR, natural_key
from evalcore.tallies.judgements import JudgedAnswers, JudgedChunks, judged_answers, judged_chunks

Judged = JudgedChunks | JudgedAnswers


def judged(responses: Responses, annotators: tuple[str, ...]) -> Judged:
    """One judgement a chunk or answer, of the annotators named, or of all."""
    theirs = [name for name in annotators if name in {str(one) for one in responses.annotator_ids}]
    consolidate = judged_chunks if responses.task == "retrieval" else judged_answers
    return consolidate(responses, annotators=theirs if annotators else None)


def judged_groups(
    responses: Responses, by: tuple[str, ...], annotators: tuple[str, ...] = ()
) -> Iterator[tuple[str, str, Judged]]:
    """Everything, then each level of each column, then of all columns together: (group_by, group, judged).

    A query belongs to every level that one of its rows has, with its whole panel. An annotator's group holds
    what that annotator alone says.
    """
    whole = judged(responses, annotators)
    yield "", "", whole
    columns = {name: found for name in by if (found := _levels(responses, name, annotators))}
    of_annotator: dict[str, Judged] = {}
    sets: list[tuple[str, ...]] = [(name,) for name in columns]
    if len(columns) > 1:
        sets.append(tuple(columns))
    for names in sets:
        for combination in product(*(columns[name].items() for name in names)):
            part = whole
            if ANNOTATOR in names:
                name = combination[names.index(ANNOTATOR)][0]
                if name not in of_annotator:
                    of_annotator[name] = judged(responses, (name,))
                part = of_annotator[name]
            for column, (_, records) in zip(names, combination, strict=True):
                if column != ANNOTATOR:
                    part = part.where(np.isin(part.record, records))
            if len(part):
                yield ";".join(names), ";".join(level for level, _ in combination), part


def _levels(responses: Responses, name: str, annotators: tuple[str, ...]) -> dict[str, Codes]:
    """Level → the records that have it, in natural order; empty where the task lacks the column."""
    if name == ANNOTATOR:
        codes, levels = responses.annotator, tuple(map(str, responses.annotator_ids))
    elif name in responses.slices:
        codes, levels = responses.slices[name]
    else:
        return {}
    order = sorted(range(len(levels)), key=lambda code: natural_key(levels[code]))
    found = {levels[code]: np.unique(responses.record[codes == code]) for code in order}
    is_kept = name != ANNOTATOR or not annotators
    return {level: records for level, records in found.items() if is_kept or level in annotators}
