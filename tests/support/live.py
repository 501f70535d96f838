"""What the process of a running dashboard does: its files, what it writes, its memory, its log."""

import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchmarks.visitor import request
from tests.browser.dashboard import Dashboard

MOST_SECONDS = 60

ROWS = "post_id,criterion_id,label,probability\n" + "".join(
    f"p{i},A.1,{int(i % 3 == 0)},{i % 100 / 100}\n" for i in range(240)
)


def process_folder(dashboard: Dashboard) -> Path:
    """Where the system tells of the process."""
    folder = Path(f"/proc/{dashboard._process.pid}")
    if not folder.exists():
        pytest.skip("a system without /proc")
    return folder


def bytes_written(dashboard: Dashboard) -> int:
    """Bytes that the process has written to files and pipes; what is sent through a socket is not counted."""
    return int(re.search(r"^wchar: (\d+)$", (process_folder(dashboard) / "io").read_text(), re.MULTILINE)[1])


@contextmanager
def files_opened(dashboard: Dashboard) -> Iterator[set[str]]:
    """Files that the process had open for writing at some time of the block, deleted ones included."""
    folder, is_over, seen = process_folder(dashboard), threading.Event(), set()

    def watch() -> None:
        while not is_over.is_set():
            seen.update(_written(folder))
            time.sleep(0.001)

    before = set(_written(folder))
    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield seen
    finally:
        is_over.set()
        watcher.join()
        seen -= before


def _written(folder: Path) -> Iterator[str]:
    for descriptor in (folder / "fd").iterdir():
        try:
            target = str(descriptor.readlink())
            flags = int(re.search(r"flags:\s+(\d+)", (folder / "fdinfo" / descriptor.name).read_text())[1], 8)
        except OSError:  # closed meanwhile
            continue
        if target.startswith("/") and not target.startswith("/dev/") and flags & 0o3:
            yield target


def held_bytes(dashboard: Dashboard) -> int:
    """Bytes of uploads that the server holds, as it says itself."""
    text = request(dashboard.url, "GET", "/_stcore/metrics?families=cache_memory_bytes").text
    found = re.search(r'cache_memory_bytes\{cache_type="UploadedFileManager",cache=""\} (\d+)', text)
    return int(found[1]) if found else 0


def wait_for(holds: Callable[[], bool]) -> bool:
    """Whether something comes true in time."""
    deadline = time.monotonic() + MOST_SECONDS
    while time.monotonic() < deadline:
        if holds():
            return True
        time.sleep(0.25)
    return holds()


@contextmanager
def sending(
    dashboard: Dashboard, path: str, headers: dict[str, str], body: bytes, announced: int
) -> Iterator[socket.socket]:
    """A connection that has sent a part of a body."""
    lines = [f"PUT {path} HTTP/1.1", f"Host: 127.0.0.1:{dashboard.port}", f"Content-Length: {announced}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    with socket.create_connection(("127.0.0.1", dashboard.port), timeout=30) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode() + body)
        yield connection


def break_off(dashboard: Dashboard, path: str, headers: dict[str, str], body: bytes, announced: int) -> None:
    """Send a part of a body and go away."""
    with sending(dashboard, path, headers, body, announced):
        time.sleep(0.3)
