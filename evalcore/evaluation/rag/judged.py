"""The annotated records of a task: their groups, and the tallies that each gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from operator import and_
from typing import Any

import numpy as np

from evalcore.annotations import ANNOTATOR, LABELS, UNSAID, Annotations, RagTask, Responses, Slices
from evalcore.drawn.weights import hashes
from evalcore.evaluation.gathering.annotations import GatheredAnnotations
from evalcore.evaluation.gathering.gather import Gathered, Gathering
from evalcore.evaluation.gathering.samples import Draws, Groups, OfModel
from evalcore.evaluation.gathering.tallies import Tally
from evalcore.evaluation.groups import MOST_TOGETHER, Mask, natural_key, too_many
from evalcore.evaluation.intervals.bounds import Sample
from evalcore.evaluation.options import Options
from evalcore.evaluation.values import of_tally
from evalcore.spec import Metric
from evalcore.tallies.judgements import (
    TIED,
    TREATMENTS,
    JudgedAnswers,
    JudgedChunks,
    judged_answers,
    judged_chunks,
    panels_at,
)
from evalcore.tallies.units import Units

MODEL = "annotations"
KIND: dict[RagTask, str] = {
    "retrieval": "Panels",
    "grounding": "JudgedAnswers",
    "generation": "JudgedAnswers",
}
"""The kind of tally that a task's metrics are computed from."""
Judged = JudgedChunks | JudgedAnswers


def metrics_of(task: RagTask) -> tuple[Metric, ...]:
    """The metrics that are computed from the responses of a task."""
    return of_tally(KIND[task], LABELS[task])


def judged(responses: Responses, annotators: tuple[str, ...]) -> Judged:
    """One judgement a chunk or answer, of the annotators named, or of all."""
    theirs = [name for name in annotators if name in {str(one) for one in responses.annotator_ids}]
    consolidate = judged_chunks if responses.task == "retrieval" else judged_answers
    return consolidate(responses, annotators=theirs if annotators else None)


@dataclass(frozen=True, eq=False)
class Records:
    """Records of a task, with everybody's responses or those of one annotator alone.

    Parameters
    ----------
    mask : bool, shape (Q,), of the records that the task's judgements are about.
    annotator : the name; empty for everybody.
    """

    mask: Mask
    annotator: str = ""

    def __and__(self, other: Records) -> Records:
        return Records(self.mask & other.mask, self.annotator or other.annotator)

    def any(self) -> bool:
        """Whether there is a record."""
        return bool(self.mask.any())


@dataclass(frozen=True, eq=False)
class JudgedTask:
    """What annotators settled in one task, with what can be broken down by.

    Parameters
    ----------
    annotations, responses : of whom and by whom.
    annotators : whose responses count; none named: everybody's.
    whole : the judgements of all records.
    """

    annotations: Annotations
    responses: Responses
    annotators: tuple[str, ...]
    whole: Judged

    @property
    def slices(self) -> Slices:
        """The columns that can be broken down by, but the annotator."""
        return self.responses.slices

    def groups(self, by: tuple[str, ...]) -> Iterator[tuple[str, str, Records]]:
        """All records, then those of each level of each column, then of all columns together.

        Raises
        ------
        InputError : OPT-113 for more than `MOST_TOGETHER` groups of several columns together.
        """
        yield "", "", Records(np.ones(len(self.whole), bool))
        columns = {name: found for name in by if (found := self._levels(name)) is not None}
        sets: list[tuple[str, ...]] = [(name,) for name in columns]
        if len(columns) > 1:
            sets.append(tuple(columns))
        for names in sets:
            n = 0
            for levels in product(*(columns[name].items() for name in names)):
                records = reduce(and_, (of_level for _, of_level in levels))
                n += records.any()
                if len(names) > 1 and n > MOST_TOGETHER:
                    raise too_many(n, names)
                if records.any():
                    yield ";".join(names), ";".join(level for level, _ in levels), records

    def _levels(self, column: str) -> dict[str, Records] | None:
        """The records of each level, whole: a record belongs to every level that one of its rows has."""
        if column == ANNOTATOR:
            codes, levels = self.responses.annotator, tuple(map(str, self.responses.annotator_ids))
        elif column in self.slices:
            codes, levels = self.slices[column]
        else:
            return None
        found = {}
        for code in sorted(range(len(levels)), key=lambda code: natural_key(levels[code])):
            if column != ANNOTATOR or not self.annotators or levels[code] in self.annotators:
                mask = np.isin(self.whole.record, self.responses.record[codes == code])
                found[levels[code]] = Records(mask, levels[code] if column == ANNOTATOR else "")
        return found


