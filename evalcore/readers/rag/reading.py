"""From the files of the task ``rag`` to checked, frozen annotations, every problem reported together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

from evalcore.annotations import LABELS, Annotations
from evalcore.data import Data, Source
from evalcore.problems import Findings
from evalcore.readers.columns.mapping import Mapped
from evalcore.readers.columns.score_columns import report_weights
from evalcore.readers.columns.stated import check_given, check_placed
from evalcore.readers.formats.signatures import reason_of
from evalcore.readers.formats.table import Table
from evalcore.readers.inputs import Inputs, RawFile, handed_over
from evalcore.readers.options import Options
from evalcore.readers.rag.assembling import annotations_of, merged_scores
from evalcore.readers.rag.columns import has_labels, map_annotations
from evalcore.readers.rag.opening import Opened, open_file
from evalcore.readers.rag.panels import Excluded, checked, stacked
from evalcore.readers.rag.parts import FileParts, ResponsePart
from evalcore.readers.rag.predicted import is_predicted, prediction_parts
from evalcore.readers.rag.records import Records
from evalcore.readers.rag.responses.long import annotation_parts
from evalcore.readers.rag.responses.wide import is_wide, wide_mapped, wide_parts
from evalcore.readers.rag.sidecars import EXPORT, check_counts, kind_of_document, stated_by, why_left_out
from evalcore.readers.rag.sniffing import is_rag
from evalcore.readers.rag.tools import Tool, tool_of
from evalcore.readers.reading import Reading
from evalcore.schema import LABEL_NAMES, TABLES, plain


@dataclass
class _Found:
    """What came of the files.

    Parameters
    ----------
    tables : every table, with the roles of its columns.
    sources : file → its rows in, used and excluded.
    data : the data, or None where a problem stops them.
    """

    tables: list[Mapped] = field(default_factory=list)
    sources: dict[str, Source] = field(default_factory=dict)
    data: Data | None = None


def read_rag(
    files: list[RawFile], candidates: Inputs | None, truth: Any, options: Options, findings: Findings
) -> Reading:
    """Read files of annotations and of other tools as far as they can be read."""
    # Files that all lie below folders of keys are parts without anybody's saying so.
    files_as = None if files and all(one.partitions for one in files) else options.files_as
    refuse_answers({"--score-of": options.score_of, "--as": files_as, "--truth": truth}, findings)
    if candidates is not None:
        facts = {"found": "candidates files beside annotations", "expected": "annotations only"}
        findings.add("OPT-008", **facts, advice="Leave out --candidates.")
    opened, ignored = opened_in(handed_over(files), options, findings)
    given = check_given(options.columns, [one.table for one in opened if one.table is not None], findings)
    found = _Found()
    parts: list[FileParts] = []
    documents: dict[str, Mapping[str, Any]] = {}
    for one in opened:
        if one.table is None:
            documents[one.file.name] = one.document or {}
            continue
        of_file = _file_parts(one, given, found, findings)
        if of_file is not None:
            parts.append(of_file)
    placed = [(one.table, one.kind, one.roles) for one in found.tables if one.kind in TABLES]
    check_placed(given, placed, findings)
    found.sources = {part.source.name: part.source for part in parts}
    _assemble(parts, documents, opened, ignored, options, found, findings)
    return Reading(tuple(found.tables), findings, found.data, sources=found.sources)


def refuse_answers(asked: Mapping[str, Any], findings: Findings) -> None:
    """Refuse what is said of predictions: option → its value, None where it is not given."""
    for name in (name for name, value in asked.items() if value is not None):
        advice = f"Leave out {name}: it is about predictions."
        findings.add("OPT-008", found=f"{name} for annotations", expected="predictions", advice=advice)


def opened_in(
    files: Iterable[RawFile], options: Options, findings: Findings
) -> tuple[list[Opened], dict[str, str]]:
    """The files that can be read, and those of a folder that are left out, with the reason."""
    opened: list[Opened] = []
    ignored: dict[str, str] = {}
    n_files = 0
    for file in files:
        n_files += 1
        own = findings if file.was_named else Findings()
        one = open_file(file, options.encoding, options.max_rows, not options.no_header, is_rag, own)
        if one is None:
            if not file.was_named:
                reason = own.errors[0].found if own.errors else "nothing that can be read"
                findings.add("FILE-019", file=file.name, reason=reason)
            continue
        why = _why_ignored(one, options, findings)
        if why is not None:
            ignored[file.name] = why
            continue
        findings.problems += own.problems if own is not findings else []
        opened.append(one)
    if not opened and not findings.errors:
        findings.add("FILE-020", n=n_files)
    return opened, ignored


def _why_ignored(one: Opened, options: Options, findings: Findings) -> str | None:
    """Why a file that could be opened is not read, or None where it is."""
    if one.table is None:
        if kind_of_document(one.document or {}) is not None:
            return None
        unknown = "a JSON object of no known kind"
        findings.add("RAG-026", file=one.file.name, found=unknown)
        return unknown
    reason = why_left_out(one.table.names)
    if reason is not None or one.file.was_named:
        return reason
    said = {name for names in options.columns.values() for name in names}
    cells = [cell for name in one.table.names if plain(name) == "label" for cell in one.table.sample[name]]
    if is_rag(one.table.names, cells) or not said.isdisjoint(one.table.names):
        return None
    findings.add("FILE-019", file=one.file.name, reason="its columns fit no annotation and no known tool")
    return "its columns fit no annotation and no known tool"


def _file_parts(
    one: Opened, given: Mapping[str, tuple[str, ...]], reading: _Found, findings: Findings
) -> FileParts | None:
    """What one table holds, read by the reader of its kind."""
    table = one.table
    assert table is not None
    if table.kind is not None:
        remedy = "Say --task evidence, with both the qrels and the run."
        facts = {"found": f"a TREC {table.kind}", "missing": "annotations or scores of answers"}
        findings.add("RAG-016", file=table.name, **facts, remedy=remedy)
        return None
    if table.lacks_names:
        reading.tables.append(Mapped(table, None, {}, unused=dict.fromkeys(table.names, "no name")))
        return None
    report_weights(table, table.names, findings)
    kind = kind_of_table(table, given)
    if isinstance(kind, Tool):
        return _tool_parts(one, kind, reading, findings)
    if kind in ("predicted_labels", "annotations"):
        mapped = map_annotations(table, given, kind, findings)
        reading.tables.append(mapped)
        read = prediction_parts if kind == "predicted_labels" else annotation_parts
        return read(mapped, findings)
    if kind is not None:
        mapped = wide_mapped(map_annotations(table, given, "wide_annotations", findings))
        reading.tables.append(mapped)
        return wide_parts(mapped, findings)
    reading.tables.append(Mapped(table, None, {}, unused=dict.fromkeys(table.names, "fits no role")))
    listed = ", ".join(table.names) or "none"
    findings.add("RAG-001", file=table.name, found=listed, labels=", ".join(LABEL_NAMES))
    return None


def kind_of_table(table: Table, given: Mapping[str, tuple[str, ...]]) -> Tool | str | None:
    """The tool that wrote a table, or what kind of ours it is; None where it is neither."""
    said = {role for role, names in given.items() if not set(names).isdisjoint(table.names)}
    names_labels = has_labels(table)
    is_mapped = any(TABLES["annotations"].role_named(role) in LABEL_NAMES for role in said)
    tool = tool_of(table.names)
    if tool is not None and (not names_labels or tool.holds_labels(table)) and not is_mapped:
        return tool
    if names_labels or is_mapped:
        return "predicted_labels" if is_predicted(table) else "annotations"
    return "wide_annotations" if is_wide(table) else None


def _records(one: Opened, findings: Findings) -> Records | None:
    """The rows of a tool's file, or None with the reason reported."""
    table = one.table
    if table is None or not table.is_readable:
        return None
    try:
        records = one.records()
    except pa.ArrowException as error:
        kind = table.format.split(",")[0]
        findings.add("FILE-007", file=table.name, kind=kind, reason=reason_of(error))
        return None
    except ValueError:
        return None
    if not records.rows:
        findings.add("FILE-008", file=table.name)
        return None
    short = [(row, {"n_found": n}) for row, n in records.short.items()]
    n_expected = len(table.names) + len(table.nameless)
    findings.add_rows("FILE-006", short, len(short), file=table.name, n_expected=n_expected)
    return records


