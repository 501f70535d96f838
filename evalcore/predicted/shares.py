"""The share of a label by people, by a classifier, and by both together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from evalcore.inference.drawn_totals import drawn_interval
from evalcore.predicted.pairs import LabelPairs
from evalcore.predicted.sums import PairSums, pair_sums

Floats = NDArray[np.float64]
Method = Literal["human", "predicted", "mean_predicted", "rogan_gladen", "prediction_powered"]
UNINFORMATIVE = "the classifier is uninformative: sensitivity + specificity − 1 ≤ 0"


@dataclass(frozen=True)
class ShareEstimate:
    """How many units have a label, by one method.

    Parameters
    ----------
    task, label : of which label.
    method : see `shares_of_labels`.
    value : in [0, 1]; NaN with a reason.
    low, high, level : percentile interval over drawn records, in [0, 1], and its confidence; NaN without one.
    ci_method, ci_note : what the interval rests on, or why there is none.
    n : units that the estimate is about.
    n_human : those of them with a human label.
    particulars : what the method estimated on the way: ``sensitivity``, ``specificity``, ``predicted``,
        ``power`` and ``unclipped``, the value before it was cut to [0, 1].
    note : what to know before reading it, such as that it was cut; empty for nothing.
    reason : why ``value`` is NaN; empty where it is not.
    """

    task: str
    label: str
    method: Method
    value: float
    low: float
    high: float
    level: float
    ci_method: str
    ci_note: str
    n: int
    n_human: int
    particulars: Mapping[str, float] = field(default_factory=dict)
    note: str = ""
    reason: str = ""


def shares_of_labels(
    several: Sequence[LabelPairs], *, n_replicates: int = 2000, seed: int = 0, confidence: float = 0.95
) -> list[tuple[ShareEstimate, ...]]:
    """The share of units with a label by every method that the labels allow; labels share their draws.

    ``human``: of the units that people judged. ``predicted``: of all units, called yes at 0.5 or more;
    ``mean_predicted``: mean probability. Both carry the classifier's errors. ``rogan_gladen`` corrects calls
    by the sensitivity and specificity seen where both labels exist; ``prediction_powered`` takes people's
    mean and adds, with weight λ, how units without a human label differ in predicted value. The last two hold
    if the judged units are a random sample of all units, which those of a chosen round are not.

    Parameters
    ----------
    several : pairs, each of one label.
    n_replicates, seed, confidence : of the Poisson bootstrap over records; λ is found anew in each
        replicate.

    Returns
    -------
    For each label its ShareEstimate, ``mean_predicted`` among them for probabilities only.

    Source
    ------
    Rogan and Gladen 1978; Angelopoulos, Bates, Fannjiang, Jordan and Zrnic 2023, prediction-powered
    inference; Angelopoulos, Duchi and Zrnic 2023, PPI++, for λ.
    """
    sums = pair_sums(several, n_replicates=n_replicates, seed=seed)
    return [
        _estimates(pairs, whole, drawn, seed, confidence)
        for pairs, (whole, drawn) in zip(several, sums, strict=True)
    ]


def _estimates(
    pairs: LabelPairs, whole: PairSums, drawn: PairSums, seed: int, confidence: float
) -> tuple[ShareEstimate, ...]:
    n, n_human = int(whole.n), int(whole.n_human)

    def estimate(
        method: Method,
        statistic: Callable[[PairSums], Floats],
        record: NDArray[np.intp],
        reason: str = "",
        particulars: Mapping[str, float] | None = None,
    ) -> ShareEstimate:
        unclipped = float(statistic(whole)) if not reason else np.nan
        replicates = statistic(drawn)
        interval = drawn_interval(
            replicates,
            word="records",
            n_units=len(np.unique(record)),
            seed=seed,
            confidence=confidence,
        )
        undefined = float(np.isnan(replicates).mean()) if len(replicates) else 0.0
        note = ""
        if reason:
            note = "no interval without a value"
        elif interval.method and undefined > 1 - confidence:
            note = f"interval not estimable: undefined in {undefined:.1%} of the resamples"
        has_interval = bool(interval.method) and not note
        return ShareEstimate(
            task=pairs.task,
            label=pairs.label,
            method=method,
            value=float(np.clip(unclipped, 0, 1)),
            low=float(np.clip(interval.low, 0, 1)) if has_interval else np.nan,
            high=float(np.clip(interval.high, 0, 1)) if has_interval else np.nan,
            level=confidence,
            ci_method=interval.method if has_interval else "",
            ci_note=note or interval.reason,
            n=n_human if method == "human" else n,
            n_human=n_human,
            particulars={**(particulars or {}), "unclipped": unclipped},
            note=_cut(unclipped),
            reason=reason,
        )

    judged = pairs.record[pairs.has_human]
    no_unit = "" if n else "no unit has a predicted label"
    no_human = "" if n_human else "no unit has both a human and a predicted label"
    rates = {
        "sensitivity": _sensitivity(whole),
        "specificity": _specificity(whole),
        "predicted": _called(whole),
    }
    power = {"power": _power(whole)}
    found = [
        estimate("human", _human, judged, no_human),
        estimate("predicted", _called, pairs.record, no_unit),
        *([estimate("mean_predicted", _mean, pairs.record, no_unit)] if pairs.is_probability else []),
        estimate("rogan_gladen", _corrected, pairs.record, _why_not_corrected(whole), _floats(rates)),
        estimate("prediction_powered", _powered, pairs.record, _why_not_powered(whole), _floats(power)),
    ]
    return tuple(found)


def _human(sums: PairSums) -> Floats:
    return _ratio(sums.n_yes, sums.n_human)


def _called(sums: PairSums) -> Floats:
    return _ratio(sums.n_called, sums.n)


def _mean(sums: PairSums) -> Floats:
    return _ratio(sums.f, sums.n)


def _sensitivity(sums: PairSums) -> Floats:
    return _ratio(sums.true_pos, sums.n_yes)


def _specificity(sums: PairSums) -> Floats:
    n_no = sums.n_human - sums.n_yes
    return _ratio(n_no - sums.false_pos, n_no)


def _corrected(sums: PairSums) -> Floats:
    """Rogan–Gladen: (share of calls + specificity − 1) / (sensitivity + specificity − 1)."""
    specificity = _specificity(sums)
    informedness = _sensitivity(sums) + specificity - 1
    usable = np.where(informedness > 0, informedness, 0.0)  # NaN is not > 0 either
    return _ratio(_called(sums) + specificity - 1, usable)


def _powered(sums: PairSums) -> Floats:
    """PPI++: mean of y + λ · (mean of f without a human label − mean of f with one)."""
    shift = _ratio(sums.f_alone, sums.n_alone) - _ratio(sums.f_human, sums.n_human)
    return _human(sums) + _power(sums) * shift


def _power(sums: PairSums) -> Floats:
    """λ = cov(y, f) / ((1 + n/N) · var f), cut to [0, 1]: 0 takes people alone, 1 is PPI without λ."""
    covariance = _ratio(sums.fy, sums.n_human) - _human(sums) * _ratio(sums.f_human, sums.n_human)
    mean = _ratio(sums.f_human + sums.f_alone, sums.n)
    variance = _ratio(sums.ff_human + sums.ff_alone, sums.n) - mean * mean
    variance = variance * _ratio(sums.n, sums.n - 1)  # as the authors' package has it; cov y, f has 1/n there
    spread = (1 + _ratio(sums.n_human, sums.n_alone)) * variance
    # A constant prediction tells units apart by nothing: rounding must not make a weight of it.
    is_varied = variance > 1e-12
    power = np.where(is_varied, _ratio(covariance, np.where(is_varied, spread, 1.0)), 0.0)
    return np.asarray(np.clip(np.where(sums.n_alone > 0, power, np.nan), 0, 1))


def _ratio(numerator: Floats, denominator: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.asarray(denominator) != 0, numerator / np.asarray(denominator), np.nan)


def _why_not_corrected(sums: PairSums) -> str:
    if not sums.n_human:
        return "no unit has both a human and a predicted label"
    if not sums.n_yes:
        return "sensitivity undefined: no human yes"
    if sums.n_yes == sums.n_human:
        return "specificity undefined: no human no"
    return "" if _sensitivity(sums) + _specificity(sums) - 1 > 0 else UNINFORMATIVE


def _why_not_powered(sums: PairSums) -> str:
    if not sums.n_human:
        return "no unit has both a human and a predicted label"
    return "" if sums.n_alone else "every predicted unit has a human label: the human share is the estimate"


def _floats(values: Mapping[str, Floats]) -> dict[str, float]:
    return {name: float(value) for name, value in values.items()}


def _cut(unclipped: float) -> str:
    """What to say where a value left [0, 1]."""
    return f"cut to [0, 1]: {unclipped:.4g} was found" if unclipped < 0 or unclipped > 1 else ""
