"""The explorer of data in one call: as a file, and inside a notebook."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path

from evalcore.data import Data
from evalcore.explorer.page import explorer_of, write_explorer
from evalcore.operating_point import OperatingPoint
from evalcore.operating_point.choose import checked_thresholds
from evalcore.operating_point.choosing.request import constraints_of, targets_of
from evalcore.operating_point.constraints import Constraint, Thresholds, find_thresholds
from evalcore.operating_point.document.groups import marks_of
from evalcore.operating_point.document.verifying.rows import rows_of
from evalcore.operating_point.test_rows.row_sets import RowSet, row_set
from evalcore.operating_point.test_rows.site_rows import groups_in
from evalcore.operating_point.tradeoff.groups import Mark, check_marks
from evalcore.problems import InputError, problem
from evalcore.splits import tune_split

HEIGHT = 900
"""Pixels of the frame: a page within it may not tell the notebook how high it is."""


@dataclass(frozen=True)
class Explorer:
    """The threshold explorer of some rows.

    Parameters
    ----------
    page : its HTML, which needs no server and reaches none.
    counted_on : on which rows, in words.
    """

    page: str
    counted_on: str

    def save(self, path: Path | str, *, overwrite: bool = False) -> Path:
        """Write the page as a file; an earlier one is replaced, any other file only if told so.

        Raises
        ------
        OSError : when the file cannot be written; what stood there before is untouched.
        """
        return write_explorer(Path(path), self.page, overwrite=overwrite)

    def __repr__(self) -> str:
        return f"<Explorer, counted on {self.counted_on}>"

    def _repr_html_(self) -> str:
        """The page in a frame of its own, which can neither read nor change the notebook."""
        frame = 'sandbox="allow-scripts allow-downloads" title="Threshold explorer"'
        look = f"width:100%;height:{HEIGHT}px;border:0"
        return f'<iframe {frame} style="{look}" srcdoc="{escape(self.page)}"></iframe>'


def explore(
    data: Data,
    *,
    model: str | None = None,
    tune: str | None = None,
    screening_sensitivity: float = 0.995,
    alert_precision: float = 0.9,
    confidence: float = 0.95,
    tau_neg: float | None = None,
    tau_pos: float | None = None,
    point: OperatingPoint | None = None,
    must_not_miss: Collection[Mark] = (),
) -> Explorer:
    """The threshold explorer of data, as ``evalcore explore`` writes it; the last line of a cell shows it.

    Parameters
    ----------
    data : checked data with labels and scores.
    model : the model; None takes the first, and the page names it.
    tune : value of the split column to count on; None: the tune rows where there are any, else all.
    screening_sensitivity, alert_precision, confidence : the targets.
    tau_neg, tau_pos : where the handles stand at first; None: where the estimates reach the targets.
    point : a document, whose rows, targets, groups and thresholds are taken; the rest is then left out.
    must_not_miss : groups that must not be missed, each a column and a level.

    Raises
    ------
    InputError : OPT-005 for one threshold alone; DOC-005 or OPT-070 where the rows of the document are not
        among the data; as for `evalcore.choose_operating_point`.
    """
    if point is None and (tau_neg is None) != (tau_pos is None):
        raise InputError([problem("OPT-005")])
    marks = list(dict.fromkeys([*(() if point is None else marks_of(point.document)), *must_not_miss]))
    groups = groups_in(data)
    if groups is not None:
        check_marks(groups, marks)
    if point is not None:
        rows = _rows_of(point, data)
        return _explorer(rows, _targets_of(point), Thresholds(point.tau_neg, point.tau_pos), marks)
    split = tune_split(data) if tune is None else tune
    rows = row_set(data, "all" if split is None else "tune", split=split, model=model)
    constraints = constraints_of(screening_sensitivity, alert_precision, confidence)
    if tau_neg is not None:
        return _explorer(rows, constraints, checked_thresholds(rows.data, tau_neg, tau_pos), marks)
    estimates = targets_of(tuple(replace(one, confidence=None) for one in constraints))
    found = find_thresholds(rows.table, *estimates, posts=rows.posts_to_choose_by(*estimates))
    return _explorer(rows, constraints, found, marks)


def _explorer(
    rows: RowSet, constraints: tuple[Constraint, ...], thresholds: Thresholds, marks: list[Mark]
) -> Explorer:
    return Explorer(explorer_of(rows, constraints, thresholds, marks=marks), rows.in_words)


def _rows_of(point: OperatingPoint, data: Data) -> RowSet:
    """The rows that a document was chosen on, found again in the data."""
    entry = point.document["data"][0]
    rows = rows_of(entry, [data], point.document)
    if rows is None:
        raise InputError([problem("OPT-070", found=entry["row_filter"] or "every row")])
    return rows


def _targets_of(point: OperatingPoint) -> tuple[Constraint, ...]:
    stated = map(Constraint.from_json, point.document["selection"]["constraints"])
    return tuple(one for one in stated if one is not None)
