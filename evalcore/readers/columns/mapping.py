"""A table with the roles of its columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from evalcore.readers.columns.stated import parts_of
from evalcore.readers.formats.table import Form, Table
from evalcore.schema import TABLES, Column, TableKind

MAX_LEVELS = 1000
TOO_MANY = f"over {MAX_LEVELS:,} different values"
"""Why a column is no group where not all of its rows are at hand to be counted."""
POST_NAMES = TABLES["queries"].column("post_id").names
CLUSTER = "cluster"
_FORMS: Mapping[str, Form] = {
    "id": "text",
    "name": "text",
    "label": "text",
    "number": "number",
    "grade": "text",
    "list": "raw",
}
_RANKING_FORMS: Mapping[str, Form] = {"relevance": "number", "score": "number", "rank": "number"}


@dataclass(frozen=True)
class Mapped:
    """A table with the roles of its columns.

    Parameters
    ----------
    table : the table.
    kind : its kind, a name of `evalcore.schema.TABLES`, or None where the columns fit none.
    roles : role → columns; several only where each is a model.
    groups : other columns to break down by, read as text.
    numbers : other columns of numbers.
    unused : column → why it is left out.
    suggestions : role that has no column yet → columns that could be it.
    units : columns that are left out and read for their codes alone, as they may name the posts.
    """

    table: Table
    kind: str | None
    roles: Mapping[str, tuple[str, ...]]
    groups: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    unused: Mapping[str, str] = field(default_factory=dict)
    suggestions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    units: tuple[str, ...] = ()

    def one(self, role: str) -> str | None:
        """The column of a role that has at most one."""
        return next(iter(self.roles.get(role, ())), None)

    def forms(self) -> dict[str, Form]:
        """How each needed column is to be read."""
        if self.table.kind is not None:
            return {names[0]: _RANKING_FORMS.get(role, "text") for role, names in self.roles.items()}
        cells = {c.role: _FORMS[c.cell] for kind in self._kinds() for c in kind.columns}
        cells["query_id"] = "raw"  # one text for each row: coded only once its parts are known
        wanted: dict[str, Form] = {name: cells[role] for role, names in self.roles.items() for name in names}
        wanted.update(dict.fromkeys((*self.groups, *self.units), "text"))
        wanted.update(dict.fromkeys(self.numbers, "number"))
        return wanted

    def columns(self) -> Iterator[tuple[str, Column]]:
        """Each column that has a role, with what the role declares."""
        declared = {c.role: c for kind in self._kinds() for c in kind.columns}
        for role, names in self.roles.items():
            if role in declared:
                yield from ((name, declared[role]) for name in names)

    def _kinds(self) -> list[TableKind]:
        return list(reversed(parts_of(self.kind))) if self.kind else []
