"""Where the scores of a model come from: file, column, and whether they are the highest of candidates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from evalcore.data import Data, Source

SCORE_ROLES = ("probability", "score")
"""Roles of a score: of a query, and of a candidate of a query."""


@dataclass(frozen=True)
class Origin:
    """Where scores come from.

    Parameters
    ----------
    sources : the files whose bytes decide scores and labels.
    source : the file that holds the score.
    column : the name of the score in it.
    level : what the model column says of these rows; None without a model column.
    is_maximum : whether a query's score is the highest of its candidates.
    """

    sources: tuple[Source, ...]
    source: Source
    column: str
    level: str | None
    is_maximum: bool


def origin_of(data: Data, model: str) -> Origin:
    """Where the scores of a model come from.

    Readers name a model after its score column, what the model column says, both, or its file.

    Parameters
    ----------
    data : checked data with queries.
    model : one of its models.
    """
    known = list(_scores(data))
    of_queries = tuple(source for source in data.sources if "probability" in source.columns)
    if not known:
        return Origin(data.sources, data.sources[0], "probability", None, False)
    source, role, column = next((score for score in known if _is_named_after(model, score)), known[0])
    n_scores = sum(other is source for other, _, _ in known)
    level = _level(model, source, column, n_scores) if "model" in source.columns else None
    is_maximum = role == "score"
    return Origin(data.sources if is_maximum else of_queries, source, column, level, is_maximum)


def _scores(data: Data) -> Iterator[tuple[Source, str, str]]:
    for role in SCORE_ROLES:
        for source in data.sources:
            for column in source.columns.get(role, "").split(", "):
                if column:
                    yield source, role, column


def _is_named_after(model: str, score: tuple[Source, str, str]) -> bool:
    source, _, column = score
    of_file = any(model == name or model.startswith(f"{name}: ") for name in _file_names(source))
    return model == column or model.endswith(f" {column}") or of_file


def _file_names(source: Source) -> tuple[str, str]:
    return source.name, source.name.split(".")[0]


def _level(model: str, source: Source, column: str, n_scores: int) -> str | None:
    if model in _file_names(source):
        return None
    for name in _file_names(source):
        model = model.removeprefix(f"{name}: ")
    return model.removesuffix(f" {column}") if n_scores > 1 else model
