"""Sums over posts behind every share of the gate, for intervals that take rows of a post as related."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalcore.inference.clustered import ClusterSums
from evalcore.inference.correlation import INDEPENDENT, UNKNOWN, ScoreCorrelation
from evalcore.operating_point.rules import EARLIER, FIRST, RULES, Rules
from evalcore.spec import Ratio, Side
from evalcore.tallies.decisions import StateCounts
from evalcore.tallies.scores import ScoredRows

Sums = NDArray[np.int64]
Index = NDArray[np.intp] | slice
EVERY = slice(None)
"""Every threshold."""


@dataclass(frozen=True, eq=False)
class PostSums:
    """Sums over posts of the rows at or above each threshold index 0 … S, each int64 of shape (S + 1,).

    A post holds P positives among its N rows; p of them and n rows lie at or above the threshold.

    Parameters
    ----------
    pos, rows : Σp and Σn.
    posts : posts with n > 0.
    pos_pos, pos_rows, rows_rows : Σp², Σp·n and Σn².
    pos_all_pos, rows_all_rows : Σp·P and Σn·N.
    posts_kept, posts_wrong : posts with a positive, with a negative, at or above the threshold.
    posts_all_kept, posts_whole : posts with every positive, with every row, at or above the threshold.
    posts_pos : posts with a positive, at any score.
    rules : by which bounds are made of these sums.
    correlation : of the positives' scores within posts.
    """

    pos: Sums
    rows: Sums
    posts: Sums
    pos_pos: Sums
    pos_rows: Sums
    rows_rows: Sums
    pos_all_pos: Sums
    rows_all_rows: Sums
    posts_kept: Sums
    posts_wrong: Sums
    posts_all_kept: Sums
    posts_whole: Sums
    posts_pos: int
    rules: Rules
    correlation: ScoreCorrelation

    def kept(self, index: Index = EVERY) -> ClusterSums:
        """Positives at or above some of the thresholds, of all positives: screening sensitivity at τ_neg."""
        n, n_n = self.pos[0], self.pos_pos[0]
        telling = np.minimum(self.posts_kept[index], self.posts_pos - self.posts_all_kept[index])
        mixed = self._mixed(self.posts_kept[index] - self.posts_all_kept[index])
        of_posts = self.posts_pos, self.pos_pos[index], self.pos_all_pos[index], n_n
        parts = self.pos[index], n, *of_posts, telling, mixed
        return _sums(*parts, correlation=self.correlation.of_share(self.pos[index], n, "above"))

    def opened(self, index: Index = EVERY) -> ClusterSums:
        """Rows at or above some of the thresholds, of all rows: the workload of τ_neg."""
        x_x, x_n = self.rows_rows[index], self.rows_all_rows[index]
        telling = np.minimum(self.posts[index], self.posts[0] - self.posts_whole[index])
        mixed = self._mixed(self.posts[index] - self.posts_whole[index])
        parts = self.rows[index], self.rows[0], self.posts[0], x_x, x_n, self.rows_rows[0], telling, mixed
        return _sums(*parts, correlation=self.correlation_of_labels)

    def right(self, index: Index = EVERY) -> ClusterSums:
        """Positives among the rows at or above some of the thresholds: alert precision at τ_pos."""
        x_x, x_n = self.pos_pos[index], self.pos_rows[index]
        telling = np.minimum(self.posts_kept[index], self.posts_wrong[index])
        mixed = self._mixed(self.posts_kept[index] + self.posts_wrong[index] - self.posts[index])
        of_posts = self.posts[index], x_x, x_n, self.rows_rows[index]
        parts = self.pos[index], self.rows[index], *of_posts, telling, mixed
        return _sums(*parts, correlation=self.correlation_of_labels)

    def _mixed(self, n: Sums) -> Sums:
        """Posts with both outcomes, which earlier rules did not ask for."""
        return np.zeros_like(n) if self.rules in EARLIER else n

    @property
    def correlation_of_labels(self) -> float:
        """Of labels within posts at most, which no score tells."""
        return 0.0 if self.rules == FIRST else UNKNOWN

    def correlation_of(self, by_post: Ratio, succeed: Side | None) -> NDArray[np.float64]:
        """Of a share's outcome within posts at most; ``succeed`` is None where scores do not decide it."""
        if succeed is None:
            return np.asarray(self.correlation_of_labels)
        return self.correlation.of_share(by_post.numerator.sum(), by_post.denominator.sum(), succeed)


