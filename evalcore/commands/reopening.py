"""The command that opens a document of thresholds again."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalcore.commands.reading import DOES_NOT_HOLD, DONE, keep_inputs, load, load_as_read
from evalcore.problems import InputError
from evalcore.text.legible import one_line

if TYPE_CHECKING:
    from evalcore.operating_point import OperatingPoint


def show(arguments: argparse.Namespace) -> int:
    """Print a document in words, recomputed on its own data or held against new rows, and as a page."""
    from evalcore.operating_point import OperatingPoint, reopened
    from evalcore.operating_point.reopening.words import changes_in_words, in_words

    if arguments.out is not None:
        keep_inputs(arguments.out, arguments.point, *arguments.inputs, *arguments.against)
    point = OperatingPoint.load(Path(arguments.point))
    data = read_for(arguments, point, arguments.inputs, takes_tallies=True)
    against = load_as_read(arguments, arguments.against, point.reading) if arguments.against else None
    found = reopened(point, data, against=against)
    if found.problems:
        raise InputError(list(found.problems))
    if arguments.json:
        print(json.dumps(found.as_json(), indent=2, ensure_ascii=False, allow_nan=False))
    else:
        lines = in_words(point, is_recomputed=found.verified is not None)
        lines += [] if found.verified is None else found.verified.summary.splitlines()
        if against is not None or found.changed:
            lines += changes_in_words(found.then, found.now, found.changes, found.judged)
        print("\n".join(map(one_line, lines)))  # no text of the document passes for a line of this program
    if arguments.out is not None:
        _write_page(arguments, point, data)
    return DONE if found.holds else DOES_NOT_HOLD


def read_for(
    arguments: argparse.Namespace, point: OperatingPoint, names: list[str], *, takes_tallies: bool = False
) -> list[Any]:
    """The data of a document, read as it says: its files together, or tune and test each by itself."""
    from evalcore.sites import are_tallies

    n_files = len({entry["sha256"] for entry in point.document["data"]})
    if takes_tallies and are_tallies(names):
        return [load(arguments, names, takes_tallies=True)]
    inputs = list({Path(name).resolve(): name for name in names}.values())  # a file given twice is one
    together = [inputs] if n_files == 1 else [[name] for name in inputs]
    return [load_as_read(arguments, some, point.reading) for some in together if some]


def _write_page(arguments: argparse.Namespace, point: OperatingPoint, data: list[Any]) -> None:
    import sys

    from evalcore.files import write_files
    from evalcore.report.point_page import point_html

    path = Path(arguments.out)
    page = point_html(point, data).encode()
    write_files(path.parent, {path.name: page}, overwrite=arguments.overwrite)
    print(path, file=sys.stderr if arguments.json else sys.stdout)
