"""Rows whose posts and units are named by a hash of their ids, so that those of parts can be put together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalcore.problems import Problem, problem
from evalcore.tallies.ranked import RankedQueries
from evalcore.tallies.scores import ScoredRows
from evalcore.tallies.selections import ScoredLists

Codes = NDArray[np.intp]
Mask = NDArray[np.bool_]
Column = tuple[Codes, tuple[str, ...]]
"""Codes, −1 where a row has no value, and the levels as text."""


@dataclass(frozen=True, eq=False)
class Units:
    """The unit of each row.

    Parameters
    ----------
    code : int codes, shape (N,), into ``hashed``.
    hashed : uint64, shape (P,), from the units' ids.
    word : what they are: ``posts``, ``rows``, or the name of a column.
    """

    code: NDArray[np.intp]
    hashed: NDArray[np.uint64]
    word: str

    def where(self, mask: Mask) -> Units:
        """The units of the rows of a mask."""
        return self.take(np.flatnonzero(mask))

    def take(self, at: Codes) -> Units:
        """The units of the rows at these places, in their order."""
        return Units(self.code[at], self.hashed, self.word)

    def merge(self, other: Units) -> Units:
        """The units of these rows followed by those of others, by ascending hash; one hash is one unit."""
        hashed, code = np.unique(np.concatenate([self.hashed, other.hashed]), return_inverse=True)
        own, others = np.split(code, [len(self)])
        word = self.word if self.word == other.word else "rows"  # as of posts and rows read together
        return Units(np.concatenate([own[self.code], others[other.code]]), hashed, word)

    def present(self) -> tuple[Units, Codes]:
        """The units that have a row, numbered anew, and the code that each had before."""
        is_used = np.zeros(len(self), bool)
        is_used[self.code] = True
        code = (np.cumsum(is_used) - 1)[self.code]
        return Units(code, self.hashed[is_used], self.word), np.flatnonzero(is_used)

    def ordered(self) -> Units:
        """The units that have a row by ascending hash, each hash once."""
        present = self.present()[0]
        hashed, code = np.unique(present.hashed, return_inverse=True)
        return Units(code[present.code], hashed, self.word)

    def __len__(self) -> int:
        return len(self.hashed)


@dataclass(frozen=True, eq=False)
class UnitScores:
    """Scored rows of all models: one row per post, criterion and model.

    Parameters
    ----------
    posts : the post of each of N rows.
    drawn_by : what each row is drawn with where that is not its post.
    criterion, criterion_ids, has_evidence, score, model, models : as of `evalcore.data.Queries`.
    slices : the columns that are broken down by.
    numbers : the file's own thresholds, numbers selected and lengths of lists, NaN where a row has none.
    first_row : int64, shape (M,), the data row in which each model is first named.
    has_posts : False where every row had to be taken as its own post.
    """

    posts: Units
    drawn_by: Units | None
    criterion: Codes
    criterion_ids: NDArray[np.object_]
    has_evidence: Mask
    score: NDArray[np.float64]
    model: Codes
    models: tuple[str, ...]
    slices: Mapping[str, Column]
    numbers: Mapping[str, NDArray[np.float64]]
    first_row: NDArray[np.int64]
    has_posts: bool

    def __len__(self) -> int:
        return len(self.score)

    @property
    def units(self) -> Units:
        """What each row is drawn with."""
        return self.posts if self.drawn_by is None else self.drawn_by

    @property
    def post(self) -> Codes:
        """The post of each row, codes into ``post_ids``."""
        return self.posts.code

    @property
    def post_ids(self) -> NDArray[np.uint64]:
        """The hash of each post's id."""
        return self.posts.hashed

    def where(self, mask: Mask) -> UnitScores:
        """The rows of a mask; codes and levels stay as they are."""
        return self.take(np.flatnonzero(mask))

    def take(self, at: Codes) -> UnitScores:
        """The rows at these places, in their order."""
        return UnitScores(
            self.posts.take(at),
            None if self.drawn_by is None else self.drawn_by.take(at),
            self.criterion[at],
            self.criterion_ids,
            self.has_evidence[at],
            self.score[at],
            self.model[at],
            self.models,
            {name: (codes[at], levels) for name, (codes, levels) in self.slices.items()},
            {name: values[at] for name, values in self.numbers.items()},
            self.first_row,
            self.has_posts,
        )

    def merge(self, other: UnitScores) -> UnitScores:
        """These rows followed by those of another part of the input."""
        criterion, criteria = _merged_columns(_criteria(self), _criteria(other))
        model, models = _merged_columns((self.model, self.models), (other.model, other.models))
        first_row = np.full(len(models), np.iinfo(np.int64).max)
        for part in (self, other):
            at = [models.index(name) for name in part.models]
            first_row[at] = np.minimum(first_row[at], part.first_row)
        if self.models != other.models:
            order = np.argsort(first_row, kind="stable")
            model, models = _reordered((model, models), order.tolist())
            first_row = first_row[order]
        return UnitScores(
            self.posts.merge(other.posts),
            _both_drawn(self, other),
            criterion,
            np.array(criteria, object),
            np.concatenate([self.has_evidence, other.has_evidence]),
            np.concatenate([self.score, other.score]),
            model,
            models,
            _merged_slices(self, other),
            {
                name: np.concatenate([_numbers(self, name), _numbers(other, name)])
                for name in {**self.numbers, **other.numbers}
            },
            first_row,
            self.has_posts and other.has_posts,
        )

    def ordered(self) -> UnitScores:
        """The same rows in the one order that all parts together have: units, posts, levels, models."""
        criterion, criteria = _ordered(_criteria(self))
        found = UnitScores(
            self.posts.ordered(),
            None if self.drawn_by is None else self.drawn_by.ordered(),
            criterion,
            np.array(criteria, object),
            self.has_evidence,
            self.score,
            self.model,
            self.models,
            {name: _ordered(column) for name, column in self.slices.items()},
            self.numbers,
            self.first_row,
            self.has_posts,
        )
        return found.take(np.argsort(query_key(found) * len(self.models) + self.model, kind="stable"))

    def torn(self) -> Iterator[Problem]:
        """Of rows in their one order: queries that a model has twice, and those with two labels."""
        same_query = np.diff(query_key(self)) == 0
        n_repeated = int(np.count_nonzero(same_query & (np.diff(self.model) == 0)))
        n_unlike = int(np.count_nonzero(same_query & (self.has_evidence[1:] != self.has_evidence[:-1])))
        if n_repeated:
            yield problem("QRY-242", n=n_repeated)
        if n_unlike:
            yield problem("QRY-241", n=n_unlike)


