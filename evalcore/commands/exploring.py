"""The command that writes the threshold explorer as a file."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalcore.commands.gathering import on_grid
from evalcore.commands.reading import (
    DONE,
    ask_for_model,
    columns_used,
    every_input,
    keep_inputs,
    load,
    load_as_read,
    warn,
)
from evalcore.problems import InputError, problem

if TYPE_CHECKING:
    from evalcore.data import Data
    from evalcore.operating_point import OperatingPoint
    from evalcore.operating_point.constraints import Constraint, Thresholds
    from evalcore.operating_point.test_rows.row_sets import RowSet

USUAL: dict[str, Any] = {"screening_sensitivity": 0.995, "alert_precision": 0.9, "confidence": 0.95}
"""Targets that nobody says, as `choose` has them; None in the arguments tells that nobody did."""


def explore(arguments: argparse.Namespace) -> int:
    """Write the threshold explorer as one HTML file that opens without a server or a network."""
    from evalcore.explorer.page import explorer_of, write_explorer
    from evalcore.operating_point.test_rows.site_rows import groups_in
    from evalcore.operating_point.tradeoff.groups import group_columns

    keep_inputs(arguments.out, *every_input(arguments), arguments.point)
    _check_together(arguments)
    point = _document(arguments)
    if point is None:
        data = load(arguments, takes_tallies=True)
    else:
        data = load_as_read(arguments, arguments.inputs, point.reading, takes_tallies=True)
    if arguments.grid is not None:
        groups = groups_in(data)
        data = on_grid(arguments, data, by=() if groups is None else group_columns(groups)).data
    for line in [*columns_used(data), *data.notes]:
        print(line, file=sys.stderr)
    warn(data)
    rows = _rows(arguments, data) if point is None else _rows_of(point, data)
    print(f"Counted on {rows.in_words}.", file=sys.stderr)
    aim = _aim(arguments, rows) if point is None else _aim_of(point)
    page = explorer_of(rows, *aim, marks=_marks(arguments, data, point))
    print(write_explorer(Path(arguments.out), page, overwrite=arguments.overwrite))
    return DONE


def _marks(arguments: argparse.Namespace, data: Data, point: OperatingPoint | None) -> list[tuple[str, str]]:
    """The groups that must not be missed: those of the document, then those asked for.

    Raises
    ------
    InputError : OPT-071 to OPT-073, for a mark that cannot be read or names no group of the data.
    """
    from evalcore.operating_point.document.groups import marks_of
    from evalcore.operating_point.test_rows.site_rows import groups_in
    from evalcore.operating_point.tradeoff.groups import check_marks, read_mark

    marks = [] if point is None else [*marks_of(point.document)]
    marks += [read_mark(text) for text in arguments.must_not_miss or []]
    groups = groups_in(data)
    if groups is not None:
        check_marks(groups, marks)
    return list(dict.fromkeys(marks))


def _check_together(arguments: argparse.Namespace) -> None:
    """Refuse one threshold alone, and beside a document what it says itself."""
    if (arguments.tau_neg is None) != (arguments.tau_pos is None):
        raise InputError([problem("OPT-005")])
    names = ("tau_neg", "tau_pos", *USUAL, "tune", "model")
    others = [f"--{name.replace('_', '-')}" for name in names if getattr(arguments, name) is not None]
    if arguments.point is not None and others:
        advice = "The document says its thresholds, targets, rows and model."
        found = f"--point and {' and '.join(others)}"
        raise InputError([problem("OPT-008", found=found, expected="one of them", advice=advice)])


def _document(arguments: argparse.Namespace) -> OperatingPoint | None:
    from evalcore.operating_point import OperatingPoint

    return None if arguments.point is None else OperatingPoint.load(Path(arguments.point))


def _rows(arguments: argparse.Namespace, data: Data) -> RowSet:
    """The rows to choose on: those asked for, else the tune rows where there are any, else all."""
    from evalcore.operating_point.test_rows.row_sets import row_set
    from evalcore.splits import tune_split

    ask_for_model(arguments.model, data)
    tune = arguments.tune if arguments.tune is not None else tune_split(data)
    return row_set(data, "all" if tune is None else "tune", split=tune, model=arguments.model)


def _rows_of(point: OperatingPoint, data: Data) -> RowSet:
    """The rows that a document was chosen on, found again in the data.

    Raises
    ------
    InputError : DOC-005 for other data; OPT-070 where its rows are not among these.
    """
    from evalcore.operating_point.document.verify import rows_of

    entry = point.document["data"][0]
    rows = rows_of(entry, [data], point.document)
    if rows is None:
        raise InputError([problem("OPT-070", found=entry["row_filter"] or "every row")])
    return rows


def _aim(arguments: argparse.Namespace, rows: RowSet) -> tuple[tuple[Constraint, ...], Thresholds]:
    """The targets that were asked for, and the thresholds: given, or what the estimates allow."""
    from evalcore.operating_point.choose import checked_thresholds
    from evalcore.operating_point.choosing.request import constraints_of, targets_of
    from evalcore.operating_point.constraints import find_thresholds

    asked = {name: getattr(arguments, name) for name in USUAL}
    constraints = constraints_of(
        **{name: USUAL[name] if asked[name] is None else asked[name] for name in USUAL}
    )
    if arguments.tau_neg is not None:
        return constraints, checked_thresholds(rows.data, arguments.tau_neg, arguments.tau_pos)
    estimates = targets_of(tuple(replace(one, confidence=None) for one in constraints))
    return constraints, find_thresholds(rows.table, *estimates, posts=rows.posts_to_choose_by(*estimates))


def _aim_of(point: OperatingPoint) -> tuple[tuple[Constraint, ...], Thresholds]:
    """The targets and the thresholds of a document."""
    from evalcore.operating_point.constraints import Constraint, Thresholds

    stated = map(Constraint.from_json, point.document["selection"]["constraints"])
    return tuple(one for one in stated if one is not None), Thresholds(point.tau_neg, point.tau_pos)
