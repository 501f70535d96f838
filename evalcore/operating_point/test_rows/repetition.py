"""Whether rows of one set are rows of another, or stand in their own set twice, beyond what chance makes.

Rows are alike by score to its last digit, label and criterion, never by their ids. Rounded scores coincide
by chance, and how often depends on how often each score occurs: so pairs of alike rows are counted by where
their two rows lie. When no row is repeated, the rows of one label and criterion fall on either side as any
two do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evalcore.operating_point.rules import EARLIER
from evalcore.operating_point.test_rows.alike_rows import (
    Both,
    Pairs,
    alike_pairs,
    expected_share,
    pairs_by_frequency,
    posts_of,
    stands_in_tune,
)
from evalcore.operating_point.test_rows.label_agreement import one_label_across, one_label_within
from evalcore.operating_point.test_rows.rank_scores import PLACES, are_ranks, moved
from evalcore.operating_point.test_rows.row_sets import RowSet

BY_ACCIDENT = 1e-6
_BY_ACCIDENT_OF_POSTS = 1e-4
"""What chance makes less often is no accident; all tests of a file together stay below 1 in 1,000."""

LOOKS: tuple[tuple[int | None, bool], ...] = ((None, True), (None, False), (5, False), (3, False))
"""Decimals of the scores, and whether alike rows are of one criterion."""

_FEWEST_POSTS = 10
_TOGETHER = 3
_DRIFT = 2.0
_MOST_WITHIN = 0.95
_TIMES = (2, 3, 5, 7)
_BY_ACCIDENT_OF_TIMES = 1e-4


@dataclass(frozen=True)
class Alike:
    """More alike pairs than chance makes.

    Parameters
    ----------
    of : ``rows`` or ``posts`` that are paired, or ``scores`` whose rows are of one label.
    n : pairs, or scores, found.
    expected : how many chance would make of these scores.
    n_drawn : posts of both sets that were looked at, drawn at random; None: all.
    """

    of: Literal["rows", "posts", "scores"]
    n: int
    expected: float
    n_drawn: int | None = None

    def as_json(self) -> dict[str, Any]:
        """The finding as it stands in a document."""
        found = {"of": self.of, "found": self.n, "expected": round(self.expected, 1)}
        return found if self.n_drawn is None else found | {"among_posts": self.n_drawn}


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

    First by the labels of rows that share a score, which tell copies wherever these lie. Then
    the same rows are looked for exactly; without their criteria; and with scores to five and to three digits
    and without criteria, for rows that were renamed or changed by a hair. Each time among all posts, and
    among ever fewer of them, for what stands there so often that too many rows are alike.

    Parameters
    ----------
    tune, test : rows with labels and scores.

    Source
    ------
    statistics.md, "Tune and test"; join counts: Cliff and Ord 1981, Spatial Processes, 2.
    """
    across, within = (None, None) if tune.rules in EARLIER else _of_one_label(tune, test)
    is_ranked = are_ranks(tune, test)
    for digits, has_criterion in LOOKS:
        every = Both.of(tune, test, digits=digits, has_criterion=has_criterion)
        is_chance = is_ranked and _is_made_by_places(tune, test, digits=digits, has_criterion=has_criterion)
        for n_drawn, rows in _ever_fewer(every):
            pairs = alike_pairs(rows)
            across = across or (None if is_chance else _across(rows, pairs, n_drawn))
            within = within or _within(rows, pairs, n_drawn)
            if across and within:
                return Repetition(across, within)
        if has_criterion:
            within = within or _several_times(every)
    return Repetition(across, within)


def _of_one_label(tune: RowSet, test: RowSet) -> tuple[Alike | None, Alike | None]:
    """Scores across the two sets, and within test, whose rows agree in their label as copies do."""
    found = [one_label_across(tune, test), one_label_within(tune, test)]
    across, within = (None if one is None else Alike("scores", one.n, one.expected) for one in found)
    return across, within


