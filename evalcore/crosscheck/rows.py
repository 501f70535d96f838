"""Data as plain lists: what the second implementations read."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from evalcore.crosscheck import rag, ranking
from evalcore.crosscheck.multilabel import Row
from evalcore.crosscheck.recommended import Recommended, recommended
from evalcore.data import Data, Queries, Rankings


class QueryRows(NamedTuple):
    """The rows of one model.

    Parameters
    ----------
    names : (post, criterion) of each row, as text; no criterion is an empty text.
    scores, labels : score and label of each row.
    numbers : column → number of each row, NaN where empty.
    has_posts : False where every row had to be taken as its own post.
    """

    names: list[tuple[str, str]]
    scores: list[float]
    labels: list[bool]
    numbers: dict[str, list[float]]
    has_posts: bool

    @property
    def cells(self) -> list[Row]:
        """The rows that belong to a post and a criterion."""
        rows = zip(self.names, self.labels, self.scores, strict=True)
        return [Row(*name, label, score) for name, label, score in rows if name[1] and self.has_posts]


class ListRows(NamedTuple):
    """The lists of one model.

    Parameters
    ----------
    names : (post, criterion) of each query.
    queries : gold (id → grade) and (id, score) rows of each query, in the order of the input.
    has_scores : whether the scores came with the lists.
    """

    names: list[tuple[str, str]]
    queries: list[tuple[dict[str, int], list[tuple[str, float]]]]
    has_scores: bool

    @property
    def pairs(self) -> tuple[list[float], list[bool]]:
        """Score of every listed candidate, and whether it is gold."""
        rows = [(score, item in gold) for gold, listed in self.queries for item, score in listed]
        return [score for score, _ in rows], [is_gold for _, is_gold in rows]


@dataclass(frozen=True)
class PlainData:
    """Data as plain lists, read once a model, and how they were evaluated.

    Parameters
    ----------
    data : what was evaluated.
    ties : order of tied candidates.
    tau_neg : a query below it does not pass the gate; None for the threshold that each row states, if any.
    annotators : whose responses count; none named: everybody's.
    """

    data: Data
    ties: str = "trec"
    tau_neg: float | None = None
    annotators: tuple[str, ...] = ()
    _rows: dict[str, QueryRows | None] = field(default_factory=dict)
    _lists: dict[str, ListRows | None] = field(default_factory=dict)
    _values: dict[tuple[str, ...], list[float | None]] = field(default_factory=dict)
    _judged: dict[str, list[Any]] = field(default_factory=dict)
    _recommended: dict[str, Recommended | None] = field(default_factory=dict)

    def rows(self, model: str) -> QueryRows | None:
        """The rows of a model; None where no file holds it."""
        if model not in self._rows:
            self._rows[model] = query_rows(self.data, model)
        return self._rows[model]

    def ranking_values(
        self, model: str, lists: ListRows, name: str, given: Mapping[str, Any]
    ) -> list[float | None]:
        """The value of each query by a ranking metric, computed once for all populations and spreads."""
        key = (model, name, *(f"{parameter}={value}" for parameter, value in given.items()))
        if key not in self._values:
            self._values[key] = ranking.values(name, lists.queries, ties=self.ties, **given)
        return self._values[key]

    def judged(self, task: str) -> list[Any] | None:
        """The judged queries or answers of a task about annotations; None where no file holds it."""
        annotations = self.data.annotations
        responses = (
            {} if annotations is None else {str(name): of for name, of in annotations.responses.items()}
        )
        if task not in responses:
            return None
        if task not in self._judged:
            self._judged[task] = rag.units_of(responses[task], self.annotators)
        return self._judged[task]

    def recommended(self, model: str) -> Recommended | None:
        """What a model recommended; None where no file holds it."""
        table = self.data.recommendations
        if model not in self._recommended:
            self._recommended[model] = None if table is None else recommended(table, model)
        return self._recommended[model]

    def passed(self, rows: QueryRows) -> list[bool]:
        """Whether the gate lets each row through."""
        stated = rows.numbers.get("tau_neg", [math.nan] * len(rows.scores))
        low = stated if self.tau_neg is None else [self.tau_neg] * len(rows.scores)
        return [not score < tau for score, tau in zip(rows.scores, low, strict=True)]

    def lists(self, model: str) -> ListRows | None:
        """The lists of a model; None where no file holds it."""
        if model not in self._lists:
            self._lists[model] = list_rows(self.data, model)
        return self._lists[model]


def query_rows(data: Data, model: str) -> QueryRows | None:
    """The rows of a model; None where no file holds it."""
    queries = data.queries
    if queries is None or model not in queries.models:
        return None
    of_model = queries.where(queries.model == queries.models.index(model))
    numbers = {name: values.tolist() for name, values in of_model.numbers.items()}
    scores, labels = of_model.score.tolist(), of_model.has_evidence.tolist()
    return QueryRows(_names(of_model), scores, labels, numbers, of_model.has_posts)


def list_rows(data: Data, model: str) -> ListRows | None:
    """The lists of a model; None where no file holds it."""
    rankings = data.rankings
    if rankings is None or model not in rankings.lists:
        return None
    ids, rows = rankings.item_ids.tolist(), rankings.lists[model]
    queries: list[tuple[dict[str, int], list[tuple[str, float]]]] = [
        ({}, []) for _ in range(rankings.n_queries)
    ]
    golds = (rankings.gold_query.tolist(), rankings.gold_item.tolist(), rankings.gold_grade.tolist())
    for query, item, grade in zip(*golds, strict=True):
        queries[query][0][ids[item]] = grade
    for query, item, score in zip(rows.query.tolist(), rows.item.tolist(), rows.score.tolist(), strict=True):
        queries[query][1].append((ids[item], score))
    return ListRows(_names(rankings), queries, rows.has_scores)


def _names(table: Queries | Rankings) -> list[tuple[str, str]]:
    posts, criteria = table.post_ids.tolist(), [*table.criterion_ids.tolist(), ""]
    codes = zip(table.post.tolist(), table.criterion.tolist(), strict=True)
    return [(posts[post], criteria[criterion]) for post, criterion in codes]
