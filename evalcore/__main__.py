"""The command line: ``python -m evalcore COMMAND``.

Exit status: 0 done (for ``verify`` and ``check``: holds); 1 does not hold; 2 the input or the arguments are
wrong, with the problems on standard error and nothing written.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import evalcore
from evalcore.problems import InputError, listing, problem

DONE, DOES_NOT_HOLD, WRONG_INPUT = 0, 1, 2


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status.

    Parameters
    ----------
    argv : arguments without the program's name; those of the process by default.
    """
    arguments = _parser().parse_args(argv)
    command: Callable[[argparse.Namespace], int] = arguments.command
    try:
        return command(arguments)
    except InputError as error:
        print(error, file=sys.stderr)
    except OSError as error:
        print(f"{error.filename or 'a file'}: {error.strerror or error}.", file=sys.stderr)
    except MemoryError:
        print("The data do not fit into memory. Send a part, or use a machine with more.", file=sys.stderr)
    except KeyboardInterrupt:
        print("Interrupted; nothing was written.", file=sys.stderr)
    except Exception:  # a fault of ours: the user gets a sentence, the traceback goes to the log
        logging.getLogger("evalcore").exception("unexpected failure")
        print(
            "Something went wrong inside evalcore; nothing was written. EVALCORE_LOG=debug shows where.",
            file=sys.stderr,
        )
    return WRONG_INPUT


def check(arguments: argparse.Namespace) -> int:
    """Print what is wrong with the input and what is worth knowing about it."""
    try:
        data = _load(arguments)
    except InputError as error:
        print(error, file=sys.stderr)
        is_readable = all(p.severity != "error" for p in error.problems)
        return DOES_NOT_HOLD if is_readable else WRONG_INPUT
    for line in _facts(data):
        print(line)
    if data.warnings:
        print(listing(data.warnings), file=sys.stderr)
        return DOES_NOT_HOLD
    print("No problems.")
    return DONE


def evaluate(arguments: argparse.Namespace) -> int:
    """Compute every metric; write the report files, or print the table."""
    from evalcore import report as writers
    from evalcore.evaluation import evaluate as compute

    data = _load(arguments)
    result = compute(
        data,
        by=tuple(name for text in arguments.by for name in text.split(",") if name),
        ks=_ks(arguments.ks),
        tau_neg=arguments.tau_neg,
        tau_pos=arguments.tau_pos,
        undefined=arguments.undefined,
        ties=arguments.ties,
    )
    for line in [*_facts(data), *([listing(data.warnings)] if data.warnings else [])]:
        print(line, file=sys.stderr)
    if arguments.out is None:
        print(writers.as_text(result))
        return DONE
    for path in writers.write_report(result, Path(arguments.out)):
        print(path)
    return DONE


def choose(arguments: argparse.Namespace) -> int:
    """Choose thresholds for the targets and write the operating-point document."""
    from evalcore.operating_point import choose_operating_point, outlook

    data = _load(arguments)
    how = {
        "screening_sensitivity": arguments.screening_sensitivity,
        "confidence": None if arguments.point else arguments.confidence,
        "tune": arguments.tune,
        "test": arguments.test,
        "test_data": _load(arguments, [arguments.test_file]) if arguments.test_file else None,
        "model": arguments.model,
    }
    expected = outlook(data, **how)
    if expected is not None:
        print(expected.text, file=sys.stderr)
    point = choose_operating_point(data, alert_precision=arguments.alert_precision, **how)
    point.save(Path(arguments.out))
    print(point.summary)
    print(arguments.out)
    return DONE if point.constraints_met else DOES_NOT_HOLD


def apply(arguments: argparse.Namespace) -> int:
    """Apply a document's rule to the scores of a file; nothing but the document decides."""
    from evalcore.operating_point import OperatingPoint, apply_to_file

    point = OperatingPoint.load(Path(arguments.point))
    decisions = apply_to_file(point, Path(arguments.input), Path(arguments.out))
    if decisions.warnings:
        print(listing(decisions.warnings), file=sys.stderr)
    print(", ".join(f"{state} {n:,}" for state, n in decisions.n_by_state.items()))
    print(arguments.out)
    return DONE


def verify(arguments: argparse.Namespace) -> int:
    """Recompute every number of a document from the data, read as the document says they were."""
    from evalcore.operating_point import OperatingPoint

    point = OperatingPoint.load(Path(arguments.point), strict=False)
    n_files = len({entry["sha256"] for entry in point.document["data"]})
    together = [arguments.inputs] if n_files == 1 else [[name] for name in arguments.inputs]
    result = point.verify(*(_load_as_read(arguments, inputs, point.reading) for inputs in together))
    print(result.summary)
    if result.differences:
        print(listing(result.differences), file=sys.stderr)
    return DONE if result.holds else DOES_NOT_HOLD


def metrics(arguments: argparse.Namespace) -> int:
    """Print the catalogue, or one metric's definition."""
    from evalcore import catalog

    if arguments.name:
        print(catalog.describe(catalog.find(arguments.name)))
        return DONE
    for declared in catalog.METRICS.values():
        print(f"{declared.key:<40} {declared.label}")
    return DONE


def sample(arguments: argparse.Namespace) -> int:
    """Write synthetic example data."""
    from evalcore.sample import write_sample

    least = {"--posts": (arguments.posts, 1), "--seed": (arguments.seed, 0)}
    wrong = [
        problem("OPT-003", name=name, found=found, expected=f"a whole number from {low} on")
        for name, (found, low) in least.items()
        if found < low
    ]
    if wrong:
        raise InputError(wrong)
    for path in write_sample(Path(arguments.out), n_posts=arguments.posts, seed=arguments.seed):
        print(path)
    return DONE


