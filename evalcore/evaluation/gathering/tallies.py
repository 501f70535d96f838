"""The tallies of one group, each with the parameters it was made with."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from evalcore.data import Queries, ScoreKind
from evalcore.evaluation.groups import Mask
from evalcore.evaluation.options import Options
from evalcore.tallies.counted_pairs import pair_table
from evalcore.tallies.decisions import confusion_at, states_at, states_by_row
from evalcore.tallies.labels import LabelMatrix
from evalcore.tallies.scores import ScoredRows, ScoreTable
from evalcore.tallies.unit_lists import UnitList
from evalcore.tallies.unit_scores import UnitScores

Tally = tuple[str, Mapping[str, Any], Any]


def gate_thresholds(queries: Queries | UnitScores, options: Options) -> tuple[float, float] | None:
    """The one pair of thresholds of the gate: given, or the same in every row of the file; None otherwise."""
    if options.tau_neg is not None and options.tau_pos is not None:
        return options.tau_neg, options.tau_pos
    if not {"tau_neg", "tau_pos"} <= set(queries.numbers) or not len(queries):
        return None
    low, high = np.unique(queries.numbers["tau_neg"]), np.unique(queries.numbers["tau_pos"])
    return (
        (float(low[0]), float(high[0]))
        if len(low) == len(high) == 1 and not np.isnan(low[0] + high[0])
        else None
    )


def gate_options(tau_neg: float | None, tau_pos: float | None, score_kind: ScoreKind) -> dict[str, float]:
    """Thresholds as options of an evaluation; None, an empty zone, becomes one beyond every score.

    Examples
    --------
    >>> gate_options(0.25, None, "probability")
    {'tau_neg': 0.25, 'tau_pos': 1.0000000000000002}
    """
    lowest, beyond = -sys.float_info.max, sys.float_info.max
    if score_kind == "probability":
        lowest, beyond = 0.0, math.nextafter(1.0, 2.0)
    return {
        "tau_neg": lowest if tau_neg is None else float(tau_neg),
        "tau_pos": beyond if tau_pos is None else float(tau_pos),
    }


def query_tallies(queries: UnitScores, options: Options) -> Iterator[Tally]:
    """The tallies of one group of queries: (kind, the parameters it was made with, the tally)."""
    table = ScoreTable.from_rows(ScoredRows.from_queries(queries))
    yield "ScoreTable", {}, table
    pair = gate_thresholds(queries, options)
    by_row = pair is None and {"tau_neg", "tau_pos"} <= set(queries.numbers)
    has_labels = queries.has_posts and options.asks_for(LabelMatrix) and (queries.criterion >= 0).any()
    for rule in rules_of(pair):
        yield "Confusion", rule, confusion_at(table, rule["threshold"])
        if has_labels:
            yield "LabelMatrix", rule, LabelMatrix.from_queries(queries, rule["threshold"])
    if pair is not None:
        tau_neg, tau_pos = pair
        yield "StateCounts", {"tau_neg": tau_neg, "tau_pos": tau_pos}, states_at(table, tau_neg, tau_pos)
    if by_row:
        own = states_by_row(
            queries.score, queries.has_evidence, queries.numbers["tau_neg"], queries.numbers["tau_pos"]
        )
        yield "StateCounts", {"tau_neg": "by_row", "tau_pos": "by_row"}, own


def rules_of(pair: tuple[float, float] | None) -> list[dict[str, Any]]:
    """The thresholds at which a score calls a query positive, each with the name of its rule."""
    if pair is None:
        return [{"threshold": 0.5, "rule": "decision"}]
    return [{"threshold": pair[0], "rule": "screened_in"}, {"threshold": pair[1], "rule": "alert"}]


def ranking_tallies(lists: UnitList, mask: Mask) -> Iterator[Tally]:
    """The tallies of one group of ranked queries."""
    at = np.flatnonzero(mask)
    yield "RankedQueries", {}, lists.ranked if mask.all() else lists.ranked.take(at)
    if lists.pairs is not None:
        yield "PairTable", {}, pair_table(lists.pairs.of_posts(at))
