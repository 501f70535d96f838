"""Labels from a file of their own, put beside the scores of other files by the ids of both."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from evalcore.problems import Findings
from evalcore.readers.columns.ids import Keys
from evalcore.readers.columns.label_columns import is_gold_name
from evalcore.readers.columns.labels import Labels, labels_of
from evalcore.readers.evidence.joining import Holder, shared_codes
from evalcore.readers.evidence.naming.spelling import check_spelling
from evalcore.readers.evidence.queries.parts import report_duplicates
from evalcore.readers.evidence.rows import Rows, keys_of
from evalcore.readers.formats.table import Columns
from evalcore.schema import class_of

_GROUPS = ("fold", "split", "cluster")
_SHOWN = 3
_LOCAL = "QRY-010"
"""That every row is a post of its own is told of the scores only."""


def with_labels_of(
    rows: list[Rows], positive: str | None, labels: dict[str, Labels], findings: Findings
) -> list[Rows]:
    """The rows of all files, those of scores with the labels of the file of truth.

    Rows without a counterpart are left out and counted on both sides.

    Parameters
    ----------
    rows : of the file of truth and of the files of scores.
    positive : the label that means "has evidence", or None.
    labels : file → its labels; that of the truth is added.
    findings : gets what is wrong with the labels or the ids of the truth, and QRY-123.
    """
    truth = next((one for one in rows if one.mapped.kind == "truth"), None)
    column, texts = (
        (None, None) if truth is None else (truth.mapped.one("has_evidence"), truth.text("has_evidence"))
    )
    if truth is None or column is None or texts is None:
        return rows
    own = Findings()
    keys = keys_of(truth, own)
    own.problems = [problem for problem in own.problems if problem.code != _LOCAL]
    own.hand_over(findings)
    label = labels_of(texts, positive, truth.row, truth.name, column, findings)
    labels[truth.name] = label
    if keys is None:
        return rows
    report_duplicates(truth, keys, findings)
    is_used = np.zeros(truth.columns.n_rows, bool)
    joined = [
        one if one is truth else _joined(one, truth, keys, label, column, is_used, findings) for one in rows
    ]
    files = " and ".join(one.name for one in rows if one is not truth)
    n_without = int(np.count_nonzero(~is_used))
    if n_without:
        truth.excluded[f"no score in {files}"] = n_without
    return joined


def _joined(
    scores: Rows,
    truth: Rows,
    truth_keys: Keys,
    label: Labels,
    column: str,
    is_used: NDArray[np.bool_],
    findings: Findings,
) -> Rows:
    """The rows of one file of scores that the truth has too; marks those of the truth that are used."""
    keys = keys_of(scores, Findings())  # what is wrong with these ids is told when the rows are used
    if keys is None:
        return scores
    theirs, mine = shared_codes([truth_keys, keys])
    at_code = np.full(max(int(theirs.max(initial=-1)), int(mine.max(initial=-1))) + 1, -1)
    at_code[theirs[::-1]] = np.arange(len(theirs) - 1, -1, -1)
    at = at_code[mine]
    is_known = at >= 0
    if not is_known.any():
        words = {"found": _some(keys), "others": _some(truth_keys)}
        findings.add("QRY-123", file=scores.name, other=truth.name, **words)
        return scores
    if not is_known.all():
        both = [Holder("scores", scores.name, keys), Holder("truth", truth.name, truth_keys)]
        check_spelling(both, findings)
    at = at[is_known]
    is_used[at] = True
    columns = scores.columns.where(is_known)
    _report_contradictions(
        scores, columns, keys.where(np.flatnonzero(is_known)), truth.name, label.where(at), findings
    )
    name = f"{column} ({truth.name})"
    roles = {**scores.mapped.roles, "has_evidence": (name,)}
    texts = {**columns.texts, name: truth.columns.texts[column].where(at)}
    groups = list(scores.mapped.groups)
    for role in _GROUPS:
        found = truth.mapped.one(role)
        if found is not None and role not in roles:
            roles[role] = (f"{found} ({truth.name})",)
            texts[roles[role][0]] = truth.columns.texts[found].where(at)
    for found in truth.mapped.groups:
        if found not in scores.mapped.table.names:
            groups.append(found)
            texts[found] = truth.columns.texts[found].where(at)
    dropped = {} if is_known.all() else {f"no label in {truth.name}": int(np.count_nonzero(~is_known))}
    return replace(
        scores,
        mapped=replace(scores.mapped, roles=roles, groups=tuple(groups)),
        columns=replace(columns, texts=texts),
        dropped={**scores.dropped, **dropped},
        units={unit: codes.where(is_known) for unit, codes in scores.units.items()},
        labels=label.where(at),
    )


def _report_contradictions(
    scores: Rows, columns: Columns, keys: Keys, truth: str, label: Labels, findings: Findings
) -> None:
    """Tell, in QRY-265, of rows whose own label is another than that of the file of truth.

    Parameters
    ----------
    columns, keys, label : of the rows that the truth has too: what they hold, their ids, and what it says.
    """
    for name in scores.mapped.table.names:
        texts = columns.texts.get(name)
        if texts is None or name in scores.mapped.roles.get("predicted_label", ()) or not is_gold_name(name):
            continue
        of_level = [class_of(level, label.positive, list(label.counts)) for level in texts.levels.tolist()]
        is_said = np.asarray([one is not None for one in of_level], bool)[texts.codes]
        is_positive = np.asarray([bool(one) for one in of_level], bool)[texts.codes]
        differs = np.flatnonzero(is_said & label.is_label & (is_positive != label.is_positive))
        if len(differs):
            found = ", ".join(f"“{_name(keys, i)}”" for i in differs[:_SHOWN].tolist())
            n_rows = int(np.count_nonzero(is_said & label.is_label))
            findings.add(
                "QRY-265",
                file=scores.name,
                column=name,
                n=len(differs),
                n_rows=n_rows,
                other=truth,
                found=found + (", …" if len(differs) > _SHOWN else ""),
            )


def _some(keys: Keys) -> str:
    """The first ids of a table."""
    return ", ".join(f"“{_name(keys, i)}”" for i in range(min(len(keys.post.codes), _SHOWN)))


def _name(keys: Keys, index: int) -> str:
    criterion = keys.criterion.at(index) if keys.criterion is not None else ""
    return f"{keys.post.at(index)[:40]}::{criterion}" if criterion else keys.post.at(index)[:40]
