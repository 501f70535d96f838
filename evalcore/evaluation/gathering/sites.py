"""Tallies of sites in place of scored rows: what is gathered is there already, and values follow from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from evalcore.evaluation.gathering.gather import Gathered, Gathering
from evalcore.evaluation.gathering.samples import OfModel
from evalcore.evaluation.gathering.tallies import Tally, rules_of
from evalcore.evaluation.intervals.bounds import Bounds, Sample, no_interval, percentile_bounds
from evalcore.evaluation.intervals.defined_values import Asked, Replicates
from evalcore.evaluation.options import Options
from evalcore.problems import InputError, Problem, problem
from evalcore.tallies.decisions import StateCounts, confusion_at, states_at
from evalcore.tallies.grid import GridScores
from evalcore.tallies.grid.cell import GridCell, GridTable
from evalcore.tallies.units import Units

Pair = tuple[float, float]
SITES = "sites"
NOT_SENT = "tallies_without_single_posts"
"""Why a share of rows has no interval here: that of a document of thresholds rests on the same tallies."""
NOT_DRAWN = "sites_sent_replicates_of_the_three_states_only"


@dataclass(frozen=True, eq=False)
class SiteSample(Sample):
    """The rows of a group without the rows: there is nothing to draw from but what sites have drawn.

    Parameters
    ----------
    n_units : posts.
    states : the rows by state and label in every replicate; None where none was asked for.
    seed : of the replicates.
    is_by_secret : whether these follow from a secret text too, so that nobody else can draw them again.
    """

    n_units: int = 0
    states: StateCounts | None = None
    seed: int = 0
    is_by_secret: bool = False

    def intervals(self, asked: Sequence[Asked], **_: bool) -> tuple[list[Bounds], list[Replicates | None]]:
        """Percentiles of rates over replicates or, without these, DeLong's interval of AUROC."""
        found = [self._bounds(one) for one in asked]
        return found, [None] * len(asked)

    def _bounds(self, asked: Asked) -> Bounds:
        if asked.metric.cases is not None:
            return no_interval(NOT_SENT)
        if self.states is None:
            return self.by_delong(asked.metric, asked.tally)
        if asked.metric.tally != "StateCounts":
            return no_interval(NOT_DRAWN)
        drawn = np.asarray(asked.metric(self.states, **asked.given).value)
        whose = f"{self.units.word}={self.n_units}" + (";draws=by_secret" if self.is_by_secret else "")
        return percentile_bounds([drawn], whose, self.seed)[0]


def models_of(found: Gathered, options: Options) -> Iterator[OfModel]:
    """The model of the tallies; nothing where rows are there.

    Raises
    ------
    InputError : SIT-007 for what tallies cannot give, SIT-008 for thresholds between two points that rows
        lie between.
    """
    scores: GridScores | None = found.tallies.get(SITES)
    if scores is None:
        return
    pair = None
    if options.tau_neg is not None and options.tau_pos is not None:
        pair = options.tau_neg, options.tau_pos
    elif scores.drawn is not None:
        pair = scores.drawn.tau_neg, scores.drawn.tau_pos
    taus = dict(zip(("τ_neg", "τ_pos"), pair or (), strict=False))
    problems = [*_refused(scores, options, pair), *scores.between(taus)]
    if problems:
        raise InputError(problems)

    def group(of: GridCell, how: Options) -> tuple[Iterator[Tally], Sample]:
        table = of.table(scores.n_points)
        nothing = np.zeros(0, np.intp)
        units = Units(nothing, np.zeros(0, np.uint64), "posts" if scores.has_posts else "rows")
        states = None if of.drawn is None or not how.bootstrap else StateCounts(*of.drawn)
        sample = SiteSample(
            *(units, None, None),
            n_units=of.n_posts,
            states=states,
            seed=how.seed,
            is_by_secret=scores.drawn is not None and scores.drawn.secret is not None,
        )
        return _tallies(table, pair), sample

    yield OfModel(scores.score.model, scores, group)


def _tallies(table: GridTable, pair: Pair | None) -> Iterator[Tally]:
    yield "ScoreTable", {}, table
    for rule in rules_of(pair):
        yield "Confusion", rule, confusion_at(table, rule["threshold"])
    if pair is not None:
        yield "StateCounts", {"tau_neg": pair[0], "tau_pos": pair[1]}, states_at(table, *pair)


def _refused(scores: GridScores, options: Options, pair: Pair | None) -> Iterator[Problem]:
    sent = scores.drawn
    is_sent = sent is not None and (
        (sent.n_replicates, sent.seed) == (options.bootstrap, options.seed)
        and (sent.tau_neg, sent.tau_pos) == pair
    )
    there = "no replicate" if sent is None else f"replicates, {sent.in_words},"
    asked = {
        "replicates (--bootstrap)": (
            options.bootstrap > 0 and not is_sent,
            f"{there} was sent. Let all sites gather again: --at POINT.json --bootstrap B --seed S.",
        ),
        "groups of several columns together": (
            len(options.by) > 1,
            "each column is counted by itself. Ask for one --by at a time.",
        ),
        "a policy of dynamic K": (options.policy is not None, "no list of candidates is there."),
    }
    for found, (is_asked, advice) in asked.items():
        if is_asked:
            yield problem("SIT-007", found=found, expected="what tallies give", advice=advice)


def _merged(parts: Sequence[GridScores]) -> GridScores:
    return reduce(GridScores.merge, parts)


def _planned(parts: Sequence[GridScores]) -> GridScores:
    """The grid, the score and the levels of all parts, without a row."""
    return _merged([part.empty() for part in parts])


def _gathered(part: GridScores, _: Options, __: Any, ___: str) -> GridScores:
    """The tallies as they are."""
    return part


def _whole(parts: Sequence[GridScores], _: Sequence[str]) -> GridScores:
    return _merged(parts).ordered()


def _said(scores: GridScores) -> str:
    columns = ", ".join(scores.columns) or "no column"
    return f"{scores.n_points:,} points, {scores.score.in_words}, by {columns}"


TABLE = Gathering(SITES, _planned, _gathered, _whole, ("grid and score", _said))
"""What is gathered of sites."""
