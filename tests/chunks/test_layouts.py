"""Faults of partitioning: right numbers, or refused by name; and rows that are brought together by post."""

import os
import tempfile

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from evalcore import InputError, evaluate, evaluate_files, load
from evalcore.__main__ import main
from evalcore.chunked import repartition
from evalcore.engines.spawned import spawned
from evalcore.readers.chunks import streams
from tests.chunks.test_any_chunks import candidates, queries

HOW = {"ks": (1, 5), "by": ("criterion",), "ties": "stable"}


def folder_of(path, **tables):
    path.mkdir(parents=True)
    for name, table in tables.items():
        pq.write_table(table, path / f"{name}.parquet", row_group_size=25)
    return path


def codes(error) -> set[str]:
    return {one.code for one in error.value.problems}


def whole_table(tmp_path, table) -> str:
    path = tmp_path / "whole.parquet"
    pq.write_table(table, path)
    return evaluate(load(path), **HOW).table.to_csv()


def scattered(table, seed=5):
    return table.take(pa.array(np.random.default_rng(seed).permutation(len(table))))


def test_a_query_in_two_files_is_refused_by_name_and_counted_once_when_straddling(tmp_path):
    table = candidates(12)
    folder = folder_of(tmp_path / "in", a=table.slice(0, 10), b=table.slice(10))
    with pytest.raises(InputError) as error:
        evaluate_files(folder, **HOW)
    first = next(one for one in error.value.problems if one.code == "CHK-001")
    assert (first.file, first.row) == ("b.parquet", 1)
    assert "row 8 of a.parquet" in first.found
    assert "s0::A.10" in first.found
    report = evaluate_files(folder, layout="straddling", chunk_rows=40, **HOW)
    assert report.table.to_csv() == whole_table(tmp_path, table)


def test_rows_in_any_order_are_refused_by_name_and_brought_together(tmp_path):
    table = scattered(candidates(12))
    folder = folder_of(tmp_path / "in", a=table)
    with pytest.raises(InputError) as error:
        evaluate_files(folder, chunk_rows=30, **HOW)
    assert "CHK-002" in codes(error)
    for workers in (1, 2):
        report = evaluate_files(folder, layout="straddling", chunk_rows=30, workers=workers, **HOW)
        assert report.table.to_csv() == whole_table(tmp_path, table)


def test_a_row_that_two_files_hold_is_refused(tmp_path):
    table = candidates(6)
    folder = folder_of(
        tmp_path / "in", a=table.slice(0, 42), b=pa.concat_tables([table.slice(42), table.slice(3, 1)])
    )
    with pytest.raises(InputError) as error:
        evaluate_files(folder, **HOW)
    assert "CHK-001" in codes(error)
    with pytest.raises(InputError) as error:
        evaluate_files(folder, layout="straddling", **HOW)
    assert codes(error) == {"RNK-001"}


@pytest.mark.parametrize("layout", ["aligned", "straddling"])
def test_ids_of_other_types_in_other_files_are_the_same_text(tmp_path, layout):
    table = candidates(10)
    numbers = pc.utf8_ltrim(table.column("post_id"), "s")
    as_text = table.set_column(0, "post_id", numbers)
    as_number = table.set_column(0, "post_id", numbers.cast(pa.int32()))
    folder = folder_of(tmp_path / "in", a=as_number.slice(0, 70), b=as_text.slice(70))
    report = evaluate_files(folder, layout=layout, chunk_rows=30, **HOW)
    assert report.table.to_csv() == whole_table(tmp_path, as_text)


@pytest.mark.parametrize("layout", ["aligned", "straddling"])
def test_a_group_that_most_files_lack(tmp_path, layout):
    table = candidates(12)
    folder = folder_of(
        tmp_path / "in",
        a=table.slice(0, 28),
        **{f"b{at}": table.drop(["site"]).slice(28 * at, 28) for at in range(1, 6)},
    )
    how = {**HOW, "by": ("site",), "bootstrap": 100, "cluster": "site"}
    expected = evaluate(load(folder, files_as="parts"), **how).table
    if layout == "straddling":
        with pytest.raises(InputError) as error:
            evaluate_files(folder, layout=layout, chunk_rows=30, **how)
        assert codes(error) == {"CHK-006"}
    else:
        report = evaluate_files(folder, layout=layout, chunk_rows=30, **how)
        assert report.table.to_csv() == expected.to_csv()


def test_a_group_that_differs_within_a_query_of_one_file_is_refused_where_it_is_asked_for(tmp_path):
    table = candidates(8)
    sites = table.column("site").to_pylist()
    sites[57] = "elsewhere"
    wrong = table.set_column(table.column_names.index("site"), "site", pa.array(sites))
    folder = folder_of(tmp_path / "in", a=wrong.slice(0, 56), b=wrong.slice(56))
    with pytest.raises(InputError) as error:
        evaluate_files(folder, chunk_rows=14, **{**HOW, "by": ("site",)})
    assert codes(error) == {"CHK-003"}
    assert evaluate_files(folder, chunk_rows=14, **HOW).table.to_csv() == whole_table(tmp_path, wrong)


