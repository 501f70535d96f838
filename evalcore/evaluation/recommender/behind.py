"""The users and items behind a number: rows by nature, which need the data and not only their tallies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from evalcore.catalog import METRICS
from evalcore.drawn.weights import hashes
from evalcore.evaluation.options import Options
from evalcore.evaluation.parameters import parameters, with_k
from evalcore.evaluation.populations import population_of
from evalcore.evaluation.recommender.gathering import GatheredLists
from evalcore.evaluation.recommender.planning import planned
from evalcore.problems import InputError, problem
from evalcore.recommendations import Recommendations, in_order
from evalcore.spec import Metric, PerQuery
from evalcore.tallies.recommended import Groups, RecommendationLists

if TYPE_CHECKING:
    import pandas as pd

    from evalcore.evaluation.table import Report

Floats = NDArray[np.float64]
N_BINS = 10


@dataclass(frozen=True)
class Bins:
    """How many users have a value in each bin.

    Parameters
    ----------
    labels : the bins in words, in ascending order, each but the first without its lower edge; values of
        exactly 0, the least of most metrics, have a bin of their own.
    n : int64, shape (B,), users.
    """

    labels: tuple[str, ...]
    n: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class UserValues:
    """The values of single users that a metric is the mean of, worst first.

    Parameters
    ----------
    metric : whose values they are.
    table : a row a user that enters: ``user``, ``value``, ``n_relevant``, ``n_found`` (of these within K),
        ``n_listed`` (the list within K), then the user's group of each column.
    n_left_out : users of the population that have no value.
    """

    metric: Metric
    table: pd.DataFrame
    n_left_out: int

    @property
    def n_zero(self) -> int:
        """Users whose value is 0."""
        return int((self.table["value"] == 0).sum())

    @property
    def bins(self) -> Bins:
        """The values in ten bins of one width over the metric's range, or over that of the values."""
        value = self.table["value"].to_numpy(float)
        if not len(value):
            return Bins((), np.zeros(0, np.int64))
        low, high = self.metric.bounds
        low = low if np.isfinite(low) else min(float(value.min()), 0.0)
        high = high if np.isfinite(high) else float(value.max())
        high = high if high > low else low + 1.0
        # Not by steps: the sum of ten tenths is less than 1, which would then have a bin of its own.
        edges = low + (high - low) * np.arange(N_BINS + 1) / N_BINS
        is_zero = (value == 0) & (low == 0)
        at = np.clip(np.searchsorted(edges, value[~is_zero], side="left") - 1, 0, N_BINS - 1)
        n = np.bincount(at, minlength=N_BINS)
        labels = [f"to {edge:.3g}" for edge in edges[1:]]
        if low == 0:
            labels, n = ["0", *labels], np.append(is_zero.sum(), n)
        return Bins(tuple(labels), n.astype(np.int64))


def per_user_metrics(report: Report) -> list[Metric]:
    """The metrics whose default definition is a mean over users, in the order of document 004."""
    lists = next(iter(_gathered(report).models.values()))
    nobody = lists.where(np.zeros(len(lists), bool))
    found = [one for one in METRICS.values() if one.kind is RecommendationLists]
    return [
        one for one in found if isinstance(one(nobody, **_given(one, report.options, lists.depth)), PerQuery)
    ]


def user_values(report: Report, model: str, metric: Metric, k: int) -> UserValues:
    """The value of each user of a metric's first population, worst first, equal values by id: 9 before 10.

    Parameters
    ----------
    report : of data with their rows.
    model : whose lists.
    metric : one of `per_user_metrics`, in its default definition.
    k : places that count, at most as many as the report keeps.

    Raises
    ------
    InputError : OPT-003 for an unknown model, an illegal K and a metric without values of users; OPT-008
        for a report without rows.
    """
    import pandas as pd

    lists, user_ids = _lists_of(report, model), _user_ids(report)
    result = metric(lists, **_given(metric, report.options, k))
    if not isinstance(result, PerQuery):
        expected = "a metric with a value for each user"
        raise InputError([problem("OPT-003", name="metric", found=metric.key, expected=expected)])
    members = np.asarray(population_of(metric.population[0]).members(lists))
    entered = members & ~np.isnan(result.values)
    is_found = (lists.relevant["rank"] > 0) & (lists.relevant["rank"] <= k)
    own = {
        "user": user_ids,
        "value": result.values,
        "n_relevant": lists.n_relevant,
        "n_found": np.bincount(lists.relevant.user[is_found], minlength=len(lists)),
        "n_listed": np.minimum(lists.n_ranked, k),
    }
    of_all = pd.DataFrame(_with_groups(own, lists.slices, np.arange(len(lists))))
    table = of_all[entered]
    worst = table["value"] if metric.better != "lower" else -table["value"]
    place = {user: at for at, user in enumerate(in_order([*dict.fromkeys(map(str, table["user"]))]))}
    order = np.lexsort((table["user"].map(place).to_numpy(int), worst.to_numpy()))
    return UserValues(metric, table.iloc[order].reset_index(drop=True), int((members & ~entered).sum()))


