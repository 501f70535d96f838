"""Settings of a pipeline as tables: γ of a policy, pairs of thresholds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from evalcore.metrics import gate
from evalcore.operating_point.tradeoff.thresholds import shortest_thresholds
from evalcore.selection_sweep import PolicyResult
from evalcore.tallies.decisions import states_at
from evalcore.tallies.scores import ScoredRows, ScoreTable

if TYPE_CHECKING:
    import pandas as pd

SKIPPED_SHARES = (0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
ALERTED_SHARES = (0.005, 0.01, 0.02, 0.03, 0.05, 0.1)


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
                    "screening_sensitivity": gate.screening_sensitivity(counts).value,
                    "alert_precision": gate.alert_precision(counts).value,
                    "workload": 1 - gate.neg_rate(counts).value,
                    "alerts_per_1000": gate.alerts_per_1000(counts).value,
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
