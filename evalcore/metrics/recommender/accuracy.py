"""Accuracy: how many of the items that a user likes the list shows, and how high.

Every function returns a value per user; the metric is their mean over ``users_with_relevant``, or over
``all_users``, in which users without a relevant item count 0. A user without a list counts 0.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evalcore.kernels import gains
from evalcore.kernels.gains import Weight
from evalcore.metrics.recommender.facts import NO_RELEVANT, USERS_WITH_RELEVANT, cut, declared
from evalcore.metrics.recommender.joined import metrics_named
from evalcore.problems import InputError, problem
from evalcore.spec import PerQuery
from evalcore.tallies.recommended import RecommendationLists

Floats = NDArray[np.float64]


def _in_top(lists: RecommendationLists, k: int, weight: Weight) -> Floats:
    """The weight of each place that shows a relevant item, 0 below place K."""
    return gains.in_top(lists.found["rank"], k, weight)


def _by_user(lists: RecommendationLists, values: Floats) -> Floats:
    """Sum over the relevant items that each user is shown, shape (Q,)."""
    return gains.totals(lists.found.user, values, len(lists))


def _hits(lists: RecommendationLists, k: int) -> Floats:
    return _by_user(lists, _in_top(lists, k, gains.one))


@declared(
    "Precision@K", "|R ∩ L^K| / K", "Precision@K", NO_RELEVANT, population=USERS_WITH_RELEVANT, compared=2
)
def precision(lists: RecommendationLists, *, k: int | None) -> PerQuery:
    """Share of the first K places that show a relevant item; a list shorter than K is not forgiven.

    Parameters
    ----------
    lists : Q users.
    k : whole number from 1 on.

    Returns
    -------
    PerQuery of shape (Q,), in [0, 1]; 0 for a user without a list.

    Raises
    ------
    InputError : for an illegal K.
    """
    return PerQuery(_hits(lists, cut(lists, k)) / cut(lists, k))


@declared(
    "Recall@K",
    "|R ∩ L^K| / |R|",
    "Recall@K",
    NO_RELEVANT,
    population=USERS_WITH_RELEVANT,
    compared=3,
    headline=("family",),
)
def recall(lists: RecommendationLists, *, k: int | None) -> PerQuery:
    """Share of the relevant items that the first K places show.

    Parameters
    ----------
    lists : Q users.
    k : whole number from 1 on.

    Returns
    -------
    PerQuery of shape (Q,), in [0, 1]; 0 for a user without a list.

    Raises
    ------
    InputError : for an illegal K.
    """
    return PerQuery(gains.shares(_hits(lists, cut(lists, k)), lists.n_relevant))


def _discounted(lists: RecommendationLists, k: int, gain: Floats) -> PerQuery:
    """nDCG by the gain of each relevant item."""
    dcg = _by_user(lists, gain[lists.relevant["rank"] > 0] * _in_top(lists, k, gains.discount))
    ideal = gains.ideal_dcg(lists.relevant.user, gain[lists.best_first], len(lists), k)
    return PerQuery(gains.shares(dcg, ideal))


@declared(
    "nDCG@K",
    "Σ (2^r − 1) / log₂(rank + 1) over R ∩ L^K / the same of the ideal list",
    "nDCG@K",
    NO_RELEVANT,
    population=USERS_WITH_RELEVANT,
    compared=1,
    headline=("family",),
)
def ndcg(lists: RecommendationLists, *, k: int | None) -> PerQuery:
    """Discounted exponential gain of the first K places, as a share of the best possible one.

    The ideal list shows all relevant items, cut at K.

    Parameters
    ----------
    lists : Q users.
    k : whole number from 1 on.

    Returns
    -------
    PerQuery of shape (Q,), in [0, 1]; 0 for a user without a list.

    Raises
    ------
    InputError : for an illegal K.
    """
    return _discounted(lists, cut(lists, k), lists.relevant_gain)


@declared(
    "nDCG@K (Rendle 2020)",
    "Σ 1 / log₂(rank + 1) over R ∩ L^K / the same of the ideal list",
    "nDCGRendle2020@K",
    NO_RELEVANT,
    population=USERS_WITH_RELEVANT,
)
def ndcg_rendle2020(lists: RecommendationLists, *, k: int | None) -> PerQuery:
    """Discounted hits of the first K places, as a share of the best: every relevant item alike.

    Parameters
    ----------
    lists : Q users.
    k : whole number from 1 on.

    Returns
    -------
    PerQuery of shape (Q,), in [0, 1]; 0 for a user without a list.

    Raises
    ------
    InputError : for an illegal K.
    """
    return _discounted(lists, cut(lists, k), np.ones(len(lists.relevant["rating"])))


@declared(
    "Hit rate@K", "[|R ∩ L^K| > 0]", "HitRate@K", NO_RELEVANT, population=USERS_WITH_RELEVANT, compared=5
)
def hit_rate(lists: RecommendationLists, *, k: int | None) -> PerQuery:
    """Whether the first K places show a relevant item.

    Parameters
    ----------
    lists : Q users.
    k : whole number from 1 on.

    Returns
    -------
    PerQuery of shape (Q,), 0 or 1; 0 for a user without a list.

    Raises
    ------
    InputError : for an illegal K.
    """
    return PerQuery(np.minimum(_hits(lists, cut(lists, k)), 1.0))


def _nth(lists: RecommendationLists) -> Floats:
    """How many relevant items the list shows down to each of them: they stand in the order of their ranks."""
    return lists.found.place.astype(float)


@declared(
    "MAP@K",
    "Σ over R ∩ L^K of P@rank / min(|R|, K)",
    "MAP@K",
    NO_RELEVANT,
    name="map",
    population=USERS_WITH_RELEVANT,
    compared=4,
)
def average_precision(lists: RecommendationLists, *, k: int | None) -> PerQuery:
    """Mean precision at the places of the relevant items, those below place K counting 0.

    Parameters
    ----------
    lists : Q users.
    k : whole number from 1 on.

    Returns
    -------
    PerQuery of shape (Q,), in [0, 1]; 0 for a user without a list.

    Raises
    ------
    InputError : for an illegal K.
    """
    total = _by_user(lists, _nth(lists) * _in_top(lists, cut(lists, k), gains.reciprocal))
    return PerQuery(gains.shares(total, np.minimum(lists.n_relevant, cut(lists, k))))


@declared(
    "MAR@K",
    "Σ over R ∩ L^K of R@rank / min(|R|, K)",
    "MAR@K",
    NO_RELEVANT,
    name="mar",
    population=USERS_WITH_RELEVANT,
)
def average_recall(lists: RecommendationLists, *, k: int | None) -> PerQuery:
    """Mean recall at the places of the relevant items, those below place K counting 0.

    Parameters
    ----------
    lists : Q users.
    k : whole number from 1 on.

    Returns
    -------
    PerQuery of shape (Q,), in [0, 1]; 0 for a user without a list.

    Raises
    ------
    InputError : for an illegal K.
    """
    total = _by_user(lists, _nth(lists) * _in_top(lists, cut(lists, k), gains.one))
    n = lists.n_relevant * np.minimum(lists.n_relevant, cut(lists, k))
    return PerQuery(gains.shares(total, n))


@declared(
    "MRR@K",
    "1 / rank of the first relevant item, 0 below place K",
    "MRR@K",
    NO_RELEVANT,
    population=USERS_WITH_RELEVANT,
    compared=6,
)
def mrr(lists: RecommendationLists, *, k: int | None) -> PerQuery:
    """One over the rank of the first relevant item, 0 when the first K places show none.

    Parameters
    ----------
    lists : Q users.
    k : whole number from 1 on.

    Returns
    -------
    PerQuery of shape (Q,), in [0, 1]; 0 for a user without a list.

    Raises
    ------
    InputError : for an illegal K.
    """
    weight = _in_top(lists, cut(lists, k), gains.reciprocal)
    return PerQuery(gains.firsts(lists.found.user, weight, len(lists)))


@declared(
    "F1@K",
    "(1 + β²) · m₁ · m₂ / (β² · m₁ + m₂) of each user; by default 2 · |R ∩ L^K| / (K + |R|)",
    "F1@K",
    NO_RELEVANT,
    population=USERS_WITH_RELEVANT,
    params=("k", "of", "beta"),
)
def f1(
    lists: RecommendationLists, *, k: int | None, of: Sequence[str] | None = None, beta: float | None = None
) -> PerQuery:
    """Harmonic mean of two metrics of each user, by default of precision and recall.

    Parameters
    ----------
    lists : Q users.
    k : whole number from 1 on.
    of : names of two metrics with a value per user; None: precision and recall.
    beta : above 0, how much more the second counts; None: 1.

    Returns
    -------
    PerQuery of shape (Q,); 0 for a user for whom both are 0, NaN where one has no value.

    Raises
    ------
    InputError : for an illegal K or β, and for metrics that have no value per user.
    """
    weight = 1.0 if beta is None else float(beta)
    if not weight > 0 or not np.isfinite(weight):
        raise InputError([problem("OPT-003", name="beta", found=beta, expected="a number above 0")])
    named = metrics_named(of or ("precision", "recall"), exactly=2)
    results = [one(lists, k=k) if "k" in one.params else one(lists) for one in named]
    for one, result in zip(named, results, strict=True):
        if not isinstance(result, PerQuery):
            expected = "a metric with a value for each user"
            raise InputError([problem("OPT-003", name="metric of F1", found=one.name, expected=expected)])
    first, second = (result.values for result in results)
    below = weight**2 * first + second
    found = np.divide((1 + weight**2) * first * second, below, out=np.zeros(len(first)), where=below != 0)
    return PerQuery(np.where(np.isnan(first + second), np.nan, found))