def _tool_parts(one: Opened, tool: Tool, reading: _Found, findings: Findings) -> FileParts | None:
    table = one.table
    assert table is not None
    records = _records(one, findings)
    result = tool.read(records, findings) if records is not None else None
    unused = dict(result.unused) if result is not None else dict.fromkeys(table.names, "not read")
    mapped = Mapped(table, tool.name, {}, unused=unused)
    reading.tables.append(mapped)
    if records is None or result is None:
        return None
    used = [name for name in table.names if name not in unused]
    excluded = {reason: n for reason, n in result.excluded.items() if n}
    excluded |= {"blank line": records.n_blank} if records.n_blank else {}
    source = Source(
        name=table.name,
        role=tool.name,
        sha256=table.sha256,
        n_bytes=table.n_bytes,
        n_rows=len(records.rows) + records.n_blank,
        n_used=len(records.rows) + records.n_blank - sum(excluded.values()),
        excluded=excluded,
        columns={name: name for name in used},
        format=table.format,
    )
    parts = FileParts(mapped, source, list(result.responses), list(result.scores), notes=list(result.notes))
    texts = [name for name, why in unused.items() if why.startswith("personal text")]
    if texts:
        listed = ", ".join(sorted(texts))
        parts.notes.append(f"{table.name}: the text columns {listed} were dropped and are kept nowhere.")
    return parts


