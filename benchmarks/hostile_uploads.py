"""Hostile uploads beside honest sessions on one server: `python -m benchmarks.hostile_uploads`.

Starts the dashboard, opens honest sessions with data of their own and one on the sample, gives hostile files
to sessions beside them, several at a time, and holds every number of the honest ones against what it was.
Prints how each file was answered, how long an honest page took meanwhile, and the memory of the server at its
peak.
"""

from __future__ import annotations

import argparse
import gzip
import html
import io
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

from benchmarks.visitor import Visitor, request

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("data", "criteria", "calibration")
SECONDS_TO_START = 180
N_ROWS = 1_000


def damaged(make: Callable[[pa.Table, io.BytesIO], None], seed: int) -> bytes:
    """A file of a thousand rows with sixty of its bytes changed, those of its marks left alone."""
    sink = io.BytesIO()
    table = pa.table({"post_id": [f"p{n}" for n in range(N_ROWS)], "p": [n / N_ROWS for n in range(N_ROWS)]})
    make(table, sink)
    content, rng = bytearray(sink.getvalue()), random.Random(seed)
    for _ in range(60):
        content[rng.randrange(8, len(content) - 8)] = rng.randrange(256)
    return bytes(content)


def _feather(version: int, compression: str | None) -> Callable[[pa.Table, io.BytesIO], None]:
    def write(table: pa.Table, sink: io.BytesIO) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # version 1 is what is wanted
            pa.feather.write_feather(table, sink, version=version, compression=compression)

    return write


def _honest(n: int) -> str:
    return "post_id,criterion_id,label,probability\n" + "p,c,1,0.5\n" * n


HOSTILE: dict[str, Callable[[], bytes]] = {
    "nested.json": lambda: b"[" * 20_000 + b"]" * 20_000,
    "nested_in_a_cell.csv": lambda: b"question,contexts,faithfulness\nq," + b"[" * 20_000 + b",1\n",
    "nested_objects.jsonl": lambda: b'{"a":' * 20_000 + b"1" + b"}" * 20_000,
    "keys.json": lambda: b"[{" + b",".join(b'"k":%d' % n for n in range(60_000)) + b"}]",
    "many_names.jsonl": lambda: b"".join(b'{"k%d":1}\n' % n for n in range(60_000)),
    "bomb.csv.gz": lambda: gzip.compress(bytes(1_000_000_000), 9),
    "bomb_in_bomb.gz": lambda: gzip.compress(gzip.compress(bytes(500_000_000), 9), 9),
    "bomb.csv.zst": lambda: pa.compress(b"\n" * 1_000_000_000, "zstd", asbytes=True),
    "returns.csv": lambda: b"\r" * 100_000_000,
    "quotes.csv": lambda: b'"' * 50_000_001,
    "long_cell.csv": lambda: b"post_id,label,probability\n" + b"x" * 50_000_000 + b",1,0.5\n",
    "columns.csv": lambda: (",".join(f"c{n}" for n in range(100_000)) + "\n").encode() * 2,
    "columns.parquet": lambda: _wide(20_000),
    "not_utf8.csv": lambda: _honest(1000).encode() + b"\xff\xfe\xed\xa0\x80,\x80,\xc3,\x28\n" * 1000,
    "nul.csv": lambda: bytes(20_000_000),
    "damaged_v1.feather": lambda: damaged(_feather(1, None), 1),
    "damaged_lz4.feather": lambda: damaged(_feather(2, "lz4"), 2),
    "damaged.parquet": lambda: damaged(pa.parquet.write_table, 3),
    "empty.csv": lambda: b"",
    "names.csv": lambda: (
        b"<script>alert(1)</script>,![x](https://evil.example/x),=1+1,label,probability\na,b,c,1,2\n"
    ),
    "large.csv": lambda: _honest(5_000_000).encode(),
}
"""File name → what makes its bytes."""


def _wide(n: int) -> bytes:
    sink = io.BytesIO()
    pa.parquet.write_table(pa.table({f"c{at}": [1] for at in range(n)}), sink)
    return sink.getvalue()


