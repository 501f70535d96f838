"""By what test rows are known again: digests under a secret salt, from which nothing of the data follows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalcore.data import Data, Queries
from evalcore.splits import only_split, test_split

SKETCH = 64
"""Positives by which rows are known again, the ones with the smallest digests."""


@dataclass(frozen=True)
class RowMarks:
    """Two kinds of digest of the same rows.

    Parameters
    ----------
    sketch : of the smallest `SKETCH` digests of the positives' post and criterion; empty where rows name no
        posts. The same whatever the model, its scores, the name of the file, the order of rows and columns;
        nearly the same when a few rows, or one criterion of several, are left out.
    contents : of each model, a digest over the sorted labels and scores: the same whatever posts and criteria
        are called.
    """

    sketch: frozenset[int]
    contents: frozenset[bytes]

    def is_same(self, other: RowMarks) -> bool:
        """Whether both are of the same rows, as far as the digests can tell.

        They are when a model's labels and scores are the same, or when at least half of all positives are
        shared.
        """
        if not self.contents.isdisjoint(other.contents):
            return True
        smallest = sorted(self.sketch | other.sketch)[:SKETCH]
        n_shared = len(self.sketch & other.sketch & frozenset(smallest))
        return bool(smallest) and 2 * n_shared >= len(smallest)


def marks_of_test_rows(data: Data, *, salt: bytes) -> RowMarks | None:
    """The marks of the test rows; None where the data have none, or no labels and scores.

    Parameters
    ----------
    data : checked data.
    salt : secret, 16 to 64 bytes: without it nobody can find out by trying which rows a digest is of.
    """
    split = test_split(data)
    if split is None or data.queries is None:
        return None
    queries = only_split(data, split).queries
    if queries is None or not len(queries):
        return None
    return RowMarks(_sketch(queries, salt), _contents(queries, salt))


def _sketch(queries: Queries, salt: bytes) -> frozenset[int]:
    if not queries.has_posts:
        return frozenset()
    is_positive = queries.has_evidence
    posts, at = np.unique(queries.post[is_positive], return_inverse=True)
    of_post = _digests((str(queries.post_ids[code]) for code in posts), salt)
    of_criterion = _digests([*map(str, queries.criterion_ids), ""], salt)  # the last for the code −1
    rows = np.unique(_mixed(of_post[at] ^ _mixed(of_criterion[queries.criterion[is_positive]])))
    return frozenset(rows[:SKETCH].tolist())


def _contents(queries: Queries, salt: bytes) -> frozenset[bytes]:
    found = set()
    for code in np.unique(queries.model):
        of_model = queries.model == code
        label, score = queries.has_evidence[of_model], queries.score[of_model] + 0.0
        order = np.lexsort((label, score))
        digest = hashlib.blake2b(key=salt, digest_size=16)
        digest.update(np.ascontiguousarray(score[order]).tobytes())
        digest.update(np.ascontiguousarray(label[order]).tobytes())
        found.add(digest.digest())
    return frozenset(found)


def _digests(names: Iterable[str], salt: bytes) -> NDArray[np.uint64]:
    of_names = (hashlib.blake2b(name.encode(), key=salt, digest_size=8).digest() for name in names)
    return np.frombuffer(b"".join(of_names), np.uint64)


def _mixed(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Bits spread over the whole word (the finaliser of SplitMix64)."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(bits ^ (bits >> np.uint64(31)))
