"""What a table is of a recommender evaluation, and which column has which role."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from evalcore.problems import Findings
from evalcore.readers.columns.advice import as_options
from evalcore.readers.columns.mapping import Mapped
from evalcore.readers.columns.roles.by_name import is_text
from evalcore.readers.formats.table import Table
from evalcore.readers.recommender.lines import ONE_ROW_EACH, refuse_ranking
from evalcore.readers.recommender.roles import beside_by_columns, is_called_so, role_by_columns
from evalcore.schema import TABLES, plain, recognise
from evalcore.schema.recommendations import PREDICTED

OF_COLUMNS = ("user_groups", "item_groups", "item_features")
"""Roles of files whose other columns are read too."""
_FIELDS = {
    "user_id": "topic",
    "item_id": "document",
    "score": "score",
    "rank": "rank",
    "rating": "relevance",
}
"""Role → the field of a run or qrels."""
_OF_ITEMS = ("item_groups", "item_features")


def role_of(
    table: Table, named: str | None, columns: Mapping[str, tuple[str, ...]], findings: Findings
) -> str | None:
    """The role of a file that the user gave none: what its name says, unless its columns say otherwise.

    None where neither tells, or, with a question, where they contradict each other.
    """
    said = [role for role, names in columns.items() if not set(names).isdisjoint(table.known)]
    by_columns = role_by_columns([*table.known, *said])
    is_rated = "rating" in recognise(TABLES["lists"], table.names)
    if named is None and by_columns is None:
        return beside_by_columns([*table.known, *said])
    if named is None or (named == "lists" and by_columns == "interactions" and is_rated):
        return by_columns
    if named in OF_COLUMNS and by_columns == "lists":
        return by_columns
    if named not in ("train", "test"):
        return named
    if by_columns is None or _are_predicted(table):
        return by_columns
    if by_columns == "lists" and not is_rated and not is_called_so(table.name):
        score = recognise(TABLES["lists"], table.names).get("score", ("score",))[0]
        findings.add("RCM-072", file=table.name, role=named, column=score, name=score)
        return None
    return named


def _are_predicted(table: Table) -> bool:
    """Whether columns are those of lists: a rank, or a predicted rating without a true one."""
    found = recognise(TABLES["lists"], table.names)
    score = plain(found["score"][0]) if "score" in found else None
    return "rank" in found or ("rating" not in found and score in PREDICTED)


def of_ranking(
    table: Table | None, role: str | None, columns: Mapping[str, tuple[str, ...]], findings: Findings
) -> tuple[Table | None, Mapping[str, tuple[str, ...]]]:
    """A run or qrels, of TREC or as JSON by user, as a table of users and items; the roles of its fields."""
    if table is None:
        return None, columns
    kind = "qrels" if role in ("train", "test") else "run"
    if table.kind is None and table.may_rank is not None and role_by_columns(table.known) is None:
        found = kind if kind in table.may_rank.kinds else table.may_rank.kinds[0]
        findings.problems.clear()  # they were about its lines as a table with a header
        table = table.may_rank.make(found, findings)
    if table.kind is None:
        return table, columns
    second = next((table.sample[field] for field in ("iteration", "Q0") if field in table.sample), ())
    refuse_ranking(table.kind, role, second, table.name, findings)
    named = {said: table.fields[field] for said, field in _FIELDS.items() if field in table.fields}
    return replace(table, kind=None), {**{said: (name,) for said, name in named.items()}, **columns}


def lists_in_cells(table: Table) -> str | None:
    """The column of lists in a table of users, or the columns of one of a column a user; None without any."""
    found = recognise(TABLES["lists"], table.names)
    if "user_id" not in found:
        is_by_user = not found and table.names and all(name in table.held for name in table.names)
        return ", ".join(table.names[:3]) if is_by_user else None
    if "item_id" in found:
        return _lists_of_items(table, found)
    is_listed = (
        name
        for name in table.names
        if name in table.lists or name in table.held or any(map(_is_list, table.sample.get(name, ())))
    )
    return next(is_listed, None)


def unfolding(table: Table, name: str) -> str:
    """How a row a user becomes a row for each item of its list, in pandas, by what the cells hold."""
    found = recognise(TABLES["lists"], table.names)
    user = next(iter(found.get("user_id", ())), None)
    if user is None or name not in table.names:
        return ONE_ROW_EACH
    cell = next(filter(None, map(str.strip, table.sample.get(name, ()))), "")
    column, are_objects = f"df[{name!r}]", "{" in cell[:3] or "object" in table.held.get(name, "")
    first = f"df = df.explode({name!r}, ignore_index=True)"
    if name not in table.held and name not in table.lists:
        mark = "'|'" if "|" in cell else ""
        read = ".map(ast.literal_eval)" if cell[:1] in ("[", "(") else f".str.split({mark})"
        first = f"{column} = {column}{read}; {first}"
    if are_objects:
        return f"Write them so: in pandas {first}; df = df[[{user!r}]].join(pandas.json_normalize({column}))."
    if name not in found.get("item_id", ()):
        first += f".rename(columns={{{name!r}: 'item_id'}})"
    return f"Write them so: in pandas {first}; df['rank'] = df.groupby({user!r}).cumcount() + 1."


def _lists_of_items(table: Table, found: Mapping[str, tuple[str, ...]]) -> str | None:
    """The column of items where its cells are lists: no value stands beside them, and each user once."""
    user, item = found["user_id"][0], found["item_id"][0]
    cells, users = [cell for cell in table.sample[item] if cell], table.sample[user]
    is_listed = bool(cells) and all(map(_is_list, cells)) and len(set(users)) == len(users)
    return item if is_listed and {"score", "rank", "rating"}.isdisjoint(found) else None


def _is_list(cell: str) -> bool:
    """Whether a cell is several ids: in brackets, or between bars or blanks."""
    ids = cell.split()
    return cell[:1] in ("[", "(") or "|" in cell or (len(ids) > 1 and all(map(str.isdigit, ids)))


def of_matrix(table: Table, stem: str) -> str | None:
    """``score_users`` or ``score_items`` for the ids of the rows or columns of a matrix, else None."""
    found = [role for role in ("user_id", "item_id") if role in recognise(TABLES["scores"], table.names)]
    if table.names == ("id",) or (len(table.names) == 1 and not table.has_header):
        found = [role for role in ("user_id", "item_id") if role.removesuffix("_id") in stem.lower()]
    is_scored = "score" in recognise(TABLES["scores"], table.names)
    return None if len(found) != 1 or is_scored else f"score_{found[0].removesuffix('_id')}s"


def mapped(table: Table, kind: str, columns: Mapping[str, tuple[str, ...]], findings: Findings) -> Mapped:
    """The roles of a table's columns: what the user says first, then what is recognised by name."""
    declared = TABLES[kind]
    found: dict[str, tuple[str, ...]] = {}
    left_out: set[str] = set()
    for said, names in columns.items():
        role = declared.role_named(said)
        here = tuple(name for name in names if name in table.known)
        if role is not None and here:
            found.setdefault(role, here[:1])
        elif role is not None and not names:
            left_out.add(role)
    if not table.has_header:
        found = _by_position(table, kind, found)
    taken = {name for names in found.values() for name in names}
    for role, names in recognise(declared, [name for name in table.names if name not in taken]).items():
        if role not in left_out:
            found.setdefault(role, names)
    for column in declared.columns:
        if column.required and column.role not in found:
            listed = ", ".join(table.names)
            options = as_options(column.role, ())
            facts = {"found": listed, "meaning": column.meaning, "options": options}
            findings.add("COL-001", file=table.name, role=column.role, **facts)
    taken = {name for names in found.values() for name in names}
    rest = tuple(name for name in table.names if name not in taken)
    kept = tuple(name for name in rest if kind in OF_COLUMNS and name not in table.held)
    unused = dict.fromkeys((name for name in rest if name not in kept), "no role in this table")
    texts = [name for name in rest if is_text(table, name)]
    kept = tuple(name for name in kept if name not in texts)
    unused |= dict.fromkeys(texts, "a text about the item" if kind in _OF_ITEMS else "personal text: dropped")
    return Mapped(table, kind, found, groups=kept, unused=unused)


def _by_position(table: Table, kind: str, found: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """User, item and value from the left, of a table without a header, but for what the user says."""
    roles = [
        column.role
        for column in TABLES[kind].columns
        if column.role in ("user_id", "item_id", "score", "rating")
    ]
    free = [role for role in roles[:3] if role not in found]
    taken = {name for names in found.values() for name in names}
    places = [name for name in table.names[:3] if name not in taken]
    return {**found, **{role: (name,) for role, name in zip(free, places, strict=False)}}
