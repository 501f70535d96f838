"""The queries of all tables as one; files that hold the same queries are models of their own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.data import FilesAs, Queries
from evalcore.problems import SHOWN, Findings
from evalcore.readers.columns.ids import in_order, merged_levels, pair_codes, repeated
from evalcore.readers.evidence.queries.parts import QueryPart, query_words
from evalcore.readers.evidence.rows import coded_slice
from evalcore.readers.formats.table import Texts


def stack(parts: list[QueryPart], findings: Findings, files_as: FilesAs | None = None) -> Queries:
    """All parts as one table; files that hold the same queries are models of their own.

    Parameters
    ----------
    parts : of all files.
    findings : gets labels that differ between models, and queries that several parts of one table hold.
    files_as : what the user says several files are; None: models where they share a query, else parts.
    """
    if len({part.file for part in parts}) > 1:
        later, first = repeated(_query_key(parts))
        if len(later) and files_as == "parts":
            _report_shared(parts, later, first, findings)
        elif len(later) or files_as == "models":
            parts = _named_by_file(parts)
    post, post_ids = _in_order([part.keys.post for part in parts])
    criterion, criterion_ids = _criteria_in_order(parts)
    model, models = _in_order([part.model for part in parts])
    if len(models) == 1:  # one code in place of one a row
        model = np.broadcast_to(np.zeros((), np.intp), len(model))
    queries = Queries(
        post=post,
        post_ids=post_ids,
        criterion=criterion,
        criterion_ids=criterion_ids,
        has_evidence=_joined([part.is_positive for part in parts]),
        score=_joined([part.score for part in parts]),
        model=model,
        models=tuple(models.tolist()),
        slices={
            name: _stacked_slice(parts, name)
            for name in dict.fromkeys(n for part in parts for n in part.groups)
        },
        numbers={
            name: _joined([part.numbers.get(name, np.full(len(part), np.nan)) for part in parts])
            for name in dict.fromkeys(n for part in parts for n in part.numbers)
        },
        row=_joined([part.row for part in parts]),
        has_posts=all(part.keys.has_posts for part in parts),
        has_ids=all(part.keys.has_ids for part in parts),
        units={
            name: codes
            for name in dict.fromkeys(n for part in parts for n in part.units)
            if len(codes := _stacked_codes(parts, name)) > int(codes.max(initial=-1)) + 1
        },
    )
    _check_labels_agree(queries, parts[0].file if len(parts) == 1 else None, findings)
    return queries


def _report_shared(
    parts: list[QueryPart], later: NDArray[np.intp], first: NDArray[np.intp], findings: Findings
) -> None:
    """Name the queries that two parts of one table hold."""
    starts = np.cumsum([0, *(len(part) for part in parts)])
    for one in zip(later[:SHOWN].tolist(), first[:SHOWN].tolist(), strict=True):
        here, there = (int(np.searchsorted(starts, at, side="right")) - 1 for at in one)
        at_here, at_there = one[0] - int(starts[here]), one[1] - int(starts[there])
        findings.add(
            "QRY-084",
            file=parts[here].file,
            row=int(parts[here].row[at_here]),
            found=query_words(parts[here].keys, None, at_here),
            first=parts[there].file,
            first_row=int(parts[there].row[at_there]),
        )
    findings.count_more("QRY-084", len(later))


def _query_key(parts: list[QueryPart]) -> NDArray[np.int64]:
    """A number for each row, the same for the same query and model."""
    post, _ = _merged([part.keys.post for part in parts])
    criterion, criteria = _merged(_criteria_of(parts))
    model, models = _merged([part.model for part in parts])
    key: NDArray[np.int64] = post.astype(np.int64) * len(criteria) + criterion
    key = key * len(models) + model
    return key


def _criteria_of(parts: list[QueryPart]) -> list[Texts]:
    return [part.keys.criterion or Texts(np.zeros(len(part), np.int32), _NONE) for part in parts]


_NONE = np.asarray([""], object)


def _merged(columns: list[Texts]) -> tuple[NDArray[Any], NDArray[np.object_]]:
    """Codes of all parts over shared levels."""
    if len(columns) == 1:
        return columns[0].codes, columns[0].levels
    levels, codes = merged_levels([texts.levels for texts in columns])
    return _joined([code[texts.codes] for texts, code in zip(columns, codes, strict=True)]), levels


def _in_order(columns: list[Texts]) -> tuple[NDArray[np.intp], NDArray[np.object_]]:
    """Codes over the texts in the order of their first appearance."""
    codes, levels = _merged(columns)
    if len(columns) == 1 and columns[0].is_in_order:
        return codes.astype(np.intp), levels
    codes, old = in_order(codes, len(levels))
    return codes, levels[old]


def _criteria_in_order(parts: list[QueryPart]) -> tuple[NDArray[np.intp], NDArray[np.object_]]:
    """Criterion codes in the order of first appearance, −1 for the empty criterion."""
    codes, ids = _in_order(_criteria_of(parts))
    none = np.flatnonzero(ids == "")
    if not len(none):
        return codes, ids
    codes = np.where(codes == none[0], -1, codes - (codes > none[0]))
    return codes, np.delete(ids, none)


def _named_by_file(parts: list[QueryPart]) -> list[QueryPart]:
    names = file_labels([part.file for part in parts])
    renamed = []
    for part, name in zip(parts, names, strict=True):
        levels = part.model.levels.tolist()
        is_one = len(levels) == 1 and sum(other.file == part.file for other in parts) == 1
        labels = [name] if is_one else [f"{name}: {level}" for level in levels]
        renamed.append(replace(part, model=Texts(part.model.codes, np.asarray(labels, object))))
    return renamed


def file_labels(files: list[str]) -> list[str]:
    """File names without suffix, as names of models; a name that comes twice for two files keeps its suffix.

    >>> file_labels(["jina.csv", "bge.csv"])
    ['jina', 'bge']
    """
    stems = {file: file.split(".")[0] or file for file in files}
    is_clear = len(set(stems.values())) == len(stems)
    return [stems[file] if is_clear else file for file in files]


def _stacked_codes(parts: list[QueryPart], name: str) -> NDArray[np.int32]:
    columns = [part.units.get(name) or Texts(np.zeros(len(part), np.int32), _NONE) for part in parts]
    codes, levels = _merged(columns)
    return coded_slice(Texts(codes.astype(np.int32), levels))[0].astype(np.int32)


def _stacked_slice(parts: list[QueryPart], name: str) -> tuple[NDArray[np.intp], tuple[str, ...]]:
    columns = [part.groups.get(name) or Texts(np.zeros(len(part), np.int32), _NONE) for part in parts]
    codes, levels = _merged(columns)
    return coded_slice(Texts(codes.astype(np.int32), levels))


def _joined(arrays: list[Any]) -> Any:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def _check_labels_agree(queries: Queries, file: str | None, findings: Findings) -> None:
    """The label of a query cannot depend on the model."""
    if len(queries.models) == 1:
        return
    code, first = pair_codes(queries.post, queries.criterion + 1, len(queries.criterion_ids) + 1)
    differs = np.flatnonzero(queries.has_evidence != queries.has_evidence[first[code]])
    facts = (
        (int(queries.row[i]), {"query": queries.query_id(int(i)), "first": int(queries.row[first[code[i]]])})
        for i in differs[:SHOWN]
    )
    findings.add_rows("QRY-027", facts, len(differs), file=file)
