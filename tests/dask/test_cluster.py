"""A scheduler and two workers over TCP: the same bytes, whatever happens to workers and tasks."""

import functools
import json
import math
import os
import signal
import socket
import time

import distributed
import numpy as np
import pytest

from evalcore import InputError, evaluate_files
from evalcore.__main__ import main
from evalcore.catalog import METRICS
from evalcore.engines import run, versions
from evalcore.evaluation.chunks import on_cluster
from evalcore.evaluation.values import of_tally
from evalcore.report import metrics_csv
from evalcore.spec import Undefined, metric
from evalcore.tallies.ranked import RankedQueries
from evalcore.tallies.scores import ScoreTable
from tests.dask import faults
from tests.dask.conftest import HOW, damaged
from tests.dask.nodes import nodes


def problems(error) -> dict[str, str]:
    return {one.code: str(one) for one in error.value.problems}


def test_two_workers_write_the_bytes_of_one_process(cluster, rows, tmp_path):
    cluster.start(2)
    here = evaluate_files(rows, by=("site",), ks=(1, 5), chunk_rows=30, bootstrap=100)
    given = ["evaluate", str(rows), "--by", "site", "--ks", "1,5", "--chunk-rows", "30", "--bootstrap", "100"]
    there = ["--engine", "dask", "--scheduler", cluster.address, "--out", str(tmp_path / "out")]
    assert main([*given, *there]) == 0
    assert (tmp_path / "out" / "metrics.csv").read_bytes() == metrics_csv(here).encode()
    assert "north" in set(here.table.group)


@pytest.fixture
def planted():
    """A metric of ranked lists and one of scores, known to this process alone."""
    never = (Undefined(lambda _: False, "never"),)
    facts = {"formula": "?", "undefined": never, "bounds": (0, math.inf), "better": "lower"}
    facts |= {"source": "a test", "population": "all_queries"}

    def planted_ranks(queries: RankedQueries):
        """How many ranks hold a gold."""
        return float(len(np.unique(queries.rank)))

    def planted_distance(table: ScoreTable):
        """How many distinct scores there are."""
        return float(len(table.score))

    before = dict(METRICS)
    metric(family="ranking", label="Planted ranks", **facts)(planted_ranks)
    metric(family="calibration", label="Planted distance", **facts)(planted_distance)
    of_tally.cache_clear()
    yield {"planted_ranks", "planted_distance"}
    METRICS.clear()
    METRICS.update(before)
    of_tally.cache_clear()


def test_a_metric_that_no_worker_knows_has_the_value_of_one_process(planted, cluster, rows, on_dask):
    cluster.start(1)
    here = evaluate_files(rows, **HOW).table
    assert planted <= set(here.metric[here.value > 1])
    assert on_dask(cluster.address) == here.to_csv()


def test_a_worker_that_is_killed_changes_no_byte(cluster, expected, on_dask, tmp_path, monkeypatch):
    lost, other = cluster.start(2)
    function = functools.partial(faults.traced, str(tmp_path), 0.05)
    monkeypatch.setattr(on_cluster, "gather_range", function)
    done_before = []

    def progress(told):
        n_done, _, rest = told.partition(" of ")
        begun_there = sum(lost.pid in pids for pids in faults.begun(tmp_path).values())
        if rest.endswith("ranges of rows") and int(n_done) > 3 and begun_there > 1 and not done_before:
            done_before.append((int(n_done), int(rest.split()[0])))
            os.kill(lost.pid, signal.SIGKILL)
            lost.join()

    assert on_dask(cluster.address, progress=progress) == expected
    ((n_done, n),) = done_before
    assert 3 < n_done < n
    assert lost.exitcode == -signal.SIGKILL
    begun = faults.begun(tmp_path)
    assert len(begun) == n
    twice = [pids for pids in begun.values() if lost.pid in pids and other.pid in pids]
    assert twice, "nothing that the lost worker was at or held was done again"


def test_without_any_worker_it_ends_in_time_by_name(cluster, on_dask, tmp_path, monkeypatch):
    workers = list(cluster.start(2))
    monkeypatch.setattr(on_cluster, "gather_range", functools.partial(faults.traced, str(tmp_path), 0.05))

    def progress(told):
        if told.endswith("on the cluster"):  # it has answered, however long it took
            monkeypatch.setenv("EVALCORE_CLUSTER_SECONDS", "3")
        if " of " in told:
            for one in workers:
                one.kill()
                one.join()

    begin = time.monotonic()
    with pytest.raises(InputError) as error:
        on_dask(cluster.address, progress=progress)
    assert {one.exitcode for one in workers} == {-signal.SIGKILL}
    assert set(problems(error)) == {"CLU-003"}
    assert time.monotonic() - begin < 60
    with pytest.raises(InputError) as error:  # and none at the start
        on_dask(cluster.address)
    assert set(problems(error)) == {"CLU-003"}


