"""Whether a score is that of the positive class or of whichever class was predicted, and the way between.

Many tools write the class and its score. Such a score never lies below 0.5, and the prediction names the
class: where both signs are there it is asked, never assumed.
"""

from __future__ import annotations

from dataclasses import dataclass
from shlex import quote

import numpy as np
from numpy.typing import NDArray

from evalcore.data import ScoreOf
from evalcore.problems import SHOWN, Findings
from evalcore.readers.columns.labels import Labels
from evalcore.readers.columns.one_side import MANY, MIDDLE, are_of_one_side, is_too_low
from evalcore.readers.evidence.rows import Rows
from evalcore.readers.formats.table import Numbers, Texts
from evalcore.schema import classes_of, same


@dataclass(frozen=True)
class Scored:
    """The score of the positive class, shape (N,), and how it came about.

    Parameters
    ----------
    values : float64, shape (N,).
    score_of : the answer of the user where there was a question, else None.
    note : the conversion in words; empty without one.
    """

    values: NDArray[np.float64]
    score_of: ScoreOf | None = None
    note: str = ""


@dataclass(frozen=True)
class Predictions:
    """The class that each row's prediction names.

    Parameters
    ----------
    column : its name.
    texts : its cells.
    is_positive, is_known : bool, shape (N,); is_known is False where the cell names no class.
    positive : the prediction that means "has evidence", as it is written, or the label.
    """

    column: str
    texts: Texts
    is_positive: NDArray[np.bool_]
    is_known: NDArray[np.bool_]
    positive: str


def conversion(column: str, prediction: str, positive: str) -> str:
    """How p follows from the score of the predicted class.

    >>> conversion("score", "pred_label", "LABEL_1")
    'p = score where pred_label is LABEL_1, otherwise 1 − score'
    """
    return f"p = {column} where {prediction} is {positive}, otherwise 1 − {column}"


