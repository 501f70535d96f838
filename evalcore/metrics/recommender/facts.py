"""What the metrics of recommendation lists have in common: their declaration, and why they have no value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.kernels.ranks import check_k
from evalcore.problems import InputError, problem
from evalcore.spec import Better, Declared, Place, Undefined, metric
from evalcore.tallies.recommended import RecommendationLists

Floats = NDArray[np.float64]
USERS_WITH_RELEVANT = ("users_with_relevant", "all_users")
USERS_WITH_LIST = "users_with_list"
SHARE = (0.0, 1.0)
FROM_0 = (0.0, float("inf"))
CHAPTERS = {
    "accuracy": "Accuracy",
    "areas": "Accuracy",
    "ratings": "Rating",
    "coverage": "Coverage",
    "novelty": "Novelty",
    "diversity": "Diversity",
    "bias": "Bias",
    "fairness": "Fairness",
    "disparity": "Fairness",
    "deviations": "Fairness",
    "objectives": "Multi-objective",
}
"""Module of this package → the chapter of document 004 that its metrics stand in."""

NO_TEST = Undefined(lambda one: not one.members("users_with_test").any(), "no test interactions")
NO_RELEVANT = Undefined(
    lambda one: not one.members("users_with_relevant").any(), "no user with a relevant item"
)
LARGEST_RATING = 1000.0
TOO_LARGE = f"a rating above {LARGEST_RATING:,.0f}, of which 2^r − 1 is no number"
NO_LIST = Undefined(lambda one: not one.members("users_with_list").any(), "no user with a list")


def declared(
    label: str,
    formula: str,
    section: str,
    *undefined: Undefined,
    name: str | None = None,
    better: Better = "higher",
    population: str | tuple[str, ...] = USERS_WITH_LIST,
    bounds: tuple[float, float] = SHARE,
    params: tuple[str, ...] = ("k",),
    variants: Mapping[str, str] | None = None,
    compared: int = 0,
    lies_beside: str = "",
    counts: bool = False,
    otherwise: tuple[str, ...] = (),
    headline: tuple[Place, ...] = (),
    short: str = "",
    remark: Callable[..., str] | None = None,
) -> Declared:
    """Declare a function as a metric of document 004; parameters as of `evalcore.spec.metric`.

    Raises
    ------
    TypeError : for a function of a module whose chapter nobody named, and as `evalcore.spec.metric` does.
    """
    if NO_RELEVANT in undefined and NO_TEST not in undefined:  # the more exact reason first
        undefined = NO_TEST, *undefined
    make = partial(
        metric,
        family="recommender",
        name=name,
        label=label,
        formula=formula,
        population=population,
        undefined=undefined,
        bounds=bounds,
        better=better,
        source=f"004 {section}",
        variants=variants,
        params=params,
        is_cut="k" in params,
        compared=compared,
        lies_beside=lies_beside,
        counts=counts,
        otherwise=otherwise,
        headline=headline,
        short=short,
        remark=remark,
    )

    def declare(function: Callable[..., Any]) -> Any:
        module = function.__module__.rpartition(".")[2]
        if module not in CHAPTERS:
            raise TypeError(
                f"metric {name or function.__name__}: {__name__}.CHAPTERS names none of {module!r}"
            )
        return make(chapter=CHAPTERS[module])(function)

    return declare


def gain(rating: Floats) -> Floats:
    """The gain 2^r − 1 of ratings; NaN of all where one is too large."""
    if (rating > LARGEST_RATING).any():
        return np.full(len(rating), np.nan)
    return np.asarray(np.expm1(rating * np.log(2)))


def cut(lists: Any, k: int | None) -> int:
    """K as a whole number; the whole of what is kept of the lists for None.

    Raises
    ------
    InputError : OPT-001 for an illegal K; OPT-003 for one beyond the places that are kept.
    """
    depth = lists.depth if isinstance(lists, RecommendationLists) else lists.lists.depth
    found = check_k(k)
    if found is not None and found > depth:
        raise InputError([problem("OPT-003", name="K", found=found, expected=f"at most {depth}, as is kept")])
    return depth if found is None else found


def known(variant: str, variants: Mapping[str, str]) -> str:
    """The variant.

    Raises
    ------
    InputError : OPT-003 for another one.
    """
    if variant not in variants:
        expected = f"one of {', '.join(variants)}"
        raise InputError([problem("OPT-003", name="variant", found=repr(variant), expected=expected)])
    return variant


def quotient(numerator: Any, denominator: Any) -> Floats:
    """The quotients; NaN where the denominator is 0."""
    numerator, denominator = np.broadcast_arrays(np.asarray(numerator, float), np.asarray(denominator, float))
    return np.asarray(
        np.divide(numerator, denominator, out=np.full(numerator.shape, np.nan), where=denominator != 0)
    )


ONE_GROUP = "fewer than two groups have anything to count"
MEAN_0 = "the mean of the rates of the groups is 0"
EMPTY = "the group has nothing to count"


def why_no_spread(rates: Floats) -> str:
    """Why rates of groups have no `spread`.

    Examples
    --------
    >>> why_no_spread(np.array([0.2, np.nan])), why_no_spread(np.array([0.0, 0.0]))
    ('fewer than two groups have anything to count', 'the mean of the rates of the groups is 0')
    """
    return ONE_GROUP if (~np.isnan(rates)).sum() < 2 else MEAN_0


def relative(rates: Floats) -> Floats:
    """The rates of groups over their mean, along the last axis; NaN for a mean of 0 and for no rate.

    Examples
    --------
    >>> relative(np.array([0.25, 0.75, np.nan])).tolist()
    [0.5, 1.5, nan]
    """
    is_known = ~np.isnan(rates)
    mean = quotient(np.where(is_known, rates, 0).sum(axis=-1), is_known.sum(axis=-1))
    return quotient(rates, mean[..., None])


def deviation(figures: Floats) -> Floats:
    """Standard deviation of the groups with a figure, along the last axis; NaN with fewer than two."""
    is_known = ~np.isnan(figures)
    n = is_known.sum(axis=-1)
    mean = quotient(np.where(is_known, figures, 0).sum(axis=-1), n)
    squares = np.where(is_known, (figures - mean[..., None]) ** 2, 0).sum(axis=-1)
    return np.where(n < 2, np.nan, np.sqrt(quotient(squares, n)))


def spread(rates: Floats) -> Floats:
    """Standard deviation over mean of the groups with a rate, along the last axis.

    NaN with fewer than two such groups, and for a mean of 0.

    Examples
    --------
    >>> spread(np.array([[0.2, 0.4, np.nan], [0.2, np.nan, np.nan]])).round(4).tolist()
    [0.3333, nan]
    """
    is_known = ~np.isnan(rates)
    mean = quotient(np.where(is_known, rates, 0).sum(axis=-1), is_known.sum(axis=-1))
    return quotient(deviation(rates), mean)


def mean_absolute_deviation(means: Floats) -> Floats:
    """The mean of |a − b| over pairs of groups with a mean, along the last axis; NaN with fewer than two.

    Examples
    --------
    >>> mean_absolute_deviation(np.array([0.0, 1.0, 3.0, np.nan])).item()
    2.0
    """
    ordered = np.sort(means, axis=-1)  # NaN comes last
    n = (~np.isnan(ordered)).sum(axis=-1)
    place = np.arange(ordered.shape[-1])
    weight = 2 * place - n[..., None] + 1
    total = np.where(np.isnan(ordered), 0, weight * ordered).sum(axis=-1)
    return quotient(total, n * (n - 1) / 2)