def _assemble(
    parts: list[FileParts],
    documents: Mapping[str, Mapping[str, Any]],
    opened: list[Opened],
    ignored: Mapping[str, str],
    options: Options,
    reading: _Found,
    findings: Findings,
) -> None:
    """Join the parts, check what must hold among them, and freeze the data unless an error stops them."""
    responses: list[ResponsePart] = []
    excluded: Excluded = Counter()
    n_rows = {
        str(task): sum(p.source.n_rows for p in parts if any(r.task == task for r in p.responses))
        for task in LABELS
    }
    whole = [
        stacked(found) for t in LABELS if (found := [r for p in parts for r in p.responses if r.task == t])
    ]
    names = {str(level) for part in whole for level in part.annotator.levels.tolist()}
    check_adjudicator(names, options.adjudicator, findings)
    stated = stated_by(documents.values())
    sidecar = next((n for n, d in documents.items() if kind_of_document(d) == EXPORT), None)
    if sidecar is not None:
        check_counts(stated[EXPORT], sidecar, whole, n_rows, findings)
    for part in whole:
        kept, left_out = checked(part, options.keep_first, options.adjudicator, findings)
        responses.append(kept)
        excluded += left_out
    reading.sources = {name: less(one, excluded) for name, one in reading.sources.items()}
    scores = merged_scores([score for part in parts for score in part.scores])
    predictions = [one for part in parts for one in part.predictions]
    if findings.errors or not (responses or scores or predictions):
        if not findings.errors:
            files = [part.source.name for part in parts]
            findings.add("FILE-008", file=files[0]) if files else findings.add("FILE-020", n=len(opened))
        return
    for one in opened:
        if one.table is not None:
            one.table.close()
    reading.data = data_of(
        annotations_of(responses, scores, predictions, stated),
        (*reading.sources.values(), *(_sidecar(one) for one in opened if one.table is None)),
        [note for part in parts for note in part.notes],
        {part.mapped.table.name: part.mapped.unused for part in parts if part.mapped.unused},
        {part.source.name: part.n_missing for part in parts if part.n_missing},
        {part.task: int((~part.is_submitted).sum()) for part in responses},
        ignored,
    )


def data_of(
    annotations: Annotations,
    sources: tuple[Source, ...],
    notes: Sequence[str],
    unused: Mapping[str, Mapping[str, str]],
    n_missing: Mapping[str, Mapping[str, int]],
    n_discarded: Mapping[str, int],
    left_out: Mapping[str, str],
) -> Data:
    """Annotations with what is known of their files.

    Parameters
    ----------
    unused : file → column → why it is left out.
    n_missing : file → label → submitted responses without it.
    n_discarded : task → responses that were not submitted.
    left_out : file → why.
    """
    more = [f"{name} was left out: {reason}." for name, reason in sorted(left_out.items())]
    return Data(
        task="rag",
        sources=sources,
        tables={"annotations": annotations},
        notes=(*notes, *more),
        facts={
            "unused_columns": {name: dict(why) for name, why in unused.items()},
            "missing_labels": dict(n_missing),
            "n_discarded": dict(n_discarded),
            "ignored_files": dict(left_out),
        },
    )


def check_adjudicator(names: set[str], adjudicator: str | None, findings: Findings) -> None:
    """Refuse an adjudicator who is none of those that annotated."""
    names = names - {""}
    if adjudicator is not None and adjudicator not in names:
        findings.add(
            "RAG-025", found=adjudicator, expected=", ".join(sorted(names)) or "no annotator is named"
        )


def less(source: Source, excluded: Excluded) -> Source:
    """The source with the rows that were left out once all files were together."""
    own = {reason: n for (file, reason), n in excluded.items() if file == source.name}
    n_used = source.n_used - sum(own.values())
    return replace(source, n_used=n_used, excluded={**source.excluded, **own}) if own else source


def _sidecar(one: Opened) -> Source:
    """A file that states something of the data: it has no rows."""
    return Source(
        name=one.file.name,
        role=f"sidecar: {kind_of_document(one.document or {})}",
        sha256=one.file.sha256,
        n_bytes=len(one.file.content),
        n_rows=0,
        n_used=0,
        excluded={},
        columns={},
        format="JSON object",
    )
