"""Bounds of a share whose cases come in posts: cases of one post are not independent of each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evalcore.inference.binomial import End, Sides, clopper_pearson
from evalcore.inference.cluster_sums import ClusterSums

__all__ = [
    "ClusterSums",
    "Mode",
    "ShareInterval",
    "ci_method",
    "korn_graubard",
    "linearised",
    "share_interval",
    "strict",
]

Mode = Literal["auto", "korn_graubard", "strict", "clopper_pearson"]


@dataclass(frozen=True, eq=False)
class ShareInterval:
    """Bounds of shares, of one shape, and how they came about.

    Parameters
    ----------
    low, high : in [0, 1]; NaN without a case.
    n_effective : number of independent cases that the bounds stand for; NaN without a case.
    correlation : within posts, where it and not the spread between posts set this number; NaN elsewhere.
    is_independence_assumed : whether the bounds take every case as independent of the others.
    is_strict : whether they stand for Kish's effective number of cases.
    method : "korn_graubard", "strict", "clopper_pearson" or "linearised"; "mixed" where they differ.
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    n_effective: NDArray[np.float64]
    correlation: NDArray[np.float64]
    is_independence_assumed: NDArray[np.bool_]
    is_strict: NDArray[np.bool_]
    method: str

    def one(self, at: int) -> ShareInterval:
        """The bounds of one share of several, with its own method where these are mixed."""
        is_strict = self.is_strict[at]
        method = ("strict" if is_strict else "korn_graubard") if self.method == "mixed" else self.method
        return ShareInterval(
            self.low[at],
            self.high[at],
            self.n_effective[at],
            self.correlation[at],
            self.is_independence_assumed[at],
            is_strict,
            method,
        )


def korn_graubard(
    sums: ClusterSums, *, confidence: float = 0.95, sides: Sides = 2, end: End = "both"
) -> ShareInterval:
    """Exact bounds at the effective number of cases that the spread between posts leaves.

    Where no post has two cases these are independent, and count in full. While fewer than ten posts hold the
    rarer outcome their spread says little of how it clusters, and nothing where none does: then the cases
    count for no more than the correlation within posts leaves, ``n / (1 + ρ·(Σm²/n − 1))``. With a
    correlation of 0 they count as independent, and the interval is marked so where nothing varies between
    posts. With few posts of many cases each the bounds reach their level in fewer draws than stated; `strict`
    keeps it there.

    Parameters
    ----------
    sums : sums over posts of the shares.
    confidence : in (0, 1).
    sides : 2, both bounds hold together; 1, each by itself.
    end : which bounds are computed; the other one is NaN.

    Returns
    -------
    ShareInterval, with 0 < n_effective ≤ n.

    Source
    ------
    Korn and Graubard 1998, Survey Methodology 24:193, with the degrees of freedom of the posts; the design
    effect 1 + ρ·(m − 1) of Kish 1965; docs/coverage.md.

    Examples
    --------
    >>> sums = ClusterSums.from_posts([2] * 9 + [0], [2] * 10)
    >>> interval = korn_graubard(sums, sides=1)
    >>> interval.n_effective.round(3).item(), interval.low.round(4).item()
    (8.008, 0.5582)
    """
    spread, n_at_most = sums.variance, sums.n_at_most
    is_single = np.asarray(sums.sum_mm == sums.n)  # no post has two cases: they are independent as posts are
    is_known = (spread > 0) & ~is_single
    share = sums.share
    tail = (1.0 - confidence) / sides
    with np.errstate(invalid="ignore", divide="ignore"):
        from_spread = share * (1 - share) / spread * _t_ratio(sums.n, sums.n_posts, tail)
        is_capped = ~is_single & (n_at_most < sums.n) & ~(is_known & (from_spread <= n_at_most))
        n_effective = np.where(is_known, np.minimum(from_spread, n_at_most), n_at_most)
    is_assumed = ~is_known & ~is_single & ~is_capped
    correlation = np.where(is_capped, sums.assumed_correlation, np.nan)
    return _exact(
        sums,
        n_effective,
        is_assumed,
        "korn_graubard",
        confidence=confidence,
        sides=sides,
        end=end,
        correlation=correlation,
    )


