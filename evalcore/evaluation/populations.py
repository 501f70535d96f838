"""Over which queries or posts a mean is taken."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from evalcore.spec import Metric, OfTotals, PerQuery, Ratio


class Population(NamedTuple):
    """Which of a tally's units belong to a population, and why nothing is known where none does.

    A value over users with a list rests on these, and not on ``is_of_positives``: evidence, gold, or what is
    relevant.
    """

    members: Callable[[Any], Any]
    empty: str
    is_of_positives: bool = True


def _everyone(tally: Any) -> Any:
    return np.ones(len(tally), bool)


POPULATIONS: Mapping[str, Population] = {
    "positives_only": Population(lambda tally: tally.n_gold > 0, "no query with gold"),
    "negatives_only": Population(lambda tally: tally.n_gold == 0, "no query without gold"),
    "annotated_queries": Population(_everyone, "no query with annotated chunks"),
    "annotated_answers": Population(_everyone, "no annotated answer"),
    "citing_answers": Population(_everyone, "no annotated answer"),
    "users_with_relevant": Population(
        lambda tally: tally.members("users_with_relevant"), "no user with a relevant item"
    ),
    "users_with_list": Population(
        lambda tally: tally.members("users_with_list"), "no user with a list", is_of_positives=False
    ),
    "users_with_pairs": Population(
        lambda tally: tally.members("users_with_pairs"),
        "no user with a test pair that has rating and score",
    ),
    "all_users": Population(lambda tally: tally.members("all_users"), "no user with a list or a test row"),
}
"""Those whose name does not say all: ``all_`` and what a tally has are all of these."""


def population_of(name: str) -> Population:
    """The population of a name.

    >>> population_of("all_posts").empty
    'no posts'
    """
    return POPULATIONS.get(name) or Population(_everyone, f"no {name.removeprefix('all_')}")


def units_in(name: str) -> str:
    """What a population is made of, in a word.

    >>> units_in("all_posts"), units_in("positives_only")
    ('posts', 'queries')
    """
    if name.startswith("users_"):
        return "users"
    return name.removeprefix("all_") if name.startswith("all_") else "queries"


def value_over(
    metric: Metric, tally: Any, given: Mapping[str, Any], result: Any, population: str
) -> tuple[float, int]:
    """A metric's value over one of its populations, and how many units or rows it is over; NaN over none.

    Parameters
    ----------
    metric, tally : what is computed, and on what.
    given : the parameters of the metric's function.
    result : what the function returned.
    population : its name; for a metric with one population whose result is no `PerQuery`, any.
    """
    if isinstance(result, PerQuery):
        times = getattr(tally, "of_each", None)
        return result.over(population_of(population).members(tally), times)
    n = None
    if len(metric.population) > 1:
        members = tally.where(population_of(population).members(tally))
        result, n = metric(members, **given), len(members)
    if isinstance(result, OfTotals):
        return result.of_all, result.n
    if isinstance(result, Ratio):
        return float(result.value), int(result.denominator) if n is None else n
    if n is None:
        n = int(tally.total) if hasattr(tally, "total") else len(tally)
    return float(result), n