def post_sums(rows: ScoredRows, at: NDArray[np.intp], n_scores: int, *, rules: Rules = RULES) -> PostSums:
    """The sums at every threshold, in one pass from the highest score down.

    Parameters
    ----------
    rows : scored rows.
    at : int, shape (N,): position of each row's score among the distinct scores.
    n_scores : number of distinct scores, S.
    rules : by which bounds are made of the sums.

    Returns
    -------
    PostSums, exact.

    Examples
    --------
    >>> rows = ScoredRows(np.array([0.9, 0.4, 0.4]), np.array([True, True, False]), np.array([0, 0, 1]), 2)
    >>> sums = post_sums(rows, np.array([1, 0, 0]), 2)
    >>> sums.pos_pos.tolist(), sums.rows_rows.tolist(), sums.posts.tolist()
    ([4, 1, 0], [5, 1, 0], [2, 1, 0])
    """
    sums = {name: np.zeros(n_scores + 1, np.int64) for name in _SUMMED}
    for block in _blocks_of_posts(rows, n_scores):
        for name, place, value in _joining(rows.take(block), at[block], n_scores):
            # float64 holds whole numbers to 2**53, beyond what the rows of one score can add up to.
            sums[name] += np.bincount(place, weights=value, minlength=n_scores + 1).astype(np.int64)
    return PostSums(
        **{name: np.cumsum(added[::-1])[::-1] for name, added in sums.items()},
        posts_pos=int(np.count_nonzero(np.bincount(rows.post[rows.is_positive]))),
        rules=rules,
        correlation=positives_correlation(rows, rules),
    )


def whole_sums(rows: ScoredRows, *, rules: Rules = RULES) -> PostSums:
    """As `post_sums` with all rows at one score: the sums over posts of all of them, and of none.

    Examples
    --------
    >>> rows = ScoredRows(np.array([0.9, 0.4, 0.4]), np.array([True, True, False]), np.array([0, 0, 1]), 2)
    >>> sums = whole_sums(rows)
    >>> sums.pos_pos.tolist(), sums.rows_rows.tolist(), sums.posts.tolist()
    ([4, 0], [5, 0], [2, 0])
    """
    pos, n = (np.bincount(post, minlength=rows.n_posts) for post in (rows.post[rows.is_positive], rows.post))
    has_pos = int(np.count_nonzero(pos))
    posts, wrong = np.count_nonzero(n), np.count_nonzero(pos < n)
    of_pos, of_rows = pos @ pos, n @ n
    sums = (pos.sum(), n.sum(), posts, of_pos, pos @ n, of_rows, of_pos, of_rows)
    of_all = [np.array([one, 0], np.int64) for one in (*sums, has_pos, wrong, has_pos, posts)]
    return PostSums(
        **dict(zip(_SUMMED, of_all, strict=True)),
        posts_pos=has_pos,
        rules=rules,
        correlation=positives_correlation(rows, rules),
    )


_SUMMED = tuple(one.name for one in fields(PostSums) if one.type == "Sums")
_BLOCK_ROWS = 2**18