def _load(
    arguments: argparse.Namespace,
    inputs: Sequence[str] | None = None,
    reading: Mapping[str, Any] | None = None,
) -> Any:
    """The data of the inputs; what the arguments do not say is read as ``reading`` does."""
    known = reading or {"columns": {}, "positive": None, "score_kind": "probability"}
    columns: dict[str, Any] = {}
    for text in arguments.column:
        role, equals, name = text.partition("=")
        if not equals or not name:
            raise InputError(
                [
                    problem(
                        "OPT-003",
                        name="--column",
                        found=text,
                        expected="ROLE=NAME, such as probability=p_final",
                    )
                ]
            )
        columns[role] = [*columns.get(role, []), name]
    return evalcore.load(
        list(inputs or arguments.inputs),
        candidates=arguments.candidates,
        columns={
            **known["columns"],
            **{role: names[0] if len(names) == 1 else names for role, names in columns.items()},
        },
        positive=arguments.positive or known["positive"],
        score_kind=known["score_kind"] if arguments.score_kind == "probability" else arguments.score_kind,
        encoding=arguments.encoding,
        keep_first=arguments.keep_first,
        task=arguments.task,
    )


def _load_as_read(arguments: argparse.Namespace, inputs: Sequence[str], reading: Mapping[str, Any]) -> Any:
    """The data of the inputs, read as a document says; other data as they are, to be told apart."""
    try:
        return _load(arguments, inputs, reading)
    except InputError:
        return _load(arguments, inputs)


def _facts(data: Any) -> list[str]:
    lines = []
    for source in data.sources:
        excluded = "".join(f"; {n:,} excluded: {reason}" for reason, n in source.excluded.items())
        lines.append(f"{source.name}: {source.n_rows:,} rows in, {source.n_used:,} used{excluded}")
    return [*lines, *data.notes]


def _ks(text: str) -> tuple[Any, ...]:
    return tuple(
        int(part) if part.strip().lstrip("-").isdigit() else part.strip() for part in text.split(",")
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m evalcore", description="Evaluate predictions; choose thresholds."
    )
    parser.add_argument("--version", action="version", version=f"evalcore {evalcore.__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    reading = argparse.ArgumentParser(add_help=False)
    reading.add_argument("--task", choices=["evidence"], help="what the input is about (detected by itself)")
    reading.add_argument("--candidates", metavar="F", help="a candidates file beside the queries")
    reading.add_argument(
        "--column", action="append", default=[], metavar="ROLE=NAME", help="use this column for this role"
    )
    reading.add_argument("--positive", metavar="VALUE", help="the label that means “has evidence”")
    reading.add_argument("--score-kind", choices=["probability", "score"], default="probability")
    reading.add_argument("--encoding", metavar="E", help="text encoding, such as cp1252 (default: UTF-8)")
    reading.add_argument(
        "--keep-first", action="store_true", help="keep the best rank of a candidate named twice"
    )
    inputs = argparse.ArgumentParser(add_help=False)
    inputs.add_argument("inputs", nargs="+", metavar="INPUT", help="a file, a folder or a glob")

    def add(
        name: str, function: Callable[[argparse.Namespace], int], *parents: Any
    ) -> argparse.ArgumentParser:
        about = (function.__doc__ or "").strip()
        command = commands.add_parser(name, help=about, description=about, parents=list(parents))
        command.set_defaults(command=function)
        return command

    add("check", check, inputs, reading)

    command = add("evaluate", evaluate, inputs, reading)
    command.add_argument(
        "--by", action="append", default=[], metavar="COL,…", help="break down by these columns"
    )
    command.add_argument("--tau-neg", type=float, metavar="X", help="p < X is skipped")
    command.add_argument("--tau-pos", type=float, metavar="Y", help="p >= Y is an alert")
    command.add_argument("--ks", default="1,3,5,10,20", help="cut-offs K, such as 1,5,10")
    command.add_argument("--undefined", choices=["nan", "contract"], default="nan")
    command.add_argument("--ties", choices=["trec", "stable", "expected"], default="trec")
    command.add_argument(
        "--out", metavar="DIR", help="write metrics.csv, metrics.json, report.html and report.md here"
    )

    command = add("choose", choose, inputs, reading)
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
    command.add_argument("--test", metavar="Y", help="value of the split column to certify on")
    command.add_argument("--test-file", metavar="F", help="a file to certify on")
    command.add_argument("--model", metavar="NAME", help="the model to choose for, where there are several")
    command.add_argument("--out", required=True, metavar="POINT.json")

    command = add("apply", apply)
    command.add_argument("point", metavar="POINT.json")
    command.add_argument("input", metavar="INPUT")
    command.add_argument("--out", required=True, metavar="DECISIONS.csv")

    document = argparse.ArgumentParser(add_help=False)
    document.add_argument("point", metavar="POINT.json")
    add("verify", verify, document, inputs, reading)

    command = add("metrics", metrics)
    command.add_argument("name", nargs="?", metavar="NAME")

    command = add("sample", sample)
    command.add_argument("--out", required=True, metavar="DIR")
    command.add_argument("--posts", type=int, default=1477, metavar="N")
    command.add_argument("--seed", type=int, default=0, metavar="S")
    return parser


if __name__ == "__main__":
    logging.basicConfig(level=os.environ.get("EVALCORE_LOG", "critical").upper())
    sys.exit(main())
