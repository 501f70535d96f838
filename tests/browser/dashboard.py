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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from playwright.sync_api import Error, Page, expect

ROOT = Path(__file__).resolve().parents[2]
SECONDS_TO_START = 180  # on a machine that other work fills
MILLISECONDS_TO_REST = 180_000


class Dashboard:
    """A dashboard process on a free port of this machine, from `with` to the end of the block.

    Parameters
    ----------
    log
        File that takes what the process prints.
    command
        What starts it.
    environment
        Variables set on top of this process's own.
    folder
        Where it is started.
    """

    def __init__(
        self,
        log: Path,
        command: tuple[str, ...] = ("-m", "streamlit", "run", "app.py"),
        environment: dict[str, str] | None = None,
        folder: Path = ROOT,
    ) -> None:
        self.log = log
        self._folder = folder
        self.port = _free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._command = [sys.executable, *command, f"--server.port={self.port}", "--server.headless=true"]
        self._environment = {**os.environ, "EVALCORE_PASSCODE": "", **(environment or {})}

    @property
    def pid(self) -> int:
        """The process that serves."""
        return self._process.pid

    def status(self) -> int:
        """With what the process ended, once it has."""
        return self._process.wait(timeout=SECONDS_TO_START)

    def __enter__(self) -> Self:
        with self.log.open("wb") as output:
            self._process = subprocess.Popen(
                self._command,
                cwd=self._folder,
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


COUNT_RUNS = """
// Fields of a message, by their numbers: 11 asks the server for a run, 4 is its word that one begins.
const fields = (bytes) => {
  const found = new Set();
  let at = 0;
  const number = () => {
    let value = 0;
    for (let place = 1; ; place *= 128) {
      const byte = bytes[at++];
      value += (byte & 127) * place;
      if (!(byte & 128)) return value;
    }
  };
  while (at < bytes.length) {
    const tag = number();
    found.add(tag >> 3);
    const value = (tag & 7) === 1 ? 8 : (tag & 7) === 5 ? 4 : number();
    if ((tag & 7) !== 0) at += value;
  }
  return found;
};
let [n_asked, n_begun, last] = [0, 0, 0];
const heard = new WeakSet();
const hear = ({ data }) => data instanceof ArrayBuffer && (n_begun += fields(new Uint8Array(data)).has(4));
const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (data) {
  if (!heard.has(this)) this.addEventListener("message", hear);
  heard.add(this);
  if (data instanceof Uint8Array && fields(data).has(11)) [n_asked, last] = [n_asked + 1, performance.now()];
  return send.call(this, data);
};
// Two that are asked for at once may be one run: then nothing more is to come.
globalThis.isRunAwaited = () => n_begun < n_asked && performance.now() - last < 3000;
"""
"""Lets `wait_until_idle` know of a run that the server was asked for and has not begun yet."""


def wait_until_idle(page: Page) -> None:
    """Wait until Streamlit has run the script and drawn everything.

    What was pressed just now counts: on a busy machine it takes a second until the server begins to run, and
    the page looks as if it were at rest.
    """
    while _is_run_awaited(page):
        page.wait_for_timeout(20)
    app = page.get_by_test_id("stApp")
    expect(app).to_have_attribute("data-test-connection-state", "CONNECTED", timeout=MILLISECONDS_TO_REST)
    expect(app).to_have_attribute("data-test-script-state", "notRunning", timeout=MILLISECONDS_TO_REST)
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0, timeout=MILLISECONDS_TO_REST)


def _is_run_awaited(page: Page) -> bool:
    try:
        return bool(page.evaluate("globalThis.isRunAwaited?.() ?? false"))
    except Error:  # the document is being left for another
        return False


def wait_until(page: Page, is_so: Callable[[], object]) -> None:
    """Wait until something that the test is told of, such as a message of the page, has come."""
    deadline = time.monotonic() + MILLISECONDS_TO_REST / 1000
    while not is_so():
        assert time.monotonic() < deadline
        page.wait_for_timeout(20)


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
