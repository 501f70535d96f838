"""Files of strangers: what would end, block or fill the process is refused, its limit or fault named."""

import contextlib
import gzip
import io
import os
import signal
import threading
import time
from pathlib import Path
from unittest.mock import Mock

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from evalcore import inspect, load
from evalcore.isolated import pool, worker
from evalcore.isolated.worker import RefusedError
from evalcore.problems import InputError
from evalcore.readers import Upload
from evalcore.readers.formats.json.limits import _NAME, nesting
from tests.support.inputs import CASES
from tests.support.reading import read, refused, upload

HEADER = "post_id,criterion_id,has_evidence,probability\n"
TABLE = pa.table(
    {
        "post_id": ["p1", "p1", "p2"],
        "criterion_id": ["A.1", "A.2", "A.1"],
        "has_evidence": [1, 0, 0],
        "probability": [0.9, 0.25, 0.5],
    }
)


def parquet(table: pa.Table, **options) -> bytes:
    sink = io.BytesIO()
    pa.parquet.write_table(table, sink, **options)
    return sink.getvalue()


def feather(table: pa.Table, **options) -> bytes:
    sink = io.BytesIO()
    pa.feather.write_feather(table, sink, **options)
    return sink.getvalue()


def codes(*inputs, **options) -> set[str]:
    with pytest.raises(InputError) as caught:
        load(*inputs, **options)
    assert all(str(p) for p in caught.value.problems)
    return {problem.code for problem in caught.value.problems}


def first_version() -> bytes:
    """A Feather file of the first version whose description was overwritten: reading it ends a process."""
    with pytest.warns(DeprecationWarning, match="Feather V1"):
        content = bytearray(feather(TABLE, version=1))
    start = len(content) - 4 - 4 - int.from_bytes(content[-8:-4], "little")
    content[start : start + 4] = b"\xff\xff\xff\x7f"
    return bytes(content)


@pytest.fixture
def of_its_own(monkeypatch) -> pool.Pool:
    """A pool of processes that no other test uses."""
    found = pool.Pool(2)
    monkeypatch.setattr(pool, "shared_pool", lambda: found)
    yield found
    found.close()


def test_a_file_that_ends_the_process_that_reads_it_is_refused_and_the_next_one_is_read():
    assert refused(upload(first_version(), "a.feather")) == [
        "a.feather: found damaged Feather: reading it ended the process that reads files, expected a whole "
        "Feather file. Export it again. Nothing else was harmed. [FILE-071]"
    ]
    assert load(upload(parquet(TABLE), "b.parquet")).sources[0].n_used == 3


@pytest.mark.parametrize("name", ["min_v1", "min_v2-lz4", "1178_candidates", "2292_q", "3278_candidates"])
def test_damaged_feather_files_are_refused_by_name(name):
    path = CASES / "damaged" / f"{name}.feather"
    found = refused(Upload(path.name, path.read_bytes()))
    assert found
    assert all(line.startswith(f"{path.name}") for line in found)


def test_one_process_reads_one_file_after_the_other(of_its_own):
    for _ in range(2):
        of_its_own.ask(request("head", "parquet"), parquet(TABLE))
    assert len(of_its_own._free) == 1
    assert of_its_own._free[0].is_alive


def request(task: str, kind: str, seconds: int = 10) -> dict:
    limits = {"max_bytes": 10**8, "max_columns": 100, "seconds": seconds, "memory": 2 * 10**8}
    return {"task": task, "format": kind, **limits}


def test_a_file_that_ends_its_process_is_asked_about_once_more_in_a_fresh_one(of_its_own):
    # Two warm processes wait: the second to be asked must not be the other of them.
    of_its_own._free.extend([pool._Worker(), pool._Worker()])
    for one in of_its_own._free:
        one.is_fresh = False
    with pytest.raises(pool.RefusedError) as caught:
        of_its_own.ask(request("head", "feather"), first_version())
    assert caught.value.facts["refused"] == "death"
    assert len(of_its_own._free) == 1


