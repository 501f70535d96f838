"""Rows that are brought together here and sent to workers over TCP: the same bytes, whatever happens."""

import functools
import os
import signal
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evalcore import InputError, evaluate_files
from evalcore.__main__ import main
from evalcore.engines.cluster import Cluster, connected
from evalcore.engines.handing import handed
from evalcore.evaluation.chunks import merging, records, users
from evalcore.readers.chunks import by_id, streams
from tests.chunks.records import test_records as annotations
from tests.chunks.test_any_chunks import candidates
from tests.chunks.users import made as lists
from tests.dask import faults
from tests.dask.nodes import nodes

STRADDLING = ("--layout", "straddling")
ROWS = {
    "recommendations": (lists.made(16), ("--ks", "2"), 30),
    "annotations": ({"retrieval": annotations.made(12)}, (), 8),
    "candidates": ({"rows": candidates(12)}, ("--ks", "1", *STRADDLING), 20),
}
GATHER = {
    "recommendations": (users, "gather_users"),
    "annotations": (records, "read_records"),
    "candidates": (merging, "gather_chunk"),
}
DOUBLED = "tests.dask.faults:doubled"


@pytest.fixture(scope="module", params=list(ROWS))
def parts(request, tmp_path_factory):
    """Rows in no order, what is said of them, and the bytes that they give here."""
    folder = tmp_path_factory.mktemp("parts")
    tables, said, chunk_rows = ROWS[request.param]
    rng = np.random.default_rng(1)
    mixed = {name: one.take(pa.array(rng.permutation(one.num_rows))) for name, one in tables.items()}
    rows = lists.at(folder / "in", **mixed)
    given = ["evaluate", str(rows), *said, "--chunk-rows", str(chunk_rows)]
    assert main([*given, "--out", str(folder / "here")]) == 0
    return request.param, given, (folder / "here" / "metrics.csv").read_bytes()


@pytest.fixture
def there(parts, cluster, tmp_path):
    """The bytes that workers of the cluster give; none where they end with an error."""

    def written(*more):
        _, given, _ = parts
        out = tmp_path / "there"
        status = main([*given, "--engine", "dask", "--scheduler", cluster.address, "--out", str(out), *more])
        assert out.exists() == (status == 0)
        return (out / "metrics.csv").read_bytes() if status == 0 else b""

    return written


def planted(monkeypatch, kind, function, *given):
    """Workers do something else beside what they are sent for."""
    module, name = GATHER[kind]
    monkeypatch.setattr(module, name, functools.partial(function, *given, f"{module.__name__}:{name}"))


def codes(error) -> set[str]:
    return {one.code for one in error.value.problems}


def test_two_workers_write_the_bytes_of_one_process(parts, cluster, there, tmp_path, monkeypatch):
    kind, _, expected = parts
    known = {one.pid for one in cluster.start(2)}
    (tmp_path / "trace").mkdir()
    planted(monkeypatch, kind, faults.met, str(tmp_path / "trace"), 2)
    assert there() == expected
    begun = faults.begun(tmp_path / "trace")
    assert len(begun) > 4
    assert {pid for pids in begun.values() for pid in pids} == known


def evaluated(rows, cluster, progress, **how):
    how = {"ks": (2,), **how}
    return evaluate_files(
        rows, engine="dask", scheduler=cluster.address, progress=progress, **how
    ).table.to_csv()


def test_a_worker_that_is_killed_changes_no_byte(cluster, tmp_path, monkeypatch):
    rows = lists.at(tmp_path / "in", **lists.made(16))
    expected = lists.in_parts(rows, 20).table.to_csv()
    trace = tmp_path / "trace"
    trace.mkdir()
    lost, other = cluster.start(2)
    planted(monkeypatch, "recommendations", faults.handed, str(trace), 0.2)
    killed_after = []

    def progress(told):
        if " of " not in told or told.endswith("by user") or killed_after:
            return
        for _ in range(10):
            if faults.is_at_work(trace, lost.pid):
                os.kill(lost.pid, signal.SIGKILL)
                lost.join()
                killed_after.append(told)
                return
            time.sleep(0.02)

    assert evaluated(rows, cluster, progress, chunk_rows=20) == expected
    assert lost.exitcode == -signal.SIGKILL
    n_done, n = (int(one.split()[0]) for one in killed_after[0].split(" of "))
    assert 0 < n_done < n  # some items were done, and others pending
    twice = [pids for pids in faults.begun(trace).values() if lost.pid in pids and other.pid in pids]
    assert twice, "what the lost worker was at was not done again"