@pytest.mark.long
def test_one_query_with_many_times_the_rows_of_a_chunk(tmp_path):
    big, small = candidates(1, 20_000), candidates(4, 7, seed=9)
    small = small.set_column(0, "post_id", pc.binary_join_element_wise("t", small.column("post_id"), ""))
    table = pa.concat_tables([small, big])
    report = evaluate_files(folder_of(tmp_path / "in", a=table), chunk_rows=1000, **HOW)
    assert report.table.to_csv() == whole_table(tmp_path, table)


def test_queries_and_candidates_in_files_of_their_own(tmp_path):
    lists = candidates(10)
    gold = lists.group_by(["post_id", "criterion_id"]).aggregate([("is_gold", "max")])
    scored = pa.table(
        {
            "post_id": gold.column("post_id"),
            "criterion_id": gold.column("criterion_id"),
            "has_evidence": gold.column("is_gold_max"),
            "probability": np.round(np.random.default_rng(4).random(len(gold)), 2),
            "fold": [at % 3 for at in range(len(gold))],
        }
    )
    folder = folder_of(tmp_path / "in", candidates=lists, scored=scored)
    with pytest.raises(InputError) as error:
        evaluate_files(folder, **HOW)
    assert codes(error) == {"CHK-006"}
    how = {**HOW, "by": ("fold",), "tau_neg": 0.2, "tau_pos": 0.8}
    report = evaluate_files(folder, layout="straddling", chunk_rows=30, **how)
    assert report.table.to_csv() == evaluate(load(folder), **how).table.to_csv()


@pytest.mark.parametrize("table", [scattered(candidates(12)), scattered(queries(12))], ids=["lists", "rows"])
def test_repartition_writes_files_that_are_aligned(table, tmp_path, capsys):
    folder = folder_of(tmp_path / "in", a=table.slice(0, 40), b=table.slice(40))
    reading = ["--positive", "yes"] if "has_evidence" in table.column_names else []
    out = tmp_path / "out"
    assert (
        main(["repartition", str(folder), "--out", str(out), "--by", "post", "--rows", "40", *reading]) == 0
    )
    named = capsys.readouterr().out.split()
    assert len(named) > 1
    again = pa.concat_tables([pq.read_table(path) for path in named])
    assert sorted(map(str, again.to_pylist())) == sorted(map(str, table.to_pylist()))
    how = {"reading": {"positive": "yes"} if reading else {}, "chunk_rows": 20}
    report = evaluate_files(out, **how)
    assert report.table.to_csv() == evaluate_files(folder, layout="straddling", **how).table.to_csv()
    assert main(["repartition", str(folder), "--out", str(out), *reading]) == 2
    assert "CHK-009" in capsys.readouterr().err
    assert len(list(out.iterdir())) == len(named)


def test_temporary_files_have_no_name_and_go_with_the_process(tmp_path, monkeypatch):
    table = scattered(candidates(12))
    folder = folder_of(tmp_path / "in", a=table)
    spill = tmp_path / "spill"
    spill.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(spill))
    seen = []
    monkeypatch.setattr(
        streams.Parted,
        "chunks",
        lambda parted, own=streams.Parted.chunks: seen.append(len(list(spill.iterdir()))) or own(parted),
    )
    evaluate_files(folder, layout="straddling", chunk_rows=30, **HOW)
    assert seen == [0]


def test_a_damaged_file_is_named_and_nothing_is_written(tmp_path, capsys):
    folder = folder_of(tmp_path / "in", a=candidates(6), b=candidates(6, seed=8))
    path = folder / "b.parquet"
    content = bytearray(path.read_bytes())
    content[len(content) // 5 : len(content) // 2] = b"\0" * (len(content) // 2 - len(content) // 5)
    path.write_bytes(bytes(content))
    for layout in ("aligned", "straddling"):
        assert main(["evaluate", str(folder), "--layout", layout, "--out", str(tmp_path / "out")]) == 2
        assert "b.parquet" in capsys.readouterr().err
        assert not (tmp_path / "out").exists()


def test_chunks_are_refused_by_name_where_they_cannot_be(tmp_path, capsys):
    (tmp_path / "rows.csv").write_text("post_id,has_evidence,probability\na,1,0.5\n")
    assert main(["evaluate", str(tmp_path / "rows.csv"), "--chunk-rows", "10"]) == 2
    assert "CHK-006" in (told := capsys.readouterr().err)
    assert "rows.csv" in told
    folder = folder_of(tmp_path / "in", a=candidates(2))
    assert main(["evaluate", str(folder), "--workers", "0"]) == 2
    assert "OPT-003" in capsys.readouterr().err


def doubled(parent: int, item: int) -> int:
    """Twice the item; the process of a worker that is handed 3 dies at it."""
    if item == 3 and os.getpid() != parent:
        os._exit(1)
    return 2 * item


def test_what_a_worker_that_dies_was_at_is_worked_at_here():
    assert list(spawned(doubled, os.getpid(), range(9), 2)) == [2 * one for one in range(9)]
    assert list(spawned(doubled, os.getpid(), [3, 3, 3, 3], 2)) == [6, 6, 6, 6]


def test_the_error_of_an_item_is_raised_here():
    with pytest.raises(TypeError):
        list(spawned(doubled, os.getpid(), [1, None, 2], 2))


def test_repartition_is_a_function_too(tmp_path):
    folder = folder_of(tmp_path / "in", a=scattered(candidates(4)))
    written = repartition(folder, tmp_path / "out", rows_a_file=20)
    assert [path.name for path in written] == sorted(path.name for path in (tmp_path / "out").iterdir())
