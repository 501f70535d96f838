"""Groups in several processes: the same bytes, and errors where they would be without."""

import multiprocessing
import os
import platform
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from evalcore import evaluate
from evalcore.engines import local
from evalcore.engines.local import can_fork, mapped, most_processes
from evalcore.evaluation import table
from evalcore.problems import InputError, problem
from tests.support.reading import read

ROOT = Path(__file__).resolve().parents[2]
ITEMS = list(range(7))
HERE = os.getpid()


# Python 3.12 warns of threads; that of a plugin of pytest, which waits for a socket, holds nothing.
pytestmark = pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")


@pytest.fixture(autouse=True)
def forks(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on the command line, where no other thread runs."""
    monkeypatch.setattr(local, "can_fork", lambda: True)


def where(item: int) -> tuple[int, int]:
    """An item, and the process that worked at it."""
    return item, os.getpid()


def slow(item: int) -> int:
    time.sleep(0.5)
    return item


def rows() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    found = pd.DataFrame(
        {
            "post_id": np.repeat([f"p{i}" for i in range(30)], 4),
            "criterion_id": ["A.1", "A.2", "A.3", "A.4"] * 30,
            "fold": np.repeat(np.arange(30) % 3, 4),
            "label": rng.integers(0, 2, 120),
        }
    )
    found["p"] = (0.6 * rng.random(120) + 0.4 * found["label"]).round(2)
    return found


def test_results_come_in_the_order_of_the_items_whoever_is_first():
    def slow_first(item: int) -> int:
        time.sleep(0.2 if item == 0 else 0)
        return item

    assert list(mapped(slow_first, ITEMS, processes=3)) == ITEMS


def test_items_are_worked_at_in_other_processes():
    found = list(mapped(where, ITEMS, processes=2))
    assert [item for item, _ in found] == ITEMS
    assert HERE not in {process for _, process in found}
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize(("items", "processes"), [(ITEMS, 1), (ITEMS[:1], 2)])
def test_one_process_or_one_item_forks_nothing(items, processes):
    assert list(mapped(where, items, processes=processes)) == [(item, HERE) for item in items]


def test_nothing_is_forked_while_another_thread_runs(monkeypatch):
    """It could hold a lock that nobody would ever open in the copy, as in a server."""
    monkeypatch.setattr(local, "can_fork", can_fork)
    is_over = threading.Event()
    thread = threading.Thread(target=is_over.wait)
    thread.start()
    try:
        assert {process for _, process in mapped(where, ITEMS, processes=2)} == {HERE}
    finally:
        is_over.set()
        thread.join()


def test_error_of_an_item_is_raised_when_its_result_is_due():
    def refuses(item: int) -> int:
        if item == 3:
            raise InputError([problem("OPT-001", found=str(item))])
        return item

    found = mapped(refuses, ITEMS, processes=2)
    assert [next(found) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(InputError, match="found K = 3"):
        next(found)
    assert multiprocessing.active_children() == []


def test_item_whose_process_dies_is_worked_at_here():
    def deadly(item: int) -> tuple[int, int]:
        if item == 2 and os.getpid() != HERE:
            os.kill(os.getpid(), signal.SIGKILL)
        return where(item)

    found = list(mapped(deadly, ITEMS, processes=2))
    assert [item for item, _ in found] == ITEMS
    assert found[2][1] == HERE


def test_all_processes_may_die():
    def deadly(item: int) -> int:
        if os.getpid() != HERE:
            os.kill(os.getpid(), signal.SIGKILL)
        return item

    assert list(mapped(deadly, ITEMS, processes=2)) == ITEMS


def test_processes_begin_before_a_result_is_asked_for_and_end_where_none_ever_is():
    found = mapped(slow, ITEMS, processes=2)
    begun = multiprocessing.active_children()
    assert len(begun) == 2
    del found
    for process in begun:
        process.join(30)
        assert process.exitcode == 0


def test_processes_end_with_whoever_asked_for_the_results():
    found = mapped(slow, ITEMS, processes=2)
    next(found)
    assert len(multiprocessing.active_children()) == 2
    found.close()
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("has_memory_files", [True, False])
def test_processes_do_every_item_though_nobody_asks_for_a_result(tmp_path, monkeypatch, has_memory_files):
    if not has_memory_files:
        monkeypatch.delattr(os, "memfd_create")
    found = mapped(lambda item: (tmp_path / str(item)).touch(), ITEMS, processes=2)
    end = time.monotonic() + 20
    while len(list(tmp_path.iterdir())) < len(ITEMS) and time.monotonic() < end:
        time.sleep(0.01)
    assert len(list(tmp_path.iterdir())) == len(ITEMS)
    assert list(found) == [None] * len(ITEMS)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other libraries give back what is freed")
def test_processes_make_arrays_out_of_what_others_gave_back():
    def pages(_: int) -> int:
        """How many are asked for by arrays of which two are there at a time, after the first."""
        found = 0
        for at in range(50):
            before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
            two = np.ones(1 << 18), np.ones(1 << 18)
            del two
            found += (resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) * (at > 0)
        return found

    of_each = 2 * (1 << 18) * 8 // resource.getpagesize()
    assert max(mapped(pages, [0, 1], processes=2)) < of_each


def test_processes_are_at_most_as_many_as_the_setting_says(monkeypatch):
    monkeypatch.setenv("EVALCORE_MAX_PROCESSES", "1")
    assert most_processes() == 1
    monkeypatch.setenv("EVALCORE_MAX_PROCESSES", "1000")
    assert most_processes() == len(os.sched_getaffinity(0))


@pytest.mark.parametrize("by", [("criterion", "fold"), ("criterion",)])
def test_table_is_the_same_in_any_number_of_processes(monkeypatch, by):
    monkeypatch.setattr(table, "GROUPS_WORTH_PROCESSES", 1)
    told: dict[int, list[str]] = {1: [], 3: []}
    data = read(rows().to_csv(index=False))
    alone, shared = (
        evaluate(data, by=by, bootstrap=100, seed=3, processes=n, progress=told[n].append).table for n in told
    )
    pd.testing.assert_frame_equal(alone, shared, check_exact=True)
    assert told[1] == told[3]


def test_interrupt_ends_the_command_and_its_processes(tmp_path):
    file = tmp_path / "rows.csv"
    rows().to_csv(file, index=False)
    running = subprocess.Popen(
        [
            *(sys.executable, "-m", "evalcore", "evaluate", str(file), "--by", "criterion,fold"),
            *("--bootstrap", "90000", "--out", str(tmp_path / "out")),
        ],
        cwd=ROOT,
        env={**os.environ, "EVALCORE_MAX_PROCESSES": "2"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    for line in running.stderr:
        if line.startswith("evaluating: ") and "criterion" in line:
            break
    os.killpg(running.pid, signal.SIGINT)  # as a terminal does: to every process of the command
    # The pipes end when no process is left that holds them.
    _, said = running.communicate(timeout=60)
    assert said.splitlines()[-1] == "Interrupted; no half file was left behind."
    assert "Traceback" not in said
    assert running.returncode == 2
    assert not (tmp_path / "out").exists()
