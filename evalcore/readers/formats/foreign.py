"""Files that are no table of ours, by their first bytes: what each is, and what to export instead."""

from __future__ import annotations

import re

SAVE_AS_CSV = "Save the sheet as CSV (UTF-8) and give that file."
EXPORT = "Export the table as CSV or Parquet."
UNPACK = "Unpack it and give the table inside."
NO_TABLE = "Give the file with the predictions."
FROM_R = "Write it in R with write.csv(TABLE, FILE, row.names = FALSE)."
FROM_NUMPY = "Write it with numpy.savetxt or pandas as CSV, the names of the columns first."
FROM_PICKLE = "Load it where it was made, and write the table with to_csv or to_parquet; pickles run code."
FROM_SAS = (
    "Export it in SAS with PROC EXPORT … DBMS=CSV, or in Python with pandas.read_sas(FILE).to_csv(NEW, "
    "index=False)."
)
FROM_STATA = (
    "Export it in Stata with export delimited, or in Python with pandas.read_stata(FILE).to_csv(NEW)."
)
FROM_SPSS = "Export it in SPSS with Save as … CSV, or in Python with pandas.read_spss(FILE).to_csv(NEW)."
FROM_MATLAB = "Write it in MATLAB with writetable(TABLE, 'FILE.csv')."
FROM_DATABASE = "Export the table of the query that you need as CSV or Parquet."

_MAGIC: tuple[tuple[int, bytes, str, str], ...] = (
    (0, b"\xd0\xcf\x11\xe0", "an old Excel or Office file (.xls)", SAVE_AS_CSV),
    (0, b"\x1f\x8b\x08", "a gzip archive within another", "Unpack it once."),
    (0, b"\x28\xb5\x2f\xfd", "a zstd archive within another", "Unpack it once."),
    (0, b"%PDF", "a PDF document", NO_TABLE),
    (0, b"%!PS", "a PostScript document", NO_TABLE),
    (0, b"\x89PNG", "a PNG image", NO_TABLE),
    (0, b"\xff\xd8\xff", "a JPEG image", NO_TABLE),
    (0, b"GIF8", "a GIF image", NO_TABLE),
    (0, b"II*\x00", "a TIFF image", NO_TABLE),
    (0, b"MM\x00*", "a TIFF image", NO_TABLE),
    (8, b"WEBP", "a WebP image", NO_TABLE),
    (4, b"ftyp", "a film or an HEIC image", NO_TABLE),
    (0, b"RIFF", "a sound or film file", NO_TABLE),
    (128, b"DICM", "a DICOM image", NO_TABLE),
    (0, b"SQLite format 3\x00", "an SQLite database", FROM_DATABASE),
    (8, b"DUCK", "a DuckDB database", FROM_DATABASE),
    (0, b"\x89HDF", "an HDF5 file", EXPORT),
    (0, b"CDF\x01", "a NetCDF file", EXPORT),
    (0, b"CDF\x02", "a NetCDF file", EXPORT),
    (0, b"\x93NUMPY", "a NumPy array (.npy)", FROM_NUMPY),
    (0, b"BZh", "a bzip2 archive", UNPACK),
    (0, b"\xfd7zXZ", "an xz archive", UNPACK),
    (0, b"7z\xbc\xaf", "a 7-Zip archive", UNPACK),
    (0, b"Rar!", "a RAR archive", UNPACK),
    (0, b"\x04\x22\x4d\x18", "an LZ4 archive", UNPACK),
    (0, b"\xff\x06\x00\x00sNaPpY", "a Snappy archive", UNPACK),
    (257, b"ustar", "a tar archive", UNPACK),
    (0, b"RDX", "an R data file (.RData)", FROM_R),
    (0, b"RDA", "an R data file (.RData)", FROM_R),
    (0, b"X\n\x00\x00", "an R data file (.rds)", FROM_R),
    (0, b"A\n2\n", "an R data file (.rds)", FROM_R),
    (0, b"A\n3\n", "an R data file (.rds)", FROM_R),
    (0, b"$FL2", "an SPSS file (.sav)", FROM_SPSS),
    (0, b"$FL3", "an SPSS file (.zsav)", FROM_SPSS),
    (0, b"<stata_dta>", "a Stata file (.dta)", FROM_STATA),
    (
        0,
        bytes(12) + bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011"),
        "a SAS file (.sas7bdat)",
        FROM_SAS,
    ),
    (0, b"HEADER RECORD***", "a SAS transport file (.xpt)", FROM_SAS),
    (0, b"**COMPRESSED** *", "a SAS transport file (.cpt)", FROM_SAS),
    (0, b"MATLAB ", "a MATLAB file (.mat)", FROM_MATLAB),
    (0, b"ORC", "an ORC file", EXPORT),
    (0, b"Obj\x01", "an Avro file", EXPORT),
    (0, b"PARE", "an encrypted Parquet file", "Write it without encryption."),
    (0, b"{\\rtf", "a rich-text document", NO_TABLE),
    (
        0,
        b"version https://git-lfs",
        "a Git LFS pointer, not the file itself",
        "Fetch the file with git lfs pull.",
    ),
)
_ZIPPED = (
    (b"xl/", "an Excel workbook (.xlsx)", SAVE_AS_CSV),
    (b"word/", "a Word document (.docx)", NO_TABLE),
    (b"ppt/", "a PowerPoint document (.pptx)", NO_TABLE),
    (b".npy", "a NumPy archive (.npz)", FROM_NUMPY),
    (b"data.pkl", "a PyTorch file", FROM_PICKLE),
    (b"mimetypeapplication/vnd.oasis", "an OpenDocument file", SAVE_AS_CSV),
    (b"Index/Document.iwa", "a Numbers document", SAVE_AS_CSV),
)
_BY_NAME = {
    **dict.fromkeys(("pb", "binpb", "proto"), ("a Protocol Buffers file", EXPORT)),
    **dict.fromkeys(("tfrecord", "tfrecords"), ("a TFRecord file", EXPORT)),
    **dict.fromkeys(("pkl", "pickle", "joblib", "pt", "pth"), ("a Python pickle", FROM_PICKLE)),
    **dict.fromkeys(("dta",), ("a Stata file (.dta)", FROM_STATA)),
    **dict.fromkeys(("sas7bdat", "xpt"), ("a SAS file", FROM_SAS)),
    **dict.fromkeys(("sav", "por"), ("an SPSS file", FROM_SPSS)),
    **dict.fromkeys(("rds", "rda", "rdata"), ("an R data file", FROM_R)),
    **dict.fromkeys(("mat",), ("a MATLAB file (.mat)", FROM_MATLAB)),
    **dict.fromkeys(("xls", "xlsx", "xlsb", "ods", "numbers"), ("a spreadsheet", SAVE_AS_CSV)),
    **dict.fromkeys(("h5", "hdf5", "h5ad"), ("an HDF5 file", EXPORT)),
    **dict.fromkeys(("npy", "npz"), ("a NumPy file", FROM_NUMPY)),
    **dict.fromkeys(("db", "sqlite", "sqlite3", "duckdb", "mdb", "accdb"), ("a database", FROM_DATABASE)),
    **dict.fromkeys(
        ("bson", "avro", "orc", "msgpack", "cbor", "parquet", "feather"), ("binary data", EXPORT)
    ),
    **dict.fromkeys(("onnx", "safetensors", "ckpt"), ("the weights of a model", NO_TABLE)),
}
_OLD_STATA = range(0x68, 0x74)
_OLD_PICKLE = re.compile(rb"(?:\([dlt]p\d*\n|c[A-Za-z_][\w.]*\n[A-Za-z_]\w*\n|ccopy_reg\n)")
_MOST_RECORDS = 1000


