"""What names of columns and the cells below them say: the kind of table, the roles, and text."""

from __future__ import annotations

from collections.abc import Mapping

from evalcore.readers.columns.stated import parts_of
from evalcore.readers.formats.table import Table
from evalcore.schema import is_list_name, is_text_name, kind_of, recognise


def is_unmapped(name: str, found: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether a column has no role yet."""
    return not any(name in names for names in found.values())


def kind_by_names(table: Table, here: Mapping[str, tuple[str, ...]]) -> str | None:
    """The kind of a table by the roles that the user names, else by its columns; None where they fit none."""
    asked = {role for role, names in here.items() if names}
    if asked & {"gold_ids", "ranked_ids"} or any(is_list_name(role) for role in asked):
        return "ranked_lists"
    if asked & {"sent_uid", "is_gold"}:
        return "candidates"
    return kind_of(table.names) or ("queries" if asked else None)


def roles_by_names(
    table: Table, kind: str, here: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    """Role → columns: what the user says first, then what is recognised among the other columns."""
    found: dict[str, tuple[str, ...]] = {}
    left_out: set[str] = set()
    parts = parts_of(kind)
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
        if role in found and role not in here and holds_text(table, found[role][0]):
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


def is_text(table: Table, name: str) -> bool:
    """Whether a column holds personal text, by its name or its cells."""
    return is_text_name(name) or holds_text(table, name)


def holds_text(table: Table, name: str) -> bool:
    """Whether the cells are free text: long, or mostly sentences that do not repeat."""
    cells = [cell for cell in table.sample.get(name, ()) if cell]
    if not cells or name in table.held or name in table.nested:
        return False
    if sum(map(len, cells)) > 200 * len(cells) and not cells[0].startswith("[") and "|" not in cells[0]:
        return True
    n_sentences = sum(len(cell.split()) >= 5 for cell in cells)
    return n_sentences > len(cells) / 2 and len(set(cells)) > len(cells) / 2