def judged_tasks(annotations: Annotations, options: Options) -> Iterator[JudgedTask]:
    """The tasks that have responses, in the order of document 003."""
    for task in LABELS:
        if task in annotations.responses:
            responses = annotations.responses[task]
            whole = judged(responses, options.annotators)
            yield JudgedTask(annotations, responses, options.annotators, whole)


def tasks_of(found: Gathered, options: Options) -> Iterator[OfModel]:
    """The judgements of each task, told by its name."""
    assert found.said is not None
    draws = Draws(options)
    for task in judged_tasks(found.said, options):
        yield OfModel(MODEL, task, judged_groups(task, options, draws), task.responses.task)


def judged_groups(task: JudgedTask, options: Options, draws: Draws) -> Groups:
    """The tallies of each group, and its units: records, or the groups of a column of theirs."""
    units = record_units(task.annotations, task.responses, options.cluster)
    are_apart = options.cluster not in task.slices
    drawn = draws.of(units)
    of_whole = treatments_of(task.whole)
    of_annotator: dict[str, Judged] = {}

    def group(records: Records, how: Options) -> tuple[Iterator[Tally], Sample]:
        part, chosen = task.whole, task.whole.record[records.mask]
        if records.annotator:
            if records.annotator not in of_annotator:
                of_annotator[records.annotator] = judged(task.responses, (records.annotator,))
            part = of_annotator[records.annotator]
        if len(chosen) < len(part):
            part = part.where(np.isin(part.record, chosen))
        of_group = treatments_of(part)
        treatments = [name for name in TREATMENTS if name in of_whole or name in of_group]
        has_part = np.zeros(len(units.code), bool)
        has_part[part.record] = True
        own, before = units.where(has_part).present()
        sample = Sample(own, None, drawn.where(before) if how.bootstrap else None, are_apart=are_apart)
        return judged_tallies(task.responses.task, part, treatments, how), sample

    return group


def record_units(annotations: Annotations, responses: Responses, column: str | None) -> Units:
    """The units of a task's records, shape (R,): each by itself, or with the others of its cluster.

    Parameters
    ----------
    column : one with a value a record, whose groups are drawn together; None, or one that the task lacks:
        none are. A record without a value in it is a unit of its own.
    """
    ids = hashes(annotations.record_ids)
    alone = np.arange(len(ids))
    if column is None or column not in responses.slices:
        return Units(alone, ids, "queries")
    codes, levels = responses.slices[column]
    cluster = np.full(len(ids), -1)
    np.maximum.at(cluster, responses.record, codes)
    hashed = np.concatenate([hashes(levels), ids])
    return Units(np.where(cluster >= 0, cluster, len(levels) + alone), hashed, column)


def treatments_of(judged: Judged) -> list[str]:
    """The treatments that can change a value of these judgements; the default always."""
    is_tied = any((state == TIED).any() for state in judged.state.values())
    is_open = any((state == UNSAID).any() for state in judged.state.values())
    if isinstance(judged, JudgedChunks):
        is_open |= bool(panels_at(judged, None).is_incomplete.any())
    names = [name for name in TREATMENTS if not name.startswith("ties") or is_tied]
    names = [name for name in names if not name.startswith("fill") or is_open]
    return [name for name in names if name != "as_is" or (isinstance(judged, JudgedChunks) and is_open)]


def judged_tallies(task: RagTask, judged: Judged, treatments: list[str], options: Options) -> Iterator[Tally]:
    """The tallies of one group at every cut-off, by what is done about labels that are not settled."""
    made_with = {"labels": LABELS[task]}
    if isinstance(judged, JudgedAnswers):
        for treatment in treatments:
            yield KIND[task], made_with | {"treatment": treatment}, judged.treated(treatment)
        return
    for k in (*options.ks, None):
        for treatment in treatments:
            panels = panels_at(judged, k, treatment)
            yield KIND[task], made_with | {"k": k, "treatment": treatment}, panels


def _whole(parts: Sequence[Annotations]) -> Annotations:
    """The annotations of all parts: which columns group records, and who annotated, is seen in their rows."""
    return parts[0] if len(parts) == 1 else reduce(GatheredAnnotations.merge, map(_gathered, parts)).finish()


def _gathered(annotations: Annotations, *_: Any) -> GatheredAnnotations:
    return GatheredAnnotations((annotations,))


TABLES = (Gathering("annotations", _whole, _gathered, lambda parts, _: _whole(parts)),)
"""What the task ``rag`` gathers."""