@pytest.mark.parametrize("parts", ["annotations"], indirect=True)
def test_what_always_fails_there_is_named_and_nothing_written(
    parts, cluster, there, tmp_path, monkeypatch, capsys
):
    cluster.start(1)
    (tmp_path / "trace").mkdir()
    planted(monkeypatch, parts[0], faults.fails, str(tmp_path / "trace"), 99, False)
    assert there() == b""
    told = capsys.readouterr().err
    assert "Traceback" not in told
    assert "CLU-007" in told
    assert "tcp://127.0.0.1" in told
    assert "failed 3 times: RuntimeError: planted, expected" in told  # its first line alone
    assert len(list((tmp_path / "trace").iterdir())) >= 3


def test_an_item_that_fails_once_is_begun_again(cluster, tmp_path):
    cluster.start(1)
    function = functools.partial(faults.fails, str(tmp_path), 1, False, DOUBLED)
    with connected(Cluster(cluster.address)) as client:
        assert list(handed(client, function, 0, range(3))) == [0, 2, 4]
    assert len(list(tmp_path.iterdir())) == 1


def test_what_a_worker_refuses_is_refused_here_in_the_same_words(cluster, tmp_path):
    cluster.start(1)
    function = functools.partial(faults.fails, str(tmp_path), 9, True, DOUBLED)
    with connected(Cluster(cluster.address)) as client, pytest.raises(InputError) as error:
        list(handed(client, function, 0, [1]))
    assert codes(error) == {"OPT-008"}
    assert error.value.n_more == 3


def test_items_are_taken_as_workers_are_free_and_given_back_in_their_order(cluster):
    cluster.start(2)
    taken = []

    def items():
        for at in range(20):
            taken.append(at)
            yield at

    with connected(Cluster(cluster.address)) as client:
        found = []
        for one in handed(client, faults.doubled, 0.05, items()):
            found.append(one)
            assert len(taken) <= len(found) + 4
    assert found == [2 * at for at in range(20)]
    with connected(Cluster(cluster.address)) as client:
        assert list(handed(client, faults.doubled, 0, [])) == []


def spilled(folder, monkeypatch):
    """What tells the temporary files that have a name, or are open in this process."""
    folder.mkdir()
    for module in (by_id, streams):
        monkeypatch.setattr(module.tempfile, "tempdir", str(folder))

    def found():
        names = [one.readlink() for one in Path("/proc/self/fd").iterdir() if one.is_symlink()]
        return [*folder.iterdir(), *(name for name in names if name.is_relative_to(folder))]

    return found


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="open files are listed there")
def test_without_any_worker_it_ends_in_time_by_name_and_leaves_no_file(cluster, tmp_path, monkeypatch):
    rows = tmp_path / "rows.parquet"
    pq.write_table(candidates(12), rows)
    workers = list(cluster.start(2))
    left, seen = spilled(tmp_path / "spill", monkeypatch), []

    def progress(told):
        if told == "rows by post":  # the cluster has answered, however long it took
            monkeypatch.setenv("EVALCORE_CLUSTER_SECONDS", "3")
        if " of " in told:
            seen.append(len(left()))
            for one in workers:
                one.kill()
                one.join()

    begin = time.monotonic()
    with pytest.raises(InputError) as error:
        evaluated(rows, cluster, progress, chunk_rows=30, layout="straddling")
    assert codes(error) == {"CLU-003"}
    assert time.monotonic() - begin < 60
    assert seen[0] > 0  # rows lay there, without a name
    assert not left()


@pytest.mark.long  # a scheduler of its own; that one is missing at the start is in the short run
def test_a_scheduler_that_ends_is_named_in_time(monkeypatch):
    with nodes() as own:
        own.start(1)
        with connected(Cluster(own.address)) as client:
            monkeypatch.setenv("EVALCORE_CLUSTER_SECONDS", "3")
            found = handed(client, faults.doubled, 0.05, range(1000))
            assert next(found) == 0
            own.end()
            begin = time.monotonic()
            with pytest.raises(InputError) as error:
                list(found)
    assert codes(error) == {"CLU-002"}
    assert time.monotonic() - begin < 60


def test_the_cluster_of_this_machine_takes_them_too(tmp_path):
    rows = lists.at(tmp_path, **lists.made(8))
    report = lists.in_parts(rows, 30, engine="dask", workers=1)
    assert report.table.to_csv() == lists.in_parts(rows, 30).table.to_csv()