def strict(
    sums: ClusterSums, *, confidence: float = 0.95, sides: Sides = 2, end: End = "both"
) -> ShareInterval:
    """Exact bounds at Kish's effective number of cases: as if the cases of a post were one and the same.

    They keep their level whatever the correlation within posts, and are wide where it is weak.

    Parameters
    ----------
    sums : sums over posts of the shares.
    confidence : in (0, 1).
    sides : 2, both bounds hold together; 1, each by itself.
    end : which bounds are computed; the other one is NaN.

    Returns
    -------
    ShareInterval, with n_effective = (Σm)²/Σm².

    Source
    ------
    Kish 1965, Survey Sampling; Clopper and Pearson 1934.

    Examples
    --------
    >>> interval = strict(ClusterSums.from_posts([5] * 20, [5] * 20), sides=1)
    >>> interval.n_effective.item(), interval.low.round(4).item()
    (20.0, 0.8609)
    """
    is_assumed = np.zeros(np.shape(sums.n), bool)
    return _exact(sums, sums.n_kish, is_assumed, "strict", confidence=confidence, sides=sides, end=end)


def share_interval(
    sums: ClusterSums,
    *,
    confidence: float = 0.95,
    sides: Sides = 2,
    mode: Mode = "auto",
    end: End = "both",
) -> ShareInterval:
    """The bounds that stand beside a share near 0 or 1.

    Parameters
    ----------
    sums : sums over posts of the shares.
    confidence : in (0, 1).
    sides : 2, both bounds hold together; 1, each by itself.
    mode : "auto", Korn–Graubard, and strict where the cases are heavily clustered; or one of the methods,
        "clopper_pearson" taking every case as independent.
    end : which bounds are computed; the other one is NaN.

    Returns
    -------
    ShareInterval

    Examples
    --------
    >>> share_interval(ClusterSums.from_posts([5] * 20, [5] * 20)).method
    'strict'
    >>> share_interval(ClusterSums.from_posts([1] * 20, [1] * 20)).method
    'korn_graubard'
    """
    if mode == "strict":
        return strict(sums, confidence=confidence, sides=sides, end=end)
    if mode == "clopper_pearson":
        is_assumed = np.asarray(sums.n > 0)
        n = np.asarray(sums.n, np.float64)
        return _exact(sums, n, is_assumed, "clopper_pearson", confidence=confidence, sides=sides, end=end)
    is_strict = sums.is_heavily_clustered
    if mode == "korn_graubard" or not is_strict.any():
        return korn_graubard(sums, confidence=confidence, sides=sides, end=end)
    if is_strict.all():
        return strict(sums, confidence=confidence, sides=sides, end=end)
    usual = korn_graubard(sums.where(~is_strict), confidence=confidence, sides=sides, end=end)
    safe = strict(sums.where(is_strict), confidence=confidence, sides=sides, end=end)

    def mixed(name: str) -> NDArray[Any]:
        of_usual, of_safe = getattr(usual, name), getattr(safe, name)
        both = np.empty(is_strict.shape, of_usual.dtype)
        both[~is_strict], both[is_strict] = of_usual, of_safe
        return both

    return ShareInterval(
        low=mixed("low"),
        high=mixed("high"),
        n_effective=mixed("n_effective"),
        correlation=mixed("correlation"),
        is_independence_assumed=mixed("is_independence_assumed"),
        is_strict=is_strict,
        method="mixed",
    )


