"""Dynamic K under several policies: what each selects and finds, K histograms, settings without effect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evalcore.kernels.policy import GAMMAS as GAMMAS
from evalcore.kernels.policy import Policy as Policy
from evalcore.kernels.policy import greatest_k
from evalcore.kernels.selection import select
from evalcore.metrics.extraction import (
    evidence_f1,
    evidence_precision,
    evidence_recall,
    mean_selected_k,
    median_selected_k,
    p90_selected_k,
)
from evalcore.metrics.ranking import effective_k
from evalcore.tallies.ranked import RankedQueries
from evalcore.tallies.selections import ScoredLists, Selections
from evalcore.text.numerals import percent_of

Mask = NDArray[np.bool_]
Counts = NDArray[np.int64]
N_POINTS = 20
DENSE = 10_000
"""Up to so many numbers stand beside each other in a histogram, whether a query has them or not."""


@dataclass(frozen=True)
class KHistogram:
    """Queries by a number K of theirs, such as the number selected or K_eff.

    Parameters
    ----------
    k : int64, shape (B,), every whole number from the smallest to the largest K; where these lie further
        apart than `DENSE`, those that a query has.
    n_with_gold, n_without : int64, shape (B,), queries with this K.
    """

    k: Counts
    n_with_gold: Counts
    n_without: Counts


@dataclass(frozen=True)
class PolicyResult:
    """What a policy selects from Q lists, and what it finds.

    Parameters
    ----------
    policy : rule and caps.
    selections : number selected and hits of each query.
    n_at_cap : queries whose K is the most that their caps allow (`greatest_k`).
    is_inert : whether another policy of the same sweep selects as many from every list.
    n_selected : candidates selected in all, the workload.
    mean_k, median_k, p90_k : over all queries; NaN without queries.
    evidence_recall, evidence_precision, evidence_f1 : over queries with gold, NaN without one.
    """

    policy: Policy
    selections: Selections
    n_at_cap: int
    is_inert: bool
    n_selected: int
    mean_k: float
    median_k: float
    p90_k: float
    evidence_recall: float
    evidence_precision: float
    evidence_f1: float


def k_histogram(k: Counts, has_gold: Mask, times: Counts | None = None) -> KHistogram:
    """Count queries by K.

    Parameters
    ----------
    k : int64, shape (Q,), from 0 on.
    has_gold : bool, shape (Q,).
    times : how many queries each stands for, shape (Q,); None: one each.

    Examples
    --------
    >>> bars = k_histogram(np.array([2, 4, 2]), np.array([True, False, False]))
    >>> bars.k.tolist(), bars.n_with_gold.tolist(), bars.n_without.tolist()
    ([2, 3, 4], [1, 0, 0], [1, 0, 1])
    """
    low, high = (int(k.min()), int(k.max())) if len(k) else (0, -1)
    shown = np.arange(low, high + 1) if high - low < DENSE else np.unique(k)
    at = np.searchsorted(shown, k)
    with_gold, without = (
        np.bincount(at[part], None if times is None else times[part], minlength=len(shown))
        for part in (has_gold, ~has_gold)
    )
    return KHistogram(shown, with_gold.astype(np.int64), without.astype(np.int64))


def k_eff_histogram(queries: RankedQueries, k: int | None) -> KHistogram:
    """Count the queries of a list by K_eff, the smaller of K and the length of the list.

    Parameters
    ----------
    queries : Q queries.
    k : whole number from 1 on, or None for the whole list.
    """
    return k_histogram(effective_k(queries, k), queries.n_gold > 0, queries.of_each)


def sweep(
    lists: ScoredLists, policies: Iterable[Policy], passed: Mask | None = None
) -> tuple[PolicyResult, ...]:
    """Every policy on the same lists, in the order given.

    Parameters
    ----------
    lists : Q lists.
    policies : rules and caps.
    passed : bool, shape (Q,), the queries that a gate lets through; None without a gate. The counts of
        selected candidates are as selected; recall, precision and F1 are behind the gate.

    Raises
    ------
    InputError : OPT-008 where a rule needs scores and the lists came without.
    """
    chosen = [(policy, select(lists, policy)) for policy in policies]
    numbers = [selections.n_selected.tobytes() for _, selections in chosen]
    alike = Counter(numbers)
    return tuple(
        _result(lists, policy, selections, alike[number] > 1, passed)
        for (policy, selections), number in zip(chosen, numbers, strict=True)
    )


def gamma_sweep(
    lists: ScoredLists, policy: Policy, gammas: Iterable[float] = GAMMAS, passed: Mask | None = None
) -> tuple[PolicyResult, ...]:
    """A ``mass`` or ``combined`` policy at several γ, ascending, its own γ among them.

    Parameters
    ----------
    lists : Q lists.
    policy : rule and caps.
    gammas : each in (0, 1]; by default those of document 002 §8.2.
    passed : as in `sweep`.

    Raises
    ------
    InputError : OPT-003 for an illegal γ, OPT-008 for lists without scores.

    Source
    ------
    Document 002 §8.2.
    """
    own = () if policy.gamma is None else (policy.gamma,)
    return sweep(lists, [replace(policy, gamma=gamma) for gamma in sorted({*gammas, *own})], passed)


def inert_note(results: tuple[PolicyResult, ...]) -> str:
    """Which γ of a sweep have no effect, and how many queries are at their cap; empty where each has one."""
    inert = [result for result in results if result.is_inert]
    if not inert:
        return ""
    named = ", ".join(f"{result.policy.gamma:g}" for result in inert)
    n, n_at_cap = len(inert[0].selections), min(result.n_at_cap for result in inert)
    share = f"{n_at_cap:,} of {n:,} queries ({percent_of(n_at_cap, n)})" if n else "no query"
    return f"γ has no effect at {named}: another γ selects as many for every query; at the cap: {share}"


def along(lists: ScoredLists, policy: Policy, n_points: int = N_POINTS) -> list[Policy]:
    """Settings of a policy's own parameter from few to many selected, for a curve of recall against workload.

    Parameters
    ----------
    lists : Q lists; thresholds are taken from their scores.
    policy : rule and caps; the caps stay.
    n_points : at most so many settings.
    """
    if policy.kind == "fixed":
        ks = np.unique(np.linspace(1, policy.hard_cap, min(n_points, policy.hard_cap)).astype(int))
        return [replace(policy, k=k) for k in ks.tolist()]
    if policy.kind == "threshold":
        at = np.linspace(0, 1, n_points)
        thresholds = (
            np.unique(np.quantile(lists.score, at, method="lower")) if len(lists.score) else np.zeros(0)
        )
        return [replace(policy, threshold=t) for t in thresholds[::-1].tolist()]
    return [replace(policy, gamma=step / n_points) for step in range(1, n_points + 1)]


def _result(
    lists: ScoredLists, policy: Policy, selections: Selections, is_inert: bool, passed: Mask | None
) -> PolicyResult:
    found = selections if passed is None else selections.behind_gate(passed)
    everyone, with_gold = np.ones(len(selections), bool), selections.n_gold > 0
    is_at_cap = selections.n_selected == greatest_k(lists.n_candidates, policy)
    return PolicyResult(
        policy=policy,
        selections=found,
        n_at_cap=int(np.count_nonzero(is_at_cap)),
        is_inert=is_inert,
        n_selected=int(selections.n_selected.sum()),
        mean_k=mean_selected_k(selections).over(everyone)[0],
        median_k=median_selected_k(selections).over(everyone)[0],
        p90_k=p90_selected_k(selections).over(everyone)[0],
        evidence_recall=evidence_recall(found).over(with_gold)[0],
        evidence_precision=evidence_precision(found).over(with_gold)[0],
        evidence_f1=evidence_f1(found).over(with_gold)[0],
    )
