"""Data: the checked tables of one input, frozen, with the digest of every source.

Readers make it; tallies are built from it; whatever must show rows reads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import Field, dataclass, field, fields, is_dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from evalcore.annotations import Annotations
from evalcore.problems import Problem
from evalcore.recommendations import Recommendations
from evalcore.rows import taken

Task = Literal["evidence", "rag", "recommender"]
ScoreKind = Literal["probability", "score"]
ScoreOf = Literal["positive", "predicted"]
FilesAs = Literal["parts", "models"]
HIGHEST_OF_CANDIDATES = "a query's score is the highest of its candidates"
"""How `Data.notes` says that scores were made of those of candidates."""


@dataclass(frozen=True)
class Source:
    """One file that was read.

    Parameters
    ----------
    name : the file's name without its folder.
    role : ``queries``, ``ranked_lists``, ``candidates``, ``qrels``, ``run``.
    sha256 : digest of the file's bytes as they came.
    n_bytes : their number.
    n_rows : data rows in the file.
    n_used : rows used; ``n_rows == n_used + sum(excluded.values())``.
    excluded : reason → rows left out for it.
    columns : role → the name of the column in the file.
    format : how it was read, in words ("CSV, comma, UTF-8").
    has_header : False where a text without a header line was read: its columns are named by their positions.
    others : names of the columns that have no role.
    """

    name: str
    role: str
    sha256: str
    n_bytes: int
    n_rows: int
    n_used: int
    excluded: Mapping[str, int]
    columns: Mapping[str, str]
    format: str
    has_header: bool = True
    others: tuple[str, ...] = ()


@dataclass(frozen=True)
class Queries:
    """One row per (post, criterion) and model.

    Parameters
    ----------
    post, criterion : int codes, shape (N,), into ``post_ids`` and ``criterion_ids``; criterion −1: none.
    post_ids, criterion_ids : the ids as text, in the order of first appearance; of the posts of a saved
        report uint64 hashes.
    has_evidence : bool, shape (N,).
    score : float64, shape (N,).
    model : int codes, shape (N,), into ``models``.
    models : names of the models, at least one.
    slices : column name → (codes, shape (N,), −1 where empty; levels as text): fold, split, state and any
        other column that can be broken down by.
    numbers : column name → float64, shape (N,), NaN where empty: tau_neg, selected_k, …
    units : column name → codes, shape (N,), −1 where empty, of columns of too many values to be broken down
        by, which may say what rows belong together; their texts are not kept.
    row : int, shape (N,), the data row of the file, from 1.
    has_posts : False where every row had to be taken as its own post.
    has_ids : False where the ids are the numbers of rows, because no column names them.
    """

    post: NDArray[np.intp]
    post_ids: NDArray[np.object_]
    criterion: NDArray[np.intp]
    criterion_ids: NDArray[np.object_]
    has_evidence: NDArray[np.bool_]
    score: NDArray[np.float64]
    model: NDArray[np.intp]
    models: tuple[str, ...]
    slices: Mapping[str, tuple[NDArray[np.intp], tuple[str, ...]]]
    numbers: Mapping[str, NDArray[np.float64]]
    row: NDArray[np.intp]
    has_posts: bool = True
    has_ids: bool = True
    units: Mapping[str, NDArray[np.int32]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.score)

    def where(self, mask: NDArray[np.bool_]) -> Queries:
        """The rows of a mask; codes and levels stay as they are."""
        columns = ("post", "criterion", "has_evidence", "score", "slices", "numbers", "row", "units")
        return taken(self, columns, mask, model=self._model_where(mask))

    def _model_where(self, mask: NDArray[np.bool_]) -> NDArray[np.intp]:
        """The models of the rows of a mask; one code that stands for every row stays one."""
        if self.model.strides == (0,) and len(self.model):
            return np.broadcast_to(self.model[0], int(np.count_nonzero(mask)))
        return self.model[mask]

    def group_columns(self, most: int) -> list[str]:
        """The columns to break down by: of at most so many levels, but for criteria."""
        return _group_columns(self, most)

    def cluster_columns(self) -> list[str]:
        """The columns whose groups can be drawn together, of however many levels."""
        return ["post", *_criteria(self), *self.slices]

    def query_id(self, index: int) -> str:
        """The query's name as ``post::criterion``, or the post alone without criteria."""
        post = str(self.post_ids[self.post[index]])
        return f"{post}::{self.criterion_ids[self.criterion[index]]}" if self.criterion[index] >= 0 else post


