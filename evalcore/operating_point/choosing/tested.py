"""What is known of a test that bears on a certificate: shared and repeated rows, models, ids, prevalence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evalcore.inference.clustered import ClusterSums
from evalcore.operating_point.choosing.rows_in_tune import RowsInTune, rows_in_tune
from evalcore.operating_point.constraints import Constraint, Thresholds
from evalcore.operating_point.rules import EARLIER, FIRST
from evalcore.operating_point.test_rows.overlap import n_overlapping_posts
from evalcore.operating_point.test_rows.repetition import Repetition, repetition
from evalcore.operating_point.test_rows.row_sets import RowSet
from evalcore.operating_point.test_rows.site_rows import SiteRows, n_shared_posts
from evalcore.operating_point.units import POST, Unit
from evalcore.schema import QUERIES, is_text_name, plain

PREVALENCE_LEVEL = 0.999
"""Confidence with which two prevalences must differ before they count as different."""

BEFORE_CRITERION = ", before the criterion"
"""Behind the name of a column whose ids name a post and its criterion, and were taken whole."""

POST_LIKE = ("postid", "document", "document_id", "documentid", "doc", "doc_id", "docid", "note", "note_id")
_MOST = 0.95
_FEWEST_ROWS = 1.5
_MOST_ROWS = 100
_FEWEST_PAIRS = 20
_FEW = 0.1


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
    unit : what is taken as independent.
    is_of_tallies : whether no row was there to look at.
    in_tune : the test rows that stand in tune too; None under rules that did not count them.
    """

    n_overlap: int | None
    n_clusters_shared: int | None = None
    repeated: Repetition | None = None
    other_score: str | None = None
    hidden_post: str | None = None
    prevalence: tuple[float, float] = (np.nan, np.nan)
    is_shifted: bool = False
    excludes_claimed: bool = False
    unit: Unit = POST
    in_tune: RowsInTune | None = None
    is_of_tallies: bool = False

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
        if self.repeated is not None or self.is_of_tallies:
            found["prevalence_differs"] = self.is_shifted
        if self.in_tune is not None:
            found["test_rows_in_tune"] = self.in_tune.entry()
        return found


def facts_of_test(
    tune: RowSet,
    test: RowSet,
    constraints: Sequence[Constraint],
    thresholds: Thresholds,
    *,
    claimed: float | None,
) -> FactsOfTest:
    """What is known of a test.

    Parameters
    ----------
    tune, test : the rows chosen on and tested on.
    constraints, thresholds : the targets, and what was chosen for them.
    claimed : the prevalence that the claims name, in [0, 1], or None.
    """
    if isinstance(tune, SiteRows):
        return FactsOfTest(
            n_shared_posts(tune, test),
            prevalence=(tune.prevalence, test.prevalence),
            is_shifted=_is_shifted(tune, test),
            excludes_claimed=claimed is not None and _excludes(test, claimed),
            unit=tune.unit,
            is_of_tallies=True,
        )
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
        _hidden_post(tune, test),
        (tune.prevalence, test.prevalence),
        is_shifted=_is_shifted(tune, test),
        excludes_claimed=claimed is not None and _excludes(test, claimed),
        unit=tune.unit,
        in_tune=None if tune.rules in EARLIER else rows_in_tune(tune, test, constraints, thresholds),
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


def _hidden_post(tune: RowSet, test: RowSet) -> str | None:
    """A column that names posts beside the one that was taken for it; None where there is none.

    By its name, where it is no finer than the one taken; or by what it holds: `_hides_posts` of this column
    or of the beginning of the ids taken.
    """
    for rows in (tune,) if test.data is tune.data else (tune, test):
        source, names = rows.origin.source, QUERIES.column("post_id").names
        taken = source.columns.get("post_id") or source.columns.get("query_id")
        if taken is None or not (tune.queries.has_posts and test.queries.has_posts):
            return None
        both = [tune, test] if test.data is tune.data else [rows]
        post, criterion = (np.concatenate([one(side) for side in both]) for one in (_post, _criterion))
        for other in source.others:
            is_post = plain(other) in names and not is_text_name(other) and plain(taken) != names[0]
            if is_post and not all(_is_within(side, other) for side in both):
                return other
            code = [_codes(side, other) for side in both]
            if all(one is not None for one in code):
                column = np.concatenate([one for one in code if one is not None])
                if _hides_posts(column, post, criterion, is_named=plain(other) in POST_LIKE):
                    return other
        if "post_id" in source.columns and _is_id_of_row(rows.queries.post_ids, post, both):
            return f"{taken}{BEFORE_CRITERION}"
    return None


