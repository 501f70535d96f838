"""The running dashboard and a real browser."""

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, expect, sync_playwright

from evalcore.__main__ import main
from tests.browser import chromium
from tests.browser.dashboard import COUNT_RUNS, ROOT, Dashboard
from tests.browser.explorer.actions import Setting, covers, open_explorer, restore, setting

HERE = Path(__file__).parent
CHROMIUM_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

VIEWPORT = {"width": 1440, "height": 900}
GIVEN_UP = "explorer given up"
HAS_FAILED = pytest.StashKey[bool]()
Opened = TypeVar("Opened", BrowserContext, Page)

# Three tests share two processors with a server each, and with whatever else is run beside them: what holds
# is there in a second or two, and a fault is worth waiting for.
PATIENCE = 90_000
expect.set_options(timeout=PATIENCE)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run a test here that fails once more: on a busy machine a click can meet a page being redrawn.

    A fault fails twice, and the summary names every second run.
    """
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Remember whether the test failed, for the fixtures that are still to be torn down."""
    report = yield
    item.stash[HAS_FAILED] = report.failed
    return report


@pytest.fixture(scope="session")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """The dashboard on a free port of this machine, as `streamlit run app.py` starts it."""
    with Dashboard(log=tmp_path_factory.mktemp("dashboard") / "log.txt") as running:
        yield running


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium, headless; every test opens its own context in it."""
    executable = chromium.find()
    if executable is None:
        pytest.fail("no Chromium here; 'make test' installs one")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=executable, args=list(CHROMIUM_ARGUMENTS))
        launched.new_context = counting_runs(launched.new_context)  # type: ignore[method-assign]
        launched.new_page = counting_runs(launched.new_page)  # type: ignore[method-assign]
        yield launched
        launched.close()


def counting_runs(make: Callable[..., Opened]) -> Callable[..., Opened]:
    """A maker of contexts or pages whose pages know which runs of the script are still to begin."""

    def made(**options: object) -> Opened:
        opened = make(**options)
        opened.add_init_script(COUNT_RUNS)
        opened.set_default_timeout(PATIENCE)
        return opened

    return made


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A fresh session of 1440 × 900; the test fails when its page contacts any host but 127.0.0.1."""
    context = browser.new_context(viewport=VIEWPORT, accept_downloads=True)
    opened = context.new_page()
    foreign = foreign_requests(opened)
    yield opened
    context.close()
    assert foreign == [], "the page contacted another host"


@dataclass
class SharedExplorer:
    """A session on the page of the operating point that several tests use one after the other."""

    page: Page
    foreign: list[str]
    start: Setting
    last_test: str = ""


@pytest.fixture(scope="session")
def shared_explorers() -> Iterator[list[SharedExplorer]]:
    """The session that `explorer` hands out, or none yet."""
    shared: list[SharedExplorer] = []
    yield shared
    for one in shared:
        one.page.context.close()


@pytest.fixture
def explorer(
    request: pytest.FixtureRequest,
    browser: Browser,
    dashboard: Dashboard,
    shared_explorers: list[SharedExplorer],
) -> Iterator[Page]:
    """The explorer at rest, at the thresholds and with the axes it opens with.

    A page that computes the sample costs seconds; so tests that leave nothing behind but thresholds and
    axes take over the session of the test before them. After one that failed, or that left something over
    the explorer, there is a new session; so there is where the old one cannot be restored, and the summary
    names the test that had it last.
    """
    if shared_explorers:
        try:
            restore(shared_explorers[0].page, shared_explorers[0].start)
        except (AssertionError, Error) as error:
            given_up = shared_explorers.pop()
            reason = str(error).strip().partition("\n")[0]
            note = f"{given_up.last_test}: {reason}; over it: {covers(given_up.page) or 'nothing'}"
            request.node.user_properties.append((GIVEN_UP, note))
            given_up.page.context.close()
    if not shared_explorers:
        opened = browser.new_context(viewport=VIEWPORT, accept_downloads=True).new_page()
        foreign = foreign_requests(opened)
        open_explorer(opened, dashboard)
        shared_explorers.append(SharedExplorer(opened, foreign, setting(opened)))
    shared = shared_explorers[0]
    shared.last_test = request.node.name
    yield shared.page
    shared.page.mouse.up()
    left = covers(shared.page)
    if left or request.node.stash[HAS_FAILED]:
        shared_explorers.pop().page.context.close()
    assert left == [], "the test left something over the explorer"
    assert shared.foreign == [], "the page contacted another host"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the tests after which the shared explorer had to be given up."""
    for report in terminalreporter.getreports("passed") + terminalreporter.getreports("failed"):
        for name, note in report.user_properties:
            if name == GIVEN_UP and report.when == "call":
                terminalreporter.write_line(f"EXPLORER GIVEN UP after {note}")


@pytest.fixture(scope="session")
def explorer_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The explorer of the sample as a file."""
    out = tmp_path_factory.mktemp("explorer") / "explorer.html"
    sample = ROOT / "sample_data" / "queries.csv"
    assert main(["explore", str(sample), "--model", "gnn_gate", "--out", str(out)]) == 0
    return out


@pytest.fixture
def fresh_explorer(page: Page, dashboard: Dashboard) -> Page:
    """The explorer in a session of its own, at rest."""
    open_explorer(page, dashboard)
    return page


def foreign_requests(page: Page) -> list[str]:
    """The addresses outside 127.0.0.1 that `page` asks for from now on; the list grows as it does."""
    foreign: list[str] = []

    def note(url: str) -> None:
        is_local = url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:", "about:"))
        if not is_local:
            foreign.append(url)

    page.on("request", lambda request: note(request.url))
    page.on("websocket", lambda websocket: note(websocket.url))
    return foreign
