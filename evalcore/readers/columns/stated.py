"""What the user says about columns: unknown roles and columns, and roles without a place, are reported."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from evalcore.problems import Findings
from evalcore.readers.formats.table import Table
from evalcore.schema import QUERIES, RANKED_LISTS, TABLES, TableKind, roles

Given = Mapping[str, str | Iterable[str] | None]
_ALSO_OF_LISTS = ("state",)


def parts_of(kind: str) -> tuple[TableKind, ...]:
    """The declarations whose roles a table of this kind may have: ranked lists may be queries as well."""
    return (RANKED_LISTS, QUERIES) if kind == "ranked_lists" else (TABLES[kind],)


def given_names(given: Given | None) -> dict[str, tuple[str, ...]]:
    """The user's mapping with names as tuples, empty where there is no such column."""
    return {
        role: () if names is None else (names,) if isinstance(names, str) else tuple(names)
        for role, names in (given or {}).items()
    }


def check_given(
    given: Mapping[str, tuple[str, ...]], tables: list[Table], findings: Findings
) -> dict[str, tuple[str, ...]]:
    """The user's mapping without unknown roles and columns, which are reported."""
    checked: dict[str, tuple[str, ...]] = {}
    tables = [table for table in tables if not table.lacks_names]
    known = list(dict.fromkeys(name for table in tables for name in table.known))
    file = tables[0].name if len(tables) == 1 else None
    for role, names in given.items():
        if not any(kind.role_named(role) for kind in TABLES.values()):
            findings.add("COL-003", role=role, roles=", ".join(roles()))
            continue
        names = tuple(_as_known(name, known) for name in names)
        for name in names:
            if name not in known and tables:
                findings.add("COL-002", file=file, name=name, found=", ".join(known))
        checked[role] = tuple(name for name in names if name in known)
    if len(tables) == 1:
        _check_once(checked, tables[0].name, findings)
    return checked


def _as_known(name: str, known: Iterable[str]) -> str:
    """The column of this name; one without the blanks around it, which headers lose where they are read."""
    return name.strip() if name not in known and name.strip() in known else name


def _check_once(given: Mapping[str, tuple[str, ...]], file: str, findings: Findings) -> None:
    """Report several columns for a role that has one, and a column with several roles."""
    for role, names in given.items():
        if len(names) > 1 and not _is_many(role):
            findings.add("COL-012", file=file, role=role, found=" and ".join(names))
    for name in dict.fromkeys(name for names in given.values() for name in names):
        holders = [role for role, names in given.items() if name in names]
        if len(holders) > 1:
            findings.add("COL-013", file=file, name=name, found=" and ".join(holders))


def _is_many(role: str) -> bool:
    named = [(kind, kind.role_named(role)) for kind in TABLES.values()]
    return any(kind.column(found).many for kind, found in named if found is not None)


def check_placed(
    given: Mapping[str, tuple[str, ...]],
    tables: Iterable[tuple[Table, str | None, Iterable[str]]],
    findings: Findings,
) -> None:
    """Report roles that the user gave to columns of tables in which nothing comes of them.

    Parameters
    ----------
    given : role → columns.
    tables : each table with its kind and the roles it has.
    findings : gets each such role once.
    """
    known = [(table, kind, set(found)) for table, kind, found in tables if kind is not None]
    for role, names in given.items():
        holders = [one for one in known if not set(names).isdisjoint(one[0].known)]
        if not holders or any(_has_place(role, kind, found) for _, kind, found in holders):
            continue
        table, kind = holders[0][:2]
        fitting = ", ".join(c.role for c in TABLES[kind].columns)
        findings.add(
            "COL-014",
            file=table.name,
            role=role,
            names=" and ".join(names),
            kind=_words(kind),
            roles=f"one of {fitting}" if fitting else "no mapping: its fields are known",
        )


OF_RANKINGS = {
    "query_id": "topic",
    "sent_uid": "document",
    "is_gold": "relevance",
    "score": "score",
    "rank": "rank",
    "model": "tag",
}
"""Role → the field of a qrels or a run that it may name."""


def _has_place(role: str, kind: str, found: set[str]) -> bool:
    if kind in ("qrels", "run"):
        return OF_RANKINGS.get("query_id" if role == "post_id" else role) in found
    named = [part.role_named(role) for part in parts_of(kind)]
    if kind != "ranked_lists" or found >= {"has_evidence", "probability"}:
        return any(named)
    return named[0] is not None or named[1] in _ALSO_OF_LISTS


def _words(kind: str) -> str:
    return "ranked lists without both a label and a probability" if kind == "ranked_lists" else kind
