"""Whether the tests notice one changed operator, number or name at a time: python -m benchmarks.mutation.

A mutant is a module of `metrics/`, `drawn/`, `inference/` or `operating_point/` with one small change, such
as ``<`` for ``<=``. It is killed where a test that touches the module fails; one that survives shows what no
test claims, and one whose tests do not end in time shows nothing. A seed draws the sample. The tree is
copied, and mutants are written into the copy. The tests that touch a module are first the few files that
import it or name most of what it defines; where all pass, some of the modules that import it. A survivor may
still be killed by other tests. In the end the tests that killed are run without any change: they must pass.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks.mutation.equivalent import EQUIVALENT_MUTANTS
from benchmarks.mutation.mutants import ROOT, Mutant, all_mutants, mutated
from benchmarks.mutation.touching import Touching, module_name

LEAST_KILLED = 0.95
NO_TESTS = 5  # exit status of pytest
NOT_COPIED = shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "*.egg-info")
KILLED, TIMED_OUT, SURVIVED, EQUIVALENT = "killed", "timed out", "survived", "equivalent"


class Copy:
    """A copy of the tree in which one module at a time is changed and tested.

    Parameters
    ----------
    folder : where the copy is made.
    seconds : after which a run is given up.
    killers : the tests that failed, as pytest names them.
    """

    def __init__(self, folder: Path, seconds: float) -> None:
        self.root = folder / "tree"
        self.seconds = seconds
        self.killers: set[str] = set()
        self._failed = folder / "cache" / "v" / "cache" / "lastfailed"
        shutil.copytree(ROOT, self.root, ignore=NOT_COPIED)

    def test(self, files: Sequence[str], seconds: float | None = None) -> str:
        """What comes of the tests: `KILLED` where one fails, `TIMED_OUT` after so long, else `SURVIVED`."""
        cache = f"cache_dir={self._failed.parents[2]}"
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-o", cache, *files]
        environment = {**os.environ, "PYTHONPATH": str(self.root)}
        self._failed.unlink(missing_ok=True)
        try:
            ran = subprocess.run(
                command,
                cwd=self.root,
                env=environment,
                capture_output=True,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return TIMED_OUT
        if ran.returncode == NO_TESTS:
            return SURVIVED
        if ran.returncode not in (0, 1, 2):
            raise RuntimeError(f"pytest ended with {ran.returncode}:\n{ran.stdout.decode()[-2000:]}")
        if ran.returncode == 0:
            return SURVIVED
        self.killers |= set(json.loads(self._failed.read_text(encoding="utf-8")))
        return KILLED

    def outcome(self, mutant: Mutant, touching: Touching) -> str:
        """What comes of a mutant; the module is as before afterwards."""
        if mutant.name in EQUIVALENT_MUTANTS:
            return EQUIVALENT
        path = self.root / mutant.file
        text = path.read_text(encoding="utf-8")
        module = module_name(path, self.root)
        doctest = [mutant.file]
        try:
            self._write(path, mutated(mutant, text))
            for files in (doctest + touching.direct(module), touching.beyond(module)):
                result = self.test(files, self.seconds) if files else SURVIVED
                if result != SURVIVED:
                    return result
            return SURVIVED
        finally:
            self._write(path, text)

    def _write(self, path: Path, text: str) -> None:
        """Write a module and forget its compiled form, whose stamp is good for a second only."""
        path.write_text(text, encoding="utf-8")
        for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
            compiled.unlink()


def main() -> int:
    """Draw mutants, test each, and print what survived; 1 where fewer are killed than promised."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.mutation", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--sample", type=int, default=100, metavar="N", help="how many mutants (default 100)")
    parser.add_argument("--seed", type=int, default=0, help="of the sample (default 0)")
    parser.add_argument("--only", default="", metavar="TEXT", help="mutants whose file contains this")
    parser.add_argument("--timeout", type=float, default=600, metavar="S", help="seconds a run (default 600)")
    parser.add_argument("--list", action="store_true", help="print the sample and test nothing")
    arguments = parser.parse_args()
    mutants = [mutant for mutant in all_mutants() if arguments.only in mutant.file]
    drawn = sorted(
        random.Random(arguments.seed).sample(mutants, min(arguments.sample, len(mutants))),
        key=lambda mutant: (mutant.file, mutant.start),
    )
    print(f"{len(drawn):,} of {len(mutants):,} mutants, seed {arguments.seed}")
    if arguments.list:
        print(*drawn, sep="\n")
        return 0
    outcomes = _tested(drawn, arguments.timeout)
    return 0 if _report(outcomes) >= LEAST_KILLED else 1


def _tested(drawn: Sequence[Mutant], seconds: float) -> list[tuple[Mutant, str]]:
    """Each mutant and what came of it."""
    touching = Touching(ROOT)
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(Path(folder), seconds)
        outcomes = []
        for at, mutant in enumerate(drawn, 1):
            start = time.monotonic()
            outcomes.append((mutant, copy.outcome(mutant, touching)))
            taken = time.monotonic() - start
            print(f"{at:>4} {outcomes[-1][1]:<10} {taken:5.1f} s  {mutant}", flush=True)
        if copy.killers and copy.test(sorted(copy.killers)) != SURVIVED:
            raise SystemExit("tests that killed fail without any change: nothing is measured")
    return outcomes


def _report(outcomes: Sequence[tuple[Mutant, str]]) -> float:
    """Print counts by module and the survivors; the share killed of those that could be."""
    print("\n| module | killed | timed out | survived | equivalent |\n|---|---|---|---|---|")
    for file in dict.fromkeys(mutant.file for mutant, _ in outcomes):
        n = Counter(outcome for mutant, outcome in outcomes if mutant.file == file)
        print(f"| {file} | {n[KILLED]} | {n[TIMED_OUT]} | {n[SURVIVED]} | {n[EQUIVALENT]} |")
    n = Counter(outcome for _, outcome in outcomes)
    n_all = n[KILLED] + n[SURVIVED]
    share = n[KILLED] / n_all if n_all else 1.0
    print(f"\n{n[KILLED]} of {n_all} killed ({share:.1%}); survivors:")
    print(*(mutant for mutant, outcome in outcomes if outcome == SURVIVED), sep="\n")
    if n[TIMED_OUT]:
        print("\nnot ended in time, so not counted:")
        print(*(mutant for mutant, outcome in outcomes if outcome == TIMED_OUT), sep="\n")
    return share


if __name__ == "__main__":
    sys.exit(main())
