"""The command that writes a document of thresholds up."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from evalcore.commands.reading import DOES_NOT_HOLD, DONE, keep_inputs
from evalcore.commands.reopening import read_for
from evalcore.problems import InputError, listing, problem


def writeup(arguments: argparse.Namespace) -> int:
    """Write methods, results, tables of reporting guidelines and a statement to sign."""
    from evalcore.files import write_files
    from evalcore.operating_point import OperatingPoint
    from evalcore.operating_point.applying.apply import of_earlier_rules
    from evalcore.report.writeup import FILES
    from evalcore.report.writeup import writeup as pages_of

    given, folder = Path(arguments.point), Path(arguments.out)
    if folder.exists() and not folder.is_dir():
        raise InputError([problem("OPT-003", name="--out", found=arguments.out, expected="a folder")])
    for name in FILES:
        keep_inputs(str(folder / name), arguments.point, *arguments.inputs, arguments.signature)
    if _is_report(given):
        return _of_report(arguments, given, folder)
    signature = None if arguments.signature is None else _signature(Path(arguments.signature))
    point = OperatingPoint.load(given)
    warnings, status_today = of_earlier_rules(point), None
    if warnings:
        print(listing(warnings), file=sys.stderr)
    if arguments.inputs:
        verified = point.verify(*read_for(arguments, point, arguments.inputs))
        if not verified.holds:
            print(verified.summary)
            return DOES_NOT_HOLD
        status_today = verified.status_today
    files = pages_of(
        point,
        raw=given.read_bytes(),
        name=given.name,
        is_recomputed=bool(arguments.inputs),
        status_today=status_today,
        signature=signature,
        key_id=arguments.key_id,
    )
    for path in write_files(folder, files, overwrite=arguments.overwrite):
        print(path)
    return DONE


def _is_report(path: Path) -> bool:
    """Whether a file is a saved report."""
    from evalcore.readers.formats.own_exports import SAVED, own_export

    own = own_export(path.read_bytes()) if path.is_file() else None
    return own is not None and own[0] == SAVED


def _of_report(arguments: argparse.Namespace, path: Path, folder: Path) -> int:
    """Write a saved report up: it has no targets, and so nothing is recomputed and nothing signed."""
    from evalcore import Report
    from evalcore.files import write_files
    from evalcore.report.writeup import report_writeup

    asked = [*arguments.inputs, *([] if arguments.signature is None else ["--signature"])]
    if asked:
        advice = "A report holds no verdict: give it alone, or the document of the thresholds."
        found = f"a saved report and {' and '.join(asked)}"
        raise InputError([problem("OPT-008", found=found, expected="the report alone", advice=advice)])
    files = report_writeup(Report.load(str(path)))
    for written in write_files(folder, files, overwrite=arguments.overwrite):
        print(written)
    return DONE


def _signature(path: Path) -> bytes:
    """The bytes of a signature, which is not empty and no larger than any kind of key makes.

    Raises
    ------
    InputError : FILE-001 without such a file; WUP-001 for what is no signature.
    """
    if not path.is_file():
        raise InputError([problem("FILE-001", file=path.name)])
    raw = path.read_bytes()
    if not 0 < len(raw) <= 8192:
        raise InputError([problem("WUP-001", file=path.name, found=f"{len(raw):,} bytes")])
    return raw