def test_a_process_that_died_while_it_waited_is_replaced(of_its_own):
    of_its_own.ask(request("head", "parquet"), parquet(TABLE))
    of_its_own._free[0]._process.kill()
    of_its_own._free[0]._process.wait()
    facts, _ = of_its_own.ask(request("head", "parquet"), parquet(TABLE))
    assert facts == {"n_rows": 3, "damaged": []}


def test_a_file_is_not_blamed_for_the_death_of_a_process_that_had_read_another(of_its_own, monkeypatch):
    of_its_own.ask(request("head", "parquet"), parquet(TABLE))
    asked = []
    first = of_its_own._free[0]

    def dies(*_):
        asked.append(1)
        raise RefusedError("death")

    monkeypatch.setattr(first, "ask", dies)
    assert of_its_own.ask(request("head", "parquet"), parquet(TABLE))[0] == {"n_rows": 3, "damaged": []}
    assert asked == [1]
    assert not first.is_alive


def test_a_file_is_not_blamed_for_the_time_that_another_used_up(of_its_own):
    of_its_own.ask(request("head", "parquet"), parquet(TABLE))
    spent = of_its_own._free[0]
    os.kill(spent._process.pid, signal.SIGSTOP)
    os.kill(
        spent._process.pid, signal.SIGXCPU
    )  # it ends as one does whose time is over, once it is sent a file
    later = threading.Timer(0.2, os.kill, (spent._process.pid, signal.SIGCONT))
    later.start()
    assert of_its_own.ask(request("head", "parquet"), parquet(TABLE))[0] == {"n_rows": 3, "damaged": []}
    later.join()
    assert not spent.is_alive


def test_a_file_is_not_blamed_for_memory_that_others_left_full(of_its_own, monkeypatch):
    of_its_own.ask(request("head", "parquet"), parquet(TABLE))
    full = of_its_own._free[0]
    monkeypatch.setattr(full, "ask", lambda *_: ({"refused": "memory"}, memoryview(b"")))
    assert of_its_own.ask(request("head", "parquet"), parquet(TABLE))[0]["n_rows"] == 3
    assert not full.is_alive


@pytest.mark.parametrize(
    "message",
    ["malloc of size 9 failed", "ZSTD decompress failed: Allocation error : not enough memory"],
)
def test_memory_that_a_library_lacks_is_no_damage_of_the_file(monkeypatch, message):
    def lacks_memory(*_):
        raise OSError(message)

    monkeypatch.setitem(worker.TASKS, "head", lacks_memory)
    assert worker.answer("head", b"", {}) == ({"refused": "memory"}, [])


def test_a_file_is_sent_once_for_questions_that_follow_each_other(of_its_own, monkeypatch):
    facts = request("head", "parquet") | {"key": "one file"}
    of_its_own.ask(facts, parquet(TABLE))
    one = of_its_own._free[0]
    sent, ask = [], one.ask
    monkeypatch.setattr(one, "ask", lambda facts, content: sent.append(len(content)) or ask(facts, content))
    again = facts | {"task": "read", "columns": ["post_id"], "coded": []}
    for _ in range(2):
        _, table = of_its_own.ask(again, parquet(TABLE))
        assert pa.ipc.open_stream(table).read_all().column("post_id").to_pylist() == ["p1", "p1", "p2"]
    assert sent == [0, 0]
    of_its_own.ask(request("head", "parquet") | {"key": "another"}, parquet(TABLE))
    of_its_own.ask(again, parquet(TABLE))
    assert sent[-1] == len(parquet(TABLE))


def test_a_file_that_a_process_no_longer_holds_is_sent_again(of_its_own):
    facts = request("head", "parquet") | {"key": "one file"}
    of_its_own.ask(facts, parquet(TABLE))
    of_its_own._free[0].ask(request("head", "parquet") | {"key": None}, parquet(TABLE))
    of_its_own._free[0].key = "one file"
    assert of_its_own.ask(facts, parquet(TABLE))[0]["n_rows"] == 3


