"""Ours beside others on the same data, in one run: seconds, ratios, peak memory.

Ratios are what to read: seconds depend on the machine. Every way must reach our values, or the run fails.
"""

from __future__ import annotations

import argparse
import math
import sys
from importlib import import_module

from benchmarks.measure import Measured, measure

TABLES = {
    "ranking": [(14_770, 20), (100_000, 100)],
    "bootstrap": [(1_477, 200)],
    "evaluation": [()],
    "annotations": [(10_000,)],
    "recommender": [(10_000, 2_000), (100_000, 1_000)],
    "recommendations": [(138_000,)],
}
"""Benchmark module → sizes, the arguments of its ``data``."""

TOLERANCE = 1e-9


def main() -> int:
    """Print one table per benchmark and size."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.splitlines()[0])
    parser.add_argument("only", nargs="*", choices=[[], *TABLES], help="these benchmarks only")
    for name in parser.parse_args().only or TABLES:
        for sizes in TABLES[name]:
            print(f"\n## {import_module(f'benchmarks.{name}').title(*sizes)}\n")
            if not _table(name, sizes):
                return 1
    return 0


def _table(name: str, sizes: tuple[int, ...]) -> bool:
    """Measure every way, ours first; False when one reaches other values than ours."""
    ways = list(import_module(f"benchmarks.{name}").WAYS)
    print(f"| {'way':<44} | seconds | ratio | MiB at peak |\n|---|---|---|---|")
    ours: Measured | None = None
    for way in ways:
        found = measure(name, way, *sizes)
        ours = ours or found
        ratio = found.seconds / ours.seconds
        print(f"| {way:<44} | {found.seconds:.4g} | {ratio:.1f} | {found.memory:.0f} |", flush=True)
        if differing := _differing(ours.result, found.result):
            print(f"{way}: other values than ours for {', '.join(differing)}", file=sys.stderr)
            return False
    return True


def _differing(ours: dict[str, float], theirs: dict[str, float]) -> list[str]:
    """Names of the values that both compute and that differ."""
    return [
        name
        for name, value in theirs.items()
        if name in ours and not math.isclose(value, ours[name], rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    ]


if __name__ == "__main__":
    sys.exit(main())
