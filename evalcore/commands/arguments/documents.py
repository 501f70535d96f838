"""What the commands take that use an operating-point document, or check it."""

from __future__ import annotations

from argparse import ArgumentParser

from evalcore.commands.arguments.shared import SCORE_OF, Add, document, inputs, reading, writing
from evalcore.commands.choosing import apply, verify
from evalcore.commands.deploying import rule
from evalcore.commands.reopening import show
from evalcore.commands.writing_up import writeup


def add_documents(add: Add) -> None:
    """Add ``apply``, ``rule``, ``verify``, ``show`` and ``writeup``."""
    _apply(add("apply", apply, writing()))
    _rule(add("rule", rule, writing()))
    add("verify", verify, document(), inputs(), reading())
    _show(add("show", show, document(), reading(), writing()))
    _writeup(add("writeup", writeup, reading(), writing()))


def _apply(command: ArgumentParser) -> None:
    command.add_argument("point", metavar="POINT.json")
    command.add_argument("input", metavar="INPUT")
    command.add_argument("--score-of", **SCORE_OF)
    command.add_argument("--out", required=True, metavar="DECISIONS.csv")


def _rule(command: ArgumentParser) -> None:
    command.add_argument("point", metavar="POINT.json")
    command.add_argument(
        "--to",
        required=True,
        choices=["sql", "javascript", "r", "python", "java"],
        help="the language (sql: for DuckDB and SQLite)",
    )
    command.add_argument("--out", metavar="FILE", help="write it here (otherwise it is printed)")


def _show(command: ArgumentParser) -> None:
    command.add_argument("inputs", nargs="*", metavar="INPUT", help="the data it was made on: recomputed")
    command.add_argument(
        "--against",
        action="append",
        default=[],
        metavar="NEW",
        help="new rows of the same kind: every number then and now; judged as a test only beside INPUT",
    )
    command.add_argument("--json", action="store_true", help="print what was found as JSON")
    command.add_argument("--out", metavar="PAGE.html", help="write it as a page to print and sign")


def _writeup(command: ArgumentParser) -> None:
    command.add_argument("point", metavar="POINT.json|REPORT.evalcore", help="a document, or a saved report")
    command.add_argument("inputs", nargs="*", metavar="INPUT", help="the data it was made on: recomputed")
    command.add_argument("--out", required=True, metavar="FOLDER")
    command.add_argument("--signature", metavar="SIG", help="over statement.pae, by your own key")
    command.add_argument("--key-id", default="", metavar="NAME", help="what the envelope says of the key")
