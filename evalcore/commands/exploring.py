"""The command that writes the threshold explorer as a file."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

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
    from evalcore.operating_point import OperatingPoint

GIVEN = ("tau_neg", "tau_pos")
TARGETS = ("screening_sensitivity", "alert_precision", "confidence", "tune", "model")
"""What may be said beside thresholds; None in the arguments tells that nobody did."""


def explore(arguments: argparse.Namespace) -> int:
    """Write the threshold explorer as one HTML file that opens without a server or a network."""
    from evalcore.explorer import inline
    from evalcore.operating_point.test_rows.site_rows import groups_in
    from evalcore.operating_point.tradeoff.groups import group_columns, read_mark

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
    if point is None:
        ask_for_model(arguments.model, data)
    given = {name: getattr(arguments, name) for name in (*GIVEN, *TARGETS)}
    explorer = inline.explore(
        data,
        point=point,
        must_not_miss=[read_mark(text) for text in arguments.must_not_miss or []],
        **{name: value for name, value in given.items() if value is not None},
    )
    print(f"Counted on {explorer.counted_on}.", file=sys.stderr)
    print(explorer.save(arguments.out, overwrite=arguments.overwrite))
    return DONE


def _check_together(arguments: argparse.Namespace) -> None:
    """Refuse one threshold alone, and beside a document what it says itself."""
    if (arguments.tau_neg is None) != (arguments.tau_pos is None):
        raise InputError([problem("OPT-005")])
    others = [
        f"--{name.replace('_', '-')}" for name in (*GIVEN, *TARGETS) if getattr(arguments, name) is not None
    ]
    if arguments.point is not None and others:
        advice = "The document says its thresholds, targets, rows and model."
        found = f"--point and {' and '.join(others)}"
        raise InputError([problem("OPT-008", found=found, expected="one of them", advice=advice)])


def _document(arguments: argparse.Namespace) -> OperatingPoint | None:
    from evalcore.operating_point import OperatingPoint

    return None if arguments.point is None else OperatingPoint.load(Path(arguments.point))
