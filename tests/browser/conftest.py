"""The running dashboard and a real browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser import chromium
from tests.browser.dashboard import Dashboard

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

expect.set_options(timeout=30_000)  # two tests share two processors with a server each


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run a test here that fails once more: on a busy machine a click can meet a page being redrawn.

    A fault fails twice, and the summary names every second run.
    """
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="session")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """The dashboard on a free port of this machine, started as `make run` starts it."""
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
        yield launched
        launched.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A fresh session of 1440 × 900; the test fails when its page contacts any host but 127.0.0.1."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, accept_downloads=True)
    opened = context.new_page()
    foreign = foreign_requests(opened)
    yield opened
    context.close()
    assert foreign == [], "the page contacted another host"


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
