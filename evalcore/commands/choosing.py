"""Commands about thresholds: choose, apply and verify."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalcore.commands.gathering import on_grid
from evalcore.commands.reading import (
    DOES_NOT_HOLD,
    DONE,
    ask_for_model,
    columns_used,
    keep_inputs,
    load,
    score_of,
    warn,
)
from evalcore.commands.reopening import read_for
from evalcore.files import check_place, table_csv, write_files
from evalcore.problems import InputError, listing, problem

if TYPE_CHECKING:
    from evalcore.data import Data
    from evalcore.operating_point import LooksAtTest, OperatingPoint


def choose(arguments: argparse.Namespace) -> int:
    """Choose thresholds for the targets and write the operating-point document."""
    from evalcore.operating_point import (
        choose_operating_point,
        choose_over_folds,
        marked_outlooks,
        outlooks,
    )
    from evalcore.operating_point.tradeoff.groups import read_mark

    _check_folds(arguments)
    inputs = [*arguments.inputs, arguments.test_file, arguments.candidates, arguments.truth]
    keep_inputs(arguments.out, *inputs)
    if arguments.pareto is not None:
        keep_inputs(arguments.pareto, *inputs)
        _check_two_files(arguments.out, arguments.pareto)
    data = load(arguments, takes_tallies=True)
    test_data = load(arguments, [arguments.test_file]) if arguments.test_file else None
    marks = tuple(read_mark(text) for text in arguments.must_not_miss)
    columns = [column for text in arguments.by for column in text.split(",")]
    if arguments.grid is not None:
        data = on_grid(arguments, data, by={*columns, *(column for column, _ in marks)}).data
    for one in (data, test_data):
        for line in [*columns_used(one), *one.notes] if one is not None else []:
            print(line, file=sys.stderr)
    warn(data, test_data)
    ask_for_model(arguments.model, data, test_data)
    _tell_of_split(arguments, data)
    how = {
        "screening_sensitivity": arguments.screening_sensitivity,
        "alert_precision": arguments.alert_precision,
        "confidence": None if arguments.point else arguments.confidence,
        "model": arguments.model,
        "cluster": arguments.cluster,
    }
    told: dict[str, Any] = {"test_seen": arguments.test_seen, "targets_from_data": _offered_before(arguments)}
    told |= {name: getattr(arguments, name) for name in ("author", "rationale", "setting")}
    told |= {"must_not_miss": marks, "by": columns}
    if arguments.folds:
        point = choose_over_folds(data, **how, **told)
    else:
        how |= {"tune": arguments.tune, "test": arguments.test, "test_data": test_data}
        for expected in outlooks(data, **how, marks=marks):
            print(expected.text, file=sys.stderr)
        for line in marked_outlooks(data, marks, **how):
            print(line, file=sys.stderr)
        told["prevalence"] = arguments.prevalence
        point = choose_operating_point(data, **how, **told)
        looks = _earlier_looks(arguments, point)
        if looks is not None:
            print(
                f"{arguments.out} held a point that was tested on these rows: a look at them.",
                file=sys.stderr,
            )
            point = choose_operating_point(data, **how, **told, looks=looks)
    fronts = None
    if arguments.pareto is not None:
        fronts = _fronts(data, point, arguments)
        check_place(Path(arguments.pareto), fronts, overwrite=arguments.overwrite)
    point.save(Path(arguments.out), overwrite=arguments.overwrite)
    print(point.summary)
    if point.result_sha256 is not None:
        print(f"Result SHA-256, the same from sites and from their pooled rows: {point.result_sha256}")
    print(arguments.out)
    if fronts is not None:
        path = Path(arguments.pareto)
        write_files(path.parent, {path.name: fronts}, overwrite=arguments.overwrite)
        print(path)
    return DONE if point.constraints_met else DOES_NOT_HOLD


def apply(arguments: argparse.Namespace) -> int:
    """Apply a document's rule to the scores of a file; nothing but the document decides."""
    from evalcore.operating_point import OperatingPoint, apply_to_file
    from evalcore.operating_point.document.limits import SYNTHETIC

    keep_inputs(arguments.out, arguments.point, arguments.input)
    point = OperatingPoint.load(Path(arguments.point))
    said = score_of(arguments, [arguments.input])
    decisions = apply_to_file(
        point, Path(arguments.input), Path(arguments.out), score_of=said, overwrite=arguments.overwrite
    )
    if point.is_synthetic:
        print(f"{arguments.point}: {SYNTHETIC}", file=sys.stderr)
    if decisions.note:
        print(decisions.note, file=sys.stderr)
    if decisions.warnings:
        print(listing(decisions.warnings), file=sys.stderr)
    print(", ".join(f"{state} {n:,}" for state, n in decisions.n_by_state.items()))
    print(arguments.out)
    return DONE