@dataclass(frozen=True, eq=False)
class UnitList:
    """The lists of one model for Q queries.

    Parameters
    ----------
    ranked : the golds by their places, ties as asked for.
    one_order : the same with every tie in an order, for what is selected from a list; None where not needed.
    pairs : scored candidates, the query of each as its post; None for lists without scores.
    scored : the candidates best first, for a policy; None where none was asked for.
    """

    ranked: RankedQueries
    one_order: RankedQueries | None
    pairs: ScoredRows | None
    scored: ScoredLists | None

    def merge(self, other: UnitList) -> UnitList:
        """The lists of these queries followed by those of another part."""
        return UnitList(
            self.ranked.merge(other.ranked),
            None
            if self.one_order is None or other.one_order is None
            else self.one_order.merge(other.one_order),
            None if self.pairs is None or other.pairs is None else self.pairs.merge(other.pairs),
            None if self.scored is None or other.scored is None else self.scored.merge(other.scored),
        )

    def take(self, at: Codes) -> UnitList:
        """The lists of the queries at these places, in their order."""
        return UnitList(
            self.ranked.take(at),
            None if self.one_order is None else self.one_order.take(at),
            None if self.pairs is None else self.pairs.of_posts(at),
            None if self.scored is None else self.scored.take(at),
        )


