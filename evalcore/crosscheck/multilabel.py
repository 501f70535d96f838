"""Per post a second time: rows gathered by post or by criterion, as document 002 §6 prints it."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import NamedTuple

from evalcore.crosscheck.spread import summary


class Row(NamedTuple):
    """One (post, criterion) with its label and its score."""

    post: Hashable
    criterion: Hashable
    label: bool
    score: float


Cells = list[tuple[bool, bool]]


def _gathered(rows: Iterable[Row], threshold: float, by: str) -> list[Cells]:
    """The (label, call) cells of each post, or of each criterion."""
    groups: dict[Hashable, Cells] = defaultdict(list)
    for row in rows:
        groups[getattr(row, by)].append((bool(row.label), row.score >= threshold))
    return list(groups.values())


def _share_right(cells: Cells) -> float:
    return sum(label == call for label, call in cells) / len(cells)


def exact_match(rows: Sequence[Row], *, threshold: float = 0.5) -> float:
    """Share of the posts with every criterion of the data for which all are right."""
    n_criteria = len({row.criterion for row in rows})
    complete = [cells for cells in _gathered(rows, threshold, "post") if len(cells) == n_criteria]
    return summary([float(_share_right(cells) == 1) for cells in complete])


def hamming_score(rows: Sequence[Row], *, threshold: float = 0.5, stat: str = "mean") -> float:
    """Mean over posts of the share that is right."""
    return summary([_share_right(cells) for cells in _gathered(rows, threshold, "post")], stat)


def hamming_loss(rows: Sequence[Row], *, threshold: float = 0.5, stat: str = "mean") -> float:
    """Mean over posts of the share that is wrong."""
    return summary([1 - _share_right(cells) for cells in _gathered(rows, threshold, "post")], stat)


def _f1(cells: Iterable[tuple[bool, bool]]) -> float:
    """F1 of (label, call) cells; NaN without positive and call."""
    cells = list(cells)
    n_positive = sum(label for label, _ in cells)
    n_called = sum(call for _, call in cells)
    n_found = sum(label and call for label, call in cells)
    if not n_positive and not n_called:
        return math.nan
    if not n_found:
        return 0.0
    precision, recall = n_found / n_called, n_found / n_positive
    return 2 * precision * recall / (precision + recall)


def f1(rows: Sequence[Row], *, threshold: float = 0.5, variant: str = "micro", stat: str = "mean") -> float:
    """F1 of all cells, or the mean of the F1 of criteria or posts."""
    by_criterion, by_post = (_gathered(rows, threshold, by) for by in ("criterion", "post"))
    if variant == "micro":
        return _f1(cell for cells in by_post for cell in cells)
    if variant == "macro":
        return summary([_f1(cells) for cells in by_criterion])
    if variant == "weighted":
        n_positive = [sum(label for label, _ in cells) for cells in by_criterion]
        products = [n * _f1(cells) for n, cells in zip(n_positive, by_criterion, strict=True) if n]
        return math.fsum(products) / sum(n_positive) if sum(n_positive) else math.nan
    fill = {"samples": math.nan, "samples_zero": 0.0, "samples_one": 1.0}[variant]
    return summary([fill if math.isnan(value) else value for value in map(_f1, by_post)], stat)


MULTILABEL: dict[str, Callable[..., float]] = {
    "exact_match": exact_match,
    "hamming_score": hamming_score,
    "hamming_loss": hamming_loss,
    "f1": f1,
}
