"""Predicted labels beside human ones: shares by every method, and how well people are predicted, as rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from evalcore.annotations import Annotations, PredictedLabels
from evalcore.evaluation.options import Options
from evalcore.predicted import (
    LabelPairs,
    Rate,
    ShareEstimate,
    pairs_with_responses,
    quality,
    shares_of_labels,
)


class PredictedRow(NamedTuple):
    """One quantity of a label that a classifier predicts.

    Parameters
    ----------
    classifier : the file with the predictions.
    kind : ``calls`` (0 and 1) or ``probabilities``.
    task, label : of which label.
    quantity : ``share_`` and a method of `shares_of_labels`; or ``sensitivity``, ``specificity``,
        ``precision``, ``accuracy``, ``f1``, ``auroc`` on units with both labels.
    value : in [0, 1]; NaN with a reason in ``note``.
    ci_low, ci_high, ci_level, ci_method : two-sided interval; NaN and empty without one.
    n : units that the value is about.
    n_human : units with both a predicted and a human label.
    note : why there is no value or no interval, or what to know before reading it.
    """

    classifier: str
    kind: str
    task: str
    label: str
    quantity: str
    value: float
    ci_low: float
    ci_high: float
    ci_level: float
    ci_method: str
    n: int
    n_human: int
    note: str


Place = tuple[str, str, str, str]
"""Classifier, kind, task and label."""
PREDICTED_COLUMNS = PredictedRow._fields
RATES = ("sensitivity", "specificity", "precision", "accuracy")


def predicted_labels(annotations: Annotations, options: Options) -> list[PredictedRow]:
    """Every label that a classifier predicts beside what annotators settled, over all queries.

    Parameters
    ----------
    annotations : predictions without responses to their task have predicted shares only.
    options : ``bootstrap``, ``seed`` and ``annotators`` count.
    """
    found = []
    for predicted in annotations.predictions:
        pairs = [_pairs(annotations, predicted, label, options) for label in predicted.labels]
        shares = shares_of_labels(pairs, n_replicates=options.bootstrap, seed=options.seed)
        kind = "probabilities" if predicted.is_probability else "calls"
        for of_label, estimates in zip(pairs, shares, strict=True):
            place = (predicted.file, kind, predicted.task, of_label.label)
            found += [*(_share(one, place) for one in estimates), *_quality(of_label, place)]
    return found


def _pairs(annotations: Annotations, predicted: PredictedLabels, label: str, options: Options) -> LabelPairs:
    responses = annotations.responses.get(predicted.task)
    named = () if responses is None else {str(name) for name in responses.annotator_ids}
    theirs = [name for name in options.annotators if name in named]
    return pairs_with_responses(
        predicted,
        label,
        responses,
        annotations.record_ids,
        annotators=theirs if options.annotators else None,
    )


def _share(one: ShareEstimate, place: Place) -> PredictedRow:
    notes = (one.reason, one.note, "" if one.reason else one.ci_note)
    note = "; ".join(filter(None, notes))
    bounds = (one.low, one.high, one.level, one.ci_method)
    return PredictedRow(*place, f"share_{one.method}", one.value, *bounds, one.n, one.n_human, note)


def _quality(pairs: LabelPairs, place: Place) -> Iterator[PredictedRow]:
    found = quality(pairs)
    for name in RATES:
        rate: Rate = getattr(found, name)
        bounds = (rate.low, rate.high, rate.level, rate.ci_method)
        yield PredictedRow(*place, name, rate.value, *bounds, rate.n, found.n, rate.reason)
    nan = float("nan")
    for name, why in (("f1", "no human and no predicted yes"), ("auroc", "people gave one label only")):
        value: float = getattr(found, name)
        reason = (
            "" if value == value else why if found.n else "no unit has both a human and a predicted label"
        )
        yield PredictedRow(*place, name, value, nan, nan, nan, "", found.n, found.n, reason)
