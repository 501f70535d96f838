"""The rows of a comparison before anything is resampled: every metric in every group."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from evalcore.catalog import METRICS
from evalcore.compare.gates import Gates
from evalcore.compare.options import CompareOptions
from evalcore.compare.pairing import NOWHERE, Paired
from evalcore.compare.statistics import (
    N_BINS,
    Floats,
    PairedScores,
    Statistic,
    calibration_error,
    discrimination,
    gate_rates,
    mean_of_queries,
    squared_error,
)
from evalcore.data import Queries
from evalcore.tallies.decisions import StateCounts, states_at
from evalcore.tallies.ranked import RankedQueries
from evalcore.tallies.scores import ScoredRows, ScoreTable

WHOLE_LIST = ("mrr", "map")


@dataclass(frozen=True, eq=False)
class Cell:
    """One statistic in one group.

    Parameters
    ----------
    paired : the queries it is over.
    statistic : its totals and metrics.
    params : as printed.
    group_by, group : the group, empty for all shared queries.
    n, n_positive, n_units : queries that enter, those with evidence or gold, and their posts.
    scores : the group's scores, for an interval by DeLong; None where the statistic has none.
    notes : metric → reason of a NaN, or a remark.
    """

    paired: Paired
    statistic: Statistic
    params: str
    group_by: str
    group: str
    n: int
    n_positive: int
    n_units: int
    scores: PairedScores | None
    notes: dict[str, str]

    def n_entered(self, totals: Floats) -> list[int]:
        """How many queries enter each metric, by the totals of one model: its denominators."""
        count = self.statistic.denominators
        if count is None:
            return [self.n] * len(self.statistic.keys)
        return [int(n) for n in count(totals)[:, 0].tolist()]


def score_cells(
    paired: Paired,
    scores: PairedScores,
    gates: Gates | None,
    options: CompareOptions,
    *,
    is_probability: bool,
) -> Iterator[Cell]:
    """The cells of labels and scores."""
    wanted = set(options.metrics)
    for group_by, group, members in paired.groups(options.by):
        rows = scores.where(members)
        tables = [ScoreTable.from_rows(_rows(rows, score)) for score in (rows.first, rows.second)]
        statistics = [discrimination(rows)]
        if is_probability:
            statistics += [squared_error(rows), calibration_error(rows)]
        for statistic in statistics:
            kept = statistic.only(wanted)
            if kept is not None:
                notes = {key: METRICS[key].reason(tables[0]) or "" for key in kept.keys}
                params = f"n_bins={N_BINS}" if "calibration.ece" in kept.keys else ""
                yield _cell(paired, kept, params, group_by, group, rows, notes)
        if gates is not None:
            kept = gate_rates(rows, gates.first, gates.second).only(wanted & set(gates.metrics))
            if kept is not None:
                counts = [
                    states_at(table, *pair)
                    for table, pair in zip(tables, (gates.first, gates.second), strict=True)
                ]
                notes = {key: _reasons(key, counts) for key in kept.keys}
                yield _cell(paired, kept, gates.params, group_by, group, rows, notes)


def list_cells(
    paired: Paired, first: RankedQueries, second: RankedQueries, options: CompareOptions
) -> Iterator[Cell]:
    """The cells of ranked lists, over the queries with gold that are compared."""
    keys = [key for key in options.metrics if key.startswith("ranking.")]
    for key in keys:
        metric = METRICS[key]
        k = None if metric.name in WHOLE_LIST else options.k
        # A list that is not there is an empty one: it finds nothing.
        values = [
            np.where(at == NOWHERE, 0.0, metric(side, k=k).values[at])
            for side, at in ((first, paired.first), (second, paired.second))
        ]
        params = "" if k is None else f"k={k}"
        for group_by, group, members in paired.groups(options.by):
            post = paired.post[members]
            sides = (one[members] for one in values)
            statistic = mean_of_queries(key, *sides, post=post, n_posts=len(paired.post_ids))
            n = int(members.sum())
            notes = {key: "" if n else "no query with gold"}
            yield Cell(paired, statistic, params, group_by, group, n, n, len(np.unique(post)), None, notes)


def paired_scores(paired: Paired, first: Queries, second: Queries) -> PairedScores:
    """The scores of the shared checks."""
    return PairedScores(
        first.score[paired.first],
        second.score[paired.second],
        first.has_evidence[paired.first],
        paired.post,
        len(paired.post_ids),
    )


def _cell(
    paired: Paired,
    statistic: Statistic,
    params: str,
    group_by: str,
    group: str,
    rows: PairedScores,
    notes: dict[str, str],
) -> Cell:
    n_positive, n_units = int(rows.is_positive.sum()), len(np.unique(rows.post))
    return Cell(paired, statistic, params, group_by, group, len(rows), n_positive, n_units, rows, notes)


def _reasons(key: str, counts: list[StateCounts]) -> str:
    """Why a rate of the gate is undefined under one of the models; empty where it is defined."""
    first, second = (METRICS[key].reason(one) for one in counts)
    if first == second:
        return first or ""
    return "; ".join(
        f"{name} model: {reason}" for name, reason in (("first", first), ("second", second)) if reason
    )


def _rows(rows: PairedScores, score: Floats) -> ScoredRows:
    return ScoredRows(score, rows.is_positive, rows.post, rows.n_posts)