def _blocks_of_posts(rows: ScoredRows, n_scores: int) -> Iterator[NDArray[np.intp] | slice]:
    """The rows in blocks of whole posts: what is summed over posts adds, and a block takes little memory.

    One block where there are too many scores for the sums of each block to be small.
    """
    n_blocks = -(-len(rows) // _BLOCK_ROWS)
    if n_blocks < 2 or n_scores > _BLOCK_ROWS:
        yield slice(None)
        return
    ends = np.cumsum(np.bincount(rows.post, minlength=rows.n_posts))
    of_row = ((ends - 1) // _BLOCK_ROWS).astype(np.int32)[rows.post]
    if not (of_row[1:] < of_row[:-1]).any():  # the rows of a post stand together, as they mostly do
        starts = np.searchsorted(of_row, np.arange(n_blocks + 1, dtype=np.int32))
        yield from (slice(*pair) for pair in pairwise(starts.tolist()))
        return
    yield from (np.flatnonzero(of_row == block) for block in range(n_blocks))


def _joining(
    rows: ScoredRows, at: NDArray[np.intp], n_scores: int
) -> Iterator[tuple[str, NDArray[np.intp], Any]]:
    """Each sum with the places of rows and what they add to it; None counts them.

    A row adds what changes when it joins the rows of its post that lie above it.
    """
    first = int(rows.post.min(initial=0))
    post = rows.post - first
    order = np.argsort(post * np.int64(n_scores) + (n_scores - 1 - at), kind="stable")
    is_pos, place = rows.is_positive[order], np.asarray(at[order], np.intp)
    size = np.bincount(post)
    all_pos = np.bincount(post[rows.is_positive], minlength=len(size))
    del order, post
    one = is_pos.astype(np.int64)
    n_before = np.arange(len(place)) - np.repeat(np.cumsum(size) - size, size)
    pos_before = np.cumsum(one) - one - np.repeat(np.cumsum(all_pos) - all_pos, size)
    all_pos_of_row, size_of_row = np.repeat(all_pos, size), np.repeat(size, size)
    yield "pos", place[is_pos], None
    yield "rows", place, None
    yield "pos_pos", place, one * (2 * pos_before + 1)
    yield "pos_rows", place, pos_before + one * (n_before + 1)
    yield "rows_rows", place, 2 * n_before + 1
    yield "pos_all_pos", place, one * all_pos_of_row
    yield "rows_all_rows", place, size_of_row
    # Posts are counted where the row joins that makes them one: their first or their last of a kind.
    yield "posts", place[n_before == 0], None
    yield "posts_kept", place[is_pos & (pos_before == 0)], None
    yield "posts_wrong", place[~is_pos & (n_before == pos_before)], None
    yield "posts_all_kept", place[is_pos & (pos_before == all_pos_of_row - 1)], None
    yield "posts_whole", place[n_before == size_of_row - 1], None


def positives_correlation(rows: ScoredRows, rules: Rules = RULES) -> ScoreCorrelation:
    """How alike the scores of a post's positives are at most; not at all by the rules that assumed so."""
    if rules == FIRST:
        return INDEPENDENT
    return ScoreCorrelation.of(rows.score[rows.is_positive], rows.post[rows.is_positive])


def states_by_post(rows: ScoredRows, tau_neg: float | None, tau_pos: float | None) -> StateCounts:
    """Rows by state and label of each post, shape (n_posts,); a threshold of None empties its zone."""
    skipped = np.zeros(len(rows), bool) if tau_neg is None else rows.score < tau_neg
    alerted = np.zeros(len(rows), bool) if tau_pos is None else ~skipped & (rows.score >= tau_pos)
    zones = (skipped, ~skipped & ~alerted, alerted)
    return StateCounts(
        *(
            np.bincount(rows.post[zone & label], minlength=rows.n_posts)
            for zone in zones
            for label in (rows.is_positive, ~rows.is_positive)
        )
    )


def sums_of(by_post: Ratio, *, correlation: ArrayLike, rules: Rules = RULES) -> ClusterSums:
    """The sums behind a share from its numerator and denominator in each post, both of shape (P,).

    Parameters
    ----------
    by_post : counts.
    correlation : as for `ClusterSums`.
    rules : those of the document that is made of them; earlier ones did not ask which posts are mixed.
    """
    sums = ClusterSums.from_posts(by_post.numerator, by_post.denominator, correlation=correlation)
    return replace(sums, n_mixed=np.zeros_like(sums.n)) if rules in EARLIER else sums


def flawless(sums: ClusterSums) -> ClusterSums:
    """The sums if every case had been a success."""
    none = np.zeros_like(sums.n)
    return replace(
        sums, successes=sums.n, sum_xx=sums.sum_mm, sum_xm=sums.sum_mm, n_telling=none, n_mixed=none
    )


def _sums(*parts: int | np.integer | Sums, correlation: ArrayLike) -> ClusterSums:
    sums = [np.asarray(part, np.int64) for part in np.broadcast_arrays(*parts)]
    successes, n, n_posts, sum_xx, sum_xm, sum_mm, n_telling, n_mixed = sums
    of_each = np.broadcast_to(np.asarray(correlation, np.float64), n.shape)
    return ClusterSums(successes, n, n_posts, sum_xx, sum_xm, sum_mm, n_telling, n_mixed, of_each)
