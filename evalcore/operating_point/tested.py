"""What is known of a test that bears on a certificate: shared and repeated rows, models, ids, prevalence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evalcore.inference.clustered import ClusterSums
from evalcore.operating_point.overlap import n_overlapping_posts
from evalcore.operating_point.repetition import Repetition, repetition
from evalcore.operating_point.row_sets import RowSet
from evalcore.operating_point.rules import FIRST
from evalcore.schema import QUERIES, is_text_name, plain

PREVALENCE_LEVEL = 0.999
"""Confidence with which two prevalences must differ before they count as different."""


@dataclass(frozen=True)
class FactsOfTest:
    """What a test is worth as a test of thresholds chosen on other rows.

    Parameters
    ----------
    n_overlap : posts in both tune and test; None where that is not known.
    n_clusters_shared : coarser units in both; None where the post is the unit.
    repeated : what of the test repeats tune or itself; None under rules that did not look.
    other_score : whose scores the test holds, where not those chosen for; else None.
    hidden_post : the column of posts that the file holds beside the one that was taken for it; else None.
    prevalence : shares of the rows with evidence, of tune and of test.
    is_shifted : whether these differ by more than chance.
    excludes_claimed : whether the test excludes the prevalence that the claims name.
    """

    n_overlap: int | None
    n_clusters_shared: int | None = None
    repeated: Repetition | None = None
    other_score: str | None = None
    hidden_post: str | None = None
    prevalence: tuple[float, float] = (np.nan, np.nan)
    is_shifted: bool = False
    excludes_claimed: bool = False

    def entry(self) -> dict[str, Any]:
        """The facts as part of a document's ``selection``."""
        found: dict[str, Any] = {}
        if self.n_overlap is not None:
            found["overlap_posts_tune_test"] = self.n_overlap
        if self.n_clusters_shared is not None:
            found["overlap_clusters_tune_test"] = self.n_clusters_shared
        if self.repeated is not None:
            sides = (("tune_and_test", self.repeated.across), ("within_test", self.repeated.within))
            found["repeated_rows"] = {name: None if one is None else one.as_json() for name, one in sides}
            found["test_scores_of_another_model"] = self.other_score
            found["hidden_post_column"] = self.hidden_post
            found["prevalence_differs"] = self.is_shifted
        return found


def facts_of_test(tune: RowSet, test: RowSet, *, claimed: float | None) -> FactsOfTest:
    """What is known of a test.

    Parameters
    ----------
    tune, test : the rows chosen on and tested on.
    claimed : the prevalence that the claims name, in [0, 1], or None.
    """
    n_overlap = n_overlapping_posts(tune, test)
    if tune.rules == FIRST:  # then shared posts alone spoke against a certificate
        return FactsOfTest(n_overlap)
    shared = None
    if tune.clusters is not None and test.clusters is not None:
        shared = len(set(tune.unit_names) & set(test.unit_names))
    return FactsOfTest(
        n_overlap,
        shared,
        repetition(tune, test),
        _other_score(tune, test),
        _hidden_post(tune) or _hidden_post(test),
        (tune.prevalence, test.prevalence),
        is_shifted=_is_shifted(tune, test),
        excludes_claimed=claimed is not None and _excludes(test, claimed),
    )


def _other_score(tune: RowSet, test: RowSet) -> str | None:
    """Whose scores the test holds where model or column differ; a model named after its file is no other."""
    tune_of, test_of = (
        (rows.origin.column, rows.origin.level, rows.origin.is_maximum) for rows in (tune, test)
    )
    if tune_of == test_of:
        return None
    if tune_of[1] != test_of[1]:
        return test.model if test_of[1] is None else test_of[1]
    return test_of[0]


def _hidden_post(rows: RowSet) -> str | None:
    """A column that names posts beside the one that was taken for it, and is no finer than that one.

    By its name; or because each row has a post of its own, while another column and the criterion name every
    row too.
    """
    source, names = rows.origin.source, QUERIES.column("post_id").names
    taken = source.columns.get("post_id") or source.columns.get("query_id")
    if taken is None or plain(taken) == names[0] or not rows.queries.has_posts:
        return None
    for other in source.others:
        is_post = plain(other) in names and not is_text_name(other)
        if (is_post and not _is_within(rows, other)) or _names_rows_with_criterion(rows, other):
            return other
    return None


def _names_rows_with_criterion(rows: RowSet, column: str) -> bool:
    queries, code = rows.queries, _codes(rows, column)
    if code is None or rows.n_posts < len(queries) or (queries.criterion < 0).any() or (code < 0).any():
        return False
    pairs = np.unique(np.stack([code, queries.criterion]), axis=1)
    return pairs.shape[1] == len(queries) and len(np.unique(code)) < len(queries)


def _codes(rows: RowSet, column: str) -> NDArray[np.intp] | None:
    queries = rows.queries
    if column in queries.slices:
        return queries.slices[column][0]
    if column in queries.numbers:
        return np.unique(queries.numbers[column], return_inverse=True)[1]
    return None


def _is_within(rows: RowSet, column: str) -> bool:
    """Whether each value of a column lies in one of the posts that were taken: then these are coarser."""
    code = _codes(rows, column)
    if code is None:
        return False
    pairs = np.unique(np.stack([code, rows.queries.post]), axis=1)
    return bool((code >= 0).all()) and len(np.unique(code)) == pairs.shape[1]


def _sums(rows: RowSet) -> ClusterSums:
    post, n_posts = rows.scored.post, rows.scored.n_posts
    positives = np.bincount(post[rows.scored.is_positive], minlength=n_posts)
    return ClusterSums.from_posts(positives, np.bincount(post, minlength=n_posts))


def _is_shifted(tune: RowSet, test: RowSet) -> bool:
    """Whether the prevalences differ by more than the spread between posts explains, at 99.9 %."""
    sums = [_sums(rows) for rows in (tune, test)]
    variance = sum(_variance(one) for one in sums)
    return _is_beyond(tune.prevalence - test.prevalence, variance, min(len(tune.units), len(test.units)))


def _excludes(test: RowSet, claimed: float) -> bool:
    return _is_beyond(test.prevalence - claimed, _variance(_sums(test)), len(test.units))


def _variance(sums: ClusterSums) -> float:
    """Between posts, or of independent rows where no post differs from another."""
    share, n = float(sums.share), float(sums.n)
    independent = max(share * (1 - share), 1 / (4 * n)) / n
    between = float(sums.variance)
    return max(between, independent) if np.isfinite(between) else independent


def _is_beyond(difference: float, variance: float, n_units: int) -> bool:
    quantile = special.stdtrit(max(n_units - 1, 1), 1 - (1 - PREVALENCE_LEVEL) / 2)
    return bool(abs(difference) > quantile * variance**0.5)