def test_a_process_that_does_not_answer_is_ended(of_its_own, monkeypatch):
    of_its_own.warm_up()
    silent = of_its_own._free[0]
    monkeypatch.setattr(pool, "WALL_SECONDS", 0.2)
    monkeypatch.setattr(pool, "WALL_FACTOR", 0)
    os.kill(silent._process.pid, 19)  # SIGSTOP: it lives and does nothing
    with pytest.raises(RefusedError, match="time"):
        of_its_own.ask(request("head", "parquet"), parquet(TABLE))
    assert not silent.is_alive


@pytest.mark.long
def test_a_process_that_is_stuck_after_other_files_is_replaced_by_a_fresh_one(of_its_own, monkeypatch):
    of_its_own.ask(request("head", "parquet"), parquet(TABLE))
    stuck = of_its_own._free[0]
    monkeypatch.setattr(pool, "WALL_SECONDS", 10)
    monkeypatch.setattr(pool, "WALL_FACTOR", 0)
    os.kill(stuck._process.pid, 19)
    assert of_its_own.ask(request("head", "parquet"), parquet(TABLE))[0] == {"n_rows": 3, "damaged": []}
    assert not stuck.is_alive


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="threads of a process are counted in /proc")
@pytest.mark.parametrize("written", [parquet, feather], ids=["parquet", "feather"])
def test_no_thread_that_read_a_file_outlives_it(of_its_own, written):
    packed = pa.compress(b"some text", codec="zstd", asbytes=True)
    of_its_own.ask(request("unzstd", "") | {"most": 4}, packed)
    threads = Path(f"/proc/{of_its_own._free[0]._process.pid}/task")
    before = len(list(threads.iterdir()))
    of_its_own.ask(request("head", written.__name__), written(TABLE))
    columns = {"columns": TABLE.column_names, "coded": ["post_id", "criterion_id"]}
    of_its_own.ask(request("read", written.__name__) | columns, written(TABLE))
    deadline = time.monotonic() + 60
    while len(list(threads.iterdir())) > before:  # one that was joined may take a moment to go
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert len(of_its_own._free) == 1


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("can't start new thread"),
        pa.ArrowException("Unknown error: Failed to launch worker thread: Resource temporarily unavailable"),
    ],
)
def test_a_thread_that_finds_no_room_is_a_lack_of_memory_and_no_fault_of_the_file(error, monkeypatch):
    monkeypatch.setitem(worker.TASKS, "head", Mock(side_effect=error))
    assert worker.answer("head", b"", {}) == ({"refused": "memory"}, [])


def test_a_file_that_is_read_for_too_long_starves_nobody(of_its_own, monkeypatch):
    of_its_own.warm_up()
    slow = of_its_own._free[0]
    os.kill(slow._process.pid, 19)

    def wait() -> None:
        with contextlib.suppress(RefusedError):
            of_its_own.ask(request("head", "parquet"), b"")

    waiting = threading.Thread(target=wait)
    monkeypatch.setattr(pool, "WALL_SECONDS", 60)
    waiting.start()
    while of_its_own._free:
        time.sleep(0.01)
    assert of_its_own.ask(request("head", "parquet"), parquet(TABLE))[0] == {"n_rows": 3, "damaged": []}
    assert waiting.is_alive()
    slow._process.kill()
    waiting.join()


def test_an_interrupt_ends_the_process_that_was_reading(of_its_own, monkeypatch):
    of_its_own.warm_up()
    busy = of_its_own._free[0]

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(busy, "ask", interrupted)
    with pytest.raises(KeyboardInterrupt):
        of_its_own.ask(request("head", "parquet"), parquet(TABLE))
    assert not busy.is_alive
    assert of_its_own._free == []


