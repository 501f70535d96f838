"""The command line: ``python -m evalcore COMMAND``, or ``evalcore COMMAND`` where it is installed.

Exit status: 0 done (for ``verify`` and ``check``: holds); 1 does not hold; 2 the input or the arguments are
wrong, with the problems on standard error and nothing written.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from typing import Any, get_args

INTERRUPTED = "Interrupted; no half file was left behind."
_interrupts: list[int] = []


def _end(*_: Any) -> None:
    """End at once: nothing has been begun that would have to be taken back."""
    os.write(sys.stderr.fileno(), f"{INTERRUPTED}\n".encode())
    os._exit(2)


def _interrupt(number: int, _: Any) -> None:
    """Remember the interrupt and raise it: a library that is being loaded may make another error of it."""
    _interrupts.append(number)
    raise KeyboardInterrupt


if __name__ == "__main__":  # before anything that takes a while to load
    gc.set_threshold(50_000)  # modules are no garbage: to look for some among them takes an eighth of loading
    signal.signal(signal.SIGINT, _end)
    signal.signal(signal.SIGTERM, _end)

import argparse  # noqa: E402
import contextlib  # noqa: E402
import logging  # noqa: E402
from collections.abc import Callable, Sequence  # noqa: E402
from pathlib import Path  # noqa: E402

import evalcore  # noqa: E402
from evalcore import commands  # noqa: E402
from evalcore.data import Task  # noqa: E402
from evalcore.problems import InputError, problem, shortened  # noqa: E402
from evalcore.text.legible import legible  # noqa: E402

LOG_LEVELS = ("debug", "info", "warning", "error", "critical")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status.

    Parameters
    ----------
    argv : arguments without the program's name; those of the process by default.
    """
    out: Any = Legible(sys.stdout) if sys.stdout.isatty() else sys.stdout
    told: Any = Legible(sys.stderr)
    with contextlib.redirect_stderr(told), contextlib.redirect_stdout(out):
        return _run(argv)


