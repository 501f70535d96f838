"""Per post: all criteria of a post together, each either called or not.

F1 has scikit-learn's names. Document 002 calls the mean over posts "macro"; here that is ``samples``, and
``macro`` is the mean over criteria. A (post, criterion) without a row is never filled in.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.drawn.labels import LabelCounts
from evalcore.problems import InputError, problem
from evalcore.spec import Better, Declared, Drawn, PerQuery, Ratio, Undefined, metric
from evalcore.tallies.labels import LabelMatrix

THRESHOLD = ("threshold", "rule")
NO_POSTS = Undefined(lambda matrix: len(matrix) == 0, "no posts with criteria")
NO_COMPLETE_POSTS = Undefined(
    lambda matrix: not matrix.is_complete.any(), "no post has a row for every criterion"
)
NO_POSITIVES = Undefined(lambda matrix: not matrix.label.any(), "no query with evidence", "weighted")
NOTHING_TO_FIND = tuple(
    Undefined(
        lambda matrix: not (matrix.label | matrix.called).any(), "no positive and no positive call", variant
    )
    for variant in ("micro", "macro", "samples")
)
F1_VARIANTS = {
    "micro": "over all (post, criterion) rows together",
    "macro": "mean of each criterion's F1; criteria without positive and call do not enter",
    "samples": "mean of each post's F1 (002: macro); posts without positive and call do not enter",
    "samples_zero": "mean of each post's F1; posts without positive and call count 0",
    "samples_one": "mean of each post's F1; posts without positive and call count 1",
    "weighted": "mean of each criterion's F1, weighted by its positives",
}


def _multilabel(
    label: str,
    formula: str,
    population: str,
    undefined: tuple[Undefined, ...],
    better: Better,
    source: str,
    **facts: Any,
) -> Declared:
    return metric(
        family="multilabel",
        label=label,
        formula=formula,
        population=population,
        undefined=(NO_POSTS, *undefined),
        bounds=(0, 1),
        better=better,
        source=source,
        params=THRESHOLD,
        **facts,
    )


def _incomplete_note(matrix: LabelMatrix) -> str:
    n = int((~matrix.is_complete).sum())
    return f"left out: {n:,} of {len(matrix):,} posts, which lack a criterion" if n else ""


def _incomplete_kept_note(matrix: LabelMatrix) -> str:
    n = int((~matrix.is_complete).sum())
    return (
        f"{n:,} of {len(matrix):,} posts lack a criterion: their share is of the criteria they have"
        if n
        else ""
    )


@_multilabel(
    "Exact match rate",
    "# posts with every criterion right / # posts with a row for every criterion",
    "complete_posts",
    (NO_COMPLETE_POSTS,),
    "higher",
    "002 §6.1",
    in_percent=True,
    remark=_incomplete_note,
    drawn=Drawn("labels", lambda counts: Ratio(counts.n_exact, counts.n_complete).value),
)
def exact_match(matrix: LabelMatrix) -> Ratio:
    """Share of the posts for which every criterion is called as it is labelled.

    Document 002 §6.2 puts "subset accuracy" beside the Hamming score; subset accuracy is this metric.

    Parameters
    ----------
    matrix : P posts, C criteria. Posts that lack a criterion are left out and counted in the note.

    Source
    ------
    Equals ``sklearn.metrics.accuracy_score`` of complete posts.

    Examples
    --------
    >>> exact_match(LabelMatrix.of_lists([[1, 0], [0, 0], [1, None]], [[1, 0], [0, 1], [1, None]])).value
    0.5
    """
    is_exact = matrix.is_right.all(axis=1)
    return Ratio(int((is_exact & matrix.is_complete).sum()), int(matrix.is_complete.sum()))


def _share_right(matrix: LabelMatrix) -> NDArray[np.float64]:
    """Share of the criteria of each post that are right, shape (P,)."""
    n_present = matrix.present.sum(axis=1)
    share = np.full(len(matrix), math.nan)
    np.divide(matrix.is_right.sum(axis=1), n_present, out=share, where=n_present > 0)
    return share


@_multilabel(
    "Hamming score",
    "Σ over posts (# criteria right / # criteria of the post) / # posts",
    "all_posts",
    (),
    "higher",
    "002 §6.2",
    remark=_incomplete_kept_note,
)
def hamming_score(matrix: LabelMatrix) -> PerQuery:
    """Share of a post's criteria that are called as they are labelled, 1 − Hamming loss.

    Where evidence is rare, calling nothing reaches 1 − prevalence.

    Parameters
    ----------
    matrix : P posts, C criteria. A post that lacks a criterion is judged by those it has.

    Returns
    -------
    PerQuery of shape (P,), one share per post.

    Source
    ------
    On complete posts 1 − ``sklearn.metrics.hamming_loss``.

    Examples
    --------
    >>> hamming_score(LabelMatrix.of_lists([[1, 0], [0, None]], [[1, 1], [0, None]])).values.tolist()
    [0.5, 1.0]
    """
    return PerQuery(_share_right(matrix))


@_multilabel(
    "Hamming loss",
    "1 − Hamming score",
    "all_posts",
    (),
    "lower",
    "002 §6.3",
    remark=_incomplete_kept_note,
)
def hamming_loss(matrix: LabelMatrix) -> PerQuery:
    """Share of a post's criteria that are not called as they are labelled.

    Parameters
    ----------
    matrix : P posts, C criteria. A post that lacks a criterion is judged by those it has.

    Returns
    -------
    PerQuery of shape (P,), one share per post.

    Source
    ------
    On complete posts ``sklearn.metrics.hamming_loss``.
    """
    n_present = matrix.present.sum(axis=1)
    n_wrong = n_present - matrix.is_right.sum(axis=1)
    share = np.full(len(matrix), math.nan)
    return PerQuery(np.divide(n_wrong, n_present, out=share, where=n_present > 0))


def _f1_note(matrix: LabelMatrix, *, variant: str = "micro") -> str:
    if variant in ("macro", "weighted"):
        n_empty = int(((matrix.true_pos + matrix.false_pos + matrix.false_neg) == 0).sum())
        unit, n = "criteria", len(matrix.criteria)
    elif variant.startswith("samples"):
        n_empty, unit, n = int(np.isnan(_post_f1(matrix)).sum()), "posts", len(matrix)
    else:
        return ""
    counted = {"samples_zero": "counted as 0", "samples_one": "counted as 1"}.get(variant, "left out")
    return f"{counted}: {n_empty:,} of {n:,} {unit}, without positive and call" if n_empty else ""


def _f1_of(true_pos: Any, false_pos: Any, false_neg: Any) -> Any:
    return Ratio(2 * true_pos, 2 * true_pos + false_pos + false_neg).value


def _post_f1(matrix: LabelMatrix) -> NDArray[np.float64]:
    """F1 of each post, shape (P,); NaN without positive and call."""
    pairs = ((matrix.label, matrix.called), (~matrix.label, matrix.called), (matrix.label, ~matrix.called))
    return np.asarray(_f1_of(*(np.count_nonzero(label & called, axis=1) for label, called in pairs)), float)


def _drawn_f1(counts: LabelCounts, *, variant: str = "micro") -> Any:
    cells = counts.true_pos, counts.false_pos, counts.false_neg
    if variant == "micro":
        return _f1_of(*(count.sum(axis=1) for count in cells))
    by_criterion = np.asarray(_f1_of(*cells))
    n_pos = counts.true_pos + counts.false_neg
    share = (~np.isnan(by_criterion)).astype(np.float64) if variant == "macro" else n_pos
    parts = np.sort(by_criterion * share, axis=1)  # their sum is the same to the bit in any order of criteria
    return Ratio(np.nansum(parts, axis=1), share.sum(axis=1)).value


@_multilabel(
    "F1 over posts and criteria",
    "2·TP / (2·TP + FP + FN), over all rows, or as a mean over criteria or posts",
    "all_posts",
    (*NOTHING_TO_FIND, NO_POSITIVES),
    "higher",
    "002 §6.4",
    variants=F1_VARIANTS,
    remark=_f1_note,
    drawn=Drawn("labels", _drawn_f1),
)
def f1(matrix: LabelMatrix, *, variant: str = "micro") -> Any:
    """Harmonic mean of precision and recall of the calls, over all rows or as a mean over criteria or posts.

    Most posts have no evidence at all: whether they count 0, 1 or not decides the mean over posts.

    Parameters
    ----------
    matrix : P posts, C criteria; absent cells count nowhere.
    variant : ``micro``, ``macro`` (per criterion), ``samples`` (per post), ``samples_zero``, ``samples_one``
        or ``weighted``.

    Returns
    -------
    float; for the variants over posts a PerQuery of shape (P,), under ``samples`` NaN for a post that is
    0/0.

    Raises
    ------
    InputError : for an unknown variant.

    Source
    ------
    ``sklearn.metrics.f1_score`` with ``average=micro|macro|samples|weighted`` and ``zero_division=nan``
    (0 and 1 for the other two).

    Examples
    --------
    >>> matrix = LabelMatrix.of_lists([[1, 0], [1, 1], [0, 0]], [[1, 0], [1, 0], [0, 0]])
    >>> f1(matrix), f1(matrix, variant="macro"), f1(matrix, variant="samples").values.round(3).tolist()
    (0.8, 0.5, [1.0, 0.667, nan])
    """
    if variant not in F1_VARIANTS:
        expected = f"one of {', '.join(F1_VARIANTS)}"
        raise InputError([problem("OPT-003", name="variant", found=repr(variant), expected=expected)])
    counts = (matrix.true_pos, matrix.false_pos, matrix.false_neg)
    if variant == "micro":
        return _f1_of(*(int(count.sum()) for count in counts))
    if variant.startswith("samples"):
        fill = {"samples": math.nan, "samples_zero": 0.0, "samples_one": 1.0}[variant]
        by_post = _post_f1(matrix)
        return PerQuery(np.where(np.isnan(by_post), fill, by_post))
    by_criterion = np.asarray(_f1_of(*counts), float)
    is_defined = ~np.isnan(by_criterion)
    if variant == "macro":
        n_defined = int(is_defined.sum())
        return math.fsum(by_criterion[is_defined]) / n_defined if n_defined else math.nan
    n_pos = matrix.true_pos + matrix.false_neg
    weighted = math.fsum(by_criterion[is_defined] * n_pos[is_defined])
    return weighted / int(n_pos.sum()) if n_pos.any() else math.nan