@dataclass(frozen=True)
class Rankings:
    """Gold and ranked lists of queries; lists of several models share queries, items and gold.

    Parameters
    ----------
    post, criterion, post_ids, criterion_ids, slices, has_posts, has_ids : as in `Queries`, shape (Q,).
    item_ids : candidate ids as text, shape (I,); item codes index it.
    gold_query, gold_item : int codes, shape (G,), each pair once.
    gold_grade : int, shape (G,), at least 1.
    lists : model → `RankedRows`.
    """

    post: NDArray[np.intp]
    post_ids: NDArray[np.object_]
    criterion: NDArray[np.intp]
    criterion_ids: NDArray[np.object_]
    slices: Mapping[str, tuple[NDArray[np.intp], tuple[str, ...]]]
    item_ids: NDArray[np.object_]
    gold_query: NDArray[np.intp]
    gold_item: NDArray[np.intp]
    gold_grade: NDArray[np.int64]
    lists: Mapping[str, RankedRows]
    has_posts: bool = True
    has_ids: bool = True

    @property
    def n_queries(self) -> int:
        """Number of queries, with or without gold."""
        return len(self.post)

    def group_columns(self, most: int) -> list[str]:
        """As of `Queries`."""
        return _group_columns(self, most)

    def cluster_columns(self) -> list[str]:
        """As of `Queries`."""
        return ["post", *_criteria(self), *self.slices]


@dataclass(frozen=True)
class RankedRows:
    """The lists of one model in long form.

    Parameters
    ----------
    query, item : int codes, shape (R,), rows in the order of the file.
    score : float64, shape (R,): higher is better; for lists given best first it is minus the position,
        so there are no ties.
    has_scores : whether the scores came from the file (then ties are possible).
    n_candidates : int, shape (Q,), candidates known per query, in the list or not.
    """

    query: NDArray[np.intp]
    item: NDArray[np.intp]
    score: NDArray[np.float64]
    has_scores: bool
    n_candidates: NDArray[np.int64]


OF_ROWS: Mapping[str, Any] = {"tables": ("queries", "rankings", "lists")}
"""Metadata of a field that says something of rows with labels and of lists with gold alone."""


def says_something(one: Field[Any], tables: Iterable[str]) -> bool:
    """Whether a field says something of data with these tables: without any, or any named, every field does.

    Parameters
    ----------
    one : a field of a dataclass whose metadata may name ``tables``, as `Data.tables` does.
    tables : names of what is there.
    """
    of, there = one.metadata.get("tables"), set(tables)
    return not (of and there) or not there.isdisjoint(of)