def test_the_process_leaves_no_image_of_its_memory_and_gets_no_secret(of_its_own, monkeypatch):
    monkeypatch.setenv("EVALCORE_PASSCODE", "open sesame")
    of_its_own.ask(request("head", "parquet"), parquet(TABLE))
    folder = Path(f"/proc/{of_its_own._free[0]._process.pid}")
    if not folder.exists():
        pytest.skip("a system without /proc")
    assert b"sesame" not in (folder / "environ").read_bytes()
    limits = (folder / "limits").read_text()
    assert "Max core file size        0 " in limits
    assert "Max data size             600000000 " in limits


def test_memory_of_the_process_is_limited_before_the_caller_holds_anything(monkeypatch):
    monkeypatch.setenv("EVALCORE_MAX_UNPACKED_MB", "20")
    many = pa.table({**{n: TABLE.column(n).take([0] * 1_000_000) for n in TABLE.column_names}})
    content = parquet(many)
    assert len(content) < 50_000
    assert refused(upload(content, "a.parquet"))[0].startswith(
        f"a.parquet: found {len(content):,} bytes that unpack to more than 20 MB, expected at most 20 MB."
    )


def test_text_that_is_not_utf8_names_the_column():
    wrong = pa.Array.from_buffers(
        pa.string(), 3, [None, pa.array([0, 2, 4, 6], pa.int32()).buffers()[1], pa.py_buffer(b"p1p\xffp3")]
    )
    table = TABLE.set_column(0, "post_id", wrong)
    for content, name in ((parquet(table), "a.parquet"), (feather(table), "a.feather")):
        assert refused(upload(content, name)) == [
            f"{name}, column post_id: found bytes that are not UTF-8 text, expected text in UTF-8. "
            "Store the column as text, or leave it out. [COL-021]"
        ]


def test_dates_beyond_the_calendar_of_python_are_text():
    days = pa.array([10_000_000, 0, None], pa.date32())
    found = inspect(upload(parquet(TABLE.append_column("day", days)), "a.parquet"))
    assert found.data is not None
    assert [row[-1] for row in found.tables[0].preview] == ["29349-01-26", "1970-01-01", ""]


def test_types_of_a_library_are_read_as_what_they_store():
    column = pa.ExtensionArray.from_storage(pa.json_(), TABLE.column("post_id").combine_chunks())
    content = parquet(TABLE.set_column(0, "post_id", column))
    assert load(upload(content, "a.parquet")).queries.post_ids.tolist() == ["p1", "p2"]


@pytest.mark.parametrize(
    ("content", "depth"),
    [
        (b"", 0),
        (b'{"a": 1}', 1),
        (b'{"a": "[[[[", "b": [[]]}', 3),
        (b'{"a": "\\"[[[["}', 1),
        (b'{"a": "\\\\", "b": [{}]}', 3),
        (b'{"a": ["x", "]]]]]]", [[]]]}', 4),
        (b"]]]][[", 0),
    ],
)
def test_nesting_counts_brackets_outside_of_strings(content, depth):
    assert nesting(content) == depth


@pytest.mark.parametrize(
    "text",
    [
        '{"a":' + "[" * 20_000 + "]" * 20_000 + "}",
        '{"a":' * 20_000 + "1" + "}" * 20_000,
        '{"a":\n' + "[\n" * 20_000 + "]" * 20_000 + "}",
        "[" * 20_000 + "]" * 20_000,
    ],
)
@pytest.mark.parametrize("task", [None, "rag"])
def test_deep_nesting_is_refused_before_a_parser_recurses(text, task):
    assert codes(upload(text, "a.jsonl"), task=task) == {"FILE-074"}


def test_deep_nesting_in_a_large_text_harms_nobody():
    rows = '{"post_id": "p", "criterion_id": "c", "has_evidence": 1, "probability": 0.5}\n' * 250_000
    text = rows + '{"a":' + "[" * 20_000 + "]" * 20_000 + "}"
    assert codes(upload(text, "a.jsonl")) == {"FILE-074"}


