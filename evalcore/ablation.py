"""Ablation: the steps of a pipeline, what each reaches and what it changes; sweeps over policies."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import pstdev, stdev
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from evalcore.data import Data, Queries, Rankings
from evalcore.evaluation.groups import levels_of
from evalcore.evaluation.options import Options
from evalcore.evaluation.tallies import gate_thresholds
from evalcore.evaluation.values import measure
from evalcore.kernels.policy import Policy
from evalcore.kernels.selection import select
from evalcore.operating_point.thresholds import shortest_thresholds
from evalcore.problems import InputError, problem
from evalcore.selection_sweep import PolicyResult
from evalcore.spec import METRICS
from evalcore.tallies.decisions import states_at, states_by_row
from evalcore.tallies.ranked import RankedQueries
from evalcore.tallies.scores import ScoredRows, ScoreTable
from evalcore.tallies.selections import ScoredLists, Selections, states_selection

if TYPE_CHECKING:
    import pandas as pd

Mask = NDArray[np.bool_]
Pair = tuple[float | None, float | None]
SKIPPED_SHARES = (0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
ALERTED_SHARES = (0.005, 0.01, 0.02, 0.03, 0.05, 0.1)


@dataclass(frozen=True)
class Step:
    """One step of a pipeline: the scores of its queries, its ranked lists, or both.

    Parameters
    ----------
    name : what the step is called; unique in a series.
    queries : rows of one model, or None.
    rankings : gold and lists, or None.
    list_name : name of the step's list in ``rankings``, or None.
    tau_neg, tau_pos : the gate of the step, None for an empty zone.
    has_gate : whether the two thresholds hold; otherwise those that the rows state.
    """

    name: str
    queries: Queries | None = None
    rankings: Rankings | None = None
    list_name: str | None = None
    tau_neg: float | None = None
    tau_pos: float | None = None
    has_gate: bool = False

    @cached_property
    def lists(self) -> RankedQueries | None:
        """The tally of the step's list; None without one."""
        if self.rankings is None or self.list_name is None:
            return None
        return RankedQueries.from_rankings(self.rankings, self.list_name)

    @cached_property
    def scored(self) -> ScoredLists | None:
        """The candidates of the step's list, to select from; None without one."""
        if self.rankings is None or self.list_name is None:
            return None
        return ScoredLists.from_rankings(self.rankings, self.list_name)


@dataclass(frozen=True)
class Ablation:
    """What each step reaches and what it changes.

    Parameters
    ----------
    table : one row per step and metric, in this order: ``step``, ``metric`` (key), ``params``,
        ``population``, ``value`` (pooled), ``n``, ``fold_mean``, ``fold_sd`` (over folds, 1/N),
        ``fold_sd_sample`` (1/(N − 1)), ``n_folds`` (that have a value), ``change`` (value − that of the step
        before) and ``note``, the reason of a NaN.
    steps : names of the steps, in their order.
    """

    table: pd.DataFrame
    steps: tuple[str, ...]

    def of(self, metric: str) -> pd.DataFrame:
        """The rows of one metric, in the order of the steps.

        Raises
        ------
        KeyError : for a metric that is not in the table.
        """
        rows = self.table[self.table.metric == metric]
        if rows.empty:
            raise KeyError(metric)
        return rows.reset_index(drop=True)


def steps_of(
    data: Data, *, lists: Mapping[str, str] | None = None, gates: Mapping[str, Pair] | None = None
) -> tuple[Step, ...]:
    """Each list and each model of one data set as a step: lists first, in the order of the data.

    Parameters
    ----------
    data : checked data; several configurations come as levels of its ``model`` column (also read as
        ``config``) or as several lists.
    lists : model → the list it builds on, for a model without a list of its own name.
    gates : model → (τ_neg, τ_pos); a model without one is judged by the thresholds its rows state.
    """
    known_lists = [] if data.rankings is None else list(data.rankings.lists)
    models = () if data.queries is None else data.queries.models
    steps = []
    for name in dict.fromkeys([*known_lists, *models]):
        list_name = name if name in known_lists else (lists or {}).get(name)
        queries = None
        if data.queries is not None and name in models:
            queries = data.queries.where(data.queries.model == models.index(name))
        tau_neg, tau_pos = (gates or {}).get(name, (None, None))
        rankings = data.rankings if list_name is not None else None
        has_gate = name in (gates or {})
        steps.append(Step(name, queries, rankings, list_name, tau_neg, tau_pos, has_gate))
    return tuple(steps)


