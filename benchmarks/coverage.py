"""How often intervals and chosen thresholds hold what they promise: python -m benchmarks.coverage."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from benchmarks import recommended_coverage
from benchmarks.certificates import Share, false_certificates, not_promised, power
from evalcore.drawn.weights import poisson_weights
from evalcore.inference.clustered import ClusterSums, Mode, linearised, share_interval
from evalcore.operating_point.constraints import (
    SENSITIVITY,
    Constraint,
    largest_tau_neg,
    n_allowed_misses,
)
from evalcore.tallies.scores import ScoreTable

PAGE = Path(__file__).resolve().parents[1] / "docs" / "coverage.md"
SEED = 20_240
LEVEL = 0.95
SHARES_HEAD = "| simulated | found | ± | few failures taken as independent |"
SECTIONS = {
    "False certificates": (
        "Screening sensitivity or alert precision is exactly at the target, and the lower bound reaches it",
        "all the same; or a τ_neg that truly misses the target is chosen on tune, and certified on a test",
        "like it. At most .06 is promised, and held in every row. While fewer than ten units hold a failure,",
        "cases count for at most n / (1 + ρ·f·(Σm²/n − 1)) independent ones, f the smaller of 1 − r/10 and",
        "1/(1 + s): r units hold one, s of them beside a success, which tells that they do not fail as one;",
        "ρ is an upper bound of the correlation of the positives' scores within units, weighted to the end",
        "where they fail; it is 1 for labels, of which nothing tells. So 30 alerts in 15 pairs, all of them",
        "right, can show 81.9 % and no more.",
    ),
    "What no guard sees": (
        "Not promised. Posts of one author, with the post as the unit: the unit must then be the author.",
        "And posts that fail as a whole for a reason that none of the scores at hand shows: where no such",
        "post is among the rows, they cannot tell of it.",
    ),
    "What it costs": (
        "How often a target that holds is certified where all cases are independent. From 600 units on less",
        "than a tenth is lost.",
    ),
}
METHODS: tuple[Mode, ...] = ("strict", "korn_graubard", "clopper_pearson")


@dataclass(frozen=True)
class Coverage:
    """How often something held.

    Parameters
    ----------
    case, method : what was simulated, and by which method it was bounded or chosen.
    promised : share of draws in which it should hold, in [0, 1].
    found : share of the draws in which it held.
    n_draws : number of draws.
    """

    case: str
    method: str
    promised: float
    found: float
    n_draws: int

    @property
    def error(self) -> float:
        """Standard error of the share found."""
        return math.sqrt(max(self.found * (1 - self.found), 1 / self.n_draws) / self.n_draws)


def reach_of_choice(n: int, confidence: float | None, *, target: float, n_draws: int, seed: int) -> Coverage:
    """Share of draws of n independent positives in which the chosen τ_neg truly reaches its target.

    Scores of positives are uniform, so that τ itself is the share truly missed.
    """
    rng = np.random.default_rng(seed)
    constraint = Constraint(SENSITIVITY, target, confidence)
    allowed = n_allowed_misses(n, constraint)
    reached = 0
    no_pos, one_pos = np.arange(n + 1) == 0, np.arange(n + 1) > 0
    for _ in range(n_draws):
        # One negative below all positives: τ_neg may then be the lowest positive's score.
        table = ScoreTable(
            np.append(-1.0, np.sort(rng.random(n))), one_pos.astype(np.int64), no_pos.astype(np.int64)
        )
        at = largest_tau_neg(table, allowed)
        reached += at is None or float(table.score[at]) <= 1 - target
    method = "point estimate" if confidence is None else "exact binomial"
    promised = float(stats.binom.sf(allowed, n, 1 - target))
    case = f"chosen τ_neg, {n:,} independent positives, target {target:.1%}, misses allowed {allowed}"
    return Coverage(case, method, promised, reached / n_draws, n_draws)


def reach_of_clustered_choice(
    n_posts: int, n_each: int, correlation: float, *, target: float, n_draws: int, seed: int
) -> list[Coverage]:
    """Share of draws in which the largest τ_neg whose lower bound holds the target truly reaches it.

    The positives of a post share part of a normal score; candidates are considered from the safe end until
    one fails. One row for each way of bounding.
    """
    missed = _uniform_scores(n_posts, n_each, correlation, n_draws=n_draws, seed=seed).reshape(n_draws, -1)
    n = n_posts * n_each
    n_candidates = int(n * (1 - target) * 2) + 10
    first = np.argpartition(missed, n_candidates, axis=1)[:, : n_candidates + 1]
    first = np.take_along_axis(first, np.take_along_axis(missed, first, 1).argsort(axis=1), 1)
    tau = np.take_along_axis(missed, first, 1)
    sums = _after_each_miss(first[:, :-1] // n_each, n, n_posts, n_each)
    case = (
        f"chosen τ_neg, {n_posts:,} posts of {n_each} positives, correlation {correlation:g}, "
        f"target {target:.1%}"
    )
    rows = []
    for method in METHODS:
        holds = share_interval(sums, confidence=LEVEL, sides=1, mode=method).low >= target
        n_held = np.where(holds.all(axis=1), holds.shape[1], np.argmin(holds, axis=1))
        # With k misses held to be admissible τ is the (k + 1)th lowest score; without any nothing is skipped.
        chosen = tau[np.arange(n_draws), np.maximum(n_held - 1, 0)]
        is_reached = (n_held == 0) | (chosen <= 1 - target)
        nothing = "" if n_held.any() else " (nothing can be skipped)"
        rows.append(Coverage(case, method + nothing, LEVEL, float(is_reached.mean()), n_draws))
    return rows


def workload(
    n_posts: int,
    n_each: int,
    correlation: float,
    *,
    rate: float,
    n_draws: int,
    n_replicates: int,
    seed: int,
) -> list[Coverage]:
    """Share of draws in which the two-sided interval of a workload rate contains the true rate.

    The weights depend on post ids alone, never on the data, so that all draws share one matrix of them.
    """
    scores = _uniform_scores(n_posts, n_each, correlation, n_draws=n_draws, seed=seed)
    is_opened = scores < rate
    by_post = is_opened.sum(axis=2)
    exact = linearised(ClusterSums.from_posts(by_post, np.full(n_posts, n_each)), confidence=LEVEL)
    case = f"workload rate {rate:.0%}, {n_posts:,} posts of {n_each} checks, correlation {correlation:g}"

    def row(method: str, low: NDArray[np.float64], high: NDArray[np.float64]) -> Coverage:
        is_inside = (low <= rate) & (rate <= high)
        return Coverage(case, method, LEVEL, float(is_inside.mean()), n_draws)

    return [
        row("bootstrap over posts", *_percentiles(by_post, n_each, n_replicates, seed)),
        row("linearised over posts", exact.low, exact.high),
        row("bootstrap over rows", *_percentiles(is_opened.reshape(n_draws, -1), 1, n_replicates, seed)),
    ]


def all_rows() -> Iterator[Coverage]:
    """Every simulation of the page."""
    for n in (690, 1103, 1379):
        for confidence in (LEVEL, None):
            yield reach_of_choice(n, confidence, target=0.995, n_draws=40_000, seed=SEED + n)
    settings = ((690, 2, 0.5, 0.995), (276, 5, 0.9, 0.995), (600, 5, 0.9, 0.995), (600, 5, 0.9, 0.98))
    for n_posts, n_each, correlation, target in settings:
        yield from reach_of_clustered_choice(
            n_posts, n_each, correlation, target=target, n_draws=4000, seed=SEED + n_posts
        )
    for correlation in (0.0, 0.3):
        yield from workload(300, 10, correlation, rate=0.3, n_draws=2000, n_replicates=2000, seed=SEED + 7)
    for intercept, slope in ((0.0, 1.0), (0.1, 1.0), (0.4, 1.0), (0.0, 0.5)):
        yield from calibration_error(intercept, slope, n=1000, n_draws=500, n_replicates=300, seed=SEED + 9)
    for shift in (0.0, 0.1, 0.4):
        yield difference_of_errors(shift, n=1000, n_draws=500, n_replicates=300, seed=SEED + 10)


def calibration_error(
    intercept: float, slope: float, *, n: int, n_draws: int, n_replicates: int, seed: int
) -> list[Coverage]:
    """Share of draws in which an interval of the ECE over ten bins contains the true one.

    The true rate is logistic in the logit of the probability, with so much for intercept and slope: 0 and 1
    are a calibrated model, whose true ECE is 0.
    """
    rng = np.random.default_rng(seed)
    many = rng.beta(1, 4, 1_000_000)
    truth = float(_ece(many, _rate(many, intercept, slope), np.ones((1, len(many))))[0])
    is_calibrated = (intercept, slope) == (0, 1)
    truth = 0.0 if is_calibrated else truth
    held = []
    for _ in range(n_draws):
        p = rng.beta(1, 4, n)
        label = (rng.random(n) < _rate(p, intercept, slope)).astype(np.float64)
        value = float(_ece(p, label, np.ones((1, n)))[0])
        replicates = _ece(p, label, rng.poisson(1, (n_replicates, n)).astype(np.float64))
        low, high = np.quantile(replicates, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        error, corrected = float(replicates.std()), max(0.0, 2 * value - float(replicates.mean()))
        half = special.ndtri((1 + LEVEL) / 2) * error
        held.append(
            [
                low <= truth <= high,
                max(0.0, 2 * value - high) <= truth <= max(value, 2 * value - low),
                max(0.0, corrected - half) <= truth <= corrected + half,
            ]
        )
    model = "a calibrated model" if is_calibrated else f"intercept {intercept:g}, slope {slope:g}"
    case = f"ECE of {n:,} rows, {model}, true {truth:.4f}"
    methods = ("percentiles", "percentiles reflected at the value", "bias taken off, normal")
    return [
        Coverage(case, method, LEVEL, float(found), n_draws)
        for method, found in zip(methods, np.mean(held, axis=0), strict=True)
    ]


def difference_of_errors(shift: float, *, n: int, n_draws: int, n_replicates: int, seed: int) -> Coverage:
    """Share of draws in which percentiles over replicates contain the true difference of two ECEs.

    One model is calibrated, the other adds so much to its logits; with 0 both have the true rate for most
    rows and that of another row for the rest, so that they differ and neither is better.
    """
    rng = np.random.default_rng(seed)
    many = rng.beta(1, 4, 1_000_000)
    truth = float(_ece(_rate(many, shift, 1), many, np.ones((1, len(many))))[0]) if shift else 0.0
    n_held = 0
    for _ in range(n_draws):
        first = rng.beta(1, 4, n)
        label = (rng.random(n) < first).astype(np.float64)
        second = _rate(first, shift, 1)
        if not shift:
            first, second = (np.where(rng.random(n) < 0.8, first, rng.beta(1, 4, n)) for _ in range(2))
        weights = rng.poisson(1, (n_replicates, n)).astype(np.float64)
        replicates = _ece(second, label, weights) - _ece(first, label, weights)
        low, high = np.quantile(replicates, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        n_held += int(low <= truth <= high)
    models = f"a calibrated model and one with {shift:g} more" if shift else "two equally good models"
    case = f"ECE of {n:,} rows, {models}, true difference {truth:.4f}"
    return Coverage(case, "percentiles", LEVEL, n_held / n_draws, n_draws)


def _rate(p: NDArray[np.float64], intercept: float, slope: float) -> NDArray[np.float64]:
    return np.asarray(special.expit(intercept + slope * special.logit(p)))


def _ece(
    p: NDArray[np.float64], rate: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The ECE over ten bins in every replicate, shape (B,)."""
    at = np.minimum((10 * p).astype(np.intp), 9)
    gaps = np.stack([weights @ np.where(at == one, p - rate, 0.0) for one in range(10)])
    return np.asarray(np.abs(gaps).sum(axis=0) / weights.sum(axis=1))


