"""The gate a second time: a state for every row, then counting."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

Threshold = float | Sequence[float]
States = Counter[tuple[str, bool]]


def state_of(score: float, tau_neg: float, tau_pos: float) -> str:
    """Document 002 §5.1 as printed."""
    if score < tau_neg:
        return "NEG"
    if score < tau_pos:
        return "UNCERTAIN"
    return "POS"


def states(scores: Sequence[float], labels: Sequence[bool], tau_neg: Threshold, tau_pos: Threshold) -> States:
    """Rows by state and label; a threshold is one number, or one for each row."""
    low = tau_neg if isinstance(tau_neg, Sequence) else [tau_neg] * len(scores)
    high = tau_pos if isinstance(tau_pos, Sequence) else [tau_pos] * len(scores)
    counts: States = Counter()
    for score, label, row_low, row_high in zip(scores, labels, low, high, strict=True):
        counts[state_of(score, row_low, row_high), bool(label)] += 1
    return counts


def _n(counts: States, *states: str, labels: tuple[bool, ...] = (True, False)) -> int:
    return sum(counts[state, label] for state in states for label in labels)


ALL = ("NEG", "UNCERTAIN", "POS")
Part = Callable[[States], float]


def _rate(part: Part, whole: Part, per: int = 1) -> Callable[..., float]:
    def of_rows(
        scores: Sequence[float],
        labels: Sequence[bool],
        *,
        tau_neg: Threshold,
        tau_pos: Threshold,
    ) -> float:
        counts = states(scores, labels, tau_neg, tau_pos)
        return per * part(counts) / whole(counts) if whole(counts) else math.nan

    return of_rows


def screening_fn_per_1000(
    scores: Sequence[float],
    labels: Sequence[bool],
    *,
    tau_neg: Threshold,
    tau_pos: Threshold,
    variant: str = "default",
) -> float:
    """Missed rows with evidence, of all rows or of those with evidence."""
    counts = states(scores, labels, tau_neg, tau_pos)
    whole = _n(counts, *ALL, labels=(True,)) if variant == "per_1000_positives" else len(scores)
    return 1000 * counts["NEG", True] / whole if whole else math.nan


GATE: dict[str, Callable[..., float]] = {
    "neg_rate": _rate(lambda c: _n(c, "NEG"), lambda c: _n(c, *ALL)),
    "uncertain_rate": _rate(lambda c: _n(c, "UNCERTAIN"), lambda c: _n(c, *ALL)),
    "pos_rate": _rate(lambda c: _n(c, "POS"), lambda c: _n(c, *ALL)),
    "alerts_per_1000": _rate(lambda c: _n(c, "POS"), lambda c: _n(c, *ALL), per=1000),
    "screening_sensitivity": _rate(
        lambda c: c["UNCERTAIN", True] + c["POS", True], lambda c: _n(c, *ALL, labels=(True,))
    ),
    "screening_fn_per_1000": screening_fn_per_1000,
    "alert_precision": _rate(lambda c: c["POS", True], lambda c: _n(c, "POS")),
    "alert_recall": _rate(lambda c: c["POS", True], lambda c: _n(c, *ALL, labels=(True,))),
    "neg_npv": _rate(lambda c: c["NEG", False], lambda c: _n(c, "NEG")),
    "reviews_per_true_alert": _rate(lambda c: _n(c, "POS"), lambda c: c["POS", True]),
}
