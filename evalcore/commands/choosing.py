"""Commands about thresholds: choose, apply and verify."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from evalcore.commands.reading import DOES_NOT_HOLD, DONE, keep_inputs, load, load_as_read
from evalcore.problems import InputError, listing, problem

if TYPE_CHECKING:
    from evalcore.data import Data
    from evalcore.operating_point import OperatingPoint


def choose(arguments: argparse.Namespace) -> int:
    """Choose thresholds for the targets and write the operating-point document."""
    from evalcore.operating_point import choose_operating_point, choose_over_folds, outlooks

    _check_folds(arguments)
    inputs = [*arguments.inputs, arguments.test_file, arguments.candidates]
    keep_inputs(arguments.out, *inputs)
    if arguments.pareto is not None:
        keep_inputs(arguments.pareto, *inputs)
        _check_two_files(arguments.out, arguments.pareto)
    data = load(arguments)
    test_data = load(arguments, [arguments.test_file]) if arguments.test_file else None
    _ask_for_model(arguments, data, test_data)
    _tell_of_split(arguments, data)
    how = {
        "screening_sensitivity": arguments.screening_sensitivity,
        "alert_precision": arguments.alert_precision,
        "confidence": None if arguments.point else arguments.confidence,
        "model": arguments.model,
    }
    if arguments.folds:
        point = choose_over_folds(data, **how, test_seen=arguments.test_seen)
    else:
        how |= {"tune": arguments.tune, "test": arguments.test, "test_data": test_data}
        for expected in outlooks(data, **how):
            print(expected.text, file=sys.stderr)
        point = choose_operating_point(data, **how, test_seen=arguments.test_seen)
    _tell_of_earlier_test(arguments, point)
    point.save(Path(arguments.out), overwrite=arguments.overwrite)
    print(point.summary)
    print(arguments.out)
    if arguments.pareto is not None:
        _write_fronts(data, point, arguments)
    return DONE if point.constraints_met else DOES_NOT_HOLD


def apply(arguments: argparse.Namespace) -> int:
    """Apply a document's rule to the scores of a file; nothing but the document decides."""
    from evalcore.operating_point import OperatingPoint, apply_to_file

    keep_inputs(arguments.out, arguments.point, arguments.input)
    point = OperatingPoint.load(Path(arguments.point))
    decisions = apply_to_file(
        point, Path(arguments.input), Path(arguments.out), overwrite=arguments.overwrite
    )
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
    inputs = list(
        {Path(name).resolve(): name for name in arguments.inputs}.values()
    )  # a file given twice is one
    together = [inputs] if n_files == 1 else [[name] for name in inputs]
    result = point.verify(*(load_as_read(arguments, inputs, point.reading) for inputs in together))
    print(result.summary)
    if result.differences:
        print(listing(result.differences), file=sys.stderr)
    return DONE if result.holds else DOES_NOT_HOLD


def _tell_of_earlier_test(arguments: argparse.Namespace, point: OperatingPoint) -> None:
    """Say that the file about to be replaced was tested on these rows, for other thresholds or targets.

    Whether its figures led to this choice only its author knows: the document must not guess.
    """
    from evalcore.operating_point import OperatingPoint

    out = Path(arguments.out)
    if not out.is_file() or arguments.test_seen:
        return
    try:
        before = OperatingPoint.from_bytes(out.read_bytes(), strict=False).document
    except InputError:
        return
    tested = [
        {entry.get("row_ids_sha256") for entry in document["data"] if entry["role"] == "test"}
        for document in (before, point.document)
    ]
    asked = [document["selection"]["constraints"] for document in (before, point.document)]
    if tested[0] & tested[1] and asked[0] != asked[1]:
        print(
            f"{arguments.out} held a point with other targets, tested on these rows. If its figures led to "
            "this choice, say --test-seen.",
            file=sys.stderr,
        )


def _check_two_files(out: str, pareto: str) -> None:
    """Refuse one file for both outputs."""
    if Path(out).resolve() == Path(pareto).resolve():
        raise InputError([problem("OPT-003", name="--pareto", found=pareto, expected="a file of its own")])


def _write_fronts(data: Data, point: OperatingPoint, arguments: argparse.Namespace) -> None:
    """Write the front of all three aims and, at the chosen τ_neg, that of precision against alerts."""
    import pandas as pd

    from evalcore.files import write_files
    from evalcore.operating_point.front import alert_front, pareto_front
    from evalcore.operating_point.row_sets import row_set

    chosen = row_set(data, "all", split=arguments.tune, model=arguments.model)
    fronts = {
        "workload;screening_sensitivity;alert_precision": pareto_front(chosen.table),
        "alert_precision;alerts_right": alert_front(chosen.table, point.tau_neg),
    }
    for aims, front in fronts.items():
        front.insert(0, "aims", aims)
    table = pd.concat(list(fronts.values()), ignore_index=True)
    path = Path(arguments.pareto)
    content = table.to_csv(index=False, lineterminator="\n").encode()
    write_files(path.parent, {path.name: content}, overwrite=arguments.overwrite)
    print(path)


def _check_folds(arguments: argparse.Namespace) -> None:
    """Refuse folds beside tune and test: what is chosen over folds is chosen on every row."""
    asked = {"--tune": arguments.tune, "--test": arguments.test, "--test-file": arguments.test_file}
    others = [name for name, value in asked.items() if value is not None]
    if arguments.folds and others:
        found = f"--folds and {' and '.join(others)}"
        advice = "Over folds every row is chosen on, so that none is left to test on."
        raise InputError([problem("OPT-008", found=found, expected="one of them", advice=advice)])


def _ask_for_model(arguments: argparse.Namespace, data: Data, test_data: Data | None) -> None:
    """Refuse to take one of several models unasked: another model's thresholds would look the same."""
    if arguments.model is not None:
        return
    for given in (data, test_data):
        models = given.queries.models if given is not None and given.queries is not None else ()
        if len(models) > 1:
            found, expected = f"{len(models)} models and no --model", f"one of {', '.join(models)}"
            advice = "Say for which of them, such as --model " + models[0] + "."
            raise InputError([problem("OPT-008", found=found, expected=expected, advice=advice)])


def _tell_of_split(arguments: argparse.Namespace, data: Data) -> None:
    """Say that rows stand ready to test on, where nobody asked for them."""
    splits = data.queries.slices.get("split") if data.queries is not None else None
    if splits is not None and arguments.tune is None and not arguments.folds:
        names = ", ".join(splits[1])
        print(
            f"Chosen on every row. The file holds a split ({names}): see --tune and --test.", file=sys.stderr
        )
