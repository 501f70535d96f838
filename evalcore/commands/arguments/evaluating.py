"""What the commands take that evaluate a file, prepare it, or count it for others."""

from __future__ import annotations

from argparse import ArgumentParser

from evalcore.commands.arguments.shared import (
    ON_GRID,
    SECRET,
    Add,
    beside,
    evaluating,
    inputs,
    reading,
    selecting,
    writing,
)
from evalcore.commands.chunking import CLUSTER, repartition
from evalcore.commands.evaluating import check, crosscheck, evaluate, report
from evalcore.commands.gathering import gather


def add_evaluating(add: Add) -> None:
    """Add ``check``, ``evaluate``, ``repartition``, ``report``, ``gather`` and ``crosscheck``."""
    add("check", check, beside(), reading())
    _evaluate(add("evaluate", evaluate, beside(), reading(), evaluating(), selecting(), writing()))
    _repartition(add("repartition", repartition, inputs(), reading()))
    _report(add("report", report, writing()))
    _gather(add("gather", gather, inputs(), reading(), writing()))
    add("crosscheck", crosscheck, beside(), reading(), evaluating(), selecting())


def _evaluate(command: ArgumentParser) -> None:
    command.add_argument(
        "--by", action="append", default=[], metavar="COL,…", help="break down by these columns"
    )
    command.add_argument("--undefined", choices=["nan", "contract"], default="nan")
    command.add_argument(
        "--bootstrap",
        type=int,
        default=0,
        metavar="B",
        help="replicates for the intervals (0: shares, and AUROC by DeLong)",
    )
    command.add_argument("--seed", type=int, default=0, metavar="S", help="of the replicates")
    command.add_argument("--cluster", metavar="COL", help="draw the groups of this column, instead of posts")
    command.add_argument("--out", metavar="DIR", help="write metrics.csv, metrics.json and the reports here")
    command.add_argument(
        "--chunk-rows",
        type=int,
        metavar="N",
        help="read Parquet files so many rows at a time (large ones are read so by themselves)",
    )
    command.add_argument(
        "--workers",
        type=int,
        metavar="N",
        help="processes that share the chunks (1); no number depends on it",
    )
    command.add_argument(
        "--layout",
        choices=["aligned", "straddling"],
        help="a chunk at a time: each query lies in one file, or rows are brought together by post first",
    )
    command.add_argument(
        "--engine",
        choices=["local", "dask"],
        help="who reads the chunks: processes of this machine, or the workers of a Dask cluster",
    )
    for name, (value, about) in CLUSTER.items():
        command.add_argument(f"--{name.replace('_', '-')}", metavar=value, help=about)
    command.add_argument("--grid", **ON_GRID)
    command.add_argument("--secret-file", **SECRET)
    command.add_argument("--model", metavar="NAME", help="with --grid: the model, where there are several")
    command.add_argument(
        "--save", metavar="REPORT.evalcore", help="write the report as one file without rows, for `report`"
    )
    command.add_argument(
        "--point",
        metavar="POINT.json",
        help="at the thresholds of a document; the report says its verdicts",
    )


def _repartition(command: ArgumentParser) -> None:
    command.add_argument("--out", required=True, metavar="DIR", help="an empty folder, or one to be made")
    command.add_argument("--by", choices=["post"], default="post", help="what lies in one file as a whole")
    command.add_argument("--rows", type=int, metavar="N", help="about how many rows a file gets (250,000)")


def _report(command: ArgumentParser) -> None:
    command.add_argument("report", metavar="REPORT.evalcore", help="a file of evaluate --save")
    command.add_argument("--out", metavar="DIR", help="write metrics.csv, metrics.json and the reports here")
    command.set_defaults(save=None)


def _gather(command: ArgumentParser) -> None:
    command.add_argument("--out", required=True, metavar="SITE.tally")
    command.add_argument(
        "--grid",
        type=int,
        default=2001,
        metavar="G",
        help="points from 0 to 1 at which scores are counted, an odd number (2001)",
    )
    command.add_argument(
        "--by",
        action="append",
        default=[],
        metavar="COL,…",
        help="count the groups of these columns too; splits and folds always",
    )
    command.add_argument(
        "--smallest-cell",
        type=int,
        default=1,
        metavar="N",
        help="let at least so many rows stand at every point; what that costs is said",
    )
    second = command.add_argument_group("second round: thresholds are fixed, and intervals are asked for")
    second.add_argument("--at", metavar="POINT.json", help="the document that all sites chose together")
    second.add_argument("--tau-neg", type=float, metavar="X", help="p < X is skipped")
    second.add_argument("--tau-pos", type=float, metavar="Y", help="p >= Y is an alert")
    second.add_argument(
        "--bootstrap", type=int, default=0, metavar="B", help="replicates, of which totals are sent"
    )
    second.add_argument("--seed", type=int, default=0, metavar="S", help="of the replicates")
    second.add_argument("--secret-file", **SECRET)
    command.add_argument("--site", metavar="NAME", help="what the site is called (the name of the file)")
    command.add_argument("--model", metavar="NAME", help="the model, where there are several")