def steps_of_files(files: Mapping[str, Data]) -> tuple[Step, ...]:
    """The steps of several data sets, one after the other; named ``file: list`` where one gives several."""
    steps = []
    for name, data in files.items():
        of_file = steps_of(data)
        for step in of_file:
            full_name = name if len(of_file) == 1 else f"{name}: {step.name}"
            steps.append(Step(full_name, step.queries, step.rankings, step.list_name))
    return tuple(steps)


def ablation(steps: Sequence[Step], *, policy: Policy | None = None, k: int = 10) -> Ablation:
    """nDCG@K, recall@K, AUROC, evidence recall and alert precision of every step, and the change at each.

    Parameters
    ----------
    steps : in the order of the pipeline; names differ.
    policy : selects where a step's rows state no ``selected_k``; None leaves evidence recall undefined there.
    k : of nDCG and recall.

    Returns
    -------
    Ablation, NaN with its reason where a step lacks the data.

    Raises
    ------
    InputError : OPT-008 without a step or for a name that stands twice, OPT-001 for an illegal K.

    Source
    ------
    Document 002 §8.1.
    """
    import pandas as pd

    names = [step.name for step in steps]
    if not names or len(set(names)) < len(names):
        found = "no step" if not names else "two steps of one name"
        advice = "Give each step a name of its own."
        raise InputError([problem("OPT-008", found=found, expected="steps of a pipeline", advice=advice)])
    rows: list[dict[str, Any]] = []
    last: dict[str, float] = {}
    for step in steps:
        for metric, params, of_step in _measures(step, policy, k):
            row = _row(step.name, metric, params, of_step)
            before = last.get(metric, math.nan)
            row["change"] = row["value"] - before
            if metric in last and math.isnan(before) and not math.isnan(row["value"]):
                row["note"] = "no change: the step before has no value"
            last[metric] = row["value"]
            rows.append(row)
    return Ablation(pd.DataFrame(rows), tuple(names))


@dataclass(frozen=True)
class _Members:
    """The units a metric is over: a tally for any of them, and their folds."""

    tally: Callable[[Mask], Any]
    n: int
    folds: Mapping[str, Mask]


def _measures(
    step: Step, policy: Policy | None, k: int
) -> Iterable[tuple[str, dict[str, Any], _Members | str]]:
    ranked = _ranked(step)
    yield "ranking.ndcg", {"k": k}, ranked
    yield "ranking.recall", {"k": k}, ranked
    yield "classification.auroc", {}, _scored(step)
    yield "extraction.evidence_recall", {}, _selected(step, policy)
    yield "gate.alert_precision", {}, _gated(step)


def _row(step: str, key: str, params: Mapping[str, Any], members: _Members | str) -> dict[str, Any]:
    metric = METRICS[key]
    printed = ";".join(f"{name}={value}" for name, value in params.items())
    row: dict[str, Any] = {"step": step, "metric": key, "params": printed, "population": metric.population[0]}
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
    return {name: mask for name, mask in (levels_of(part, "fold") or {}).items() if mask.any()}


def _ranked(step: Step) -> _Members | str:
    if step.lists is None or step.rankings is None:
        return "no ranked lists"
    return _Members(step.lists.where, len(step.lists), _folds(step.rankings))


def _scored(step: Step) -> _Members | str:
    if step.queries is None:
        return "no score of the queries"
    rows = ScoredRows.from_queries(step.queries)
    return _Members(lambda mask: ScoreTable.from_rows(rows.where(mask)), len(rows), _folds(step.queries))