@dataclass(frozen=True, eq=False)
class UnitLists:
    """Ranked queries and their lists by model.

    Parameters
    ----------
    posts, drawn_by : of Q queries, as of `UnitScores`.
    criterion, criterion_ids, slices, has_posts : as of `UnitScores`.
    lists : model → its lists of the same queries.
    """

    posts: Units
    drawn_by: Units | None
    criterion: Codes
    criterion_ids: NDArray[np.object_]
    slices: Mapping[str, Column]
    lists: Mapping[str, UnitList]
    has_posts: bool

    def __len__(self) -> int:
        return len(self.criterion)

    @property
    def units(self) -> Units:
        """What each query is drawn with."""
        return self.posts if self.drawn_by is None else self.drawn_by

    @property
    def post(self) -> Codes:
        """The post of each query, codes into ``post_ids``."""
        return self.posts.code

    @property
    def post_ids(self) -> NDArray[np.uint64]:
        """The hash of each post's id."""
        return self.posts.hashed

    def where(self, mask: Mask) -> UnitLists:
        """The queries of a mask; codes and levels stay as they are."""
        return self.take(np.flatnonzero(mask))

    def take(self, at: Codes) -> UnitLists:
        """The queries at these places, in their order."""
        return UnitLists(
            self.posts.take(at),
            None if self.drawn_by is None else self.drawn_by.take(at),
            self.criterion[at],
            self.criterion_ids,
            {name: (codes[at], levels) for name, (codes, levels) in self.slices.items()},
            {name: of_model.take(at) for name, of_model in self.lists.items()},
            self.has_posts,
        )

    def merge(self, other: UnitLists) -> UnitLists:
        """These queries followed by those of another part with lists of the same models."""
        criterion, criteria = _merged_columns(_criteria(self), _criteria(other))
        names = list(self.lists)
        if names != list(other.lists):
            names = sorted(names, key=level_order)
        return UnitLists(
            self.posts.merge(other.posts),
            _both_drawn(self, other),
            criterion,
            np.array(criteria, object),
            _merged_slices(self, other),
            {name: self.lists[name].merge(other.lists[name]) for name in names},
            self.has_posts and other.has_posts,
        )

    def ordered(self) -> UnitLists:
        """The same queries in the one order that all parts together have."""
        criterion, criteria = _ordered(_criteria(self))
        found = UnitLists(
            self.posts.ordered(),
            None if self.drawn_by is None else self.drawn_by.ordered(),
            criterion,
            np.array(criteria, object),
            {name: _ordered(column) for name, column in self.slices.items()},
            self.lists,
            self.has_posts,
        )
        return found.take(np.argsort(query_key(found), kind="stable"))

    def torn(self) -> Iterator[Problem]:
        """Of queries in their one order: those that stand there twice."""
        n_repeated = int(np.count_nonzero(np.diff(query_key(self)) == 0))
        if n_repeated:
            yield problem("QRY-243", n=n_repeated)


def query_key(rows: UnitScores | UnitLists) -> NDArray[np.int64]:
    """The query of each row: its post and criterion as one number."""
    return rows.post.astype(np.int64) * (len(rows.criterion_ids) + 1) + rows.criterion + 1


def natural_key(text: str) -> tuple[tuple[int, int, str], ...]:
    """Sort key that puts A.2 before A.10."""
    return tuple(
        (0, int(part), "") if part.isdecimal() else (1, 0, part)
        for part in re.split(r"(\d{1,18})", text)
        if part
    )


def level_order(text: str) -> tuple[tuple[tuple[int, int, str], ...], str]:
    """Sort key of the levels of a column: natural, and by their text where two are alike (A.1, A.01)."""
    return natural_key(text), text


def _criteria(rows: UnitScores | UnitLists) -> Column:
    """The criteria as a column like others."""
    return rows.criterion, tuple(map(str, rows.criterion_ids))


def _merged_columns(first: Column, second: Column) -> Column:
    """The codes of both over the levels of both."""
    levels = {level: at for at, level in enumerate(dict.fromkeys([*first[1], *second[1]]))}
    codes = []
    for code, own in (first, second):
        to = np.append(np.array([levels[level] for level in own], np.intp), -1)
        codes.append(to[code])
    return np.concatenate(codes), tuple(levels)


def _merged_slices(first: UnitScores | UnitLists, second: UnitScores | UnitLists) -> dict[str, Column]:
    """The columns of both; a row of a part that lacks one has no value in it."""
    nothing = [(np.full(len(part), -1), ()) for part in (first, second)]
    return {
        name: _merged_columns(first.slices.get(name, nothing[0]), second.slices.get(name, nothing[1]))
        for name in {**first.slices, **second.slices}
    }


def _both_drawn(first: UnitScores | UnitLists, second: UnitScores | UnitLists) -> Units | None:
    if first.drawn_by is None and second.drawn_by is None:
        return None
    return first.units.merge(second.units)


def _ordered(column: Column) -> Column:
    """The same over the levels that a row has, in natural order."""
    codes, levels = column
    n_rows = np.bincount(codes + 1, minlength=len(levels) + 1)[1:]
    return _reordered(column, sorted(np.flatnonzero(n_rows).tolist(), key=lambda at: level_order(levels[at])))


def _reordered(column: Column, order: Sequence[int]) -> Column:
    codes, levels = column
    to = np.full(len(levels) + 1, -1)
    to[list(order)] = np.arange(len(order))
    return to[codes], tuple(levels[at] for at in order)


def _numbers(part: UnitScores, name: str) -> NDArray[np.float64]:
    found = part.numbers.get(name)
    return np.full(len(part), np.nan) if found is None else found