def converted(score: NDArray[np.float64], is_positive: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The score of the positive class from that of the predicted one, both of shape (N,).

    >>> converted(np.array([0.75, 0.75]), np.array([True, False])).tolist()
    [0.75, 0.25]
    """
    return np.where(is_positive, score, 1 - score)


def predictions_of(rows: Rows, labels: Labels) -> Predictions | None:
    """The predictions of a table that has a column of them."""
    column, texts = rows.mapped.one("predicted_label"), rows.text("predicted_label")
    if column is None or texts is None:
        return None
    if not labels.is_settled:
        nowhere = np.zeros(len(texts.codes), bool)
        return Predictions(column, texts, nowhere, nowhere, "the positive label")
    return predictions_in(column, texts, labels.answer or labels.positive, list(labels.counts))


def predictions_in(column: str, texts: Texts, positive: str, others: list[str]) -> Predictions:
    """The class that each cell of a column names, by the labels; ``positive`` as for `classes_of`."""
    levels = texts.levels.tolist()
    of_level = classes_of(levels, positive, others)
    is_known = np.asarray([one is not None for one in of_level], bool)[texts.codes]
    is_positive = np.asarray([bool(one) for one in of_level], bool)[texts.codes]
    written = (level.strip() for level, one in zip(levels, of_level, strict=True) if one)
    return Predictions(column, texts, is_positive, is_known, next(written, positive))


def classes_in(texts: Texts) -> list[str]:
    """The classes that cells of predictions name, as they are written, each once."""
    levels = [texts.levels[code].strip() for code in np.unique(texts.codes).tolist()]
    return list({same(level): level for level in levels if level}.values())


def ask_for_positive(
    predictions: Predictions, positive: str, file: str, labels: str, findings: Findings
) -> bool:
    """Ask, in QRY-266, which of two predicted classes is the positive one where neither is a label's word.

    Parameters
    ----------
    positive : the positive label.
    labels : both labels in words.

    Returns
    -------
    Whether it had to be asked.
    """
    names = classes_in(predictions.texts)
    if predictions.is_known.any() or len(names) != 2:
        return False
    options = " or ".join(f"--positive {quote(f'{positive}={name}')}" for name in names)
    facts = {"found": " and ".join(names), "labels": labels, "positive": positive, "options": options}
    findings.add("QRY-266", file=file, column=predictions.column, **facts)
    return True


def may_be_of_predicted(numbers: Numbers, predictions: Predictions) -> bool:
    """Whether both signs are there: hardly a score below 0.5, and predictions of the other class above it."""
    score = numbers.values
    if not are_of_one_side(score):
        return False
    is_above = score > MIDDLE
    if predictions.is_known.any():
        return bool((predictions.is_known & ~predictions.is_positive & is_above).any())
    named = predictions.texts.where(is_above & ~predictions.texts.is_empty)
    return len(np.unique(named.codes)) > 1


def report_too_low(
    score: NDArray[np.float64], row: NDArray[np.intp], file: str, column: str, findings: Findings
) -> bool:
    """Report scores that cannot be of the predicted class, in QRY-095; whether there are any.

    Parameters
    ----------
    score, row : the scores and their data rows, shape (N,).
    """
    low = np.flatnonzero(is_too_low(score))
    facts = ((int(row[i]), {"found": f"{score[i]:g}"}) for i in low[:SHOWN].tolist())
    findings.add_rows("QRY-095", facts, len(low), file=file, column=column)
    return bool(len(low))


def n_below_in_words(score: NDArray[np.float64]) -> str:
    """How many scores, shape (N,), lie below 0.5.

    >>> n_below_in_words(np.array([0.5])), n_below_in_words(np.array([0.4, 0.5]))
    ('no score', 'only 1')
    """
    n = int(np.count_nonzero(score < MIDDLE))
    return f"only {n:,}" if n else "no score"


def score_of_rows(
    rows: Rows,
    column: str,
    labels: Labels,
    score_of: ScoreOf | None,
    is_probability: bool,
    findings: Findings,
) -> Scored | None:
    """The score of the positive class, or None with what must be said or corrected reported.

    Parameters
    ----------
    rows, column : the table and its score column, whose cells are good.
    labels : of the same rows.
    score_of : what the user said, or None.
    is_probability : whether scores lie in [0, 1]: others are of one class only.
    findings : gets QRY-085 to QRY-088, and QRY-095.
    """
    numbers = rows.columns.numbers[column]
    predictions = predictions_of(rows, labels)
    is_open = is_probability and predictions is not None and may_be_of_predicted(numbers, predictions)
    if score_of == "predicted":
        if predictions is None or not is_probability or len(rows.mapped.roles["probability"]) > 1:
            _refuse(rows, column, predictions, is_probability, findings)
            return None
        is_low = report_too_low(numbers.values, rows.row, rows.name, column, findings)
        if not labels.is_settled or not labels.is_label.any():
            return None  # which label is the positive one comes first, and was reported
        words = " or ".join(dict.fromkeys([labels.positive, *labels.counts]))
        if ask_for_positive(predictions, labels.positive, rows.name, words, findings):
            return None
        if not _all_known(rows, predictions, labels, findings) or is_low:
            return None
        words = conversion(column, predictions.column, predictions.positive)
        note = f"{rows.name}: {words}, as you said."
        return Scored(converted(numbers.values, predictions.is_positive), score_of, note)
    if is_open and score_of is None and predictions is not None:
        words = conversion(column, predictions.column, predictions.positive)
        findings.add(
            "QRY-085",
            file=rows.name,
            column=column,
            n_rows=len(numbers.values),
            n_below=n_below_in_words(numbers.values),
            prediction=predictions.column,
            conversion=words,
        )
    if predictions is None and is_probability and score_of is None:
        _warn_of_one_sign(rows, column, labels, findings)
    return Scored(numbers.values, score_of if is_open else None)


def _refuse(
    rows: Rows, column: str, predictions: Predictions | None, is_probability: bool, findings: Findings
) -> None:
    if predictions is None:
        found, expected = "no column holds the prediction", "the score and the class that it is of"
        advice = "Name it with --column predicted_label=NAME, or choose it on the Data page."
    elif not is_probability:
        found, expected = "the scores are on another scale", "probabilities from 0 to 1"
        advice = "1 − score means nothing there; leave out --score-of or --score-kind."
    else:
        names = " and ".join(rows.mapped.roles["probability"])
        found, expected = f"there are several scores ({names}) beside one prediction", "one score"
        advice = "Name it with --column probability=NAME."
    # Several scores of one file give one problem.
    if not any(p.code == "QRY-087" and p.file == rows.name for p in findings.problems):
        findings.add("QRY-087", file=rows.name, column=column, found=found, expected=expected, advice=advice)


def _all_known(rows: Rows, predictions: Predictions, labels: Labels, findings: Findings) -> bool:
    unknown = np.flatnonzero(~predictions.is_known)
    expected = " or ".join(dict.fromkeys([labels.positive, *labels.counts]))
    facts = ((int(rows.row[i]), {"found": repr(predictions.texts.at(i)[:40])}) for i in unknown[:SHOWN])
    findings.add_rows(
        "QRY-086", facts, len(unknown), file=rows.name, column=predictions.column, expected=expected
    )
    return not len(unknown)


def _warn_of_one_sign(rows: Rows, column: str, labels: Labels, findings: Findings) -> None:
    score = rows.columns.numbers[column].values
    n_negative = int(np.count_nonzero(labels.is_label & ~labels.is_positive))
    n_positive = int(np.count_nonzero(labels.is_positive))
    if min(n_negative, n_positive) >= MANY and np.isfinite(score).all() and (score >= MIDDLE).all():
        findings.add("QRY-088", file=rows.name, column=column, n_rows=len(score), n_negative=n_negative)