def stored(folder: Path | None) -> dict[str, Callable[[], bytes]]:
    """The damaged files of a folder."""
    paths = sorted(folder.iterdir()) if folder is not None and folder.is_dir() else []
    return {path.name: path.read_bytes for path in paths if path.is_file()}


@dataclass
class Outcome:
    """What came of it.

    Parameters
    ----------
    answers : what the server said of each file; seconds : how long each took.
    waits : seconds of an honest page while hostile files were read; before : the same without them.
    faults : what must not happen.
    peak : megabytes of the server and its readers at their peak; start : before the first hostile file.
    """

    answers: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    before: list[float] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    start: float = 0.0
    peak: float = 0.0


def own_rows(seed: int) -> tuple[str, str]:
    """Data of an honest session, and what its pages show of them: counts that are known beforehand."""
    rng = random.Random(seed)
    n = 200 + seed
    labels = [int(rng.random() < 0.3) for _ in range(n)]
    lines = [f"p{at},A.{at % 2},{label},{rng.randrange(1000) / 1000}" for at, label in enumerate(labels)]
    text = "\n".join(["post_id,criterion_id,label,probability", *lines, ""])
    return text, f"{n} checks · {n} posts · 2 criteria · {_percent(sum(labels), n)} with evidence"


def _percent(n: int, of: int) -> str:
    return f"{100 * n / of:.1f} %"  # of no table made here is it near 0 or all


@dataclass
class Honest:
    """A session, what it must show, and what it has shown."""

    visitor: Visitor
    shows: str
    seen: dict[str, str] = field(default_factory=dict)

    def look(self) -> tuple[float, list[str]]:
        """Open every page; the seconds that took, and what is wrong."""
        began, wrong = time.monotonic(), []
        for page in PAGES:
            self.visitor.open(page)
            # What is not a number on the page may differ between two runs: names of elements, clocks.
            text = " ".join(re.sub(r"<[^>]*>", " ", html.unescape(self.visitor.text)).split())
            if self.shows not in text.replace("\N{NO-BREAK SPACE}", " "):
                wrong.append(f"{page} shows no {self.shows!r}: {text[:200]}")
            elif self.seen.setdefault(page, text) != text:
                wrong.append(f"{page} of {self.shows!r} shows something else than before")
        return time.monotonic() - began, wrong


@contextmanager
def server(port: int, log: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """The dashboard as it is started by hand: its address and its process."""
    command = [sys.executable, "-m", "streamlit", "run", "app.py"]
    command += [f"--server.port={port}", "--server.headless=true"]
    url = f"http://127.0.0.1:{port}"
    environment = {**os.environ, "EVALCORE_PASSCODE": ""}
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=output)
    try:
        deadline = time.monotonic() + SECONDS_TO_START
        while not _answers(url):
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the dashboard did not start:\n{log.read_text()}")
            time.sleep(0.2)
        yield url, process
    finally:
        process.terminate()
        process.wait()


def _answers(url: str) -> bool:
    try:
        return request(url, "GET", "/_stcore/health").status == 200
    except OSError:
        return False


def memory_of(pid: int) -> float:
    """Megabytes that a process and its children hold now; 0 on a system without /proc."""
    return sum(_resident(one) for one in (pid, *_children(pid)))


def _children(pid: int) -> list[int]:
    try:
        found = Path(f"/proc/{pid}/task/{pid}/children").read_text()
        tasks = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/children")]
    except OSError:
        return []
    return sorted({int(one) for one in " ".join([found, *tasks]).split()})


