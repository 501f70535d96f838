"""What the commands write, kept before a change and compared after it: `python -m benchmarks.frozen`.

``write FOLDER`` runs the commands on the sample data, on folders of real files named by ``--data`` and on the
cases of the tests, with and without a bootstrap, by every column, and keeps what each wrote.
``compare BEFORE AFTER`` holds two such folders against each other: values to the bit, ends of intervals to
1e-12, other text as it is. What one folder has alone is listed, an interval that is new is counted.
"""

from __future__ import annotations

import argparse
import csv
import math
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TOLERANCE = 1e-12
INTERVAL = ("ci_low", "ci_high", "ci_level", "ci_method")
ENDS = INTERVAL[:2]
SAMPLE = "sample_data"
GATE = ("--tau-neg", "0.05", "--tau-pos", "0.5")
DRAWN = ("--bootstrap", "200", "--seed", "3")
MOST_SHOWN = 20
PROGRESS = ("evaluating: ", "comparing: ")


def commands(data: Path | None) -> Iterator[tuple[str, list[str]]]:
    """The name of each run and its arguments, without where it writes."""
    tables = {
        "queries": ([f"{SAMPLE}/queries.csv", *GATE], "criterion,fold,split"),
        "lists": ([f"{SAMPLE}/ranked_lists.csv"], "criterion"),
        "candidates": ([f"{SAMPLE}/candidates.parquet"], "criterion"),
        "whole": ([SAMPLE], "criterion"),
        "rag": ([f"{SAMPLE}/rag"], "language"),
    }
    if data is not None:
        evidence = data / "evidence"
        tables |= {
            "baseline": ([str(evidence / "baseline_default_val.queries.csv"), *GATE], "criterion"),
            "final": ([str(evidence / "final_eval_v2__per_query.csv")], "criterion"),
            "retriever": ([str(evidence / "final_eval_retriever_only__per_query.csv")], "criterion"),
            "candidates_real": ([str(evidence / "val_candidates.csv")], "criterion"),
            "rag_real": ([str(data / "rag")], ""),
        }
    for case in sorted((ROOT / "tests" / "cases" / "ranking").glob("*.csv")):
        tables[f"case_{case.stem}"] = ([str(case)], "")
    for name, (given, by) in tables.items():
        groups = ["--by", by] if by else []
        yield f"{name}_plain", ["evaluate", *given, *groups]
        yield f"{name}_drawn", ["evaluate", *given, *groups, *DRAWN]
    for ties in ("stable", "expected"):
        yield f"lists_{ties}", ["evaluate", f"{SAMPLE}/ranked_lists.csv", "--ties", ties, *DRAWN]
    yield "queries_by_row", ["evaluate", f"{SAMPLE}/queries.csv", "--cluster", "fold", *DRAWN]
    yield "compared", ["compare", f"{SAMPLE}/queries.csv", "--by", "criterion", *DRAWN]
    yield "compared_lists", ["compare", f"{SAMPLE}/ranked_lists.csv", "--by", "criterion", *DRAWN]
    for kind in ("--screening-sensitivity", "--alert-precision"):
        target = [kind, "0.98" if kind == "--screening-sensitivity" else "0.6"]
        split = ["--model", "gnn_gate", "--tune", "tune", "--test", "test"]
        yield f"chosen{kind[1:]}", ["choose", f"{SAMPLE}/queries.csv", *split, *target]


def written_to(name: str, arguments: list[str], folder: Path) -> list[str]:
    """The arguments with where to write."""
    out = {"evaluate": folder / name, "compare": folder / f"{name}.csv", "choose": folder / f"{name}.json"}
    return [*arguments, "--out", str(out[arguments[0]])]


