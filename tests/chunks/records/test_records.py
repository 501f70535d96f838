"""Annotations some records at a time: the bytes of the whole, and what only the whole shows."""

import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from evalcore import InputError, evaluate, evaluate_files, load
from evalcore.__main__ import main
from evalcore.evaluation.chunks import records as reading
from evalcore.readers.chunks import by_id, files
from evalcore.report.metrics_csv import metrics_csv
from tests.chunks.users.made import at, codes, cut, facts
from tests.support.but_long import but_long

SAMPLE = Path(__file__).parents[3] / "sample_data" / "rag"
NUMBERS = ("chunk_rank", "n_retrieved_chunks")
SAID = ("true", "false", "")


def sample() -> dict[str, pa.Table]:
    """What people said in the sample data, as tables."""
    found = {}
    for name in ("retrieval", "grounding", "generation"):
        rows = pd.read_csv(SAMPLE / f"{name}.csv", dtype=str, keep_default_na=False)
        numbers = {column: pd.to_numeric(rows[column]) for column in NUMBERS if column in rows}
        found[name] = pa.Table.from_pandas(rows.assign(**numbers), preserve_index=False)
    return found


def made(n_records: int = 24, seed: int = 0, **columns: list) -> pa.Table:
    """Chunks of records judged by two or three people, rows in no order; ``columns`` replace or join them."""
    rng = np.random.default_rng(seed)
    rows = [
        (record, chunk, who)
        for record in range(n_records)
        for chunk in range(1, 4)
        for who in range(2 + record % 2)
    ]
    rows = [rows[i] for i in rng.permutation(len(rows))]
    table = {
        "record_uuid": [f"r{record}" for record, _, _ in rows],
        "chunk_id": [f"c{(record + chunk) % 7}" for record, chunk, _ in rows],
        "chunk_rank": [chunk for _, chunk, _ in rows],
        "n_retrieved_chunks": [3] * len(rows),
        "annotator_id": [f"person {who}" for _, _, who in rows],
        "system": [("dense", "sparse")[record % 2] for record, _, _ in rows],
        "urgent": [("yes", "no")[record % 3 == 0] for record, _, _ in rows],
        "response_status": [
            ("submitted", "discarded", "draft")[rng.choice(3, p=(0.8, 0.1, 0.1))] for _ in rows
        ],
        "topically_relevant": [SAID[rng.choice(3, p=(0.6, 0.35, 0.05))] for _ in rows],
        "misleading": [SAID[rng.choice(3, p=(0.2, 0.75, 0.05))] for _ in rows],
        **columns,
    }
    return pa.table({name: cells for name, cells in table.items() if cells is not None})


def of_two_tasks() -> pa.Table:
    """One chunk of each record with its answer, judged by two or three people."""
    table = made().filter(pc.equal(made()["chunk_rank"], 1))
    return table.append_column("helpful", pa.array([SAID[i % 2] for i in range(table.num_rows)]))


def in_parts(inputs, chunk_rows=40, reading=None, **how):
    return evaluate_files(inputs, chunk_rows=chunk_rows, reading=reading, **how)


def of_whole(inputs, reading=None, **how):
    return evaluate(load(inputs, **(reading or {})), **how)


def alike(inputs, chunk_rows=40, reading=None, **how):
    """The report of parts, whose values and files are those of the whole."""
    found, expected = in_parts(inputs, chunk_rows, reading, **how), of_whole(inputs, reading, **how)
    assert metrics_csv(found) == metrics_csv(expected)
    assert facts(found) == facts(expected)
    assert found.data.facts == expected.data.facts
    codes_of = ({one.code for one in report.warnings} - {"CHK-005"} for report in (found, expected))
    assert next(codes_of) == next(codes_of)
    return found


def test_the_sample_gives_the_bytes_of_the_whole(tmp_path):
    found = alike(at(tmp_path, 100, **sample()), 200, ks=(5,), by=("system", "annotator"))
    assert {"system", "annotator"} <= set(found.table.group_by)


