"""Metrics of whole posts in every bootstrap replicate, from each post's counts by criterion.

They repeat the declared metrics, which stay the definition; the tests hold them equal.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evalcore.inference.post_values import PostValues, Work
from evalcore.spec import Ratio
from evalcore.tallies.labels import LabelMatrix

Floats = NDArray[np.float64]


def label_replicates(
    matrix: LabelMatrix, post: NDArray[np.intp], n_posts: int
) -> Work[dict[tuple[str, str], Floats]]:
    """The values of F1 and of exact match in every replicate, shape (B,), by metric key and variant.

    Parameters
    ----------
    matrix : labels and calls of posts.
    post : int codes 0 … P − 1 of the matrix's posts among those that are drawn.
    n_posts : P.
    """
    label, called = matrix.label, matrix.called
    is_exact = matrix.is_right.all(axis=1) & matrix.is_complete
    whole = np.stack([is_exact, matrix.is_complete], axis=1)
    cells = np.concatenate([label & called, ~label & called, label & ~called, whole], axis=1)
    totals = yield PostValues.from_rows(cells.astype(np.float64), post, n_posts)
    true_pos, false_pos, false_neg = np.split(totals[:, :-2], 3, axis=1)
    by_criterion = _f1_of(true_pos, false_pos, false_neg)
    is_defined = (~np.isnan(by_criterion)).astype(np.float64)
    return {
        ("multilabel.f1", "micro"): _f1_of(
            true_pos.sum(axis=1), false_pos.sum(axis=1), false_neg.sum(axis=1)
        ),
        ("multilabel.f1", "macro"): _mean(by_criterion, is_defined),
        ("multilabel.f1", "weighted"): _mean(by_criterion, true_pos + false_neg),
        ("multilabel.exact_match", "default"): np.asarray(Ratio(totals[:, -2], totals[:, -1]).value),
    }


def _f1_of(true_pos: Floats, false_pos: Floats, false_neg: Floats) -> Floats:
    return np.asarray(Ratio(2 * true_pos, 2 * true_pos + false_pos + false_neg).value)


def _mean(by_criterion: Floats, share: Floats) -> Floats:
    parts = np.sort(by_criterion * share, axis=1)  # their sum is the same to the bit in any order of criteria
    return np.asarray(Ratio(np.nansum(parts, axis=1), share.sum(axis=1)).value)
