"""TREC qrels and runs: fields separated by blanks, no header; ``#`` lines that are no rows are comments."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.csv

from evalcore.problems import SHOWN, Findings
from evalcore.readers.formats.cells import numbers_of, spells_number, texts_of
from evalcore.readers.formats.table import SAMPLE_ROWS, Columns, Form
from evalcore.readers.formats.text.lines import data_rows
from evalcore.readers.formats.text.row_names import fields_of, is_header

_LOOKED_AT = 6
_WHOLE = re.compile(r"[+-]?[0-9]+")
_GRADE = re.compile(r"[+-]?[0-9]+(\.0*)?")
_NOT_FINITE = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)
_HASHED = re.compile(rb"^#[^\n]*", re.MULTILINE)
_LEAST_DEPTH = 3
_CERTAIN_DEPTH = 6
"""A list as long as this, its values 1, 2, 3, …, holds ranks: there are hardly as many grades."""


@dataclass(frozen=True)
class Layout:
    """The fields of a line.

    Parameters
    ----------
    kind : ``qrels`` or ``run``.
    fields : their names in order; the last of a run with a tag takes the rest of the line.
    """

    kind: str
    fields: tuple[str, ...]

    @property
    def words(self) -> str:
        """What a line is expected to hold."""
        return f"{_COUNTED[len(self.fields)]} fields: {' '.join(self.fields)}"

    @property
    def number(self) -> str | None:
        """The field that orders or grades; None where the order of the lines does."""
        return next((name for name in ("relevance", "score", "rank") if name in self.fields), None)


_COUNTED = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}
QRELS = Layout("qrels", ("topic", "iteration", "document", "relevance"))
RUN = Layout("run", ("topic", "Q0", "document", "rank", "score", "tag"))
RUN_WITHOUT_TAG = Layout("run", RUN.fields[:-1])
JUDGED = Layout("qrels", ("topic", "document", "relevance"))
RANKED = Layout("run", ("topic", "document", "rank"))
SCORED = Layout("run", ("topic", "document", "score"))
LISTED = Layout("run", ("topic", "document"))
PLACED = Layout("run", ("topic", "document", "rank", "score"))
KINDS = ("qrels", "run")
MOST_SHORT = 3
"""Fields of a line that other tables have too."""


def trec_kind(text: bytes) -> str | None:
    """``qrels`` or ``run`` where the first lines look so.

    >>> trec_kind(b"301 0 CR93E-1 1"), trec_kind(b"301 Q0 CR93E-1 1 2.5 mine"), trec_kind(b"id,score 3")
    ('qrels', 'run', None)
    >>> trec_kind(b"id\\tcriterion\\tscore\\tlabel\\n7\\tA.1\\t0.9\\t1\\n8\\tA.1\\t0.2\\t0\\n")
    """
    layout = trec_layout(text)
    return None if layout is None else layout.kind


def trec_layout(text: bytes) -> Layout | None:
    """The layout of TREC that the first lines have: grades may be written 1.0, and a run may lack its tag.

    >>> trec_layout(b"301 Q0 CR93E-1 1 2.5").words
    'five fields: topic Q0 document rank score'
    """
    head = _head(text)
    if _is_table(head):
        return None
    for layout in (QRELS, RUN, RUN_WITHOUT_TAG):
        lines = _rows(head, layout)[:5]
        if not lines or _names_columns(lines[0]):
            continue
        rows = [line.split(None, 5) for line in lines]
        fits = [_fits(fields, layout) for fields in rows]
        if (fits[0] or 2 * sum(fits) > len(fits)) and not all(_is_fraction(row) for row in rows):
            return layout
    return PLACED if _are_placed(head) else None


def _are_placed(head: list[str]) -> bool:
    """Whether lines hold query, document, rank and score: ranks that count, along which fractions fall.

    Labels of 0 and 1 count no further than to a second row.
    """
    rows = [line.split() for line in _rows(head[:SAMPLE_ROWS], PLACED)]
    if not rows or any(len(fields) != len(PLACED.fields) or not _fits(fields, PLACED) for fields in rows):
        return False
    of_topic: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
    for topic, _, rank, score in rows:
        of_topic[topic].append((int(rank), float(score)))
    lists = [sorted(one) for one in of_topic.values()]
    if max(map(len, lists)) < _LEAST_DEPTH or all(_GRADE.fullmatch(fields[3]) for fields in rows):
        return False
    ranks = [[rank for rank, _ in one] for one in lists]
    is_counted = all(one in ([*range(1, len(one) + 1)], [*range(len(one))]) for one in ranks)
    return is_counted and all(a[1] >= b[1] for one in lists for a, b in itertools.pairwise(one))


def short_layouts(text: bytes) -> tuple[tuple[Layout, ...], str | None]:
    """The layouts that lines of two or three fields could have, and the kind that the values speak for.

    Three fields may be a judgement or a place in a run; other tables look like that too.

    >>> layouts, said = short_layouts(b"1\\t7\\t1\\n1\\t9\\t2\\n")
    >>> [layout.words for layout in layouts], said
    (['three fields: topic document relevance', 'three fields: topic document rank'], None)
    """
    head = _head(text)
    for n in (MOST_SHORT, 2):
        layouts = (SCORED,) if n == MOST_SHORT else (LISTED,)
        rows = [line.split() for line in _rows(head, layouts[0])[:SAMPLE_ROWS]]
        if rows and all(len(fields) == n and not _has_marks(fields) for fields in rows):
            return (layouts, None) if n == 2 else _by_values(rows)
    return (), None


def _by_values(rows: list[list[str]]) -> tuple[tuple[Layout, ...], str | None]:
    """What three fields can be by the numbers in the last, and what they are most likely."""
    if not all(spells_number(fields[2]) or _NOT_FINITE.fullmatch(fields[2]) for fields in rows):
        return (), None
    if not all(_GRADE.fullmatch(fields[2]) for fields in rows):
        return (SCORED,), None
    of_topic: defaultdict[str, list[float]] = defaultdict(list)
    for topic, _, value in rows:
        of_topic[topic].append(float(value))
    if any(len(set(values)) < len(values) for values in of_topic.values()):
        return (JUDGED, RANKED), "qrels"
    whole = list(of_topic.values())[:-1] or list(of_topic.values())  # the last one may be cut off
    counted = all(sorted(v) in ([*range(1, len(v) + 1)], [*range(len(v))]) for v in whole)
    if counted and max(map(len, whole)) >= _CERTAIN_DEPTH:
        return (RANKED,), None
    return (JUDGED, RANKED if counted else SCORED), None


def _has_marks(fields: list[str]) -> bool:
    """Whether commas or semicolons stand behind fields, as separators of another table."""
    return any(field[-1] in ",;" for field in fields)


def _head(text: bytes) -> list[str]:
    return text[: 2**16].decode("utf-8", "replace").split("\n")


def _rows(lines: list[str], layout: Layout) -> list[str]:
    """The lines with something on them that are no comments."""
    return [
        line for line in lines if line.strip() and not (line.startswith("#") and _is_comment(line, layout))
    ]


def _is_comment(line: str, layout: Layout) -> bool:
    """Whether a line that begins with ``#`` is no row of a topic such as ``#vaccines``."""
    fields = line.split(None, len(layout.fields) - 1)
    if fields[0] == "#" or layout is LISTED or not _fits(fields, layout):
        return True
    return layout is QRELS and fields[1] != "Q0" and not _WHOLE.fullmatch(fields[1])


