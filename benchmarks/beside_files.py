"""Ways to the same values of files of any size, each a process of its own: processor seconds, memory."""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

ROWS_A_FILE = 1_000_000
Way = Callable[[Path], dict[str, float]]
"""From a folder of files to values by name."""


def main(what: str, made: Callable[[Path, int], Path], ways: Mapping[str, Way]) -> int:
    """Print one table for each number of rows; 1 where two ways reach other values.

    Parameters
    ----------
    what : the files hold, such as ``candidates``.
    made : a folder of files with so many rows, written below a folder where they are not there yet.
    ways : by name; of the values that both have, no two may differ by more than 1e-9.
    """
    parser = argparse.ArgumentParser()
    parser.add_argument("rows", nargs="+", type=int)
    parser.add_argument("--folder", type=Path, help="where the files are kept (a temporary folder)")
    parser.add_argument("--ways", nargs="*", default=list(ways), help=", ".join(ways))
    parser.add_argument("--run", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.run is not None:
        folder = made(arguments.folder, arguments.rows[0])
        print(json.dumps(_measured(ways[arguments.run], folder) if arguments.run else {}))
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        return max(_table(what, arguments.ways, folder, n_rows) for n_rows in arguments.rows)


def written(
    folder: Path, n_rows: int, columns: Callable[[np.random.Generator, int, int], dict[str, Any]]
) -> Path:
    """Files of a million rows each, those that are not there yet; the same bytes for the same number.

    Parameters
    ----------
    folder : of the files.
    n_rows : of all of them.
    columns : of some rows, from a generator of their own, the first one's number and how many there are.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for at, first in enumerate(range(0, n_rows, ROWS_A_FILE)):
        path = folder / f"part-{at:04}.parquet"
        if path.exists():
            continue
        rows = columns(np.random.default_rng(at), first, min(ROWS_A_FILE, n_rows - first))
        part = path.with_suffix(".part")
        pq.write_table(pa.table(rows), part, row_group_size=200_000)
        part.rename(path)
    return folder


def named(prefix: str, numbers: np.ndarray) -> pa.Array:
    """Ids such as ``s_17``."""
    return pc.binary_join_element_wise(prefix, pc.cast(pa.array(numbers), pa.string()), "")


def _table(what: str, ways: list[str], folder: Path, n_rows: int) -> int:
    print(f"\n## {n_rows:,} {what}\n\n| way | seconds | processor s | MiB at peak | a worker's |")
    print("|---|---|---|---|---|", flush=True)
    # Files too are made in a process of its own: what is started has the peak of what starts it.
    _process("", folder, n_rows)
    first: dict[str, float] | None = None
    for way in ways:
        found = _process(way, folder, n_rows)
        if isinstance(found, str):
            print(f"| {way} | {found} | | | |", flush=True)
            continue
        figures = [f"{found[name]:.1f}" for name in ("seconds", "processor")]
        figures += [f"{found[name]:.0f}" for name in ("peak", "worker")]
        print(f"| {way} | {' | '.join(figures)} |", flush=True)
        first = first or found["values"]
        assert first is not None
        far = [name for name, one in found["values"].items() if abs(one - first.get(name, one)) > 1e-9]
        if far:
            print(f"{way}: other values for {', '.join(sorted(far))}", file=sys.stderr)
            return 1
    return 0


def _process(way: str, folder: Path, n_rows: int) -> Any:
    """What a process of its own found, or the last line of what it says where it fails."""
    own = Path(sys.argv[0]).stem
    command = [sys.executable, "-W", "ignore", "-m", f"benchmarks.{own}", str(n_rows)]
    done = subprocess.run(
        [*command, "--folder", str(folder), "--run", way], capture_output=True, text=True, check=False
    )
    if done.returncode:
        return done.stderr.strip().splitlines()[-1]
    return json.loads(done.stdout.splitlines()[-1])


def _measured(way: Way, folder: Path) -> dict[str, Any]:
    started = time.perf_counter()
    values = way(folder)
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return {
        "values": values,
        "seconds": time.perf_counter() - started,
        "processor": sum(one.ru_utime + one.ru_stime for one in (own, children)),
        "peak": own.ru_maxrss / 1024,
        "worker": children.ru_maxrss / 1024,
    }
