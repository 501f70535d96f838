"""From bytes to a table: formats, compression, encodings, separators, quotes and rows of a wrong length."""

import gzip
import hashlib

import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from evalcore import inspect, load
from evalcore.readers import Upload
from evalcore.readers.formats.text import quoting
from tests.support.reading import read, refused, upload, warned

HEADER = "post_id,criterion_id,has_evidence,probability\n"
GOOD = HEADER + "p1,A.1,1,0.9\np1,A.2,0,0.25\np2,A.1,0,0.125\np2,A.2,1,0.30000000000000004\n"
SCORES = [0.9, 0.25, 0.125, 0.30000000000000004]
FRAME = pd.DataFrame(
    {
        "post_id": ["p1", "p1", "p2", "p2"],
        "criterion_id": ["A.1", "A.2", "A.1", "A.2"],
        "has_evidence": [1, 0, 0, 1],
        "probability": SCORES,
    }
)
LENGTH = "Quote fields that contain the separator, and write a separator for every empty cell. [FILE-006]"


def parquet(frame: pd.DataFrame) -> bytes:
    return frame.to_parquet()


def feather(frame: pd.DataFrame) -> bytes:
    sink = pa.BufferOutputStream()
    pa.feather.write_feather(pa.Table.from_pandas(frame), sink)
    return sink.getvalue().to_pybytes()


def json_lines(frame: pd.DataFrame) -> bytes:
    return frame.to_json(orient="records", lines=True, double_precision=15).encode()


FORMATS = {
    "comma": GOOD.encode(),
    "semicolon": GOOD.replace(",", ";").encode(),
    "tab": GOOD.replace(",", "\t").encode(),
    "decimal comma": GOOD.replace(",", ";").replace("0.", "0,").encode(),
    "byte order mark": b"\xef\xbb\xbf" + GOOD.encode(),
    "utf-16": GOOD.encode("utf-16"),
    "carriage returns": GOOD.replace("\n", "\r\n").encode(),
    "old Macintosh": GOOD.replace("\n", "\r").encode(),
    "no newline at the end": GOOD.rstrip("\n").encode(),
    "all quoted": "\n".join(
        ",".join(f'"{cell}"' for cell in line.split(",")) for line in GOOD.splitlines()
    ).encode(),
    "Excel's hint": b"sep=;\n" + GOOD.replace(",", ";").encode(),
    "a separator at the end of each row": GOOD.replace("\n", ",\n")
    .replace("probability,", "probability")
    .encode(),
    "Parquet": parquet(FRAME),
    "Feather": feather(FRAME),
    "Parquet with an index": parquet(FRAME.set_index([[7, 8, 9, 10]])),
    "categories": parquet(FRAME.astype({"post_id": "category", "criterion_id": "category"})),
    "booleans": parquet(FRAME.astype({"has_evidence": bool})),
    "floating labels": parquet(FRAME.astype({"has_evidence": float})),
    "JSON Lines": json_lines(FRAME).replace(b"0.3}", b"0.30000000000000004}"),
}


@pytest.mark.parametrize("content", FORMATS.values(), ids=FORMATS.keys())
@pytest.mark.parametrize("packing", ["plain", "gzip", "zstd"])
def test_every_format_and_packing_reads_the_same(content, packing):
    if packing == "gzip":
        content = gzip.compress(content, mtime=0)
    elif packing == "zstd":
        content = pa.compress(content, codec="zstd", asbytes=True)
    data = read(content)
    queries = data.queries
    assert queries.post_ids[queries.post].tolist() == FRAME["post_id"].tolist()
    assert queries.criterion_ids[queries.criterion].tolist() == FRAME["criterion_id"].tolist()
    assert queries.has_evidence.tolist() == [True, False, False, True]
    assert queries.score.tolist() == SCORES
    assert queries.row.tolist() == [1, 2, 3, 4]
    assert queries.models == ("probability",)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (FORMATS["comma"], "CSV, comma, UTF-8"),
        (FORMATS["decimal comma"], "CSV, semicolon, decimal comma, UTF-8"),
        (FORMATS["tab"], "CSV, tab, UTF-8"),
        (FORMATS["utf-16"], "CSV, comma, UTF-16-LE"),
        (gzip.compress(FORMATS["comma"], mtime=0), "CSV, comma, UTF-8, gzip"),
        (FORMATS["Parquet"], "Parquet"),
        (FORMATS["Feather"], "Feather"),
        (FORMATS["JSON Lines"], "JSON Lines"),
    ],
    ids=["comma", "decimal comma", "tab", "utf-16", "gzip", "Parquet", "Feather", "JSON Lines"],
)
def test_the_format_is_said_in_words(content, words):
    assert read(content).sources[0].format == words


