"""Points of popularity curves: what share of the interactions, and of recommendations, popular items have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalcore.tallies.recommended import Catalogue, RecommendationLists

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
MOST_POINTS = 400


@dataclass(frozen=True, eq=False)
class PopularityCurves:
    """Cumulative shares over items, the most popular in train first, equal popularity by item id.

    Parameters
    ----------
    n_items : I, the size of the catalogue.
    items : int64, shape (P,), ascending from 0 to I: how many of the most popular items a point stands for;
        the end of the head is among them.
    n_head : how many items the head has.
    train : their share of the interactions in train, shape (P,); NaN without train.
    recommended : model → their share of the recommendations in the first K places, shape (P,); NaN for a
        model that recommends nothing.
    n_recommended : model → how many places the first K of all lists have.
    n_never : model → how many items no list shows.
    """

    n_items: int
    items: Counts
    n_head: int
    train: Floats
    recommended: Mapping[str, Floats]
    n_recommended: Mapping[str, int]
    n_never: Mapping[str, int]

    @property
    def share_of_items(self) -> Floats:
        """The items of each point as a share of the catalogue, shape (P,)."""
        return self.items / max(self.n_items, 1)

    @property
    def head_share_of_items(self) -> float:
        """The share of the catalogue that the head is."""
        return self.n_head / max(self.n_items, 1)

    def of_head(self, cumulative: Floats) -> float:
        """The share that the head has, of one of the curves."""
        return float(cumulative[np.searchsorted(self.items, self.n_head)])


def popularity_curves(
    models: Mapping[str, RecommendationLists], *, k: int, pop_ratio: float
) -> PopularityCurves:
    """The curves of the lists of models over the largest of their catalogues.

    Parameters
    ----------
    models : model → its lists, at least one.
    k : places of each list that count, from 1 on.
    pop_ratio : share of the interactions that the head reaches, in (0, 1].

    Source
    ------
    The Lorenz curve, with the items in the order of their popularity in place of their own shares: a model
    above the curve of train shows popular items more often than users had them.
    """
    # Items that a model's catalogue lacks have no interaction: they stand last.
    catalogue = max((lists.catalogue for lists in models.values()), key=len)
    n_items = len(catalogue)
    n_head = int(catalogue.head(pop_ratio).sum())
    evenly = np.round(np.linspace(0, n_items, min(n_items + 1, MOST_POINTS))).astype(np.int64)
    items = np.unique(np.append(evenly, n_head))
    counts = {
        name: np.bincount(lists.lists["item"][lists.within(k)], minlength=len(lists.catalogue))
        for name, lists in models.items()
    }
    return PopularityCurves(
        n_items=n_items,
        items=items,
        n_head=n_head,
        train=_cumulative(catalogue.popularity[_popular_first(catalogue)], items),
        recommended={
            name: _cumulative(one[_popular_first(models[name].catalogue)], items)
            for name, one in counts.items()
        },
        n_recommended={name: int(one.sum()) for name, one in counts.items()},
        n_never={name: int((one == 0).sum()) for name, one in counts.items()},
    )


def _popular_first(catalogue: Catalogue) -> NDArray[np.intp]:
    return np.argsort(-catalogue.popularity, kind="stable")


def _cumulative(counts: Counts, items: Counts) -> Floats:
    """The share of all counts that the first so many have; NaN where nothing is counted."""
    reached = np.append(0, np.cumsum(counts))[np.minimum(items, len(counts))].astype(float)
    return reached / reached[-1] if reached[-1] else np.full(len(items), np.nan)
