"""Ranked lists: a row per query with its gold and one or more lists, best first."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.problems import Findings
from evalcore.readers.columns.ids import Keys
from evalcore.readers.columns.lists import Lists, lists_of
from evalcore.readers.columns.separators import separated
from evalcore.readers.evidence.rankings import Gold, ModelList, RankingPart
from evalcore.readers.evidence.repeats import Place, check_repeats
from evalcore.readers.evidence.rows import Rows, check_floating_ids, groups_of
from evalcore.readers.formats.table import Texts

_GROUPS = ("fold", "split", "state")


def ranked_list_parts(rows: Rows, keys: Keys, keep_first: bool, findings: Findings) -> list[RankingPart]:
    """The rankings of a table, a part for each model of its model column."""
    gold, lists = _lists(rows, findings)
    groups, _ = groups_of(rows, _GROUPS)
    model = rows.text("model")
    parts: list[RankingPart] = []
    n_repeats = 0
    for name, mask in _models(model, rows.columns.n_rows):
        own_keys = _where(keys, mask)
        found: list[ModelList] = []
        for column, one in lists.items():
            kept, dropped = check_repeats(
                _model_list(one, mask, _name(name, column, len(lists))),
                own_keys,
                Place(rows.name, column, rows.row[mask][_selected(one, mask).row]),
                keep_first,
                findings,
            )
            found.append(kept)
            n_repeats += len(dropped)
        parts.append(
            RankingPart(
                file=rows.name,
                kind="ranked_lists",
                keys=own_keys,
                row=rows.row[mask],
                groups={group: texts.where(mask) for group, texts in groups.items()},
                gold=_gold(_selected(gold, mask)) if gold is not None else None,
                is_complete=gold is not None,
                lists=tuple(found),
            )
        )
    if n_repeats and keep_first:
        findings.add("RNK-011", file=rows.name, n=n_repeats)
    return parts


def _lists(rows: Rows, findings: Findings) -> tuple[Lists | None, dict[str, Lists]]:
    """The gold, or None where the file judges nothing, and each column of lists."""
    gold = rows.mapped.one("gold_ids")
    columns = [*([gold] if gold is not None else []), *rows.mapped.roles.get("ranked_ids", ())]
    raw = {column: rows.columns.raw[column] for column in columns}
    read = {
        column: lists_of(raw[column], rows.row, rows.name, column, column == gold, findings)
        for column in columns
    }
    found = separated(raw, read, gold, rows.row, rows.name, findings)
    for column, one in found.items():
        check_floating_ids(rows, column, one.item, findings, rows.row[one.row])
    return found.pop(gold) if gold is not None else None, found


def _models(model: Texts | None, n_rows: int) -> list[tuple[str | None, NDArray[np.bool_]]]:
    if model is None:
        return [(None, np.ones(n_rows, bool))]
    return [(str(level), model.codes == code) for code, level in enumerate(model.levels)]


def _name(model: str | None, column: str, n_columns: int) -> str:
    if model is None:
        return column
    return model if n_columns == 1 else f"{model} {column}"


def _where(keys: Keys, mask: NDArray[Any]) -> Keys:
    criterion = keys.criterion.where(mask) if keys.criterion is not None else None
    return Keys(keys.post.where(mask), criterion, keys.has_posts, keys.has_ids)


def _selected(lists: Lists, mask: NDArray[np.bool_]) -> Lists:
    if mask.all():
        return lists
    kept = mask[lists.row]
    renumbered = np.cumsum(mask) - 1
    return Lists(renumbered[lists.row[kept]], lists.position[kept], lists.item.where(kept), int(mask.sum()))


def _model_list(lists: Lists, mask: NDArray[np.bool_], model: str) -> ModelList:
    own = _selected(lists, mask)
    return ModelList(model, own.row, own.item, (0 - own.position).astype(np.float64), False, own.lengths())


def _gold(lists: Lists) -> Gold:
    return Gold(lists.row, lists.item, np.ones(len(lists.row), np.int64))
