"""Rows of two sets that are alike by score, label and perhaps criterion, and where such pairs lie."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalcore.data import Queries
from evalcore.operating_point.test_rows.row_sets import RowSet

Codes = NDArray[np.int64]

MOST_ALIKE = 8
"""A score, label and criterion that more posts share says nothing of which rows are the same."""

MOST_PAIRS = 2_000_000


@dataclass(frozen=True)
class Both:
    """The rows of both sets, tune first, arrays of shape (N,).

    Parameters
    ----------
    key : rows of one key are alike.
    stratum : label and criterion: rows of one stratum could have been alike.
    score : code of the score alone.
    post : code of the post, of its own on each side.
    is_test : of which set.
    """

    key: Codes
    stratum: Codes
    score: Codes
    post: Codes
    is_test: NDArray[np.bool_]

    @staticmethod
    def of(tune: RowSet, test: RowSet, *, digits: int | None, has_criterion: bool) -> Both:
        """The rows of two sets, of those of one post and key the first.

        What a post repeats inside itself is alike to others once: else one accident would count many times.

        Parameters
        ----------
        tune, test, digits, has_criterion : as of `every`.
        """
        both = Both.every(tune, test, digits=digits, has_criterion=has_criterion)
        n_posts = int(both.post.max(initial=0)) + 1
        first = np.unique(both.key * n_posts + both.post, return_index=True)[1]
        return both if len(first) == len(both.key) else both.where(np.sort(first))

    @staticmethod
    def every(tune: RowSet, test: RowSet, *, digits: int | None, has_criterion: bool) -> Both:
        """All rows of two sets.

        Parameters
        ----------
        tune, test : rows with labels and scores.
        digits : decimals of probabilities, or of the binary mantissa of scores; None: to the last digit.
        has_criterion : whether alike rows are of one criterion.
        """
        parts = (tune.queries, test.queries)
        score = np.concatenate([part.score for part in parts]) + 0.0  # + 0.0 makes −0 and 0 one score
        if digits is not None:
            is_share = tune.data.score_kind == "probability"
            score = np.round(score, digits) if is_share else rounded(score, digits)
        code = np.unique(score, return_inverse=True)[1].astype(np.int64)
        stratum = np.concatenate([part.has_evidence for part in parts]).astype(np.int64)
        if has_criterion:
            names = np.concatenate([_criteria(part) for part in parts])
            stratum = stratum + 2 * np.unique(names, return_inverse=True)[1]
        n_scores = int(code.max(initial=0)) + 1
        is_test = np.repeat([False, True], [len(part) for part in parts])
        posts = [rows.scored.post for rows in (tune, test)]
        post = np.concatenate([posts[0], posts[1] + tune.scored.n_posts]).astype(np.int64)
        key = np.unique(stratum * n_scores + code, return_inverse=True)[1].astype(np.int64)
        return Both(key, stratum, code, post, is_test)

    def where(self, rows: NDArray[np.bool_] | NDArray[np.intp]) -> Both:
        """The rows of a mask or index."""
        return Both(self.key[rows], self.stratum[rows], self.score[rows], self.post[rows], self.is_test[rows])

    @property
    def is_crowded(self) -> bool:
        """Whether posts beyond `MOST_ALIKE` share a key, so that these rows are not looked at."""
        return bool((np.bincount(self.key) > MOST_ALIKE).any())


@dataclass(frozen=True)
class Pairs:
    """Pairs of alike rows of different posts, positions in the rows of both sets, each shape (M,)."""

    first: NDArray[np.intp]
    second: NDArray[np.intp]


def rounded(score: NDArray[np.float64], digits: int = 3) -> NDArray[np.float64]:
    """Scores with their binary mantissa to some decimals, whatever their size."""
    mantissa, exponent = np.frexp(score)
    return np.asarray(np.ldexp(np.round(mantissa, digits), exponent))


def _criteria(queries: Queries) -> NDArray[np.str_]:
    names = np.array([*(str(name) for name in queries.criterion_ids), ""])  # last for the code −1
    return names[queries.criterion]


def alike_pairs(rows: Both) -> Pairs:
    """Every pair of rows with one key that few rows have, of different posts."""
    order = np.argsort(rows.key, kind="stable")
    key = rows.key[order]
    start = np.flatnonzero(np.append(True, key[1:] != key[:-1])) if len(key) else np.empty(0, np.intp)
    size = np.diff(np.append(start, len(key)))
    found: list[tuple[NDArray[np.intp], NDArray[np.intp]]] = []
    n_pairs = 0
    for n in range(2, MOST_ALIKE + 1):
        cells = start[size == n]
        n_pairs += len(cells) * n * (n - 1) // 2
        if n > 2 and n_pairs > MOST_PAIRS:
            break
        low, high = np.triu_indices(n, 1)
        found.append((order[cells[:, None] + low].ravel(), order[cells[:, None] + high].ravel()))
    first, second = (np.concatenate(part) for part in zip(*found, strict=True))
    is_apart = rows.post[first] != rows.post[second]
    return Pairs(first[is_apart], second[is_apart])


def posts_of(rows: Both, pairs: Pairs) -> tuple[Codes, Codes, NDArray[np.intp]]:
    """The two posts of each pair of rows, and the code of this pair of posts."""
    one, other = rows.post[pairs.first], rows.post[pairs.second]
    low, high = np.minimum(one, other), np.maximum(one, other)
    return low, high, np.unique(low * (int(rows.post.max()) + 1) + high, return_inverse=True)[1]


def expected_share(rows: Both, *, across: bool) -> NDArray[np.float64]:
    """Of all pairs of rows of different posts in each stratum, the share across the sets or within test."""
    n, n_test = _n_by_stratum(rows), _n_by_stratum(rows, rows.is_test)
    of_posts = np.unique(np.stack([rows.stratum, rows.post]), axis=1, return_counts=True)
    is_test = np.zeros(int(rows.post.max()) + 1, bool)
    is_test[rows.post[rows.is_test]] = True
    own = of_posts[1] * (of_posts[1] - 1.0) / 2
    stratum, of_test = of_posts[0][0], is_test[of_posts[0][1]]
    own_of_test = np.bincount(stratum, weights=own * of_test, minlength=len(n))
    n_pairs = n * (n - 1.0) / 2 - np.bincount(stratum, weights=own, minlength=len(n))
    there = n_test * (n - n_test) if across else n_test * (n_test - 1.0) / 2 - own_of_test
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.nan_to_num(there / n_pairs)


def _n_by_stratum(rows: Both, mask: NDArray[np.bool_] | None = None) -> Codes:
    n_strata = int(rows.stratum.max(initial=0)) + 1
    return np.bincount(rows.stratum if mask is None else rows.stratum[mask], minlength=n_strata)


def pairs_by_frequency(rows: Both) -> float:
    """Pairs of alike test rows that the frequencies of their scores let expect, in all strata."""
    n_test = _n_by_stratum(rows, rows.is_test)
    frequency = np.bincount(rows.score[rows.is_test]) / np.count_nonzero(rows.is_test)
    return float(np.sum(n_test * (n_test - 1.0) / 2) * np.sum(frequency**2))


def stands_in_tune(rows: Both) -> NDArray[np.bool_]:
    """Of each test row, in its order, whether a tune row is alike."""
    return np.isin(rows.key[rows.is_test], rows.key[~rows.is_test])
