"""Ids that two kinds of files write otherwise, where their rows are never in memory together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evalcore.drawn.weights import hashes
from evalcore.problems import SHOWN, Findings
from evalcore.readers.columns.ids import Keys, plain_spelling
from evalcore.readers.evidence.naming.spelling import report_apart

Hashes = NDArray[np.uint64]
Levels = NDArray[np.object_]


class Held(NamedTuple):
    """Ids by their hashes, ascending, with the hash of the spelling that those have alike that may be meant
    as one; shape (N,) each."""

    id: Hashes
    plain: Hashes


NONE = Held(np.zeros(0, np.uint64), np.zeros(0, np.uint64))


@dataclass
class Spelled:
    """The posts and criteria that each kind of file names: 16 bytes for each, and no text."""

    _held: dict[tuple[str, int], Held] = field(default_factory=dict)

    def add(self, kind: int, keys: Keys, posts: Hashes) -> None:
        """Take in the ids of some rows.

        Parameters
        ----------
        kind : of the file.
        keys : of the rows.
        posts : hashes of the levels of their posts.
        """
        if not keys.has_ids:
            return
        self._add(("post", kind), keys.post.levels, posts)
        if keys.criterion is not None:
            self._add(("criterion", kind), keys.criterion.levels, hashes(keys.criterion.levels))

    def _add(self, of: tuple[str, int], levels: Levels, hashed: Hashes) -> None:
        known = self._held.get(of, NONE)
        new = np.flatnonzero(~np.isin(hashed, known.id))
        if not len(new):
            return
        every = np.concatenate([known.id, hashed[new]])
        plain = np.concatenate([known.plain, hashes(plain_spelling(levels[new]))])
        order = np.argsort(every, kind="stable")
        self._held[of] = Held(every[order], plain[order])

    def report(
        self,
        names: Mapping[int, str],
        texts: Callable[[int, str], Iterable[Levels]],
        findings: Findings,
    ) -> None:
        """As `evalcore.readers.evidence.naming.spelling.check_spelling`, of two kinds of files.

        Parameters
        ----------
        names : kind → its files.
        texts : reads the levels of a kind's posts or criteria again, for their texts.
        findings : gets QRY-310, or QRY-007 where few ids are written otherwise.
        """
        for role in ("post", "criterion"):
            if (role, 0) not in self._held or (role, 1) not in self._held:
                continue
            here, there = self._held[role, 0], self._held[role, 1]
            apart = _apart(here, there)
            if not len(apart[0]):
                continue
            n_own = min(
                len(np.setdiff1d(one.id, other.id, assume_unique=True))
                for one, other in ((here, there), (there, here))
            )
            written = [_texts_of(own[:SHOWN], texts(kind, role)) for kind, own in enumerate(apart)]
            pairs = list(zip(*written, strict=True))
            report_apart((names[0], names[1]), pairs, len(apart[0]), n_own, findings)


def _apart(here: Held, there: Held) -> tuple[Hashes, Hashes]:
    """Ids of which each side has one of those that may be meant as one, and the other another."""
    ours, theirs = _alone(here), _alone(there)
    _, at, other = np.intersect1d(ours.plain, theirs.plain, assume_unique=True, return_indices=True)
    differ = ours.id[at] != theirs.id[other]
    return ours.id[at][differ], theirs.id[other][differ]


def _alone(held: Held) -> Held:
    """The ids like which there is no other."""
    _, first, n = np.unique(held.plain, return_index=True, return_counts=True)
    return Held(held.id[first[n == 1]], held.plain[first[n == 1]])


def _texts_of(wanted: Hashes, levels: Iterable[Levels]) -> list[str]:
    """The texts of some hashed ids, in their order."""
    found: dict[int, str] = {}
    for some in levels:
        hashed = hashes(some)
        for at in np.flatnonzero(np.isin(hashed, wanted)).tolist():
            found[int(hashed[at])] = str(some[at])
        if len(found) == len(wanted):
            break
    return [found[int(one)] for one in wanted]
