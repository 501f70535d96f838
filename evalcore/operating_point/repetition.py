"""Whether rows of one set are rows of another, or stand in their own set twice, beyond what chance makes.

Rows are alike by score to its last digit, label and criterion, never by their ids. Rounded scores coincide
by chance, and how often depends on how often each score occurs: so pairs of alike rows are counted by where
their two rows lie. When no row is repeated, the rows of one label and criterion fall on either side as any
two do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evalcore.data import Queries
from evalcore.operating_point.row_sets import RowSet

Codes = NDArray[np.int64]

MOST_ALIKE = 8
"""A score, label and criterion that more rows share says nothing of which rows are the same."""

MOST_PAIRS = 2_000_000
BY_ACCIDENT = 1e-6
_BY_ACCIDENT_OF_POSTS = 1e-4
"""What chance makes less often is no accident; all tests of a file together stay below 1 in 1,000."""

_DIGITS = 3
_TOGETHER = 3
_DRIFT = 2.0
_MOST_WITHIN = 0.95
_FEWEST_CELLS = 20


@dataclass(frozen=True)
class Alike:
    """More alike pairs than chance makes.

    Parameters
    ----------
    of : ``rows`` or ``posts`` that are paired.
    n : pairs found.
    expected : pairs that chance would make of these scores.
    """

    of: Literal["rows", "posts"]
    n: int
    expected: float

    def as_json(self) -> dict[str, Any]:
        """The finding as it stands in a document."""
        return {"of": self.of, "found": self.n, "expected": round(self.expected, 1)}


@dataclass(frozen=True)
class Repetition:
    """What of the test rows is no new evidence.

    Parameters
    ----------
    across : pairs of a tune row and a test row that are alike, where they are more than chance makes.
    within : pairs of test rows that are alike, likewise.
    """

    across: Alike | None
    within: Alike | None


def repetition(tune: RowSet, test: RowSet) -> Repetition:
    """What of the test rows repeats tune rows or each other, beyond chance.

    The same rows are looked for exactly; without their criteria; and with scores to three digits and without
    criteria, for rows that were renamed or changed by a hair.

    Parameters
    ----------
    tune, test : rows with labels and scores.

    Source
    ------
    statistics.md, "Tune and test"; join counts: Cliff and Ord 1981, Spatial Processes, 2.
    """
    exact = _Both.of(tune, test, is_coarse=False, has_criterion=True)
    pairs = _alike_pairs(exact)
    within = _within(exact, pairs)
    across = _across(exact, pairs)
    for is_coarse in (False, True):
        if across is None:
            rows = _Both.of(tune, test, is_coarse=is_coarse, has_criterion=False)
            across = _across(rows, _alike_pairs(rows))
    return Repetition(across, within)


@dataclass(frozen=True)
class _Both:
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
    def of(tune: RowSet, test: RowSet, *, is_coarse: bool, has_criterion: bool) -> _Both:
        parts = (tune.queries, test.queries)
        score = np.concatenate([part.score for part in parts]) + 0.0  # + 0.0 makes −0 and 0 one score
        if is_coarse:
            is_share = tune.data.score_kind == "probability"
            score = np.round(score, _DIGITS) if is_share else rounded(score)
        code = np.unique(score, return_inverse=True)[1].astype(np.int64)
        stratum = np.concatenate([part.has_evidence for part in parts]).astype(np.int64)
        if has_criterion:
            names = np.concatenate([_criteria(part) for part in parts])
            stratum = stratum + 2 * np.unique(names, return_inverse=True)[1]
        n_scores = int(code.max(initial=0)) + 1
        is_test = np.repeat([False, True], [len(part) for part in parts])
        posts = [rows.scored.post for rows in (tune, test)]
        post = np.concatenate([posts[0], posts[1] + tune.scored.n_posts]).astype(np.int64)
        return _Both(stratum * n_scores + code, stratum, code, post, is_test)


@dataclass(frozen=True)
class _Pairs:
    """Pairs of alike rows of different posts, positions in the rows of both sets, each shape (M,)."""

    first: NDArray[np.intp]
    second: NDArray[np.intp]


def rounded(score: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores with their binary mantissa to three decimals, whatever their size."""
    mantissa, exponent = np.frexp(score)
    return np.asarray(np.ldexp(np.round(mantissa, _DIGITS), exponent))


def _criteria(queries: Queries) -> NDArray[np.str_]:
    names = np.array([*(str(name) for name in queries.criterion_ids), ""])  # last for the code −1
    return names[queries.criterion]


def _alike_pairs(rows: _Both) -> _Pairs:
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
    return _Pairs(first[is_apart], second[is_apart])


def _across(rows: _Both, pairs: _Pairs) -> Alike | None:
    """More pairs across the two sets than chance makes: of rows, or of posts that are alike in several."""
    is_across = rows.is_test[pairs.first] != rows.is_test[pairs.second]
    if not is_across.any():
        return None
    expected = _expected_share(rows, across=True)[rows.stratum[pairs.first]]
    if _is_excess(rows, pairs, is_across, expected):
        return Alike("rows", int(np.count_nonzero(is_across)), float(expected.sum()))
    # Whatever two posts are like: where none is on both sides, they lie across half of the time at most.
    return _posts_alike(rows, pairs, is_across, across=True)


