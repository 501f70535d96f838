"""TREC qrels and runs: fields separated by blanks, no header; ``#`` lines that are no rows are comments."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.csv

from evalcore.problems import SHOWN, Findings
from evalcore.readers.cells import numbers_of, spells_number, texts_of
from evalcore.readers.lines import data_rows
from evalcore.readers.row_names import fields_of, is_header
from evalcore.readers.table import SAMPLE_ROWS, Columns, Form

FIELDS = {
    "qrels": ("topic", "iteration", "document", "relevance"),
    "run": ("topic", "Q0", "document", "rank", "score", "tag"),
}
_LOOKED_AT = 6
_WHOLE = re.compile(r"[+-]?[0-9]+")
_HASHED = re.compile(rb"^#[^\n]*", re.MULTILINE)


def trec_kind(text: bytes) -> str | None:
    """``qrels`` or ``run`` where the first lines look so.

    >>> trec_kind(b"301 0 CR93E-1 1"), trec_kind(b"301 Q0 CR93E-1 1 2.5 mine"), trec_kind(b"id,score 3")
    ('qrels', 'run', None)
    >>> trec_kind(b"id\\tcriterion\\tscore\\tlabel\\n7\\tA.1\\t0.9\\t1\\n8\\tA.1\\t0.2\\t0\\n")
    """
    head = text[: 2**16].decode("utf-8", "replace").split("\n")
    if _is_table(head):
        return None
    for kind in FIELDS:
        lines = _rows(head, kind)[:5]
        if not lines or _names_columns(lines[0]):
            continue
        rows = [line.split(None, 5) for line in lines]
        fits = [_fits(fields, kind) for fields in rows]
        if (fits[0] or 2 * sum(fits) > len(fits)) and not all(_is_fraction(row) for row in rows):
            return kind
    return None


def _rows(lines: list[str], kind: str) -> list[str]:
    """The lines with something on them that are no comments."""
    return [line for line in lines if line.strip() and not (line.startswith("#") and _is_comment(line, kind))]


def _is_comment(line: str, kind: str) -> bool:
    """Whether a line that begins with ``#`` is no row of a topic such as ``#vaccines``."""
    fields = line.split(None, len(FIELDS[kind]) - 1)
    if fields[0] == "#" or not _fits(fields, kind):
        return True
    return kind == "qrels" and fields[1] != "Q0" and not _WHOLE.fullmatch(fields[1])


def _fits(fields: list[str], kind: str) -> bool:
    """Whether fields make a row; commas and semicolons behind them are separators of another table."""
    if len(fields) != len(FIELDS[kind]) or any(field[-1] in ",;" for field in fields[:3]):
        return False
    return bool(_WHOLE.fullmatch(fields[3])) and (kind == "qrels" or spells_number(fields[4]))


def _names_columns(line: str) -> bool:
    """Whether a line between tabs is a header: without a number."""
    return "\t" in line and not any(map(spells_number, line.split("\t")))


def _is_table(lines: list[str]) -> bool:
    """Whether a first line of names stands above rows as R writes them: in quotes, or with names of rows.

    Rows as long as the header are a table where most have a number with a fraction in the third field.
    """
    header, *rows = [line for line in lines if line.strip()][:_LOOKED_AT] or [""]
    names = fields_of(header)
    if not rows or not is_header(names):
        return False
    if header.lstrip()[:1] == '"' or all(len(fields_of(row)) == len(names) + 1 for row in rows):
        return True
    return 2 * sum(_is_fraction(row.split(None, 5)) for row in rows) > len(rows)


def _is_fraction(fields: list[str]) -> bool:
    """Whether the third field is a number with a fraction: a score, and no id of a document."""
    return len(fields) > 2 and spells_number(fields[2]) and not _WHOLE.fullmatch(fields[2])


def sample_of(text: bytes, kind: str) -> dict[str, tuple[str, ...]]:
    """Field → the first cells."""
    head = text[: 2**18].decode("utf-8", "replace").split("\n")
    lines = [line.split(None, len(FIELDS[kind]) - 1) for line in _rows(head, kind)]
    rows = [fields for fields in lines[:SAMPLE_ROWS] if len(fields) == len(FIELDS[kind])]
    return {field: tuple(row[i] for row in rows) for i, field in enumerate(FIELDS[kind])}