def by_first_bytes(content: bytes) -> tuple[str, str] | None:
    """What bytes are that begin as a known format does, and what to do; None where they may be text."""
    if content[:4] == b"PK\x03\x04":
        return _zip(content)
    for offset, magic, kind, advice in _MAGIC:
        if content[offset : offset + len(magic)] == magic:
            return kind, advice
    if content[:1] == b"\x80" and content[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        return "a Python pickle", FROM_PICKLE
    if _OLD_PICKLE.match(content) and content.rstrip(b"\n").endswith(b"."):
        return "a Python pickle", FROM_PICKLE
    if (
        content[:1]
        and content[0] in _OLD_STATA
        and content[1:2] in (b"\x01", b"\x02")
        and content[2:4] == b"\x01\x00"
    ):
        return "a Stata file (.dta)", FROM_STATA
    if b"ASCII SPSS PORT FILE" in content[:400]:
        return "an SPSS file (.por)", FROM_SPSS
    if _is_tfrecord(content):
        return "a TFRecord file", EXPORT
    return None


def by_name(name: str) -> tuple[str, str]:
    """What binary data are by the ending of their file's name, where their bytes do not tell, and what to do.

    >>> by_name("scores.pb")[0], by_name("scores.csv")[0]
    ('a Protocol Buffers file', 'binary data')
    """
    ending = name.lower().rpartition(".")[2]
    return _BY_NAME.get(ending, ("binary data", "Export the table as CSV (UTF-8) or Parquet."))


def _zip(content: bytes) -> tuple[str, str]:
    for inside, kind, advice in _ZIPPED:
        if inside in content[:65536] or inside in content[-65536:]:
            return kind, advice
    return "a ZIP archive or an Excel workbook (.xlsx)", "Unpack it, or save the sheet as CSV (UTF-8)."


def _is_tfrecord(content: bytes) -> bool:
    """Whether the bytes are records, each behind its length and a checksum, and before another checksum."""
    at = n_records = 0
    while at < len(content) and n_records < _MOST_RECORDS:
        length = int.from_bytes(content[at : at + 8], "little")
        at += 16 + length
        n_records += 1
        if not length or at > len(content):
            return False
    return n_records > 0
