"""How long a page takes to answer: every widget of every research page, used in a real browser.

Run as `python -m benchmarks.pages` on Linux; it needs the packages and the browser of the tests. Server time
is the whole run of the script or fragment inside Streamlit. The server has one processor to itself and the
browser the others, as they are two machines in use; other work still makes it grow.

The sample has 14,770 queries with 20 candidates each in two lists. `--files` uploads other data on the Data
page instead, of any size; `python -m evalcore sample --posts 3000 --out DIR` writes twice as many queries.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple

from playwright.sync_api import Page, expect, sync_playwright

from benchmarks.widgets import Action, choose_first_model, widgets_of
from tests.browser import chromium
from tests.browser.conftest import CHROMIUM_ARGUMENTS
from tests.browser.dashboard import Dashboard, expect_page, wait_until_idle

LIMIT = 0.3
SERVER = 0  # the processor of the server
VISITS = ("first visit", "new session")
SECONDS_TO_BEGIN = 4.0
SECONDS_TO_READ = 120.0
SETTLED = 0.25
ADDRESSES = {
    "Criteria": ["/criteria"],
    "Calibration": ["/calibration"],
    "Ranking": ["/ranking"],
    "Selection": ["/selection"],
    "Pipeline steps": ["/pipeline_steps"],
    "Failures": [
        "/failures?split=all",
        *(f"/failures?split=all&kind={kind}" for kind in ("false_alerts", "deep_gold", "flips")),
    ],
}
TITLES = {
    "Criteria": "Criteria",
    "Calibration": "Calibration",
    "Ranking": "Ranking",
    "Selection": "Selection",
    "Pipeline steps": "Pipeline steps",
    "Failures": "Failures",
}


class Taken(NamedTuple):
    """What one interaction took, in seconds: on the server, there on the processor, until all is at rest."""

    server: float
    processor: float
    rest: float
    n_runs: int


class Runs:
    """The seconds of every run of the dashboard's script, as its process writes them."""

    def __init__(self, log: Path) -> None:
        self._log = log

    def all(self) -> list[tuple[float, float]]:
        """Every run so far: its seconds, and those of its thread on the processor."""
        lines = self._log.read_text().splitlines() if self._log.exists() else []
        return [(float(wall), float(processor)) for wall, processor in map(str.split, lines)]

    def of(self, action: Action, page: Page) -> Taken | None:
        """What an action takes; None when nothing runs on the server."""
        n_before, begin = len(self.all()), time.perf_counter()
        action()
        while len(self.all()) == n_before:
            if time.perf_counter() - begin > SECONDS_TO_BEGIN and not is_running(page):
                return None
            page.wait_for_timeout(5)
        while True:
            wait_until_idle(page)
            idle, n_runs = time.perf_counter() - begin, len(self.all())
            page.wait_for_timeout(1000 * SETTLED)
            if len(self.all()) == n_runs:
                server, processor = map(sum, zip(*self.all()[n_before:], strict=True))
                return Taken(server, processor, idle, n_runs - n_before)


def is_running(page: Page) -> bool:
    """Whether the script runs at this moment."""
    return page.get_by_test_id("stApp").get_attribute("data-test-script-state") != "notRunning"


def serve(log: Path, options: list[str]) -> None:
    """The dashboard as `make run` starts it, with the seconds of every run written to a file."""
    from streamlit.runtime.scriptrunner.script_runner import ScriptRunner

    from pages.shared.launch import main as launch

    os.sched_setaffinity(0, {SERVER})
    run = ScriptRunner._run_script  # noqa: SLF001

    def timed(self: ScriptRunner, rerun_data: object) -> None:
        begin, begin_of_thread = time.perf_counter(), time.thread_time()
        try:
            run(self, rerun_data)
        finally:
            with log.open("a") as file:
                file.write(f"{time.perf_counter() - begin} {time.thread_time() - begin_of_thread}\n")

    setattr(ScriptRunner, "_run_script", timed)  # noqa: B010 - Streamlit offers no measurement of its own
    launch(options)


def measure(page: Page, runs: Runs, url: str, address: str, n: int) -> Iterator[tuple[str, list[Taken]]]:
    """Every widget of an address, one after the other."""
    yield "first visit", every(runs, page, [lambda: page.goto(url + address)])
    yield "new session", every(runs, page, [lambda: page.reload()] * n)
    yield from measure_widgets(page, runs, n)


