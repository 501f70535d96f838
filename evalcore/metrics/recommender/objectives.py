"""Several objectives at once: how far a model is from the best imaginable, and how much it dominates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evalcore.metrics.recommender.facts import FROM_0, NO_RELEVANT, declared
from evalcore.metrics.recommender.joined import as_totals, metrics_named, together
from evalcore.problems import InputError, Problem, problem
from evalcore.spec import Declared, Metric, OfTotals
from evalcore.tallies.recommended import RecommendationLists

Floats = NDArray[np.float64]
USUAL = ("precision", "recall", "ndcg")
UNKNOWN = "one of the objectives has no value"


class _Points(NamedTuple):
    """The best, or the worst, of each objective."""

    name: str
    given: Sequence[float] | None
    usual: Sequence[float]


def _end(metric: Metric, *, is_up: bool) -> float:
    """The end of a metric's range in a direction; not finite where its range has none there."""
    return metric.bounds[int(is_up)]


def _objectives(of: Sequence[str] | None) -> tuple[list[Metric], list[Problem]]:
    """The metrics that are meant, and what is wrong with them."""
    named = metrics_named(of or USUAL)
    expected = "metrics with one value for a model"
    return named, [
        problem("OPT-003", name="objective", found=one.name, expected=expected)
        for one in named
        if one.kind is not RecommendationLists or "of" in one.params
    ]


def _points(named: Sequence[Metric], points: _Points) -> tuple[Floats, list[Problem]]:
    """A point, given or usual, and what is wrong with it: a metric without an end in its range needs one."""
    name, given, usual = points
    if given is None:
        expected = f"{name}_points, a number for each metric: {{}} has none of its own"
        return np.asarray(usual, float), [
            problem("OPT-003", name=name, found="none", expected=expected.format(one.name))
            for one, end in zip(named, usual, strict=True)
            if not np.isfinite(end)
        ]
    if len(given) != len(named):
        expected = f"{len(named)} numbers"
        return np.ones(0), [problem("OPT-003", name=name, found=len(given), expected=expected)]
    wrong = [
        problem("OPT-003", name=name, found=repr(one), expected="finite numbers")
        for one in given
        if isinstance(one, bool | str) or not np.isfinite(one)
    ]
    return np.ones(0) if wrong else np.asarray(given, float), wrong


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
    utopia : the ideal of each; None: the best end of the range of each.

    Returns
    -------
    OfTotals, from 0 on; NaN where one of the metrics is undefined.

    Raises
    ------
    InputError : for an illegal K, points that are no finite numbers or not as many as metrics, none for a
        metric whose range has no end there, and metrics without one value.
    """
    named, problems = _objectives(of)
    best = [np.nan if one.better == "neither" else _end(one, is_up=one.better == "higher") for one in named]
    ideal, wrong = _points(named, _Points("utopia", utopia, best))
    if problems := [*problems, *wrong]:
        raise InputError(problems)

    def distance(values: list[Floats]) -> Floats:
        return np.asarray(np.sqrt(sum((one - u) ** 2 for one, u in zip(values, ideal, strict=True))))

    parts = [as_totals(one, lists, k) for one in named]
    low, high = _ranges(parts)
    nearest, farthest = (
        np.clip(ideal, low, high) - ideal,
        np.maximum(np.abs(low - ideal), np.abs(high - ideal)),
    )
    bounds = float(np.sqrt((nearest**2).sum())), float(np.sqrt((farthest**2).sum()))
    return together(parts, distance, n=_n(lists), bounds=bounds)


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
    nadir : the worst of each; None: the worst end of the range of each.
    higher : whether higher is better of each; None: as the metrics declare it.

    Returns
    -------
    OfTotals, from 0 on; NaN where one of the metrics is undefined.

    Raises
    ------
    InputError : as of `euc_distance`.
    """
    named, problems = _objectives(of)
    is_up, wrong = _directions(named, higher)
    worst = [_end(one, is_up=not up) for one, up in zip(named, is_up, strict=True)]
    lowest, more = _points(named, _Points("nadir", nadir, worst))
    if problems := [*problems, *wrong, *more]:
        raise InputError(problems)

    def gained(values: Sequence[Any]) -> list[Floats]:
        above = [one - n if up else n - one for one, n, up in zip(values, lowest, is_up, strict=True)]
        return [np.where(np.isnan(one), np.nan, np.maximum(one, 0)) for one in above]

    def volume(values: list[Floats]) -> Floats:
        return np.asarray(math.prod(gained(values)))

    parts = [as_totals(one, lists, k) for one in named]
    ends = np.sort(np.stack([gained(end.tolist()) for end in _ranges(parts)]), axis=0)
    bounds = (0.0, float("inf")) if np.isinf(ends).any() else tuple(np.prod(ends, axis=1).tolist())
    return together(parts, volume, n=_n(lists), bounds=bounds)


def _directions(named: Sequence[Metric], higher: Sequence[bool] | None) -> tuple[list[bool], list[Problem]]:
    """Whether higher is better of each metric, and what is wrong with what is said about it."""
    if higher is None:
        expected = "higher_is_better, true or false for each metric: of {} neither is"
        return [one.better == "higher" for one in named], [
            problem("OPT-003", name="higher", found="none", expected=expected.format(one.name))
            for one in named
            if one.better == "neither"
        ]
    if len(higher) != len(named) or not all(isinstance(one, bool) for one in higher):
        expected, told = f"{len(named)} times true or false", ", ".join(map(repr, higher))
        return [True] * len(named), [problem("OPT-003", name="higher", found=told, expected=expected)]
    return list(higher), []


def _ranges(parts: Sequence[OfTotals]) -> tuple[Floats, Floats]:
    """The lowest and highest value of each part."""
    low, high = zip(*(one.bounds for one in parts if one.bounds is not None), strict=True)
    return np.array(low), np.array(high)


def _n(lists: RecommendationLists) -> int:
    return int(lists.members("users_with_relevant").sum())
