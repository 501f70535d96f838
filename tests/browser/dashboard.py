"""Start the dashboard as a process of its own, and wait until a page has come to rest."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from playwright.sync_api import Page, expect

ROOT = Path(__file__).resolve().parents[2]
SECONDS_TO_START = 180  # on a machine that other work fills
MILLISECONDS_TO_REST = 60_000


class Dashboard:
    """A dashboard process on a free port of this machine, from `with` to the end of the block.

    Parameters
    ----------
    log
        File that takes what the process prints.
    command
        What starts it; the launcher, unless a test is about another way.
    environment
        Variables set on top of this process's own.
    """

    def __init__(
        self,
        log: Path,
        command: tuple[str, ...] = ("-m", "pages.shared.launch"),
        environment: dict[str, str] | None = None,
    ) -> None:
        self.log = log
        self.port = _free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._command = [sys.executable, *command, f"--server.port={self.port}", "--server.headless=true"]
        self._environment = {**os.environ, "EVALCORE_PASSCODE": "", **(environment or {})}

    @property
    def pid(self) -> int:
        """The process that serves."""
        return self._process.pid

    def __enter__(self) -> Self:
        with self.log.open("wb") as output:
            self._process = subprocess.Popen(
                self._command,
                cwd=ROOT,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        try:
            self._wait_until_healthy()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    def _wait_until_healthy(self) -> None:
        deadline = time.monotonic() + SECONDS_TO_START
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                break
            try:
                # The health check runs no script: the first page of the process is still to come.
                with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=5):
                    return
            except OSError:
                time.sleep(0.1)
        raise AssertionError(f"the dashboard did not start:\n{self.log.read_text()}")

    @contextmanager
    def slowed(self) -> Iterator[None]:
        """Let the process run a quarter of the time, so that a browser keeps up with what it reports."""
        is_over = threading.Event()

        def hold() -> None:
            while not is_over.wait(0.05):
                self._process.send_signal(signal.SIGSTOP)
                is_over.wait(0.15)
                self._process.send_signal(signal.SIGCONT)

        holder = threading.Thread(target=hold)
        holder.start()
        try:
            yield
        finally:
            is_over.set()
            holder.join()

    def _stop(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def wait_until_idle(page: Page) -> None:
    """Wait until Streamlit has run the script and drawn everything."""
    app = page.get_by_test_id("stApp")
    expect(app).to_have_attribute("data-test-connection-state", "CONNECTED", timeout=MILLISECONDS_TO_REST)
    expect(app).to_have_attribute("data-test-script-state", "notRunning", timeout=MILLISECONDS_TO_REST)
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0, timeout=MILLISECONDS_TO_REST)


def open_address(page: Page, dashboard: Dashboard, address: str) -> None:
    """Open `address`, such as `/data?x=1`, and wait until it has come to rest."""
    page.goto(dashboard.url + address)
    wait_until_idle(page)


def expect_page(page: Page, title: str) -> None:
    """Fail unless the page under `title` is shown, without any dialog and without an error."""
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile(rf"^{re.escape(title)}$"))
    wait_until_idle(page)
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_test_id("stException")).to_have_count(0)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
