"""The command that writes a document's rule for another system."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from evalcore.commands.reading import DONE, keep_inputs
from evalcore.problems import listing


def rule(arguments: argparse.Namespace) -> int:
    """Write a document's rule as one file in another language, with a self-test."""
    from evalcore.files import write_files
    from evalcore.operating_point import OperatingPoint
    from evalcore.operating_point.applying.apply import of_earlier_rules
    from evalcore.operating_point.deploying import rule_file
    from evalcore.operating_point.document.limits import SYNTHETIC

    if arguments.out is not None:
        keep_inputs(arguments.out, arguments.point)
    point = OperatingPoint.load(Path(arguments.point))
    text = rule_file(point, arguments.to)
    if point.is_synthetic:
        print(f"{arguments.point}: {SYNTHETIC}", file=sys.stderr)
    warnings = of_earlier_rules(point)
    if warnings:
        print(listing(warnings), file=sys.stderr)
    if arguments.out is None:
        sys.stdout.write(text)
        return DONE
    path = Path(arguments.out)
    print(write_files(path.parent, {path.name: text.encode()}, overwrite=arguments.overwrite)[0])
    return DONE