def test_a_source_holds_the_digest_of_the_bytes_as_they_came():
    content = gzip.compress(b"y_true,y_prob\n1,0.5\n0,0.25\n", mtime=0)
    source = read(content).sources[0]
    assert (source.sha256, source.n_bytes) == (hashlib.sha256(content).hexdigest(), len(content))
    assert (source.n_rows, source.n_used, dict(source.excluded)) == (2, 2, {})


FOREIGN = {
    b"PK\x03\x04 [Content_Types].xml xl/workbook.xml": "an Excel workbook (.xlsx)",
    b"PK\x03\x04 word/document.xml": "a Word document (.docx)",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "an old Excel or Office file (.xls)",
    b"%PDF-1.7": "a PDF document",
    b"\x89PNG\r\n\x1a\n": "a PNG image",
    b"SQLite format 3\x00": "an SQLite database",
    b"BZh91AY": "a bzip2 archive",
    b"7z\xbc\xaf\x27\x1c": "a 7-Zip archive",
    b"\x89HDF\r\n": "an HDF5 file",
    b"  <!DOCTYPE html><html>": "an HTML page",
    b"<?xml version='1.0'?>": "an XML document",
    b"version https://git-lfs.github.com/spec/v1\n": "a Git LFS pointer, not the file itself",
    GOOD.encode("utf-16-le"): "UTF-16 text without its mark",
    b"ab\x01\x00\x02\x03": "binary data",
}


@pytest.mark.parametrize(("content", "kind"), FOREIGN.items(), ids=FOREIGN.values())
def test_a_foreign_file_is_told_by_its_bytes_whatever_its_name(content, kind):
    (found,) = refused(content)
    assert found.startswith(
        f"predictions.csv: found {kind}, expected CSV, Parquet, JSON Lines or Feather, or one"
    )
    assert found.endswith("[FILE-003]")


@pytest.mark.parametrize(
    "content",
    [b"", b"\n\n", b"   ", gzip.compress(b"", mtime=0)],
    ids=["nothing", "newlines", "blanks", "an empty archive"],
)
def test_an_empty_file_is_told(content):
    assert refused(content)[0] == (
        "predictions.csv: found an empty file, expected a table with a header and rows. Export the file "
        "again. "
        "[FILE-002]"
    )


@pytest.mark.parametrize(
    "content",
    [HEADER, HEADER + "\n\n", parquet(FRAME[:0]), feather(FRAME[:0])],
    ids=["CSV", "blank lines", "Parquet", "Feather"],
)
def test_a_header_without_rows_is_told(content):
    assert refused(content) == [
        "predictions.csv: found no rows after the header, expected at least one row. Export the file "
        "with its rows. "
        "[FILE-008]"
    ]


def test_a_damaged_archive_is_told():
    cut = gzip.compress(GOOD.encode(), mtime=0)[:-12]
    assert refused(cut) == [
        "predictions.csv: found data that cannot be read as gzip: the end of the archive is missing, "
        "expected a "
        "whole gzip file. Export it again. [FILE-007]"
    ]


