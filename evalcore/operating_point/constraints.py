"""What the two thresholds must reach, and the search for thresholds that reach it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.inference.binomial import clopper_pearson, max_misses, min_alerts
from evalcore.inference.clustered import share_interval
from evalcore.metrics import gate
from evalcore.operating_point.rules import FIRST, RULES, Rules
from evalcore.operating_point.tradeoff.post_sums import PostSums
from evalcore.operating_point.tradeoff.thresholds import shortest_threshold, threshold_up_to
from evalcore.problems import InputError, Problem, problem
from evalcore.spec import declared
from evalcore.tallies.scores import ScoreTable

SENSITIVITY = declared(gate.screening_sensitivity).key
PRECISION = declared(gate.alert_precision).key
SKIPPED = declared(gate.neg_rate).key
NAMES = {SENSITIVITY: "screening sensitivity", PRECISION: "alert precision"}
_BLOCK = 4096


@dataclass(frozen=True)
class Constraint:
    """A share that must be at least ``value``.

    Parameters
    ----------
    metric : `SENSITIVITY` or `PRECISION`.
    value : the target, in (0, 1]; below 1 with a confidence.
    confidence : of the one-sided lower bound that must reach it, in (0, 1); None: the estimate itself must.
    is_from_data : whether the target was set after seeing what the rows chosen on support: there it cannot
        fail, so that reaching it says nothing.
    """

    metric: str
    value: float
    confidence: float | None
    is_from_data: bool = False

    @property
    def name(self) -> str:
        """The metric in words."""
        return NAMES[self.metric]

    def as_json(self) -> dict[str, Any]:
        """The constraint as an entry of a document."""
        entry: dict[str, Any] = {"metric": self.metric, "op": ">=", "value": self.value}
        if self.is_from_data:
            entry["set_after_seeing_the_data"] = True
        if self.confidence is None:
            return entry | {"kind": "point"}
        return entry | {"kind": "lower_bound", "confidence": self.confidence}

    @staticmethod
    def from_json(entry: Mapping[str, Any]) -> Constraint | None:
        """The constraint of a document's entry; None for one of another kind."""
        confidence = entry.get("confidence") if entry["kind"] == "lower_bound" else None
        is_known = entry["metric"] in NAMES and entry["op"] == ">=" and entry["kind"] != "upper_bound"
        if not is_known or (entry["kind"] == "lower_bound") != (confidence is not None):
            return None
        return Constraint(
            entry["metric"],
            float(entry["value"]),
            None if confidence is None else float(confidence),
            is_from_data=entry.get("set_after_seeing_the_data") is True,
        )


@dataclass(frozen=True)
class Thresholds:
    """Two thresholds; None empties the zone. ``n_considered`` counts those that were compared for them."""

    tau_neg: float | None
    tau_pos: float | None
    n_considered: int = 0


def constraint_problems(constraints: tuple[Constraint, ...]) -> list[Problem]:
    """What is wrong with the targets themselves."""
    found = []
    for constraint in constraints:
        confidence = constraint.confidence
        below = "up to 1" if confidence is None else "to below 1"
        if not (0 < constraint.value < 1 or (constraint.value == 1 and confidence is None)):
            expected = f"a share from above 0 {below}, such as 0.995"
            found.append(
                problem("OPT-003", name=constraint.name, found=f"{constraint.value:g}", expected=expected)
            )
        if confidence is not None and not 0.5 <= confidence < 1:
            expected = "a share from 0.5 to below 1, such as 0.95"
            found.append(problem("OPT-003", name="confidence", found=f"{confidence:g}", expected=expected))
    return list(dict.fromkeys(found))


def find_thresholds(
    table: ScoreTable,
    sensitivity: Constraint | None,
    precision: Constraint | None,
    *,
    posts: PostSums | None = None,
    rules: Rules = RULES,
) -> Thresholds:
    """The largest admissible τ_neg, then among τ_pos ≥ τ_neg the one with the most alerts.

    Parameters
    ----------
    table : counts at each distinct score of the rows on which to choose; not replicated.
    sensitivity, precision : what to reach; without one its zone stays empty.
    posts : sums over posts at each of these scores; None takes every row as independent of the others. Those
        of all rows are enough where alert precision has no confidence.
    rules : those of the document that is made, or made again.

    Returns
    -------
    Thresholds, each with the fewest digits that decide alike on these rows; τ_neg is None when nothing can be
    skipped, τ_pos when no alert can be raised.

    Source
    ------
    Angelopoulos et al. 2021, Learn then Test, with exact binomial p-values and a fixed sequence from the safe
    end; statistics.md, "Choosing τ_neg" and "Choosing τ_pos".

    Examples
    --------
    >>> table = ScoreTable(np.array([0.1, 0.4, 0.7]), np.array([0, 1, 2]), np.array([3, 1, 0]))
    >>> find_thresholds(table, Constraint(SENSITIVITY, 1.0, None), Constraint(PRECISION, 0.75, None))
    Thresholds(tau_neg=0.3, tau_pos=0.3, n_considered=5)
    """
    n_scores = len(table.score)
    low = None
    if sensitivity is not None:
        n_misses = n_allowed_misses(int(table.total_pos), sensitivity, n_effective=n_to_choose_by(posts))
        low = largest_tau_neg(table, n_misses)
    first = 0 if low is None else low
    high = None if precision is None else smallest_tau_pos(table, first, precision, posts=posts)
    n_considered = (0 if sensitivity is None else n_scores) + (0 if precision is None else n_scores - first)
    return Thresholds(exported(table, low, rules), exported(table, high, rules), n_considered)


