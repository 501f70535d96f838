"""The selections of one group of queries: as the file states them, or by a policy."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from evalcore.data import Data, Queries, Rankings
from evalcore.evaluation.groups import Mask
from evalcore.evaluation.options import Options
from evalcore.evaluation.tallies import Tally, gate_thresholds
from evalcore.kernels.selection import select
from evalcore.tallies.ranked import RankedQueries
from evalcore.tallies.selections import ScoredLists, Selections, places_of, states_selection

OWN = {"policy": "selected_k"}


def stated_selections(
    queries: Queries, options: Options, rankings: Rankings | None = None, lists: RankedQueries | None = None
) -> Iterator[Tally]:
    """The file's own ``selected_k``, of the rows of one model; with its lists where they are known."""
    if "selected_k" not in queries.numbers:
        return
    pair = gate_thresholds(queries, options)
    chosen = Selections.from_queries(queries, rankings, lists)
    if pair is not None:
        chosen = chosen.behind_gate(queries.score[states_selection(queries, rankings)] >= pair[0])
    yield "Selections", OWN, chosen


def simulated_selections(data: Data, rankings: Rankings, model: str, options: Options) -> Iterator[Tally]:
    """What the policy selects from the lists of one model, for all ranked queries."""
    if options.policy is None:
        return
    lists = ScoredLists.from_rankings(rankings, model, stable=options.ties == "stable")
    chosen = select(lists, options.policy).behind_gate(passed_gate(rankings, data.queries, options))
    yield "Selections", options.policy.params(lists.scale), chosen


def passed_gate(rankings: Rankings, queries: Queries | None, options: Options) -> Mask:
    """The ranked queries that the gate lets through, shape (Q,); all where there is no gate or no score."""
    pair = None if queries is None else gate_thresholds(queries, options)
    if queries is None or pair is None or len(queries.models) > 1:
        return np.ones(rankings.n_queries, bool)
    at = places_of(rankings, queries)
    return (at < 0) | (queries.score[at] >= pair[0])