@pytest.mark.parametrize("times", [1, 20])
def test_a_task_that_fails_is_begun_again_and_named_where_it_always_does(
    times, cluster, expected, on_dask, tmp_path, monkeypatch
):
    cluster.start(1)
    function = functools.partial(faults.failing, str(tmp_path), times)
    monkeypatch.setattr(on_cluster, "gather_range", function)
    if times == 1:
        assert on_dask(cluster.address) == expected
    else:
        with pytest.raises(InputError) as error:
            on_dask(cluster.address)
        told = problems(error)["CLU-007"]
        assert "RuntimeError: planted, expected" in told  # its first line alone
        assert "tcp://127.0.0.1" in told
    assert any(tmp_path.iterdir())


def test_a_damaged_file_is_named_and_nothing_written(cluster, rows, tmp_path, capsys):
    cluster.start(1)
    wrong = damaged(tmp_path / "wrong.parquet")
    given = ["evaluate", str(rows / "part-00.parquet"), str(wrong), "--as", "parts", "--chunk-rows", "100"]
    there = ["--engine", "dask", "--scheduler", cluster.address]
    assert main([*given, *there, "--out", str(tmp_path / "out")]) == 2
    told = capsys.readouterr().err
    assert "wrong.parquet" in told
    assert "FILE-007" in told
    assert "Traceback" not in told
    assert not (tmp_path / "out").exists()


def test_files_that_workers_do_not_see_or_see_otherwise_are_named(cluster, rows, on_dask, monkeypatch):
    import fsspec

    (worker,) = cluster.start(1)[:1]
    memory = fsspec.filesystem("memory")
    memory.pipe("/rows/a.parquet", (rows / "part-00.parquet").read_bytes())
    with pytest.raises(InputError) as error:
        on_dask(cluster.address, "memory://rows/a.parquet")
    assert "tcp://127.0.0.1" in problems(error)["CLU-005"]
    assert "a.parquet" in problems(error)["CLU-005"]
    memory.rm("/rows", recursive=True)
    monkeypatch.setattr("evalcore.readers.chunks.ranges.fingerprint", lambda _: "of another time")
    with pytest.raises(InputError) as error:
        on_dask(cluster.address)
    assert "not the file that was looked at" in problems(error)["CLU-005"]
    assert worker.is_alive()


def test_a_worker_of_another_version_is_refused_by_name(cluster, on_dask, monkeypatch):
    cluster.start(1)
    theirs = np.__version__
    with monkeypatch.context() as planted:
        planted.setattr(np, "__version__", "0.1")
        with pytest.raises(InputError) as error:
            on_dask(cluster.address)
    scheduler, worker = map(str, error.value.problems)
    assert f"numpy {theirs} on the scheduler" in scheduler
    assert f"numpy {theirs} on the worker tcp://127.0.0.1" in worker
    assert "numpy 0.1" in worker
    # One that joins later is noticed by its first task.
    monkeypatch.setattr(run, "own_versions", lambda: {**versions.own_versions(), "numpy": "0.1"})
    with pytest.raises(InputError) as error:
        on_dask(cluster.address)
    assert f"it has numpy {theirs}, and numpy 0.1 is needed" in problems(error)["CLU-007"]


def test_a_scheduler_without_this_package_is_refused_by_name(on_dask):
    with nodes(is_bare=True) as found:
        found.start(1)
        with pytest.raises(InputError) as error:
            on_dask(found.address)
    told = problems(error)
    assert set(told) == {"CLU-004"}
    assert "evalcore missing or older on the scheduler" in told["CLU-004"]


@pytest.mark.long  # a cluster of this machine, which the short run has, is encrypted too
def test_certificates_and_a_file_of_the_scheduler(rows, expected, tmp_path):
    made = distributed.Security.temporary()
    parts = ("ca_file", "scheduler_cert", "scheduler_key", "worker_cert", "worker_key")
    with nodes({f"tls_{part}": getattr(made, f"tls_{part}") for part in parts}) as secure:
        secure.start(1)
        assert secure.address.startswith("tls://")
        (tmp_path / "s.json").write_text(json.dumps({"address": secure.address}))
        for name, text in (
            ("ca", made.tls_ca_file),
            ("cert", made.tls_client_cert),
            ("key", made.tls_client_key),
        ):
            (tmp_path / name).write_text(text)
        named = {f"tls_{name}": tmp_path / name for name in ("ca", "cert", "key")}
        how = {**HOW, "engine": "dask", "scheduler_file": tmp_path / "s.json"}
        assert evaluate_files(rows, **how, **named).table.to_csv() == expected
        with pytest.raises(InputError) as error:
            evaluate_files(rows, **how)
        assert "--tls-ca, --tls-cert, --tls-key" in problems(error)["OPT-008"]


def test_a_scheduler_that_is_not_there_or_mute_is_named_in_time(on_dask, monkeypatch):
    monkeypatch.setenv("EVALCORE_CLUSTER_SECONDS", "1")
    with socket.create_server(("127.0.0.1", 0)) as mute:
        address = "tcp://{}:{}".format(*mute.getsockname())
        begin = time.monotonic()
        with pytest.raises(InputError) as error:
            on_dask(address)
        assert address in problems(error)["CLU-002"]
    with pytest.raises(InputError) as error:
        on_dask(address)
    assert address in problems(error)["CLU-002"]
    assert time.monotonic() - begin < 60
