"""Policies of dynamic K: a rule for how many candidates to select, and the caps that bound every rule."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from evalcore.kernels.ranks import check_k
from evalcore.problems import InputError, Problem, problem

Counts = NDArray[np.int64]
Kind = Literal["fixed", "threshold", "mass", "combined"]
Rounding = Literal["floor", "ceil"]
GAMMAS = (0.7, 0.8, 0.9, 0.95)
_BY_THRESHOLD, _BY_MASS = ("threshold", "combined"), ("mass", "combined")


@dataclass(frozen=True)
class Policy:
    """How many candidates to select: a rule, and caps that bound every rule.

    Parameters
    ----------
    kind : ``fixed`` (the first k), ``threshold`` (score ≥ t), ``mass`` (the smallest k whose cumulative share
        of the score reaches γ) or ``combined`` (the smaller of ``threshold`` and ``mass``).
    k : for ``fixed``: whole number from 1 on, or None for as many as the caps allow.
    threshold : t, for ``threshold`` and ``combined``.
    gamma : γ in (0, 1], for ``mass`` and ``combined``; reached when the share is at least γ − 1e-12.
    temperature : T above 0, for ``mass`` and ``combined``: shares are softmax(score / T). None means
        score / Σ for probabilities and T = 1 for other scores.
    k_min, hard_cap : whole numbers, 0 ≤ k_min ≤ hard_cap and hard_cap at least 1.
    ratio : in [0, 1], the share of the candidates that may be selected; it counts as it is written, so that
        0.29 of 100 candidates are 29.
    rounding : ``floor`` or ``ceil`` of n · ratio.

    Raises
    ------
    InputError : OPT-003 with everything that is not legal, OPT-001 for an illegal k.

    Source
    ------
    Document 001 §3.4, 002 §8.2; contract.md, Evidence extraction.
    """

    kind: Kind = "mass"
    k: int | None = None
    threshold: float | None = None
    gamma: float | None = None
    temperature: float | None = None
    k_min: int = 2
    hard_cap: int = 10
    ratio: float | str | Decimal = 0.5
    rounding: Rounding = "floor"

    def __post_init__(self) -> None:
        problems = list(_problems(self))
        if problems:
            raise InputError(problems)

    def params(self, scale: str) -> Mapping[str, Any]:
        """What distinguishes the policy on lists of this scale, by name, as a table of results prints it."""
        named: dict[str, Any] = {"policy": self.kind}
        if self.kind == "fixed":
            named["k"] = self.k
        if self.kind in _BY_THRESHOLD:
            named["threshold"] = self.threshold
        if self.kind in _BY_MASS:
            default = None if scale == "probability" else 1.0
            named |= {"gamma": self.gamma, "temperature": self.temperature or default}
        named |= {"k_min": self.k_min, "hard_cap": self.hard_cap, "ratio": str(self.ratio)}
        named["rounding"] = "ceil" if self.rounding == "ceil" else None
        return {name: value for name, value in named.items() if value is not None}


def _problems(policy: Policy) -> Iterator[Problem]:
    named = (("policy", policy.kind, get_args(Kind)), ("rounding", policy.rounding, get_args(Rounding)))
    for name, word, legal in named:
        if word not in legal:
            yield problem("OPT-003", name=name, found=word, expected=" or ".join(legal))
    if policy.kind == "fixed":
        try:
            check_k(policy.k)
        except InputError as error:
            yield from error.problems
    needs_threshold, needs_gamma = (policy.kind in kinds for kinds in (_BY_THRESHOLD, _BY_MASS))
    threshold, gamma, temperature = policy.threshold, policy.gamma, policy.temperature
    is_cap = _is_count(policy.hard_cap) and policy.hard_cap >= 1
    for name, found, expected, is_legal in (
        ("threshold", threshold, "a finite number", _is_number(threshold, or_none=not needs_threshold)),
        ("γ", gamma, "a share above 0 and up to 1", _is_number(gamma, 0, 1, or_none=not needs_gamma)),
        ("temperature", temperature, "a finite number above 0", _is_number(temperature, 0, or_none=True)),
        ("ratio", policy.ratio, "a share from 0 to 1", _is_share(policy.ratio)),
        ("k_min", policy.k_min, "a whole number from 0 on", _is_count(policy.k_min)),
        ("hard_cap", policy.hard_cap, "a whole number from 1 on", is_cap),
    ):
        if not is_legal:
            yield problem("OPT-003", name=name, found=found, expected=expected)
    if is_cap and _is_count(policy.k_min) and policy.k_min > policy.hard_cap:
        yield problem(
            "OPT-003", name="k_min", found=policy.k_min, expected=f"at most hard_cap, {policy.hard_cap}"
        )


def _is_number(value: Any, above: float = -math.inf, up_to: float = math.inf, *, or_none: bool) -> bool:
    if value is None:
        return or_none
    is_real = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    return is_real and math.isfinite(value) and above < value <= up_to


def _is_count(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and bool(value >= 0)


def _is_share(value: object) -> bool:
    try:
        return 0 <= Decimal(str(value)) <= 1
    except InvalidOperation:
        return False


def greatest_k(n_candidates: Counts, policy: Policy) -> Counts:
    """The most that the caps let a policy select from lists of these lengths.

    Parameters
    ----------
    n_candidates : int64, shape (Q,).
    policy : its ``k_min``, ``hard_cap``, ``ratio`` and ``rounding`` count.

    Returns
    -------
    int64, shape (Q,): min(hard_cap, ⌊n · ratio⌋), then at least k_min, then at most n.

    Source
    ------
    Document 001 §3.4; contract.md, effective k_max.

    Examples
    --------
    >>> greatest_k(np.array([0, 1, 3, 9, 100]), Policy("fixed")).tolist()
    [0, 1, 2, 4, 10]
    >>> greatest_k(np.array([9, 100]), Policy("fixed", ratio=0.29, hard_cap=50, rounding="ceil")).tolist()
    [3, 29]
    """
    part, whole = Fraction(str(policy.ratio)).as_integer_ratio()
    lengths, at = np.unique(n_candidates, return_inverse=True)
    share = [
        n * part // whole if policy.rounding == "floor" else -(-n * part // whole) for n in lengths.tolist()
    ]
    within_caps = np.minimum(np.array(share, np.int64), policy.hard_cap)
    return np.minimum(np.maximum(within_caps, policy.k_min), lengths)[at]
