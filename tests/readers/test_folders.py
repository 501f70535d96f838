"""A folder is read as a whole: what may be a table is opened or told, whatever its ending."""

from pathlib import Path

import pytest

import evalcore
from tests.support.reading import refused, warned
from tests.support.recommending import LISTS, TEST, TRAIN

PREDICTIONS = "post_id,criterion_id,has_evidence,probability\np1,A,0,0.1\np2,A,1,0.9\n"


def written(folder: Path, **files: str | bytes) -> Path:
    """A folder with these files; ``__`` stands for a point."""
    for name, content in files.items():
        raw = content if isinstance(content, bytes) else content.encode()
        (folder / name.replace("__", ".")).write_bytes(raw)
    return folder


@pytest.mark.parametrize("ending", ["dat", "tab", "data", "out", "rating", "train", "tmpl", "dat.gz"])
def test_train_interactions_of_any_ending_are_read(tmp_path: Path, ending: str):
    raw = TRAIN.encode()
    if ending.endswith("gz"):
        import gzip

        raw = gzip.compress(raw)
    written(tmp_path, lists__csv=LISTS, test__csv=TEST)
    (tmp_path / f"train.{ending}").write_bytes(raw)
    data = evalcore.load(tmp_path)
    assert {source.name: source.role for source in data.sources}[f"train.{ending}"] == "train"


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("train.pkl", b"\x80\x04\x95" + bytes(40), "a Python pickle"),
        ("train.xlsx", b"PK\x03\x04xl/worksheets", "an Excel workbook (.xlsx)"),
        ("train.csv.bz2", b"BZh91AY", "a bzip2 archive"),
        ("train.csv.zip", b"PK\x03\x04train.csv", "a ZIP archive or an Excel workbook (.xlsx)"),
        ("train.npz", b"PK\x03\x04indptr.npy", "a NumPy archive (.npz)"),
        ("train.csv", b"user,user,item\n1,1,2\n", "'user' twice"),
    ],
)
def test_numbers_are_not_computed_without_train_interactions_that_lie_there(
    tmp_path: Path, name: str, content: bytes, kind: str
):
    written(tmp_path, lists__csv=LISTS, test__csv=TEST)
    (tmp_path / name).write_bytes(content)
    with pytest.raises(evalcore.InputError) as caught:
        evalcore.load(tmp_path)
    (found,) = caught.value.problems[:1]
    assert found.code == "RCM-070"
    assert found.file == name
    assert kind in found.found


def test_what_else_cannot_be_read_is_told_and_texts_about_the_data_are_not(tmp_path: Path):
    written(tmp_path, lists__csv=LISTS, test__csv=TEST, train__csv=TRAIN)
    written(
        tmp_path, README__md="x", LICENSE="x", plot__png=b"\x89PNG", run__log="x", _SUCCESS="", run__py=""
    )
    written(tmp_path, model__pkl=b"\x80\x04\x95" + bytes(40), lists__bak=LISTS, train_args__bin=bytes(90))
    (tmp_path / "bpr.parquet").mkdir()
    told = {one.file: one.found.rpartition(": ")[2] for one in evalcore.load(tmp_path).warnings}
    assert {name: why for name, why in told.items() if name is not None} == {
        "bpr.parquet": "a folder of parts; give it as an input of its own, with --as parts",
        "lists.bak": "a copy that is kept back, by its ending",
        "model.pkl": "a Python pickle",
        "train_args.bin": "binary data",
    }


def test_folders_of_other_tasks_tell_of_what_they_cannot_read_too(tmp_path: Path):
    written(tmp_path, a__csv=PREDICTIONS, b__xlsx=b"PK\x03\x04xl/worksheets", notes__md="x")
    assert warned(evalcore.load(tmp_path)) == [
        "b.xlsx: found no table that can be read: an Excel workbook (.xlsx). The file of this folder was "
        "left out. [FILE-019]"
    ]
    (tmp_path / "b.xlsx").unlink()
    (tmp_path / "a.csv").rename(tmp_path / "a.dat")
    assert evalcore.load(tmp_path).sources[0].name == "a.dat"


def test_a_file_that_is_named_is_refused_as_before(tmp_path: Path):
    (tmp_path / "b.bak").write_text(PREDICTIONS)
    assert evalcore.load(tmp_path / "b.bak").sources[0].name == "b.bak"
    assert refused(str(tmp_path / "none")) != []
