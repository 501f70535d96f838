"""Several objectives at once: how far a model is from the best imaginable, and how much it dominates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.metrics.recommender.facts import FROM_0, NO_RELEVANT, declared
from evalcore.metrics.recommender.joined import as_totals, metrics_named, together
from evalcore.problems import InputError, problem
from evalcore.spec import Declared, Metric, OfTotals
from evalcore.tallies.recommended import RecommendationLists

Floats = NDArray[np.float64]
USUAL = ("precision", "recall", "ndcg")
UNKNOWN = "one of the objectives has no value"


def _objectives(of: Sequence[str] | None, points: Sequence[float] | None, name: str) -> list[Metric]:
    named = metrics_named(of or USUAL)
    problems = []
    if points is not None and len(points) != len(named):
        problems.append(problem("OPT-003", name=name, found=len(points), expected=f"{len(named)} numbers"))
    for one in named:
        if one.kind is not RecommendationLists or "of" in one.params:
            expected = "metrics with one value for a model"
            problems.append(problem("OPT-003", name="objective", found=one.name, expected=expected))
    if problems:
        raise InputError(problems)
    return named


def _declared(label: str, formula: str, section: str, **facts: Any) -> Declared:
    return declared(
        label,
        formula,
        section,
        NO_RELEVANT,
        otherwise=(UNKNOWN,),
        bounds=FROM_0,
        population="users_with_relevant",
        **facts,
    )


@_declared(
    "Euclidean distance@K",
    "√(Σ (s_j − u_j)²)",
    "Euclidean Distance@K",
    better="lower",
    params=("k", "of", "utopia"),
)
def euc_distance(
    lists: RecommendationLists,
    *,
    k: int | None,
    of: Sequence[str] | None = None,
    utopia: Sequence[float] | None = None,
) -> OfTotals:
    """Distance of a model's figures from an ideal point.

    Parameters
    ----------
    lists : Q users.
    k : whole number from 1 on.
    of : names of the metrics; None: precision, recall and nDCG.
    utopia : the ideal of each; None: 1.

    Returns
    -------
    OfTotals, from 0 on; NaN where one of the metrics is undefined.

    Raises
    ------
    InputError : for an illegal K, another number of ideals than of metrics, or metrics without one value.
    """
    named = _objectives(of, utopia, "utopia")
    ideal = np.ones(len(named)) if utopia is None else np.asarray(utopia, float)

    def distance(values: list[Floats]) -> Floats:
        return np.asarray(np.sqrt(sum((one - u) ** 2 for one, u in zip(values, ideal, strict=True))))

    return together([as_totals(one, lists, k) for one in named], distance)


@_declared(
    "Hypervolume@K",
    "Π max(0, s_j − n_j), or n_j − s_j where lower is better",
    "Hypervolume@K",
    better="higher",
    params=("k", "of", "nadir", "higher"),
)
def hypervolume(
    lists: RecommendationLists,
    *,
    k: int | None,
    of: Sequence[str] | None = None,
    nadir: Sequence[float] | None = None,
    higher: Sequence[bool] | None = None,
) -> OfTotals:
    """Volume that a model's figures dominate above a worst point.

    Parameters
    ----------
    lists : Q users.
    k, of : as of `euc_distance`.
    nadir : the worst of each; None: 0.
    higher : whether higher is better of each; None: as the metrics declare it.

    Returns
    -------
    OfTotals, from 0 on; NaN where one of the metrics is undefined.

    Raises
    ------
    InputError : as of `euc_distance`.
    """
    named = _objectives(of, nadir, "nadir")
    _objectives(of, higher, "higher")
    worst = np.zeros(len(named)) if nadir is None else np.asarray(nadir, float)
    is_up = [one.better != "lower" for one in named] if higher is None else list(higher)

    def volume(values: list[Floats]) -> Floats:
        found: Any = 1.0
        for one, low, up in zip(values, worst, is_up, strict=True):
            above = one - low if up else low - one
            found = found * np.where(np.isnan(above), np.nan, np.maximum(above, 0))
        return np.asarray(found)

    return together([as_totals(one, lists, k) for one in named], volume)