def test_records_with_names_of_their_own_are_refused_in_linear_time():
    text = "\n".join(f'{{"k{i}": 1}}' for i in range(20_000))
    assert codes(upload(text, "a.jsonl")) == {"FILE-073"}
    fewer = "\n".join(f'{{"k{i}": 1}}' for i in range(9_000))
    assert codes(upload(fewer, "a.jsonl")) == {"FILE-017"}


def test_a_name_that_is_repeated_in_a_large_object_is_found_in_linear_time():
    text = "{" + ",".join(f'"k{i}": 1' for i in range(9_000)) + ', "k8999": 2}'
    assert refused(upload(text, "a.jsonl"))[0].startswith(
        "a.jsonl, line 1: found the name 'k8999' twice, expected valid JSON on every line."
    )
    assert codes(upload("{" + ",".join(f'"k{i}": 1' for i in range(60_000)) + "}", "a.jsonl")) == {"FILE-073"}


@pytest.mark.parametrize("pack", [gzip.compress, lambda text: pa.compress(text, "zstd", asbytes=True)])
def test_an_archive_is_refused_before_it_fills_the_memory(pack, monkeypatch):
    monkeypatch.setenv("EVALCORE_MAX_UNPACKED_MB", "20")
    content = pack(HEADER.encode() + b"p,c,1,0.5\n" * 3_000_000)
    assert codes(upload(content, "a.csv")) == {"FILE-017"}


def test_archives_one_after_the_other_are_one_text():
    parts = [HEADER, "p1,A.1,1,0.9\n", "", "p1,A.2,0,0.25\n"]
    content = b"".join(gzip.compress(part.encode()) + b"\0" * 7 for part in parts)
    assert load(upload(content, "a.csv.gz")).sources[0].n_used == 2
    assert refused(upload(content[:-30], "a.csv.gz")) == [
        "a.csv.gz: found data that cannot be read as gzip: the end of the archive is missing, expected a "
        "whole gzip file. Export it again. [FILE-007]"
    ]


def test_columns_are_limited_and_the_message_fits_a_screen():
    text = ",".join(f"c{i}" for i in range(100_000)) + "\n" + ",".join("1" * 100_000) + "\n"
    assert refused(text) == [
        "predictions.csv: found 100,000 columns, expected at most 10,000. Leave out columns that are not "
        "needed, or raise EVALCORE_MAX_COLUMNS. [FILE-073]"
    ]
    wide = pa.table({f"c{i}": [1] for i in range(10_001)})
    assert codes(upload(parquet(wide), "a.parquet")) == {"FILE-073"}
    names = ",".join(f"a long name of column {i}" for i in range(9_000))
    with pytest.raises(InputError) as caught:
        read(names + "\n" + ",".join("1" * 9_000) + "\n")
    assert len(str(caught.value)) < 2_000


@pytest.mark.long
def test_a_header_longer_than_the_first_look_is_read_whole():
    names = HEADER.strip() + "," + ",".join(f"{'long' * 20}{i}" for i in range(5_000))
    assert load(upload(names + "\np1,A.1,1,0.5" + "," * 5_000 + "\n")).sources[0].n_used == 1
    assert codes(upload(b"x" * 5_000_000)) == {"FILE-076"}


