"""What a chunk alone would say otherwise than the whole: labels, folders, ids, empty rows."""

import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evalcore import InputError, evaluate, evaluate_files, load
from evalcore.__main__ import main
from evalcore.engines import spawned as spawning
from evalcore.evaluation.chunks.facts import NOT_CHECKED
from evalcore.readers.chunks.files import parquet_paths

N = 40


def scored(n: int = N, seed: int = 4, **columns: list) -> pa.Table:
    """Scored rows of posts with two criteria; ``columns`` replace or join them, None takes one out."""
    rng = np.random.default_rng(seed)
    table: dict = {
        "post_id": [f"p{i // 2}" for i in range(n)],
        "criterion_id": ["AB"[i % 2] for i in range(n)],
        "has_evidence": (rng.random(n) < 0.4).astype(int).tolist(),
        "probability": np.round(rng.random(n), 2).tolist(),
    } | columns
    return pa.table({name: cells for name, cells in table.items() if cells is not None})


def at(folder, **tables) -> str:
    for name, table in tables.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(table, path.with_suffix(".parquet"))
    return str(folder)


def in_chunks(folder, layout="aligned", by=(), **reading):
    return evaluate_files(folder, chunk_rows=7, layout=layout, by=by, bootstrap=0, reading=reading)


def of_whole(folder, by=(), **reading):
    return evaluate(load(folder, **reading), by=by, bootstrap=0)


def codes(error) -> set[str]:
    return {one.code for one in error.value.problems}


@pytest.mark.parametrize(
    ("first", "second", "positive"),
    [
        ("0", "1", "0"),
        ("2", "1", "2"),
        ("-1", "1", "-1"),
        ("false", "true", "false"),
        ("none", "1", "none"),
        ("1", "none", "1"),
        ("0", "1", "1"),
    ],
)
def test_chunks_and_parts_of_one_label_alone_mean_what_the_whole_means(first, second, positive, tmp_path):
    table = scored(has_evidence=[first] * 24 + [second] * 16)
    folder = at(tmp_path / "one", a=table)
    parts = at(tmp_path / "two", a=table[:24], b=table[24:])
    expected = of_whole(folder, positive=positive).table.to_csv()
    assert in_chunks(folder, positive=positive).table.to_csv() == expected
    assert in_chunks(folder, "straddling", positive=positive).table.to_csv() == expected
    assert of_whole(parts, positive=positive, files_as="parts").table.to_csv() == expected


@pytest.mark.parametrize("layout", ["aligned", "straddling"])
def test_a_column_of_a_file_goes_before_the_folder_of_its_name(layout, tmp_path):
    table = scored(site=["n" if one % 20 < 10 else "s" for one in range(N)])
    folder = at(tmp_path, **{"site=x__a": table[:20], "site=y__b": table[20:]})
    expected = of_whole(folder, ("site",), files_as="parts").table
    assert {"n", "s"} <= set(expected.group)
    assert in_chunks(folder, layout, ("site",)).table.to_csv() == expected.to_csv()


def test_ids_of_which_some_have_a_mark_are_left_to_the_whole(tmp_path):
    ids = [f"p{one}::A" if one < 30 else f"z{one}" for one in range(N)]
    folder = at(tmp_path, a=scored(post_id=None, criterion_id=None, query_id=ids))
    with pytest.raises(InputError, match="some ids of queries have “::”"):
        in_chunks(folder)


def test_scores_of_other_names_in_parts_are_refused_as_of_the_whole(tmp_path):
    table = scored()
    other = table[20:].rename_columns(["post_id", "criterion_id", "has_evidence", "score"])
    folder = at(tmp_path, a=table[:20], b=other)
    for read in (of_whole, in_chunks):
        with pytest.raises(InputError) as error:
            read(folder, files_as="parts")
        assert codes(error) == {"QRY-231"}
    with pytest.raises(InputError) as error:
        in_chunks(folder)
    assert codes(error) == {"CHK-006"}


def test_chunks_of_empty_rows_alone_are_counted(tmp_path):
    table = scored()
    is_empty = np.isin(np.arange(N), np.arange(10, 30))
    gaps = [pa.array(column.to_pylist(), mask=is_empty) for column in table.columns]
    folder = at(tmp_path, a=pa.table(gaps, names=table.column_names))
    (expected,) = of_whole(folder).data.sources
    assert (expected.n_rows, expected.excluded) == (N, {"empty row": 20})
    for layout in ("aligned", "straddling"):
        (source,) = in_chunks(folder, layout).data.sources
        assert (source.n_rows, source.n_used, source.excluded) == (N, 20, expected.excluded)


def test_a_column_called_as_the_numbers_of_rows_is_refused(tmp_path):
    folder = at(tmp_path, a=scored(**{"evalcore.row": list(range(N))}))
    with pytest.raises(InputError, match=r"evalcore\.row") as error:
        in_chunks(folder)
    assert codes(error) == {"CHK-006"}


def test_a_pipe_is_not_looked_at(tmp_path):
    os.mkfifo(tmp_path / "x.parquet")
    assert parquet_paths(tmp_path / "x.parquet") == "x.parquet is no Parquet file"
    assert parquet_paths(tmp_path) == "there is no file"


def test_workers_that_die_at_their_start_are_ended_and_done_without(monkeypatch):
    monkeypatch.setattr(spawning, "_START", "raise SystemExit(3)")
    job = "x" * 10_000_000  # more than a pipe holds, so that it is noticed while it is sent
    assert list(spawning.spawned(shortened, job, [1, 2, 3], 2)) == ["x", "xx", "xxx"]


def shortened(job: str, n: int) -> str:
    return job[:n]


def test_a_list_without_scores_in_the_first_chunk_stays_in_its_place(tmp_path):
    n = 100
    scores = np.round(np.random.default_rng(1).random(n), 2)
    table = pa.table(
        {
            "post_id": [f"p{one // 5}" for one in range(n)],
            "sent_uid": [f"c{one % 5}" for one in range(n)],
            "is_gold": [int(one % 4 == 0) for one in range(n)],
            "first": pa.array(scores, mask=np.arange(n) < 25),
            "second": np.linspace(0, 1, n),
        }
    )
    folder = at(tmp_path, a=table)
    reading = {"columns": {"score": ["first", "second"]}}
    expected = of_whole(folder, **reading).table.to_csv()
    assert in_chunks(folder, **reading).table.to_csv() == expected


def test_what_was_not_looked_for_is_told(tmp_path, capsys):
    folder = at(tmp_path / "in", a=scored())
    assert main(["evaluate", folder, "--chunk-rows", "7", "--out", str(tmp_path / "out")]) == 0
    assert NOT_CHECKED in capsys.readouterr().err
    assert in_chunks(folder).data.notes == (NOT_CHECKED,)
    assert not of_whole(folder).data.notes
