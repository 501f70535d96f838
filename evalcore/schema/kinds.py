"""What a column and a table are declared by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from evalcore.schema.names import plain

Cell = Literal["id", "label", "number", "name", "list", "grade"]


@dataclass(frozen=True)
class Column:
    """One column of an input table.

    Parameters
    ----------
    role : its name in the design, in ``--column ROLE=NAME`` and in `evalcore.data.Source.columns`.
    meaning : what it holds, as "expected …" of a message.
    cell : what it holds: ``id`` (text), ``label`` (two values), ``number``, ``name`` (text to break down by),
        ``list`` (ids, best first) or ``grade`` (a whole number from 0 on).
    names : names that are recognised without asking, the first found wins.
    required : whether the table cannot be read without it.
    many : whether several columns may have the role, each a model.
    """

    role: str
    meaning: str
    cell: Cell
    names: tuple[str, ...]
    required: bool = False
    many: bool = False


@dataclass(frozen=True)
class TableKind:
    """One kind of input table: its name, what a row is, and its columns."""

    name: str
    row: str
    columns: tuple[Column, ...]

    def column(self, role: str) -> Column:
        """The declaration of a role.

        Raises
        ------
        KeyError : for a role that the table does not have.
        """
        return next((c for c in self.columns if c.role == role), None) or _unknown(role)

    def role_named(self, text: str) -> str | None:
        """The role a user means by its name or by one of its synonyms; None where the table has none such."""
        wanted = plain(text)
        exact = (c.role for c in self.columns if c.role == wanted)
        return next(exact, next((c.role for c in self.columns if wanted in c.names), None))


def _unknown(role: str) -> Column:
    raise KeyError(role)
