"""Read a chunk at a time: the same bytes of ``metrics.csv`` whatever the files, chunks, order and workers."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evalcore import Report, evaluate, evaluate_files, load
from evalcore.__main__ import main
from evalcore.problems import InputError, problem
from evalcore.readers.chunks import batches, streams
from evalcore.report import write_report
from evalcore.tallies.counted_pairs import CountedPairs, pair_table
from evalcore.tallies.scores import ScoredRows
from tests.support.but_long import but_long

N_POSTS = 60


def candidates(n_posts: int = N_POSTS, per_query: int = 7, seed: int = 2) -> pa.Table:
    """Lists of two models with ties, posts of two criteria, a group, and scores outside [0, 1]."""
    rng = np.random.default_rng(seed)
    n_queries = 2 * n_posts
    query = np.repeat(np.arange(n_queries), per_query)
    n = len(query)
    return pa.table(
        {
            "post_id": [f"s{one // 2}" for one in query.tolist()],
            "criterion_id": [("A.2", "A.10")[one % 2] for one in query.tolist()],
            "sent_uid": [f"c{one}" for one in np.tile(np.arange(per_query), n_queries).tolist()],
            "is_gold": (rng.random(n) < 0.15).astype(np.int8),
            "retriever": np.round(rng.normal(size=n), 1),
            "reranker": np.round(rng.random(n), 2),
            "site": [("north", "south", "west")[one // 2 % 3] for one in query.tolist()],
        }
    )


def queries(n_posts: int = N_POSTS, seed: int = 3) -> pa.Table:
    """Scored rows of two models, the labels as words, first those of one model."""
    rng = np.random.default_rng(seed)
    keys = [(model, post, one) for model in "ba" for post in range(n_posts) for one in ("A.1", "A.2")]
    label = rng.random((n_posts, 2)) < 0.3
    labels = [("no", "yes")[int(label[post, int(one == "A.2")])] for _, post, one in keys]
    return pa.table(
        {
            "post_id": [f"s{post}" for _, post, _ in keys],
            "criterion_id": [one for _, _, one in keys],
            "model": [model for model, _, _ in keys],
            "has_evidence": labels,
            "probability": np.round(rng.random(len(keys)), 2),
            "fold": pa.array([post % 4 for _, post, _ in keys], pa.int64()),
        }
    )


TABLES = {
    "candidates": (candidates(), {}),
    "queries": (queries(), {"positive": "yes"}),
}


def cut(table: pa.Table, folder: Path, n: int, row_group: int | None = None) -> Path:
    """A folder of ``n`` files, each post in one of them, and an empty file beside them."""
    folder.mkdir()
    part = np.array([int(one[1:]) * n // N_POSTS for one in table.column("post_id").to_pylist()])
    for at in range(n):
        name = folder / f"part-{(7 * at) % 11:02}.parquet"  # the order of names is another one
        pq.write_table(table.filter(pa.array(part == at)), name, row_group_size=row_group)
    pq.write_table(table.slice(0, 0), folder / "part-99.parquet")
    return folder


def written(report, folder: Path) -> bytes:
    write_report(report, folder)
    return (folder / "metrics.csv").read_bytes()


@pytest.fixture(scope="module", params=list(TABLES))
def whole(request, tmp_path_factory):
    """A table, how it is read and evaluated, and what the whole of it gives."""
    folder = tmp_path_factory.mktemp("whole")
    table, reading = TABLES[request.param]
    path = folder / "whole.parquet"
    pq.write_table(table, path)
    by = ("site",) if request.param == "candidates" else ("criterion", "fold")
    how = {"by": by, "bootstrap": 100, "ks": (1, 5)}
    return table, path, reading, how, written(evaluate(load(path, **reading), **how), folder / "out")


@pytest.mark.parametrize(
    ("n_files", "row_group", "chunk_rows"), but_long([(5, 20, 61), (1, 50, 33), (1, None, 10_000)], 2)
)
def test_chunks_give_the_bytes_of_the_whole(whole, n_files, row_group, chunk_rows, tmp_path):
    table, _, reading, how, expected = whole
    folder = cut(table, tmp_path / "in", n_files, row_group)
    report = evaluate_files(folder, chunk_rows=chunk_rows, reading=reading, **how)
    assert written(report, tmp_path / "out") == expected
    assert sum(one.n_used for one in report.data.sources) == table.num_rows


def test_workers_and_the_order_of_files_give_the_bytes_of_the_whole(whole, tmp_path):
    table, _, reading, how, expected = whole
    paths = sorted(cut(table, tmp_path / "in", 5).glob("*"), reverse=True)
    report = evaluate_files(paths, chunk_rows=40, workers=2, reading=reading, **how)
    assert written(report, tmp_path / "out") == expected


def test_without_intervals_too(whole, tmp_path):
    table, path, reading, how, _ = whole
    how = {**how, "bootstrap": 0, "ties": "stable", "undefined": "contract"}
    found = evaluate_files(cut(table, tmp_path / "in", 3), chunk_rows=29, reading=reading, **how)
    assert found.table.to_csv() == evaluate(load(path, **reading), **how).table.to_csv()


@pytest.mark.parametrize("bootstrap", [0, 100])
def test_a_report_of_chunks_is_saved_and_opened(bootstrap, tmp_path):
    folder = cut(candidates(), tmp_path / "in", 2)
    report = evaluate_files(folder, chunk_rows=100, by=("site", "criterion"), bootstrap=bootstrap, ks=(1,))
    again = Report.load(report.save(tmp_path / "report.evalcore"))
    assert again.table.to_csv() == report.table.to_csv()
    for name in report.gathered.lists.lists:
        mine, theirs = (one.gathered.lists.lists[name].pairs for one in (report, again))
        assert isinstance(mine, ScoredRows if bootstrap else CountedPairs)
        assert isinstance(theirs, type(mine))
        np.testing.assert_array_equal(pair_table(mine).n_neg, pair_table(theirs).n_neg)


def test_pairs_of_some_queries_of_a_cell_are_not_told_apart():
    rows = ScoredRows(np.array([0.1, 0.1, 0.3]), np.array([True, False, True]), np.array([0, 1, 2]), 3)
    pairs = CountedPairs.of(rows, (("a",), ("b",)), np.array([0, 0, 1], np.int32))
    assert pair_table(pairs.of_posts(np.array([1, 0]))).n_pos.tolist() == [1]
    with pytest.raises(ValueError, match="cannot be told"):
        pairs.of_posts(np.array([0, 2]))


def test_a_query_that_is_cut_by_a_chunk_is_noticed(tmp_path, monkeypatch, capsys):
    """The fault that carry-over prevents: planted, it is refused by name and not counted twice."""
    path = tmp_path / "one.parquet"
    pq.write_table(candidates(), path, row_group_size=10)
    monkeypatch.setattr(batches, "_last_change", lambda waiting, *_: sum(one.num_rows for one in waiting))
    assert main(["evaluate", str(path), "--chunk-rows", "10", "--out", str(tmp_path / "out")]) == 2
    assert "CHK-002" not in (told := capsys.readouterr().err)  # within the file they do follow each other
    assert "QRY-243" in told
    assert not (tmp_path / "out").exists()


def test_a_query_of_many_chunks_is_that_of_the_whole_and_its_rows_are_looked_at_once(tmp_path, monkeypatch):
    """Some small lists, and one over most of the file, with golds beyond what is counted one by one."""
    long = candidates(n_posts=1, per_query=4_000).slice(0, 4_000)
    table = pa.concat_tables(
        [candidates(n_posts=5).slice(3 * 7), long.set_column(0, "post_id", [["t"] * 4_000])]
    )
    path = tmp_path / "one.parquet"
    pq.write_table(table, path, row_group_size=50)
    expected = written(evaluate(load(path), ks=(1, 5)), tmp_path / "whole")
    looked_at = []

    def counted(column, value):
        looked_at.append(len(column))
        return is_other(column, value)

    is_other = batches._is_other
    monkeypatch.setattr(batches, "_is_other", counted)
    assert written(evaluate_files(path, chunk_rows=100, ks=(1, 5)), tmp_path / "out") == expected
    n_batches = -(-table.num_rows // 50)
    n_columns = 2
    assert sum(looked_at) < n_columns * (2 * table.num_rows + n_batches)  # one row stands for all before
    assert len(looked_at) < n_columns * 3 * n_batches


def test_a_row_that_a_chunk_loses_is_noticed(whole, tmp_path, monkeypatch):
    """The fault planted: the last row of a file is not read."""
    table, _, reading, how, expected = whole
    folder = cut(table, tmp_path / "in", 4)

    def losing(*given):
        *others, last = batches.chunks_of(*given)
        yield from others
        yield replace(last, rows=last.rows.slice(0, len(last) - 1))

    monkeypatch.setattr(streams, "chunks_of", losing)
    report = evaluate_files(folder, chunk_rows=37, reading=reading, **how)
    assert written(report, tmp_path / "out") != expected


def test_the_command_line_writes_the_same_bytes(tmp_path, capsys):
    folder = cut(candidates(), tmp_path / "in", 3, 30)
    single = tmp_path / "whole.parquet"
    pq.write_table(candidates(), single)
    common = ["--by", "criterion", "--ks", "1,3"]
    assert main(["evaluate", str(single), *common, "--out", str(tmp_path / "a")]) == 0
    capsys.readouterr()
    assert main(["evaluate", str(folder), *common, "--out", str(tmp_path / "b"), "--chunk-rows", "50"]) == 0
    told = capsys.readouterr().err
    assert "part-99.parquet" in told
    assert "CHK-004" in told
    assert (tmp_path / "a" / "metrics.csv").read_bytes() == (tmp_path / "b" / "metrics.csv").read_bytes()


def test_a_large_input_is_cut_by_itself_and_a_small_one_is_not(tmp_path, capsys, monkeypatch):
    folder = cut(candidates(), tmp_path / "in", 2)
    seen = []

    def stopped(found, *_, **__):
        seen.append(found)
        raise InputError([problem("QRY-018", found="enough", expected="no more")])

    monkeypatch.setattr("evalcore.chunked.evaluate_prepared", stopped)
    assert main(["evaluate", str(folder)]) == 0
    assert not seen
    monkeypatch.setenv("EVALCORE_ROWS_IN_CHUNKS", "100")
    assert main(["evaluate", str(folder)]) == 2
    assert len(seen) == 1
    pq.write_table(queries(), tmp_path / "in" / "queries.parquet")
    capsys.readouterr()
    assert main(["evaluate", str(folder), "--positive", "yes"]) in (0, 2)
    assert len(seen) == 1
    assert "Read as a whole, not a chunk at a time" in capsys.readouterr().err
