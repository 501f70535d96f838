"""The selections of one group of queries: as the file states them, or by a policy."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from evalcore.evaluation.gathering.tallies import Tally, gate_thresholds
from evalcore.evaluation.groups import Mask
from evalcore.evaluation.options import Options
from evalcore.kernels.selection import select
from evalcore.tallies.ranked import RankedQueries
from evalcore.tallies.selections import Selections, places_of, states_selection
from evalcore.tallies.unit_lists import UnitList, UnitLists
from evalcore.tallies.unit_scores import UnitScores

OWN = {"policy": "selected_k"}


def stated_selections(
    queries: UnitScores, options: Options, lists: UnitLists | None = None, ranked: RankedQueries | None = None
) -> Iterator[Tally]:
    """The file's own ``selected_k``, of the rows of one model; with its lists where they are known."""
    if "selected_k" not in queries.numbers:
        return
    pair = gate_thresholds(queries, options)
    chosen = Selections.from_queries(queries, lists, ranked)
    if pair is not None:
        chosen = chosen.behind_gate(queries.score[states_selection(queries, lists)] >= pair[0])
    yield "Selections", OWN, chosen


def simulated_selections(
    of_model: UnitList, lists: UnitLists, queries: UnitScores | None, options: Options
) -> Iterator[Tally]:
    """What the policy selects from the lists of one model, for all ranked queries."""
    if options.policy is None or of_model.scored is None:
        return
    chosen = select(of_model.scored, options.policy).behind_gate(passed_gate(lists, queries, options))
    yield "Selections", options.policy.params(of_model.scored.scale), chosen


def passed_gate(lists: UnitLists, queries: UnitScores | None, options: Options) -> Mask:
    """The ranked queries that the gate lets through, shape (Q,); all where there is no gate or no score."""
    pair = None if queries is None else gate_thresholds(queries, options)
    if queries is None or pair is None or len(queries.models) > 1:
        return np.ones(len(lists), bool)
    at = places_of(lists, queries)
    return (at < 0) | (queries.score[at] >= pair[0])