def test_a_damaged_parquet_file_is_told():
    (found,) = refused(parquet(FRAME)[:-30])
    assert found.startswith("predictions.csv: found data that cannot be read as Parquet: ")
    assert found.endswith(", expected a whole Parquet file. Export it again. [FILE-007]")


def test_text_in_another_encoding_needs_the_right_name():
    latin = (HEADER + "pé,A.1,1,0.5\n").encode("latin-1")
    assert read(latin, encoding="latin-1").queries.post_ids.tolist() == ["pé"]
    assert refused(latin, encoding="ascii") == [
        "predictions.csv: found bytes that are not ASCII (first at byte 47), expected text in the "
        "encoding that "
        "was given. Check --encoding. [FILE-016]"
    ]
    assert refused(latin, encoding="klingon") == [
        "predictions.csv: found the encoding 'klingon', expected a known text encoding such as utf-8 or "
        "cp1252. "
        "Check --encoding. [FILE-013]"
    ]


def test_the_preview_of_undecoded_text_is_there_before_the_choice():
    table = inspect(upload((HEADER + "pé,A.1,1,0.5\n").encode("cp1252"))).tables[0]
    assert table.encoding == "Windows-1252"
    assert table.preview == (("pé", "A.1", "1", "0.5"),)


def test_a_separator_is_never_missed_where_another_gives_more_columns():
    data = read(
        "post_id;criterion_id, as named;label;p\nx;A;1;0,5\ny;A;0;0,25\n",
        columns={"criterion": "criterion_id, as named"},
    )
    assert data.queries.score.tolist() == [0.5, 0.25]


def test_a_quoted_field_may_hold_separators_quotes_and_line_breaks():
    data = read('post_id,criterion_id,label,p\n"a,b","say ""hi""",1,0.5\n"c\nd",A,0,"0.25"\n')
    assert data.queries.post_ids.tolist() == ["a,b", "c\nd"]
    assert data.queries.criterion_ids.tolist() == ['say "hi"', "A"]
    assert data.queries.row.tolist() == [1, 2]


@pytest.mark.parametrize("piece", [1, 3, 2**18])
def test_quotes_are_told_alike_wherever_the_text_is_cut(piece, monkeypatch):
    monkeypatch.setattr(quoting, "_PIECE", piece)
    rows = 'post_id,criterion_id,label,p\n"a,b","say ""hi""",1,0.5\n"c\nd",A,0,"0.25"\n'
    assert read(rows).queries.row.tolist() == [1, 2]
    assert refused(f'{rows}"1"7,A,0,0.5\n')[0].endswith("[FILE-015]")
    assert refused(f'{rows}"17,A,0,0.5\n')[0].endswith("[FILE-005]")


def test_text_after_a_closing_quote_is_named_with_line_and_column():
    assert refused('post_id,criterion_id,label,p\nx,A,1,0.5\n"1"7,A,0,0.5\n') == [
        "predictions.csv, line 3, column post_id: found text after a closing quote, expected a separator "
        "or the end "
        'of the line. Double the quotes ("") that belong to the text. [FILE-015]'
    ]


def test_an_open_quote_that_meets_another_one_is_named_where_it_opens():
    assert refused('sep=,\npost_id,label,p\n"x,1,0.5\ny,0,"0.25"\n')[0] == (
        "predictions.csv, line 3, column post_id: found a quote that is opened and never closed, "
        "expected each "
        'quoted field to end with a quote. Close the quote, or double it ("") where it belongs to the text. '
        "[FILE-005]"
    )


def test_rows_of_a_wrong_length_are_named_and_the_others_still_checked():
    assert refused(HEADER + "x,A,1\n\ny,A,0,0.5,9\n  \nz,A,1,7\n") == [
        f"predictions.csv, row 3: found 5 fields, expected 4 fields as in the header. {LENGTH}",
        f"predictions.csv, row 1: found 3 fields, expected 4 fields as in the header. {LENGTH}",
        "predictions.csv, row 5, column probability: found 7, expected a probability from 0 to 1. Divide "
        "percentages "
        "by 100. [QRY-003]",
    ]


