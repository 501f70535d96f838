"""The commands of the command line, each a function of its parsed arguments that returns the exit status."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import evalcore
from evalcore.problems import InputError, listing, problem
from evalcore.settings import Settings

DONE, DOES_NOT_HOLD, WRONG_INPUT = 0, 1, 2


def check(arguments: argparse.Namespace) -> int:
    """Print what was checked, what is wrong with the input and what is worth knowing about it."""
    from evalcore import checks

    summaries = [name for name in arguments.inputs if checks.is_summary(Path(name))]
    results = [result for name in summaries for result in checks.check_summary(Path(name))]
    tables = [name for name in arguments.inputs if name not in summaries]
    warnings = [found for result in results for found in result.problems]
    if tables:
        try:
            data = _load(arguments, tables)
        except InputError as error:
            print(error, file=sys.stderr)
            is_readable = all(p.severity != "error" for p in error.problems)
            return DOES_NOT_HOLD if is_readable else WRONG_INPUT
        for line in _facts(data):
            print(line)
        results += checks.performed(data)
        warnings += data.warnings
    for result in results:
        found = f"{len(result.problems)} found" if result.problems else "passed"
        print(f"{result.name}: {result.n_rows_checked:,} checked, {found}")
    if warnings:
        print(listing(warnings), file=sys.stderr)
        return DOES_NOT_HOLD
    print("No problems.")
    return DONE


def evaluate(arguments: argparse.Namespace) -> int:
    """Compute every metric; write the report files, or print the table."""
    from evalcore import report as writers
    from evalcore.evaluation import evaluate as compute

    data = _load(arguments)
    by = tuple(name for text in arguments.by for name in text.split(",") if name)
    how = {**_options(arguments), "by": by, "undefined": arguments.undefined}
    how |= {"bootstrap": arguments.bootstrap, "seed": arguments.seed, "cluster": arguments.cluster}
    result = compute(data, **how, progress=Progress("evaluating"))
    for line in [*_facts(data), *([listing(data.warnings)] if data.warnings else [])]:
        print(line, file=sys.stderr)
    if arguments.out is None:
        print(writers.as_text(result))
        return DONE
    for path in writers.write_report(result, Path(arguments.out)):
        print(path)
    return DONE


def crosscheck(arguments: argparse.Namespace) -> int:
    """Compute every metric a second time, by plain loops, and say how far both lie apart."""
    from evalcore.crosscheck import compare
    from evalcore.evaluation import evaluate as compute

    data = _load(arguments)
    tell = Progress("cross-checking")
    how = _options(arguments)
    table = compute(data, **how, progress=tell).table
    tell("every value again, by plain loops")
    checked = compare(table, data, ties=arguments.ties, tau_neg=arguments.tau_neg)
    for deviation in checked.deviations:
        print(
            f"{deviation.key:<40} {deviation.n_values:>4} values, largest deviation {deviation.largest:.3g}"
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
        steps = steps_of(_load(arguments))
    else:
        steps = steps_of_files({Path(name).name: _load(arguments, [name]) for name in arguments.inputs})
    print(compute(steps, policy=_policy(arguments)).table.to_csv(index=False), end="")
    return DONE


def sweep(arguments: argparse.Namespace) -> int:
    """Print a sweep: γ over scored candidates and, where there are labels, a grid of threshold pairs."""
    from evalcore.ablation import gamma_table, threshold_grid
    from evalcore.kernels.policy import Policy
    from evalcore.selection_sweep import gamma_sweep
    from evalcore.tallies.scores import ScoredRows
    from evalcore.tallies.selections import ScoredLists

    data = _load(arguments)
    policy = _policy(arguments) or Policy("mass", gamma=0.9)
    scored = [] if data.rankings is None else [n for n, one in data.rankings.lists.items() if one.has_scores]
    for name in scored:
        results = gamma_sweep(ScoredLists.from_rankings(data.rankings, name), policy)
        print(f"# {name}: γ")
        print(gamma_table(results).to_csv(index=False), end="")
    for code, name in enumerate(data.queries.models if data.queries is not None else ()):
        rows = ScoredRows.from_queries(data.queries.where(data.queries.model == code))
        print(f"# {name}: pairs of thresholds")
        print(threshold_grid(rows).to_csv(index=False), end="")
    return DONE


def compare(arguments: argparse.Namespace) -> int:
    """Compare two models or lists on the queries they share: differences, intervals, tests, what fell out."""
    from evalcore.compare import answer, as_csv, as_text, dropped_in_words
    from evalcore.compare import compare as compute
    from evalcore.files import write_files

    if len(arguments.inputs) > 2:
        found, advice = f"{len(arguments.inputs)} inputs", "A folder or a glob in quotes is one input."
        raise InputError([problem("OPT-008", found=found, expected="one input or two", advice=advice)])
    if arguments.out is not None:
        _keep_inputs(arguments.out, *arguments.inputs)
    first, second = _two_names(arguments.models)
    names = ("k", "tau_neg", "tau_pos", "screening_sensitivity", "bootstrap", "permutations", "seed")
    how = {name: getattr(arguments, name) for name in names}
    how["by"] = tuple(name for text in arguments.by for name in text.split(",") if name)
    data, *others = (_load(arguments, [name]) for name in arguments.inputs)
    other = others[0] if others else None
    result = compute(data, first, second, other=other, progress=Progress("comparing"), **how)
    told = [dropped_in_words(shared, result.first, result.second) for shared in result.shared]
    for line in [f"second − first: {result.second} − {result.first}", *told, *result.notes]:
        print(line, file=sys.stderr)
    if arguments.out is None:
        print(as_text(result))
    print(answer(result))
    if arguments.out is not None:
        out = Path(arguments.out)
        write_files(out.parent, {out.name: as_csv(result).encode()})
        print(out)
    return DONE


def choose(arguments: argparse.Namespace) -> int:
    """Choose thresholds for the targets and write the operating-point document."""
    from evalcore.operating_point import choose_operating_point, outlook

    _keep_inputs(arguments.out, *arguments.inputs, *([arguments.test_file] if arguments.test_file else []))
    data = _load(arguments)
    splits = data.queries.slices.get("split") if data.queries is not None else None
    if splits is not None and arguments.tune is None:
        names = ", ".join(splits[1])
        print(
            f"Chosen on every row. The file holds a split ({names}): see --tune and --test.", file=sys.stderr
        )
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

    _keep_inputs(arguments.out, arguments.point, arguments.input)
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


class Progress:
    """Says on standard error what is being done, from the first second on and at most once a second."""

    def __init__(self, doing: str) -> None:
        self._doing = doing
        self._told = time.monotonic()

    def __call__(self, step: str) -> None:
        """Tell the step that begins now."""
        if time.monotonic() - self._told >= 1:
            self._told = time.monotonic()
            print(f"{self._doing}: {step}", file=sys.stderr, flush=True)


def _keep_inputs(out: str, *inputs: str) -> None:
    """Refuse to write over what is read, or over anything that is no file."""
    target = Path(out)
    is_input = any(target.exists() and Path(name).exists() and target.samefile(name) for name in inputs)
    if is_input or (target.exists() and not target.is_file()):
        found = f"{out}, which is {'read too' if is_input else 'no file'}"
        raise InputError([problem("OPT-003", name="--out", found=found, expected="a file of its own")])


def _load(
    arguments: argparse.Namespace,
    inputs: Sequence[str] | None = None,
    reading: Mapping[str, Any] | None = None,
) -> Any:
    """The data of the inputs; what the arguments do not say is read as ``reading`` does."""
    known = reading or {"columns": {}, "positive": None, "score_kind": "probability"}
    columns = _columns(arguments.column)
    return evalcore.load(
        list(inputs or arguments.inputs),
        candidates=arguments.candidates,
        columns={**known["columns"], **columns},
        positive=arguments.positive or known["positive"],
        score_kind=known["score_kind"] if arguments.score_kind == "probability" else arguments.score_kind,
        encoding=arguments.encoding,
        keep_first=arguments.keep_first,
        task=arguments.task,
        max_rows=Settings.read().max_rows,
    )


def _two_names(text: str | None) -> tuple[str | None, str | None]:
    """``A,B`` as two names; none where nothing is said."""
    if text is None:
        return None, None
    names = [name.strip() for name in text.split(",")]
    if len(names) != 2 or not all(names):
        expected = "two names, such as --models baseline,gnn_gate"
        raise InputError([problem("OPT-003", name="--models", found=text, expected=expected)])
    return names[0], names[1]


def _columns(texts: Sequence[str]) -> dict[str, Any]:
    """``ROLE=NAME`` as a mapping; a role that is named several times has several columns."""
    columns: dict[str, Any] = {}
    for text in texts:
        role, equals, name = text.partition("=")
        if not equals or not name:
            expected = "ROLE=NAME, such as probability=p_final"
            raise InputError([problem("OPT-003", name="--column", found=text, expected=expected)])
        columns[role] = [*columns.get(role, []), name]
    return {role: names[0] if len(names) == 1 else names for role, names in columns.items()}


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


def _options(arguments: argparse.Namespace) -> dict[str, Any]:
    """The options of an evaluation that its arguments name."""
    return {
        "ks": _ks(arguments.ks),
        "tau_neg": arguments.tau_neg,
        "tau_pos": arguments.tau_pos,
        "ties": arguments.ties,
        "policy": _policy(arguments),
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
    return tuple(
        int(part) if part.strip().lstrip("-").isdigit() else part.strip() for part in text.split(",")
    )
