"""Some users at a time: the same bytes of ``metrics.csv`` whatever the files, parts, order and workers."""

import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from evalcore import Report
from evalcore.__main__ import main
from evalcore.evaluation.chunks import users as gathering
from evalcore.problems import InputError
from evalcore.readers.chunks import by_id
from evalcore.report import write_report
from tests.chunks.users.made import at, codes, cut, facts, in_parts, made, of_whole, table
from tests.support.but_long import but_long

GROUPED = {"ks": (1, 3), "by": ("user_group",)}
SAMPLE = Path(__file__).parents[3] / "sample_data" / "recommender"


def written(report, folder: Path) -> bytes:
    write_report(report, folder)
    return (folder / "metrics.csv").read_bytes()


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Tables, and what the whole of them gives."""
    folder = tmp_path_factory.mktemp("whole")
    tables = made()
    report = of_whole(at(folder / "in", **tables), **GROUPED)
    return tables, report, written(report, folder / "out")


@pytest.mark.parametrize(
    ("n_files", "row_group", "chunk_rows", "workers"),
    but_long([(3, 17, 90, 2), (1, 20, 31, 1), (2, None, 10_000, 1)], 1),
)
def test_parts_give_the_bytes_of_the_whole(whole, n_files, row_group, chunk_rows, workers, tmp_path):
    tables, expected, content = whole
    folder = cut(tmp_path / "in", n_files, row_group, **tables)
    report = in_parts(folder, chunk_rows, workers=workers, **GROUPED)
    assert written(report, tmp_path / "out") == content
    assert sum(one.n_used for one in report.data.sources) == sum(one.n_used for one in expected.data.sources)
    if n_files == 1:
        # Of other groups of rows a file is as large as it is.
        assert [one[:2] + one[3:] for one in facts(report)] == [one[:2] + one[3:] for one in facts(expected)]
    users = report.gathered.tallies["recommendations"]
    assert users.models["b"].slices == {} or users.models["b"].slices["site"][1] == ("x", "y", "z")


def test_the_order_of_files_is_that_of_the_whole(tmp_path):
    """Replicates are of the same users too."""
    folder = cut(tmp_path, 3, **made(n_users=20, seed=4))
    how = {"bootstrap": 100}
    for paths in (
        sorted(folder.glob("*"), reverse=True),
        sorted(folder.glob("*"), key=lambda one: one.name[-9]),
    ):
        assert in_parts(paths, 40, **how).table.to_csv() == of_whole(paths, **how).table.to_csv()


@pytest.mark.parametrize("seed", [2, 3])
def test_without_some_files_too(seed, tmp_path):
    tables = made(seed=seed)
    left = {
        name: one
        for name, one in tables.items()
        if name not in (("train", "user_groups"), ("item_groups",))[seed - 2]
    }
    folder = at(tmp_path, 30, **left)
    assert in_parts(folder, 50).table.to_csv() == of_whole(folder).table.to_csv()


def test_the_sample_gives_the_bytes_of_the_whole(tmp_path):
    tables = {
        path.stem: pa.Table.from_pandas(pd.read_csv(path, keep_default_na="groups" not in path.stem))
        for path in SAMPLE.glob("*.csv")
    }
    folder = at(tmp_path / "in", 700, **tables)
    how = {"ks": (10,), "by": ("user_group",)}
    found, expected = in_parts(folder, 9000, **how), of_whole(folder, **how)
    assert written(found, tmp_path / "a") == written(expected, tmp_path / "b")
    assert facts(found) == facts(expected)


def test_scores_of_all_items_in_long_form(tmp_path):
    tables = made(n_users=20, seed=5)
    rng = np.random.default_rng(5)
    pairs = [(user, item) for user in range(12) for item in range(23) if rng.random() < 0.8]
    scores = table([(*pair, np.round(rng.normal(), 1)) for pair in pairs], "user_id", "item_id", "score")
    one_model = tables["lists"].filter(pc.equal(tables["lists"]["model"], "b")).drop_columns("model")
    named = {**tables, "scores_a": scores}
    alone = {**tables, "lists": one_model, "scores_x": scores}
    without = {name: tables[name] for name in ("train", "test")} | {"scores_x": scores}
    for at_folder, some in (("named", named), ("alone", alone), ("without", without)):
        folder = at(tmp_path / at_folder, **some)
        found, expected = in_parts(folder, 30), of_whole(folder)
        assert found.table.to_csv() == expected.table.to_csv(), at_folder
        assert {"auc", "ndcg"} <= set(found.table.metric)


def test_a_report_of_parts_is_saved_and_opened(tmp_path):
    report = in_parts(cut(tmp_path / "in", 2, **made()))
    again = Report.load(report.save(tmp_path / "report.evalcore"))
    assert again.table.to_csv() == report.table.to_csv()


def test_users_that_are_cut_are_noticed(tmp_path, monkeypatch):
    """The fault that parting by user prevents: planted, it is refused by name and not counted twice."""
    folder = at(tmp_path, **made())
    rows = iter(range(10_000_000))
    monkeypatch.setattr(by_id, "hashes", lambda levels: np.array([next(rows) for _ in levels], np.uint64))
    with pytest.raises(InputError) as error:
        in_parts(folder, 40)
    assert codes(error) == {"QRY-243"}


def test_rows_that_are_lost_are_noticed(whole, tmp_path, monkeypatch):
    """The fault planted: the rows of the last users are not read."""
    tables, expected, _ = whole
    folder = at(tmp_path / "in", **tables)
    every = by_id.ById.parts
    monkeypatch.setattr(by_id.ById, "parts", lambda self: iter([*every(self)][:-1]))
    assert in_parts(folder, 60, **GROUPED).table.to_csv() != expected.table.to_csv()


def test_popularity_that_is_left_out_is_noticed(whole, tmp_path, monkeypatch):
    tables, expected, _ = whole
    folder = at(tmp_path / "in", **tables)
    monkeypatch.setattr(
        gathering.SeenUsers,
        "popularity",
        property(lambda _: np.zeros(25, np.int64), lambda *_: None),
        raising=False,
    )
    assert in_parts(folder, 60, **GROUPED).table.to_csv() != expected.table.to_csv()


def test_no_more_rows_are_held_than_some_users_have(tmp_path, monkeypatch):
    held: list[int] = []
    read = gathering.read_users

    def counted(files, settled, users, *given):
        held.append(sum(map(len, users)))
        return read(files, settled, users, *given)

    monkeypatch.setattr(gathering, "read_users", counted)
    for n_users in (60, 240):
        tables = made(n_users, seed=7)
        folder = at(tmp_path / str(n_users), **tables)
        held.clear()
        in_parts(folder, 100)
        assert sum(held) == sum(tables[name].num_rows for name in ("lists", "train", "test", "user_groups"))
        assert max(held) <= 200


def test_memory_follows_the_parts_and_not_the_files(tmp_path):
    """Bytes at the peak while four times as many rows are read; the tallies of places to K alone grow."""
    peaks = []
    for n_users in (100, 400):
        rng = np.random.default_rng(n_users)
        rows = [
            ("a", user, item, score) for user in range(n_users) for item, score in enumerate(rng.random(100))
        ]
        folder = at(tmp_path / str(n_users), lists=table(rows, "model", "user_id", "item_id", "score"))
        at(folder, test=table([(user, 3) for user in range(n_users)], "user_id", "item_id"))
        tracemalloc.start()
        in_parts(folder, 2000, ks=(1,))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0], peaks


def test_nothing_is_left_behind_and_progress_is_told(tmp_path, monkeypatch):
    spilled = tmp_path / "spilled"
    spilled.mkdir()
    monkeypatch.setattr(by_id.tempfile, "tempdir", str(spilled))
    told: list[str] = []

    def tell(step: str) -> None:
        told.append(step)
        assert not list(spilled.iterdir())

    in_parts(at(tmp_path / "in", **made()), 60, progress=tell)
    n_rows = sum(made()[name].num_rows for name in ("lists", "train", "test", "user_groups"))
    assert f"{n_rows:,} of {n_rows:,} rows by user" in told
    assert f"{n_rows:,} of {n_rows:,} rows" in told


def test_the_command_line_takes_what_stands_beside_the_lists(tmp_path, capsys):
    tables = made()
    names = {"lists": "shown", "train": "before", "test": "after"}
    folder = at(tmp_path / "in", **{names.get(name, name): one for name, one in tables.items()})
    given = []
    for name in tables:
        given += [f"--{name.replace('_', '-')}", str(folder / f"{names.get(name, name)}.parquet")]
    common = ["evaluate", *given, "--ks", "2"]
    assert main([*common, "--out", str(tmp_path / "a")]) == 0
    assert main([*common, "--out", str(tmp_path / "b"), "--chunk-rows", "60"]) == 0
    assert (tmp_path / "a" / "metrics.csv").read_bytes() == (tmp_path / "b" / "metrics.csv").read_bytes()
    capsys.readouterr()
    assert (
        main(["repartition", str(at(tmp_path / "c", **tables)), "--out", str(tmp_path / "d"), "--by", "post"])
        == 2
    )
    assert "CHK-006" in capsys.readouterr().err


def test_a_large_input_is_parted_by_itself(tmp_path, monkeypatch):
    folder = at(tmp_path, **made())
    seen, gather = [], gathering.gather_by_user
    monkeypatch.setattr(gathering, "gather_by_user", lambda *given: seen.append(given) or gather(*given))
    assert main(["evaluate", str(folder), "--ks", "1"]) == 0
    assert not seen
    monkeypatch.setenv("EVALCORE_ROWS_IN_CHUNKS", "100")
    assert main(["evaluate", str(folder), "--ks", "1"]) == 0
    assert len(seen) == 1