def page(
    rows: list[Coverage],
    shares: Sequence[tuple[str, list[Share]]] = (),
    recommended: Sequence[Share] = (),
) -> str:
    """The page of the documentation.

    Parameters
    ----------
    rows : what holds in how many draws.
    shares : sections on certificates, each by its name in `SECTIONS`, with its rows.
    recommended : the rows of the section on recommendations, if any.
    """
    lines = [
        "# What intervals and chosen thresholds hold",
        "",
        "Written by `python -m benchmarks.coverage`. Each row: many draws of data whose truth is known, and",
        "in what share of them the statement was true. ± is the standard error of the simulation.",
        "",
        "- A chosen τ_neg holds where its true sensitivity reaches the target. For independent positives the",
        "  promised share is 1 − BinomCDF(k; n, ε), the truth of a threshold that misses k of n.",
        "- Elsewhere the level of 95 % is promised. Rows of a post have correlated normal scores.",
        "- With five strongly correlated positives a post the exact bounds fall short, which take them as",
        "  independent; the strict ones, the default there, hold. So do those of Korn–Graubard, which take",
        "  positives of a post as one and the same while few posts hold a miss.",
        "- Checks of a post taken as independent make the interval of a workload rate too narrow.",
        "- No interval of the ECE covers a calibrated model and others in .92 of the draws: it has none, nor",
        "  has the MCE. Nor have their differences between two models: what a replicate adds to a small",
        "  error it does not add to a large one.",
        "",
        "| simulated | method | promised | found | ± |",
        "|---|---|---:|---:|---:|",
    ]
    lines += [
        f"| {row.case} | {row.method} | {row.promised:.3f} | {row.found:.3f} | {row.error:.3f} |"
        for row in rows
    ]
    for name, of_section in shares:
        lines += section(name, SECTIONS[name], SHARES_HEAD, of_section)
    if recommended:
        of = recommended_coverage
        lines += section(of.NAME, of.ABOUT, of.HEAD, recommended)
    return "\n".join(lines) + "\n"