def _is_made_by_places(tune: RowSet, test: RowSet, *, digits: int | None, has_criterion: bool) -> bool:
    """Whether as many rows of ranks are alike as when each has the rank of one a few places further."""
    look = partial(Both.every, digits=digits, has_criterion=has_criterion)
    rows = look(tune, test)
    n = int(np.count_nonzero(np.isin(rows.score[rows.is_test], rows.score[~rows.is_test])))
    n_alike = int(np.count_nonzero(stands_in_tune(rows)))
    by_places = [np.count_nonzero(stands_in_tune(look(tune, moved(test, places)))) for places in PLACES]
    chance = float(np.mean(by_places)) / max(n, 1)
    return n_alike == 0 or float(special.bdtrc(n_alike - 1, n, min(chance, 1.0))) >= BY_ACCIDENT


def _ever_fewer(rows: Both) -> Iterator[tuple[int | None, Both]]:
    """The rows of all posts, then of a half, a quarter, … of them, until no score is crowded.

    Copies thin out with their posts: of nine of a post two or three are left in a quarter. Posts are drawn by
    their number in the file, so that the same file gives the same draw.
    """
    yield None, rows
    rng = np.random.default_rng(0)
    sides = [rng.permutation(np.unique(rows.post[of])) for of in (~rows.is_test, rows.is_test)]
    most = max(map(len, sides))
    while rows.is_crowded and min(most // 2, *map(len, sides)) >= _FEWEST_POSTS:
        most //= 2
        sides = [posts[:most] for posts in sides]  # the larger side first: copies of tune stand out then
        rows = rows.where(np.isin(rows.post, np.concatenate(sides)))
        yield sum(map(len, sides)), rows


def _across(rows: Both, pairs: Pairs, n_drawn: int | None) -> Alike | None:
    """More pairs across the two sets than chance makes: of rows, or of posts that are alike in several."""
    is_across = rows.is_test[pairs.first] != rows.is_test[pairs.second]
    if not is_across.any():
        return None
    expected = expected_share(rows, across=True)[rows.stratum[pairs.first]]
    if _is_excess(rows, pairs, is_across, expected):
        return Alike("rows", int(np.count_nonzero(is_across)), float(expected.sum()), n_drawn)
    # Whatever two posts are like: where none is on both sides, they lie across half of the time at most.
    return _posts_alike(rows, pairs, is_across, across=True, n_drawn=n_drawn)


def _within(rows: Both, pairs: Pairs, n_drawn: int | None) -> Alike | None:
    """More pairs within test than chance makes.

    Scores of test may be coarser than those of tune, or lie closer together: a count must exceed both what
    the frequencies of the test scores let expect, whatever their label and criterion, and what pairs
    elsewhere show.
    """
    is_within = rows.is_test[pairs.first] & rows.is_test[pairs.second]
    n_within = int(np.count_nonzero(is_within))
    if not n_within:
        return None
    share = np.minimum(_DRIFT * expected_share(rows, across=False), 1.0)[rows.stratum[pairs.first]]
    by_frequency = pairs_by_frequency(rows)
    is_frequent = float(special.pdtrc(n_within - 1, _DRIFT * by_frequency)) < BY_ACCIDENT
    if is_frequent and _is_excess(rows, pairs, is_within, share):
        return Alike("rows", n_within, by_frequency, n_drawn)
    return _posts_alike(rows, pairs, is_within, across=False, n_drawn=n_drawn)


def _several_times(rows: Both) -> Alike | None:
    """Test scores of which most stand there a multiple of two, three, … times, where each stands by itself.

    By accident at most half of the numbers of like rows are multiples. Scores that are ranks can be a
    multiple for one label, never for both.
    """
    test = rows.where(rows.is_test)
    key, at, n = np.unique(test.key, return_inverse=True, return_counts=True)
    label = np.zeros(len(key), np.int64)
    label[at] = test.stratum % 2
    together = np.zeros(len(key))
    np.add.at(together, at, np.random.default_rng(0).random(int(rows.post.max()) + 1)[test.post])
    own = np.unique(together, return_index=True)[1]  # rows of the same posts are one observation
    n, label = n[own], label[own]
    for times in _TIMES:
        is_multiple = n % times == 0
        tails = [
            special.bdtrc(np.count_nonzero(is_multiple & of) - 1, np.count_nonzero(of), 0.5)
            if (is_multiple & of).any()
            else 1.0
            for of in (label == 0, label == 1)
        ]
        if max(tails) < _BY_ACCIDENT_OF_TIMES:
            return Alike("rows", int(np.sum(n[is_multiple] * (n[is_multiple] - 1) // 2)), 0.0)
    return None


def _is_excess(rows: Both, pairs: Pairs, is_there: NDArray[np.bool_], expected: NDArray[np.float64]) -> bool:
    """Whether more pairs lie there than expected, posts falling on either side as a whole.

    The spread is that of a join count: pairs of the same two posts move together; pairs that share one post
    do so a little where the sides differ in size.
    """
    low, high, at = posts_of(rows, pairs)
    joint = np.bincount(at)
    variance_of_pair = np.bincount(at, weights=expected * (1 - expected)) / joint
    ends = np.concatenate([low, high])
    degree = np.bincount(ends).astype(np.float64)
    own = np.bincount(ends, weights=np.concatenate([joint[at], joint[at]]))
    q = np.count_nonzero(rows.is_test) / len(rows.is_test)
    shared = q * (1 - q) * (1 - 2 * q) ** 2
    variance = float(np.sum(joint**2 * variance_of_pair) + shared * np.sum(degree**2 - own))
    excess = np.count_nonzero(is_there) - 0.5 - float(expected.sum())
    return bool(excess > 0) and float(special.ndtr(-excess / max(variance, 1e-12) ** 0.5)) < BY_ACCIDENT


def _posts_alike(
    rows: Both, pairs: Pairs, is_there: NDArray[np.bool_], *, across: bool, n_drawn: int | None
) -> Alike | None:
    """Posts that are alike in several rows, where more pairs of them lie there than chance lets lie.

    By accident two posts are alike in several rows so rarely that even a dozen pairs stand out: which pairs
    these are is decided by their rows, not by where they lie. Across is half of them at most; within test the
    share that posts of at least so many rows make up, with room for scores that lie closer together there.
    """
    _, _, at = posts_of(rows, pairs)
    score = 2 * rows.score[pairs.first] + rows.stratum[pairs.first] % 2
    # A row that a post repeats inside itself under other criteria is one.
    distinct = np.unique(at * (int(score.max(initial=0)) + 1) + score, return_index=True)[1]
    n_shared = np.bincount(at[distinct])
    is_post_there = np.bincount(at, weights=is_there) > 0
    sizes = [np.unique(rows.post[side], return_counts=True)[1] for side in (rows.is_test, ~rows.is_test)]
    for least in (_TOGETHER, 2 * _TOGETHER):
        chosen = n_shared >= least
        n, n_there = int(np.count_nonzero(chosen)), int(np.count_nonzero(chosen & is_post_there))
        ways, ways_of_tune = (float(special.binom(size, least).sum()) for size in sizes)
        share = 0.5 if across else (ways / max(ways + ways_of_tune, 1.0)) ** 2
        most = share if across else min(_DRIFT * share, _MOST_WITHIN)
        if not across and _is_usual(n_there, float(np.sum(is_there)), len(sizes[0]), least):
            continue
        level = _BY_ACCIDENT_OF_POSTS if n_drawn is None else BY_ACCIDENT
        if n_there and float(special.bdtrc(n_there - 1, n, most)) < level:
            return Alike("posts", n_there, n * share, n_drawn)
    return None


def _is_usual(n_there: int, n_pairs: float, n_posts: int, least: int) -> bool:
    """Whether so many pairs of posts share so many rows where the alike rows are strewn over all pairs."""
    n_of_posts = n_posts * (n_posts - 1) / 2
    often = float(special.pdtrc(least - 1, _DRIFT * n_pairs / n_of_posts))
    return float(special.pdtrc(n_there - 1, n_of_posts * often)) >= _BY_ACCIDENT_OF_POSTS