@dataclass(frozen=True, eq=False)
class UserList:
    """What one user was shown, best first, and then the relevant items that were not among the first K.

    Parameters
    ----------
    table : a row an item: ``rank`` (0 for an item that is not among the first K), ``item``, ``score`` (NaN
        where lists have ranks alone, and for an item that is not shown), ``is_relevant``, ``rating`` (NaN for
        other items), ``popularity`` (interactions in train), and the item's group of each column.
    n_shown, n_relevant, n_found : items within the first K, relevant ones, and those that are both.
    """

    table: pd.DataFrame
    n_shown: int
    n_relevant: int
    n_found: int


def list_of_user(report: Report, model: str, user: str, k: int) -> UserList:
    """What one user was shown, best first, and then the relevant items that were not among the first K.

    Parameters
    ----------
    report, model, k : as of `user_values`.
    user : an id.

    Raises
    ------
    InputError : as of `user_values`, and OPT-003 for a user that there is not.
    """
    import pandas as pd

    at = np.flatnonzero(_user_ids(report) == user)
    if not len(at):
        raise InputError([problem("OPT-003", name="user", found=user, expected="a user of the data")])
    lists = _lists_of(report, model).take(at)
    shown = lists.within(k)
    missed = (lists.relevant["rank"] == 0) | (lists.relevant["rank"] > k)
    item = np.concatenate([lists.lists["item"][shown], lists.relevant["item"][missed]])
    rating = np.concatenate([lists.lists["rating"][shown], lists.relevant["rating"][missed]])
    nothing = np.full(int(missed.sum()), np.nan)
    own = {
        "rank": np.concatenate([lists.lists.place[shown], np.zeros(len(nothing), int)]),
        "item": _item_ids(report, model)[item],
        "score": np.concatenate([lists.lists["score"][shown], nothing]),
        "is_relevant": rating > 0,
        "rating": np.where(rating > 0, rating, np.nan),
        "popularity": lists.catalogue.popularity[item],
    }
    table = pd.DataFrame(_with_groups(own, lists.catalogue.groups, item))
    n_shown = len(rating) - len(nothing)
    return UserList(table, n_shown, int((rating > 0).sum()), int((rating[:n_shown] > 0).sum()))


def items_behind(report: Report, model: str, k: int) -> pd.DataFrame:
    """Every item of the catalogue: how often it is known, recommended, relevant and found.

    Parameters
    ----------
    report, model, k : as of `user_values`.

    Returns
    -------
    Table, the most recommended first, equal ones by popularity and then by item: ``item``, ``popularity``
    (interactions in train), ``is_head``, ``n_recommended`` (users to whom the first K places show it),
    ``n_relevant`` (users to whom it is relevant), ``n_found`` (of these, to whom it is shown), and its group
    of each column.

    Raises
    ------
    InputError : as of `user_values`.
    """
    import pandas as pd

    lists = _lists_of(report, model)
    catalogue, n = lists.catalogue, len(lists.catalogue)
    rank = lists.relevant["rank"]
    every = np.arange(n)
    own = {
        "item": _item_ids(report, model),
        "popularity": catalogue.popularity,
        "is_head": catalogue.head(report.options.pop_ratio),
        "n_recommended": np.bincount(lists.lists["item"][lists.within(k)], minlength=n),
        "n_relevant": np.bincount(lists.relevant["item"], minlength=n),
        "n_found": np.bincount(lists.relevant["item"][(rank > 0) & (rank <= k)], minlength=n),
    }
    table = pd.DataFrame(_with_groups(own, catalogue.groups, every))
    order = np.lexsort((every, -table["popularity"].to_numpy(), -table["n_recommended"].to_numpy()))
    return table.iloc[order].reset_index(drop=True)


def _given(metric: Metric, options: Options, k: int) -> dict[str, Any]:
    ratio = {"pop_ratio": options.pop_ratio} if "pop_ratio" in parameters(metric) else {}
    return with_k(metric, k) | ratio


def _gathered(report: Report) -> GatheredLists:
    found: GatheredLists = report.gathered.tallies["recommendations"]
    return found


def _lists_of(report: Report, model: str) -> RecommendationLists:
    models = _gathered(report).models
    if model not in models:
        raise InputError([problem("OPT-003", name="model", found=model, expected=", ".join(models))])
    return models[model]


def _rows(report: Report) -> Recommendations:
    found = report.data.recommendations
    if not isinstance(found, Recommendations):
        advice = "Which users and items stand behind a value, the rows say."
        said = "a report without rows"
        raise InputError([problem("OPT-008", found=said, expected="the files it was made of", advice=advice)])
    return found


def _user_ids(report: Report) -> NDArray[np.object_]:
    """The id of each user of the tally, which names them by hashes."""
    ids = _rows(report).user_ids
    hashed = hashes(ids)
    order = np.argsort(hashed, kind="stable")
    users = _gathered(report).users
    return np.asarray(ids[order[np.searchsorted(hashed[order], users.hashed[users.code])]])


def _item_ids(report: Report, model: str) -> NDArray[np.object_]:
    """The id of each item of a model's catalogue, in the order in which its tally numbers them."""
    plan = planned([_rows(report)])
    return next((one for one in plan.apart if model in one.models), plan).item_ids


def _with_groups(
    own: Mapping[str, NDArray[Any]], groups: Mapping[str, Groups], at: NDArray[np.intp]
) -> dict[str, NDArray[Any]]:
    """Columns, and those of groups, empty where the group is unknown; one of the same name is told apart."""
    found = dict(own)
    for name, (codes, names) in groups.items():
        found[f"{name} (group)" if name in own else name] = np.append(np.array(names, object), "")[codes[at]]
    return found