@pytest.mark.parametrize(
    ("n_files", "row_group", "chunk_rows", "workers"),
    but_long([(3, 17, 90, 2), (1, 20, 31, 1), (2, None, 10_000, 1)], 1),
)
def test_parts_give_the_bytes_of_the_whole(n_files, row_group, chunk_rows, workers, tmp_path):
    whole = of_whole(at(tmp_path / "whole", retrieval=made()), by=("system", "urgent"), bootstrap=100)
    folder = cut(tmp_path / "in", n_files, row_group, retrieval=made())
    report = in_parts(folder, chunk_rows, workers=workers, by=("system", "urgent"), bootstrap=100)
    assert metrics_csv(report) == metrics_csv(whole)


def test_the_order_of_files_changes_nothing(tmp_path):
    folder = cut(tmp_path / "in", 4, retrieval=made(seed=2))
    expected = metrics_csv(in_parts(sorted(folder.glob("*"))))
    assert metrics_csv(in_parts(sorted(folder.glob("*"), reverse=True))) == expected


def test_systems_that_are_spelled_in_two_ways_are_one(tmp_path):
    """A yes beside a Yes does not make two systems of one record."""
    spelled = [("yes", "Yes", "YES")[i % 3] for i in range(made().num_rows)]
    found = alike(at(tmp_path, retrieval=made(system=spelled)), 20, by=("system",))
    assert not any("::" in one for one in found.data.annotations.record_ids)
    spelled = [("yes", "no")[i % 2] for i in range(made().num_rows)]
    found = alike(at(tmp_path, retrieval=made(system=spelled)), 20)
    assert all("::" in one for one in found.data.annotations.record_ids)


def test_files_in_which_no_response_is_left_are_refused(tmp_path):
    n = made().num_rows
    for name, columns in {
        "drafts": {"response_status": ["draft"] * n},
        "blank": {"record_uuid": [" "] * n},
    }.items():
        folder = at(tmp_path / name, retrieval=made(**columns))
        for way in (in_parts, of_whole):
            with pytest.raises(InputError) as caught:
                way(folder)
            assert codes(caught) == {"FILE-008"}, (name, way)


def test_rows_that_two_tasks_leave_out_are_all_counted(tmp_path):
    found = alike(at(tmp_path, both=of_two_tasks()), 20, reading={"adjudicator": "person 1"})
    (source,) = found.data.sources
    assert set(found.data.annotations.responses) == {"retrieval", "generation"}
    assert any("adjudicator" in reason for reason in source.excluded)
    assert source.n_rows == source.n_used + sum(source.excluded.values())


def test_files_below_folders_of_keys_are_parts_of_one_table(tmp_path):
    for key in ("north", "south"):
        folder = tmp_path / f"site={key}"
        folder.mkdir()
        ids = [f"{key} {one}" for one in made()["record_uuid"].to_pylist()]
        pq.write_table(made(record_uuid=ids), folder / "retrieval.parquet")
    found = alike(tmp_path, 30, by=("site",))
    assert {"north", "south"} <= set(found.table["group"])


def test_one_id_for_the_answers_of_several_systems(tmp_path):
    """Of one record alone: then all records are called after their systems, in whatever part they are."""
    record = [cell if cell != "r7" else "r6" for cell in made()["record_uuid"].to_pylist()]
    found = alike(at(tmp_path, retrieval=made(record_uuid=record)), 20, by=("system",))
    assert all("::" in one for one in found.data.annotations.record_ids)
    found = alike(at(tmp_path, retrieval=made()), 20)
    assert not any("::" in one for one in found.data.annotations.record_ids)


def test_a_column_is_of_yes_and_no_by_all_of_its_cells(tmp_path):
    n = made().num_rows
    words = ["yes"] * (n - 1) + ["maybe"]
    found = alike(at(tmp_path / "a", retrieval=made(urgent=words)), by=("urgent",))
    assert {"yes", "maybe"} <= set(found.table.group)
    many = [f"v{one}" for one in range(n)]
    alike(at(tmp_path / "b", retrieval=made(urgent=["yes"] * n, note_nr=many)), by=("urgent",))


def test_rows_without_a_record_and_adjudication(tmp_path):
    record = [cell if i % 9 else "" for i, cell in enumerate(made()["record_uuid"].to_pylist())]
    folder = at(tmp_path, retrieval=made(record_uuid=record))
    found = alike(folder)
    assert {one.n_cases for one in found.warnings if one.code == "RAG-004"} == {record.count("")}
    decided = {"adjudicator": "person 2"}
    assert metrics_csv(in_parts(folder, reading=decided)) == metrics_csv(of_whole(folder, decided))
    with pytest.raises(InputError) as error:
        in_parts(folder, reading={"adjudicator": "nobody"})
    assert codes(error) == {"RAG-025"}


