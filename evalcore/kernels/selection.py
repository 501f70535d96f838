"""Dynamic K: how many candidates a policy selects from each scored list, and what it finds with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import numpy as np
from numpy.typing import NDArray

from evalcore.kernels.policy import Policy, greatest_k
from evalcore.kernels.ranks import cutoff
from evalcore.problems import InputError, problem
from evalcore.tallies.selections import ScoredLists, Selections

Counts = NDArray[np.int64]
SLACK = 1e-12
# Shares are summed as whole numbers of 2⁻⁵², so that no order or grouping of rows changes a sum.
_UNIT = 2.0**52


def selected_k(lists: ScoredLists, policy: Policy) -> Counts:
    """How many candidates a policy selects from each list.

    Parameters
    ----------
    lists : Q lists.
    policy : rule and caps.

    Returns
    -------
    int64, shape (Q,): the number by the rule, then at least k_min, then at most `greatest_k`.

    Raises
    ------
    InputError : OPT-008 where a rule needs scores and the lists came without.

    Source
    ------
    Document 002 §8.2; contract.md, policies.
    """
    if policy.kind != "fixed" and lists.scale == "place":
        found, expected = f"the policy {policy.kind} for lists without scores", "scores of the candidates"
        advice = "Give the candidates file, or select with the policy fixed."
        raise InputError([problem("OPT-008", found=found, expected=expected, advice=advice)])
    k = _K_BY_RULE[policy.kind](lists, policy)
    return np.minimum(np.maximum(k, policy.k_min), greatest_k(lists.n_candidates, policy))


def select(lists: ScoredLists, policy: Policy) -> Selections:
    """What a policy selects: the first `selected_k` candidates of each list.

    Parameters
    ----------
    lists : Q lists.
    policy : rule and caps.

    Raises
    ------
    InputError : OPT-008 where a rule needs scores and the lists came without.

    Examples
    --------
    >>> score, is_gold = np.array([0.6, 0.3, 0.06, 0.04]), np.array([True, False, True, False])
    >>> lists = ScoredLists(np.zeros(4, int), score, is_gold, np.array([2]), "probability")
    >>> chosen = select(lists, Policy("mass", gamma=0.95, ratio=1))  # 0.6 + 0.3 + 0.06 = 0.96
    >>> chosen.n_selected.tolist(), chosen.n_hits.tolist()
    ([3], [2])
    """
    k = selected_k(lists, policy)
    n_hits = lists.gold_before[lists.first + k] - lists.gold_before[lists.first]
    return Selections(k, n_hits, lists.n_gold, lists.n_candidates, np.ones(len(lists), bool))


def shares(lists: ScoredLists, temperature: float | None = None) -> NDArray[np.float64]:
    """The share of each candidate in its list, shape (R,); the shares of a list sum to 1.

    Parameters
    ----------
    lists : R rows.
    temperature : T of softmax(score / T); None means score / Σ for probabilities and T = 1 for other scores.
        A list of probabilities that all are 0 has equal shares.
    """
    weight = lists.score
    if temperature is not None or lists.scale != "probability":
        with np.errstate(over="ignore"):  # a score infinitely far below the best has the share 0
            below_best = (lists.score - lists.score[lists.first[lists.query]]) / (temperature or 1.0)
        weight = np.exp(below_best)
    total = np.bincount(lists.query, weights=weight, minlength=len(lists))
    weight = np.where(total[lists.query] > 0, weight, 1.0)
    total = np.where(total > 0, total, lists.n_candidates)
    return np.asarray(weight / total[lists.query])


def _within_threshold(lists: ScoredLists, policy: Policy) -> Counts:
    reaches = lists.score >= cast(float, policy.threshold)
    return np.bincount(lists.query[reaches], minlength=len(lists)).astype(np.int64)


def _within_mass(lists: ScoredLists, policy: Policy) -> Counts:
    is_short = _cumulative_shares(lists, policy.temperature) < cast(float, policy.gamma) - SLACK
    n_short = np.bincount(lists.query[is_short], minlength=len(lists))
    return np.minimum(n_short + 1, lists.n_candidates)


def _cumulative_shares(lists: ScoredLists, temperature: float | None) -> NDArray[np.float64]:
    """Share of each candidate and all better ones, shape (R,); kept with the lists for the next γ."""
    kept = vars(lists)  # where cached_property keeps its values, too
    last: tuple[float | None, NDArray[np.float64]] | None = kept.get("cumulative_shares")
    if last is None or last[0] != temperature:
        units = np.rint(shares(lists, temperature) * _UNIT).astype(np.int64)
        # The sum over all lists wraps around at 2⁶⁴; differences within a list, at most 1, do not mind.
        total = np.concatenate([[0], np.cumsum(units)])
        last = temperature, (total[1:] - total[lists.first][lists.query]) / _UNIT
        kept["cumulative_shares"] = last
    return last[1]


def _within_both(lists: ScoredLists, policy: Policy) -> Counts:
    return np.minimum(_within_threshold(lists, policy), _within_mass(lists, policy))


def _within_fixed(lists: ScoredLists, policy: Policy) -> Counts:
    return np.minimum(lists.n_candidates, cutoff(policy.k))


_K_BY_RULE: dict[str, Callable[[ScoredLists, Policy], Counts]] = {
    "fixed": _within_fixed,
    "threshold": _within_threshold,
    "mass": _within_mass,
    "combined": _within_both,
}
