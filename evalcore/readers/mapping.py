"""Which column of a table has which role: as the user says, else by name; the rest are groups or left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from evalcore.problems import Findings
from evalcore.readers.cells import spells_number
from evalcore.readers.table import Form, Table
from evalcore.schema import (
    DIRECTION_UNKNOWN,
    QUERIES,
    RANKED_LISTS,
    TABLES,
    TableKind,
    is_gold_derived,
    is_list_name,
    is_text_name,
    kind_of,
    plain,
    recognise,
    roles,
)

Given = Mapping[str, str | Iterable[str] | None]
MAX_LEVELS = 1000
_FEW_NUMBERS = 50
_ID_LIKE = 0.5
_FORMS: Mapping[str, Form] = {
    "id": "text",
    "name": "text",
    "label": "text",
    "number": "number",
    "grade": "text",
    "list": "raw",
}


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
    """

    table: Table
    kind: str | None
    roles: Mapping[str, tuple[str, ...]]
    groups: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    unused: Mapping[str, str] | None = None
    suggestions: Mapping[str, tuple[str, ...]] | None = None

    def one(self, role: str) -> str | None:
        """The column of a role that has at most one."""
        return next(iter(self.roles.get(role, ())), None)

    def forms(self) -> dict[str, Form]:
        """How each needed column is to be read."""
        if self.table.kind is not None:
            return {role: _TREC_FORMS.get(role, "text") for role in self.roles}
        cells = {c.role: _FORMS[c.cell] for kind in self._kinds() for c in kind.columns}
        cells["query_id"] = "raw"  # one text for each row: coded only once its parts are known
        wanted: dict[str, Form] = {name: cells[role] for role, names in self.roles.items() for name in names}
        wanted.update(dict.fromkeys(self.groups, "text"))
        wanted.update(dict.fromkeys(self.numbers, "number"))
        return wanted

    def _kinds(self) -> list[TableKind]:
        if self.kind == "ranked_lists":
            return [QUERIES, RANKED_LISTS]
        return [TABLES[self.kind]] if self.kind else []


def check_given(given: Given, tables: list[Table], findings: Findings) -> dict[str, tuple[str, ...]]:
    """The user's mapping with names as tuples; unknown roles and columns are reported and left out."""
    checked: dict[str, tuple[str, ...]] = {}
    known = list(dict.fromkeys(name for table in tables for name in table.names))
    file = tables[0].name if len(tables) == 1 else None
    for role, names in given.items():
        if not any(kind.role_named(role) for kind in TABLES.values()):
            findings.add("COL-003", role=role, roles=", ".join(roles()))
            continue
        wanted = () if names is None else (names,) if isinstance(names, str) else tuple(names)
        for name in wanted:
            if name not in known and tables:
                findings.add("COL-002", file=file, name=name, found=", ".join(known))
        checked[role] = tuple(name for name in wanted if name in known)
    if len(tables) == 1:
        _check_once(checked, tables[0].name, findings)
    return checked


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


def map_table(
    table: Table,
    given: Mapping[str, tuple[str, ...]],
    kind: str | None,
    findings: Findings,
    has_gold_elsewhere: bool = False,
) -> Mapped:
    """Give every column of a table its role.

    Parameters
    ----------
    table : the table.
    given : role → columns as the user says; columns of other tables are ignored.
    kind : the kind of table where the user says it, or None to find it out.
    findings : gets what is missing or must be chosen.
    has_gold_elsewhere : whether another file holds the gold lists of the same queries.
    """
    if table.kind is not None:
        return Mapped(table, table.kind, {name: (name,) for name in _TREC_ROLES[table.kind]})
    here = {role: tuple(name for name in names if name in table.names) for role, names in given.items()}
    here = {role: names for role, names in here.items() if names or not given[role]}
    kind = kind or _kind(table, here)
    if kind is None:
        findings.add("COL-006", file=table.name, found=", ".join(table.names) or "none")
        return Mapped(table, None, {}, unused=dict.fromkeys(table.names, "fits no role"))
    found = _roles(table, kind, here)
    texts = [name for name in table.names if _unmapped(name, found) and _is_text(table, name)]
    for name in texts:
        findings.add("COL-007", file=table.name, name=name)
    rest = [name for name in table.names if _unmapped(name, found) and name not in texts]
    mapped = Mapped(table, kind, found, (), (), dict.fromkeys(texts, "personal text: dropped"))
    mapped = _with_scores(mapped, here, rest, findings)
    _report_missing(mapped, has_gold_elsewhere, findings)
    return _with_others(mapped, [name for name in rest if _unmapped(name, mapped.roles)])