def section(name: str, about: Sequence[str], head: str, rows: Sequence[Share]) -> list[str]:
    """The lines of a section, with a table of its rows."""
    lines = ["", f"## {name}", "", *about, "", head, "|---|---:|---:|---:|"]
    return lines + [
        f"| {one.case} | {one.found:.3f} | {one.error:.3f} | {one.unguarded:.3f} |" for one in rows
    ]


def _uniform_scores(
    n_posts: int, n_each: int, correlation: float, *, n_draws: int, seed: int
) -> NDArray[np.float64]:
    """Scores uniform in (0, 1), shape (draws, posts, each), of so correlated normal scores within a post."""
    rng = np.random.default_rng(seed)
    common = rng.standard_normal((n_draws, n_posts, 1)) * math.sqrt(correlation)
    own = rng.standard_normal((n_draws, n_posts, n_each)) * math.sqrt(1 - correlation)
    return np.asarray(special.ndtr(common + own))


def _after_each_miss(post: NDArray[np.intp], n: int, n_posts: int, n_each: int) -> ClusterSums:
    """The sums over posts of equal size after none, one, two … positives, of these posts, are missed."""
    n_draws, n_candidates = post.shape
    same = post[:, :, None] == post[:, None, :]
    missed_before = np.tril(same, -1).sum(axis=2)
    left = n_each - missed_before
    start = np.zeros((n_draws, 1), np.int64)
    n_missed = np.arange(n_candidates + 1)
    xx = n_posts * n_each**2 - np.hstack([start, np.cumsum(2 * left - 1, axis=1)])
    kept = np.broadcast_to(n - n_missed, xx.shape)
    return ClusterSums(
        successes=kept,
        n=np.full_like(kept, n),
        n_posts=np.full_like(kept, n_posts),
        sum_xx=xx,
        sum_xm=kept * n_each,
        sum_mm=np.full_like(kept, n_posts * n_each**2),
        n_telling=np.hstack([start, np.cumsum(missed_before == 0, axis=1)]),
        n_mixed=np.hstack(
            [start, np.cumsum((missed_before == 0).astype(np.int64) - (missed_before == n_each - 1), axis=1)]
        ),
        correlation=np.ones(kept.shape),
    )


def _percentiles(
    n_opened: NDArray[np.int64] | NDArray[np.bool_], n_each: int, n_replicates: int, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Percentile bounds of each draw's rate, from counts of shape (draws, units)."""
    units = [f"unit {index}" for index in range(n_opened.shape[1])]
    weights = poisson_weights(units, seed=seed, start=0, stop=n_replicates).astype(np.float32)
    total = weights.sum(axis=1, dtype=np.float64) * n_each
    rates = (weights @ n_opened.T.astype(np.float32)) / total[:, None]
    low, high = np.quantile(rates, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    return low, high


def main() -> None:
    """Simulate, print the table and write the page."""
    draws: dict[str, Any] = {"n_draws": 2000, "seed": SEED}
    of_section = (false_certificates, not_promised, power)
    shares = [(name, list(of(**draws))) for name, of in zip(SECTIONS, of_section, strict=True)]
    recommended = list(recommended_coverage.recommended(n_draws=100, seed=SEED))
    text = page(list(all_rows()), shares, recommended)
    PAGE.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
