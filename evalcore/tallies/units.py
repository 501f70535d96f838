"""Rows whose posts and units are named by a hash of their ids, so that those of parts can be put together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import NDArray

from evalcore.data import Data, Queries
from evalcore.problems import Problem, problem
from evalcore.rows import Room, in_blocks, looked_up, order_of, stacked, taken
from evalcore.settings import Settings
from evalcore.tallies import flaws
from evalcore.tallies.flaws import Flaws, kept_as
from evalcore.tallies.levels import Codes, Column, merged_columns, narrowed, ordered_levels, reordered

Mask = NDArray[np.bool_]
NUMBERS = ("tau_neg", "tau_pos", "selected_k", "n_candidates")
"""Columns of numbers that values rest on."""


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


@kept_as("queries")
@dataclass(frozen=True, eq=False, kw_only=True)
class UnitScores(UnitRows):
    """Scored rows of all models: one row per post, criterion and model.

    Parameters
    ----------
    has_evidence, score, model, models : as of `evalcore.data.Queries`, shape (N,).
    numbers : the file's own thresholds, numbers selected and lengths of lists, NaN where a row has none.
    first_row : int64, shape (M,), the data row in which each model is first named.
    """

    is_of_rows: ClassVar[bool] = True

    has_evidence: Mask
    score: NDArray[np.float64]
    model: Codes
    models: tuple[str, ...]
    numbers: Mapping[str, NDArray[np.float64]]
    first_row: NDArray[np.int64]

    def take(self, at: Codes) -> UnitScores:
        """The rows at these places, in their order."""
        return taken(super().take(at), ("has_evidence", "score", "model", "numbers"), at)

    def moved(self, room: Room) -> UnitScores:
        """The same rows in a room, behind those that are in it, with which they merge without a copy."""
        return replace(
            self,
            has_evidence=room.moved("has_evidence", self.has_evidence),
            score=room.moved("score", self.score),
        )

    def merge(self, *others: UnitScores) -> UnitScores:
        """These rows followed by those of other parts of the input."""
        parts = (self, *others)
        model, models = merged_columns(*((one.model, one.models) for one in parts))
        first_row = np.full(len(models), np.iinfo(np.int64).max)
        for part in parts:
            at = [models.index(name) for name in part.models]
            first_row[at] = np.minimum(first_row[at], part.first_row)
        if any(one.models != models for one in parts):
            order = np.argsort(first_row, kind="stable")
            model, models = reordered((model, models), order.tolist())
            first_row = first_row[order]
        return replace(
            super().merge(*others),
            has_evidence=stacked([one.has_evidence for one in parts]),
            score=stacked([one.score for one in parts]),
            model=model,
            models=models,
            numbers={
                name: np.concatenate([_numbers(one, name) for one in parts])
                for name in dict.fromkeys(chain(*(one.numbers for one in parts)))
            },
            first_row=first_row,
        )

    def ordered(self) -> UnitScores:
        """The same rows with units, posts, levels and models in the one order that all parts together have.

        The rows stand as they come: no value depends on their order, which takes as much memory as they do.
        """
        return replace(self.named_in_order(), model=narrowed((self.model, self.models))[0])

    def in_order(self) -> UnitScores:
        """The rows by post, criterion and model."""
        return self.take(order_of(self._key()))

    def _key(self) -> NDArray[np.int64]:
        """The query and model of each as one number."""
        key = self.query_key()
        if len(self.models) > 1:
            key *= len(self.models)
            key += self.model
        return key

    def torn(self) -> Iterator[Problem]:
        """What parts both hold: queries that a model has twice, and those with two labels."""
        if not self._is_torn():
            return
        rows = self.in_order()
        same_query = _as_before(rows.post) & _as_before(rows.criterion)
        n_repeated = int(np.count_nonzero(same_query & _as_before(rows.model)))
        n_unlike = int(np.count_nonzero(same_query & ~_as_before(rows.has_evidence)))
        if n_repeated:
            yield problem("QRY-242", n=n_repeated)
        if n_unlike:
            yield problem("QRY-241", n=n_unlike)

    def _is_torn(self) -> bool:
        key = self._key()
        key.sort()
        if _as_before(key).any() or len(self.models) == 1:
            return bool(_as_before(key).any())
        labelled = 2 * self.query_key() + self.has_evidence
        labelled.sort()
        return bool((_as_before(labelled // 2) & ~_as_before(labelled)).any())

    def flaws(self, data: Data) -> Flaws:
        """What does not agree in rows that were opened; ``data`` is what is known of the input."""
        n, high = len(self), 1 if data.score_kind == "probability" else np.inf
        yield from self.flaws_of_units()
        yield from flaws.flags("has_evidence", self.has_evidence, n)
        yield from flaws.numbers("score", self.score, n, low=0 if high == 1 else -np.inf, high=high)
        yield from flaws.levels("models", self.models)
        yield from flaws.codes("model", self.model, n, len(self.models))
        yield from flaws.rows("first_row", self.first_row, len(self.models))
        yield from flaws.unless(set(self.numbers) <= set(NUMBERS), "numbers", "others", f"some of {NUMBERS}")
        wrong = [
            flaw
            for name, values in self.numbers.items()
            for flaw in flaws.numbers(f"numbers/{name}", values, n, may_lack=True)
        ]
        yield from wrong
        if not wrong:
            yield from _flaws_of_numbers(self.numbers)

    def shown(self, _: object) -> dict[str, Queries]:
        """What stands for the queries in an opened report: as many rows, hashes as the ids of posts."""
        rows = self.in_order()
        return {
            "queries": Queries(
                post=rows.post,
                post_ids=cast("NDArray[np.object_]", rows.post_ids),
                criterion=rows.criterion,
                criterion_ids=rows.criterion_ids,
                has_evidence=rows.has_evidence,
                score=rows.score,
                model=rows.model,
                models=rows.models,
                slices=rows.slices,
                numbers=rows.numbers,
                row=np.arange(1, len(rows) + 1),
                has_posts=rows.has_posts,
                has_ids=False,
            )
        }


def _flaws_of_numbers(numbers: Mapping[str, NDArray[np.float64]]) -> Flaws:
    """Counts that are none, and thresholds that are not in their order."""
    most = Settings.read().max_rows
    for name in ("selected_k", "n_candidates"):
        stated = numbers.get(name, np.zeros(0))
        stated = stated[~np.isnan(stated)]
        is_count = (stated >= 0) & (stated <= most) & (stated == np.floor(stated))
        yield from flaws.unless(is_count.all(), f"numbers/{name}", "another number", "counts")
    if {"tau_neg", "tau_pos"} <= set(numbers):
        is_turned = (numbers["tau_neg"] > numbers["tau_pos"]).any()
        yield from flaws.unless(
            not is_turned, "numbers/tau_neg", "a threshold above tau_pos", "tau_neg ≤ tau_pos"
        )


def _numbers(part: UnitScores, name: str) -> NDArray[np.float64]:
    found = part.numbers.get(name)
    return np.full(len(part), np.nan) if found is None else found


def _as_before(column: NDArray[Any]) -> Mask:
    """Whether each row but the first has the value of the row before it."""
    return np.asarray(column[1:] == column[:-1])


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
