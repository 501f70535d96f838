"""The groups of one model: the tallies of each, and the rows and units that its intervals rest on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evalcore.drawn.replicates import Resampling
from evalcore.evaluation.gathering.selections import simulated_selections, stated_selections
from evalcore.evaluation.gathering.tallies import Tally, gate_thresholds, query_tallies, ranking_tallies
from evalcore.evaluation.groups import Divided, Grouped, Members
from evalcore.evaluation.intervals.bounds import Sample
from evalcore.evaluation.options import Options
from evalcore.tallies.ranked import RankedQueries
from evalcore.tallies.scores import ScoredRows
from evalcore.tallies.selections import states_selection
from evalcore.tallies.unit_lists import UnitLists
from evalcore.tallies.unit_scores import UnitScores
from evalcore.tallies.units import Units

Groups = Callable[[Any, Options], tuple[Iterator[Tally], Sample]]


class OfModel(NamedTuple):
    """What the values of one model are computed from.

    Parameters
    ----------
    model : its name in the table.
    part : what is divided into groups.
    groups : the tallies of a group and what its intervals rest on.
    told : what the progress names it; the model where empty.
    """

    model: str
    part: UnitScores | UnitLists | Divided | Grouped
    groups: Groups
    told: str = ""


class Draws:
    """The draws of the units asked for last: models of one file share their posts, and so their draws."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._last: tuple[bytes, Resampling] | None = None

    def of(self, units: Units) -> Resampling:
        """How often each unit is drawn."""
        key = units.hashed.tobytes()
        if self._last is None or self._last[0] != key:
            drawn = Resampling.of(units.hashed, self._options.bootstrap, self._options.seed)
            self._last = key, drawn
        return self._last[1]


def of_queries(queries: UnitScores, options: Options, draws: Draws | None = None) -> Groups:
    """The scored rows of one model."""
    units = queries.units
    drawn = (draws or Draws(options)).of(units)

    def group(of: Members, how: Options) -> tuple[Iterator[Tally], Sample]:
        members = queries if of.places is None else queries.take(of.places)
        own = members.units
        rows = ScoredRows(members.score, members.has_evidence, own.code, len(own))
        thresholds = None
        if gate_thresholds(members, how) is None and {"tau_neg", "tau_pos"} <= set(members.numbers):
            thresholds = np.stack([members.numbers["tau_neg"], members.numbers["tau_pos"]])
        posts = _units_of_posts(members, own) if how.bootstrap else None
        sample = _sample(own, drawn, rows, how, thresholds, posts)
        return query_tallies(members, how), sample

    return group


def _units_of_posts(members: UnitScores, units: Units) -> NDArray[np.intp] | None:
    """The unit of each post with a criterion; None where a post lies in several, such as criteria."""
    placed = members.criterion >= 0
    code = units.code[placed]
    _, first, post = np.unique(members.post[placed], return_index=True, return_inverse=True)
    of_post = code[first]
    return of_post if (of_post[post] == code).all() else None


def of_stated(
    queries: UnitScores,
    options: Options,
    lists: UnitLists | None,
    ranked: RankedQueries | None,
    draws: Draws | None = None,
) -> Groups:
    """The selections that the file of one model states."""
    units = queries.units
    drawn = (draws or Draws(options)).of(units)

    def group(of: Members, how: Options) -> tuple[Iterator[Tally], Sample]:
        mask = of.mask
        members = queries.where(mask)
        is_stated = "selected_k" in members.numbers
        own = units.where(mask)
        own = own.where(states_selection(members, lists)) if is_stated else own
        return stated_selections(members, how, lists, ranked), _sample(own, drawn, None, how)

    return group


def of_lists(
    lists: UnitLists, model: str, queries: UnitScores | None, options: Options, draws: Draws | None = None
) -> Groups:
    """The lists of one model."""
    units, of_model = lists.units, lists.lists[model]
    drawn = (draws or Draws(options)).of(units)
    simulated = list(simulated_selections(of_model, lists, queries, options))

    def tallies(mask: NDArray[np.bool_]) -> Iterator[Tally]:
        yield from ranking_tallies(of_model, mask)
        for kind, made_with, selections in simulated:
            yield kind, made_with, selections.where(mask)

    def group(of: Members, how: Options) -> tuple[Iterator[Tally], Sample]:
        mask = of.mask
        pairs = None
        if how.bootstrap and isinstance(of_model.pairs, ScoredRows):
            scored = of_model.pairs.of_posts(np.flatnonzero(mask))
            pairs = ScoredRows(scored.score, scored.is_positive, units.code[mask][scored.post], len(units))
        return tallies(mask), _sample(units.where(mask), drawn, pairs, how)

    return group


def _sample(
    units: Units,
    drawn: Resampling,
    rows: ScoredRows | None,
    options: Options,
    own_thresholds: NDArray[Any] | None = None,
    posts: NDArray[Any] | None = None,
) -> Sample:
    """The group with only the units that it has: what is never there need not be drawn."""
    present, before = units.present()
    if rows is not None and len(present) < len(units):
        post = np.searchsorted(before, rows.post)
        rows = ScoredRows(rows.score, rows.is_positive, post, len(present))
    return Sample(
        present,
        rows,
        drawn.where(before) if options.bootstrap else None,
        own_thresholds,
        None if posts is None else np.searchsorted(before, posts),
    )
