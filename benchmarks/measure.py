"""Time one way of computing something in a process of its own, and the memory it takes on top of its data."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

ENOUGH = 5.0
"""Seconds after which a way is not run again."""


@dataclass(frozen=True)
class Measured:
    """What one way took.

    Parameters
    ----------
    seconds : the fastest of the runs, after one run that is not counted.
    memory : MiB at the peak beyond what the process held before.
    result : named values, to be compared between the ways.
    """

    seconds: float
    memory: float
    result: dict[str, float]


def measure(module: str, way: str, *sizes: int) -> Measured:
    """Run ``WAYS[way]`` of a benchmark module on ``data(*sizes)`` in a fresh process."""
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.measure", module, way, *map(str, sizes)]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    if finished.returncode:
        raise RuntimeError(f"{module} {way}: {finished.stderr.strip().splitlines()[-1]}")
    return Measured(**json.loads(finished.stdout.splitlines()[-1]))


def _run(compute: Callable[[], dict[str, float]]) -> Measured:
    before = _resident()
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew: making the data is not counted
    result = compute()  # loads and compiles, and is not timed
    memory = _resident("VmHWM") - before
    seconds: list[float] = []
    while not seconds or sum(seconds) < ENOUGH:
        started = time.perf_counter()
        compute()
        seconds.append(time.perf_counter() - started)
    return Measured(min(seconds), memory, result)


def _resident(what: str = "VmRSS") -> float:
    """Memory of this process in MiB, as Linux counts it: now, or ``VmHWM`` at its peak."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(f"{what}:"))


if __name__ == "__main__":
    name, way, *sizes = sys.argv[1:]
    cases = import_module(f"benchmarks.{name}")
    prepared = cases.data(*map(int, sizes))
    found = _run(lambda: cases.WAYS[way](prepared))
    print(json.dumps({"seconds": found.seconds, "memory": found.memory, "result": found.result}))