def _fits(fields: list[str], layout: Layout) -> bool:
    """Whether fields make a row; commas and semicolons behind them are separators of another table."""
    if len(fields) != len(layout.fields) or _has_marks(fields[:3]):
        return False
    if layout is QRELS:
        is_judged = fields[1].upper() == "Q0" or _WHOLE.fullmatch(fields[1])
        return bool(_WHOLE.fullmatch(fields[3]) or (is_judged and _GRADE.fullmatch(fields[3])))
    if layout is PLACED:
        return bool(_WHOLE.fullmatch(fields[2])) and spells_number(fields[3])
    if len(fields) < 4:
        return layout is LISTED or spells_number(fields[2])
    if fields[1].upper() == "Q0":
        return bool(_GRADE.fullmatch(fields[3]))
    is_scored = spells_number(fields[4]) or bool(_NOT_FINITE.fullmatch(fields[4]))
    return layout is RUN and bool(_WHOLE.fullmatch(fields[3])) and is_scored


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


def sample_of(text: bytes, layout: Layout) -> dict[str, tuple[str, ...]]:
    """Field → the first cells."""
    head = text[: 2**18].decode("utf-8", "replace").split("\n")
    n_fields = len(layout.fields)
    lines = [line.split(None, n_fields - 1) for line in _rows(head, layout)]
    rows = [fields for fields in lines[:SAMPLE_ROWS] if len(fields) == n_fields]
    return {field: tuple(row[i] for row in rows) for i, field in enumerate(layout.fields)}