def measure_uploaded(page: Page, runs: Runs, title: str, n: int) -> Iterator[tuple[str, list[Taken]]]:
    """Every widget of a page in the session that holds the upload, which a new address would leave."""
    choose_first_model(page)  # the page before has left another one, which may lack what this page shows
    wait_until_idle(page)
    link = page.get_by_test_id("stSidebarNavLink").get_by_text(title, exact=True)
    yield "first visit", every(runs, page, [link.click])
    expect_page(page, title)
    yield from measure_widgets(page, runs, n)


def measure_widgets(page: Page, runs: Runs, n: int) -> Iterator[tuple[str, list[Taken]]]:
    """Every widget that stands on the page, one after the other."""
    for name, actions in widgets_of(page, n):
        yield name, every(runs, page, actions)


def upload(page: Page, url: str, files: list[Path]) -> None:
    """Put files to use on the Data page."""
    page.goto(f"{url}/data")
    wait_until_idle(page)
    page.locator("input[type=file]").set_input_files(files)
    use = page.get_by_role("button", name="Use these data")
    expect(use).to_be_visible(timeout=1000 * SECONDS_TO_READ)
    wait_until_idle(page)
    use.click()
    expect(page.get_by_test_id("data-bar")).to_contain_text(files[0].name)
    wait_until_idle(page)


def every(runs: Runs, page: Page, actions: Iterable[Action]) -> list[Taken]:
    """What each action takes, up to the first that the browser answers by itself."""
    found = []
    for action in actions:
        taken = runs.of(action, page)
        if taken is None:
            break
        found.append(taken)
    return found


def table(title: str, rows: Iterator[tuple[str, list[Taken]]]) -> int:
    """Print one table; returns how many interactions took longer than the limit."""
    print(f"\n## {title}\n\n| milliseconds | n | server, median | server, max | processor, max | at rest |")
    print("|---|---|---|---|---|---|")
    n_slow = 0
    for name, found in rows:
        if not found:
            print(f"| {name} | in the browser alone | | | | |", flush=True)
            continue
        slowest = max(one.server for one in found)
        is_slow = slowest > LIMIT and name not in VISITS
        n_slow += is_slow
        cells = (
            median(one.server for one in found),
            slowest,
            max(one.processor for one in found),
            median(one.rest for one in found),
        )
        numbers = " | ".join(f"{1000 * seconds:.0f}" for seconds in cells)
        print(f"| {name}{' — slow' if is_slow else ''} | {len(found)} | {numbers} |", flush=True)
    return n_slow


@contextmanager
def opened() -> Iterator[Page]:
    """A page of 1440 × 900 in Chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=list(CHROMIUM_ARGUMENTS))
        yield browser.new_page(viewport={"width": 1440, "height": 900})
        browser.close()


def main() -> int:
    """Print a table for each page; 1 when an interaction took longer than the limit."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pages", description=__doc__.splitlines()[0])
    parser.add_argument("only", nargs="*", help=f"these pages only: {', '.join(ADDRESSES)}")
    parser.add_argument("--times", type=int, default=5, help="how often each widget is used")
    parser.add_argument("--files", nargs="+", type=Path, help="upload these instead of using the sample")
    asked = parser.parse_args()
    os.sched_setaffinity(0, set(range(os.cpu_count() or 1)) - {SERVER} or {SERVER})
    n_slow = 0
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "runs")
        command = ("-m", "benchmarks.pages", "--serve", str(log))
        with Dashboard(Path(folder, "log"), command) as dashboard, opened() as page:
            runs = Runs(log)
            if asked.files:
                upload(page, dashboard.url, asked.files)
            for name in asked.only or ADDRESSES:
                if asked.files:
                    rows = measure_uploaded(page, runs, TITLES[name], asked.times)
                    n_slow += table(f"{name}, uploaded", rows)
                    continue
                for address in ADDRESSES[name]:
                    rows = measure(page, runs, dashboard.url, address, asked.times)
                    n_slow += table(f"{name} {address}", rows)
    print(f"\n{n_slow} interactions over {1000 * LIMIT:.0f} ms of server time")
    return int(n_slow > 0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(Path(sys.argv[2]), sys.argv[3:])
    else:
        sys.exit(main())
