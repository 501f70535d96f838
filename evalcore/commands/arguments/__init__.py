"""The arguments of every command, in the order in which help names the commands."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable

import evalcore
from evalcore.commands.arguments.choosing import add_choosing
from evalcore.commands.arguments.comparing import add_comparing
from evalcore.commands.arguments.documents import add_documents
from evalcore.commands.arguments.evaluating import add_evaluating
from evalcore.commands.arguments.shared import writing
from evalcore.commands.serving import dashboard
from evalcore.commands.showing import metrics, sample


def parser_of(program: str) -> ArgumentParser:
    """The parser of the command line; ``command`` of what it parsed is the function to call with that.

    Parameters
    ----------
    program : what the user calls it.
    """
    parser = ArgumentParser(prog=program, description="Evaluate predictions; choose thresholds.")
    parser.add_argument("--version", action="version", version=f"evalcore {evalcore.__version__}")
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, function: Callable[[Namespace], int], *parents: ArgumentParser) -> ArgumentParser:
        about = (function.__doc__ or "").strip().partition("\n\n")[0]
        command = subparsers.add_parser(name, help=about, description=about, parents=list(parents))
        command.set_defaults(command=function)
        return command

    add_evaluating(add)
    add_comparing(add)
    add_choosing(add)
    add_documents(add)
    _dashboard(add("dashboard", dashboard))
    add("metrics", metrics).add_argument("name", nargs="?", metavar="NAME")
    _sample(add("sample", sample, writing()))
    return parser


def _dashboard(command: ArgumentParser) -> None:
    command.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="shown in place of the sample; as if uploaded, in memory only",
    )
    command.add_argument("--port", type=int, metavar="P", help="of this machine (default: 8501)")
    command.add_argument("--no-browser", action="store_true", help="serve only; do not open a browser")


def _sample(command: ArgumentParser) -> None:
    command.add_argument("--out", required=True, metavar="DIR")
    command.add_argument("--posts", type=int, default=1477, metavar="N")
    command.add_argument("--seed", type=int, default=0, metavar="S")
