"""The command that compares: two models, two lists, or two systems by their annotations."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from evalcore.commands.reading import DONE, Progress, columns_used, every_input, keep_inputs, load, warn
from evalcore.problems import InputError, problem
from evalcore.text.legible import legible

if TYPE_CHECKING:
    from evalcore.compare.told import Told


def compare(arguments: argparse.Namespace) -> int:
    """Compare two models or lists on what they share, or every two of several, with intervals and tests."""
    from evalcore.compare import METRICS_COMPARED
    from evalcore.sites import are_tallies
    from evalcore.tasks import compared

    if arguments.inputs and any(are_tallies([name]) for name in arguments.inputs):
        return _tell(arguments, _of_sites(arguments))
    if len(arguments.inputs) > 2:
        found, advice = f"{len(arguments.inputs)} inputs", "A folder or a glob in quotes is one input."
        raise InputError([problem("OPT-008", found=found, expected="one input or two", advice=advice)])
    if arguments.out is not None:
        keep_inputs(arguments.out, *every_input(arguments))
    models = _names(arguments.models)
    every_two = arguments.matrix or len(models) > 2
    gate = ("tau_neg", "tau_pos", "screening_sensitivity", "alert_precision")
    names = (*gate, "split", "bootstrap", "permutations", "seed", "by_row", "shared_only")
    how = {name: getattr(arguments, name) for name in (*names, "fpr", "pop_ratio", "k", "key")}
    if arguments.metrics is not None:
        how["metrics"] = tuple(key.strip() for key in arguments.metrics.split(",") if key.strip())
        if not how["metrics"]:
            found = repr(arguments.metrics)
            expected = f"names such as {METRICS_COMPARED[0]}, or no --metrics at all"
            raise InputError([problem("OPT-003", name="--metrics", found=found, expected=expected)])
    how["by"] = tuple(name for text in arguments.by for name in text.split(",") if name)
    inputs = [[name] for name in arguments.inputs] or [[]]
    data, *others = (load(arguments, one) for one in inputs)
    other = others[0] if others else None
    for one in (data, *others):
        for line in columns_used(one):
            print(line, file=sys.stderr)
    warn(data, other)
    how |= {"inputs": arguments.inputs, "progress": Progress("comparing"), "every_two": every_two}
    return _tell(arguments, compared(data, other, models, **how))


def _tell(arguments: argparse.Namespace, told: Told) -> int:
    """Print what was compared, and write the table where a file is asked for."""
    from evalcore.files import write_files

    for line in told.notes:
        print(line, file=sys.stderr)
    if arguments.out is None:
        print(legible(told.text))
    for line in told.answers:
        print(legible(line))
    if arguments.out is not None:
        out = Path(arguments.out)
        write_files(out.parent, {out.name: told.csv.encode()}, overwrite=arguments.overwrite)
        print(out)
    return DONE


def _of_sites(arguments: argparse.Namespace) -> Told:
    """Two second rounds of the same sites.

    Raises
    ------
    InputError : SIT-007 for what tallies cannot give; OPT-008 for one input; as of `sites_compared`.
    """
    from evalcore.compare.evidence.sites import sites_compared
    from evalcore.sites import are_tallies

    are_tallies(arguments.inputs)  # refuses rows beside them
    if len(arguments.inputs) != 2:
        found = f"{len(arguments.inputs)} input{'s' if len(arguments.inputs) != 1 else ''} of tallies"
        advice = "A folder or a glob in quotes, with the files of all sites, is one input."
        raise InputError([problem("OPT-008", found=found, expected="two", advice=advice)])
    if arguments.out is not None:
        keep_inputs(arguments.out, *every_input(arguments))
    asked = {
        "--models": arguments.models,
        "--matrix": arguments.matrix,
        "--by-row": arguments.by_row,
        "--shared-only": arguments.shared_only,
        "--tau-neg": arguments.tau_neg,
        "--tau-pos": arguments.tau_pos,
        "--screening-sensitivity": arguments.screening_sensitivity,
        "--alert-precision": arguments.alert_precision,
    }
    advice = "rates are compared at the thresholds at which each side was gathered."
    wrong = [
        problem("SIT-007", found=name, expected="two second rounds alone", advice=advice)
        for name, value in asked.items()
        if value is not None and value is not False  # 0 is a threshold, and equals False
    ]
    if wrong:
        raise InputError(wrong)
    data, other = (load(arguments, [name], takes_tallies=True) for name in arguments.inputs)
    return sites_compared(
        data,
        other,
        metrics=[key.strip() for key in (arguments.metrics or "").split(",") if key.strip()],
        by=[name for text in arguments.by for name in text.split(",") if name],
        split=arguments.split,
        bootstrap=arguments.bootstrap,
        seed=arguments.seed,
    )


def _names(text: str | None) -> tuple[str | None, ...]:
    """``A,B`` as two names, or as more; none where nothing is said."""
    if text is None:
        return None, None
    names = [name.strip() for name in text.split(",")]
    if len(names) < 2 or not all(names):
        expected = "two names or more, such as --models baseline,gnn_gate"
        raise InputError([problem("OPT-003", name="--models", found=text, expected=expected)])
    return tuple(names)
