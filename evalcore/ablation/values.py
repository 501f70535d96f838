"""What one step of a pipeline reaches: each metric over all rows and over the folds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from statistics import pstdev, stdev
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.ablation.steps import Step
from evalcore.catalog import shown_at
from evalcore.data import Queries, Rankings
from evalcore.evaluation.gathering.tallies import gate_thresholds
from evalcore.evaluation.groups import levels_of
from evalcore.evaluation.options import Options
from evalcore.evaluation.parameters import with_k
from evalcore.evaluation.values import measure
from evalcore.kernels.policy import Policy
from evalcore.kernels.selection import select
from evalcore.problems import InputError
from evalcore.spec import Metric
from evalcore.tallies.decisions import StateCounts, states_at, states_by_row
from evalcore.tallies.ranked import RankedQueries
from evalcore.tallies.scores import ScoredRows, ScoreTable
from evalcore.tallies.selections import Selections, states_selection

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class StepValues:
    """What one step reaches, whatever stands before it.

    Parameters
    ----------
    step : its name.
    rows : one for each metric, as in the table of `Ablation`, with a ``change`` of NaN.
    """

    step: str
    rows: tuple[Mapping[str, Any], ...]


def step_values(step: Step, *, policy: Policy | None = None, k: int = 10) -> StepValues:
    """Every metric that declares itself one of a pipeline's steps, of one step.

    Parameters
    ----------
    step : scores of queries, a ranked list, or both.
    policy : selects where the rows state no ``selected_k``; None leaves evidence recall undefined there.
    k : of ranked lists.

    Raises
    ------
    InputError : OPT-001 for an illegal K.
    """
    return StepValues(step.name, tuple(_row(*one) for one in _measures(step, policy, k)))


@dataclass(frozen=True)
class _Members:
    """The units a metric is over: a tally for any of them, and their folds."""

    tally: Callable[[Mask], Any]
    n: int
    folds: Mapping[str, Mask]


def _measures(
    step: Step, policy: Policy | None, k: int
) -> Iterable[tuple[Metric, dict[str, Any], _Members | str]]:
    of_kind = {
        RankedQueries.__name__: _ranked(step),
        ScoreTable.__name__: _scored(step),
        Selections.__name__: _selected(step, policy),
        StateCounts.__name__: _gated(step),
    }
    for kind, members in of_kind.items():
        for metric in shown_at("steps"):
            if metric.tally == kind:
                yield metric, with_k(metric, k), members


def _row(metric: Metric, params: Mapping[str, Any], members: _Members | str) -> dict[str, Any]:
    printed = ";".join(f"{name}={value}" for name, value in params.items())
    row: dict[str, Any] = {"metric": metric.key, "params": printed, "population": metric.population[0]}
    row |= {"value": math.nan, "n": 0, "fold_mean": math.nan, "fold_sd": math.nan}
    row |= {"fold_sd_sample": math.nan, "n_folds": 0, "change": math.nan, "note": ""}
    if isinstance(members, str):
        return {**row, "note": members}
    _, _, row["value"], row["n"], note = measure(metric, members.tally(np.ones(members.n, bool)), params)[0]
    row["note"] = note if math.isnan(row["value"]) else ""
    of_folds = [measure(metric, members.tally(mask), params)[0][2] for mask in members.folds.values()]
    values = [value for value in of_folds if not math.isnan(value)]
    row["n_folds"] = len(values)
    if values:
        row |= {"fold_mean": math.fsum(values) / len(values), "fold_sd": pstdev(values)}
    if len(values) > 1:
        row["fold_sd_sample"] = stdev(values)
    return row


def _folds(part: Queries | Rankings) -> dict[str, Mask]:
    return {name: fold.mask for name, fold in levels_of(part, "fold") if fold.mask.any()}


def _ranked(step: Step) -> _Members | str:
    of_step = step.ranked_list
    if of_step is None:
        return "no ranked lists"
    return _Members(of_step.ranked.where, len(of_step.ranked), _folds(of_step.rankings))


def _scored(step: Step) -> _Members | str:
    if step.queries is None:
        return "no score of the queries"
    rows = ScoredRows.from_queries(step.queries)
    return _Members(lambda mask: ScoreTable.from_rows(rows.where(mask)), len(rows), _folds(step.queries))


def _selected(step: Step, policy: Policy | None) -> _Members | str:
    of_step, queries = step.ranked_list, step.queries
    if of_step is None:
        return "no ranked lists: which candidates were selected is not known"
    if queries is not None and "selected_k" in queries.numbers:
        stated = Selections.from_queries(queries, of_step.rankings, of_step.ranked)
        kept = queries.where(states_selection(queries, of_step.rankings))
        return _Members(stated.where, len(stated), _folds(kept))
    if policy is None:
        return "no selected_k in the rows, and no policy to select by"
    try:
        chosen = select(of_step.scored, policy)
    except InputError:
        return f"the policy {policy.kind} needs scores of the candidates"
    return _Members(chosen.where, len(chosen), _folds(of_step.rankings))


def _gated(step: Step) -> _Members | str:
    queries = step.queries
    if queries is None:
        return "no score of the queries"
    rows, folds = ScoredRows.from_queries(queries), _folds(queries)
    pair = (step.tau_neg, step.tau_pos) if step.has_gate else gate_thresholds(queries, Options())
    if pair is not None:
        low, high = pair
        return _Members(
            lambda mask: states_at(ScoreTable.from_rows(rows.where(mask)), low, high), len(rows), folds
        )
    tau_neg, tau_pos = (queries.numbers.get(name) for name in ("tau_neg", "tau_pos"))
    if tau_neg is None or tau_pos is None or bool(np.isnan(tau_neg + tau_pos).any()):
        return "no thresholds in the rows, and none given"
    return _Members(
        lambda mask: states_by_row(rows.score[mask], rows.is_positive[mask], tau_neg[mask], tau_pos[mask]),
        len(rows),
        folds,
    )