def _within(rows: _Both, pairs: _Pairs) -> Alike | None:
    """More pairs within test than chance makes, or a test of which every row stands there several times.

    Scores of test may be coarser than those of tune, or lie closer together: a count must exceed both what
    the frequencies of the test scores let expect, whatever their label and criterion, and what pairs
    elsewhere show.
    """
    is_within = rows.is_test[pairs.first] & rows.is_test[pairs.second]
    n_within = int(np.count_nonzero(is_within))
    if n_within:
        share = np.minimum(_DRIFT * _expected_share(rows, across=False), 1.0)[rows.stratum[pairs.first]]
        by_frequency = _pairs_by_frequency(rows)
        is_frequent = float(special.pdtrc(n_within - 1, _DRIFT * by_frequency)) < BY_ACCIDENT
        if is_frequent and _is_excess(rows, pairs, is_within, share):
            return Alike("rows", n_within, by_frequency)
        found = _posts_alike(rows, pairs, is_within, across=False)
        if found is not None:
            return found
    _, n = np.unique(rows.key[rows.is_test], return_counts=True)
    if len(n) >= _FEWEST_CELLS and int(np.gcd.reduce(n)) > 1:
        return Alike("rows", int(np.sum(n * (n - 1) // 2)), 0.0)
    return None


def _is_excess(
    rows: _Both, pairs: _Pairs, is_there: NDArray[np.bool_], expected: NDArray[np.float64]
) -> bool:
    """Whether more pairs lie there than expected, posts falling on either side as a whole.

    The spread is that of a join count: pairs of the same two posts move together; pairs that share one post
    do so a little where the sides differ in size.
    """
    low, high, at = _posts_of(rows, pairs)
    joint = np.bincount(at)
    variance_of_pair = np.bincount(at, weights=expected * (1 - expected)) / joint
    n_posts = int(rows.post.max()) + 1
    ends = np.concatenate([low, high])
    degree = np.bincount(ends, minlength=n_posts).astype(np.float64)
    own = np.bincount(ends, weights=np.concatenate([joint[at], joint[at]]), minlength=n_posts)
    q = np.count_nonzero(rows.is_test) / len(rows.is_test)
    shared = q * (1 - q) * (1 - 2 * q) ** 2
    variance = float(np.sum(joint**2 * variance_of_pair) + shared * np.sum(degree**2 - own))
    excess = np.count_nonzero(is_there) - 0.5 - float(expected.sum())
    return bool(excess > 0) and float(special.ndtr(-excess / max(variance, 1e-12) ** 0.5)) < BY_ACCIDENT


def _posts_alike(rows: _Both, pairs: _Pairs, is_there: NDArray[np.bool_], *, across: bool) -> Alike | None:
    """Posts that are alike in several rows, where more pairs of them lie there than chance lets lie.

    By accident two posts are alike in several rows so rarely that even a dozen pairs stand out: which pairs
    these are is decided by their rows, not by where they lie. Across is half of them at most; within test the
    share that posts of at least so many rows make up, with room for scores that lie closer together there.
    """
    _, _, at = _posts_of(rows, pairs)
    n_shared = np.bincount(at)
    is_post_there = np.bincount(at, weights=is_there) > 0
    sizes = [np.unique(rows.post[side], return_counts=True)[1] for side in (rows.is_test, ~rows.is_test)]
    for least in (_TOGETHER, 2 * _TOGETHER):
        chosen = n_shared >= least
        n, n_there = int(np.count_nonzero(chosen)), int(np.count_nonzero(chosen & is_post_there))
        ways, ways_of_tune = (float(special.binom(size, least).sum()) for size in sizes)
        share = 0.5 if across else (ways / max(ways + ways_of_tune, 1.0)) ** 2
        most = share if across else min(_DRIFT * share, _MOST_WITHIN)
        if n_there and float(special.bdtrc(n_there - 1, n, most)) < _BY_ACCIDENT_OF_POSTS:
            return Alike("posts", n_there, n * share)
    return None


def _posts_of(rows: _Both, pairs: _Pairs) -> tuple[Codes, Codes, NDArray[np.intp]]:
    """The two posts of each pair of rows, and the code of this pair of posts."""
    one, other = rows.post[pairs.first], rows.post[pairs.second]
    low, high = np.minimum(one, other), np.maximum(one, other)
    return low, high, np.unique(low * (int(rows.post.max()) + 1) + high, return_inverse=True)[1]


def _expected_share(rows: _Both, *, across: bool) -> NDArray[np.float64]:
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


def _n_by_stratum(rows: _Both, mask: NDArray[np.bool_] | None = None) -> Codes:
    n_strata = int(rows.stratum.max(initial=0)) + 1
    return np.bincount(rows.stratum if mask is None else rows.stratum[mask], minlength=n_strata)


def _pairs_by_frequency(rows: _Both) -> float:
    """Pairs of alike test rows that the frequencies of their scores let expect, in all strata."""
    n_test = _n_by_stratum(rows, rows.is_test)
    frequency = np.bincount(rows.score[rows.is_test]) / np.count_nonzero(rows.is_test)
    return float(np.sum(n_test * (n_test - 1.0) / 2) * np.sum(frequency**2))
