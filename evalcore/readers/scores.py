"""Scores and other numbers of a column, each cell that is none named with its row."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from evalcore.problems import SHOWN, Findings
from evalcore.readers.cells import number_text, spells_number
from evalcore.readers.table import Numbers

_PERCENT = "Divide percentages by 100."
_POINT = "Write decimals with a point."
_SCALE = "Say --score-kind score if another scale is meant (a margin, a logit)."
_CORRECT = "Correct the score or leave the row out."

CellTexts = Callable[[], Callable[[int], str]]


def check_scores(
    numbers: Numbers,
    is_probability: bool,
    row: NDArray[np.intp],
    cells: CellTexts,
    file: str,
    column: str,
    findings: Findings,
) -> NDArray[np.bool_]:
    """Where the score can be used, shape (N,); every other cell is reported.

    Parameters
    ----------
    numbers : the column.
    is_probability : whether scores must lie in [0, 1].
    row : data rows from 1.
    cells : reads the column as text, for messages.
    """
    is_finite = np.isfinite(numbers.values)
    with np.errstate(invalid="ignore"):
        in_range = (numbers.values >= 0) & (numbers.values <= 1) if is_probability else is_finite
    is_good = is_finite & in_range
    if is_good.all():
        return is_good
    cell = cells()
    expected = "a probability from 0 to 1" if is_probability else "a number"
    not_finite = ~is_finite & ~numbers.is_empty & ~numbers.is_unreadable
    outside = is_finite & ~in_range
    for code, rows in (
        ("QRY-003" if is_probability else "QRY-004", np.flatnonzero(numbers.is_unreadable | outside)),
        ("QRY-004", np.flatnonzero(not_finite)),
    ):
        facts = ((int(row[i]), _facts(cell(i), is_probability)) for i in rows[:SHOWN])
        findings.add_rows(code, facts, len(rows), file=file, column=column)
    empty = np.flatnonzero(numbers.is_empty)
    where: list[tuple[int, dict[str, str]]] = [(int(row[i]), {}) for i in empty[:SHOWN]]
    findings.add_rows("QRY-005", where, len(empty), file=file, column=column, expected=expected)
    return is_good


def _facts(cell: str, is_probability: bool) -> dict[str, str]:
    found = cell.strip()[:40]
    if not is_probability:
        return {"found": found}
    number = found.removesuffix("%").strip().replace(",", ".")
    if not spells_number(number):
        return {"found": found, "advice": _CORRECT}
    value = float(number)
    if 0 <= value <= 1 and not found.endswith("%"):
        return {"found": found, "advice": _POINT}
    if found.endswith("%") or 1 < value <= 100:
        return {"found": found, "advice": _PERCENT}
    return {"found": found, "advice": _SCALE}


def check_numbers(
    numbers: Numbers, row: NDArray[np.intp], cells: CellTexts, file: str, column: str, findings: Findings
) -> None:
    """Report cells of a number column that are neither empty nor a finite number."""
    bad = np.flatnonzero(numbers.is_unreadable | (~np.isfinite(numbers.values) & ~numbers.is_empty))
    if not len(bad):
        return
    cell = cells()
    facts = ((int(row[i]), {"found": cell(i).strip()[:40]}) for i in bad[:SHOWN])
    findings.add_rows("QRY-014", facts, len(bad), file=file, column=column, expected="a finite number")


def check_thresholds(
    tau_neg: Numbers, tau_pos: Numbers, row: NDArray[np.intp], file: str, column: str, findings: Findings
) -> None:
    """Report rows whose own thresholds are crossed."""
    with np.errstate(invalid="ignore"):
        crossed = np.flatnonzero(tau_neg.values > tau_pos.values)
    facts = (
        (int(row[i]), {"tau_neg": number_text(tau_neg.values[i]), "tau_pos": number_text(tau_pos.values[i])})
        for i in crossed[:SHOWN]
    )
    findings.add_rows("QRY-012", facts, len(crossed), file=file, column=column)
