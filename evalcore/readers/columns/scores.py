"""Scores and other numbers of a column, each cell that is none named with its row."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from evalcore.problems import SHOWN, Findings
from evalcore.readers.columns.inner import is_several
from evalcore.readers.formats.cells import number_text, parts_thousands, spells_number
from evalcore.readers.formats.table import Numbers

_PERCENT = "Divide percentages by 100."
_POINT = "Write decimals with a point."
_OR_PERCENT = (
    "Correct the score, or say --score-kind score if another scale is meant; only a column of percentages is "
    "divided by 100, and then all of it."
)
_SCALE = "Say --score-kind score if another scale is meant (a margin, a logit)."
_NO_GROUPS = "Write decimals with a point, and no mark between thousands."
_CORRECT = "Correct the score or leave the row out."

_OF_FLOAT32, _OF_FLOAT16, _OF_BFLOAT16 = 1e-6, 2e-3, 1.6e-2
"""How far a sum of shares may pass 1: a few of the last places of these numbers."""

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
    is_percent = _are_percentages(numbers.values[is_finite])
    expected = "a probability from 0 to 1" if is_probability else "a number"
    not_finite = ~is_finite & ~numbers.is_empty & ~numbers.is_unreadable
    is_unreadable = numbers.is_unreadable.copy()
    several = [i for i in np.flatnonzero(is_unreadable).tolist() if is_several(cell(i))]
    if several:
        facts_of = {"found": cell(several[0]), "n": len(several), "n_rows": len(row)}
        findings.add("QRY-230", file=file, row=int(row[several[0]]), column=column, **facts_of)
        is_unreadable[several] = False
    outside = is_finite & ~in_range
    for code, rows in (
        ("QRY-003" if is_probability else "QRY-004", np.flatnonzero(is_unreadable | outside)),
        ("QRY-004", np.flatnonzero(not_finite)),
    ):
        facts = (
            (int(row[i]), _open(cell(i)) or _facts(cell(i), is_probability, is_percent))
            if numbers.is_unreadable[i]
            else (int(row[i]), _facts(cell(i), is_probability, is_percent))
            for i in rows[:SHOWN]
        )
        findings.add_rows(code, facts, len(rows), file=file, column=column)
    empty = np.flatnonzero(numbers.is_empty)
    words = [cell(i).strip() for i in empty[:SHOWN]]
    code = "QRY-100" if any(words) else "QRY-005"
    where = [(int(row[i]), {"found": word or "an empty cell"}) for i, word in zip(empty, words, strict=False)]
    findings.add_rows(code, where, len(empty), file=file, column=column, expected=expected)
    return is_good


def _open(cell: str) -> dict[str, str] | None:
    """What is said of a number whose mark may part decimals or thousands; None for anything else."""
    found = cell.strip()[:40]
    if not parts_thousands(found):
        return None
    whole = found.replace(",", "").replace(".", "")
    return {"found": f"{found}, which may be {found.replace(',', '.')} or {whole}", "advice": _NO_GROUPS}


def _are_percentages(values: NDArray[np.float64]) -> bool:
    """Whether numbers are percentages as a whole: none beyond 0 and 100, and half of them or more above 1."""
    return bool(len(values) and (values >= 0).all() and (values <= 100).all() and np.median(values) > 1)


def _facts(cell: str, is_probability: bool, is_percent: bool) -> dict[str, str]:
    found = cell.strip()[:40]
    if not is_probability:
        return {"found": found}
    number = found.removesuffix("%").strip().replace(",", ".")
    if not spells_number(number):
        return {"found": found, "advice": _CORRECT}
    value = float(number)
    if found.endswith("%"):
        return {"found": found, "advice": _PERCENT if 0 <= value <= 100 else _CORRECT}
    if 0 <= value <= 1:
        return {"found": found, "advice": _POINT}
    rounding = _rounding_of(value)
    if rounding is not None:
        return {"found": found, "advice": rounding}
    if 1 < value <= 100:
        return {"found": found, "advice": _PERCENT if is_percent else _OR_PERCENT}
    return {"found": found, "advice": _SCALE}


def _rounding_of(value: float) -> str | None:
    """What to do with a value that is 0 or 1 but for the rounding of a number of few bits, or None.

    >>> _rounding_of(1.0000001192092896)
    'It is 1 but for the rounding of float32: clip the scores to 0 and 1 (p.clip(0, 1) in pandas).'
    >>> _rounding_of(1.3)
    """
    limit = 1.0 if value > 1 else 0.0
    beyond = abs(value - limit)
    if beyond <= _OF_FLOAT32:
        kind = "float32"
    elif beyond <= _OF_FLOAT16 and float(np.float16(value)) == value:
        kind = "float16"
    elif beyond <= _OF_BFLOAT16 and (value * 128).is_integer():
        kind = "bfloat16"
    else:
        return None
    clip = "clip the scores to 0 and 1 (p.clip(0, 1) in pandas)"
    return f"It is {limit:g} but for the rounding of {kind}: {clip}."


def check_numbers(
    numbers: Numbers, row: NDArray[np.intp], cells: CellTexts, file: str, column: str, findings: Findings
) -> None:
    """Report cells of a number column that are neither empty nor a finite number."""
    bad = np.flatnonzero(numbers.is_unreadable | (~np.isfinite(numbers.values) & ~numbers.is_empty))
    if not len(bad):
        return
    cell = cells()
    facts = ((int(row[i]), _open(cell(i)) or {"found": cell(i).strip()[:40]}) for i in bad[:SHOWN])
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
