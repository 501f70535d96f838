"""How long a page takes to answer: every widget of every research page, used in a real browser.

Run as `python -m benchmarks.pages`; it needs the packages and the browser of the tests. Server time is the
whole run of the script or fragment inside Streamlit, so it grows when other work shares the processors.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple

from playwright.sync_api import Locator, Page, sync_playwright

from tests.browser import chromium
from tests.browser.conftest import CHROMIUM_ARGUMENTS
from tests.browser.dashboard import Dashboard, wait_until_idle

LIMIT = 0.3
VISITS = ("first visit", "new session")
SECONDS_TO_BEGIN = 4.0
SETTLED = 0.25
MILLISECONDS_TO_POINT = 150
ADDRESSES = {
    "Criteria": ["/criteria"],
    "Calibration": ["/calibration"],
    "Ranking": ["/ranking"],
    "Failures": [
        "/failures?split=all",
        *(f"/failures?split=all&kind={kind}" for kind in ("false_alerts", "deep_gold", "flips")),
    ],
}
TITLES = {
    "Criteria": "Criteria",
    "Calibration": "Calibration",
    "Ranking": "Ranking and extraction",
    "Failures": "Failures",
}
Action = Callable[[], None]


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


def chosen_in_turn(box: Locator, page: Page, n: int) -> Iterator[Action]:
    """Options of a select box, one after the other."""
    for at in range(n):
        yield lambda at=at: choose_option(box, page, at)


def choose_option(box: Locator, page: Page, at: int) -> None:
    """The option that stands `at` places below the first one, from the end once they are used up."""
    options = page.get_by_role("option")
    while not options.count():
        page.keyboard.press("Escape")
        box.get_by_role("combobox").click()
        page.wait_for_timeout(100)
    wanted = [one for one in options.all() if one.get_attribute("aria-selected") != "true"]
    wanted[at % len(wanted)].click()


def clicked_in_turn(group: Locator, n: int) -> Iterator[Action]:
    """The buttons of a segmented control, one after the other."""
    buttons = group.get_by_role("radio")
    for at in range(n):
        yield lambda at=at: buttons.nth((at + 1) % buttons.count()).click()


def moved(slider: Locator, page: Page, n: int) -> Iterator[Action]:
    """A slider moved by its smallest step."""

    def step() -> None:
        slider.get_by_role("slider").first.focus()
        page.keyboard.press("ArrowLeft")

    yield from [step] * n


def stepped(box: Locator, n: int) -> Iterator[Action]:
    """A number one step up."""
    yield from [lambda: box.get_by_test_id("stNumberInputStepUp").click()] * n


def typed(box: Locator, n: int) -> Iterator[Action]:
    """A text typed anew: a threshold where one stands, a name otherwise."""

    def type_in(at: int) -> None:
        field = box.get_by_role("textbox")
        before = field.input_value()
        field.fill(f"0.{at + 2}" if before.replace(".", "").isdigit() else f"{before[:9]} {at}")
        field.press("Enter")

    for at in range(n):
        yield lambda at=at: type_in(at)


def ticked(box: Locator, n: int) -> Iterator[Action]:
    """A box ticked, and so on."""
    yield from [lambda: box.locator("label").first.click()] * n


def taken_out_and_in(box: Locator, page: Page, n: int) -> Iterator[Action]:
    """The last option of several taken out, then the first that is offered taken in."""

    def change(at: int) -> None:
        if at % 2 == 0:
            box.get_by_role("combobox").click()
            page.keyboard.press("Backspace")
            return
        box.get_by_role("combobox").click()
        page.get_by_role("option").first.click()

    for at in range(n):
        yield lambda at=at: change(at)


def rows_selected(table: Locator, page: Page, n: int) -> Iterator[Action]:
    """Rows of a table that can be selected, one after the other."""

    def select(at: int) -> None:
        table.scroll_into_view_if_needed()
        box = table.bounding_box()
        assert box is not None
        page.mouse.click(box["x"] + 16, box["y"] + 35 * (1.5 + (at + 1) % 4))

    for at in range(n):
        yield lambda at=at: select(at)


def sorted_by(table: Locator, page: Page, n: int) -> Iterator[Action]:
    """A table sorted by one of its first columns."""

    def sort() -> None:
        table.scroll_into_view_if_needed()
        box = table.bounding_box()
        assert box is not None
        page.mouse.click(box["x"] + 120, box["y"] + 17)

    yield from [sort] * n


def bars_clicked(chart: Locator, page: Page, n: int) -> Iterator[Action]:
    """Bars of a chart, one after the other."""

    def click(at: int) -> None:
        bars = chart.locator(".point path")
        bar = bars.nth((at + 1) % bars.count())
        bar.scroll_into_view_if_needed()
        box = bar.bounding_box()
        assert box is not None
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.wait_for_timeout(MILLISECONDS_TO_POINT)  # the chart takes clicks on what is pointed at
        page.mouse.click(x, y)

    for at in range(n):
        yield lambda at=at: click(at)


def widgets_of(page: Page, n: int) -> Iterator[tuple[str, Iterator[Action]]]:
    """Every widget in the main part of a page with ways to use it."""
    main = page.get_by_test_id("stMain")
    ways: dict[str, Callable[[Locator], Iterator[Action]]] = {
        "stSelectbox": lambda box: chosen_in_turn(box, page, n),
        "stButtonGroup": lambda group: clicked_in_turn(group, n),
        "stSlider": lambda slider: moved(slider, page, n),
        "stNumberInput": lambda box: stepped(box, n),
        "stTextInput": lambda box: typed(box, n),
        "stCheckbox": lambda box: ticked(box, n),
        "stMultiSelect": lambda box: taken_out_and_in(box, page, n),
    }
    for kind, way in ways.items():
        found = main.get_by_test_id(kind)
        for at in range(found.count()):
            one = found.nth(at)
            if one.is_visible():
                yield f"{kind[2:]} {label_of(one)}", way(one)
    for at in range(main.get_by_test_id("stDataFrame").count()):
        table = main.get_by_test_id("stDataFrame").nth(at)
        if table.is_visible():
            yield f"sort table {at + 1}", sorted_by(table, page, n)
            yield f"row of table {at + 1}", rows_selected(table, page, n)
    charts = main.get_by_test_id("stPlotlyChart")
    for at in range(charts.count()):
        if charts.nth(at).locator(".point path").count():
            yield f"click in chart {at + 1}", bars_clicked(charts.nth(at), page, n)


def label_of(widget: Locator) -> str:
    """The label of a widget, or its first words."""
    label = widget.get_by_test_id("stWidgetLabel")
    text = label.first.inner_text() if label.count() else ""
    return (text or widget.inner_text()).split("\n")[0][:34]


def measure(page: Page, runs: Runs, url: str, address: str, n: int) -> Iterator[tuple[str, list[Taken]]]:
    """Every widget of an address, one after the other."""
    yield "first visit", every(runs, page, [lambda: page.goto(url + address)])
    yield "new session", every(runs, page, [lambda: page.reload()] * n)
    for name, actions in widgets_of(page, n):
        yield name, every(runs, page, actions)


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
    asked = parser.parse_args()
    n_slow = 0
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "runs")
        command = ("-m", "benchmarks.pages", "--serve", str(log))
        with Dashboard(Path(folder, "log"), command) as dashboard, opened() as page:
            for name in asked.only or ADDRESSES:
                for address in ADDRESSES[name]:
                    n_slow += table(
                        f"{name} {address}", measure(page, Runs(log), dashboard.url, address, asked.times)
                    )
    print(f"\n{n_slow} interactions over {1000 * LIMIT:.0f} ms of server time")
    return int(n_slow > 0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(Path(sys.argv[2]), sys.argv[3:])
    else:
        sys.exit(main())
