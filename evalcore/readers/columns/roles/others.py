"""Columns without a role: groups, numbers, and what is left out."""

from __future__ import annotations

from dataclasses import replace

from evalcore.readers.columns.mapping import POST_NAMES, Mapped
from evalcore.readers.columns.score_columns import numeric_sample
from evalcore.schema import is_list_name, is_text_name, plain

_FEW_NUMBERS = 50
_ID_LIKE = 0.5

_ROW_ONCE_MORE = "names the row once more"
_OWN_VALUE = "a value of its own in most rows"


def with_units(mapped: Mapped, named_texts: list[str]) -> Mapped:
    """Where each row is a post of its own, ids that are left out are read too: they may name the posts."""
    taken = mapped.one("post_id") or mapped.one("query_id")
    cells = mapped.table.sample.get(taken, ()) if taken is not None else ()
    is_scored = mapped.kind == "queries" or "probability" in mapped.roles
    if not is_scored or len(cells) < 2 or len(set(cells)) < len(cells):
        return mapped
    ids = [name for name, why in mapped.unused.items() if why in (_ROW_ONCE_MORE, _OWN_VALUE)]
    units = [name for name in (*ids, *named_texts) if name not in mapped.table.held]
    return replace(mapped, units=tuple(units))


def with_others(mapped: Mapped, names: list[str]) -> Mapped:
    """The columns without a role: few values make a group, numbers are kept, what names rows is left out."""
    groups: list[str] = []
    numbers: list[str] = []
    unused = dict.fromkeys(mapped.table.nameless, "has no name") | dict(mapped.unused)
    for name in names:
        cells = mapped.table.sample.get(name, ())
        values = numeric_sample(mapped.table, name)
        distinct = len(set(cells))
        if name in mapped.table.held or name in mapped.table.nested:
            unused[name] = mapped.table.held.get(name, "several values in a cell")
        elif not distinct or set(cells) == {""}:
            unused[name] = "empty"
        elif plain(name) in ("query_id", "id"):
            unused[name] = _ROW_ONCE_MORE
        elif plain(name) in POST_NAMES and not is_text_name(name):
            groups.append(name)  # another column was taken for the post: who relies on it must see this one
        elif is_list_name(name):
            unused[name] = "a list, without a gold_ids column"
        elif values is not None and (distinct > _FEW_NUMBERS or not all(v.is_integer() for v in values)):
            numbers.append(name)
        elif distinct > _FEW_NUMBERS and distinct > _ID_LIKE * len(cells):
            unused[name] = _OWN_VALUE
        else:
            groups.append(name)
    if mapped.kind != "queries" and "probability" not in mapped.roles:
        unused.update(dict.fromkeys(numbers, "no role in this table"))
        numbers = []
    return replace(mapped, groups=tuple(groups), numbers=tuple(numbers), unused=unused)
