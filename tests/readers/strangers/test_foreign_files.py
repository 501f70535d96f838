"""What is not read is named for what it is, with what to export instead; no advice leads to garbage."""

from __future__ import annotations

import io
import pickle
import sqlite3
import struct
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.orc
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore import inspect
from evalcore.__main__ import main
from evalcore.readers import Upload
from evalcore.readers.formats.signatures import foreign_format, wide_encoding

FRAME = pd.DataFrame({"label": [0, 0, 1, 1], "score": [0.1, 0.4, 0.35, 0.8]})
CSV = FRAME.to_csv(index=False)


def stata(version: int) -> bytes:
    sink = io.BytesIO()
    FRAME.to_stata(sink, write_index=False, version=version)
    return sink.getvalue()


def numpy_file(save) -> bytes:
    sink = io.BytesIO()
    save(sink, FRAME.to_numpy())
    return sink.getvalue()


def database() -> bytes:
    connection = sqlite3.connect(":memory:")
    connection.execute("create table scores (label integer, score real)")
    try:
        return connection.serialize()
    finally:
        connection.close()


def orc() -> bytes:
    sink = io.BytesIO()
    pa.orc.write_table(pa.table({"label": [0, 1]}), sink)
    return sink.getvalue()


def zipped(name: str) -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        archive.writestr(name, "nothing")
    return sink.getvalue()


def tfrecord() -> bytes:
    records = (b"\x0a\x08\x0a\x06label\x01", b"\x0a\x09\x0a\x07score\x02\x03")
    return b"".join(struct.pack("<QI", len(one), 7) + one + struct.pack("<I", 9) for one in records)


SAS = bytes(12) + bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011") + bytes(2000)
ARFF = b"% made by Weka\n\n@RELATION scores\n@ATTRIBUTE label {0,1}\n@DATA\n0\n1\n"
LIBSVM = b"1 1:0.5 3:-1.25e-1\n-1 2:0.25 # no evidence\n+1 1:1\n"
YAML = b"---\n- id: q1\n  label: 0\n  score: 0.1\n- id: q2\n  label: 1\n  score: 0.8\n"
WEKA = b"""
=== Predictions on test data ===

    inst#     actual  predicted error prediction
        1      1:neg      1:neg       0.897
        2      2:pos      1:neg   +   0.603
"""
FILES: dict[str, tuple[bytes, str, str]] = {
    "scores.sas7bdat": (SAS, "a SAS file (.sas7bdat)", "PROC EXPORT"),
    "scores.xpt": (
        b"HEADER RECORD*******LIBRARY HEADER RECORD!!!!!!!",
        "a SAS transport file (.xpt)",
        "pandas.read_sas",
    ),
    "scores.dta": (stata(118), "a Stata file (.dta)", "export delimited"),
    "old.dta": (stata(114), "a Stata file (.dta)", "export delimited"),
    "scores.sav": (b"$FL2@(#) SPSS DATA FILE" + bytes(40), "an SPSS file (.sav)", "CSV"),
    "scores.arff": (ARFF, "an ARFF file", "CSV in Weka"),
    "weka.txt": (WEKA, "predictions of Weka as plain text", "as CSV with the distribution"),
    "scores.libsvm": (LIBSVM, "a LIBSVM (SVMlight) file", "the model's score"),
    "ranked.svm": (
        b"2 qid:1 1:0.1 2:0 #docid = d1\n0 qid:1 1:0.3 2:1 #docid = d2\n",
        "a LETOR file (LIBSVM with qid)",
        "query_id (the qid)",
    ),
    "scores.xlsx": (zipped("xl/workbook.xml"), "an Excel workbook (.xlsx)", "Save the sheet as CSV"),
    "scores.h5": (b"\x89HDF\r\n\x1a\n" + bytes(20), "an HDF5 file", "as CSV or Parquet"),
    "scores.npy": (numpy_file(np.save), "a NumPy array (.npy)", "as CSV"),
    "scores.npz": (numpy_file(np.savez), "a NumPy archive (.npz)", "as CSV"),
    **{
        f"scores{n}.pkl": (pickle.dumps([0.1, 0.4], protocol=n), "a Python pickle", "pickles run code")
        for n in (2, 4, 5)
    },
    "scores0.pkl": (pickle.dumps([0.1, 0.4], protocol=0), "a Python pickle", "to_csv"),
    "scores.rds": (b"X\n\x00\x00\x00\x03" + bytes(20), "an R data file (.rds)", "write.csv"),
    "scores.RData": (b"RDX3\nX\n\x00\x00\x00\x03", "an R data file (.RData)", "write.csv"),
    "scores.db": (database(), "an SQLite database", "table of the query"),
    "scores.pdf": (b"%PDF-1.7\n", "a PDF document", "the file with the predictions"),
    "plot.png": (b"\x89PNG\r\n\x1a\n", "a PNG image", "the file with the predictions"),
    "plot.jpg": (b"\xff\xd8\xff\xe0\x00\x10JFIF", "a JPEG image", "the file with the predictions"),
    "plot.tif": (b"II*\x00\x08\x00\x00\x00", "a TIFF image", "the file with the predictions"),
    "scores.zip": (zipped("scores.csv"), "a ZIP archive", "Unpack it"),
    "scores.avro": (b"Obj\x01\x04\x16avro.schema", "an Avro file", "as CSV or Parquet"),
    "scores.orc": (orc(), "an ORC file", "as CSV or Parquet"),
    "scores.tfrecord": (tfrecord(), "a TFRecord file", "as CSV or Parquet"),
    "scores.pb": (b"\x0a\x02\x08\x01\x12\x04\x00\xff\x80\x01", "a Protocol Buffers file", "as CSV"),
    "scores.yaml": (YAML, "a YAML document", "JSON Lines"),
    "bare.yml": (b"label: 0\nscore: 0.1\n", "a YAML document", "JSON Lines"),
    "scores.xml": (b"<scores>\n <score>0.1</score>\n</scores>\n", "an XML document", "as CSV or Parquet"),
    "scores.html": (b"<table><tr><td>0.1</td></tr></table>", "an HTML page", "Save the table itself"),
    "scores.mat": (
        b"MATLAB 5.0 MAT-file, Platform: GLNXA64" + bytes(90),
        "a MATLAB file (.mat)",
        "writetable",
    ),
}


