"""A file as a table of named columns, whatever its format: texts as codes and levels, numbers as float64."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from evalcore.problems import Findings
from evalcore.readers.formats.arrays import arrow_array
from evalcore.rows import Places

Form = Literal["text", "number", "raw", "native"]
"""How a column is read; ``native`` is ``raw`` whose numbers need not stay as they are written."""

SAMPLE_ROWS = 1000


@dataclass(frozen=True)
class Texts:
    """A column of text.

    Parameters
    ----------
    codes : int32, shape (N,), into ``levels``.
    levels : the distinct texts in the order of first appearance; the empty cell is the text "".
    is_in_order : whether it is known that each level has a row and that they stand in this order.
    """

    codes: NDArray[np.int32]
    levels: NDArray[np.object_]
    is_in_order: bool = False

    def at(self, index: int) -> str:
        """The cell of one row."""
        return str(self.levels[self.codes[index]])

    def where(self, rows: Places) -> Texts:
        """The cells of some rows; levels stay as they are."""
        return Texts(self.codes[rows], self.levels)

    @cached_property
    def is_empty(self) -> NDArray[np.bool_]:
        """Where the cell is empty, shape (N,)."""
        empty = np.flatnonzero(self.levels == "")
        return self.codes == empty[0] if len(empty) else np.zeros(len(self.codes), bool)


@dataclass(frozen=True)
class Numbers:
    """A column of numbers.

    Parameters
    ----------
    values : float64, shape (N,); NaN where the cell is empty or cannot be read.
    is_empty : bool, shape (N,).
    is_unreadable : bool, shape (N,): cells such as ``91%``.
    """

    values: NDArray[np.float64]
    is_empty: NDArray[np.bool_]
    is_unreadable: NDArray[np.bool_]

    def where(self, rows: NDArray[Any]) -> Numbers:
        """The cells of a mask or index of rows."""
        return Numbers(self.values[rows], self.is_empty[rows], self.is_unreadable[rows])


@dataclass(frozen=True)
class Columns:
    """Columns read from a table.

    Parameters
    ----------
    n_rows : rows read; n_blank : blank lines between them that were skipped.
    row : int, shape (n_rows,), the data row of the file, from 1, blank lines counted.
    texts, numbers : the columns read in that form.
    raw : columns as the Arrow arrays that the file holds: cells of text, or lists.
    n_comments : lines between them that are comments.
    short : row → number of fields, for rows with fewer than the header; they were filled with empty cells.
    """

    n_rows: int
    n_blank: int
    row: NDArray[np.intp]
    texts: Mapping[str, Texts]
    numbers: Mapping[str, Numbers]
    raw: Mapping[str, Any]
    short: Mapping[int, int] = field(default_factory=dict)
    n_comments: int = 0

    def where(self, mask: NDArray[np.bool_]) -> Columns:
        """The rows of a mask."""
        return Columns(
            n_rows=int(mask.sum()),
            n_blank=self.n_blank,
            row=self.row[mask],
            texts={name: texts.where(mask) for name, texts in self.texts.items()},
            numbers={name: numbers.where(mask) for name, numbers in self.numbers.items()},
            raw={name: column.filter(arrow_array(mask)) for name, column in self.raw.items()},
            short=self.short,
            n_comments=self.n_comments,
        )

    def counts_alone(self) -> Columns:
        """The numbers of rows without a cell of them."""
        return replace(self, row=np.zeros(0, np.intp), texts={}, numbers={}, raw={})


def _nothing() -> None:
    """What is to be done for a table that holds no bytes."""


@dataclass(frozen=True)
class MayRank:
    """A table that may be a qrels or a run by how it looks.

    Parameters
    ----------
    kinds : what it may be, of ``qrels`` and ``run``.
    said : what its columns or values say that it is; None: nothing.
    is_firm : whether the columns say so by their names, which the name of the file cannot change.
    is_nothing_else : whether it can be no other table.
    make : kind → that table.
    """

    kinds: tuple[str, ...]
    said: str | None
    is_firm: bool
    is_nothing_else: bool
    make: Callable[[str, Findings], Table]


@dataclass(frozen=True)
class Table:
    """A file that was recognised as a table; its columns are read when asked for.

    Parameters
    ----------
    name, sha256, n_bytes : of the file as it came.
    format : how it is read, in words ("CSV, comma, UTF-8").
    names : the names of its columns that have one.
    sample : name → the first cells as text, up to 1,000 rows.
    read : name → form, to columns.
    kind : its kind of table where the content alone decides (``qrels``, ``run``).
    encoding, delimiter, decimal_mark : of a text file, in words.
    floating : the columns stored as floating-point numbers, or as lists of them.
    lists : the columns stored as lists.
    held : column → what its cells hold, in words, where it is neither one value nor a list of values.
    places : column → its place in a row of a delimited text, from 0.
    nameless : places of columns that have no name and are left out ("column 5").
    inner : name → value inside of the cells of a column, an `evalcore.readers.columns.inner.Inner`, which is
        read as a column of that name.
    is_readable : whether its rows can be read; otherwise why not was reported.
    has_header : whether a delimited text names its columns; otherwise their names are their positions.
    lacks_names : whether its first line was taken for a header and cannot be one, which was reported.
    fields : field of a qrels or run → its column.
    counts_lines : whether its rows are known by the line of the file, not the row under a header.
    may_rank : what it may be instead, where that depends on the other files.
    records : of JSON, each row as an object with what is nested in it, None for a blank line; see
        `evalcore.readers.formats.json.lines.objects_in`.
    was_named : whether the user named the file, not only its folder.
    close : gives back the memory of the file's bytes; nothing can be read afterwards.
    """

    name: str
    sha256: str
    n_bytes: int
    format: str
    names: tuple[str, ...]
    sample: Mapping[str, tuple[str, ...]]
    read: Callable[[Mapping[str, Form]], Columns]
    kind: str | None = None
    encoding: str | None = None
    delimiter: str | None = None
    decimal_mark: str | None = None
    floating: frozenset[str] = frozenset()
    lists: frozenset[str] = frozenset()
    held: Mapping[str, str] = field(default_factory=dict)
    places: Mapping[str, int] = field(default_factory=dict)
    nameless: tuple[str, ...] = ()
    inner: Mapping[str, Any] = field(default_factory=dict)
    is_readable: bool = True
    has_header: bool = True
    lacks_names: bool = False
    fields: Mapping[str, str] = field(default_factory=dict)
    counts_lines: bool = False
    may_rank: MayRank | None = None
    records: Callable[[], tuple[Mapping[str, Any] | None, ...]] | None = None
    was_named: bool = True
    close: Callable[[], None] = _nothing

    @property
    def known(self) -> tuple[str, ...]:
        """The names of columns and of values inside of them: what a role can be given to."""
        return (*self.names, *self.inner)

    @property
    def nested(self) -> frozenset[str]:
        """The columns with values inside of their cells."""
        return frozenset(one.column for one in self.inner.values())
