"""What is said of a cluster and cannot be; and a cluster of this machine alone."""

import builtins
import threading

import psutil
import pytest

from evalcore import InputError, evaluate_files
from evalcore.__main__ import main
from evalcore.engines import loopback
from evalcore.engines.waiting import in_time
from evalcore.readers.chunks import ranges
from tests.dask.conftest import HOW


def refused(rows, **how) -> dict[str, str]:
    with pytest.raises(InputError) as error:
        evaluate_files(rows, **{**HOW, **how})
    return {one.code: str(one) for one in error.value.problems}


@pytest.mark.parametrize(
    ("how", "code", "said"),
    [
        ({"engine": "spark"}, "OPT-003", "local or dask"),
        ({"scheduler": "tcp://127.0.0.1:1"}, "OPT-008", 'engine="dask"'),
        ({"tls_ca": "x"}, "OPT-008", "tls ca"),
        ({"engine": "dask", "scheduler": "127.0.0.1:1"}, "OPT-003", "tcp://HOST:PORT"),
        ({"engine": "dask", "scheduler": "ws://127.0.0.1:1"}, "OPT-003", "tls://HOST:PORT"),
        ({"engine": "dask", "scheduler": "tcp://a:1", "workers": 2}, "OPT-008", "workers beside a scheduler"),
        ({"engine": "dask", "scheduler": "tcp://a:1", "tls_ca": "x"}, "OPT-008", "a scheduler at tls://"),
        ({"engine": "dask", "tls_ca": "x"}, "OPT-008", "a scheduler at tls://"),
        ({"engine": "dask", "scheduler_file": "no.json"}, "OPT-003", "no.json"),
        (
            {"engine": "dask", "scheduler_file": "no.json", "scheduler": "tcp://a:1"},
            "OPT-008",
            "two schedulers",
        ),
        ({"engine": "dask", "scheduler": "tls://a:1", "tls_ca": "no.pem"}, "OPT-003", "no.pem"),
    ],
)
def test_what_cannot_be_is_refused_by_name(how, code, said, rows):
    found = refused(rows, **how)
    assert set(found) == {code}
    assert said in found[code]


def test_a_command_is_answered_in_its_own_words(rows, capsys):
    assert main(["evaluate", str(rows), "--scheduler", "tcp://127.0.0.1:1"]) == 2
    assert "Say --engine dask" in capsys.readouterr().err


def test_a_file_that_names_no_scheduler_and_certificates_that_are_none(rows, tmp_path):
    (tmp_path / "s.json").write_text("[]")
    assert "names no address" in refused(rows, engine="dask", scheduler_file=tmp_path / "s.json")["OPT-003"]
    (tmp_path / "ca.pem").write_text("no certificate")
    named = dict.fromkeys(("tls_ca", "tls_cert", "tls_key"), tmp_path / "ca.pem")
    assert "certificate" in refused(rows, engine="dask", scheduler="tls://127.0.0.1:1", **named)["OPT-003"]


def test_without_dask_the_extra_is_named(rows, monkeypatch):
    original = builtins.__import__

    def without(name, *given):
        if name in ("dask", "distributed"):
            raise ImportError(name)
        return original(name, *given)

    monkeypatch.setattr(builtins, "__import__", without)
    assert "evalcore[dask]" in refused(rows, engine="dask")["CLU-001"]


def test_what_never_returns_is_left_to_itself():
    let_go = threading.Event()
    with pytest.raises(TimeoutError):
        in_time(let_go.wait, 0.2)
    let_go.set()


def test_a_cluster_of_this_machine_listens_nowhere_else_and_ends(rows, expected):
    ours: list = []
    listening: list = []

    def progress(told):
        if " of " in told and not ours:
            children = psutil.Process().children(recursive=True)
            ours.extend(one for one in children if "evalcore.engines.loopback" in " ".join(one.cmdline()))
            listening.extend(
                one.laddr for child in ours for one in child.net_connections() if one.status == "LISTEN"
            )

    report = evaluate_files(rows, engine="dask", workers=1, progress=progress, **HOW)
    assert report.table.to_csv() == expected
    assert len(ours) == 2
    assert len(listening) == 2  # the scheduler and the worker, no page and no metrics
    assert {one.ip for one in listening} == {"127.0.0.1"}
    assert not any(one.is_running() for one in ours)


def test_a_process_whose_parent_is_gone_ends_and_takes_the_folder_along(tmp_path):
    folder = tmp_path / "evalcore-x"
    folder.mkdir()
    with loopback._process({"tls": {}, "folder": str(folder), "role": "scheduler"}) as process:
        process.stdin.close()  # as where a parent is killed
        process.wait(60)
        assert not folder.exists()


@pytest.mark.parametrize("chunk_rows", [1, 13, 1000])
def test_ranges_hold_every_row_once_and_each_query_whole(chunk_rows, rows):
    from evalcore.chunked import first_look
    from evalcore.readers.chunks.files import parquet_paths

    prepared = first_look(parquet_paths(rows), {})
    found: dict[int, list[int]] = {}
    queries: dict[tuple, int] = {}
    for at, one in enumerate(ranges.ranges_of(prepared, chunk_rows)):
        for chunk in ranges.chunks_of_range(prepared, one, 20):
            numbers = range(chunk.first_row, chunk.first_row + len(chunk))
            found.setdefault(chunk.file, []).extend(numbers)
            keys = chunk.rows.select(["post_id", "criterion_id"]).to_pylist()
            for key in {tuple(key.values()) for key in keys}:
                assert queries.setdefault((chunk.file, *key), at) == at
    for file, numbers in found.items():
        assert numbers == list(range(1, prepared.files[file].n_rows + 1))
    assert len(found) == 2


def test_the_command_line_says_what_is_wrong(rows, tmp_path, capsys):
    given = ["evaluate", str(rows), "--scheduler", "tcp://127.0.0.1:1", "--out", str(tmp_path / "out")]
    assert main(given) == 2
    assert "OPT-008" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