class Legible:
    """A stream for people: no name in a file colours, moves or hides what a terminal shows.

    Standard output is one where a terminal shows it; in a file or a pipe data stay as they are.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        """Write the text as `evalcore.text.legible.legible` makes it."""
        self._stream.write(legible(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _run(argv: Sequence[str] | None) -> int:
    arguments = _parser().parse_args(argv)
    command: Callable[[argparse.Namespace], int] = arguments.command
    try:
        _log()
        status = command(arguments)
        sys.stdout.flush()
        return status
    except InputError as error:
        print(error, file=sys.stderr)
    except BrokenPipeError:  # whoever read the output, such as head, has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return commands.DONE
    except OSError as error:
        name = shortened(str(error.filename or "a file"))
        print(f"{name}: {error.strerror or error}.", file=sys.stderr)
    except MemoryError:
        print("The data do not fit into memory. Send a part, or use a machine with more.", file=sys.stderr)
    except KeyboardInterrupt:
        print(INTERRUPTED, file=sys.stderr)
    except UnicodeEncodeError as error:
        # An argument of bytes that are no text comes from the system as halves of surrogate pairs.
        given = error.object[max(error.start - 20, 0) : error.end + 20].encode("ascii", "backslashreplace")
        print(f"{given.decode()}: text that is not UTF-8. Write it as UTF-8.", file=sys.stderr)
    except Exception:  # a fault of ours: the user gets a sentence, the traceback goes to the log
        if _interrupts:
            print(INTERRUPTED, file=sys.stderr)
            return commands.WRONG_INPUT
        logging.getLogger("evalcore").exception("unexpected failure")
        print(
            "Something went wrong inside evalcore; nothing was written. EVALCORE_LOG=debug shows where.",
            file=sys.stderr,
        )
    return commands.WRONG_INPUT


def _log() -> None:
    """Log as much as ``EVALCORE_LOG`` says.

    Raises
    ------
    InputError : OPT-003 for a word that is no level.
    """
    level = os.environ.get("EVALCORE_LOG", "").strip() or "critical"
    if level.lower() not in LOG_LEVELS:
        expected = f"{', '.join(LOG_LEVELS[:-1])} or {LOG_LEVELS[-1]}"
        raise InputError([problem("OPT-003", name="EVALCORE_LOG", found=level, expected=expected)])
    logging.basicConfig(level=level.upper())


def _name() -> str:
    """What the user calls the program."""
    return "evalcore" if Path(sys.argv[0]).stem == "evalcore" else "python -m evalcore"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=_name(), description="Evaluate predictions; choose thresholds.")
    parser.add_argument("--version", action="version", version=f"evalcore {evalcore.__version__}")
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")

    score_of: dict[str, Any] = {
        "action": "append",
        "metavar": "{positive,predicted,FILE=…}",
        "help": "whose score a file holds, where that is open: the positive class's or the predicted one's; "
        "FILE=predicted answers for one input",
    }
    reading = argparse.ArgumentParser(add_help=False)
    reading.add_argument(
        "--task", choices=get_args(Task), help="what the input is about (detected by itself)"
    )
    reading.add_argument("--candidates", metavar="F", help="a candidates file beside the queries")
    reading.add_argument(
        "--column", action="append", default=[], metavar="ROLE=NAME", help="use this column for this role"
    )
    reading.add_argument(
        "--no-header",
        action="store_true",
        help="the first line is a row: columns are known by position, --column ROLE=1",
    )
    reading.add_argument("--positive", metavar="VALUE", help="the label that means “has evidence”")
    reading.add_argument("--score-kind", choices=["probability", "score"], default="probability")
    reading.add_argument("--score-of", **score_of)
    reading.add_argument(
        "--as",
        dest="files_as",
        choices=["parts", "models"],
        help="what several files are: parts of one table, or models of the same rows",
    )
    reading.add_argument(
        "--truth", metavar="F", help="the file that holds the labels or judgements of the other inputs"
    )
    reading.add_argument("--encoding", metavar="E", help="text encoding, such as cp1252 (default: UTF-8)")
    reading.add_argument(
        "--keep-first", action="store_true", help="keep the best rank of a candidate named twice"
    )
    reading.add_argument("--adjudicator", metavar="NAME", help="annotations: whose responses decide")
    writing = argparse.ArgumentParser(add_help=False)
    writing.add_argument(
        "--overwrite", action="store_true", help="let --out replace files that come from elsewhere"
    )
    on_grid: dict[str, Any] = {
        "type": int,
        "metavar": "G",
        "help": "of rows take counts at so many points from 0 to 1 only, as tallies of sites do",
    }
    secret: dict[str, Any] = {
        "metavar": "F",
        "help": "draw by the secret text of this file, which all sites hold and who gets tallies does not",
    }
    inputs = argparse.ArgumentParser(add_help=False)
    inputs.add_argument("inputs", nargs="+", metavar="INPUT", help="a file, a folder or a glob")
    beside = argparse.ArgumentParser(add_help=False)
    beside.add_argument("inputs", nargs="*", metavar="INPUT", help="a file, a folder or a glob")
    with_lists = beside.add_argument_group("beside recommendation lists")
    for name, about in commands.BESIDE.items():
        option = f"--{name.replace('_', '-')}"
        with_lists.add_argument(option, dest=f"beside_{name}", action="append", metavar="F", help=about)
    with_lists.add_argument(
        "--predicted-ratings",
        action="store_true",
        help="the scores in the lists are predicted ratings: MAE, MSE and RMSE over the test pairs in them",
    )

    evaluating = argparse.ArgumentParser(add_help=False)
    evaluating.add_argument("--tau-neg", type=float, metavar="X", help="p < X is skipped")
    evaluating.add_argument("--tau-pos", type=float, metavar="Y", help="p >= Y is an alert")
    evaluating.add_argument(
        "--ks", help="cut-offs K, such as 1,5 (1,3,5,10,20; annotated lists 5; recommendations 10,20,50)"
    )
    evaluating.add_argument("--ties", choices=["trec", "stable", "expected"], default="trec")
    evaluating.add_argument(
        "--annotators", metavar="A,B,…", help="annotations: count the responses of these people only"
    )
    of_lists = evaluating.add_argument_group("recommendations")
    of_lists.add_argument(
        "--pop-ratio", type=float, metavar="R", help="share of interactions that the head reaches (0.8)"
    )
    of_lists.add_argument(
        "--evaluation",
        metavar="YAML",
        help="cut-offs, metrics and complex metrics as a block `evaluation:` of document 004",
    )
    selecting = argparse.ArgumentParser(add_help=False)
    dynamic_k = selecting.add_argument_group("dynamic K, simulated on scored candidates")
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

    def add(
        name: str, function: Callable[[argparse.Namespace], int], *parents: Any
    ) -> argparse.ArgumentParser:
        about = (function.__doc__ or "").strip()
        command = subparsers.add_parser(name, help=about, description=about, parents=list(parents))
        command.set_defaults(command=function)
        return command

    add("check", commands.check, beside, reading)

    command = add("evaluate", commands.evaluate, beside, reading, evaluating, selecting, writing)
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
    for name, (value, about) in commands.CLUSTER.items():
        command.add_argument(f"--{name.replace('_', '-')}", metavar=value, help=about)
    command.add_argument("--grid", **on_grid)
    command.add_argument("--secret-file", **secret)
    command.add_argument("--model", metavar="NAME", help="with --grid: the model, where there are several")
    command.add_argument(
        "--save", metavar="REPORT.evalcore", help="write the report as one file without rows, for `report`"
    )

    command.add_argument(
        "--point",
        metavar="POINT.json",
        help="at the thresholds of a document; the report says its verdicts",
    )

    command = add("repartition", commands.repartition, inputs, reading)
    command.add_argument("--out", required=True, metavar="DIR", help="an empty folder, or one to be made")
    command.add_argument("--by", choices=["post"], default="post", help="what lies in one file as a whole")
    command.add_argument("--rows", type=int, metavar="N", help="about how many rows a file gets (250,000)")

    command = add("report", commands.report, writing)
    command.add_argument("report", metavar="REPORT.evalcore", help="a file of evaluate --save")
    command.add_argument("--out", metavar="DIR", help="write metrics.csv, metrics.json and the reports here")
    command.set_defaults(save=None)

    command = add("gather", commands.gather, inputs, reading, writing)
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
    second.add_argument("--secret-file", **secret)
    command.add_argument("--site", metavar="NAME", help="what the site is called (the name of the file)")
    command.add_argument("--model", metavar="NAME", help="the model, where there are several")

    add("crosscheck", commands.crosscheck, beside, reading, evaluating, selecting)
    command = add("compare", commands.compare, beside, reading, writing)
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

    add("ablation", commands.ablation, inputs, reading, selecting)
    add("sweep", commands.sweep, inputs, reading, selecting)

    command = add("choose", commands.choose, inputs, reading, writing)
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
    command.add_argument("--grid", **on_grid)
    command.add_argument("--out", required=True, metavar="POINT.json")

    command = add("explore", commands.explore, inputs, reading, writing)
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
    command.add_argument("--grid", **on_grid)
    command.add_argument(
        "--must-not-miss",
        action="append",
        metavar="COLUMN=LEVEL",
        help="a group that must hold the target too, such as criterion=A.9; once for each",
    )
    command.add_argument("--out", required=True, metavar="EXPLORER.html")

    command = add("apply", commands.apply, writing)
    command.add_argument("point", metavar="POINT.json")
    command.add_argument("input", metavar="INPUT")
    command.add_argument("--score-of", **score_of)
    command.add_argument("--out", required=True, metavar="DECISIONS.csv")

    command = add("rule", commands.rule, writing)
    command.add_argument("point", metavar="POINT.json")
    command.add_argument(
        "--to",
        required=True,
        choices=["sql", "javascript", "r", "python", "java"],
        help="the language (sql: for DuckDB and SQLite)",
    )
    command.add_argument("--out", metavar="FILE", help="write it here (otherwise it is printed)")

    document = argparse.ArgumentParser(add_help=False)
    document.add_argument("point", metavar="POINT.json")
    add("verify", commands.verify, document, inputs, reading)

    command = add("show", commands.show, document, reading, writing)
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

    command = add("writeup", commands.writeup, reading, writing)
    command.add_argument("point", metavar="POINT.json|REPORT.evalcore", help="a document, or a saved report")
    command.add_argument("inputs", nargs="*", metavar="INPUT", help="the data it was made on: recomputed")
    command.add_argument("--out", required=True, metavar="FOLDER")
    command.add_argument("--signature", metavar="SIG", help="over statement.pae, by your own key")
    command.add_argument("--key-id", default="", metavar="NAME", help="what the envelope says of the key")

    command = add("dashboard", commands.dashboard)
    command.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="shown in place of the sample; as if uploaded, in memory only",
    )
    command.add_argument("--port", type=int, metavar="P", help="of this machine (default: 8501)")
    command.add_argument("--no-browser", action="store_true", help="serve only; do not open a browser")

    command = add("metrics", commands.metrics)
    command.add_argument("name", nargs="?", metavar="NAME")

    command = add("sample", commands.sample, writing)
    command.add_argument("--out", required=True, metavar="DIR")
    command.add_argument("--posts", type=int, default=1477, metavar="N")
    command.add_argument("--seed", type=int, default=0, metavar="S")
    return parser


if __name__ == "__main__":
    try:
        signal.signal(signal.SIGINT, _interrupt)
        signal.signal(signal.SIGTERM, _interrupt)  # ends like Ctrl-C: no half file stays behind
        status = main()
    except KeyboardInterrupt:  # before the arguments were read, or after the command's end
        print(INTERRUPTED, file=sys.stderr)
        status = commands.WRONG_INPUT
    sys.exit(status)