@pytest.mark.parametrize("repeated", ["x", "_", ":", "é", "a b", "|", "1|", "run_", '"', "<a "])
def test_one_name_of_megabytes_costs_seconds_at_most(repeated):
    before = time.process_time()
    assert codes(upload(repeated * (1_000_000 // len(repeated)) + "\n1,2,3\n")) == {"COL-006"}
    assert time.process_time() - before < 3


def seconds_of(content: str, name: str = "a.csv", **options) -> float:
    """Processor time until a file is refused or read."""
    before = time.process_time()
    with contextlib.suppress(InputError):
        load(upload(content, name), **options)
    return time.process_time() - before


@pytest.mark.parametrize(
    "line",
    [
        "%\n" + "\n \n" * 20,
        "u1," + "11 " * 24 + "!\n",
        "query_id,run_a_" + "retrieval_score_" * 6_250 + "!\n1,2\n",
    ],
    ids=["blank lines below a remark", "numbers of two digits", "one name made of names"],
)
@pytest.mark.parametrize("task", [None, "recommender"])
def test_a_first_line_that_a_form_nearly_fits_costs_seconds_at_most(line, task):
    assert seconds_of(line, task=task) < 3


@pytest.mark.parametrize("end", ['"}\n', ""], ids=["closed", "open"])
@pytest.mark.parametrize("name", ["a.jsonl", "a.json"])
def test_a_json_text_full_of_quotes_costs_seconds_at_most(name, end):
    assert seconds_of('{"post_id": "' + '\\"' * 25_000 + end, name) < 3


def test_names_of_json_are_told_from_its_texts():
    text = b'{"a": "b\\": ", "c\\"": {"": "d"}, "e" : 1}'
    assert set(_NAME.findall(text)) - {b""} == {b'"a"', b'"c\\""', b'""', b'"e"'}


def test_lines_are_limited(monkeypatch):
    monkeypatch.setenv("EVALCORE_MAX_LINES", "1000")
    text = HEADER + "p1,A.1,1,0.5\n" + "\r" * 1000 + "p1,A.2,0,0.5\n"
    assert codes(upload(text)) == {"FILE-075"}
    assert read(text.replace("\r" * 1000, "\r" * 500)).sources[0].n_used == 2


def test_short_rows_are_not_filled_beyond_the_limit(monkeypatch):
    monkeypatch.setenv("EVALCORE_MAX_UNPACKED_MB", "1")
    text = HEADER.strip() + "," + ",".join(f"c{i}" for i in range(2_000)) + "\n" + "p,A,1,0.5\n" * 1_000
    assert codes(upload(text)) == {"FILE-017"}


def test_rows_too_long_are_not_counted_to_the_end():
    with pytest.raises(InputError) as caught:
        read(HEADER + "p,A,1,0.5,6,7\n" * 150_000)
    assert {p.code for p in caught.value.problems} == {"FILE-006"}
    assert caught.value.n_more == 100_001 - 20


def test_cells_are_limited(monkeypatch):
    monkeypatch.setenv("EVALCORE_MAX_CELL_MB", "1")
    long = "x" * 1_000_001
    expected = ": found a cell of 1,000,001 bytes, expected at most 1,000,000. Leave the column out or "
    assert refused(f"{HEADER}p1,A.1,1,0.5\n{long},A.1,1,0.5\n")[0].startswith(
        f"predictions.csv, row 2, column post_id{expected}"
    )
    ids = pa.array([*(f"p{i}" for i in range(1_500)), long])
    table = TABLE.take([0] * 1_501).set_column(0, "post_id", ids)
    assert refused(upload(parquet(table), "a.parquet"))[0].startswith(
        f"a.parquet, row 1501, column post_id{expected}"
    )
    record = f'{{"post_id": "{long}", "criterion_id": "c", "has_evidence": 1, "probability": 0.5}}\n'
    assert refused(upload(record, "a.jsonl"))[0].startswith(f"a.jsonl, row 1, column post_id{expected}")


def test_a_long_python_list_is_not_parsed():
    cell = "[" + "'a'," * 300_000 + "]"
    found = refused(f'query_id,gold_ids,ranked_ids\nq1,a,"{cell}"\n')
    assert found[0].startswith(
        "predictions.csv, row 1, column ranked_ids: found a Python list of more than 1,000,000 characters; "
        "write it as JSON, expected a list"
    )
