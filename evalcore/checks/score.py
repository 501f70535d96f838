"""Scores that are too good, too poor or no scores: labels in their place, gold-derived columns, reversal.

An AUROC of few rows is judged only where chance alone would hardly give it: two standard errors of a score
without any skill.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.checks.results import CheckResult, by_model, column_of, file_of, numeric_columns, result
from evalcore.data import Data, Queries, RankedRows, Rankings
from evalcore.metrics.calibration.errors import ece
from evalcore.metrics.classification.discrimination import auroc
from evalcore.problems import Problem, problem
from evalcore.tallies.scores import ScoredRows, ScoreTable

MAX_PAIRS = 500_000
MAX_SEARCHED = 100_000
TOO_GOOD = 0.99
_NO_ERROR = 1e-6
_STANDARD_ERRORS = 2.0
_ENOUGH = 20
_FEW = 5


@dataclass(frozen=True)
class _Scores:
    """The scores of one model, with where they come from."""

    table: ScoreTable
    unit: str
    model: str
    file: str | None
    column: str | None

    @property
    def auroc(self) -> float:
        return float(auroc(self.table))

    @property
    def n_classes(self) -> tuple[int, int]:
        return int(self.table.total_pos), int(self.table.total_neg)

    def problem(self, code: str, **facts: Any) -> Problem:
        return problem(code, file=self.file, column=self.column, unit=self.unit, model=self.model, **facts)


def performed(data: Data) -> Iterator[CheckResult]:
    """The checks of scores against labels: of queries, and of candidates where they have scores."""
    if data.queries is not None:
        scores = list(_of_queries(data, data.queries))
        yield from _against_labels(scores, "query")
        yield from _other_columns(data.queries, scores)
        if data.score_kind == "probability":
            what = "The calibration error is above 0: p was not fitted on these rows."
            judged = [one for one in scores if min(one.n_classes) >= _FEW and not _is_label(one)]
            if judged:
                found = (fitted for one in judged for fitted in _in_sample(one))
                yield result("Calibration error", what, _n_rows(judged), found)
    if data.rankings is not None and len(data.rankings.gold_query):
        yield from _against_labels(list(_of_pairs(data, data.rankings)), "candidate")


def _against_labels(scores: list[_Scores], unit: str) -> Iterator[CheckResult]:
    n_rows = _n_rows(scores)
    if not n_rows:
        return
    of = "" if unit == "query" else " of candidates"
    what = "The score is not the label, and takes more than two values."
    yield result(f"Score values{of}", what, n_rows, (p for one in scores for p in _values(one)))
    what = f"AUROC lies between 0.5 and {TOO_GOOD}: neither reversed nor too good to be true."
    judged = [one for one in scores if min(one.n_classes) and not _is_label(one)]
    if judged:
        found = (p for one in judged for p in _separation(one))
        yield result(f"Separation{of}", what, _n_rows(judged), found)


def _n_rows(scores: list[_Scores]) -> int:
    return sum(int(one.table.total) for one in scores)


def _of_queries(data: Data, queries: Queries) -> Iterator[_Scores]:
    rows = ScoredRows.from_queries(queries)
    file, column = file_of(data, "queries"), column_of(data, "probability")
    for words, at in by_model(queries):
        yield _Scores(ScoreTable.from_rows(_some(rows, at)), "row", words, file, column)


def _some(rows: ScoredRows, at: NDArray[np.intp]) -> ScoredRows:
    return rows if len(at) == len(rows) else rows.take(at)


def _of_pairs(data: Data, rankings: Rankings) -> Iterator[_Scores]:
    """The scored candidates of each model, every n-th of them where they are many."""
    gold = np.sort(rankings.gold_query * len(rankings.item_ids) + rankings.gold_item)
    for model, rows in rankings.lists.items():
        if rows.has_scores and len(rows.score):
            table = ScoreTable.from_rows(_pairs(rows, gold, len(rankings.item_ids), rankings.n_queries))
            yield _Scores(table, "candidate", "", file_of(data, "candidates"), model)


def _pairs(rows: RankedRows, gold: NDArray[np.intp], n_items: int, n_queries: int) -> ScoredRows:
    every = slice(None, None, math.ceil(len(rows.score) / MAX_PAIRS))
    pair = rows.query[every] * n_items + rows.item[every]
    at = np.minimum(np.searchsorted(gold, pair), len(gold) - 1)
    return ScoredRows(rows.score[every], gold[at] == pair, rows.query[every], n_queries)


def _equals_label(table: ScoreTable) -> bool:
    return bool((np.where(table.n_pos > 0, 1.0, 0.0) == table.score).all()) and len(table.score) == 2


def _is_label(scores: _Scores) -> bool:
    table = scores.table
    is_apart = not bool(((table.n_pos > 0) & (table.n_neg > 0)).any())
    return is_apart and _equals_label(table)


def _values(scores: _Scores) -> Iterator[Problem]:
    """A score that equals the label, or takes one or two values in several rows."""
    n_values, n_rows = len(scores.table.score), int(scores.table.total)
    if _is_label(scores):
        yield scores.problem("QRY-035", n_rows=n_rows)
    elif n_values <= 2 and n_rows >= _FEW:
        found = " and ".join(f"{value:g}" for value in scores.table.score)
        yield scores.problem("QRY-036", found=found, n_rows=n_rows)


def _separation(scores: _Scores) -> Iterator[Problem]:
    """An AUROC that is too good to be true, or below one half."""
    value = scores.auroc
    if value > TOO_GOOD and _is_beyond_chance(value, *scores.n_classes):
        yield scores.problem("QRY-037", value=f"{value:.6g}")
    elif value < 0.5 and (min(scores.n_classes) >= _ENOUGH or _is_beyond_chance(value, *scores.n_classes)):
        yield scores.problem("QRY-038", value=f"{value:.6g}")


def _is_beyond_chance(value: float, n_pos: int, n_neg: int) -> bool:
    return abs(value - 0.5) > _STANDARD_ERRORS * _standard_error(n_pos, n_neg)


def _standard_error(n_pos: int, n_neg: int) -> float:
    """Of the AUROC of a score without skill (Mann and Whitney)."""
    return math.sqrt((n_pos + n_neg + 1) / (12 * n_pos * n_neg))


def _in_sample(scores: _Scores) -> Iterator[Problem]:
    """A calibration error of 0, which only fitting on the same rows gives."""
    value = float(ece(scores.table))
    if value < _NO_ERROR:
        yield scores.problem("QRY-040", value=f"{value:.1g}")


def _other_columns(queries: Queries, scores: list[_Scores]) -> Iterator[CheckResult]:
    """Numeric columns that separate the label better than the score; an empty cell is the lowest value."""
    columns = {name: np.where(np.isnan(values), -np.inf, values) for name, values in numeric_columns(queries)}
    if columns:
        what = "No other numeric column separates the label better than the score."
        name = f"Other columns ({', '.join(columns)})"
        yield result(name, what, len(queries), _better(queries, columns, scores))


def _better(
    queries: Queries, columns: dict[str, NDArray[np.float64]], scores: list[_Scores]
) -> Iterator[Problem]:
    rows = ScoredRows.from_queries(queries)
    for (_, at), one in zip(by_model(queries), scores, strict=True):
        if not min(one.n_classes):
            continue
        score = max(one.auroc, 1 - one.auroc)
        few = at[:: math.ceil(len(at) / MAX_SEARCHED)]
        for name, values in columns.items():
            if not _is_better(_separates(values, rows, few), score, one.n_classes):
                continue
            value = _separates(values, rows, at)
            if _is_better(value, score, one.n_classes):
                facts: dict[str, Any] = {"value": f"{value:.6g}", "score": f"{score:.6g}", "model": one.model}
                yield problem("QRY-039", file=one.file, column=name, **facts)


def _separates(values: NDArray[np.float64], rows: ScoredRows, at: NDArray[np.intp]) -> float:
    found = float(
        auroc(ScoreTable.from_rows(ScoredRows(values[at], rows.is_positive[at], rows.post[at], rows.n_posts)))
    )
    return max(found, 1 - found)


def _is_better(value: float, score: float, n_classes: tuple[int, int]) -> bool:
    """Better by more than chance, or too good to be true."""
    error = _STANDARD_ERRORS * _standard_error(*n_classes)
    return value > score and (value - score > error or (value > TOO_GOOD and value - 0.5 > error))
