"""Files by address: read as those of a path are, or refused by the name of what is missing."""

import sys
from pathlib import Path

import fsspec
import pytest

from evalcore import InputError, evaluate_files, load
from evalcore.__main__ import main
from evalcore.readers.addresses import shown
from tests.dask.conftest import HOW, damaged
from tests.support.but_long import but_long


def codes(error) -> dict[str, str]:
    return {one.code: str(one) for one in error.value.problems}


@pytest.fixture
def memory(rows):
    """The rows in memory, in folders that name the site."""
    system = fsspec.filesystem("memory")
    for path in rows.iterdir():
        system.pipe(f"/in/year=2024/{path.name}", path.read_bytes())
    yield "memory://in"
    system.rm("/in", recursive=True)


@pytest.mark.parametrize("glob", but_long(["", "/year=2024/*.parquet", "/**/part-0[0-9].parquet"], 2))
def test_a_folder_and_a_glob_in_memory_give_the_table_of_the_files(glob, memory, expected):
    assert evaluate_files(memory + glob, **HOW).table.to_csv() == expected


def test_keys_of_folders_are_columns_of_files_by_address(memory):
    report = evaluate_files(memory, **{**HOW, "by": ("year",)})
    assert {"2024"} == set(report.table.group) - {""}


def test_an_address_of_a_file_of_this_machine(rows, expected, tmp_path, capsys):
    paths = [path.as_uri() for path in sorted(rows.iterdir())]
    assert evaluate_files(paths, **HOW).table.to_csv() == expected
    assert main(["evaluate", rows.as_uri(), "--by", "site"]) == 0
    assert "north" in capsys.readouterr().out
    (tmp_path / "a.csv").write_text("post_id,probability")
    assert main(["evaluate", (tmp_path / "a.csv").as_uri()]) == 2
    assert "CHK-010" in capsys.readouterr().err


@pytest.mark.parametrize("address", ["http://127.0.0.1:1/a.parquet", "ssh://h/a", "zip://a::file://b.zip"])
def test_other_kinds_of_addresses_are_refused(address):
    with pytest.raises(InputError) as error:
        evaluate_files(address)
    assert set(codes(error)) == {"FILE-310"}


@pytest.mark.parametrize(
    ("address", "code"),
    [
        ("s3://KEY:SECRET@b/a.parquet", "FILE-313"),
        ("s3://b/a.parquet?X-Amz-Signature=SECRET/SECRET", "FILE-313"),
        ("file://SECRET@host/tmp/a.parquet", "FILE-313"),
        ("abfs://c@account.dfs.core.windows.net/a", "FILE-313"),
        ("abfs://account.dfs.core.windows.net/c/a", "FILE-313"),
        ("https://account.blob.core.windows.net/c/a.parquet?sv=1&sig=SECRET", "FILE-310"),
    ],
)
def test_credentials_in_an_address_are_refused_and_not_repeated(address, code):
    for read, expected in ((evaluate_files, code), (load, "FILE-312")):
        with pytest.raises(InputError) as found:
            read(address)
        assert set(codes(found)) == {expected}
        assert "SECRET" not in str(found.value)


@pytest.mark.parametrize("address", ["file:///a@b/part-?.parquet", "s3://b/k=1?/part-?[0-9].parquet"])
def test_a_question_mark_and_an_at_within_a_path_are_no_credentials(address):
    assert shown(address) == address


@pytest.mark.parametrize(
    ("address", "extra"), [("s3://b/a", "s3"), ("gs://b/a", "gcs"), ("abfs://b/a", "azure")]
)
def test_a_missing_extra_is_named(address, extra, monkeypatch):
    for name in ("s3fs", "gcsfs", "adlfs"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(InputError) as error:
        evaluate_files(address)
    assert f"evalcore[{extra}]" in codes(error)["FILE-311"]


def test_what_is_not_there_or_damaged_is_named(tmp_path):
    with pytest.raises(InputError) as error:
        evaluate_files("memory://nowhere/a.parquet")
    assert "memory://nowhere/a.parquet cannot be opened" in codes(error)["CHK-010"]
    content = damaged(tmp_path / "a.parquet").read_bytes()
    system = fsspec.filesystem("memory")
    system.pipe("/bad/a.parquet", content)
    with pytest.raises(InputError) as error:
        evaluate_files("memory://bad/a.parquet")
    system.rm("/bad", recursive=True)
    assert "a.parquet" in codes(error)["FILE-007"]


@pytest.mark.parametrize("command", ["check", "crosscheck"])
def test_other_commands_say_that_files_are_to_be_copied(command, capsys):
    assert main([command, "s3://bucket/a.parquet"]) == 2
    assert "FILE-312" in capsys.readouterr().err


@pytest.mark.parametrize(
    "given",
    [
        ["evaluate", "sample_data/queries.csv", "--out", "s3://key:secret@bucket/out"],
        ["evaluate", "sample_data/queries.csv", "--save", "s3://key:secret@bucket/out"],
        ["repartition", "rows.parquet", "--by", "post", "--out", "s3://key:secret@bucket/out"],
    ],
)
def test_nothing_is_written_to_an_address_or_to_a_folder_of_its_name(given, tmp_path, monkeypatch, capsys):
    sample = Path(__file__).parents[2] / "sample_data"
    (tmp_path / "sample_data").symlink_to(sample)
    monkeypatch.chdir(tmp_path)
    assert main(given) == 2
    told = capsys.readouterr().err
    assert "s3://…@bucket/out, expected a path on this machine" in told
    assert "secret" not in told
    assert [one.name for one in tmp_path.iterdir()] == ["sample_data"]
