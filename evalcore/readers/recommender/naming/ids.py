"""Ids of all files as one list in the order in which ties are broken, and pairs as codes of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalcore.problems import SHOWN, Findings
from evalcore.readers.columns.ids import lookalikes, report_lookalikes
from evalcore.readers.evidence.rows import Rows, check_floating_ids
from evalcore.readers.formats.table import Texts
from evalcore.recommendations import Codes, in_order

PADDING = ("-1", "[PAD]", "<pad>", "<PAD>", "PAD", "[pad]")
"""Ids with which tools fill short lists up; 0 is an id like others, and a list that repeats it is refused."""


@dataclass(frozen=True, eq=False)
class Ids:
    """The ids of users or of items.

    Parameters
    ----------
    texts : shape (U,), in the order of `in_order`.
    index : id → its code.
    """

    texts: NDArray[np.object_]
    index: Mapping[str, int]

    @staticmethod
    def of(levels: Iterable[Iterable[str]]) -> Ids:
        """The ids in several columns, each once."""
        known: dict[str, None] = {}
        for part in levels:
            known.update(dict.fromkeys(part))
        known.pop("", None)
        ordered = in_order(known)
        texts = np.empty(len(ordered), object)
        texts[:] = ordered
        return Ids(texts, {text: code for code, text in enumerate(ordered)})

    def __len__(self) -> int:
        return len(self.texts)

    def codes(self, texts: Texts) -> Codes:
        """The code of each row, −1 for an id that is not among them."""
        of_level = np.asarray([self.index.get(text, -1) for text in texts.levels.tolist()], np.intp)
        return of_level[texts.codes] if len(of_level) else np.zeros(len(texts.codes), np.intp)


def check_ids(rows: Rows, role: str, findings: Findings, *, is_whole: bool = True) -> Texts:
    """The ids of a column; what is no text, looks alike, is empty or only fills lists up is reported.

    Parameters
    ----------
    is_whole : whether they are all ids of the file: how they are written is told of all of them.
    """
    texts, column = rows.text(role), str(rows.mapped.one(role))
    assert texts is not None
    if is_whole:
        tell_written(rows, column, texts, rows.row, findings)
    expected = "the id of a user" if role == "user_id" else "the id of an item"
    for text in ("", *PADDING):
        code = np.flatnonzero(texts.levels == text)
        at = np.flatnonzero(texts.codes == code[0]) if len(code) else code
        facts = {"expected": expected} if not text else {"found": text}
        where = [(int(rows.row[i]), facts) for i in at[:SHOWN]]
        findings.add_rows("RCM-012" if text else "QRY-005", where, len(at), file=rows.name, column=column)
    return texts


def tell_written(rows: Rows, column: str, texts: Texts, row: NDArray[np.intp], findings: Findings) -> None:
    """Name ids of a column that are no text, or look alike; ``row`` is the data row of each."""
    check_floating_ids(rows, column, texts, findings, row)
    report_lookalikes(texts, row, rows.name, column, findings)


def check_across(by_file: Mapping[str, Iterable[str]], ids: Ids, findings: Findings) -> None:
    """Name ids that look alike and stand in different files: ``1`` here and ``1.0`` there.

    Parameters
    ----------
    by_file : file → its ids.
    """
    groups = [[str(ids.texts[code]) for code in group] for group in lookalikes(ids.texts)]
    if not groups:
        return
    holders = {
        text: [name for name, held in by_file.items() if text in held] for group in groups for text in group
    }
    apart = [group for group in groups if not any(all(n in holders[text] for text in group) for n in by_file)]
    for group in apart[:SHOWN]:
        named = [f"“{text}” ({holders[text][0] if holders[text] else 'elsewhere'})" for text in group]
        findings.add("RCM-013", found=" and ".join(named))
    findings.count_more("RCM-013", len(apart))
