"""Whether two sets of rows share posts: by ids, by ids that mean the same, and by the rows themselves."""

from __future__ import annotations

import hashlib
import re

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evalcore.operating_point.test_rows.rank_scores import PLACES, are_ranks, moved
from evalcore.operating_point.test_rows.row_sets import RowSet, sources_sha256
from evalcore.readers.columns.ids import lookalikes

_BLANK = re.compile(r"[\s\u200b-\u200f\u2060\ufeff\u00ad'\"]+")
"""What two spellings of one id may differ in: blanks, marks that are not seen, quotation marks."""

_FEWEST_COPIES = 3
_DIGITS = 3
_BY_ACCIDENT = 1e-4
"""Pairs of like posts across that chance makes less often than this are copies."""


def n_overlapping_posts(tune: RowSet, test: RowSet) -> int | None:
    """Posts that have rows in both sets; None where the rows name no posts, so that nobody can tell.

    What may overlap, does: ids that look alike (``17`` and ``17.0``, ``s1`` and ``S 1``) count as one post,
    and so do the posts of rows that are the same rows under other ids.
    """
    if not (tune.queries.has_posts and test.queries.has_posts):
        return None
    shared = tune.post_names & test.post_names
    n_alike = _n_lookalikes(tune.post_names - shared, test.post_names - shared)
    return max(len(shared) + n_alike, _n_posts_of_shared_rows(tune, test), _n_copied_posts(tune, test))


def _n_lookalikes(tune: frozenset[str], test: frozenset[str]) -> int:
    """Groups of ids that look alike and have members on both sides, which share no id."""
    names = [*sorted(tune), *sorted(test)]
    levels = np.array([_BLANK.sub("", name) for name in names], object)
    distinct, group = np.unique(levels.astype(str), return_inverse=True)
    for alike in lookalikes(distinct.astype(object)):
        group[np.isin(group, alike)] = alike[0]
    n_groups = len(distinct)
    is_on_tune = np.bincount(group[: len(tune)], minlength=n_groups) > 0
    is_on_test = np.bincount(group[len(tune) :], minlength=n_groups) > 0
    return int(np.count_nonzero(is_on_tune & is_on_test))


def _n_posts_of_shared_rows(tune: RowSet, test: RowSet) -> int:
    """Posts of the tune rows that stand where test rows do in the same file, whatever their ids."""
    if sources_sha256(tune.origin.sources) != sources_sha256(test.origin.sources):
        return 0
    shared = np.isin(tune.queries.row, test.queries.row)
    return len(np.unique(tune.queries.post[shared]))


def _n_copied_posts(tune: RowSet, test: RowSet) -> int:
    """Posts whose rows are those of one post on the other side, whatever their ids.

    Single posts may agree by accident where scores are rounded. The same rows are looked for exactly, and
    once more with scores rounded and criteria left out, for rows that were renamed or changed by a hair.
    """
    exact, coarse = (
        (_signatures(tune, is_coarse=is_coarse), _signatures(test, is_coarse=is_coarse))
        for is_coarse in (False, True)
    )
    is_ranked = are_ranks(tune, test)
    found = [0]
    if not (is_ranked and _is_made_by_places(exact, test, is_coarse=False)):
        n_same = _n_same(*exact)
        is_most = n_same >= _FEWEST_COPIES and 2 * n_same >= min(map(len, exact))
        found += [n_same if is_most else 0, _n_doubles(*exact)]
    if not (is_ranked and _is_made_by_places(coarse, test, is_coarse=True)):
        found.append(_n_doubles(*coarse))
    return max(found)


def _is_made_by_places(
    sides: tuple[NDArray[np.uint64], NDArray[np.uint64]], test: RowSet, *, is_coarse: bool
) -> bool:
    """Whether as many posts of ranks are alike as when each row has the rank of one a few places further."""
    by_places = [
        _n_same(sides[0], _signatures(moved(test, places), is_coarse=is_coarse)) for places in PLACES
    ]
    n = min(map(len, sides))
    return float(special.bdtrc(_n_same(*sides) - 1, n, np.mean(by_places) / n)) >= _BY_ACCIDENT


def _n_same(tune: NDArray[np.uint64], test: NDArray[np.uint64]) -> int:
    return len(np.intersect1d(_singles(tune), _singles(test), assume_unique=True))


def _n_doubles(tune: NDArray[np.uint64], test: NDArray[np.uint64]) -> int:
    """Pairs of like posts with one post on each side, where they are more than chance makes; else 0.

    When no post is on both sides, the two posts of a pair that agree by accident fall on either side as any
    two posts do: the number of pairs across is binomial.
    """
    _, at, n = np.unique(np.concatenate([tune, test]), return_inverse=True, return_counts=True)
    n_on_tune = np.bincount(at[: len(tune)], minlength=len(n))
    is_pair = n == 2
    n_across = int(np.count_nonzero(is_pair & (n_on_tune == 1)))
    n_posts = len(tune) + len(test)
    share_across = 2 * len(tune) * len(test) / (n_posts * (n_posts - 1))
    chance = special.bdtrc(n_across - 1, int(np.count_nonzero(is_pair)), share_across)
    return n_across if chance < _BY_ACCIDENT else 0


def _singles(signatures: NDArray[np.uint64]) -> NDArray[np.uint64]:
    distinct, n = np.unique(signatures, return_counts=True)
    return np.asarray(distinct[n == 1])


def _signatures(rows: RowSet, *, is_coarse: bool) -> NDArray[np.uint64]:
    """A number for each post that depends on its criteria, scores and labels, not on their order.

    A coarse one leaves out the criteria and takes probabilities to three decimals, scores to about three
    digits.
    """
    queries = rows.queries
    score, names = queries.score, [*(str(name) for name in queries.criterion_ids), ""]  # last for the code −1
    if is_coarse:
        names = [""] * len(names)
        score = np.round(score, _DIGITS) if rows.data.score_kind == "probability" else _rounded(score)
    of_criterion = np.array(
        [int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest()) for name in names], np.uint64
    )
    label = queries.has_evidence.astype(np.uint64)
    mixed = _mixed(of_criterion[queries.criterion] + label)
    of_row = _mixed((score + 0.0).view(np.uint64) ^ mixed)
    posts, at = np.unique(queries.post, return_inverse=True)
    signature = np.zeros(len(posts), np.uint64)
    np.add.at(signature, at, of_row)
    return signature


def _rounded(score: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores with their binary mantissa to three decimals, whatever their size."""
    mantissa, exponent = np.frexp(score)
    return np.asarray(np.ldexp(np.round(mantissa, _DIGITS), exponent))


def _mixed(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Bits spread over the whole word (the finaliser of SplitMix64), so that sums of them do not coincide."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))
