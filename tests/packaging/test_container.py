"""The container file keeps to what docs/deploy.md says, and its command runs as it does there."""

import json
import os
import re
import shutil
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import ClassVar

import pytest

from benchmarks.visitor import Visitor
from tests.browser.dashboard import Dashboard

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "Containerfile").read_text()
NOBODY = 65534
AS_NOBODY = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")


def instructions(name: str) -> list[str]:
    """The instructions of a kind, each on one line."""
    joined = re.sub(r"\\\n\s*", "", TEXT)
    return re.findall(rf"^{name} (.+)$", joined, flags=re.MULTILINE)


def environment() -> dict[str, str]:
    """The variables that the file sets."""
    return dict(part.split("=", 1) for line in instructions("ENV") for part in line.split())


class Contained(Dashboard):
    """The file's command, as nobody, in a folder that only root writes to."""

    def __init__(self, bin_folder: Path, folder: Path, log: Path) -> None:
        home = {"HOME": str(folder), "STREAMLIT_SERVER_ADDRESS": "127.0.0.1"}
        variables = {**environment(), **home, "PATH": f"{bin_folder}:{os.environ['PATH']}"}
        super().__init__(log, environment=variables, folder=folder)
        (command,) = instructions("CMD")
        self._command = [*AS_NOBODY, *json.loads(command), "--port", str(self.port)]


def test_container_runs_without_rights_and_takes_nothing_from_the_network() -> None:
    (user,) = instructions("USER")
    assert int(user) > 0
    # The bundle stays in the stage that installs it, and in no layer of the image.
    assert instructions("COPY") == ["dist/bundle /bundle", "--from=installed /opt/evalcore /opt/evalcore"]
    first, second = instructions("FROM")
    assert first == f"{second} AS installed"
    (install,) = [line for line in instructions("RUN") if "pip install" in line]
    assert "--no-index" in install
    assert "--require-hashes" in install
    assert "curl" not in TEXT
    for name in (".containerignore", ".dockerignore"):
        assert (ROOT / name).read_text().split() == ["*", "!dist/bundle"]


class Health(BaseHTTPRequestHandler):
    """A server that is in good health below one path."""

    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/below/_stcore/health" else 404)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.parametrize(("base", "is_healthy"), [("/below/", True), ("below", True), ("", False)])
def test_the_health_check_asks_where_the_server_was_told_to_listen(base: str, is_healthy: bool) -> None:
    (health,) = instructions("HEALTHCHECK")
    command = json.loads(health.partition(" CMD ")[2])
    with ThreadingHTTPServer(("127.0.0.1", 0), Health) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        told = {"STREAMLIT_SERVER_PORT": str(server.server_port), "STREAMLIT_SERVER_BASE_URL_PATH": base}
        proxy = {"http_proxy": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9"}
        done = subprocess.run([sys.executable, "-I", *command[1:]], env={**told, **proxy}, check=False)
        server.shutdown()
    assert (done.returncode == 0) is is_healthy


class Outside(BaseHTTPRequestHandler):
    """A proxy that remembers what it was asked for."""

    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_error(502)

    def do_CONNECT(self) -> None:
        self.do_GET()

    def log_message(self, *_: object) -> None:
        pass


def test_at_every_address_it_asks_no_outside_host_and_says_where_it_is(tmp_path: Path) -> None:
    Outside.asked.clear()
    (listening,) = [value for name, value in environment().items() if name == "STREAMLIT_SERVER_ADDRESS"]
    log = tmp_path / "log.txt"
    with ThreadingHTTPServer(("127.0.0.1", 0), Outside) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        proxy = dict.fromkeys(("http_proxy", "https_proxy"), f"http://127.0.0.1:{server.server_port}")
        told = {"STREAMLIT_SERVER_ADDRESS": listening, "no_proxy": "127.0.0.1", **proxy}
        with Dashboard(log, environment=told) as served, Visitor(served.url, "data") as visitor:
            assert "29,540 rows in = 29,540 used" in visitor.text
            port = served.port
        server.shutdown()
    assert Outside.asked == []
    assert log.read_text() == f"The dashboard is at http://localhost:{port}\n"


@pytest.mark.skipif(
    shutil.which("setpriv") is None or os.geteuid() != 0, reason="only root starts a process as nobody"
)
def test_its_command_serves_as_nobody_from_a_folder_that_only_root_writes_to(
    installed: Path, tmp_path: Path
) -> None:
    if not can_run(installed / "python"):
        pytest.skip("this Python lies where nobody may look")
    folder = installed.parent / "read_only"
    folder.mkdir(mode=0o555)
    with Contained(installed, folder, tmp_path / "log.txt") as served:
        assert Path(f"/proc/{served.pid}").stat().st_uid == NOBODY
        with Visitor(served.url, "data") as visitor:
            assert "29,540 rows in = 29,540 used" in visitor.text
    assert list(folder.iterdir()) == []


def can_run(python: Path) -> bool:
    """Whether nobody can run this Python."""
    return subprocess.run([*AS_NOBODY, python, "-c", ""], check=False).returncode == 0
