"""The verdict on every target, with its sentence and its note: the ``claims`` of a document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evalcore.inference.verdicts import Verdict
from evalcore.operating_point.choosing.claims.case import Case
from evalcore.operating_point.choosing.claims.notes import IN_SAMPLE, POOLED, note_of
from evalcore.operating_point.choosing.claims.sentences import pooled_text, text_of, with_marked
from evalcore.operating_point.choosing.estimates import REPORT_LEVEL, Counted
from evalcore.operating_point.choosing.folds import OverFolds
from evalcore.operating_point.constraints import PRECISION, Constraint
from evalcore.operating_point.tradeoff.groups import Mark, verdict_with_marked
from evalcore.spec import METRICS

MET = ("met_with_confidence", "met_point_only", "infeasible_with_this_n")
"""Verdicts of a target that the estimate reaches."""


def claims(
    counted: Counted,
    constraints: tuple[Constraint, ...],
    *,
    prevalence: float | None = None,
    marks: Sequence[Mark] = (),
) -> list[dict[str, Any]]:
    """The verdict on every target, on these rows, as entries of a document's ``claims``.

    Parameters
    ----------
    counted : the rows by state and label.
    constraints : the targets.
    prevalence : the prevalence that claims on test are for, where it is named.
    marks : the groups that must hold the target of screening sensitivity by themselves.
    """
    return [_claim(Case(constraint, counted, prevalence, tuple(marks))) for constraint in constraints]


def pooled_claims(folds: OverFolds, constraints: tuple[Constraint, ...]) -> list[dict[str, Any]]:
    """What the procedure came to over the folds, for every target; no verdict is given."""
    found = []
    for constraint in constraints:
        ratio = METRICS[constraint.metric](folds.pooled)
        n_good, n = int(ratio.numerator), int(ratio.denominator)
        text = pooled_text(constraint.metric, constraint.value, n_good, n, n_folds=len(folds.folds))
        found.append(
            {
                "text": text,
                "metric": constraint.metric,
                "op": ">=",
                "value": constraint.value,
                "confidence": constraint.confidence or REPORT_LEVEL,
                "verdict": "not_assessed",
                "evaluated_on": "folds",
                "note": POOLED,
            }
        )
    return found


def judge(constraint: Constraint, counted: Counted) -> Verdict:
    """The verdict on a target from the counts alone, whether or not the thresholds were chosen on them."""
    return Case(constraint, counted).verdict


def _claim(case: Case) -> dict[str, Any]:
    constraint, found, note = case.constraint, case.verdict, note_of(case)
    if case.is_in_sample and constraint.is_from_data and case.n and not case.is_nothing_skipped:
        found, note = "not_assessed", None
    elif case.is_in_sample and constraint.metric == PRECISION and found == "met_with_confidence":
        found, note = "met_point_only", IN_SAMPLE
    whole, found = found, verdict_with_marked(found, [one for _, one in case.marked])
    if case.without_model is not None and found in MET:
        note = " ".join(filter(None, (note, case.without_model.note)))
    claim: dict[str, Any] = {
        "text": text_of(with_marked(case.said, whole, case.marked), found),
        "metric": constraint.metric,
        "op": ">=",
        "value": constraint.value,
        "confidence": case.level,
        "verdict": found,
        "evaluated_on": case.counted.rows.role,
    }
    beside = {"verdict_of_all": whole} if case.marked else {}
    return claim | beside | ({"note": note} if note else {})
