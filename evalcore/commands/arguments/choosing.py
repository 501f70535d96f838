"""What the commands take that look for thresholds."""

from __future__ import annotations

from argparse import ArgumentParser

from evalcore.commands.arguments.shared import ON_GRID, Add, inputs, reading, writing
from evalcore.commands.choosing import choose
from evalcore.commands.exploring import explore


def add_choosing(add: Add) -> None:
    """Add ``choose`` and ``explore``."""
    _choose(add("choose", choose, inputs(), reading(), writing()))
    _explore(add("explore", explore, inputs(), reading(), writing()))


def _choose(command: ArgumentParser) -> None:
    command.add_argument("--screening-sensitivity", type=float, default=0.995, metavar="S")
    command.add_argument("--alert-precision", type=float, default=0.9, metavar="P")
    how = command.add_mutually_exclusive_group()
    how.add_argument(
        "--confidence", type=float, default=0.95, metavar="C", help="of the one-sided bounds (default 0.95)"
    )
    how.add_argument(
        "--point", action="store_true", help="let the point estimates reach the targets, without a bound"
    )
    command.add_argument("--tune", metavar="X", help="value of the split column to choose on")
    command.add_argument(
        "--folds", action="store_true", help="choose on every row and try the same choice over the folds"
    )
    command.add_argument("--test", metavar="Y", help="value of the split column to certify on")
    command.add_argument("--test-file", metavar="F", help="a file to certify on")
    command.add_argument(
        "--test-seen", action="store_true", help="say that test rows had been seen: the point is exploratory"
    )
    command.add_argument("--model", metavar="NAME", help="the model to choose for, where there are several")
    command.add_argument(
        "--cluster",
        metavar="COL",
        help="take units coarser than the post, such as its author, as independent",
    )
    command.add_argument(
        "--prevalence", type=float, metavar="Q", help="the prevalence that claims on an enriched test are for"
    )
    command.add_argument(
        "--must-not-miss",
        action="append",
        default=[],
        metavar="COLUMN=LEVEL",
        help="a group that must hold the screening sensitivity by itself, such as criterion=A.9",
    )
    command.add_argument(
        "--by", action="append", default=[], metavar="COL,…", help="count the groups of these columns too"
    )
    said = command.add_argument_group("who answers for the choice; what is left out, the document says")
    said.add_argument("--author", metavar="NAME", help="who chose")
    said.add_argument("--rationale", metavar="TEXT", help="why these targets and thresholds")
    said.add_argument("--setting", metavar="TEXT", help="for which setting they are meant")
    command.add_argument(
        "--pareto", metavar="F.csv", help="write the thresholds that no others beat, on the rows chosen on"
    )
    command.add_argument("--grid", **ON_GRID)
    command.add_argument("--out", required=True, metavar="POINT.json")


def _explore(command: ArgumentParser) -> None:
    command.add_argument("--tau-neg", type=float, metavar="X", help="where the lower handle stands at first")
    command.add_argument("--tau-pos", type=float, metavar="Y", help="where the upper handle stands at first")
    command.add_argument(
        "--point", metavar="POINT.json", help="the thresholds, targets, rows and model of a document"
    )
    command.add_argument("--screening-sensitivity", type=float, metavar="S", help="the target (0.995)")
    command.add_argument("--alert-precision", type=float, metavar="P", help="the target (0.9)")
    command.add_argument("--confidence", type=float, metavar="C", help="of the one-sided bounds (0.95)")
    command.add_argument(
        "--tune", metavar="X", help="value of the split column to count (the tune rows, if there are any)"
    )
    command.add_argument("--model", metavar="NAME", help="the model to look at, where there are several")
    command.add_argument("--grid", **ON_GRID)
    command.add_argument(
        "--must-not-miss",
        action="append",
        metavar="COLUMN=LEVEL",
        help="a group that must hold the target too, such as criterion=A.9; once for each",
    )
    command.add_argument("--out", required=True, metavar="EXPLORER.html")