def test_a_short_row_whose_needed_cells_are_there_is_read_with_a_warning():
    data = read("post_id,label,p,mrr,correct\nx,1,0.5,0.25,1\ny,0,0.5,1\n")
    assert data.queries.score.tolist() == [0.5, 0.5]
    assert data.queries.numbers == {}
    assert data.queries.slices == {}
    assert warned(data) == [
        "predictions.csv, row 2: found 4 fields where the header has 5. The missing cell is taken to be "
        "behind the "
        "columns that are needed; left out: mrr, correct. [FILE-023]"
    ]


def test_a_header_name_twice_is_refused():
    wanted = (
        "predictions.csv: found the header name 'p' twice, expected each column name once. "
        "Rename one of the two columns. [FILE-009]"
    )
    assert refused("post_id,label,p,p\nx,1,0.5,0.6\n") == [wanted]
    twice = pa.table([["x"], [1], [0.5], [0.6]], names=["post_id", "label", "p", "p"])
    sink = pa.BufferOutputStream()
    pa.parquet.write_table(twice, sink)
    assert refused(sink.getvalue().to_pybytes()) == [wanted]


def test_empty_rows_under_the_table_are_left_out_and_counted():
    source = read(GOOD + ",,,\n,,,\n").sources[0]
    assert (source.n_rows, source.n_used, dict(source.excluded)) == (6, 4, {"empty row": 2})


def test_lines_that_are_no_json_are_named():
    text = '{"post_id": 1}\n{"post_id": 2,}\n[3]\n{"a": 1, "a": 2}\n'
    found = refused(text)
    assert found[0].startswith("predictions.csv, line 2: found text that is not JSON: ")
    assert found[1:] == [
        "predictions.csv, line 3: found a JSON array, not an object, expected valid JSON on every line. "
        "Write one "
        "JSON object per line. [FILE-011]",
        "predictions.csv, line 4: found the name 'a' twice, expected valid JSON on every line. Write one "
        "JSON object "
        "per line. [FILE-011]",
    ]


def test_json_ids_keep_the_text_they_are_written_with():
    text = (
        '{"post_id": 17, "label": 1, "p": 0.5}\n'
        '{"post_id": 17.0, "label": 0, "p": 0.25}\n'
        '{"post_id": "017", "label": true, "p": 1}\n'
        '{"post_id": 9007199254740993, "label": false, "p": 1e-3}\n'
    )
    data = read(text)
    assert data.queries.post_ids.tolist() == ["17", "17.0", "017", "9007199254740993"]
    assert data.queries.score.tolist() == [0.5, 0.25, 1.0, 0.001]
    assert warned(data) == [
        "predictions.csv, column post_id: found ids that look alike: “17” (row 1) and “17.0” (row 2) and "
        "“017” "
        "(row 3). They are kept as different ids; make sure that they are. [QRY-007]"
    ]


def test_dates_in_json_stay_text():
    data = read(
        '{"post_id": "2024-01-01", "label": 1, "p": 0.5}\n{"post_id": "2024-01-02", "label": 0, "p": 0.5}\n'
    )
    assert data.queries.post_ids.tolist() == ["2024-01-01", "2024-01-02"]


def test_whole_numbers_as_ids_become_text_and_floating_ones_are_warned_about():
    whole = FRAME.assign(post_id=[17, 17, 18, 18])
    assert read(parquet(whole)).queries.post_ids.tolist() == ["17", "18"]
    floating = read(parquet(whole.astype({"post_id": float})))
    assert floating.queries.post_ids.tolist() == ["17", "18"]
    assert warned(floating) == [
        "predictions.csv, column post_id: found ids stored as floating-point numbers, such as 17.0. They "
        "are read as "
        "whole numbers (17); store ids as text. [QRY-021]"
    ]
    broken = whole.assign(post_id=[17.5, 17.5, 18, 18])
    assert refused(parquet(broken))[0] == (
        "predictions.csv, row 1, column post_id: found the floating-point number 17.5 as an id, expected "
        "an id as "
        "text or as a whole number. Store ids as text: a floating-point number does not keep how an id "
        "was written. "
        "[QRY-022]"
    )


