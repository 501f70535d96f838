"""What the commands take that hold models, steps or settings against each other."""

from __future__ import annotations

from argparse import ArgumentParser

from evalcore.commands.arguments.shared import Add, beside, inputs, reading, selecting, writing
from evalcore.commands.comparing import compare
from evalcore.commands.evaluating import ablation, sweep


def add_comparing(add: Add) -> None:
    """Add ``compare``, ``ablation`` and ``sweep``."""
    _compare(add("compare", compare, beside(), reading(), writing()))
    add("ablation", ablation, inputs(), reading(), selecting())
    add("sweep", sweep, inputs(), reading(), selecting())


def _compare(command: ArgumentParser) -> None:
    command.add_argument(
        "--models",
        metavar="A,B",
        help="two models or lists, one of each input, if two; more: every two",
    )
    command.add_argument(
        "--matrix",
        action="store_true",
        help="every two of all models, by a usual metric or each of --metrics",
    )
    command.add_argument(
        "--by", action="append", default=[], metavar="COL,…", help="break down by these columns"
    )
    command.add_argument("--split", metavar="NAME", help="compare on the queries of this split only")
    command.add_argument("--k", type=int, metavar="K", help="cut-off of lists (10; retrieved chunks: 5)")
    command.add_argument(
        "--key", default="record", metavar="COL", help="annotations: what makes two records the same query"
    )
    command.add_argument("--metrics", metavar="KEY,…", help="compare these only: any of `metrics`")
    command.add_argument("--fpr", type=float, default=0.05, metavar="F", help="budget of TPR at FPR (0.05)")
    command.add_argument(
        "--pop-ratio",
        type=float,
        default=0.8,
        metavar="R",
        help="share of the interactions of the head (0.8)",
    )
    command.add_argument(
        "--by-row", action="store_true", help="without ids: pair row with row, in the order of the files"
    )
    command.add_argument(
        "--shared-only",
        action="store_true",
        help="lists: leave out queries that one of them lacks (otherwise it counts as an empty list)",
    )
    command.add_argument("--tau-neg", type=float, metavar="X", help="p < X is skipped, for both")
    command.add_argument("--tau-pos", type=float, metavar="Y", help="p >= Y is an alert, for both")
    command.add_argument(
        "--screening-sensitivity",
        type=float,
        metavar="S",
        help="each at its own τ_neg that keeps S (default 0.995, unless --tau-neg and --tau-pos are given)",
    )
    command.add_argument(
        "--alert-precision",
        type=float,
        metavar="P",
        help="each at its own τ_pos too, with the most alerts of which P are right (default: no alerts)",
    )
    command.add_argument("--bootstrap", type=int, default=2000, metavar="B", help="replicates (0: none)")
    command.add_argument("--permutations", type=int, default=9999, metavar="B", help="swaps (0: none)")
    command.add_argument("--seed", type=int, default=0, metavar="S")
    command.add_argument("--out", metavar="F.csv", help="write the table here")