def linearised(sums: ClusterSums, *, confidence: float = 0.95, sides: Sides = 2) -> ShareInterval:
    """Estimate ± t·standard error between posts: for rates well inside (0, 1), where speed counts.

    Near 0 and 1 it is too narrow. Where nothing varies between posts the bounds are Clopper–Pearson's, marked
    as assuming independence.

    Parameters
    ----------
    sums : sums over posts of the shares.
    confidence : in (0, 1).
    sides : 2, both bounds hold together; 1, each by itself.

    Returns
    -------
    ShareInterval, clipped to [0, 1]; n_effective = R(1 − R)/Var, which may exceed n.

    Source
    ------
    Taylor linearisation of a ratio, P/(P − 1)·Σ(x − R·m)²/n², t with P − 1 degrees of freedom; Cochran 1977.

    Examples
    --------
    >>> interval = linearised(ClusterSums.from_posts([2, 0, 1, 1], [2, 2, 2, 2]))
    >>> interval.low.round(3).item(), interval.high.round(3).item()
    (0.0, 1.0)
    >>> interval.n_effective.item()
    6.0
    """
    variance, share, n = sums.variance, sums.share, np.asarray(sums.n, np.float64)
    is_known = np.asarray(variance > 0)
    half = _t_quantile(sums.n_posts, (1.0 - confidence) / sides) * np.sqrt(variance)
    with np.errstate(invalid="ignore", divide="ignore"):
        n_effective = np.where(is_known, share * (1 - share) / variance, n)
    low, high = np.array(np.maximum(share - half, 0.0)), np.array(np.minimum(share + half, 1.0))
    instead = clopper_pearson(sums.successes[~is_known], n[~is_known], confidence=confidence, sides=sides)
    low[~is_known], high[~is_known] = instead.low, instead.high
    return ShareInterval(
        low=low,
        high=high,
        n_effective=np.where(n > 0, n_effective, np.nan),
        correlation=np.full(n.shape, np.nan),
        is_independence_assumed=~is_known & (n > 0),
        is_strict=np.zeros(n.shape, bool),
        method="linearised",
    )


def ci_method(interval: ShareInterval, *, sides: Sides) -> str:
    """How the bounds of one share came about, as it stands in files.

    Examples
    --------
    >>> ci_method(strict(ClusterSums.from_posts([5] * 20, [5] * 20)), sides=1)
    'strict(n_eff=20.0;sides=1)'
    >>> pairs = ClusterSums.from_posts([2] * 20, [2] * 20, correlation=0.25)
    >>> ci_method(korn_graubard(pairs), sides=2)
    'korn_graubard(n_eff=32.0;rho=0.250;sides=2)'
    """
    assumed = ";independence_assumed" if bool(interval.is_independence_assumed) else ""
    rho = "" if np.isnan(interval.correlation) else f";rho={float(interval.correlation):.3f}"
    return f"{interval.method}(n_eff={float(interval.n_effective):.1f}{rho};sides={sides}{assumed})"


def _exact(
    sums: ClusterSums,
    n_effective: NDArray[np.float64],
    is_independence_assumed: NDArray[np.bool_],
    method: str,
    *,
    confidence: float,
    sides: Sides,
    end: End,
    correlation: NDArray[np.float64] | float = np.nan,
) -> ShareInterval:
    """Clopper–Pearson bounds of the share at an effective number of cases."""
    has_case = np.asarray(sums.n > 0)
    n = np.where(has_case, n_effective, 0.0)
    kept = np.where(has_case, sums.share, 0.0) * n  # of all exactly n: x/x is 1 to the bit
    bounds = clopper_pearson(kept, n, confidence=confidence, sides=sides, end=end)
    return ShareInterval(
        low=bounds.low,
        high=bounds.high,
        n_effective=np.where(has_case, n, np.nan),
        correlation=np.where(has_case, correlation, np.nan),
        is_independence_assumed=np.asarray(is_independence_assumed & has_case),
        is_strict=np.full(has_case.shape, method == "strict"),
        method=method,
    )


def _t_ratio(n: NDArray[np.int64], n_posts: NDArray[np.int64], tail: float) -> NDArray[np.float64]:
    """(t with the freedom of the cases / t with that of the posts)², at the tail of the bound."""
    # At a tail of exactly one half both quantiles are 0; beside it their ratio is that of the limit.
    tail = min(tail, 0.5 - 1e-6)
    return np.asarray((_t_quantile(n, tail) / _t_quantile(n_posts, tail)) ** 2)


def _t_quantile(number: NDArray[np.int64], tail: float) -> NDArray[np.float64]:
    """Quantile of t that leaves the tail above it, with number − 1 degrees of freedom, at least 1."""
    # Each distinct number once: an inverse of a distribution is slow.
    distinct, where = np.unique(number, return_inverse=True)
    quantile = special.stdtrit(np.maximum(distinct - 1.0, 1.0), 1.0 - tail)
    return np.asarray(quantile[where].reshape(np.shape(number)))
