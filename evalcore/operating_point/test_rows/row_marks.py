"""By what rows are known again: digests under a secret salt, from which nothing of the data follows."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from evalcore.data import Data, Queries
from evalcore.operating_point.test_rows.site_rows import tallies_of
from evalcore.splits import SPLIT, only_split, test_split
from evalcore.tallies.grid import EVERYTHING, GridScores
from evalcore.tallies.grid.cell import GridCell

SKETCH = 2_048
"""Digests of a kind that are kept, the smallest ones: of two sets of rows the same are kept."""
SHARE = 0.2
"""Of rows that must be shared, beyond what chance gives."""
SIGMAS = 4.0
COARSE, FINE = 3, 5
"""Significant digits of a score."""
BLOCK = 1 << 15
"""Rows at a time: few enough for the processor's cache."""

Marks = NDArray[np.uint32]


@dataclass(frozen=True)
class ScoreMarks:
    """Digests of labels and rounded scores, ascending, and how often rows share one.

    Parameters
    ----------
    marks : of the smallest `SKETCH` digests.
    n_rows, n_shared : how many rows there are, and how many of them have the digest of another one.
    """

    marks: Marks
    n_rows: int
    n_shared: int

    def share_in(self, other: ScoreMarks) -> float:
        """The share of these digests that is among the other ones, beyond chance; from 0 to 1.

        By chance a row has the digest of one of as many other rows as often as within these rows, and of
        more rows at most as many times as often as they are more.
        """
        n, n_found = _found(self.marks, other.marks)
        if n == 0:
            return 0.0
        chance = max(1.0, other.n_rows / self.n_rows) * (self.n_shared + 2) / self.n_rows
        return _beyond(n_found / n, chance, n)


@dataclass(frozen=True)
class RowMarks:
    """Three kinds of digest of the same rows.

    Parameters
    ----------
    rows : of the smallest `SKETCH` digests of post and criterion, ascending, each with the label in its last
        bit; empty where rows name no posts. The same whatever the model, its scores, the name of the file,
        the order of rows and columns.
    scores : with the label and criterion and three digits of the score, and with the label and five digits:
        the same whatever posts (and, of the second, criteria) are called.
    contents : of each model, a digest over all labels and scores as they are.
    """

    rows: Marks
    scores: tuple[ScoreMarks, ScoreMarks]
    contents: frozenset[bytes]

    @cached_property
    def key(self) -> bytes:
        """Names the rows: the same for the same digests."""
        parts = [self.rows.tobytes(), *(one.marks.tobytes() for one in self.scores), *sorted(self.contents)]
        return hashlib.blake2b(b"|".join(parts), digest_size=16).digest()

    def is_among(self, other: RowMarks) -> bool:
        """Whether a fifth of these rows or more is among the other ones, as far as the digests can tell.

        They are when a model's labels and scores are the same; when that many posts with their criterion are
        there, beyond the labels that agree by chance (files that merely call their posts alike); or when that
        many labels with rounded scores are, beyond chance.
        """
        if not self.contents.isdisjoint(other.contents) or self._named_share(other) >= SHARE:
            return True
        pairs = zip(self.scores, other.scores, strict=True)
        return any(mine.share_in(theirs) >= SHARE for mine, theirs in pairs)

    def _named_share(self, other: RowMarks) -> float:
        """The share of the rows' names that are there, times Cohen's kappa of their labels."""
        mine, theirs = _comparable(self.rows, other.rows)
        _, at_mine, at_theirs = np.intersect1d(mine >> 1, theirs >> 1, return_indices=True)
        n = len(at_mine)
        if n == 0:
            return 0.0
        label, other_label = mine[at_mine] & 1, theirs[at_theirs] & 1
        p, q = float(label.mean()), float(other_label.mean())
        chance = p * q + (1 - p) * (1 - q)
        if chance == 1.0:  # every label is the same: nothing tells names alike from rows alike
            return n / len(mine)
        return n / len(mine) * _beyond(float((label == other_label).mean()), chance, n)


def marks_of_test_rows(data: Data, *, salt: bytes) -> RowMarks | None:
    """The marks of the test rows; None where the data have none, or no labels and scores.

    Parameters
    ----------
    data : checked data.
    salt : secret, 16 to 64 bytes: without it nobody can find out by trying which rows a digest is of.
    """
    split, tallies = test_split(data), tallies_of(data)
    if split is not None and tallies is not None:
        return _marks_of_tallies(tallies, [split], salt)
    if split is None or data.queries is None:
        return None
    return _marks(only_split(data, split).queries, salt)


def marks_of_other_rows(data: Data, *, salt: bytes) -> RowMarks | None:
    """The marks of all rows that are not test rows; None where there are none. Parameters as above."""
    queries, split, tallies = data.queries, test_split(data), tallies_of(data)
    if tallies is not None:
        others = [level for level in tallies.levels(SPLIT) if level != split]
        return _marks_of_tallies(tallies, others if split is not None else None, salt)
    if queries is not None and split is not None and "split" in queries.slices:
        codes, levels = queries.slices["split"]
        if split in levels:
            queries = queries.where(codes != levels.index(split))
    return _marks(queries, salt)


