"""What of a folder is opened, and what is told of the rest: nothing that may be a table is passed over."""

from __future__ import annotations

import re
from pathlib import Path

from evalcore.readers.formats.signatures import columnar_format, foreign_format

_TABLES = frozenset(
    {
        *(".csv", ".tsv", ".txt", ".parquet", ".pq", ".feather", ".arrow"),
        *(".jsonl", ".ndjson", ".json", ".run", ".qrels", ".dat", ".tab", ".data"),
    }
)
"""Endings of files that are opened without a look at how they begin."""
_MATRICES = re.compile(r"scores?([_.-].*)?\.np[yz]")
_DOCUMENTS = frozenset(
    {
        *(".md", ".rst", ".html", ".htm", ".css", ".js", ".tex", ".bib", ".pdf"),
        *(".png", ".svg", ".jpg", ".jpeg", ".gif", ".eps"),
        *(".py", ".pyc", ".ipynb", ".r", ".rmd", ".jl", ".sh", ".sql"),
        *(".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".log", ".lock", ".sha256", ".md5", ".crc"),
    }
)
"""Endings of what lies beside tables and is none."""
_TEXTS = re.compile(r"readme|licen[cs]e|copying|notice|makefile|dockerfile|changelog|authors")
_KEPT_BACK = re.compile(r".*(~|\.(bak|orig|old|tmp|temp|swp|part|crdownload))")
"""Names of copies that tools keep: they would be read beside what they are copies of."""
_COMPRESSED = (".gz", ".zst", ".zstd")
_PACKED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")
_HEAD = 2**16


def is_told(path: Path) -> bool:
    """Whether a file of a folder is opened, or told where it is not: no hidden one, no text about the others.

    >>> [is_told(Path(name)) for name in ("train.dat", "train.xlsx", "README.md", ".train.csv", "_SUCCESS")]
    [True, True, False, False, False]
    """
    name = _unpacked(path.name)
    suffix = Path(name).suffix
    if path.name.startswith("."):
        return False
    is_text = suffix in _DOCUMENTS or _TEXTS.fullmatch(Path(name).stem) is not None
    return suffix in _TABLES or not (name.startswith("_") or is_text)


def why_not_read(path: Path) -> str | None:
    """Why a file of a folder is not read as a whole, from its name and how it begins; None where it is.

    Raises
    ------
    OSError : where it cannot be opened.
    """
    name = _unpacked(path.name)
    if Path(name).suffix in _TABLES or _MATRICES.fullmatch(name):
        return None
    if _KEPT_BACK.fullmatch(name):
        return "a copy that is kept back, by its ending"
    with path.open("rb") as file:
        head = file.read(_HEAD)
    found = None if head.startswith(_PACKED) or columnar_format(head) else foreign_format(head, name)
    return None if found is None else found[0]


def parts_in(folder: Path) -> list[str]:
    """The folders in a folder that are called like tables, as Spark writes them."""
    return sorted(
        path.name
        for path in folder.iterdir()
        if path.is_dir() and Path(_unpacked(path.name)).suffix in _TABLES
    )


def _unpacked(name: str) -> str:
    """A name in small letters, without the ending of a compression."""
    plain = name.lower()
    for ending in _COMPRESSED:
        plain = plain.removesuffix(ending)
    return plain