NAMED_SO = [
    (name, called)
    for called in ("as it is", "predictions.csv", "retrieval.csv")
    for name, (_, kind, _) in FILES.items()
    if called == "as it is" or kind != "a Protocol Buffers file"  # whose bytes do not tell
]


@pytest.mark.parametrize(("name", "given"), NAMED_SO)
def test_a_file_of_another_kind_is_named_with_what_to_export(name, given, tmp_path, capsys):
    content, kind, advice = FILES[name]
    path = tmp_path / (name if given == "as it is" else given)
    path.write_bytes(content)
    for command in ("check", "evaluate"):
        assert main([command, str(path)]) == 2
        told = capsys.readouterr().err
        assert told.startswith(f"{path.name}: found {kind}")
        assert advice in told
        assert "--encoding" not in told
    found = inspect([Upload(path.name, content)])
    assert found.data is None
    assert [problem.code for problem in found.problems] == ["FILE-003"]
    assert kind in str(found.problems[0])


@pytest.mark.parametrize("task", ["evidence", "rag"])
@pytest.mark.parametrize("name", ["scores.sas7bdat", "scores.npy", "scores.arff"])
def test_both_families_name_it_alike(task, name):
    content, kind, _ = FILES[name]
    (found,) = inspect([Upload(name, content)], task=task).problems
    assert kind in found.found


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le"])
def test_text_of_wide_characters_is_told_its_encoding_and_read_with_it(encoding):
    content = CSV.encode(encoding)
    (found,) = inspect([Upload("scores.csv", content)]).problems
    assert f"Say --encoding {encoding}, or save it as UTF-8." in str(found)
    data = inspect([Upload("scores.csv", content)], encoding=encoding).data
    assert data is not None
    assert data.queries.score.tolist() == FRAME["score"].tolist()


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16", "UTF_16_BE", "utf-32-le"])
def test_binary_data_stay_binary_whatever_encoding_is_said(encoding):
    for content in (SAS, struct.pack("<4d", 0.1, 0.4, 0.35, 0.8)):
        (found,) = inspect([Upload("scores.bin", content)], encoding=encoding).problems
        assert found.code == "FILE-003"


@given(st.binary(min_size=1, max_size=300))
def test_no_advice_on_encodings_for_bytes_that_are_no_text(content):
    for name in ("scores.bin", "scores.csv"):
        found = foreign_format(content, name)
        if found is not None and "--encoding" in found[1]:
            encoding = wide_encoding(content)
            assert encoding is not None
            width = 2 if encoding.startswith("utf-16") else 4
            text = content[: len(content) // width * width].decode(encoding, "ignore")
            assert all(one.isprintable() or one in "\t\r\n" for one in text)


@given(
    st.binary(min_size=1, max_size=200) | st.text("\r\n\t,;|{}[]\"' ab1.:-é\x00", max_size=60).map(str.encode)
)
def test_no_bytes_whatever_end_in_a_fault_of_ours(content):
    found = inspect([Upload("scores.csv", content)])
    assert found.problems or found.data is not None
    assert "FILE-022" not in {problem.code for problem in found.problems}


@example([-2.0, 0.0], "<i4")  # begins as UTF-16 does
@example([-257.0, 0.0], "<i2")  # begins as UTF-32 does
@given(st.lists(st.floats(), min_size=2, max_size=40), st.sampled_from(["<f8", ">f8", "<f4", "<i4", "<i2"]))
def test_arrays_of_numbers_are_no_text(numbers, kind):
    with np.errstate(all="ignore"):
        content = np.nan_to_num(np.asarray(numbers), nan=1, posinf=2, neginf=3).clip(-1e4, 1e4).astype(kind)
    found = foreign_format(content.tobytes() + b"\x00\x00\x00\x00", "scores.bin")
    assert found is not None
    assert "--encoding" not in found[1]


def test_text_of_code_pages_is_no_binary_data():
    for text, encoding in (("naïve – 50µg\n", "cp1252"), ("оценка\n", "koi8-r"), ("評価\n", "shift_jis")):
        assert foreign_format(("label,score,note\n0,0.1," + text).encode(encoding), "scores.csv") is None


@pytest.mark.parametrize(
    "text",
    [
        CSV,
        "note: a,score\n1,0.5\n",
        "id,started\nq1,12:30\n",
        "1 Q0 d1 1 0.5 run\n",
        "q1 0 d1 1\n",
        "1 0.5\n0 0.25\n",
        '{"label": 1,\n "score": 0.5}\n',
        "<unit>,score\n1,0.5\n",
        "# made by hand\nlabel,score\n",
        "@relation_id;score\n1;0.5\n",
    ],
)
def test_tables_are_no_other_text(text):
    assert foreign_format(text.encode(), "scores.csv") is None
