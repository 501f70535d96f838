"""Rows whose posts and units are named by a hash of their ids, so that those of parts can be put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from evalcore.rows import in_blocks, looked_up, taken
from evalcore.tallies import flaws
from evalcore.tallies.flaws import Flaws
from evalcore.tallies.levels import Codes, Column, merged_columns, narrowed, ordered_levels

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Units:
    """The unit of each row.

    Parameters
    ----------
    code : int codes, shape (N,), into ``hashed``, of four bytes where that is enough.
    hashed : uint64, shape (P,), from the units' ids.
    word : what they are: ``posts``, ``rows``, or the name of a column.
    """

    code: Codes
    hashed: NDArray[np.uint64]
    word: str

    def where(self, mask: Mask) -> Units:
        """The units of the rows of a mask."""
        return self.take(np.flatnonzero(mask))

    def take(self, at: Codes) -> Units:
        """The units of the rows at these places, in their order."""
        return Units(self.code.take(at), self.hashed, self.word)

    def merge(self, *others: Units) -> Units:
        """The units of these rows followed by those of others, by ascending hash; one hash is one unit."""
        parts = (self, *others)
        hashed, code = np.unique(np.concatenate([one.hashed for one in parts]), return_inverse=True)
        ends = np.cumsum([len(one) for one in parts])
        of_part = np.split(four_bytes(code, len(hashed)), ends[:-1])
        rows = looked_up(*((own, one.code) for own, one in zip(of_part, parts, strict=True)))
        words = {one.word for one in parts}
        word = self.word if len(words) == 1 else "rows"  # as of posts and rows read together
        return Units(rows, hashed, word)

    def present(self) -> tuple[Units, Codes]:
        """The units that have a row, numbered anew, and the code that each had before."""
        if len(self.code) and self._are_all_in_order():
            return self, np.arange(len(self))
        is_used = np.zeros(len(self), bool)
        for block in in_blocks(len(self.code)):
            is_used[self.code[block].astype(np.intp, copy=False)] = True  # few bytes take twice as long
        if is_used.all():
            return self, np.arange(len(self))
        code = looked_up((four_bytes(np.cumsum(is_used) - 1, len(self)), self.code))
        return Units(code, self.hashed[is_used], self.word), np.flatnonzero(is_used)

    def _are_all_in_order(self) -> bool:
        """Whether each unit has a row and the rows stand by unit, as most do once they are in order."""
        before, after = self.code[:-1], self.code[1:]
        is_other = after != before
        return np.count_nonzero(is_other) + 1 == len(self) and bool((after >= before).all())

    def ordered(self) -> Units:
        """The units that have a row by ascending hash, each hash once."""
        present = self.present()[0]
        if (present.hashed[1:] > present.hashed[:-1]).all():
            return Units(four_bytes(present.code, len(present)), present.hashed, self.word)
        hashed, code = np.unique(present.hashed, return_inverse=True)
        return Units(looked_up((four_bytes(code, len(hashed)), present.code)), hashed, self.word)

    def flaws(self, n: int) -> Flaws:
        """What does not agree in the units of ``n`` rows."""
        yield from flaws.hashes("hashed", self.hashed)
        yield from flaws.codes("code", self.code, n, len(self.hashed))

    def __len__(self) -> int:
        return len(self.hashed)


def four_bytes(code: Codes, n_levels: int) -> Codes:
    """Codes of four bytes, where that is enough."""
    kind: np.dtype[Any] = np.dtype(np.int32 if n_levels < np.iinfo(np.int32).max else np.int64)
    return code.astype(kind, copy=False)


@dataclass(frozen=True, eq=False, kw_only=True)
class UnitRows:
    """What scored rows and ranked queries have alike; N of them.

    Parameters
    ----------
    posts : the post of each.
    drawn_by : what each is drawn with where that is not its post.
    criterion, criterion_ids : as of `evalcore.data.Queries`.
    slices : the columns that are broken down by.
    has_posts : False where every row had to be taken as its own post.
    """

    posts: Units
    drawn_by: Units | None
    criterion: Codes
    criterion_ids: NDArray[np.object_]
    slices: Mapping[str, Column]
    has_posts: bool

    def __len__(self) -> int:
        return len(self.criterion)

    @property
    def units(self) -> Units:
        """What each is drawn with."""
        return self.posts if self.drawn_by is None else self.drawn_by

    @property
    def post(self) -> Codes:
        """The post of each, codes into ``post_ids``."""
        return self.posts.code

    @property
    def post_ids(self) -> NDArray[np.uint64]:
        """The hash of each post's id."""
        return self.posts.hashed

    def query_key(self) -> NDArray[np.int64]:
        """The query of each: its post and criterion as one number."""
        key = self.post.astype(np.int64)
        key *= len(self.criterion_ids) + 1
        key += self.criterion
        key += 1
        return key

    def where(self, mask: Mask) -> Self:
        """Those of a mask; codes and levels stay as they are."""
        return self.take(np.flatnonzero(mask))

    def take(self, at: Codes) -> Self:
        """Those at these places, in their order."""
        return taken(
            self,
            ("criterion", "slices"),
            at,
            posts=self.posts.take(at),
            drawn_by=None if self.drawn_by is None else self.drawn_by.take(at),
        )

    def merge(self, *others: Self) -> Self:
        """These followed by those of other parts of the input."""
        parts = (self, *others)
        criterion, criteria = merged_columns(*map(_criteria, parts))
        is_drawn = any(one.drawn_by is not None for one in parts)
        return replace(
            self,
            posts=self.posts.merge(*(one.posts for one in others)),
            drawn_by=self.units.merge(*(one.units for one in others)) if is_drawn else None,
            criterion=criterion,
            criterion_ids=np.array(criteria, object),
            slices=_merged_slices(parts),
            has_posts=all(one.has_posts for one in parts),
        )

    def named_in_order(self) -> Self:
        """The same with units and levels in the one order that all parts together have."""
        criterion, criteria = narrowed(ordered_levels(_criteria(self)))
        return replace(
            self,
            posts=self.posts.ordered(),
            drawn_by=None if self.drawn_by is None else self.drawn_by.ordered(),
            criterion=criterion,
            criterion_ids=np.array(criteria, object),
            slices={name: narrowed(ordered_levels(column)) for name, column in self.slices.items()},
        )

    def flaws_of_units(self) -> Flaws:
        """What does not agree in units, criteria and columns."""
        n = len(self)
        yield from flaws.within("posts", self.posts.flaws(n))
        if self.drawn_by is not None:
            yield from flaws.within("drawn_by", self.drawn_by.flaws(n))
        yield from flaws.levels("criterion_ids", self.criterion_ids)
        yield from flaws.codes("criterion", self.criterion, n, len(self.criterion_ids), may_lack=True)
        yield from flaws.columns("slices", self.slices, n)


def _criteria(rows: UnitRows) -> Column:
    """The criteria as a column like others."""
    return rows.criterion, tuple(map(str, rows.criterion_ids))


def _merged_slices(parts: Sequence[UnitRows]) -> dict[str, Column]:
    """The columns of all of them; a row of a part that lacks one has no value in it."""
    names = dict.fromkeys(chain(*(one.slices for one in parts)))
    return {
        name: merged_columns(*(one.slices.get(name) or _no_values(one) for one in parts)) for name in names
    }


def _no_values(part: UnitRows) -> Column:
    return np.full(len(part), -1), ()
