"""Labels and scores as scikit-learn hands them over, as the rows that every metric starts from."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_consistent_length, column_or_1d

from evalcore.problems import SHOWN, InputError, problem
from evalcore.sklearn.classes import is_positive
from evalcore.tallies.scores import ScoredRows

RESPONSES = ("predict_proba", "decision_function")
"""What gives the scores of a model, in the order in which it is asked for."""


def response(estimator: Any, X: Any, method: str, positive: Any) -> NDArray[np.float64]:  # noqa: N803
    """The score of the positive class of each row, by one of `RESPONSES`."""
    at = np.asarray(estimator.classes_).tolist().index(positive)
    given = np.asarray(getattr(estimator, method)(X), np.float64)
    if method == "predict_proba":
        return np.asarray(given[:, at])
    return given if at == 1 else -given


def scored_rows(
    y_true: ArrayLike,
    y_score: ArrayLike,
    pos_label: Any = None,
    *,
    groups: ArrayLike | None = None,
    are_probabilities: bool = False,
) -> ScoredRows:
    """The scored rows of labels and scores.

    Parameters
    ----------
    y_true, y_score : shape (N,), N at least 1.
    pos_label : the label that means "has evidence".
    groups : the post of each row, shape (N,); rows of one post are alike. None: every row is a post.
    are_probabilities : whether a score outside [0, 1] is none.

    Raises
    ------
    InputError : DOC-006 naming scores that are not finite, or no probabilities; as for `is_positive`.
    ValueError : of scikit-learn, for shapes that do not fit.
    """
    labels, score = column_or_1d(np.asarray(y_true)), column_or_1d(np.asarray(y_score, np.float64))
    check_consistent_length(labels, score, groups)
    is_valid: NDArray[np.bool_] = np.isfinite(score)
    expected = "a finite number"
    if are_probabilities:
        is_valid &= (score >= 0) & (score <= 1)
        expected = "a number from 0 to 1"
    wrong = np.flatnonzero(~is_valid)
    problems = [
        problem("DOC-006", column="y_score", row=at + 1, found=str(score[at]), expected=expected)
        for at in wrong[:SHOWN].tolist()
    ]
    if problems:
        raise InputError(problems, n_more=len(wrong) - len(problems))
    n = len(labels)
    names, post = (n, np.arange(n)) if groups is None else _coded(groups)
    return ScoredRows(score, is_positive(labels, pos_label), post, names)


def _coded(groups: ArrayLike) -> tuple[int, NDArray[np.intp]]:
    names, post = np.unique(column_or_1d(np.asarray(groups)), return_inverse=True)
    return len(names), post.astype(np.intp)
