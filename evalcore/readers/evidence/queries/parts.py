"""The queries of one table, a part for each score column, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from evalcore.data import ScoreOf
from evalcore.problems import SHOWN, Findings
from evalcore.readers.columns.ids import Keys, repeated
from evalcore.readers.columns.labels import Labels, labels_of
from evalcore.readers.columns.scores import check_numbers, check_scores, check_thresholds
from evalcore.readers.evidence.predicted_class import score_of_rows
from evalcore.readers.evidence.rows import Rows, groups_of, kept_rows, rows_where
from evalcore.readers.formats.table import Numbers, Texts
from evalcore.readers.options import Options
from evalcore.schema import QUERIES, plain

_GROUPS = ("fold", "split", "cluster", "state", "predicted_label")
_FEWEST = 4
"""Rows from which on an id that repeats in most of them is taken for the wrong column."""

_NUMBERS = ("tau_neg", "tau_pos", "selected_k", "n_candidates")


@dataclass(frozen=True)
class QueryPart:
    """The queries of one score column of one file, all arrays of shape (N,).

    ``score_of`` and ``note`` say how the score came about, as in
    `evalcore.readers.evidence.predicted_class.Scored`.
    """

    file: str
    keys: Keys
    is_positive: NDArray[np.bool_]
    score: NDArray[np.float64]
    model: Texts
    groups: dict[str, Texts]
    numbers: dict[str, NDArray[np.float64]]
    row: NDArray[np.intp]
    score_of: ScoreOf | None = None
    note: str = ""
    units: Mapping[str, Texts] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.score)

    def where(self, at: NDArray[np.intp]) -> QueryPart:
        """The rows of an index."""
        return replace(
            self,
            keys=self.keys.where(at),
            is_positive=self.is_positive[at],
            score=self.score[at],
            model=self.model.where(at),
            groups={name: texts.where(at) for name, texts in self.groups.items()},
            numbers={name: values[at] for name, values in self.numbers.items()},
            row=self.row[at],
            units={name: texts.where(at) for name, texts in self.units.items()},
        )


def query_parts(
    rows: Rows, keys: Keys, options: Options, findings: Findings, elsewhere: Collection[str] = ()
) -> tuple[list[QueryPart], Labels | None]:
    """The queries of a table, a part for each score column; everything wrong with them is reported.

    ``elsewhere`` are the labels of the other files.
    """
    is_probability = options.score_kind == "probability"
    label_column, label_texts = rows.mapped.one("has_evidence"), rows.text("has_evidence")
    labels = rows.labels
    if labels is None and label_column is not None and label_texts is not None:
        labels = labels_of(
            label_texts, options.positive, rows.row, rows.name, label_column, findings, elsewhere
        )
    scores = rows.mapped.roles.get("probability", ())
    kept = [kept_rows(rows, column) if len(scores) > 1 else None for column in scores]
    is_usable = [
        _check_score(rows, column, labels, is_probability, at, findings)
        for column, at in zip(scores, kept, strict=True)
    ]
    groups, numbers = groups_of(rows, _GROUPS)
    numbers.update(_checked_numbers(rows, findings))
    model = rows.text("model")
    if labels is None or not all(is_usable):
        return [], labels
    _report_gaps(rows, dict(zip(scores, kept, strict=True)), findings)
    parts: list[QueryPart] = []
    for column, at in zip(scores, kept, strict=True):
        mine, own = (rows, labels) if at is None else (rows_where(rows, at), labels.where(at))
        one = score_of_rows(mine, column, own, options.score_of, is_probability, findings)
        if one is None:
            continue
        part = QueryPart(
            file=rows.name,
            keys=keys,
            is_positive=labels.is_positive,
            score=rows.columns.numbers[column].values if at is not None else one.values,
            model=_model_names(model, column, len(scores) > 1, rows.columns.n_rows),
            groups=groups,
            numbers=numbers,
            row=rows.row,
            score_of=one.score_of,
            note=one.note,
            units=rows.units,
        )
        parts.append(part if at is None else part.where(at))
    return parts, labels


def _report_gaps(rows: Rows, kept: Mapping[str, NDArray[np.intp] | None], findings: Findings) -> None:
    """Tell how many rows each of several models did not score, and count those that none did."""
    n_rows = rows.columns.n_rows
    is_scored = np.zeros(n_rows, bool)
    for column, at in kept.items():
        is_scored[slice(None) if at is None else at] = True
        if at is not None:
            findings.add("QRY-125", file=rows.name, column=column, n=n_rows - len(at), n_rows=n_rows)
    if not is_scored.all():
        rows.excluded["no score of any model"] = int(np.count_nonzero(~is_scored))


def _model_names(model: Texts | None, column: str, is_one_of_many: bool, n_rows: int) -> Texts:
    """The model of each row: what the model column says, else the name of the score column."""
    if model is None:
        return Texts(np.zeros(n_rows, np.int32), np.asarray([column], object), is_in_order=n_rows > 0)
    if not is_one_of_many:
        return model
    return Texts(model.codes, np.asarray([f"{level} {column}" for level in model.levels.tolist()], object))


def _check_score(
    rows: Rows,
    column: str,
    labels: Labels | None,
    is_probability: bool,
    at: NDArray[np.intp] | None,
    findings: Findings,
) -> bool:
    """Whether a score column can be used; ``at`` are the rows that have a score, None: all must."""
    numbers = rows.columns.numbers[column]
    is_known = plain(column) in QUERIES.column("probability").names
    if labels is not None and not is_known and _is_gold_derived(numbers, labels):
        if not any(p.code == "COL-008" and p.file == rows.name for p in findings.problems):
            findings.add("COL-008", file=rows.name, name=column)
        return False
    if at is not None and not len(at):
        findings.add("QRY-124", file=rows.name, column=column, n_rows=rows.columns.n_rows)
        return False
    mine = rows if at is None else rows_where(rows, at)
    cells = partial(mine.cells, column)
    own = mine.columns.numbers[column]
    return bool(check_scores(own, is_probability, mine.row, cells, rows.name, column, findings).all())


def _is_gold_derived(numbers: Numbers, labels: Labels) -> bool:
    """A score that is missing exactly where the label is 0 was computed from the gold."""
    missing = numbers.is_empty | (np.isnan(numbers.values) & ~numbers.is_unreadable)
    is_split = bool(missing.any()) and not bool(missing.all()) and bool(labels.is_label.all())
    return is_split and bool((missing == ~labels.is_positive).all())


def _checked_numbers(rows: Rows, findings: Findings) -> dict[str, NDArray[np.float64]]:
    found: dict[str, NDArray[np.float64]] = {}
    for role in _NUMBERS:
        column, numbers = rows.mapped.one(role), rows.number(role)
        if column is None or numbers is None:
            continue
        check_numbers(numbers, rows.row, partial(rows.cells, column), rows.name, column, findings)
        found[role] = numbers.values
    low, high = rows.number("tau_neg"), rows.number("tau_pos")
    if low is not None and high is not None:
        check_thresholds(low, high, rows.row, rows.name, str(rows.mapped.one("tau_neg")), findings)
    return found


def report_duplicates(rows: Rows, keys: Keys, findings: Findings) -> None:
    """Name the rows of a query, or of a query and model, that stands in an earlier row."""
    model = rows.text("model")
    if not keys.has_posts and rows.mapped.one("query_id") is None and keys.criterion is None:
        return
    key = keys.post.codes.astype(np.int64)
    for texts in (keys.criterion, model):
        if texts is not None:
            key *= len(texts.levels)
            key += texts.codes
    later, first = repeated(key)
    if not len(later):
        return
    column = rows.mapped.one("post_id") or rows.mapped.one("query_id")
    if column is not None and len(key) >= _FEWEST and 2 * len(later) >= len(key):
        n_ids = len(key) - len(later)
        findings.add("QRY-233", file=rows.name, column=column, n=len(later), n_rows=len(key), n_ids=n_ids)
        return
    facts = (
        (int(rows.row[i]), {"found": query_words(keys, model, i), "first": int(rows.row[j])})
        for i, j in zip(later[:SHOWN].tolist(), first[:SHOWN].tolist(), strict=True)
    )
    per_model = ", model" if model is not None else ""
    findings.add_rows("QRY-006", facts, len(later), file=rows.name, column=column, model=per_model)


def query_words(keys: Keys, model: Texts | None, index: int) -> str:
    """The ids of a query, and its model where rows have one, as a message names them."""
    names = [keys.post.at(index)]
    names += [keys.criterion.at(index)] if keys.criterion is not None else []
    names += [f"model {model.at(index)}"] if model is not None else []
    return ", ".join(names)