_TREC_ROLES = {"qrels": ("topic", "document", "relevance"), "run": ("topic", "document", "score", "tag")}
_TREC_FORMS: Mapping[str, Form] = {"relevance": "number", "score": "number"}


def _unmapped(name: str, found: Mapping[str, tuple[str, ...]]) -> bool:
    return not any(name in names for names in found.values())


def _kind(table: Table, here: Mapping[str, tuple[str, ...]]) -> str | None:
    asked = {role for role, names in here.items() if names}
    if asked & {"gold_ids", "ranked_ids"} or any(is_list_name(role) for role in asked):
        return "ranked_lists"
    if asked & {"sent_uid", "is_gold"}:
        return "candidates"
    return kind_of(table.names) or ("queries" if asked else None)


def _roles(table: Table, kind: str, here: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Role → columns: what the user says first, then what is recognised among the other columns."""
    found: dict[str, tuple[str, ...]] = {}
    left_out: set[str] = set()
    parts = (TABLES[kind], QUERIES) if kind == "ranked_lists" else (TABLES[kind],)
    for said, names in here.items():
        for part in parts:
            role = part.role_named(said)
            if role is None:
                continue
            free = [name for name in names if not any(name in taken for taken in found.values())]
            kept = tuple(free if part.column(role).many else free[:1])
            if kept:
                found.setdefault(role, kept)
            else:
                left_out.add(role)
            break
    for part in parts:
        taken = {name for names in found.values() for name in names}
        for role, names in recognise(part, [name for name in table.names if name not in taken]).items():
            if role not in left_out:
                found.setdefault(role, names)
    for role in ("post_id", "query_id", "criterion_id"):
        if role in found and role not in here and _holds_text(table, found[role][0]):
            del found[role]
    return _keys(table, found)


def _keys(table: Table, found: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """A query id beside a criterion stands for the post; beside a post id it may hold the criterion."""
    if "query_id" in found and "post_id" not in found and "criterion_id" in found:
        found["post_id"] = found.pop("query_id")
    elif "query_id" in found and "post_id" in found:
        cells = table.sample.get(found["query_id"][0], ())
        if "criterion_id" in found or not cells or not all("::" in cell for cell in cells):
            found.pop("query_id")
    return found


def _is_text(table: Table, name: str) -> bool:
    return is_text_name(name) or _holds_text(table, name)


def _holds_text(table: Table, name: str) -> bool:
    """Whether the cells are free text: long, or mostly sentences that do not repeat."""
    cells = [cell for cell in table.sample.get(name, ()) if cell]
    if not cells:
        return False
    if sum(map(len, cells)) > 200 * len(cells) and not cells[0].startswith("[") and "|" not in cells[0]:
        return True
    n_sentences = sum(len(cell.split()) >= 5 for cell in cells)
    return n_sentences > len(cells) / 2 and len(set(cells)) > len(cells) / 2


def _numeric(table: Table, name: str) -> list[float] | None:
    """The numbers of the sample, or None where a cell is none; a decimal comma counts where it can."""
    comma = table.delimiter != "comma"
    cells = [cell for cell in table.sample.get(name, ()) if cell.strip()]
    if not cells or not all(
        spells_number(cell, comma) or plain(cell) in ("nan", "inf", "_inf") for cell in cells
    ):
        return None
    return [float(cell.strip().replace(",", ".")) for cell in cells]


def _with_scores(
    mapped: Mapped, here: Mapping[str, tuple[str, ...]], rest: list[str], findings: Findings
) -> Mapped:
    """Choose the score columns; ask where the direction or the column is open."""
    assert mapped.kind is not None
    role = "score" if mapped.kind == "candidates" else "probability"
    if mapped.kind == "ranked_lists" and "has_evidence" not in mapped.roles:
        return mapped
    names = mapped.roles.get(role, ())
    for name in names:
        if is_gold_derived(name):
            findings.add("COL-008", file=mapped.table.name, name=name)
    was_said = any(
        names and TABLES[_part(mapped.kind)].role_named(said) == role for said, names in here.items()
    )
    if mapped.kind == "candidates" and not was_said:
        return _with_roles(mapped, role, _candidate_scores(mapped, names, rest, findings))
    if names or mapped.kind == "ranked_lists":
        return mapped
    doubtful = [name for name in rest if plain(name) in DIRECTION_UNKNOWN]
    if doubtful:
        findings.add("COL-005", file=mapped.table.name, name=doubtful[0])
        return _suggesting(mapped, role, doubtful)
    possible = [name for name in rest if _could_be_probability(mapped.table, name)]
    if len(possible) > 1:
        findings.add("COL-004", file=mapped.table.name, role=role, found=", ".join(possible))
    return _suggesting(mapped, role, possible)


def _part(kind: str) -> str:
    return "queries" if kind == "ranked_lists" else kind


def _with_roles(mapped: Mapped, role: str, names: tuple[str, ...]) -> Mapped:
    found = {key: value for key, value in mapped.roles.items() if key != role}
    return Mapped(mapped.table, mapped.kind, {**found, role: names} if names else found, unused=mapped.unused)


def _suggesting(mapped: Mapped, role: str, names: list[str]) -> Mapped:
    suggestions = {role: tuple(names)} if names else {}
    return Mapped(mapped.table, mapped.kind, mapped.roles, unused=mapped.unused, suggestions=suggestions)


def _could_be_probability(table: Table, name: str) -> bool:
    """A column of fractions in [0, 1] without an empty cell, which metrics have where there is no gold."""
    has_empty = not all(cell.strip() for cell in table.sample.get(name, ()))
    values = None if has_empty or is_gold_derived(name) else _numeric(table, name)
    return values is not None and all(0 <= v <= 1 for v in values) and any(v not in (0, 1) for v in values)


def _candidate_scores(
    mapped: Mapped, known: tuple[str, ...], rest: list[str], findings: Findings
) -> tuple[str, ...]:
    """The score columns of a candidates file: known names and "score" in names, else all with fractions."""
    numeric = {name: _numeric(mapped.table, name) for name in rest if not is_gold_derived(name)}
    scores = [name for name, values in numeric.items() if values is not None and "score" in plain(name)]
    if known or scores:
        return tuple(name for name in mapped.table.names if name in (*known, *scores))
    fractions = [
        name for name, values in numeric.items() if values and not all(v.is_integer() for v in values)
    ]
    if len(fractions) > 1 or (fractions and "rank" not in mapped.roles):
        found = ", ".join(fractions)
        findings.add("COL-010", file=mapped.table.name, found=found, roles="scores, each a model of its own")
        return tuple(fractions)
    return ()


def _report_missing(mapped: Mapped, has_gold_elsewhere: bool, findings: Findings) -> None:
    table = mapped.table
    reported = {
        p.code for p in findings.problems if p.file == table.name and p.code in ("COL-004", "COL-005")
    }
    for column in TABLES[str(mapped.kind)].columns:
        is_there = column.role in mapped.roles or (column.role == "score" and "rank" in mapped.roles)
        is_there = is_there or (column.role == "is_gold" and has_gold_elsewhere)
        is_asked = column.role == "probability" and bool(reported)
        if column.required and not is_there and not is_asked:
            found = ", ".join(table.names)
            findings.add("COL-001", file=table.name, role=column.role, found=found, meaning=column.meaning)


def _with_others(mapped: Mapped, names: list[str]) -> Mapped:
    """The columns without a role: few values make a group, numbers are kept, what names rows is left out."""
    groups: list[str] = []
    numbers: list[str] = []
    unused = dict.fromkeys(mapped.table.nameless, "has no name") | dict(mapped.unused or {})
    for name in names:
        cells = mapped.table.sample.get(name, ())
        values = _numeric(mapped.table, name)
        distinct = len(set(cells))
        if not distinct or set(cells) == {""}:
            unused[name] = "empty"
        elif plain(name) in ("query_id", "id"):
            unused[name] = "names the row once more"
        elif is_list_name(name):
            unused[name] = "a list, without a gold_ids column"
        elif values is not None and (distinct > _FEW_NUMBERS or not all(v.is_integer() for v in values)):
            numbers.append(name)
        elif distinct > _FEW_NUMBERS and distinct > _ID_LIKE * len(cells):
            unused[name] = "a value of its own in most rows"
        else:
            groups.append(name)
    if mapped.kind != "queries" and "probability" not in mapped.roles:
        unused.update(dict.fromkeys(numbers, "no role in this table"))
        numbers = []
    return Mapped(
        mapped.table,
        mapped.kind,
        mapped.roles,
        tuple(groups),
        tuple(numbers),
        unused,
        mapped.suggestions or {},
    )