def _marks_of_tallies(scores: GridScores, splits: Sequence[str] | None, salt: bytes) -> RowMarks | None:
    """The marks of some splits, or of all rows: tallies are known again as a whole alone, and not as rows."""
    groups = [EVERYTHING] if splits is None else [(SPLIT, split) for split in splits]
    cells = [scores.of_groups[group] for group in groups if group in scores.of_groups]
    if not cells:
        return None
    of_rows = reduce(GridCell.merge, cells)
    digest = hashlib.blake2b(str(scores.n_points).encode(), key=salt, digest_size=16)
    for array in (of_rows.points, of_rows.sums["pos"], of_rows.sums["rows"]):
        digest.update(np.ascontiguousarray(array, np.int64).data)
    none = ScoreMarks(np.empty(0, np.uint32), 0, 0)
    return RowMarks(np.empty(0, np.uint32), (none, none), frozenset([digest.digest()]))


def _marks(queries: Queries | None, salt: bytes) -> RowMarks | None:
    """The marks of rows, a block at a time: what is made of a row by the way takes much memory."""
    if queries is None or not len(queries):
        return None
    of_criterion = _digests(np.append(queries.criterion_ids, ""), salt)  # the last for −1
    of_post = _digests(queries.post_ids, salt) if queries.has_posts else None
    of_label, of_model = _digests(np.asarray(["label", "model"], np.object_), salt)
    n = len(queries)
    named, coarse, fine = np.empty(0 if of_post is None else n, np.uint32), *np.empty((2, n), np.uint32)
    contents: dict[int, NDArray[np.uint64]] = {}
    for start in range(0, n, BLOCK):
        at = slice(start, start + BLOCK)
        label, score = queries.has_evidence[at].astype(np.uint64), queries.score[at]
        criterion, labelled = of_criterion[queries.criterion[at]], _mixed(of_label + label)
        if of_post is not None:
            names = _mixed(of_post[queries.post[at]] ^ _mixed(criterion))
            named[at] = names >> np.uint64(33) << np.uint64(1) | label
        coarse[at] = _mixed(_rounded(score, COARSE) ^ labelled ^ criterion) >> np.uint64(32)
        fine[at] = _mixed(_rounded(score, FINE) ^ labelled) >> np.uint64(32)
        whole, model = _mixed((score + 0.0).view(np.uint64) ^ of_model ^ labelled), queries.model[at]
        for code in np.unique(model).tolist():
            of_rows = whole[model == code]
            sums = np.asarray([of_rows.sum(), _mixed(of_rows).sum(), len(of_rows)], np.uint64)
            contents[code] = contents.get(code, np.zeros(3, np.uint64)) + sums
    named.sort()
    # Of each model the sum of its rows' digests, which does not depend on their order.
    digests = (hashlib.blake2b(sums.tobytes(), digest_size=16).digest() for sums in contents.values())
    return RowMarks(
        _distinct(named)[:SKETCH].copy(), (_score_marks(coarse), _score_marks(fine)), frozenset(digests)
    )


def _distinct(marks: Marks) -> Marks:
    """Ascending marks, each once."""
    is_new = np.ones(len(marks), bool)
    np.not_equal(marks[1:], marks[:-1], out=is_new[1:])
    return marks[is_new]


def _score_marks(marks: Marks) -> ScoreMarks:
    marks.sort()
    is_new = np.append(True, marks[1:] != marks[:-1])
    is_last = np.append(is_new[1:], True)
    n_alone = int(np.count_nonzero(is_new & is_last))
    return ScoreMarks(marks[is_new][:SKETCH].copy(), len(marks), len(marks) - n_alone)


def _rounded(score: NDArray[np.float64], digits: int) -> NDArray[np.uint64]:
    """A score with so many significant digits, as bits."""
    size = np.abs(score)
    with np.errstate(divide="ignore"):
        power = np.where(size > 0, np.floor(np.log10(size)), 0.0)
    power = np.clip(power, -290, 290)
    mantissa = np.rint(score * 10.0 ** (digits - 1 - power))
    return np.asarray(
        _mixed(mantissa.astype(np.int64).view(np.uint64)) + power.astype(np.int64).view(np.uint64)
    )


def _comparable(one: Marks, other: Marks) -> tuple[Marks, Marks]:
    """Both up to the digest from which on one of them may have left out some."""
    ends = [marks[-1] for marks in (one, other) if len(marks) == SKETCH]
    if not ends:
        return one, other
    end = min(ends)
    return one[: np.searchsorted(one, end, "right")], other[: np.searchsorted(other, end, "right")]


def _found(marks: Marks, among: Marks) -> tuple[int, int]:
    """How many digests can be looked up, and how many of them are there."""
    marks, among = _comparable(marks, among)
    return len(marks), len(np.intersect1d(marks, among, assume_unique=True))


def _beyond(share: float, chance: float, n: int) -> float:
    """A share of n beyond the one by chance, from 0 to 1; 0 where chance alone may well give it."""
    if chance >= 1 or (share - chance) * sqrt(n) < SIGMAS * sqrt(max(chance, 1 / n) * (1 - chance)):
        return 0.0
    return (share - chance) / (1 - chance)


def _digests(names: NDArray[np.object_], salt: bytes) -> NDArray[np.uint64]:
    """SipHash of each name under a key from the salt."""
    from pandas.util import hash_array

    key = hashlib.blake2b(key=salt, digest_size=8).hexdigest()
    return np.asarray(hash_array(np.asarray(names, np.object_), hash_key=key, categorize=False))


def _mixed(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Bits spread over the whole word (the finaliser of SplitMix64)."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(bits ^ (bits >> np.uint64(31)))
