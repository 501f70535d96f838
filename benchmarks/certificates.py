"""How often a target is certified that does not hold, and what the guard against it costs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evalcore.inference.clustered import ClusterSums, share_interval
from evalcore.inference.correlation import INDEPENDENT, UNKNOWN, ScoreCorrelation
from evalcore.operating_point.constraints import SENSITIVITY, Constraint, n_allowed_misses

LEVEL = 0.95
Floats = NDArray[np.float64]
Codes = NDArray[np.intp]
Kind = Literal["alike", "normal", "t", "author", "empty"]
Unit = Literal["post", "author"]


@dataclass(frozen=True)
class Setting:
    """How the positives of a unit are related; their scores are uniform, so that τ is the share truly missed.

    Parameters
    ----------
    words : the setting in words.
    kind : "alike", so large a share of units have one score; "normal", normal scores so correlated; "t", of
        3 degrees of freedom; "author", normal scores of authors with one post or two; "empty", so large a
        share of units score lowest, alike.
    amount : the share or correlation.
    n_units : units; of posts each holds two positives.
    unit : what the bound takes as its unit.
    """

    words: str
    kind: Kind
    amount: float
    n_units: int
    unit: Unit = "post"

    def draw(self, rng: np.random.Generator) -> tuple[Floats, Codes]:
        """Scores of positives, and the unit of each."""
        n = self.n_units
        unit = np.repeat(np.arange(n), 2)
        if self.kind == "author":
            unit = np.repeat(np.arange(n), rng.integers(1, 3, n))
        common, own = rng.standard_normal(n)[unit], rng.standard_normal(len(unit))
        score = special.ndtr(math.sqrt(self.amount) * common + math.sqrt(1 - self.amount) * own)
        if self.kind == "t":
            scale = np.sqrt(3 / rng.chisquare(3, n))[unit]
            normal = math.sqrt(self.amount) * common + math.sqrt(1 - self.amount) * own
            score = special.stdtr(3, scale * normal)
        elif self.kind in ("alike", "empty"):
            is_so = (rng.random(n) < self.amount)[unit]
            lowest = self.amount if self.kind == "empty" else 1.0
            of_unit, of_each = rng.random(n)[unit] * lowest, rng.random(len(unit))
            score = np.where(is_so, of_unit, of_each if lowest == 1 else lowest + (1 - lowest) * of_each)
        return score, np.arange(len(unit)) if self.unit == "post" and self.kind == "author" else unit


@dataclass(frozen=True)
class Share:
    """In what share of draws something came out, by the bound as it is and without its guard.

    Parameters
    ----------
    case : what was simulated.
    found, unguarded : shares in [0, 1]; without the guard few failures count as independent.
    n_draws : number of draws.
    """

    case: str
    found: float
    unguarded: float
    n_draws: int

    @property
    def error(self) -> float:
        """Standard error of the share found."""
        return math.sqrt(max(self.found * (1 - self.found), 1 / self.n_draws) / self.n_draws)


def bound_alone(setting: Setting, *, target: float, missed: float, n_draws: int, seed: int) -> Share:
    """Share of draws in which the lower bound at a fixed τ that truly misses so many reaches the target."""
    rng = np.random.default_rng(seed)
    held = [_bounds(*setting.draw(rng), missed) for _ in range(n_draws)]
    certified = _low(held) >= target
    return Share(f"{setting.words}, target {target:.1%}", *certified.mean(axis=0).tolist(), n_draws)


def chosen_and_tested(
    setting: Setting, *, target: float, confidence: float | None, n_draws: int, seed: int
) -> Share:
    """Share of draws in which test certifies a τ chosen on tune that truly misses the target.

    Parameters
    ----------
    setting : of tune and of test.
    target : screening sensitivity.
    confidence : of the bound by which τ is chosen; None by the estimate, which misses in half of the draws.
    n_draws, seed : of the simulation.
    """
    rng = np.random.default_rng(seed)
    constraint = Constraint(SENSITIVITY, target, confidence)
    held, is_false = [], []
    for _ in range(n_draws):
        score, unit = setting.draw(rng)
        sums = _sums(score, unit, 0.0, ScoreCorrelation.of(score, unit))
        n_misses = n_allowed_misses(len(score), constraint, n_effective=float(sums.n_if_unseen))
        ordered = np.sort(score)
        below = np.searchsorted(ordered, ordered, side="left")
        tau = float(ordered[below <= n_misses][-1]) if n_misses >= 0 else 0.0
        held.append(_bounds(*setting.draw(rng), tau))
        is_false.append(tau > 1 - target)
    certified = (_low(held) >= target) & np.array(is_false)[:, None]
    by = "by the estimate" if confidence is None else "by the bound"
    case = f"{setting.words}, target {target:.1%}, τ chosen {by}"
    return Share(case, *certified.mean(axis=0).tolist(), n_draws)


def alerts_alone(
    n_pairs: int, alike: float, *, target: float, wrong: float, n_draws: int, seed: int
) -> Share:
    """Share of draws in which the bound of precision on pairs of alerts, so many alike, reaches it."""
    rng = np.random.default_rng(seed)
    is_wrong = rng.random((n_draws, n_pairs, 2)) < wrong
    is_alike = rng.random((n_draws, n_pairs)) < alike
    n_right = np.where(is_alike, 2 * ~is_wrong[:, :, 0], (~is_wrong).sum(axis=2))
    certified = [
        share_interval(
            ClusterSums.from_posts(n_right, np.full_like(n_right, 2), correlation=rho),
            confidence=LEVEL,
            sides=1,
            end="low",
        ).low
        >= target
        for rho in (UNKNOWN, 0.0)
    ]
    how = {1.0: "alike", 0.0: "independent"}.get(alike, f"{alike:.0%} of them alike")
    case = f"{2 * n_pairs} alerts in pairs, {how}, target {target:.0%}"
    return Share(case, float(certified[0].mean()), float(certified[1].mean()), n_draws)


ALIKE, HALF_ALIKE = "posts of two positives, alike", "posts of two positives, half of them alike"
AUTHORS = "420 authors of one post or two, correlation {amount}, unit {unit}"
INDEPENDENT_PAIRS = "posts of two independent positives"
HELD = (
    (Setting(f"350 {ALIKE}", "alike", 1.0, 350), 0.995),
    (Setting(f"700 {ALIKE}", "alike", 1.0, 700), 0.995),
    (Setting(f"500 {HALF_ALIKE}", "alike", 0.5, 500), 0.995),
    (Setting("700 posts of two positives, 20% of them alike", "alike", 0.2, 700), 0.995),
    (Setting(f"175 {HALF_ALIKE}", "alike", 0.5, 175), 0.98),
    (Setting("500 posts of two positives, correlation 0.9", "normal", 0.9, 500), 0.995),
    (Setting("500 posts of two positives, t of 3 degrees, correlation 0.5", "t", 0.5, 500), 0.995),
    (Setting(AUTHORS.format(amount=0.95, unit="author"), "author", 0.95, 420, "author"), 0.995),
    (Setting(AUTHORS.format(amount=0.5, unit="author"), "author", 0.5, 420, "author"), 0.995),
)
NOT_PROMISED = (
    (Setting(AUTHORS.format(amount=0.95, unit="post"), "author", 0.95, 420), 0.995),
    (
        Setting("350 posts of two positives, 0.5% of them empty, else no miss", "empty", 0.005, 350),
        0.995,
    ),
)
ALERTS: dict[float, tuple[tuple[int, float], ...]] = {
    0.9: ((15, 1.0), (30, 1.0), (30, 0.9), (30, 0.5), (60, 0.5), (300, 1.0)),
    0.98: ((150, 1.0), (150, 0.8), (150, 0.2)),
    0.99: ((600, 1.0), (600, 0.8), (600, 0.5), (600, 0.2)),
}
"""Target → pairs of alerts and the share of them that are alike."""
CHOSEN = (HELD[0], HELD[1], HELD[2], HELD[7])
POWER = (
    (Setting(f"600 {INDEPENDENT_PAIRS}", "normal", 0.0, 600), 0.995, 0.001),
    (Setting(f"900 {INDEPENDENT_PAIRS}", "normal", 0.0, 900), 0.995, 0.001),
    (Setting(f"600 {INDEPENDENT_PAIRS}", "normal", 0.0, 600), 0.99, 0.004),
    (Setting(f"600 {INDEPENDENT_PAIRS}", "normal", 0.0, 600), 0.98, 0.01),
    (Setting("600 authors of one post or two, independent", "author", 0.0, 600, "author"), 0.99, 0.003),
)


def false_certificates(n_draws: int, seed: int) -> Iterator[Share]:
    """Every setting in which at most .06 is promised."""
    for setting, target in HELD:
        yield bound_alone(setting, target=target, missed=1 - target, n_draws=n_draws, seed=seed)
    for setting, target in CHOSEN:
        for confidence in (LEVEL, None):
            yield chosen_and_tested(setting, target=target, confidence=confidence, n_draws=n_draws, seed=seed)
    for target, settings in ALERTS.items():
        for n_pairs, alike in settings:
            wrong = 1 - target
            yield alerts_alone(n_pairs, alike, target=target, wrong=wrong, n_draws=10 * n_draws, seed=seed)


def not_promised(n_draws: int, seed: int) -> Iterator[Share]:
    """Settings that no guard can see."""
    for setting, target in NOT_PROMISED:
        yield bound_alone(setting, target=target, missed=1 - target, n_draws=n_draws, seed=seed)


def power(n_draws: int, seed: int) -> Iterator[Share]:
    """How often a target that holds is certified where cases are independent."""
    for setting, target, missed in POWER:
        found = bound_alone(setting, target=target, missed=missed, n_draws=n_draws, seed=seed)
        yield Share(f"{found.case}, truly {1 - missed:.1%}", found.found, found.unguarded, n_draws)
    for n_pairs, target, wrong in ((300, 0.9, 0.07), (600, 0.9, 0.07), (600, 0.99, 0.003)):
        found = alerts_alone(n_pairs, 0.0, target=target, wrong=wrong, n_draws=10 * n_draws, seed=seed)
        yield Share(f"{found.case}, truly {1 - wrong:.1%}", found.found, found.unguarded, found.n_draws)


def _bounds(score: Floats, unit: Codes, tau: float) -> tuple[ClusterSums, ClusterSums]:
    """The sums behind the bound with its guard, and without."""
    guarded = ScoreCorrelation.of(score, unit)
    return _sums(score, unit, tau, guarded), _sums(score, unit, tau, INDEPENDENT)


def _sums(score: Floats, unit: Codes, tau: float, correlation: ScoreCorrelation) -> ClusterSums:
    is_kept = score >= tau
    rho = correlation.of_share(int(is_kept.sum()), len(score), "above")
    n_units = int(unit.max()) + 1
    return ClusterSums.from_rows(is_kept, np.ones(len(score), bool), unit, n_units, correlation=rho)


def _low(sums: list[tuple[ClusterSums, ClusterSums]]) -> Floats:
    """The lower bounds of every draw, shape (draws, 2)."""
    columns = [ClusterSums.together(list(column)) for column in zip(*sums, strict=True)]
    lows = [share_interval(one, confidence=LEVEL, sides=1, end="low").low for one in columns]
    return np.stack(lows, axis=1)