def verify(arguments: argparse.Namespace) -> int:
    """Recompute every number of a document from the data, read as the document says they were."""
    from evalcore.operating_point import OperatingPoint

    point = OperatingPoint.load(Path(arguments.point), strict=False)
    result = point.verify(*read_for(arguments, point, arguments.inputs, takes_tallies=True))
    print(result.summary)
    if result.differences:
        print(listing(result.differences), file=sys.stderr)
    return DONE if result.holds else DOES_NOT_HOLD


def _earlier_looks(arguments: argparse.Namespace, point: OperatingPoint) -> LooksAtTest | None:
    """Looks at these test rows that the file about to be replaced tells of: for other targets, or said to be.

    The same targets on the same rows are the same look. What other files hold nobody can know here.
    """
    from evalcore.operating_point import LooksAtTest

    before = _document_at(arguments.out)
    if before is None or arguments.test_seen:
        return None
    tested = [
        {entry.get("row_ids_sha256") for entry in document["data"] if entry["role"] == "test"}
        for document in (before, point.document)
    ]
    if not tested[0] & tested[1]:
        return None
    known = before["selection"].get("looks_at_test") or {"n_before": 0, "shown": []}
    n, shown = int(known["n_before"]), list(known["shown"])
    if before["selection"].get("test_seen_before"):
        n, shown = max(n, 1), shown or ["said to have been seen"]
    for asked, words in ((_targets_of, "targets"), (_marks_of, "marked groups")):
        if asked(before) != asked(point.document):
            held = f"the point that {Path(arguments.out).name} held for other {words}"
            n, shown = n + 1, [*shown, held]
            break
    return LooksAtTest(n, tuple(shown), "nobody", None) if n else None


def _targets_of(document: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    names = ("metric", "value", "kind", "confidence")
    return [tuple(entry.get(name) for name in names) for entry in document["selection"]["constraints"]]


def _marks_of(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    return sorted((one["column"], one["level"]) for one in document["selection"].get("must_not_miss", ()))


def _document_at(path: str) -> dict[str, Any] | None:
    """The document of a file, edited or not; None without one."""
    from evalcore.operating_point import OperatingPoint

    if not Path(path).is_file():  # a pipe would wait for ever
        return None
    try:
        return OperatingPoint.from_bytes(Path(path).read_bytes(), strict=False).document
    except (InputError, OSError):
        return None


def _offered_before(arguments: argparse.Namespace) -> list[str]:
    """The targets that the file about to be replaced had offered: set after seeing what the rows support.

    What was offered elsewhere, and copied by hand, nobody can know here; the very number that these rows
    would be offered is found again by the choice itself.
    """
    from evalcore.operating_point.choosing.request import TARGETS

    document = _document_at(arguments.out)
    if document is None:
        return []
    before = document["selection"]
    numbers = {(entry["metric"], entry["value"]) for entry in before.get("offered", [])}
    numbers |= {
        (entry["metric"], entry["value"])
        for entry in before["constraints"]
        if entry.get("set_after_seeing_the_data")
    }
    return [name for name, metric in TARGETS.items() if (metric, getattr(arguments, name)) in numbers]


def _check_two_files(out: str, pareto: str) -> None:
    """Refuse one file for both outputs."""
    if Path(out).resolve() == Path(pareto).resolve():
        raise InputError([problem("OPT-003", name="--pareto", found=pareto, expected="a file of its own")])


def _fronts(data: Data, point: OperatingPoint, arguments: argparse.Namespace) -> bytes:
    """The front of all three aims and, at the chosen τ_neg, that of precision against alerts, as a table."""
    import pandas as pd

    from evalcore.operating_point.choosing.front import alert_front, pareto_front
    from evalcore.operating_point.test_rows.row_sets import row_set

    chosen = row_set(data, "all", split=arguments.tune, model=arguments.model)
    fronts = {
        "workload;screening_sensitivity;alert_precision": pareto_front(chosen.table),
        "alert_precision;alerts_right": alert_front(chosen.table, point.tau_neg),
    }
    for aims, front in fronts.items():
        front.insert(0, "aims", aims)
    return table_csv(pd.concat(list(fronts.values()), ignore_index=True)).encode()


def _check_folds(arguments: argparse.Namespace) -> None:
    """Refuse folds beside tune and test, and a prevalence that claims on test would be for."""
    asked = {"--tune": arguments.tune, "--test": arguments.test, "--test-file": arguments.test_file}
    asked["--prevalence"] = arguments.prevalence
    others = [name for name, value in asked.items() if value is not None]
    if arguments.folds and others:
        found = f"--folds and {' and '.join(others)}"
        advice = "Over folds every row is chosen on, so that none is left to test on."
        raise InputError([problem("OPT-008", found=found, expected="one of them", advice=advice)])


def _tell_of_split(arguments: argparse.Namespace, data: Data) -> None:
    """Say that rows stand ready to test on, where nobody asked for them."""
    splits = data.queries.slices.get("split") if data.queries is not None else None
    if splits is not None and arguments.tune is None and not arguments.folds:
        names = ", ".join(splits[1])
        print(
            f"Chosen on every row. The file holds a split ({names}): see --tune and --test.", file=sys.stderr
        )
