"""The command that compares: two models, two lists, or two systems by their annotations."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from evalcore.commands.reading import DONE, Progress, columns_used, keep_inputs, load, warn
from evalcore.data import Data
from evalcore.problems import InputError, problem

K, RAG_K = 10, 5
"""Usual cut-offs of ranked lists, and of retrieved chunks."""


def compare(arguments: argparse.Namespace) -> int:
    """Compare two models or lists on the queries they share: differences, intervals, tests, what fell out."""
    from evalcore.compare import METRICS_COMPARED, answer, answer_of_groups, as_csv, as_text, dropped_in_words
    from evalcore.compare import compare as compute
    from evalcore.compare.wording import label_of, params_of
    from evalcore.files import write_files

    if len(arguments.inputs) > 2:
        found, advice = f"{len(arguments.inputs)} inputs", "A folder or a glob in quotes is one input."
        raise InputError([problem("OPT-008", found=found, expected="one input or two", advice=advice)])
    if arguments.out is not None:
        keep_inputs(arguments.out, *arguments.inputs, arguments.candidates, arguments.truth)
    first, second = _two_names(arguments.models)
    names = ("split", "tau_neg", "tau_pos", "screening_sensitivity", "bootstrap", "permutations", "seed")
    how = {name: getattr(arguments, name) for name in (*names, "by_row", "shared_only", "fpr")}
    if arguments.metrics is not None and not arguments.metrics.replace(",", " ").strip():
        found = repr(arguments.metrics)
        expected = f"names such as {METRICS_COMPARED[0]}, or no --metrics at all"
        raise InputError([problem("OPT-003", name="--metrics", found=found, expected=expected)])
    keys = tuple(key.strip() for key in (arguments.metrics or "").split(",") if key.strip())
    how |= {"metrics": keys} if arguments.metrics is not None else {}
    how["by"] = tuple(name for text in arguments.by for name in text.split(",") if name)
    data, *others = (load(arguments, [name]) for name in arguments.inputs)
    other = others[0] if others else None
    for one in (data, *others):
        for line in columns_used(one):
            print(line, file=sys.stderr)
    warn(data, other)
    usual = RAG_K if data.task == "rag" else K
    how["k"] = usual if arguments.k is None else arguments.k
    if data.task == "rag":
        return _compare_systems(arguments, data, other, (first, second), how["k"], keys)
    result = compute(data, first, second, other=other, progress=Progress("comparing"), **how)
    told = [dropped_in_words(shared, result.first, result.second) for shared in result.shared]
    for line in [f"second − first: {result.second} − {result.first}", *told, *result.notes]:
        print(line, file=sys.stderr)
    if arguments.out is None:
        print(as_text(result))
    print(answer(result))
    for column in result.options.by:
        of_column = result.table[result.table["group_by"] == column]
        for row in of_column[["metric", "params"]].drop_duplicates().to_dict("records"):
            said = answer_of_groups(result, row["metric"], column, params=row["params"])
            params = params_of(row)
            named = label_of({**row, "params": ""}) + (f" ({params})" if params else "")
            print(f"{named} by {column}: {said}")
    if arguments.out is not None:
        out = Path(arguments.out)
        write_files(out.parent, {out.name: as_csv(result).encode()}, overwrite=arguments.overwrite)
        print(out)
    return DONE


def _two_names(text: str | None) -> tuple[str | None, str | None]:
    """``A,B`` as two names; none where nothing is said."""
    if text is None:
        return None, None
    names = [name.strip() for name in text.split(",")]
    if len(names) != 2 or not all(names):
        expected = "two names, such as --models baseline,gnn_gate"
        raise InputError([problem("OPT-003", name="--models", found=text, expected=expected)])
    return names[0], names[1]


def _compare_systems(
    arguments: argparse.Namespace,
    data: Data,
    other: Data | None,
    names: tuple[str | None, str | None],
    k: int,
    metrics: tuple[str, ...],
) -> int:
    """Two systems by their annotations: levels of the column system, or two inputs."""
    from evalcore.catalog import of_family
    from evalcore.compare.annotations import Resamples, compare_annotations
    from evalcore.compare.systems import by_system, n_without_system, shared_keys
    from evalcore.compare.wording import answer_of_rows, fell_out
    from evalcore.files import write_files

    n_nobody = 0
    if other is None:
        parts = by_system(data)
        only = tuple(parts) if len(parts) == 2 else (None, None)
        first, second = only if names[0] is None else names
        if first not in parts or second not in parts or first == second:
            found = f"--models {first},{second}" if names[0] else f"{len(parts)} systems"
            advice = "Name two of them: --models A,B."
            expected = f"two of {', '.join(parts)}"
            if len(parts) < 2:
                found = f"{'one system' if parts else 'no column system'} in one input"
                expected = "a column system that names two, or two inputs"
                advice = "Give the second system's export too, or name the column: --column system=NAME."
            raise InputError([problem("OPT-008", found=found, expected=expected, advice=advice)])
        one, two = parts[str(first)], parts[str(second)]
        n_nobody = n_without_system(data)
    else:
        first, second, one, two = arguments.inputs[0], arguments.inputs[1], data, other
    how = Resamples(arguments.bootstrap, arguments.permutations, arguments.seed)
    table = compare_annotations(one, two, key=arguments.key, k=k, how=how)
    known = {one.key: one.name for one in of_family("rag") if one.name in set(table["metric"])}
    asked = [known.get(key, key) for key in metrics]
    unknown = [
        problem("OPT-003", name="--metrics", found=key, expected=f"one of {', '.join(known)}")
        for key in asked
        if key not in known.values()
    ]
    if unknown:
        raise InputError(unknown)
    if metrics:
        table = table[table["metric"].isin(asked)]
    rows = table.to_dict("records")
    print(f"second − first: {second} − {first}", file=sys.stderr)
    for line in fell_out(rows, str(first), str(second)):
        print(line, file=sys.stderr)
    if n_nobody:
        print(f"{n_nobody:,} records name no system: they are on no side.", file=sys.stderr)
    if len(table) and not table["n"].any():
        others = [f"--key {key} ({n:,} shared)" for key, n in shared_keys(one, two).items() if n]
        found = f"none is the same by {arguments.key}"
        advice = f"Say what names a query with {others[0] if others else '--key COL'}."
        raise InputError([problem("OPT-040", first=first, second=second, found=found, advice=advice)])
    if arguments.out is None:
        print(table.drop(columns=["ci_method", "p_method"]).round(4).to_string(index=False))
    print(answer_of_rows(rows, str(first), str(second)))
    if arguments.out is not None:
        out = Path(arguments.out)
        content = table.to_csv(index=False, lineterminator="\n").encode()
        write_files(out.parent, {out.name: content}, overwrite=arguments.overwrite)
        print(out)
    return DONE
