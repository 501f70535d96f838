"""How yes, no, nothing and the state of a response are spelled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from evalcore.annotations import NO, UNSAID, YES
from evalcore.problems import SHOWN, Findings
from evalcore.readers.formats.table import Texts
from evalcore.schema import binary

NOTHING = frozenset({"", "nan", "none", "null", "na", "n/a", "<na>"})
_WORDS: Mapping[str, int] = {"yes": YES, "y": YES, "t": YES, "no": NO, "n": NO, "f": NO}
_INVALID = -2
_SUBMITTED = frozenset({"", "submitted", "completed", "complete", "valid"})
_DISCARDED = frozenset({"discarded", "discard", "rejected"})
_UNFINISHED = frozenset({"draft", "pending"})


def meaning_of(cell: str) -> int | None:
    """`YES`, `NO` or `UNSAID`; None where the cell is none of these.

    >>> meaning_of("TRUE"), meaning_of("no"), meaning_of(""), meaning_of("maybe")
    (1, 0, -1, None)
    """
    known = binary(cell)
    if known is not None:
        return YES if known else NO
    text = cell.strip().lower()
    return UNSAID if text in NOTHING else _WORDS.get(text)


def labels_said(
    texts: Texts,
    counts: NDArray[np.bool_],
    row: NDArray[np.intp],
    file: str,
    column: str,
    findings: Findings,
) -> NDArray[np.int8]:
    """What a column of labels says, shape (N,): `YES`, `NO` or `UNSAID`; −2 for what is no label, reported.

    Parameters
    ----------
    texts : the cells.
    counts : bool, shape (N,): rows whose label says something; elsewhere it is `UNSAID` and never a problem.
    row, file, column : where they stand, for messages.
    """
    meanings = [meaning_of(level) for level in texts.levels.tolist()]
    of_level = np.asarray([_INVALID if m is None else m for m in meanings], np.int8)
    said = np.where(counts, of_level[texts.codes], np.int8(UNSAID)).astype(np.int8)
    wrong = np.flatnonzero(said == _INVALID)
    facts = ((int(row[i]), {"found": texts.at(i)[:40]}) for i in wrong[:SHOWN])
    findings.add_rows("RAG-002", facts, len(wrong), file=file, column=column)
    return said


def flags(
    texts: Texts, default: bool, row: NDArray[np.intp], file: str, column: str, findings: Findings
) -> NDArray[np.bool_]:
    """A column of true and false, shape (N,), ``default`` where it is empty."""
    said = labels_said(texts, np.ones(len(row), bool), row, file, column, findings)
    return np.where(said == UNSAID, default, said == YES)


def is_unfinished(state: str) -> bool:
    """Whether the state of a response is that of a draft."""
    return state.strip().lower() in _UNFINISHED


def status_of(
    texts: Texts, row: NDArray[np.intp], file: str, column: str, findings: Findings
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Whether each response was submitted, and whether it is unfinished (a draft), both of shape (N,)."""
    levels = [level.strip().lower() for level in texts.levels.tolist()]
    known = _SUBMITTED | _DISCARDED | _UNFINISHED
    is_known = np.asarray([level in known for level in levels], bool)[texts.codes]
    wrong = np.flatnonzero(~is_known)
    facts = ((int(row[i]), {"found": texts.at(i)[:40]}) for i in wrong[:SHOWN])
    findings.add_rows("RAG-013", facts, len(wrong), file=file, column=column)
    is_submitted = np.asarray([level in _SUBMITTED for level in levels], bool)[texts.codes]
    return is_submitted, np.asarray([level in _UNFINISHED for level in levels], bool)[texts.codes]


def as_flags(texts: Texts) -> Texts:
    """A column to break down by whose cells all mean yes, no or nothing, spelled ``true`` and ``false``."""
    return spelled_as_flags(texts) if are_flags(texts.levels.tolist()) else texts


def are_flags(cells: Sequence[str]) -> bool:
    """Whether cells all mean yes, no or nothing, in words."""
    meanings = {meaning_of(cell) for cell in cells}
    if None in meanings or not meanings & {YES, NO}:
        return False
    return all(cell.strip().lower() not in ("0", "1", "0.0", "1.0") for cell in cells)


def spelled_as_flags(texts: Texts) -> Texts:
    """Cells that mean yes, no or nothing, spelled ``true``, ``false`` and empty."""
    meanings = [meaning_of(level) for level in texts.levels.tolist()]
    spelled = ["true" if m == YES else "false" if m == NO else "" for m in meanings]
    index: dict[str, int] = {}
    of_level = np.asarray([index.setdefault(text, len(index)) for text in spelled], np.int32)
    return Texts(of_level[texts.codes], np.asarray(list(index), object))