class TrecReader:
    """Reads the fields of a qrels or run file."""

    def __init__(self, text: bytes, layout: Layout, name: str, findings: Findings) -> None:
        self._text, self._layout, self._name, self._findings = text, layout, name, findings
        self._is_told = False

    def __call__(self, forms: Mapping[str, Form]) -> Columns:
        """The fields in the forms asked for; lines that do not fit are reported and left out."""
        text = self._text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")  # Arrow ends lines at each of them
        plain, n_comments = self._without_comments(text)
        row, n_blank = data_rows(plain, None)
        try:
            table = self._parse(plain, forms)
            kept = list(range(table.num_rows))
        except pa.ArrowException:
            table, kept = self._line_by_line(plain.decode("utf-8", "replace"))
        columns = {name: table.column(name) for name in forms}
        return Columns(
            n_rows=table.num_rows,
            n_blank=n_blank - n_comments,
            n_comments=n_comments,
            row=row[kept],
            texts={name: texts_of(column) for name, column in columns.items() if forms[name] == "text"},
            numbers={name: numbers_of(column) for name, column in columns.items() if forms[name] == "number"},
            raw={name: column for name, column in columns.items() if forms[name] == "raw"},
        )

    def _without_comments(self, text: bytes) -> tuple[bytes, int]:
        """The text with comments emptied, and their number; a broken row of a topic like ``#a`` is none."""
        hashed = [line.decode("utf-8", "replace") for line in _HASHED.findall(text)]
        topics = {line.split(None, 1)[0] for line in hashed if not _is_comment(line, self._layout)}
        n_comments = sum(line.split(None, 1)[0] not in topics for line in hashed)
        if n_comments and not text.endswith(b"\n"):
            text += b"\n"  # a last line that is emptied stays a line

        def kept(line: re.Match[bytes]) -> bytes:
            topic = line.group().decode("utf-8", "replace").split(None, 1)[0]
            return line.group() if topic in topics else b""

        return _HASHED.sub(kept, text), n_comments

    def _parse(self, plain: bytes, forms: Mapping[str, Form]) -> Any:
        body = plain.replace(b"\t", b" ")
        while b"  " in body:
            body = body.replace(b"  ", b" ")
        body = body.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")
        kinds = {"text": pa.dictionary(pa.int32(), pa.string()), "number": pa.float64()}
        return pa.csv.read_csv(
            pa.BufferReader(body),
            read_options=pa.csv.ReadOptions(column_names=list(self._layout.fields), block_size=2**22),
            parse_options=pa.csv.ParseOptions(delimiter=" ", quote_char=False),
            convert_options=pa.csv.ConvertOptions(
                column_types={name: kinds.get(form, pa.string()) for name, form in forms.items()},
                include_columns=list(forms),
                null_values=[],
                check_utf8=False,
            ),
        )

    def _line_by_line(self, plain: str) -> tuple[Any, list[int]]:
        layout = self._layout
        fields, number = layout.fields, layout.number
        cells: list[list[str]] = []
        kept: list[int] = []
        wrong: list[tuple[int, str]] = []
        lines = [(line, text) for line, text in enumerate(plain.split("\n"), 1) if text.strip()]
        for at, (line, text) in enumerate(lines):
            parts = text.split(None, len(fields) - 1)
            # The tag of a run takes the rest of its line; nothing else may.
            has_junk = fields[-1] != "tag" and len(text.split()) > len(fields)
            if len(parts) < len(fields) or has_junk:
                wrong.append((line, f"{len(text.split())} fields"))
            elif number is not None and _is_no_number(parts[fields.index(number)]):
                wrong.append((line, f"the {number} {parts[fields.index(number)][:40]}"))
            else:
                cells.append(parts)
                kept.append(at)
        code = "RNK-008" if layout.kind == "qrels" else "RNK-007"
        if not self._is_told:
            self._is_told = True
            for line, found in wrong[:SHOWN]:
                self._findings.add(code, file=self._name, line=line, found=found, expected=layout.words)
            self._findings.count_more(code, len(wrong))
        columns = list(zip(*cells, strict=True)) if cells else [()] * len(fields)
        return pa.table({name: pa.array(columns[i], pa.string()) for i, name in enumerate(fields)}), kept


def _is_no_number(cell: str) -> bool:
    return bool(numbers_of(pa.array([cell])).is_unreadable[0])