@dataclass(frozen=True)
class Data:
    """Everything that was read, checked once.

    Parameters
    ----------
    task : ``evidence``, ``rag`` or ``recommender``.
    sources : the files, in the order given.
    tables : name → what was read: ``queries`` and ``rankings`` of the task ``evidence``, ``annotations`` of
        ``rag``, ``recommendations`` of ``recommender``; what no file holds is missing here, and None as an
        attribute. A saved report has ``lists``, the tallies of lists, in place of ``rankings``. Each says by
        which columns it can be broken down (``group_columns``) and what can be drawn together
        (``cluster_columns``).
    score_kind : ``probability`` (in [0, 1]) or ``score`` (any scale).
    positive : the label that means "has evidence", as text.
    warnings : what the user should know; problems that stop an evaluation were raised by the reader.
    notes : statements every report prints, such as where a query's score came from.
    score_of : the class whose score the file holds, where that was open: ``positive`` as it stands,
        ``predicted`` where `Queries.score` was made from it and the prediction; None where it was not asked.
    files_as : how several files were taken, where that was open; None where it was not asked.
    checked : what `evalcore.checks.performed` found when the data were read; None where they are a part of
        what was read, or made otherwise.
    is_divided : whether tune and test are no column of the files but were drawn by `evalcore.splits.divided`.
    """

    task: Task
    sources: tuple[Source, ...]
    tables: Mapping[str, Any]
    score_kind: ScoreKind = field(metadata=OF_ROWS, default="probability")
    positive: str = field(metadata=OF_ROWS, default="1")
    warnings: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    score_of: ScoreOf | None = None
    files_as: FilesAs | None = None
    checked: tuple[Any, ...] | None = field(default=None, repr=False, compare=False)
    is_divided: bool = field(metadata=OF_ROWS, default=False)

    @property
    def queries(self) -> Queries | None:
        """Labels and scores, or None where no file holds them."""
        return self.tables.get("queries")

    @property
    def rankings(self) -> Rankings | None:
        """Gold and lists, or None where no file holds them."""
        return self.tables.get("rankings")

    @property
    def lists(self) -> Any:
        """The tallies of ranked lists (`UnitLists`) that a saved report has in their place, or None."""
        return self.tables.get("lists")

    @property
    def annotations(self) -> Annotations | None:
        """What people and tools said of chunks and answers, or None for other tasks."""
        return self.tables.get("annotations")

    @property
    def recommendations(self) -> Recommendations | None:
        """What was recommended to users and what they liked, or None for other tasks."""
        return self.tables.get("recommendations")

    def with_tables(self, **tables: Any) -> Data:
        """The same data with other tables under these names; None takes one out."""
        return replace(self, tables=present(**{**self.tables, **tables}), checked=None)

    @property
    def digest(self) -> str:
        """SHA-256 over the digests of the sources: names the data in caches and reports."""
        import hashlib

        return hashlib.sha256("".join(f"{s.role}:{s.sha256};" for s in self.sources).encode()).hexdigest()

    @cached_property
    def reading(self) -> str:
        """SHA-256 over what was read from the sources: labels, scores, ratings, and gold and lists by number.

        The same files with another column of scores or another positive label have the same `digest` and
        another reading. The order of files and rows plays no part.
        """
        import hashlib

        parts: list[object] = [self.task, self.score_kind, *sorted((s.role, s.n_used) for s in self.sources)]
        if self.queries is not None:
            parts += [(name, *_checksum(self.queries, at)) for at, name in enumerate(self.queries.models)]
        if self.rankings is not None:
            n_gold = len(self.rankings.gold_query)
            parts += [n_gold, *((name, len(one.item)) for name, one in sorted(self.rankings.lists.items()))]
        if self.recommendations is not None:
            lists = sorted(self.recommendations.lists.items())
            parts += [(name, one.has_scores, one.is_rated, len(one), _bits(one.score)) for name, one in lists]
            parts += [sorted(self.recommendations.scores)]
            for pairs in (self.recommendations.train, self.recommendations.test):
                parts.append(None if pairs is None else (len(pairs), _bits(pairs.rating)))
        parts += ["divided by post"] if self.is_divided else []
        return hashlib.sha256(repr(parts).encode()).hexdigest()


def _group_columns(table: Queries | Rankings, most: int) -> list[str]:
    few = [name for name, (_, levels) in table.slices.items() if len(levels) <= most]
    return [*_criteria(table), *few]


def _criteria(table: Queries | Rankings) -> list[str]:
    return ["criterion"] if len(table.criterion_ids) else []


def frozen(table: Any) -> Any:
    """The same table with its arrays made read-only."""
    if isinstance(table, np.ndarray):
        table.flags.writeable = False
    elif isinstance(table, Mapping):
        for value in table.values():
            frozen(value)
    elif isinstance(table, tuple):
        for value in table:
            frozen(value)
    elif is_dataclass(table) and not isinstance(table, type):
        for one in fields(table):
            frozen(getattr(table, one.name))
    return table


def present(**tables: Any) -> dict[str, Any]:
    """The tables that are there: name → table, without those that are None."""
    return {name: table for name, table in tables.items() if table is not None}


def _bits(values: NDArray[np.float64]) -> int:
    """A sum over numbers in which their order plays no part."""
    return int(np.ascontiguousarray(values).view(np.uint64).sum(dtype=np.uint64))


def _checksum(queries: Queries, model: int) -> tuple[int, int]:
    """Rows of a model, and a sum over their scores in which each counts by its label; order plays no part."""
    is_of_model = slice(None) if len(queries.models) == 1 else queries.model == model
    bits = np.ascontiguousarray(queries.score[is_of_model]).view(np.uint64)
    of_positive = bits[queries.has_evidence[is_of_model]]
    total = int(bits.sum(dtype=np.uint64)) + 2 * int(of_positive.sum(dtype=np.uint64))
    return len(bits), total % 2**64
