"""What several commands take, declared once: parsers that theirs begin with, and single arguments."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, get_args

from evalcore.commands.reading import BESIDE
from evalcore.data import Task

Add = Callable[..., ArgumentParser]
"""The parser of one more command, of its name, its function and the parsers that it begins with."""
SCORE_OF: Mapping[str, Any] = {
    "action": "append",
    "metavar": "{positive,predicted,FILE=…}",
    "help": "whose score a file holds, where that is open: the positive class's or the predicted one's; "
    "FILE=predicted answers for one input",
}
ON_GRID: Mapping[str, Any] = {
    "type": int,
    "metavar": "G",
    "help": "of rows take counts at so many points from 0 to 1 only, as tallies of sites do",
}
SECRET: Mapping[str, Any] = {
    "metavar": "F",
    "help": "draw by the secret text of this file, which all sites hold and who gets tallies does not",
}


@cache
def reading() -> ArgumentParser:
    """How input files are understood."""
    taken = ArgumentParser(add_help=False)
    taken.add_argument("--task", choices=get_args(Task), help="what the input is about (detected by itself)")
    taken.add_argument("--candidates", metavar="F", help="a candidates file beside the queries")
    taken.add_argument(
        "--column", action="append", default=[], metavar="ROLE=NAME", help="use this column for this role"
    )
    taken.add_argument(
        "--no-header",
        action="store_true",
        help="the first line is a row: columns are known by position, --column ROLE=1",
    )
    taken.add_argument("--positive", metavar="VALUE", help="the label that means “has evidence”")
    taken.add_argument("--score-kind", choices=["probability", "score"], default="probability")
    taken.add_argument("--score-of", **SCORE_OF)
    taken.add_argument(
        "--as",
        dest="files_as",
        choices=["parts", "models"],
        help="what several files are: parts of one table, or models of the same rows",
    )
    taken.add_argument(
        "--truth", metavar="F", help="the file that holds the labels or judgements of the other inputs"
    )
    taken.add_argument("--encoding", metavar="E", help="text encoding, such as cp1252 (default: UTF-8)")
    taken.add_argument(
        "--keep-first", action="store_true", help="keep the best rank of a candidate named twice"
    )
    taken.add_argument("--adjudicator", metavar="NAME", help="annotations: whose responses decide")
    return taken


@cache
def writing() -> ArgumentParser:
    """Whether files from elsewhere are written over."""
    taken = ArgumentParser(add_help=False)
    taken.add_argument(
        "--overwrite", action="store_true", help="let --out replace files that come from elsewhere"
    )
    return taken


@cache
def inputs() -> ArgumentParser:
    """The inputs, at least one."""
    taken = ArgumentParser(add_help=False)
    taken.add_argument("inputs", nargs="+", metavar="INPUT", help="a file, a folder or a glob")
    return taken


@cache
def beside() -> ArgumentParser:
    """The inputs, and files of a role of their own beside recommendation lists."""
    taken = ArgumentParser(add_help=False)
    taken.add_argument("inputs", nargs="*", metavar="INPUT", help="a file, a folder or a glob")
    with_lists = taken.add_argument_group("beside recommendation lists")
    for name, about in BESIDE.items():
        option = f"--{name.replace('_', '-')}"
        with_lists.add_argument(option, dest=f"beside_{name}", action="append", metavar="F", help=about)
    with_lists.add_argument(
        "--predicted-ratings",
        action="store_true",
        help="the scores in the lists are predicted ratings: MAE, MSE and RMSE over the test pairs in them",
    )
    return taken


@cache
def document() -> ArgumentParser:
    """An operating-point document."""
    taken = ArgumentParser(add_help=False)
    taken.add_argument("point", metavar="POINT.json")
    return taken


@cache
def evaluating() -> ArgumentParser:
    """What is computed."""
    taken = ArgumentParser(add_help=False)
    taken.add_argument("--tau-neg", type=float, metavar="X", help="p < X is skipped")
    taken.add_argument("--tau-pos", type=float, metavar="Y", help="p >= Y is an alert")
    taken.add_argument(
        "--ks", help="cut-offs K, such as 1,5 (1,3,5,10,20; annotated lists 5; recommendations 10,20,50)"
    )
    taken.add_argument("--ties", choices=["trec", "stable", "expected"], default="trec")
    taken.add_argument(
        "--annotators", metavar="A,B,…", help="annotations: count the responses of these people only"
    )
    of_lists = taken.add_argument_group("recommendations")
    of_lists.add_argument(
        "--pop-ratio", type=float, metavar="R", help="share of interactions that the head reaches (0.8)"
    )
    of_lists.add_argument(
        "--evaluation",
        metavar="YAML",
        help="cut-offs, metrics and complex metrics as a block `evaluation:` of document 004",
    )
    return taken


@cache
def selecting() -> ArgumentParser:
    """The selections that are simulated."""
    taken = ArgumentParser(add_help=False)
    dynamic_k = taken.add_argument_group("dynamic K, simulated on scored candidates")
    dynamic_k.add_argument("--policy", choices=["fixed", "threshold", "mass", "combined"])
    dynamic_k.add_argument(
        "--gamma", type=float, metavar="G", help="share of the score to reach (mass, combined)"
    )
    dynamic_k.add_argument("--temperature", type=float, metavar="T", help="shares are softmax(score / T)")
    dynamic_k.add_argument(
        "--score-threshold", type=float, metavar="S", help="least score (threshold, combined)"
    )
    dynamic_k.add_argument("--selected-k", type=int, metavar="K", help="how many (fixed)")
    dynamic_k.add_argument("--k-min", type=int, metavar="K", help="at least so many (default 2)")
    dynamic_k.add_argument("--hard-cap", type=int, metavar="K", help="at most so many (default 10)")
    dynamic_k.add_argument(
        "--k-ratio", metavar="R", help="at most this share of the candidates (default 0.5)"
    )
    dynamic_k.add_argument("--k-rounding", choices=["floor", "ceil"])
    return taken