@pytest.mark.parametrize("n_retrieved", [3, -1])
def test_ranks_that_begin_at_0_are_told_of_all_lists(n_retrieved, tmp_path):
    rank = [cell - 1 for cell in made()["chunk_rank"].to_pylist()]
    folder = at(tmp_path, retrieval=made(chunk_rank=rank, n_retrieved_chunks=[n_retrieved] * len(rank)))
    if n_retrieved < 0:
        assert "RAG-121" in {one.code for one in alike(folder, 20).warnings}
        return
    for read in (of_whole, in_parts):
        with pytest.raises(InputError) as error:
            read(folder)
        assert codes(error) == {"RAG-120"}
        assert error.value.problems[0].n_cases == 24


def test_a_response_in_two_files_is_refused_with_both_places(tmp_path):
    folder = cut(tmp_path, 2, retrieval=made())
    at(folder, **{"retrieval-2": made()[:1]})
    for read in (of_whole, in_parts):
        with pytest.raises(InputError) as error:
            read(folder)
        assert codes(error) == {"RAG-006"}
        assert error.value.problems[0].file == "retrieval-2.parquet"


def test_records_that_are_cut_or_lost_are_noticed(tmp_path, monkeypatch):
    folder = at(tmp_path, retrieval=made())
    expected = metrics_csv(in_parts(folder))
    every = by_id.ById.parts
    with monkeypatch.context() as planted:
        planted.setattr(by_id.ById, "parts", lambda self: iter([*every(self)][:-1]))
        assert metrics_csv(in_parts(folder)) != expected
    rows = iter(range(10_000_000))
    monkeypatch.setattr(by_id, "hashes", lambda levels: np.array([next(rows) for _ in levels], np.uint64))
    with pytest.raises(InputError) as error:
        in_parts(folder, 10)
    assert codes(error) == {"RAG-245"}


def test_what_is_read_as_a_whole_is_named(tmp_path):
    table = pa.table({"record_uuid": ["r1"], "chunk_id": ["c1"], "topically_relevant": [0.5]})
    folder = at(tmp_path, retrieval=made(), predictions=table)
    with pytest.raises(InputError, match=r"predictions\.parquet holds predicted labels") as error:
        in_parts(folder)
    assert codes(error) == {"CHK-006"}


def test_no_more_rows_are_held_than_some_records_have(tmp_path, monkeypatch):
    held: list[int] = []
    read = reading.read_records
    monkeypatch.setattr(
        reading, "read_records", lambda job, some: held.append(sum(map(len, some))) or read(job, some)
    )
    table = made(n_records=120)
    in_parts(at(tmp_path, retrieval=table), 50)
    assert sum(held) == table.num_rows
    assert max(held) <= 120


def test_texts_of_queries_and_answers_take_no_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "SAMPLE_ROWS", 2)
    peaks = []
    for length in (10, 30_000):
        texts = [f"{i:05} " + "x" * length for i in range(made().num_rows)]
        table = made(answer=texts)
        folder = at(tmp_path / str(length), retrieval=table)
        pq.write_table(table, folder / "retrieval.parquet", use_dictionary=False, compression="none")
        tracemalloc.start()
        found = in_parts(folder, by=(), ks=(1,))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert found.data.facts["unused_columns"]["retrieval.parquet"]["answer"] == "personal text: dropped"
    size = (folder / "retrieval.parquet").stat().st_size
    assert size > 4_000_000
    assert peaks[1] < peaks[0] + size / 2, peaks


def test_the_command_line_writes_the_same_bytes(tmp_path, capsys):
    folder = at(tmp_path / "in", retrieval=made())
    assert main(["evaluate", str(folder), "--out", str(tmp_path / "a")]) == 0
    assert main(["evaluate", str(folder), "--out", str(tmp_path / "b"), "--chunk-rows", "40"]) == 0
    assert (tmp_path / "a" / "metrics.csv").read_bytes() == (tmp_path / "b" / "metrics.csv").read_bytes()
    pq.write_table(made()[:0], folder / "grounding.parquet")
    capsys.readouterr()
    assert main(["evaluate", str(folder), "--chunk-rows", "40"]) == 0
    assert "CHK-004" in capsys.readouterr().err
