"""Whether two sets of rows share posts: by ids, by ids that mean the same, and by the rows themselves."""

from __future__ import annotations

import hashlib
import re

import numpy as np
from numpy.typing import NDArray

from evalcore.operating_point.row_sets import RowSet, sources_sha256
from evalcore.readers.ids import lookalikes

_BLANK = re.compile(r"[\s\u200b-\u200f\u2060\ufeff\u00ad'\"]+")
"""What two spellings of one id may differ in: blanks, marks that are not seen, quotation marks."""

_FEWEST_COPIES = 3


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
    """Posts whose criteria, scores and labels are those of one post on the other side.

    Single posts may agree by accident where scores are rounded. So only posts unlike all others of their side
    are compared, and they count where at least half of the posts on one side have a double on the other.
    """
    ours, theirs = _signatures(tune), _signatures(test)
    n_copied = len(np.intersect1d(_singles(ours), _singles(theirs), assume_unique=True))
    is_copy = n_copied >= _FEWEST_COPIES and 2 * n_copied >= min(len(ours), len(theirs))
    return n_copied if is_copy else 0


def _singles(signatures: NDArray[np.uint64]) -> NDArray[np.uint64]:
    distinct, n = np.unique(signatures, return_counts=True)
    return np.asarray(distinct[n == 1])


def _signatures(rows: RowSet) -> NDArray[np.uint64]:
    """A number for each post that depends on its criteria, scores and labels, not on their order."""
    queries = rows.queries
    names = [*(str(name) for name in queries.criterion_ids), ""]  # the last one for the code −1
    of_criterion = np.array(
        [int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest()) for name in names], np.uint64
    )
    label = queries.has_evidence.astype(np.uint64)
    mixed = _mixed(of_criterion[queries.criterion] + label)
    of_row = _mixed((queries.score + 0.0).view(np.uint64) ^ mixed)
    posts, at = np.unique(queries.post, return_inverse=True)
    signature = np.zeros(len(posts), np.uint64)
    np.add.at(signature, at, of_row)
    return signature


def _mixed(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Bits spread over the whole word (the finaliser of SplitMix64), so that sums of them do not coincide."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))
