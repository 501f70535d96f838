"""A document in words: what it decides, what is claimed, who chose, on which rows, and every limit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evalcore.operating_point.document.groups import marked_on
from evalcore.operating_point.document.writing import OperatingPoint
from evalcore.operating_point.reopening.numbers import Change
from evalcore.operating_point.test_rows.row_sets import rows_in_words
from evalcore.operating_point.tradeoff.groups import group_words
from evalcore.operating_point.typed import DECISION

NOT_STATED = "not stated"
SAID = {
    "author": "Who chose",
    "rationale": "Why",
    "setting": "For which setting",
    "model_version": "Model version",
    "data_collected": "Dates of the data",
    "labelled_by": "Who labelled",
    "label_agreement": "How labellers agreed",
    "supersedes": "Replaces",
}


def said(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Who chose, why and for which setting, each also where nobody said it, and what else was typed."""
    provenance = document["provenance"]
    return [
        (words, provenance.get(name) or NOT_STATED)
        for name, words in SAID.items()
        if provenance.get(name) or name in DECISION
    ]


def in_words(point: OperatingPoint, *, is_recomputed: bool = False) -> list[str]:
    """The document as lines for a reader, with its digest, which `OperatingPoint.load` has checked.

    Parameters
    ----------
    point : the document.
    is_recomputed : whether its numbers were counted again on its own data; else it says that they were not.
    """
    document = point.document
    lines = [*point.summary.splitlines(), *(f"{name}: {text}" for name, text in said(document))]
    for entry in document["data"]:
        marked = marked_on(document, entry["role"])
        lines += [f"Marked, on {entry['role']}: {group_words(*one)}" for one in marked]
    for entry in document["data"]:
        where = rows_in_words(entry["role"], entry.get("row_filter"))
        lines.append(
            f"Rows: {where} of {entry.get('file', 'a file')}, {entry['rows']:,} checks, "
            f"{entry['positives']:,} with evidence; SHA-256 {entry['sha256']}"
        )
    lines += [f"Limit: {line}" for line in document.get("limits", ())]
    unchecked = "" if is_recomputed else "its numbers were not recomputed; "
    lines.append(
        f"Document {document['id']} of schema {document['schema_version']}: {unchecked}its digest agrees, "
        f"content SHA-256 {document['content_sha256']}"
    )
    return lines


def changes_in_words(then: str, now: str, changes: Sequence[Change], judged: str = "") -> list[str]:
    """As what new rows are judged, what changed, number by number, and how many numbers did not."""
    changed = [one for one in changes if one.is_changed]
    lines = [f"Then: {then}. Now: {now}.", *([judged] if judged else [])]
    lines += [f"{one.name}: {one.then} → {one.now}" for one in changed]
    n_same = len(changes) - len(changed)
    return [*lines, f"{n_same:,} of {len(changes):,} numbers are the same."]
