"""From a file dropped on the Data page to the explorer's first number, in a real browser, stage by stage.

Run as `python -m benchmarks.first_number` on Linux; it needs the packages and the browser of the tests. It
makes files of a million and of five million checks of posts (ten criteria a post, a score of its own for
nearly every check, tune and test), as CSV and as Parquet, uploads each to a server of its own, presses what
a person presses and stops when the first tile of the explorer holds a number. Given are the seconds of the
clock and, beside them, those of the processor, of the server and of the processes that read files for it, and
the most memory the server took up to then. Other work on the machine makes the clock grow, hardly the
processor's time.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from playwright.sync_api import Locator, Page

from benchmarks.pages import opened
from tests.browser.dashboard import Dashboard, wait_until_idle

SIZES = (1_000_000, 5_000_000)
N_CRITERIA = 10
MOST = 600  # seconds that a stage may take
TICKS = os.sysconf("SC_CLK_TCK")


def table_of(n_rows: int) -> pa.Table:
    """Checks of posts, about one in eleven with evidence, with probabilities that tell."""
    rng = np.random.default_rng(20)
    at = np.arange(n_rows)
    post, criterion = at // N_CRITERIA, at % N_CRITERIA
    names = pa.array([f"s_{i // 900 + 1000}_{i % 900 + 100}" for i in range(int(post[-1]) + 1)])
    criteria = pa.array([f"A.{i + 1}" for i in range(N_CRITERIA)])
    is_positive = rng.random(n_rows) < 0.09
    logit = np.where(is_positive, 1.8, -3.2) + 1.4 * rng.standard_normal(n_rows)
    split = (rng.random(len(names)) < 0.5).astype(np.int32)[post]
    return pa.table(
        {
            "post_id": names.take(pa.array(post)),
            "criterion_id": criteria.take(pa.array(criterion)),
            "has_evidence": is_positive.astype(np.int8),
            "probability": 1 / (1 + np.exp(-logit)),
            "split": pa.array(["tune", "test"]).take(pa.array(split)),
        }
    )


def written(n_rows: int, folder: Path) -> list[Path]:
    """The files of a size; those of an earlier run stay."""
    paths = [folder / f"checks_{n_rows}.{ending}" for ending in ("csv", "parquet")]
    if not all(path.is_file() for path in paths):
        table = table_of(n_rows)
        pa.csv.write_csv(table, paths[0])
        pa.parquet.write_table(table, paths[1])
    return paths


class Spent:
    """What a server has spent: clock, processor and memory."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self.begin = time.perf_counter()
        self.of_server, self.of_readers = self._seconds(pid), self._of_readers()
        Path(f"/proc/{pid}/clear_refs").write_text("5")  # the peak starts anew

    def now(self) -> tuple[float, float, float, float]:
        """Since the start: seconds of the clock, of the server, of its readers; MiB at the peak."""
        return (
            time.perf_counter() - self.begin,
            self._seconds(self._pid) - self.of_server,
            self._of_readers() - self.of_readers,
            self._peak(),
        )

    @staticmethod
    def _seconds(pid: int) -> float:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def _of_readers(self) -> float:
        children = Path(f"/proc/{self._pid}/task/{self._pid}/children").read_text().split()
        others = [
            child
            for task in Path(f"/proc/{self._pid}/task").iterdir()
            for child in (task / "children").read_text().split()
        ]
        return sum(self._seconds(int(child)) for child in {*children, *others})

    def _peak(self) -> float:
        lines = Path(f"/proc/{self._pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:"))


def measure(page: Page, url: str, pid: int, path: Path) -> list[tuple[str, float, float, float, float]]:
    """Stage → what was spent from the start to its end."""
    page.goto(f"{url}/data")
    wait_until_idle(page)
    spent = Spent(pid)
    found = []
    page.locator("input[type=file]").set_input_files(path)
    _wait_for_text(page.get_by_role("button"), "Use these data")
    found.append(("read and checked", *spent.now()))
    page.get_by_role("button", name="Use these data").click()
    _wait_for_text(page.get_by_test_id("data-bar"), path.name)
    found.append(("in use", *spent.now()))
    page.get_by_test_id("stSidebarNavLink").get_by_text("Operating point", exact=True).click()
    _wait_for_text(page.locator(".tile .value"), "%")
    found.append(("first number", *spent.now()))
    return found


def _wait_for_text(found: Locator, text: str) -> None:
    """Until an element says this, looked at a hundred times a second: `expect` sees it up to 0.5 s late."""
    deadline = time.monotonic() + MOST
    while text not in "".join(found.all_inner_texts()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"the page never said {text!r}")
        time.sleep(0.01)


def main() -> None:
    """Print a table: a row for each file and stage."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.first_number", description=__doc__.splitlines()[0]
    )
    parser.add_argument("rows", nargs="*", type=int, default=SIZES, help="rows of the files to make")
    parser.add_argument("--only", choices=("csv", "parquet"), help="files of this format alone")
    parser.add_argument(
        "--folder", type=Path, help="where the files are made and stay; else for the run alone"
    )
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = asked.folder or Path(scratch)
        folder.mkdir(exist_ok=True, parents=True)
        print("| file | up to | clock, s | processor, s | of readers, s | server at its peak, MiB |")
        print("|---|---|---|---|---|---|")
        for path in (path for n in asked.rows for path in written(n, folder)):
            if asked.only and path.suffix != f".{asked.only}":
                continue
            with Dashboard(Path(scratch, "log")) as dashboard, opened() as page:
                for stage, *numbers in measure(page, dashboard.url, dashboard.pid, path):
                    cells = " | ".join(f"{number:.1f}" for number in numbers[:3])
                    print(f"| {path.name} | {stage} | {cells} | {numbers[3]:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