class TrecReader:
    """Reads the fields of a qrels or run file."""

    def __init__(self, text: bytes, kind: str, name: str, findings: Findings) -> None:
        self._text, self._kind, self._name, self._findings = text, kind, name, findings

    def __call__(self, forms: Mapping[str, Form]) -> Columns:
        """The fields in the forms asked for; lines that do not fit are reported and left out."""
        text = self._text.replace(b"\r\n", b"\n")
        plain = self._without_comments(text)
        row, n_blank = data_rows(plain, None)
        try:
            table = self._parse(plain, forms)
            kept = list(range(table.num_rows))
        except pa.ArrowException:
            table, kept = self._line_by_line(plain.decode("utf-8", "replace"))
        columns = {name: table.column(name) for name in forms}
        return Columns(
            n_rows=table.num_rows,
            n_blank=n_blank,
            row=row[kept],
            texts={name: texts_of(column) for name, column in columns.items() if forms[name] == "text"},
            numbers={name: numbers_of(column) for name, column in columns.items() if forms[name] == "number"},
            raw={},
        )

    def _without_comments(self, text: bytes) -> bytes:
        """The text with comments emptied; a broken row of a topic that begins with ``#`` is none."""
        hashed = [line.decode("utf-8", "replace") for line in _HASHED.findall(text)]
        topics = {line.split(None, 1)[0] for line in hashed if not _is_comment(line, self._kind)}

        def kept(line: re.Match[bytes]) -> bytes:
            topic = line.group().decode("utf-8", "replace").split(None, 1)[0]
            return line.group() if topic in topics else b""

        return _HASHED.sub(kept, text)

    def _parse(self, plain: bytes, forms: Mapping[str, Form]) -> Any:
        body = plain.replace(b"\t", b" ")
        while b"  " in body:
            body = body.replace(b"  ", b" ")
        body = body.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")
        coded = pa.dictionary(pa.int32(), pa.string())
        return pa.csv.read_csv(
            pa.BufferReader(body),
            read_options=pa.csv.ReadOptions(column_names=list(FIELDS[self._kind]), block_size=2**22),
            parse_options=pa.csv.ParseOptions(delimiter=" ", quote_char=False),
            convert_options=pa.csv.ConvertOptions(
                column_types={
                    name: coded if form == "text" else pa.float64() for name, form in forms.items()
                },
                include_columns=list(forms),
                null_values=[],
                check_utf8=False,
            ),
        )

    def _line_by_line(self, plain: str) -> tuple[Any, list[int]]:
        fields = FIELDS[self._kind]
        number = fields.index("relevance" if self._kind == "qrels" else "score")
        cells: list[list[str]] = []
        kept: list[int] = []
        wrong: list[tuple[int, str]] = []
        lines = [(line, text) for line, text in enumerate(plain.split("\n"), 1) if text.strip()]
        for at, (line, text) in enumerate(lines):
            parts = text.split(None, len(fields) - 1)
            has_junk = self._kind == "qrels" and len(text.split()) > len(
                fields
            )  # a run's last field takes the rest
            if len(parts) < len(fields) or has_junk:
                wrong.append((line, f"{len(text.split())} fields"))
            elif numbers_of(pa.array([parts[number]])).is_unreadable[0]:
                wrong.append((line, f"the {fields[number]} {parts[number][:40]}"))
            else:
                cells.append(parts)
                kept.append(at)
        code = "RNK-008" if self._kind == "qrels" else "RNK-007"
        for line, found in wrong[:SHOWN]:
            self._findings.add(code, file=self._name, line=line, found=found)
        self._findings.count_more(code, len(wrong))
        columns = list(zip(*cells, strict=True)) if cells else [()] * len(fields)
        return pa.table({name: pa.array(columns[i], pa.string()) for i, name in enumerate(fields)}), kept
