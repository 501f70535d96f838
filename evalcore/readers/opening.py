"""From the bytes of a file to a table: what it is, how it is laid out, what its columns are called."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from evalcore.problems import Findings
from evalcore.readers.columns.inner import inside_of, with_inner
from evalcore.readers.formats import columnar
from evalcore.readers.formats.cells import cells_fit
from evalcore.readers.formats.json import lines as jsonlines
from evalcore.readers.formats.json.documents import records_in
from evalcore.readers.formats.json.foreign import foreign_rows
from evalcore.readers.formats.json.parts import Fits, JsonText, fits_none, is_json
from evalcore.readers.formats.json.score_objects import Scores, score_table
from evalcore.readers.formats.own_exports import own_export
from evalcore.readers.formats.signatures import columnar_format, foreign_format, unpacked
from evalcore.readers.formats.table import SAMPLE_ROWS, MayRank, Table
from evalcore.readers.formats.text import trec
from evalcore.readers.formats.text.delimited import DelimitedReader
from evalcore.readers.formats.text.encoding import to_utf8, words
from evalcore.readers.formats.text.layout import WORDS, check_layout, layout_of
from evalcore.readers.formats.text.lines import data_rows
from evalcore.readers.formats.text.of_programs import as_plain_table
from evalcore.readers.inputs import RawFile
from evalcore.readers.partitions import with_partitions


def text_of(file: RawFile, encoding: str | None = None, most: int | None = None) -> bytes | None:
    """The text of a file as UTF-8, as `open_table` reads it; None where it is none. Nothing is reported.

    Parameters
    ----------
    most : about how many bytes are wanted at most; whole lines, and of an archive no more is unpacked.
    """
    try:
        content = unpacked(file.content, file.name, Findings(), most)[0]
        if columnar_format(content) is not None:
            return None
        if most is not None and len(content) >= most:
            content = content[:most]
            content = content[: content.rfind(b"\n") + 1] or content
        if own_export(content) or foreign_format(content, file.name, encoding):
            return None
        return to_utf8(content, encoding, file.name, Findings())[0]
    except ValueError:
        return None


@dataclass(frozen=True)
class Document:
    """A JSON file that was parsed as far as its layout needs.

    Parameters
    ----------
    text, codec : what it holds as UTF-8, and how it is packed.
    found : its records or rankings; None where it is refused.
    findings : what was reported of it.
    """

    text: bytes
    codec: str | None
    found: JsonText | Scores | None
    findings: Findings


def json_in(file: RawFile, encoding: str | None, fits: Fits, findings: Findings) -> Document | None:
    """The JSON document in a file, found once for everybody who asks; None where it is none.

    Parameters
    ----------
    encoding : as for `open_table`.
    fits : whether names are those of a table of the task ``rag``.
    findings : gets why it is no text.
    """
    key = _key(encoding)
    known = file.heads.get(key)
    if known is None:
        text = _text(file, encoding, findings)
        if text is None or text.columnar is not None or not is_json(text.content):
            return None
        known = file.heads[key] = _document(text, file.name, fits)
    return known if isinstance(known, Document) else None


def _key(encoding: str | None) -> str:
    return f"json in {encoding}"


def _document(text: _Text, name: str, fits: Fits) -> Document:
    own = Findings()
    return Document(text.content, text.codec, records_in(text.content, name, own, fits), own)


@dataclass(frozen=True)
class _Text:
    """What a file holds once it is unpacked: text as UTF-8, or the bytes of a columnar format."""

    content: bytes
    codec: str | None
    columnar: str | None = None
    encoding: str = ""


def _text(file: RawFile, encoding: str | None, findings: Findings) -> _Text | None:
    """What a file holds, or None with the reason reported."""
    if not file.content:
        findings.add("FILE-002", file=file.name)
        return None
    try:
        content, codec = unpacked(file.content, file.name, findings)
        if not content:
            findings.add("FILE-002", file=file.name)
            return None
        columnar_kind = columnar_format(content)
        if columnar_kind is not None:
            return _Text(content, codec, columnar_kind)
        own = own_export(content)
        if own is not None:
            findings.add("FILE-140", file=file.name, kind=own[0], advice=own[1])
            return None
        foreign = foreign_format(content, file.name, encoding)
        if foreign is not None:
            findings.add("FILE-003", file=file.name, kind=foreign[0], advice=foreign[1])
            return None
        utf8, used = to_utf8(content, encoding, file.name, findings)
        return _Text(utf8, codec, encoding=used)
    except ValueError:
        return None


def open_table(
    file: RawFile,
    encoding: str | None,
    max_rows: int | None,
    findings: Findings,
    has_header: bool = True,
    fits: Fits = fits_none,
) -> Table | None:
    """The table in a file, or None with the reason reported.

    Parameters
    ----------
    file : the bytes.
    encoding : the encoding the user gave for text, or None to find it out.
    max_rows : the most rows that are read, or None.
    has_header : whether the first line of a delimited text holds the names of its columns.
    fits : whether names are those of a table of the task ``rag``.
    """
    table = _table(file, encoding, max_rows, findings, has_header, fits)
    return None if table is None else with_partitions(table, file.partitions, findings)


def _table(
    file: RawFile,
    encoding: str | None,
    max_rows: int | None,
    findings: Findings,
    has_header: bool,
    fits: Fits,
) -> Table | None:
    known = file.heads.pop(_key(encoding), None)  # not kept: it takes as much memory as the file
    if isinstance(known, Document):
        return _of_json(file, known, max_rows, findings)
    text = _text(file, encoding, findings)
    if text is None:
        return None
    content, codec = text.content, text.codec
    if text.columnar is not None:
        return _columnar(file, content, text.columnar, codec, max_rows, findings)
    if is_json(content):
        return _of_json(file, _document(text, file.name, fits), max_rows, findings)
    layout = trec.trec_layout(content)
    if layout is None:
        table = _delimited(file, content, text.encoding, codec, max_rows, has_header, findings)
        return None if table is None else _or_short_lines(table, file, content, codec)
    if _is_too_long(content, None, file.name, max_rows, findings):
        return None
    return _trec(file, content, layout, codec, findings)


def _of_json(file: RawFile, document: Document, max_rows: int | None, findings: Findings) -> Table | None:
    """Numbers by query and document, or records."""
    document.findings.hand_over(findings)
    found = document.found
    if isinstance(found, Scores):
        return score_table(file, found, document.codec, max_rows, findings)
    if found is None:
        return None
    if found.columns is None and _is_too_long(found.text, None, file.name, max_rows, findings):
        return None
    if max_rows is not None and found.n_rows > max_rows:
        findings.add("FILE-012", file=file.name, n_rows=found.n_rows, limit=max_rows)
        return None
    return _json(file, found, document.codec, findings)


def _is_too_long(
    body: bytes, delimiter: str | None, name: str, max_rows: int | None, findings: Findings
) -> bool:
    """Whether a text has more rows than are read, which is reported; a cheap count decides nearly always."""
    if max_rows is None or body.count(b"\n") < max_rows:
        return False
    n_rows = len(data_rows(body, delimiter)[0])
    if n_rows > max_rows:
        findings.add("FILE-012", file=name, n_rows=n_rows, limit=max_rows)
    return n_rows > max_rows


def _packed(kind: str, codec: str | None) -> str:
    return f"{kind}, {codec}" if codec else kind


def _columnar(
    file: RawFile, content: bytes, kind: str, codec: str | None, max_rows: int | None, findings: Findings
) -> Table | None:
    known = file.heads if content is file.content else None
    head = columnar.columnar_head(content, kind, file.name, max_rows, findings, known)
    if head is None:
        return None
    names = columnar.named(head.first.schema)
    reader = columnar.ColumnarReader(content, kind, file.name, findings, head.key)
    table = Table(
        name=file.name,
        sha256=file.sha256,
        n_bytes=len(file.content),
        format=_packed(kind.capitalize(), codec),
        names=names,
        sample=columnar.sample_of(head, names),
        read=reader,
        close=reader.close,
        floating=columnar.floating(head.first.schema),
        lists=columnar.lists(head.first.schema),
        held=columnar.held(head.first.schema),
    )
    return with_inner(table, inside_of(table.sample, head.first))


def _trec(file: RawFile, text: bytes, layout: trec.Layout, codec: str | None, findings: Findings) -> Table:
    own = f"{layout.kind} of {layout.words}"
    return Table(
        name=file.name,
        sha256=file.sha256,
        n_bytes=len(file.content),
        format=_packed(f"TREC {layout.kind}" if len(layout.fields) > trec.MOST_SHORT else own, codec),
        names=layout.fields,
        sample=trec.sample_of(text, layout),
        read=trec.TrecReader(text, layout, file.name, findings),
        kind=layout.kind,
        encoding="UTF-8",
        fields={field: field for field in layout.fields},
        counts_lines=True,
    )


def _or_short_lines(table: Table, file: RawFile, text: bytes, codec: str | None) -> Table:
    """The table, with what it may be where its lines have the two or three fields of a judgement or a run."""
    found, said = trec.short_layouts(text)
    layouts = {layout.kind: layout for layout in found}
    if not layouts:
        return table

    def make(kind: str, findings: Findings) -> Table:
        return _trec(file, text, layouts[kind], codec, findings)

    return replace(table, may_rank=MayRank(tuple(layouts), said, False, False, make))


def _json(file: RawFile, records: JsonText, codec: str | None, findings: Findings) -> Table | None:
    table = jsonlines.json_table(records, file.name, findings)
    cells = {} if table is None else dict(zip(table.column_names, table.columns, strict=True))
    if table is None or not cells_fit(cells, np.arange(1, table.num_rows + 1), file.name, findings):
        return None
    names = tuple(table.column_names)
    foreign = foreign_rows(names)
    if foreign is not None:
        findings.add("FILE-003", file=file.name, kind=foreign[0], advice=foreign[1])
        return None
    found = Table(
        name=file.name,
        sha256=file.sha256,
        n_bytes=len(file.content),
        format=_packed(records.format, codec),
        names=names,
        sample=jsonlines.sample_of(table),
        read=jsonlines.JsonReader(records, table, file.name, findings),
        encoding="UTF-8",
        lists=columnar.lists(table.schema),
        held=columnar.held(table.schema),
        records=lambda: jsonlines.objects_of(records),
    )
    return with_inner(found, inside_of(found.sample, table.slice(0, SAMPLE_ROWS)))


def _delimited(
    file: RawFile,
    text: bytes,
    encoding: str,
    codec: str | None,
    max_rows: int | None,
    has_header: bool,
    findings: Findings,
) -> Table | None:
    text = as_plain_table(text, file.name, findings) if has_header else text
    layout = layout_of(text, file.name, findings, has_header)
    if layout is None:
        return None
    if max_rows is not None and layout.text.count(b"\n") > max_rows:
        body = layout.text[layout.body :]
        if _is_too_long(body, layout.delimiter, file.name, max_rows, findings):
            return None
    is_readable = check_layout(layout, file.name, findings)
    names = tuple(dict.fromkeys(filter(None, layout.header)))
    reader = DelimitedReader(layout, file.name, findings)
    places = {name: i for i, name in reversed(list(enumerate(layout.header))) if name}
    sample = {
        name: tuple(row[i] if i < len(row) else "" for row in layout.sample if row)
        for name, i in ((name, places[name]) for name in names)
    }
    table = Table(
        name=file.name,
        sha256=file.sha256,
        n_bytes=len(file.content),
        format=_packed(f"CSV, {layout.words}, {words(encoding)}", codec),
        names=names,
        sample=sample,
        read=reader,
        close=reader.close,
        encoding=words(encoding),
        delimiter=WORDS[layout.delimiter],
        decimal_mark="comma" if layout.decimal_mark == "," else "point",
        places=places,
        nameless=tuple(f"column {i}" for i, name in enumerate(layout.header, 1) if not name),
        is_readable=is_readable,
        has_header=has_header,
        lacks_names=layout.lacks_names,
    )
    return with_inner(table, inside_of(sample))
