"""How the server begins and ends: its browser, the limit that a browser is told, and what it waits for."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import streamlit
from streamlit import cli_util, config
from streamlit.config_option import ConfigOption

from evalcore.problems import InputError
from evalcore.settings import Settings
from pages.server import serving
from pages.shared import launch
from tests.browser.dashboard import ROOT, Dashboard
from tests.support.live import wait_for

STATIC = Path(streamlit.__file__).parent / "static"


@pytest.fixture
def option(monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, Any]]:
    """Streamlit's options as given, defined in a place; what is set is seen in the same dictionary."""

    def given(place: str = ConfigOption.DEFAULT_DEFINITION, **values: Any) -> dict[str, Any]:
        known = {name.replace("_", ".", 1): value for name, value in values.items()}
        monkeypatch.setattr(config, "get_option", known.get)
        monkeypatch.setattr(config, "set_option", known.__setitem__)
        monkeypatch.setattr(config, "get_where_defined", lambda _: place)
        return known

    return given


@pytest.mark.parametrize(("headless", "expected"), [(False, ["http://127.0.0.1:8600"]), (True, [])])
def test_browser_opens_unless_told_not_to(
    monkeypatch: pytest.MonkeyPatch, option: Callable[..., Any], headless: bool, expected: list[str]
) -> None:
    option(
        server_headless=headless,
        server_address="127.0.0.1",
        server_port=8600,
        browser_serverPort=8600,
        server_baseUrlPath="",
    )
    opened: list[str] = []
    monkeypatch.setattr(cli_util, "open_browser", opened.append)

    async def live() -> None:
        async with serving.lifespan(None):  # type: ignore[arg-type]
            await asyncio.sleep(0)

    asyncio.run(live())
    assert opened == expected


@pytest.mark.parametrize(
    ("address", "named"),
    [
        (None, "localhost"),
        ("0.0.0.0", "localhost"),
        ("10.1.2.3", "10.1.2.3"),
        ("::", "localhost"),
        ("::1", "[::1]"),
    ],
)
def test_terminal_is_told_where_the_dashboard_is(
    capsys: pytest.CaptureFixture[str], option: Callable[..., Any], address: str | None, named: str
) -> None:
    option(
        server_headless=True,
        server_address=address,
        server_port=8600,
        browser_serverPort=8600,
        server_baseUrlPath="",
    )

    async def live() -> None:
        async with serving.lifespan(None):  # type: ignore[arg-type]
            pass

    asyncio.run(live())
    assert capsys.readouterr().out == f"The dashboard is at http://{named}:8600\n"


@pytest.mark.parametrize(
    ("place", "limit"),
    [
        (ConfigOption.DEFAULT_DEFINITION, 48),
        ("/home/someone/.streamlit/config.toml", 48),
        ("environment variable", 7),
        ("command-line argument or environment variable", 7),
    ],
)
def test_browser_is_told_the_limit_of_uploads_unless_another_is_stated(
    option: Callable[..., dict[str, Any]], place: str, limit: int
) -> None:
    known = option(place, server_maxUploadSize=7)
    serving.limit_uploads(Settings(max_upload_mb=50))  # of 10**6 bytes, where the browser counts in 2**20
    assert known["server.maxUploadSize"] == limit


def test_server_ends_in_time_though_somebody_reads_no_further(tmp_path: Path) -> None:
    with Dashboard(log=tmp_path / "log.txt") as running:
        largest = max(STATIC.rglob("*.js"), key=lambda path: path.stat().st_size)
        with socket.socket() as slow:
            slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            slow.connect(("127.0.0.1", running.port))
            path = largest.relative_to(STATIC.parent).as_posix()
            slow.sendall(f"GET /{path} HTTP/1.1\r\nHost: 127.0.0.1:{running.port}\r\n\r\n".encode())
            assert slow.recv(12) == b"HTTP/1.1 200"
            os.kill(running.pid, signal.SIGTERM)
            assert wait_for(lambda: running._process.poll() is not None)
        assert "Traceback" not in running.log.read_text()


def test_a_port_that_is_taken_is_said_with_what_to_do() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        command = [sys.executable, "-m", "evalcore", "dashboard", "--no-browser", "--port", str(port)]
        ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    told = f"found port {port} of 127.0.0.1: address already in use, expected a free port of this machine."
    assert (ended.returncode, ended.stdout) == (2, "")
    assert told in ended.stderr
    assert "Traceback" not in ended.stderr


def test_an_address_of_another_machine_is_said_with_what_to_check(option: Callable[..., Any]) -> None:
    option(server_address="192.0.2.1", server_port=8600)
    with pytest.raises(InputError, match=r"Check --port, and the address"):
        launch.check_port()
    option(server_address="", server_port=0)
    launch.check_port()


WITHOUT_COUNTS = """
from pages.server import uploads
from pages.shared import launch
uploads.count_files = lambda: None
launch.main(["--server.headless=true", "--server.port=0"])
"""


def test_process_ends_where_the_gate_cannot_be_placed() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", WITHOUT_COUNTS],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode != 0
    assert "they are not counted" in ended.stderr


def test_the_app_by_itself_says_what_to_type() -> None:
    ended = subprocess.run([sys.executable, "app.py"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (1, "Start it with: streamlit run app.py\n")
