"""Plan, gather, merge and finish: from rows, in one piece or in parts, to the tallies that values rest on.

`gather` alone sees rows. What it gives names posts and units by hashes of their ids, so that parts read
apart, each with codes and levels of its own, can be put together in any order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, TypeVar

import numpy as np

from evalcore.annotations import Annotations
from evalcore.data import Data, Queries, RankedRows, Rankings
from evalcore.evaluation.gathering.annotations import GatheredAnnotations
from evalcore.evaluation.gathering.states import STATE, with_states
from evalcore.evaluation.gathering.units import cluster_warnings, groups_drawn, has_column, posts_of
from evalcore.evaluation.options import Options, checked
from evalcore.evaluation.over_groups import FOLD
from evalcore.problems import InputError, Problem, problem
from evalcore.tallies.ranked import RankedQueries
from evalcore.tallies.scores import PairTable
from evalcore.tallies.selections import ScoredLists
from evalcore.tallies.units import Column, UnitList, UnitLists, Units, UnitScores, query_key

SPLIT = "split"
NUMBERS = ("tau_neg", "tau_pos", "selected_k", "n_candidates")
"""Columns of numbers that values rest on."""

Rows = TypeVar("Rows", Queries, Rankings)


@dataclass(frozen=True)
class Plan:
    """What is decided on the whole input before a row of it is gathered.

    Parameters
    ----------
    data : the input without its rows: sources, score kind, models, columns and their levels.
    options : how it is evaluated, checked.
    names_rows_by_source : whether numbers of rows may stand for other rows too: several sources number their
        own, or a part of the same kind has ids, which may be such numbers.
    """

    data: Data
    options: Options
    names_rows_by_source: bool = False

    @staticmethod
    def of(chunks: Sequence[Data], options: Options) -> Plan:
        """The plan of an input in parts.

        Raises
        ------
        InputError : for illegal options, and for parts that are not of one kind.
        """
        if not chunks:
            raise InputError([problem("QRY-240", what="data", found="no part", expected="at least one part")])
        facts = [_facts(with_state(chunk, options)) for chunk in chunks]
        problems = [one for other in facts[1:] for one in _unlike(facts[0], other)]
        if problems:
            raise InputError(list(_once(problems, ())))
        data = reduce(_merged_facts, facts)
        if len(chunks) > 1 and (parts := [one for one in map(_annotations, chunks) if one is not None]):
            data = data.with_tables(annotations=reduce(GatheredAnnotations.merge, parts).finish())
        options = checked(data, options)
        lacking = cluster_warnings(data, options.cluster)
        return Plan(
            replace(data, warnings=(*data.warnings, *lacking)), options, _names_rows_by_source(chunks)
        )


@dataclass(frozen=True, eq=False)
class Gathered:
    """The rows of an input as tallies that merge; no id and no text of a row is in them.

    Parameters
    ----------
    scores : scored rows of all models; None where no part has any.
    lists : ranked queries and their lists; None where no part has any.
    annotations : what people and tools said; None where no part has any.
    """

    scores: UnitScores | None = None
    lists: UnitLists | None = None
    annotations: GatheredAnnotations | None = None

    @property
    def said(self) -> Annotations | None:
        """The annotations once they are finished."""
        return None if self.annotations is None else self.annotations.parts[0]

    def merge(self, other: Gathered) -> Gathered:
        """The rows of these and of other parts."""
        return Gathered(
            _merged(self.scores, other.scores),
            _merged(self.lists, other.lists),
            _merged(self.annotations, other.annotations),
        )


def gathered(chunks: Sequence[Data], plan: Plan) -> Gathered:
    """finish(reduce(merge, map(gather, chunks))): the tallies of an input, whichever way it was cut.

    Raises
    ------
    InputError : for a query that two parts hold, and for labels of a query that contradict each other.
    """
    found = finish(reduce(Gathered.merge, (gather(chunk, plan) for chunk in chunks)))
    # Within one part the reader has looked for both.
    problems = [*_torn_rows(found.scores), *_torn_lists(found.lists)] if len(chunks) > 1 else []
    if problems:
        raise InputError(problems)
    return found


def gather(data: Data, plan: Plan) -> Gathered:
    """The rows of one part of the input."""
    data = with_state(data, plan.options)
    source = data.digest if plan.names_rows_by_source else ""
    return Gathered(
        None if data.queries is None else unit_scores(data.queries, plan.options, plan.data.queries, source),
        None
        if data.rankings is None
        else _unit_lists(data.rankings, plan.options, plan.data.rankings, source),
        _annotations(data),
    )


def finish(found: Gathered) -> Gathered:
    """The same in the one order that all parts together have."""
    scores, lists, said = found.scores, found.lists, found.annotations
    return Gathered(
        None if scores is None else scores.ordered(),
        None if lists is None else lists.ordered(),
        None if said is None else GatheredAnnotations((said.finish(),)),
    )


def _annotations(data: Data) -> GatheredAnnotations | None:
    return None if data.annotations is None else GatheredAnnotations((data.annotations,))


def with_state(data: Data, options: Options) -> Data:
    """The data with the column of states where values are broken down by it."""
    return with_states(data, options.tau_neg, options.tau_pos) if STATE in options.by else data


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
    posts = posts_of(queries, source)
    n_models = len(queries.models)
    first_row = np.full(n_models, np.iinfo(np.int64).max)
    np.minimum.at(first_row, queries.model, queries.row)
    return UnitScores(
        posts,
        _drawn_by(queries, whole, options.cluster, posts),
        queries.criterion,
        np.array([str(name) for name in queries.criterion_ids], object),
        queries.has_evidence,
        queries.score,
        queries.model,
        queries.models,
        _slices(queries, options),
        {name: queries.numbers[name] for name in NUMBERS if name in queries.numbers},
        first_row,
        queries.has_posts,
    )


def _unit_lists(rankings: Rankings, options: Options, whole: Rankings | None, source: str) -> UnitLists:
    posts = posts_of(rankings, source)
    return UnitLists(
        posts,
        _drawn_by(rankings, whole, options.cluster, posts),
        rankings.criterion,
        np.array([str(name) for name in rankings.criterion_ids], object),
        _slices(rankings, options),
        {name: _unit_list(rankings, name, options) for name in rankings.lists},
        rankings.has_posts,
    )


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
        PairTable.rows(rankings, model) if has_scores else None,
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


def _merged(first: Any, second: Any) -> Any:
    if first is None or second is None:
        return second if first is None else first
    return first.merge(second)


def _facts(data: Data) -> Data:
    """The data with tables that keep their names and levels and lose their rows."""
    queries, rankings = data.queries, data.rankings
    nothing = np.zeros(0, np.intp)
    if queries is not None:
        queries = replace(queries.where(np.zeros(len(queries), bool)), post_ids=np.empty(0, object), units={})
    if rankings is not None:
        rankings = replace(
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
    return data.with_tables(queries=queries, rankings=rankings)


def _names_rows_by_source(chunks: Sequence[Data]) -> bool:
    named: dict[str, set[str]] = {"queries": set(), "rankings": set()}
    for chunk in chunks:
        for table, sources in named.items():
            part = chunk.tables.get(table)
            if part is not None:
                sources.add("" if part.has_ids else chunk.digest)
    return any(len(sources) > 1 for sources in named.values()) or len(set().union(*named.values()) - {""}) > 1


def _merged_facts(first: Data, second: Data) -> Data:
    """The facts of two parts; sources, warnings and notes of both are named once."""
    queries = _merged_names(first.queries, second.queries)
    if first.queries is not None and second.queries is not None and queries is not None:
        numbers = dict.fromkeys([*first.queries.numbers, *second.queries.numbers], np.zeros(0))
        models = _once(first.queries.models, second.queries.models)
        queries = replace(queries, models=models, numbers=numbers)
    tables = {"queries": queries, "rankings": _merged_names(first.rankings, second.rankings)}
    return replace(
        first.with_tables(**tables),
        sources=_once(first.sources, second.sources),
        warnings=_once(first.warnings, second.warnings),
        notes=_once(first.notes, second.notes),
    )


def _merged_names(first: Rows | None, second: Rows | None) -> Rows | None:
    """The names and levels of two tables without rows."""
    if first is None or second is None:
        return second if first is None else first
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
    """What either names, each once; sources and problems have no hash."""
    found: list[Any] = []
    for one in (*first, *second):
        if one not in found:
            found.append(one)
    return tuple(found)


def _unlike(first: Data, other: Data) -> Iterator[Problem]:
    """What keeps two parts from being parts of one input."""
    for what, name in (("task", "task"), ("kind of score", "score_kind"), ("positive label", "positive")):
        found, expected = getattr(other, name), getattr(first, name)
        if found != expected:
            yield problem("QRY-240", what=what, found=found, expected=expected)
    if first.rankings is not None and other.rankings is not None:
        expected, found = _said_of_lists(first.rankings), _said_of_lists(other.rankings)
        if found != expected:
            yield problem("QRY-240", what="lists", found=found, expected=expected)


def _said_of_lists(rankings: Rankings) -> str:
    lists = sorted(rankings.lists.items())
    return ", ".join(f"{name} {'with' if one.has_scores else 'without'} scores" for name, one in lists)


def _torn_rows(scores: UnitScores | None) -> Iterator[Problem]:
    """Rows, in their order, of one query and model, and of one query with two labels."""
    if scores is None or len(scores) < 2:
        return
    same_query = np.diff(query_key(scores)) == 0
    n_repeated = int(np.count_nonzero(same_query & (np.diff(scores.model) == 0)))
    n_unlike = int(np.count_nonzero(same_query & (scores.has_evidence[1:] != scores.has_evidence[:-1])))
    if n_repeated:
        yield problem("QRY-242", n=n_repeated)
    if n_unlike:
        yield problem("QRY-241", n=n_unlike)


def _torn_lists(lists: UnitLists | None) -> Iterator[Problem]:
    if lists is not None and (n_repeated := int(np.count_nonzero(np.diff(query_key(lists)) == 0))):
        yield problem("QRY-243", n=n_repeated)
