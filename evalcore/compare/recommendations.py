"""Recommenders of one input, or of two: which users are compared, and their lists as pairs of tallies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import reduce
from operator import and_, or_
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evalcore.catalog import METRICS
from evalcore.compare.cells import cells_of
from evalcore.compare.joined import Joined, of_one, of_two
from evalcore.compare.options import CompareOptions, usual_metrics
from evalcore.compare.pairing import Mask, Paired, Shared
from evalcore.compare.pairs import Group, Pair
from evalcore.compare.table import Comparison, Prepared, comparison, options_of
from evalcore.data import Data
from evalcore.drawn.weights import hashes
from evalcore.evaluation import Options, recommender
from evalcore.evaluation.gathering.gather import Plan, gathered
from evalcore.evaluation.recommender.models import Divided
from evalcore.evaluation.recommender.planning import planned_as_one
from evalcore.kernels.ranks import check_k
from evalcore.problems import InputError, problem
from evalcore.tallies.recommended import ItemGroups, RecommendationLists
from evalcore.tallies.units import Units

Lists = Mapping[str, RecommendationLists]
KINDS = ("RecommendationLists", "ItemGroups")
USUAL = usual_metrics(*KINDS)
"""The metrics of a comparison that names none, in the order of its table."""
OF_ONE_CATALOGUE = tuple(replace(one, plan=planned_as_one) for one in recommender.TABLES)
"""What is gathered: all that is compared is judged by one catalogue."""
NOT_OF_LISTS = ("split", "tau_neg", "tau_pos", "screening_sensitivity", "alert_precision", "by_row")
"""Options that say nothing of recommendation lists."""


def compare_recommendations(
    data: Data,
    first: str | None = None,
    second: str | None = None,
    *,
    other: Data | None = None,
    progress: Callable[[str], None] | None = None,
    **options: Any,
) -> Comparison:
    """Compare two recommenders on the users that both know alike; whole users are drawn and swapped.

    A user with a list of one of them only has none of the other, as when that one is evaluated, and is
    counted. Users whose rows of test or train differ between two inputs fall out and are counted.

    Parameters
    ----------
    data : the first model's data and, without ``other``, the second's too.
    first, second : names of models; None where there is no choice.
    other : the second model's data; users and items are joined by id, and the catalogue is that of both.
    progress : is told what comes next; what it raises ends the comparison.
    options : fields of `CompareOptions`, such as ``metrics``, ``k``, ``by``, ``shared_only``, ``bootstrap``.

    Returns
    -------
    Comparison, with rows by ``item_group`` and ``user_group;item_group`` of metrics that have such values.

    Raises
    ------
    InputError : for illegal options and names; OPT-041 where users or items are of other groups in each of
        two inputs; OPT-042 where no user has a list of both; OPT-043 where more than two models could be
        meant.
    """
    tell = progress or (lambda _: None)
    tell("pairing")
    if other is not None:
        found = of_two((data, other), (first, second))
    else:
        named = [name for name in (first, second) if name is not None]
        found = of_one(data, named or None)
        if len(found.names) > 2:
            names = ", ".join(found.names)
            raise InputError([problem("OPT-043", n=len(found.names), names=names)])
    (both,) = prepared(data, found, options)
    return comparison(both, tell)


def prepared(data: Data, found: Joined, options: Mapping[str, Any]) -> list[Prepared]:
    """What is compared of every two of some models, whose lists are gathered once.

    Parameters
    ----------
    data : what the options are checked with.
    found : the models.
    options : fields of `CompareOptions`.
    """
    data = data.with_tables(recommendations=found.table)
    how = options_of(data, {"metrics": USUAL, **options}, KINDS)
    _check(how)
    pairs = [(one, two) for at, one in enumerate(found.names) for two in found.names[at + 1 :]]
    if len(pairs) > 1 and not how.shared_only:
        apart = [found.of(pair) for pair in pairs]
        if any(one.is_smaller(found) for one in apart):
            # Users and items that a third model alone names are none of a pair's.
            return [both for one in apart for both in prepared(data, one, options)]
    users, lists = _gathered(data, found.names, how)
    is_other = np.isin(users.hashed, hashes(found.table.user_ids[found.is_other]))
    kept = ~is_other
    if how.shared_only:
        kept &= reduce(and_, (one.has_list for one in lists.values()))
    shared = [_shared(lists[one], lists[two], is_other, kept) for one, two in pairs]
    for names, counts in zip(pairs, shared, strict=True):
        _check_shared(names, lists, kept, counts)
    metrics = [METRICS[key] for key in how.metrics]
    notes = [
        f"Not compared, {metric.lacking}: {metric.label}." for metric in metrics if metric.tally not in KINDS
    ]
    if how.shared_only and len(lists) > 2:
        n_left = int(np.count_nonzero(reduce(or_, (one.is_evaluated for one in lists.values())) & ~kept))
        notes.append(f"{n_left:,} users of whom not every model has a list, or who fell out, were left out.")
    kinds = {metric.tally for metric in metrics}
    of_kept = {name: one.where(kept) for name, one in lists.items()}
    parts = list(_parts(users.hashed[kept], of_kept, shared[0], how.by, kinds))
    both = []
    for names, counts in zip(pairs, shared, strict=True):
        tallies = (pair for part in parts for pair in part.pairs(*names))
        of_both = list(cells_of(tallies, metrics, how, with_gold=False))
        both.append(Prepared(of_both, (counts,), names, how, tuple(notes)))
    return both


def _check(options: CompareOptions) -> None:
    """Refuse what says nothing of recommendation lists."""
    usual = CompareOptions()
    problems = [
        problem("OPT-008", found=f"{name} of recommendation lists", expected="none", advice="Leave it out.")
        for name in NOT_OF_LISTS
        if getattr(options, name) != getattr(usual, name)
    ]
    if check_k(options.k) is None:
        problems.append(problem("OPT-003", name="K", found=options.k, expected="a whole number from 1 on"))
    if problems:
        raise InputError(problems)


def _gathered(data: Data, names: tuple[str, ...], options: CompareOptions) -> tuple[Units, Lists]:
    """The users in the order of their hashes and the lists of the models, as an evaluation gathers them."""
    plan = Plan.of([data], Options(ks=(options.k,), pop_ratio=options.pop_ratio), OF_ONE_CATALOGUE)
    found = gathered([data], plan).tallies["recommendations"]
    return found.users, {name: found.models[name] for name in names}


def _shared(one: RecommendationLists, two: RecommendationLists, is_other: Mask, kept: Mask) -> Shared:
    """How many users are compared, and why others are not: ``kept`` are those without other rows."""
    known = one.is_evaluated | two.is_evaluated
    n_other = int(np.count_nonzero(known & is_other))
    known &= ~is_other
    first, second = one.has_list, two.has_list
    alone = [int(np.count_nonzero(known & ranked)) for ranked in (first & ~second, second & ~first)]
    n_neither = int(np.count_nonzero(known & ~first & ~second))
    n = int(np.count_nonzero(known & kept))
    if n_left := int(np.count_nonzero(known & ~kept)):
        return Shared("users", n, alone[0], alone[1], n_other, n_neither=n_left - sum(alone))
    return Shared("users", n, 0, 0, n_other, alone[1] + n_neither, alone[0] + n_neither)


def _check_shared(names: tuple[str, str], lists: Lists, kept: Mask, shared: Shared) -> None:
    """Refuse two models of which no user has both lists."""
    if (kept & lists[names[0]].has_list & lists[names[1]].has_list).any():
        return
    found, advice = "their ids differ", "Write the ids of users in both alike: ids are text."
    if shared.n_other_label:
        found = f"{shared.n_other_label:,} users have other rows of test or train in each input"
        advice = "Give both inputs the same test and train."
    raise InputError([problem("OPT-042", first=names[0], second=names[1], found=found, advice=advice)])


class _Part(NamedTuple):
    """A group of users, or of items or both, with what all models have of it.

    Parameters
    ----------
    group : the users.
    lists : of each model, of these users.
    tallies : kind and model → the tally.
    """

    group: Group
    lists: Lists
    tallies: Mapping[tuple[str, str], Any]

    def pairs(self, first: str, second: str) -> Iterator[Pair]:
        """The tallies of two models beside each other."""
        one, two = self.lists[first], self.lists[second]
        evaluated = one.is_evaluated | two.is_evaluated
        ns = int(evaluated.sum()), int((evaluated & one.members("users_with_relevant")).sum())
        for kind in KINDS:
            if (kind, first) in self.tallies:
                both = self.tallies[kind, first], self.tallies[kind, second]
                yield Pair(kind, self.group, {}, {}, both, self.group.code, None, *ns)


def _parts(
    hashed: NDArray[np.uint64], lists: Lists, shared: Shared, by: tuple[str, ...], kinds: set[str]
) -> Iterator[_Part]:
    """All users, then each group that an evaluation has rows of."""
    any_one = Divided(next(iter(lists.values())))
    at = np.arange(len(hashed))
    paired = Paired(at, at, at, hashed, "users", shared, any_one, any_one)
    last: tuple[Mask, Lists] = np.ones(len(hashed), bool), lists
    for group_by, group, who in any_one.cells(by):
        made = KINDS if who.items is None else KINDS[1:]
        if not kinds & set(made):
            continue
        mask = who.mask
        # Groups of items come one after the other for one of users.
        if not np.array_equal(mask, last[0]):
            last = mask, lists if mask.all() else {name: one.where(mask) for name, one in lists.items()}
        of_group, units = last[1], np.flatnonzero(mask)
        tallies = {
            (kind, name): ItemGroups(one, who.items) if kind == "ItemGroups" else one
            for kind in made
            if kind in kinds
            for name, one in of_group.items()
        }
        n, n_positive = len(units), int(np.count_nonzero(any_one.lists.n_relevant[units]))
        own = Group(paired, group_by, group, n, n_positive, np.arange(n), units, hashed[units])
        yield _Part(own, of_group, tallies)
