"""Coverage: how many items are recommended, and how many users are served."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evalcore.metrics.recommender.facts import FROM_0, NO_LIST, USERS_WITH_LIST, cut, declared
from evalcore.spec import Declared, OfTotals, PerQuery
from evalcore.tallies.recommended import RecommendationLists

FEWER_DRAWN = "users drawn with repetition recommend fewer distinct items"


@declared(
    "Item coverage@K",
    "|∪ L^K|",
    "ItemCoverage@K",
    bounds=FROM_0,
    lies_beside=FEWER_DRAWN,
    counts=True,
    headline=("family",),
    compared=7,
)
def item_coverage(lists: RecommendationLists, *, k: int | None) -> OfTotals:
    """Number of distinct items that are recommended to anybody.

    Parameters
    ----------
    lists : Q users.
    k : whole number from 1 on.

    Returns
    -------
    OfTotals, from 0 to the size of the catalogue; 0 where nobody has a list.

    Raises
    ------
    InputError : for an illegal K.
    """
    counts = lists.recommended(cut(lists, k))
    n = int(lists.members(USERS_WITH_LIST).sum())
    return OfTotals(
        counts,
        lambda totals: np.asarray((totals > 0).sum(axis=-1), float),
        n,
        bounds=(0.0, float(len(lists.catalogue))),
    )


def _counted(lists: RecommendationLists, is_counted: NDArray[np.bool_]) -> OfTotals:
    return OfTotals(
        is_counted[:, None].astype(float),
        lambda totals: np.asarray(totals[..., 0]),
        int(lists.members(USERS_WITH_LIST).sum()),
        bounds=(0.0, float(lists.is_evaluated.sum())),
        among=lists.is_evaluated,
    )


def _users(label: str, formula: str, section: str) -> Declared:
    return declared(label, formula, section, bounds=FROM_0, counts=True)


@_users("User coverage@K", "|{u : |L^K| > 0}|", "UserCoverage@K")
def user_coverage(lists: RecommendationLists, *, k: int | None) -> OfTotals:
    """Number of users with at least one recommended item.

    Parameters
    ----------
    lists : Q users.
    k : whole number from 1 on.

    Returns
    -------
    OfTotals, from 0 to the number of users.

    Raises
    ------
    InputError : for an illegal K.
    """
    return _counted(lists, np.minimum(lists.n_ranked, cut(lists, k)) > 0)


@declared("Items retrieved@K", "mean over users of min(K, |L|)", "NumRetrieved@K", NO_LIST, bounds=FROM_0)
def num_retrieved(lists: RecommendationLists, *, k: int | None) -> PerQuery:
    """Mean number of items within the first K places of a list.

    Parameters
    ----------
    lists : Q users.
    k : whole number from 1 on.

    Returns
    -------
    PerQuery of shape (Q,), from 0 to K.

    Raises
    ------
    InputError : for an illegal K.
    """
    return PerQuery(np.minimum(lists.n_ranked, cut(lists, k)).astype(float))


@_users("User coverage at N", "|{u : |L| ≥ K}|", "UserCoverageAtN")
def user_coverage_at_n(lists: RecommendationLists, *, k: int | None) -> OfTotals:
    """Number of users whose list has at least K items.

    Parameters
    ----------
    lists : Q users.
    k : whole number from 1 on.

    Returns
    -------
    OfTotals, from 0 to the number of users.

    Raises
    ------
    InputError : for an illegal K.
    """
    return _counted(lists, lists.n_ranked >= cut(lists, k))