def _selected(step: Step, policy: Policy | None) -> _Members | str:
    if step.lists is None or step.rankings is None:
        return "no ranked lists: which candidates were selected is not known"
    queries = step.queries
    if queries is not None and "selected_k" in queries.numbers:
        stated = Selections.from_queries(queries, step.rankings, step.lists)
        kept = queries.where(states_selection(queries, step.rankings))
        return _Members(stated.where, len(stated), _folds(kept))
    if policy is None:
        return "no selected_k in the rows, and no policy to select by"
    assert step.scored is not None  # as there is a list
    try:
        chosen = select(step.scored, policy)
    except InputError:
        return f"the policy {policy.kind} needs scores of the candidates"
    return _Members(chosen.where, len(chosen), _folds(step.rankings))


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


def gamma_table(results: Iterable[PolicyResult]) -> pd.DataFrame:
    """A sweep of policies as a table: γ, mean, median and P90 of K, evidence recall and precision, workload.

    Parameters
    ----------
    results : of `evalcore.selection_sweep.gamma_sweep` or ``sweep``.

    Returns
    -------
    One row per policy: ``gamma``, ``mean_k``, ``median_k``, ``p90_k``, ``evidence_recall``,
    ``evidence_precision``, ``n_selected`` (candidates in all, the workload), ``n_at_cap`` (queries), and
    ``is_inert``.

    Source
    ------
    Document 002 §8.2.
    """
    import pandas as pd

    names = ("mean_k", "median_k", "p90_k", "evidence_recall", "evidence_precision", "n_selected")
    return pd.DataFrame(
        [
            {"gamma": result.policy.gamma}
            | {name: getattr(result, name) for name in (*names, "n_at_cap", "is_inert")}
            for result in results
        ],
        columns=["gamma", *names, "n_at_cap", "is_inert"],
    )


def threshold_grid(
    rows: ScoredRows, tau_negs: Sequence[float] | None = None, tau_poss: Sequence[float] | None = None
) -> pd.DataFrame:
    """Every legal pair of two series of thresholds: screening sensitivity, alert precision, workload.

    Parameters
    ----------
    rows : N rows to count on; those of TUNE where a choice may follow.
    tau_negs, tau_poss : thresholds; None takes those that skip 20 to 90 % and alert at 0.5 to 10 % of the
        rows, each the shortest number that decides so.

    Returns
    -------
    One row per pair with τ_neg ≤ τ_pos: ``tau_neg``, ``tau_pos``, ``screening_sensitivity``,
    ``alert_precision`` (NaN without), ``workload`` (share that a reader sees: looked at or alerted),
    ``alerts_per_1000``, ``n_missed``, ``n_alerts``.

    Source
    ------
    Document 002 §8.2.
    """
    import pandas as pd

    table = ScoreTable.from_rows(rows)
    lows = _at_shares(table, SKIPPED_SHARES) if tau_negs is None else tau_negs
    highs = _at_shares(table, [1 - share for share in ALERTED_SHARES]) if tau_poss is None else tau_poss
    found = []
    for tau_neg in sorted(set(lows)):
        for tau_pos in sorted(high for high in set(highs) if high >= tau_neg):
            counts = states_at(table, tau_neg, tau_pos)
            found.append(
                {
                    "tau_neg": tau_neg,
                    "tau_pos": tau_pos,
                    "screening_sensitivity": METRICS["gate.screening_sensitivity"](counts).value,
                    "alert_precision": METRICS["gate.alert_precision"](counts).value,
                    "workload": 1 - METRICS["gate.neg_rate"](counts).value,
                    "alerts_per_1000": METRICS["gate.alerts_per_1000"](counts).value,
                    "n_missed": int(counts.neg_pos),
                    "n_alerts": int(counts.n_pos),
                }
            )
    columns = ("tau_neg", "tau_pos", "screening_sensitivity", "alert_precision", "workload")
    return pd.DataFrame(found, columns=[*columns, "alerts_per_1000", "n_missed", "n_alerts"])


def _at_shares(table: ScoreTable, shares: Iterable[float]) -> list[float]:
    """Thresholds with about these shares of the rows below, each the shortest that decides alike."""
    if not len(table.score):
        return []
    below = table.pos_below + table.neg_below
    previous = np.concatenate([[-np.inf], table.score[:-1]])
    at = np.searchsorted(below[:-1], [share * below[-1] for share in shares])
    at = np.unique(np.minimum(at, len(table.score) - 1))
    return [float(tau) for tau in shortest_thresholds(table.score[at], previous[at])]
