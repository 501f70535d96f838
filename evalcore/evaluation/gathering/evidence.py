"""Scored rows and ranked lists: what is decided on all of them, what they are gathered to, their models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any, TypeVar

import numpy as np

from evalcore.data import Data, Queries, RankedRows, Rankings
from evalcore.evaluation.gathering.gather import Gathered, Gathering
from evalcore.evaluation.gathering.samples import Draws, OfModel, of_lists, of_queries, of_stated
from evalcore.evaluation.gathering.units import groups_drawn, has_column, posts_of
from evalcore.evaluation.options import Options
from evalcore.evaluation.over_groups import FOLD
from evalcore.parts import whole_queries, whole_rankings
from evalcore.tallies.levels import Column, narrowed
from evalcore.tallies.ranked import RankedQueries
from evalcore.tallies.scores import PairTable
from evalcore.tallies.selections import ScoredLists
from evalcore.tallies.unit_lists import UnitList, UnitLists
from evalcore.tallies.unit_scores import NUMBERS, UnitScores
from evalcore.tallies.units import Units

SPLIT = "split"

Rows = TypeVar("Rows", Queries, Rankings)


def models_of(found: Gathered, options: Options) -> Iterator[OfModel]:
    """The scores of each model, then what its file says was selected, then the lists."""
    lists, scores, draws = found.lists, found.scores, Draws(options)
    for code, model in enumerate(scores.models if scores is not None else ()):
        assert scores is not None
        queries = scores if len(scores.models) == 1 else scores.where(scores.model == code)
        yield OfModel(model, queries, of_queries(queries, options, draws))
        if "selected_k" not in queries.numbers:
            continue
        if lists is None:
            yield OfModel(model, queries, of_stated(queries, options, None, None, draws))
        else:
            for name, one in lists.lists.items():
                ranked = one.ranked if one.one_order is None else one.one_order
                stated = of_stated(queries, options, lists, ranked, draws)
                yield OfModel(name if len(scores.models) == 1 else f"{model};{name}", queries, stated)
    for name in lists.lists if lists is not None else ():
        assert lists is not None
        yield OfModel(name, lists, of_lists(lists, name, scores, options, draws))


def parts_of(data: Data) -> Iterator[Queries | Rankings]:
    """What `models_of` will give, model by model, before a row is gathered: its steps can be counted."""
    rankings, queries = data.rankings, data.queries
    for code in range(len(queries.models)) if queries is not None else ():
        assert queries is not None
        of_model = queries.where(queries.model == code)
        yield of_model
        if "selected_k" in of_model.numbers:
            yield from [of_model] * (1 if rankings is None else len(rankings.lists))
    for _ in rankings.lists if rankings is not None else ():
        assert rankings is not None
        yield rankings


def unit_scores(
    queries: Queries, options: Options, whole: Queries | None = None, source: str = ""
) -> UnitScores:
    """Scored rows with their units.

    Parameters
    ----------
    queries : rows of any number of models.
    options : by which columns rows are broken down, and what is drawn together.
    whole : the names and levels of the whole input where these are rows of a part of it.
    source : stands before the numbers of rows without ids; empty where they come from one source.
    """
    n_models = len(queries.models)
    first_row = np.full(n_models, np.iinfo(np.int64).max)
    np.minimum.at(first_row, queries.model, queries.row)
    return UnitScores(
        **_rows(queries, options, whole, source),
        has_evidence=queries.has_evidence,
        score=queries.score,
        model=narrowed((queries.model, queries.models))[0],
        models=queries.models,
        numbers={name: queries.numbers[name] for name in NUMBERS if name in queries.numbers},
        first_row=first_row,
    )


def unit_lists(rankings: Rankings, options: Options, whole: Rankings | None, source: str) -> UnitLists:
    """Ranked queries with their units; parameters as of `unit_scores`."""
    lists = {name: _unit_list(rankings, name, options) for name in rankings.lists}
    return UnitLists(**_rows(rankings, options, whole, source), lists=lists)


def _rows(
    part: Queries | Rankings, options: Options, whole: Queries | Rankings | None, source: str
) -> dict[str, Any]:
    """What scored rows and ranked queries have alike."""
    posts = posts_of(part, source)
    criterion, names = narrowed((part.criterion, tuple(map(str, part.criterion_ids))))
    return {
        "posts": posts,
        "drawn_by": _drawn_by(part, whole, options.cluster, posts),
        "criterion": criterion,
        "criterion_ids": np.array(names, object),
        "slices": _slices(part, options),
        "has_posts": part.has_posts,
    }


def _unit_list(rankings: Rankings, model: str, options: Options) -> UnitList:
    ties, has_scores = options.ties, rankings.lists[model].has_scores
    one_order, scored = None, None
    if ties == "expected":  # what was selected from a list is not the mean over all orders of its ties
        one_order = RankedQueries.from_rankings(rankings, model, ties="trec")
    if options.policy is not None:
        scored = ScoredLists.from_rankings(rankings, model, stable=ties == "stable")
    return UnitList(
        RankedQueries.from_rankings(rankings, model, ties=ties),
        one_order,
        # As many as the rows, and nothing else needs them.
        PairTable.rows(rankings, model) if has_scores and options.asks_for(PairTable) else None,
        scored,
    )


def _drawn_by(
    part: Queries | Rankings, whole: Queries | Rankings | None, column: str | None, posts: Units
) -> Units | None:
    """The groups of the column to draw by; None where the whole input has no such column."""
    if column is None or not has_column(part if whole is None else whole, column):
        return None
    return groups_drawn(part, column, posts)


def _slices(part: Queries | Rankings, options: Options) -> dict[str, Column]:
    # Whoever is shown the tallies of a saved report must know which of its rows are test rows.
    names = [name for name in (*options.by, FOLD, SPLIT) if name in part.slices]
    return {name: part.slices[name] for name in dict.fromkeys(names)}


def _queries_without_rows(parts: Sequence[Queries]) -> Queries:
    """The names and levels of scored rows in all parts."""
    return reduce(_merged_queries, map(_no_queries, parts))


def _no_queries(queries: Queries) -> Queries:
    return replace(queries.where(np.zeros(len(queries), bool)), post_ids=np.empty(0, object), units={})


def _merged_queries(first: Queries, second: Queries) -> Queries:
    numbers = dict.fromkeys([*first.numbers, *second.numbers], np.zeros(0))
    return replace(_merged(first, second), models=_once(first.models, second.models), numbers=numbers)


def _rankings_without_rows(parts: Sequence[Rankings]) -> Rankings:
    """The names and levels of ranked queries in all parts."""
    return reduce(_merged, map(_no_rankings, parts))


def _no_rankings(rankings: Rankings) -> Rankings:
    nothing = np.zeros(0, np.intp)
    return replace(
        rankings,
        post=nothing,
        post_ids=np.empty(0, object),
        criterion=nothing,
        slices={name: (nothing, levels) for name, (_, levels) in rankings.slices.items()},
        item_ids=np.empty(0, object),
        gold_query=nothing,
        gold_item=nothing,
        gold_grade=np.zeros(0, np.int64),
        lists={
            name: RankedRows(nothing, nothing, np.zeros(0), one.has_scores, np.zeros(0, np.int64))
            for name, one in rankings.lists.items()
        },
    )


def _merged(first: Rows, second: Rows) -> Rows:
    """The names and levels of two tables without rows."""
    nothing = np.zeros(0, np.intp)
    slices = {**first.slices, **second.slices}
    levels = [{name: part.slices.get(name, (nothing, ()))[1] for name in slices} for part in (first, second)]
    return replace(
        first,
        criterion_ids=np.array(_once(first.criterion_ids.tolist(), second.criterion_ids.tolist()), object),
        slices={name: (nothing, _once(*(part[name] for part in levels))) for name in slices},
        has_posts=first.has_posts and second.has_posts,
        has_ids=first.has_ids and second.has_ids,
    )


def _once(first: Iterable[Any], second: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys((*first, *second)))


def _said_of_lists(rankings: Rankings) -> str:
    lists = sorted(rankings.lists.items())
    return ", ".join(f"{name} {'with' if one.has_scores else 'without'} scores" for name, one in lists)


TABLES = (
    Gathering("queries", _queries_without_rows, unit_scores, whole_queries),
    Gathering("rankings", _rankings_without_rows, unit_lists, whole_rankings, ("lists", _said_of_lists)),
)
"""What the task ``evidence`` gathers."""
