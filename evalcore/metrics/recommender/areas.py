"""Areas under the ROC curve: how often a relevant item scores above a negative.

A negative is an item that is neither relevant to the user nor in the user's train. Scores of all items are
needed. A tie counts half; an item without a score stands below all that have one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.kernels import gains
from evalcore.metrics.recommender.facts import (
    NO_RELEVANT,
    USERS_WITH_RELEVANT,
    cut,
    declared,
    known,
    quotient,
)
from evalcore.spec import Declared, OfTotals, PerQuery, Undefined
from evalcore.tallies.recommended import NO_SCORES, RecommendationLists

Floats = NDArray[np.float64]
NO_ITEM_SCORES = Undefined(lambda lists: not lists.has_scores, "no scores of all items")
NO_NEGATIVES = Undefined(
    lambda lists: not (lists.n_negatives[lists.members("users_with_relevant")] > 0).any(),
    "no user with a relevant item and one that is neither relevant nor in train",
)
TIES = {"default": "a tie counts half", "strict": "a tie counts nothing (document 004)"}


def _area(lists: RecommendationLists, variant: str, *, of_found: bool = False) -> Floats:
    """The share of the user's negatives below each relevant item; NaN without negatives or scores."""
    half = 0.0 if known(variant, TIES) == "strict" else 0.5
    items = lists.found if of_found else lists.relevant
    n = np.where(lists.n_negatives == NO_SCORES, 0, lists.n_negatives)
    return quotient(items["below"] + half * items["equal"], n[items.user])


def _declared(label: str, formula: str, section: str, **facts: Any) -> Declared:
    return declared(
        label, formula, section, NO_ITEM_SCORES, NO_RELEVANT, NO_NEGATIVES, variants=TIES, **facts
    )


@_declared(
    "AUC",
    "mean over relevant (user, item) pairs of the share of the user's negatives that score lower",
    "AUC",
    population="users_with_relevant",
    params=(),
)
def auc(lists: RecommendationLists, *, variant: str = "default") -> OfTotals:
    """Share of negatives below a relevant item, over all relevant items of all users.

    Parameters
    ----------
    lists : Q users.
    variant : ``default`` or ``strict``.

    Returns
    -------
    OfTotals in [0, 1]; a user without negatives or without scores does not enter.
    """
    area = _area(lists, variant)
    entered = ~np.isnan(area)
    of_user = [
        gains.totals(lists.relevant.user, column, len(lists))
        for column in (np.where(entered, area, 0.0), entered)
    ]
    return OfTotals(
        np.stack(of_user, axis=1), lambda totals: quotient(totals[..., 0], totals[..., 1]), int(entered.sum())
    )


@_declared(
    "GAUC",
    "mean over users of the mean area of their relevant items",
    "GAUC",
    population="users_with_relevant",
    params=(),
)
def gauc(lists: RecommendationLists, *, variant: str = "default") -> PerQuery:
    """Share of a user's negatives below a relevant item, the mean of those of each user.

    Parameters
    ----------
    lists : Q users.
    variant : ``default``, or ``strict``, where a tie counts nothing.

    Returns
    -------
    PerQuery of shape (Q,), in [0, 1]; NaN for a user without relevant items or negatives, 0 for one without
    any score.

    Raises
    ------
    InputError : for an unknown variant.
    """
    total = gains.totals(lists.relevant.user, _area(lists, variant), len(lists))
    return PerQuery(quotient(total, lists.n_relevant))


@_declared(
    "LAUC@K",
    "Σ over R ∩ L^K of the share of negatives below / min(|R|, K)",
    "LAUC@K",
    population=USERS_WITH_RELEVANT,
)
def lauc(lists: RecommendationLists, *, k: int | None, variant: str = "default") -> PerQuery:
    """Share of a user's negatives below a relevant item, of the relevant items within the first K places.

    Parameters
    ----------
    lists : Q users.
    k : whole number from 1 on.
    variant : ``default``, or ``strict``, where a tie counts nothing.

    Returns
    -------
    PerQuery of shape (Q,), in [0, 1]; NaN for a user with relevant items but without negatives.

    Raises
    ------
    InputError : for an illegal K or variant.
    """
    k = cut(lists, k)
    area = np.where(lists.found["rank"] <= k, _area(lists, variant, of_found=True), 0.0)
    total = gains.totals(lists.found.user, area, len(lists))
    found = gains.shares(np.nan_to_num(total), np.minimum(lists.n_relevant, k))
    is_unknown = (lists.n_relevant > 0) & (lists.n_negatives <= 0)
    return PerQuery(np.where(is_unknown, np.nan, found))
