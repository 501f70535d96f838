"""What each step of a pipeline changes, from the values of the steps in their order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evalcore.ablation.steps import Step
from evalcore.ablation.values import StepValues, step_values
from evalcore.kernels.policy import Policy
from evalcore.problems import InputError, problem

if TYPE_CHECKING:
    import pandas as pd


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


def ablation(steps: Sequence[Step], *, policy: Policy | None = None, k: int = 10) -> Ablation:
    """Every metric that declares itself one of a pipeline's steps, of every step, and the change at each.

    Parameters
    ----------
    steps : in the order of the pipeline; names differ.
    policy, k : as in `step_values`.

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
    _check_names([step.name for step in steps])
    return changes([step_values(step, policy=policy, k=k) for step in steps])


def changes(of_steps: Sequence[StepValues]) -> Ablation:
    """The same from values that are at hand: another order of the steps needs no new ones.

    Parameters
    ----------
    of_steps : values under one policy and one K, in the order of the pipeline; names of steps differ.

    Raises
    ------
    InputError : OPT-008 without a step or for a name that stands twice.
    """
    import pandas as pd

    names = [one.step for one in of_steps]
    _check_names(names)
    rows: list[dict[str, Any]] = []
    last: dict[str, float] = {}
    for one in of_steps:
        for of_metric in one.rows:
            metric, value = of_metric["metric"], of_metric["value"]
            before = last.get(metric, math.nan)
            note = of_metric["note"]
            if metric in last and math.isnan(before) and not math.isnan(value):
                note = "no change: the step before has no value"
            rows.append({"step": one.step, **of_metric, "change": value - before, "note": note})
            last[metric] = value
    return Ablation(pd.DataFrame(rows), tuple(names))


def _check_names(names: Sequence[str]) -> None:
    if not names or len(set(names)) < len(names):
        found = "no step" if not names else "two steps of one name"
        advice = "Give each step a name of its own."
        raise InputError([problem("OPT-008", found=found, expected="steps of a pipeline", advice=advice)])
