"""TREC qrels and run files: fields separated by blanks, no header, ``#`` lines are comments."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.csv

from evalcore.problems import SHOWN, Findings
from evalcore.readers.cells import numbers_of, spells_number, texts_of
from evalcore.readers.lines import data_rows
from evalcore.readers.table import SAMPLE_ROWS, Columns, Form

FIELDS = {
    "qrels": ("topic", "iteration", "document", "relevance"),
    "run": ("topic", "Q0", "document", "rank", "score", "tag"),
}
_WHOLE = re.compile(r"[+-]?[0-9]+")
_COMMENT = re.compile(rb"^#[^\n]*(?:\n|\Z)", re.MULTILINE)


def trec_kind(text: bytes) -> str | None:
    """``qrels`` or ``run`` where the first lines look so.

    >>> trec_kind(b"301 0 CR93E-1 1"), trec_kind(b"301 Q0 CR93E-1 1 2.5 mine"), trec_kind(b"id,score 3")
    ('qrels', 'run', None)
    """
    head = text[: 2**16].decode("utf-8", "replace").split("\n")
    lines = [line.split(None, 5) for line in head if line.strip() and not line.startswith("#")][:5]
    for kind, is_line in (("qrels", _is_judgement), ("run", _is_ranked)):
        fits = [is_line(fields) for fields in lines]
        if fits and (fits[0] or 2 * sum(fits) > len(fits)):
            return kind
    return None


def _is_judgement(fields: list[str]) -> bool:
    return len(fields) == 4 and bool(_WHOLE.fullmatch(fields[3]))


def _is_ranked(fields: list[str]) -> bool:
    return len(fields) == 6 and bool(_WHOLE.fullmatch(fields[3])) and spells_number(fields[4])


def sample_of(text: bytes, kind: str) -> dict[str, tuple[str, ...]]:
    """Field → the first cells."""
    head = text[: 2**18].decode("utf-8", "replace").split("\n")
    lines = [
        line.split(None, len(FIELDS[kind]) - 1) for line in head if line.strip() and not line.startswith("#")
    ]
    rows = [fields for fields in lines[:SAMPLE_ROWS] if len(fields) == len(FIELDS[kind])]
    return {field: tuple(row[i] for row in rows) for i, field in enumerate(FIELDS[kind])}


class TrecReader:
    """Reads the fields of a qrels or run file."""

    def __init__(self, text: bytes, kind: str, name: str, findings: Findings) -> None:
        self._text, self._kind, self._name, self._findings = text, kind, name, findings

    def __call__(self, forms: Mapping[str, Form]) -> Columns:
        """The fields in the forms asked for; lines that do not fit are reported and left out."""
        text = self._text.replace(b"\r\n", b"\n")
        plain = _COMMENT.sub(b"\n", text)
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