def _resident(pid: int) -> float:
    try:
        found = re.search(r"^VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    except OSError:
        return 0.0
    return int(found[1]) / 1000 if found else 0.0


def attack(url: str, name: str, content: bytes) -> tuple[str, float]:
    """Give a file to a session of its own; what the page says, and the seconds until it says it."""
    with Visitor(url, "data") as hostile:
        began = time.monotonic()
        hostile.upload_named({name: content})
        seconds = time.monotonic() - began
        found = re.findall(r"<code class=\"quiet\">([A-Z]+-\d+)</code>", hostile.text)
        if found:
            return ", ".join(dict.fromkeys(found)), seconds
        if "rows in =" in hostile.text:
            return "read", seconds
        return "", seconds


def run(
    port: int, n_honest: int, files: dict[str, Callable[[], bytes]], n_at_once: int, log: Path
) -> Outcome:
    """Give ``files`` to a server with ``n_honest`` sessions, the first of them on the sample.

    Parameters
    ----------
    port : where the server listens.
    n_at_once : hostile sessions at the same time.
    log : takes what the server prints.
    """
    found = Outcome()
    with server(port, log) as (url, process), ExitStack() as opened:
        honest = [_enter(opened, url, seed) for seed in range(n_honest)]
        for one in honest:
            _look(one, found, found.before)
        found.start = found.peak = memory_of(process.pid)
        is_over = threading.Event()
        watcher = threading.Thread(target=_watch, args=(process.pid, is_over, found))
        watcher.start()
        with ThreadPoolExecutor(n_at_once) as pool:
            running = [pool.submit(_one, url, name, make, found) for name, make in files.items()]
            at = 0
            while not all(one.done() for one in running):
                _look(honest[at % n_honest], found, found.waits)
                at += 1
        is_over.set()
        watcher.join()
        for one in honest:
            _look(one, found, found.waits)
        if process.poll() is not None:
            found.faults.append(f"the server ended with {process.returncode}")
    if "Traceback" in log.read_text(errors="replace"):
        found.faults.append(f"a traceback in {log}")
    return found


def _enter(opened: ExitStack, url: str, seed: int) -> Honest:
    visitor = opened.enter_context(Visitor(url, "data"))
    if seed == 0:
        return Honest(visitor, "14,770 checks")
    text, shows = own_rows(seed)
    visitor.upload_named({f"mine{seed}.csv": text.encode()})
    visitor.click("Use these data")
    return Honest(visitor, shows)


def _look(one: Honest, found: Outcome, seconds: list[float]) -> None:
    try:
        took, wrong = one.look()
    except Exception as error:
        found.faults.append(f"{one.shows}: {type(error).__name__}: {error}"[:300])
        return
    seconds.append(took)
    found.faults += wrong


def _one(url: str, name: str, make: Callable[[], bytes], found: Outcome) -> None:
    content = make()
    try:
        answer, seconds = attack(url, name, content)
    except Exception as error:
        answer, seconds = "", 0.0
        found.faults.append(f"{name}: {type(error).__name__}: {error}"[:300])
    found.answers[name], found.seconds[name] = answer or "no answer", seconds
    if not answer or "FILE-022" in answer:
        found.faults.append(f"{name} got no reason")


def _watch(pid: int, is_over: threading.Event, found: Outcome) -> None:
    while not is_over.wait(0.05):
        found.peak = max(found.peak, memory_of(pid))


def main() -> int:
    """Print what came of it; 1 where something must not happen."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.hostile_uploads", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--honest", type=int, default=10, metavar="N", help="honest sessions")
    parser.add_argument("--at-once", type=int, default=4, metavar="N", help="hostile sessions at a time")
    parser.add_argument("--port", type=int, default=8599)
    parser.add_argument("--damaged", type=Path, metavar="DIR", help="files that are given as well")
    arguments = parser.parse_args()
    files = HOSTILE | stored(arguments.damaged)
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.txt"
        found = run(arguments.port, arguments.honest, files, arguments.at_once, log)
        if found.faults:
            print(log.read_text(errors="replace")[-3000:], file=sys.stderr)
    for name, answer in found.answers.items():
        print(f"{name:<24} {found.seconds[name]:6.1f} s  {answer}")
    n_files, n_honest, most = len(found.answers), arguments.honest, max(found.waits, default=0)
    print(f"{n_files} hostile files, {arguments.at_once} at a time, beside {n_honest} honest sessions")
    print(f"{', '.join(PAGES)} of an honest one: {_middle(found.before):.1f} s before,", end=" ")
    print(f"{_middle(found.waits):.1f} s meanwhile, {most:.1f} s at most")
    print(f"server and readers: {found.start:,.0f} MB before, {found.peak:,.0f} MB at the peak")
    for fault in found.faults:
        print(f"FAULT {fault}")
    return 1 if found.faults else 0


def _middle(seconds: list[float]) -> float:
    return sorted(seconds)[len(seconds) // 2] if seconds else 0.0


if __name__ == "__main__":
    sys.exit(main())