def n_to_choose_by(posts: PostSums | None) -> float | None:
    """The number of independent positives that the exact bound takes where some share posts, or None.

    Kish's where few posts hold most of them; else what the correlation of their scores within posts leaves.
    None where that is their number itself.
    """
    if posts is None:
        return None
    positives = posts.kept(slice(0, 1))
    if is_strict(posts):
        return float(positives.n_kish[0])
    n = float(positives.n_if_unseen[0])
    return n if n < float(positives.n[0]) else None


def is_strict(posts: PostSums) -> bool:
    """Whether so few posts hold most positives that they count as if those of a post were one."""
    return bool(posts.kept(slice(0, 1)).is_heavily_clustered[0])


def n_allowed_misses(n_positives: int, constraint: Constraint, *, n_effective: float | None = None) -> int:
    """Most positives of so many that may be missed; −1 when even a perfect result is not enough.

    Parameters
    ----------
    n_positives : their number.
    constraint : the target, with the confidence of the exact bound that must reach it, or without.
    n_effective : the number of independent positives that they are worth; None takes them as independent.

    Examples
    --------
    >>> [n_allowed_misses(n, Constraint(SENSITIVITY, 0.995, 0.95)) for n in (1379, 1103, 597)]
    [2, 1, -1]
    >>> n_allowed_misses(1379, Constraint(SENSITIVITY, 0.995, None))
    6
    """
    if n_positives == 0:
        return -1
    if constraint.confidence is not None and n_effective is not None:
        return _clustered_misses(n_positives, n_effective, constraint.value, constraint.confidence)
    if constraint.confidence is not None:
        return max_misses(n_positives, constraint.value, constraint.confidence)
    n_misses = min(int(n_positives * (1 - constraint.value)) + 1, n_positives)
    while (n_positives - n_misses) / n_positives < constraint.value:
        n_misses -= 1
    return n_misses


def _clustered_misses(n: int, n_effective: float, target: float, confidence: float) -> int:
    """Most misses of n at which the bound at the effective number of cases holds the target."""
    misses = np.arange(int(n * (1 - target)) + 2)
    kept = (n - misses) / n * n_effective
    bounds = clopper_pearson(kept, n_effective, confidence=confidence, sides=1, end="low")
    return int(np.count_nonzero(bounds.low >= target)) - 1  # the bound falls with every miss


def largest_tau_neg(table: ScoreTable, n_misses: int) -> int | None:
    """Position of the largest distinct score with at most so many positives, and some row, below it."""
    at = int(np.searchsorted(table.pos_below[:-1], n_misses, side="right")) - 1
    return at if at > 0 else None


def smallest_tau_pos(
    table: ScoreTable, first: int, constraint: Constraint, *, posts: PostSums | None = None
) -> int | None:
    """Position of the smallest distinct score, from ``first`` on, at which the alerts reach the precision."""
    n_right, n_alerts = alerts_from(table, first)
    confidence = constraint.confidence
    fewest = 1 if confidence is None else min_alerts(constraint.value, confidence)
    able = np.flatnonzero((n_alerts >= fewest) & (n_right / n_alerts >= constraint.value))
    if confidence is None:
        return first + int(able[0]) if len(able) else None
    for start in range(0, len(able), _BLOCK):
        block = first + able[start : start + _BLOCK]
        reaching = np.flatnonzero(precision_low(table, block, confidence, posts=posts) >= constraint.value)
        if len(reaching):
            return int(block[reaching[0]])
    return None


def precision_low(
    table: ScoreTable, index: NDArray[np.intp], confidence: float, *, posts: PostSums | None = None
) -> NDArray[np.float64]:
    """One-sided lower bound of alert precision when τ_pos is each of some distinct scores."""
    if posts is not None:
        return share_interval(posts.right(index), confidence=confidence, sides=1, end="low").low
    n_right, n_alerts = alerts_from(table, 0)
    right, alerts = n_right[index], n_alerts[index]
    return clopper_pearson(right, alerts, confidence=confidence, sides=1, end="low").low


def alerts_from(table: ScoreTable, first: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Right alerts and alerts when τ_pos is each distinct score from position ``first`` on."""
    n_right = table.total_pos - table.pos_below[first:-1]
    return n_right, n_right + table.total_neg - table.neg_below[first:-1]


def exported(table: ScoreTable, at: int | None, rules: Rules = RULES) -> float | None:
    """The threshold to write down: of all that decide alike on these rows, the one with the fewest digits."""
    if at is None:
        return None
    previous, score = table.highest_below(at) if at > 0 else -np.inf, float(table.score[at])
    return shortest_threshold(previous, score) if rules != FIRST else threshold_up_to(previous, score)


def check_constraints(constraints: tuple[Constraint, ...]) -> None:
    """Refuse targets outside their range.

    Raises
    ------
    InputError : OPT-003, naming each.
    """
    found = constraint_problems(constraints)
    if found:
        raise InputError(found)
