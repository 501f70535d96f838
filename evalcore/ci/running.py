"""The two commands as the action and the hooks run them, with names and options as they were handed over."""

from __future__ import annotations

import contextlib
import io
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evalcore.__main__ import main as command_line
from evalcore.ci.summary import Outcome
from evalcore.commands.reading import DOES_NOT_HOLD, DONE, WRONG_INPUT
from evalcore.compare.wording import FEW, favours, n_that_count

LINES = "EVALCORE_CI_"
"""How the variables begin in which the action hands over its inputs."""
BREAK = "--"
NUMBERS = ("first_value", "second_value", "difference", "n", "ci_low", "ci_high", "p", "p_holm")
SEVERAL = "more than one pair of models: name two, such as --models=baseline,new, or set fail-if-worse: false"
NOTHING = "no metric has a verdict: compare more of the same rows, or set fail-if-worse: false"
USAGE = (
    "Usage: python -P -m evalcore.ci verify DATA… -- POINT…, … compare BASELINE [OPTION…] -- FILE… "
    "or … action. Everything after “--” is a file."
)


def verify(point: str, data: Sequence[str], options: Sequence[str] = ()) -> Outcome:
    """Recompute every number of a document from its data.

    Parameters
    ----------
    point : file of the document.
    data : files that hold its rows.
    options : further arguments of ``evalcore verify``.
    """
    status, said = _run(["verify", *options, as_file(point), *map(as_file, data)])
    return Outcome(f"verify {point}", status, said)


def compare(inputs: Sequence[str], options: Sequence[str] = (), *, fails_if_worse: bool = True) -> Outcome:
    """Compare two models, the first being what the second has to stand beside.

    Parameters
    ----------
    inputs : one file, or the first model's and the second's.
    options : further arguments of ``evalcore compare``.
    fails_if_worse : whether the status is 1 where a metric is worse: its interval excludes no difference, and
        its test agrees where there is one. It is 2 where that cannot be said: of more than one pair of
        models, and where no metric has a verdict.
    """
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "comparison.csv"
        given = ["compare", *options, *map(as_file, inputs), f"--out={out}"]
        status, said = _run(given)
        n_pairs, rows = _read(out) if status == DONE else (0, ())
        said = said.replace(f"{out}\n", "")
    why = ""
    if fails_if_worse and status == DONE:
        status, why = _gate(n_pairs, rows)
    notes = "; ".join(filter(None, [why, *_lost(said)]))
    return Outcome(f"compare {', '.join(inputs)}", status, said, rows, notes)


def _gate(n_pairs: int, rows: Sequence[Mapping[str, Any]]) -> tuple[int, str]:
    """The status of a comparison that must not be worse, and what to do where that cannot be said."""
    if n_pairs > 1:
        return WRONG_INPUT, SEVERAL
    if any(row["favours"] == "first" for row in rows):
        return DOES_NOT_HOLD, ""
    # Too few rows are never shown to be worse: a file that lost most of its rows would pass.
    return (DONE, "") if any(map(_has_verdict, rows)) else (WRONG_INPUT, NOTHING)


def _has_verdict(row: Mapping[str, Any]) -> bool:
    """Whether a row says something, if only that nothing differs: equal predictions have no interval."""
    if row["favours"] == "without":
        return bool(row["difference"] == 0) and n_that_count(row) >= FEW
    return bool(row["favours"] != "few")


def _lost(said: str) -> list[str]:
    """What a comparison says of the rows that fell out.

    Examples
    --------
    >>> _lost("a: score p\\n8 checks compared; 392 fell out: 392 only in a, 0 only in b.\\n")
    ['8 checks compared; 392 fell out']
    >>> _lost("8 checks compared; none fell out.")
    []
    """
    return re.findall(r"^((?:\w+: )?[\d,]+ \w+ compared; (?!none ).*?fell out)", said, re.MULTILINE)


def as_file(name: str) -> str:
    """A name as an argument that can only be a file.

    Examples
    --------
    >>> as_file("data.csv"), as_file("--out=data.csv")
    ('data.csv', './--out=data.csv')
    """
    return f"./{name}" if name.startswith("-") else name


def _run(arguments: list[str]) -> tuple[int, str]:
    """A command's exit status and what it printed."""
    printed, told = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(told):
        try:
            status = command_line(arguments)
        except SystemExit as error:  # of the parser, for an option that there is not
            status = error.code if isinstance(error.code, int) else WRONG_INPUT
    return status, printed.getvalue() + told.getvalue()


def _read(file: Path) -> tuple[int, tuple[dict[str, Any], ...]]:
    """How many pairs of models a comparison has, and of one pair the rows over all shared queries.

    Each row says which side it speaks for.
    """
    import pandas as pd

    table = pd.read_csv(file, keep_default_na=False, na_values={name: [""] for name in NUMBERS})
    if "first_value" in table.columns:  # beside the names of the two
        n_pairs = len(table[["first", "second"]].drop_duplicates())
        if n_pairs > 1:
            return n_pairs, ()  # every two of several models: none is the one to stand beside
        table = table.drop(columns=["first", "second"])
        table = table.rename(columns={"first_value": "first", "second_value": "second"})
    whole = [
        row
        for row in table.to_dict("records")
        if row.get("group_by", "") == "" and not str(row["ci_method"]).startswith("delong")
    ]
    return 1, tuple({**row, "favours": favours(row)} for row in whole)


def action(given: Mapping[str, str]) -> list[Outcome]:
    """Run what the action's inputs say.

    Parameters
    ----------
    given : the environment: ``EVALCORE_CI_COMMAND``, ``…POINT``, ``…INPUTS`` and ``…OPTIONS``, one a line,
        and ``…FAIL_IF_WORSE``.
    """

    def lines(name: str) -> list[str]:
        return [line.strip() for line in given.get(LINES + name, "").splitlines() if line.strip()]

    command = given.get(LINES + "COMMAND", "").strip()
    inputs, options, points = lines("INPUTS"), lines("OPTIONS"), lines("POINT")
    if command == "verify" and points and inputs:
        return [verify(point, inputs, options) for point in points]
    if command == "compare" and inputs:
        is_strict = given.get(LINES + "FAIL_IF_WORSE", "true").strip().lower() != "false"
        return [compare(inputs, options, fails_if_worse=is_strict)]
    wanted = "command: verify with point and inputs, or compare with inputs"
    return [Outcome(f"{command or 'no command'}", WRONG_INPUT, f"expected {wanted}.")]


def hook(command: str, arguments: Sequence[str]) -> list[Outcome]:
    """Run a command for each file that pre-commit hands over.

    Parameters
    ----------
    command : ``verify`` or ``compare``.
    arguments : what the configuration says, ``--``, and the files.
    """
    if BREAK not in arguments:
        return [Outcome(f"{command} without “--”", WRONG_INPUT, USAGE)]
    at = list(arguments).index(BREAK)
    stated, files = list(arguments[:at]), list(arguments[at + 1 :])
    options = [one for one in stated if one.startswith("-")]
    inputs = [one for one in stated if not one.startswith("-")]
    if not inputs:
        return [Outcome(f"{command} without data", WRONG_INPUT, USAGE)]
    if command == "verify":
        return [verify(file, inputs, options) for file in files]
    return [compare([*inputs, file], options) for file in files]