def test_missing_native_values_are_empty_cells():
    assert refused(
        parquet(FRAME.assign(post_id=["p1", None, "p2", "p2"], probability=[0.5, 0.5, None, 0.5]))
    ) == [
        "predictions.csv, row 2, column post_id: found an empty cell, expected a name or id. Fill the "
        "cell or leave "
        "the row out. [QRY-005]",
        "predictions.csv, row 3, column probability: found an empty cell, expected a probability from 0 "
        "to 1. Fill "
        "the cell or leave the row out. [QRY-005]",
    ]


def test_more_rows_than_allowed_are_refused_before_they_are_read():
    wanted = (
        "predictions.csv: found 4 rows, expected at most 3. Raise EVALCORE_MAX_ROWS or send a part. "
        "[FILE-012]"
    )
    assert refused(GOOD, max_rows=3) == [wanted]
    assert refused(parquet(FRAME), max_rows=3) == [wanted]
    assert len(read(GOOD, max_rows=4).queries) == 4


def test_a_row_longer_than_a_block_is_read():
    ids = "|".join(f"s{i}" for i in range(900_000))
    data = load(Upload("lists.csv", f"post_id,gold_ids,ranked_ids\nx,s1,{ids}\n".encode()))
    assert data.rankings.lists["ranked_ids"].n_candidates.tolist() == [900_000]


def test_files_folders_and_globs_read_what_fits(tmp_path):
    (tmp_path / "a.csv").write_text(GOOD)
    (tmp_path / "summary.json").write_text("{\n}\n")
    (tmp_path / "other.csv").write_text("x,y\n1,2\n")
    (tmp_path / "README.md").write_text("not a table")
    (tmp_path / ".hidden.csv").write_text("x")
    for inputs in (tmp_path, str(tmp_path), tmp_path / "*.csv", str(tmp_path / "*")):
        data = load(inputs)
        assert [source.name for source in data.sources] == ["a.csv"]
    assert warned(load(tmp_path / "*.csv")) == [
        "other.csv: found no table that can be read: its columns fit no known table. The file of this "
        "folder was "
        "left out. [FILE-019]"
    ]


def test_a_part_that_cannot_be_read_is_refused_and_never_left_out(tmp_path):
    (tmp_path / "part-0.csv").write_text("id,label,score\nr1,0,0.1\nr2,1,0.9\n")
    (tmp_path / "part-1.csv").write_text("r3,0,0.1\nr4,1,0.9\n")
    assert len(load(tmp_path).queries) == 2
    with pytest.raises(Exception, match=r"part-1\.csv: found a part that cannot be read") as caught:
        load(tmp_path, files_as="parts")
    assert [one.code for one in caught.value.problems if one.severity == "error"] == ["FILE-060"]


def test_a_mapping_by_hand_decides_what_fits_in_a_folder(tmp_path):
    (tmp_path / "odd.csv").write_text("who,truth,guess\nx,1,0.5\ny,0,0.25\n")
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    data = load(tmp_path, columns={"post_id": "who", "label": "truth", "score": "guess"})
    assert data.queries.post_ids.tolist() == ["x", "y"]
    assert [problem.code for problem in data.warnings] == ["FILE-019"]


def test_paths_without_a_table_are_told(tmp_path):
    for missing in (tmp_path / "none.csv", tmp_path / "none*.csv"):
        with pytest.raises(Exception, match="found no such file, expected a file that exists"):
            load(missing)
    with pytest.raises(Exception, match="found no table among 0 files, expected at least one input"):
        load(tmp_path)


def test_nothing_that_was_read_can_be_written_to():
    queries = read(GOOD).queries
    with pytest.raises(ValueError, match="read-only"):
        queries.score[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        queries.post_ids[0] = "x"
