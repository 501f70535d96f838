"""Calibration of one set of rows: every calibration metric, and what recalibration would make of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evalcore.catalog import METRICS
from evalcore.evaluation.values import measure
from evalcore.recalibration import METHODS, Recalibration
from evalcore.tallies.scores import ScoreTable


@dataclass(frozen=True)
class CalibrationValue:
    """One calibration metric of one set of rows.

    Parameters
    ----------
    metric : its key, such as ``calibration.ece``.
    variant : name of the definition; ``default`` where there is one only.
    value : NaN where undefined.
    n : how many rows it rests on.
    note : the reason of a NaN, or a remark.
    """

    metric: str
    variant: str
    value: float
    n: int
    note: str


@dataclass(frozen=True)
class Recalibrated:
    """What a recalibration fitted on tune rows makes of test rows.

    Parameters
    ----------
    fit : the fitted map.
    table : the test rows with their new probabilities; None where there is no fit.
    values : their calibration by (metric, variant); empty where there is no fit.
    """

    fit: Recalibration
    table: ScoreTable | None
    values: Mapping[tuple[str, str], CalibrationValue]


def calibration_values(table: ScoreTable, n_bins: int = 10) -> dict[tuple[str, str], CalibrationValue]:
    """Every calibration metric in every variant, by (metric, variant).

    Parameters
    ----------
    table : counts at each distinct probability, shape (S,).
    n_bins : bins of those metrics that have bins, at least 1.
    """
    found = {}
    for key, declared in METRICS.items():
        if declared.family != "calibration":
            continue
        for variant in declared.variants or ("default",):
            params: dict[str, object] = {"n_bins": n_bins} if "n_bins" in declared.params else {}
            if declared.variants:
                params["variant"] = variant
            ((_, _, value, n, note),) = measure(declared, table, params)
            found[key, variant] = CalibrationValue(key, variant, value, n, note)
    return found


def recalibrated(tune: ScoreTable, test: ScoreTable, n_bins: int = 10) -> dict[str, Recalibrated]:
    """Each method fitted on tune rows and shown on test rows, by name.

    Parameters
    ----------
    tune, test : counts at each distinct probability, shape (S,), of rows without a common post.
    n_bins : bins of those metrics that have bins, at least 1.
    """
    found = {}
    for name, fit_on in METHODS.items():
        fit = fit_on(tune)
        table = fit.table(test) if fit.reason is None else None
        found[name] = Recalibrated(fit, table, {} if table is None else calibration_values(table, n_bins))
    return found