def _post(rows: RowSet) -> NDArray[np.intp]:
    return rows.queries.post


def _criterion(rows: RowSet) -> NDArray[np.intp]:
    return rows.queries.criterion


def _is_id_of_row(ids: NDArray[np.object_], post: NDArray[np.intp], both: Sequence[RowSet]) -> bool:
    """Whether the ids taken for posts are posts with a criterion behind them: each of one row.

    The criterion is known by its column, or where ids hold ``::``, as query ids do.
    """
    _, n = np.unique(post, return_counts=True)
    if np.mean(n == 1) < _MOST:
        return False
    heads: list[str] = []
    tails: list[str] = []
    for rows in both:
        names = [*(str(name) for name in rows.queries.criterion_ids), ""]
        for at, criterion in zip(rows.queries.post.tolist(), rows.queries.criterion.tolist(), strict=True):
            name, tail = str(ids[at]), names[criterion]
            head = name.removesuffix(tail)
            if tail == "":
                head, mark, tail = name.rpartition("::")
                if not mark:
                    continue
            elif head in (name, ""):
                continue
            heads.append(head)
            tails.append(tail)
    if len(heads) < _MOST * len(post):
        return False
    return min(len(heads) / len(set(heads)), len(tails) / len(set(tails))) >= _FEWEST_ROWS


def _hides_posts(
    code: NDArray[Any], post: NDArray[np.intp], criterion: NDArray[np.intp], *, is_named: bool
) -> bool:
    """Whether a column groups rows of several posts as a post groups its rows: never two of one criterion.

    Of two rows of one value and of other posts, chance gives some one criterion, and an author or a site does
    so too; the rows of one post never share it. A few that do, and empty cells, change nothing. Without
    criteria only a name can tell.

    Parameters
    ----------
    code : of the column, shape (N,), −1 where empty.
    post : of the posts taken, shape (N,).
    criterion : shape (N,), −1 where there is none.
    is_named : whether the column has a name that is used for posts.
    """
    known = code >= 0
    code, post, criterion = code[known].astype(np.int64), post[known].astype(np.int64), criterion[known]
    if not len(code):
        return False
    apart = _n_pairs(code) - _n_pairs(code, post)
    if (criterion < 0).any():
        n, n_values = len(code), len(np.unique(code))
        is_row = len(np.unique(post)) >= _MOST * n
        return is_named and is_row and n / _MOST_ROWS <= n_values <= n / _FEWEST_ROWS
    criterion = criterion.astype(np.int64)
    same = _n_pairs(code, criterion) - _n_pairs(code, criterion, post)
    shares = np.bincount(criterion) / len(criterion)
    by_chance = apart * float(np.sum(shares**2))
    return by_chance >= _FEWEST_PAIRS and same <= _FEW * by_chance


def _n_pairs(*codes: NDArray[Any]) -> float:
    """Pairs of rows that are equal in all codes."""
    key = np.zeros(len(codes[0]), np.int64)
    for code in codes:
        key = np.unique(key * (int(code.max()) + 1) + code, return_inverse=True)[1]
    n = np.bincount(key).astype(np.float64)
    return float(np.sum(n * (n - 1) / 2))


def _codes(rows: RowSet, column: str) -> NDArray[Any] | None:
    queries = rows.queries
    if column in queries.slices:
        return queries.slices[column][0]
    if column in queries.units:
        return queries.units[column]
    if column in queries.numbers:
        every = rows.data.queries.numbers[column] if rows.data.queries is not None else np.empty(0)
        values, chosen = np.unique(every[~np.isnan(every)]), queries.numbers[column]
        return np.where(np.isnan(chosen), -1, np.searchsorted(values, chosen))
    return None


def _is_within(rows: RowSet, column: str) -> bool:
    """Whether each value of a column lies in one of the posts that were taken: then these are coarser."""
    code = _codes(rows, column)
    if code is None:
        return False
    pairs = np.unique(np.stack([code, rows.queries.post]), axis=1)
    return bool((code >= 0).all()) and len(np.unique(code)) == pairs.shape[1]


def _sums(rows: RowSet) -> ClusterSums:
    if isinstance(rows, SiteRows):
        return rows.prevalence_sums
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