def write(folder: Path, data: Path | None) -> int:
    """Run every command; how many could not."""
    folder.mkdir(parents=True, exist_ok=True)
    n_failed = 0
    for name, arguments in commands(data):
        command = [sys.executable, "-m", "evalcore", *written_to(name, arguments, folder)]
        ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        said = [line for line in ended.stderr.splitlines() if not line.startswith(PROGRESS)]
        (folder / f"{name}.txt").write_text("\n".join(said).replace(str(folder), ""))
        n_failed += ended.returncode != 0
        print(f"{name}: {ended.returncode}", flush=True)
    return n_failed


def compare(before: Path, after: Path) -> int:
    """Print what differs; how many files do."""
    names = {path.relative_to(folder) for folder in (before, after) for path in _files(folder)}
    n_changed = 0
    for name in sorted(names):
        first, second = before / name, after / name
        if not first.exists() or not second.exists():
            found, remarks = [f"only {'after' if second.exists() else 'before'}"], []
        elif name.suffix == ".csv":
            found, remarks = _tables(first, second)
        else:
            found, remarks = ([] if first.read_bytes() == second.read_bytes() else ["another text"]), []
        n_changed += bool(found)
        for line in [*found[:MOST_SHOWN], *remarks]:
            print(f"{name}: {line}")
        if len(found) > MOST_SHOWN:
            print(f"{name}: and {len(found) - MOST_SHOWN} more")
    print(f"{len(names)} files, {n_changed} with differences")
    return n_changed


def _files(folder: Path) -> list[Path]:
    """The files of values and of text that hold no figure of their own."""
    return [path for path in folder.rglob("*") if path.suffix in (".csv", ".json", ".md", ".txt", ".tex")]


def _tables(before: Path, after: Path) -> tuple[list[str], list[str]]:
    """What differs between two tables, and what is new."""
    rows = [_by_place(path) for path in (before, after)]
    found = [f"only {word}: {';'.join(key)}" for word, key in _alone(*rows)]
    n_new, farthest = 0, 0.0
    for key, first in rows[0].items():
        second = rows[1].get(key, first)
        for column, old in first.items():
            new = second.get(column, "")
            if old == new:
                continue
            if column in INTERVAL and first.get("ci_low", "") in ("", "nan"):
                n_new += column == "ci_method"
            elif column in ENDS and _distance(old, new) <= TOLERANCE:
                farthest = max(farthest, _distance(old, new))
            else:
                found.append(f"{';'.join(key)}: {column} {old} → {new}")
    remarks = [f"{n_new} intervals where none was"] if n_new else []
    return found, [*remarks, *([f"ends of intervals within {farthest:.1g}"] if farthest else [])]


def _by_place(path: Path) -> dict[tuple[str, ...], dict[str, str]]:
    """The rows of a table by what they are of."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    whose = [name for name in (rows[0] if rows else ()) if not _is_found(name)]
    return {tuple(row[name] for name in whose): row for row in rows}


def _is_found(column: str) -> bool:
    named = ("value", "n", "note", "difference", "p", "p_holm")
    return column in named or column.startswith("ci_") or column.endswith(("_value", "n_first", "n_second"))


def _alone(
    first: dict[tuple[str, ...], dict[str, str]], second: dict[tuple[str, ...], dict[str, str]]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    yield from (("before", key) for key in first if key not in second)
    yield from (("after", key) for key in second if key not in first)


def _distance(first: str, second: str) -> float:
    try:
        return abs(float(first) - float(second))
    except ValueError:
        return math.inf


def main() -> int:
    """Write or compare."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.frozen", description=__doc__.splitlines()[0])
    parts = parser.add_subparsers(dest="part", required=True)
    writing = parts.add_parser("write")
    writing.add_argument("folder", type=Path)
    writing.add_argument("--data", type=Path, help="a folder of real files, with evidence/ and rag/")
    comparing = parts.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    given = parser.parse_args()
    if given.part == "write":
        return min(write(given.folder.resolve(), given.data and given.data.resolve()), 1)
    return min(compare(given.before, given.after), 1)


if __name__ == "__main__":
    sys.exit(main())
