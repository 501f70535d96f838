"""Scores of other tools under their own names: means with how many were scored, and never an order."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evalcore.annotations import Annotations, ToolScores
from evalcore.evaluation.groups import natural_key
from evalcore.text.numerals import number

SYSTEM = "system"
NO_SYSTEM = "no system named"
"""The group of the rows without a system, where others have one."""


class ScoreRow(NamedTuple):
    """The mean of one score over one group.

    Parameters
    ----------
    tool, score, meaning : which tool's score it is, and what the tool means by it.
    group_by, group : columns and levels; a column ``system`` is always broken down by.
    mean : over the rows that have a score; NaN where none has.
    n_scored, n_total : rows with a score, and rows.
    coverage : n_scored / n_total.
    low, high : the mean if every missing score were the least, or the greatest, of the score's range; NaN
        where the range is open and a score is missing.
    note : a remark on missing scores, or the reason of a NaN.
    """

    tool: str
    score: str
    meaning: str
    group_by: str
    group: str
    mean: float
    n_scored: int
    n_total: int
    coverage: float
    low: float
    high: float
    note: str


SCORE_COLUMNS = ScoreRow._fields


def tool_scores(annotations: Annotations, by: tuple[str, ...] = ()) -> list[ScoreRow]:
    """Means of every tool's scores: by system where one file holds several, and by the columns asked for.

    Means of systems that were scored on different parts of their answers do not order them: see ``low`` and
    ``high``, and the note.
    """
    return [row for scores in annotations.scores for row in _of_score(scores, by)]


def _of_score(scores: ToolScores, by: tuple[str, ...]) -> Iterator[ScoreRow]:
    named = scores.slices.get(SYSTEM, (np.zeros(0, np.intp), ()))[1]
    base = (SYSTEM,) if named else ()
    others = [name for name in by if name in scores.slices and name != SYSTEM]
    for names in (base, *((*base, name) for name in others)):
        for group, mask in _levels(scores, names):
            yield _row(scores, ";".join(names), group, scores.value[mask])


def _levels(scores: ToolScores, names: tuple[str, ...]) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """The combinations of levels that have a row, in natural order, and last the rows without a system."""
    found = [("", np.ones(len(scores.value), bool))]
    for name in names:
        codes, levels = scores.slices[name]
        order = sorted(range(len(levels)), key=lambda code, levels=levels: natural_key(levels[code]))  # type: ignore[misc]
        if name == SYSTEM:  # every row is of some system: no mean stands over those of all together
            order, levels = [*order, -1], (*levels, NO_SYSTEM)
        found = [
            (f"{group};{levels[code]}" if group else levels[code], mask & (codes == code))
            for group, mask in found
            for code in order
        ]
    return ((group, mask) for group, mask in found if mask.any())


def _row(scores: ToolScores, group_by: str, group: str, values: NDArray[np.float64]) -> ScoreRow:
    scored = values[~np.isnan(values)]
    n, n_missing = len(values), len(values) - len(scored)
    total = math.fsum(scored.tolist())
    mean = total / len(scored) if len(scored) else math.nan
    low, high = (mean, mean) if not n_missing else (math.nan, math.nan)
    note = "" if len(scored) else f"no row has a score (0 of {n:,} scored)"
    if n_missing and scores.bounds is not None:
        low, high = ((total + n_missing * end) / n for end in scores.bounds)
        between = f"between {number(low)} and {number(high)} whatever the missing scores are"
        note = "; ".join(
            part
            for part in (note, f"{len(scored):,} of {n:,} scored: {between}; this orders no systems")
            if part
        )
    elif n_missing and len(scored):
        note = f"{len(scored):,} of {n:,} scored, the score has no range: this orders no systems"
    coverage = len(scored) / n if n else math.nan
    names = (scores.tool, scores.name, scores.meaning)
    return ScoreRow(*names, group_by, group, mean, len(scored), n, coverage, low, high, note)
