"""Commands that evaluate: check, evaluate, report, crosscheck, ablation and sweep."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalcore.commands.chunking import cluster_of, files_in_chunks
from evalcore.commands.gathering import drawn_at, on_grid
from evalcore.commands.reading import (
    DOES_NOT_HOLD,
    DONE,
    WRONG_INPUT,
    Progress,
    beside_of,
    columns_used,
    every_input,
    facts,
    keep_inputs,
    keep_sources,
    load,
    load_as_read,
    warn,
)
from evalcore.commands.reopening import read_for
from evalcore.files import table_csv
from evalcore.problems import InputError, listing, problem

if TYPE_CHECKING:
    from evalcore.operating_point import OperatingPoint
    from evalcore.readers.chunks.looking import Looked

_WHOLE = re.compile(r"\s*-?[0-9]{1,18}\s*")


def check(arguments: argparse.Namespace) -> int:
    """Print what was checked, what is wrong with the input and what is worth knowing about it."""
    from evalcore import checks, tasks

    summaries = [name for name in arguments.inputs if checks.is_summary(Path(name))]
    results = [result for name in summaries for result in checks.check_summary(Path(name))]
    tables = [name for name in arguments.inputs if name not in summaries]
    warnings = [found for result in results for found in result.problems]
    if tables or beside_of(arguments) or not summaries:
        try:
            data = load(arguments, tables)
        except InputError as error:
            print(error, file=sys.stderr)
            is_readable = all(p.severity != "error" for p in error.problems)
            return DOES_NOT_HOLD if is_readable else WRONG_INPUT
        for line in [*facts(data), *columns_used(data)]:
            print(line)
        results += tasks.performed(data)
        warnings += data.warnings
    for result in results:
        found = f"{result.n_found:,} found" if result.problems else "passed"
        print(f"{result.name}: {result.n_rows_checked:,} checked, {found}")
    if warnings:
        print(listing(warnings), file=sys.stderr)
        return DOES_NOT_HOLD
    print("No problems.")
    return DONE


def evaluate(arguments: argparse.Namespace) -> int:
    """Compute every metric; write the report files, or print the table."""
    from evalcore import report as writers
    from evalcore import tasks
    from evalcore.engines.local import most_processes
    from evalcore.evaluation import gate_options
    from evalcore.report.reader import is_of_these_rows

    _check_grid(arguments)
    point = _point(arguments)
    files = files_in_chunks(arguments)
    if files is not None:
        return _evaluate_chunks(arguments, files)
    data = (
        load(arguments, takes_tallies=True)
        if point is None
        else load_as_read(arguments, arguments.inputs, point.reading, takes_tallies=True)
    )
    read = [*every_input(arguments), arguments.point]
    if arguments.out is not None:
        keep_sources(arguments.out, writers.NAMES, data.sources, *read)
    if arguments.save is not None:
        keep_inputs(arguments.save, *read, named="--save")
    how = _asked(arguments)
    if point is not None:
        how |= gate_options(point.tau_neg, point.tau_pos, data.score_kind)
    if arguments.grid is not None:
        drawn = drawn_at(how["tau_neg"], how["tau_pos"], arguments.bootstrap, arguments.seed)
        data = on_grid(arguments, data, drawn).data
    how["processes"] = most_processes()
    result = tasks.evaluate(data, **how, progress=Progress("evaluating"))
    if point is not None and is_of_these_rows(point, result):
        # The report says its verdicts: they must be what these rows give.
        alone = len(arguments.inputs) == 1
        again = {"takes_tallies": True}
        found = point.verify(*([data] if alone else read_for(arguments, point, arguments.inputs, **again)))
        if not found.holds:
            raise InputError(found.differences)
    for line in [*facts(data), *columns_used(data)]:
        print(line, file=sys.stderr)
    warn(data)
    return _tell(result, arguments, point)


def _check_grid(arguments: argparse.Namespace) -> None:
    """Refuse what only rows on a grid take, where no grid is asked for."""
    of_grid = {
        "--secret-file": (
            arguments.secret_file,
            "Rows are drawn by their ids; it is for a second round of sites.",
        ),
        "--model": (arguments.model, "Every model has its own lines; leave it out."),
    }
    problems = [
        problem("OPT-008", found=f"{name} alone", expected="--grid", advice=why)
        for name, (value, why) in of_grid.items()
        if value is not None and arguments.grid is None
    ]
    if problems:
        raise InputError(problems)


def _evaluate_chunks(arguments: argparse.Namespace, files: Looked) -> int:
    """As `evaluate`, for files that are read a chunk at a time."""
    from evalcore import report as writers
    from evalcore import tasks
    from evalcore.chunked import evaluate_prepared
    from evalcore.engines.local import most_processes

    read = every_input(arguments)
    if arguments.out is not None:
        keep_sources(arguments.out, writers.NAMES, files.every_file, *read)
    if arguments.save is not None:
        keep_inputs(arguments.save, *read, named="--save")
    result = evaluate_prepared(
        files,
        tasks.options_of(files.task, _asked(arguments)),
        cluster_of(arguments),
        chunk_rows=arguments.chunk_rows,
        layout=arguments.layout or "aligned",
        engine=arguments.engine or "local",
        progress=Progress("evaluating"),
        processes=most_processes(),
    )
    for line in [*facts(result.data), *columns_used(result.data)]:
        print(line, file=sys.stderr)
    warn(result.data)
    return _tell(result, arguments)


def _asked(arguments: argparse.Namespace) -> dict[str, Any]:
    """The options of an evaluation with those that only `evaluate` takes."""
    by = tuple(name for text in arguments.by for name in text.split(",") if name)
    how = {**_options(arguments), "by": by, "undefined": arguments.undefined}
    return how | {"bootstrap": arguments.bootstrap, "seed": arguments.seed, "cluster": arguments.cluster}


def _point(arguments: argparse.Namespace) -> OperatingPoint | None:
    """The document that names the thresholds, or None."""
    if arguments.point is None:
        return None
    from evalcore.operating_point import OperatingPoint

    given = {"--tau-neg": arguments.tau_neg, "--tau-pos": arguments.tau_pos}
    others = [name for name, value in given.items() if value is not None]
    if others:
        found, advice = f"--point and {' and '.join(others)}", "The document says its thresholds."
        raise InputError([problem("OPT-008", found=found, expected="one of them", advice=advice)])
    return OperatingPoint.load(Path(arguments.point))


def report(arguments: argparse.Namespace) -> int:
    """Write the files of a saved report again, or print its table."""
    from evalcore import Report
    from evalcore.report import NAMES

    for name in NAMES if arguments.out is not None else ():
        keep_inputs(str(Path(arguments.out) / name), arguments.report)
    result = Report.load(arguments.report)
    for line in facts(result.data):
        print(line, file=sys.stderr)
    return _tell(result, arguments)


def _tell(result: Any, arguments: argparse.Namespace, point: OperatingPoint | None = None) -> int:
    """Write a report where the arguments say, or print its table."""
    from evalcore import report as writers
    from evalcore import tasks
    from evalcore.engines.local import most_processes

    written: list[Path] = []
    if arguments.out is not None:
        written += writers.write_report(
            result,
            Path(arguments.out),
            overwrite=arguments.overwrite,
            thresholds_of=None if point is None else point.model,
            drawn=tasks.drawings,
            point=point,
            processes=most_processes(),
        )
    if arguments.save is not None:
        written.append(result.save(arguments.save, overwrite=arguments.overwrite))
    for path in written:
        print(path)
    if not written:
        print(writers.as_text(result))
    return DONE


def crosscheck(arguments: argparse.Namespace) -> int:
    """Compute every metric a second time, by plain loops, and say how far both lie apart."""
    from evalcore.tasks import crosschecked, evaluate

    data = load(arguments)
    warn(data)
    tell = Progress("cross-checking")
    how = _options(arguments)
    table = evaluate(data, **how, progress=tell).table
    tell("every value again, by plain loops")
    same = {name: how[name] for name in ("ties", "tau_neg", "annotators")}
    checked = crosschecked(table, data, **same)
    for deviation in checked.deviations:
        values = "value" if deviation.n_values == 1 else "values"
        print(
            f"{deviation.key:<40} {deviation.n_values:>4} {values}, largest deviation {deviation.largest:.3g}"
        )
    for missing in checked.missing:
        print(f"{missing}: no second implementation", file=sys.stderr)
    print("Holds: every deviation below 1 %." if checked.holds else "Does not hold.")
    return DONE if checked.holds else DOES_NOT_HOLD


def ablation(arguments: argparse.Namespace) -> int:
    """Print what each step of a pipeline reaches and changes: files in order, or lists and models."""
    from evalcore.ablation import ablation as compute
    from evalcore.ablation import steps_of, steps_of_files

    if len(arguments.inputs) == 1:
        data = load(arguments)
        warn(data)
        steps = steps_of(data)
    else:
        files = {Path(name).name: load(arguments, [name]) for name in arguments.inputs}
        warn(*files.values())
        steps = steps_of_files(files)
    print(table_csv(compute(steps, policy=_policy(arguments)).table), end="")
    return DONE


def sweep(arguments: argparse.Namespace) -> int:
    """Print a sweep: γ over scored candidates and, where there are labels, a grid of threshold pairs."""
    from evalcore.ablation import gamma_table, threshold_grid
    from evalcore.kernels.policy import Policy
    from evalcore.selection_sweep import gamma_sweep
    from evalcore.tallies.scores import ScoredRows
    from evalcore.tallies.selections import ScoredLists

    data = load(arguments)
    warn(data)
    policy = _policy(arguments) or Policy("mass", gamma=0.9)
    scored = [] if data.rankings is None else [n for n, one in data.rankings.lists.items() if one.has_scores]
    for name in scored:
        results = gamma_sweep(ScoredLists.from_rankings(data.rankings, name), policy)
        print(f"# {name}: γ")
        print(table_csv(gamma_table(results)), end="")
    for code, name in enumerate(data.queries.models if data.queries is not None else ()):
        rows = ScoredRows.from_queries(data.queries.where(data.queries.model == code))
        print(f"# {name}: pairs of thresholds")
        print(table_csv(threshold_grid(rows)), end="")
    return DONE


def _options(arguments: argparse.Namespace) -> dict[str, Any]:
    """The options of an evaluation that its arguments name."""
    from evalcore.evaluation.recommender import read_configuration

    return {
        **({} if arguments.evaluation is None else read_configuration(Path(arguments.evaluation))),
        **({} if arguments.pop_ratio is None else {"pop_ratio": arguments.pop_ratio}),
        **({} if arguments.ks is None else {"ks": _ks(arguments.ks)}),
        "tau_neg": arguments.tau_neg,
        "tau_pos": arguments.tau_pos,
        "ties": arguments.ties,
        "policy": _policy(arguments),
        "annotators": tuple(name.strip() for name in (arguments.annotators or "").split(",") if name.strip()),
    }


def _policy(arguments: argparse.Namespace) -> Any:
    """The policy of dynamic K to simulate, or None."""
    from evalcore.kernels.policy import Policy

    if arguments.policy is None:
        return None
    given = {
        "k": arguments.selected_k,
        "threshold": arguments.score_threshold,
        "gamma": arguments.gamma,
        "temperature": arguments.temperature,
        "k_min": arguments.k_min,
        "hard_cap": arguments.hard_cap,
        "ratio": arguments.k_ratio,
        "rounding": arguments.k_rounding,
    }
    return Policy(arguments.policy, **{name: value for name, value in given.items() if value is not None})


def _ks(text: str) -> tuple[Any, ...]:
    """The cut-offs between commas; what spells no whole number stays text, which is refused by name."""
    return tuple(int(part) if _WHOLE.fullmatch(part) else part.strip() for part in text.split(","))
