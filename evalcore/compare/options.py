"""What a comparison is asked for, checked once."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from evalcore.catalog import METRICS, find
from evalcore.data import Data
from evalcore.evaluation.groups import unknown_columns
from evalcore.inference.permutation import PERMUTATIONS
from evalcore.metrics.ranking import check_k
from evalcore.problems import InputError, Problem, problem
from evalcore.settings import too_many_replicates


def usual_metrics(*kinds: str) -> tuple[str, ...]:
    """The metrics of a comparison that names none, in the order of its table.

    Parameters
    ----------
    kinds : names of the kinds of tally that the two systems have.
    """
    usual = (one for one in METRICS.values() if one.compared and one.tally in kinds)
    return tuple(one.key for one in sorted(usual, key=lambda one: one.compared))


OF_LISTS = ("RankedQueries", "PairTable")
OF_EVIDENCE = ("ScoreTable", "Confusion", "StateCounts", "LabelMatrix", "Selections", *OF_LISTS)
"""The kinds of tally of models and lists of evidence."""
METRICS_COMPARED = usual_metrics(*OF_EVIDENCE)
MAX_SEED = 2**64 - 1
SENSITIVITY = 0.995
"""The screening sensitivity at which two models are compared where nothing else is asked for."""


@dataclass(frozen=True)
class CompareOptions:
    """How two models are compared.

    Parameters
    ----------
    metrics : keys or names of the catalogue; what the data do not allow is left out and named.
    split : compare on the queries of this split only; None: on all.
    by : columns to break down by; each alone and, where there are several, all together.
    k : cut-off of lists, but for metrics that are of the whole list by declaration: MRR and MAP.
    fpr : budget of the greatest sensitivity at a false-positive rate.
    pop_ratio : share of the interactions that the head of a catalogue of recommended items reaches.
    tau_neg, tau_pos : one gate for both models, where that is asked for.
    screening_sensitivity : without such a pair: each model's own τ_neg, the largest that keeps this share of
        the shared queries with evidence; None: `SENSITIVITY`. One threshold for two scores is never the
        default: nothing shows that they are of one scale.
    alert_precision : with each model's own τ_neg its own τ_pos, the one with the most alerts of which at
        least this share are of queries with evidence; None: nothing raises an alert.
    by_row : pair row with row, where there are no ids.
    shared_only : leave out queries for which one of two models has no list, instead of counting it as empty.
    bootstrap : replicates of the intervals, 0 for none.
    permutations : swaps of the test, 0 for none.
    seed : whole number from 0 on.
    confidence : of the intervals, in (0, 1).
    """

    metrics: tuple[str, ...] = METRICS_COMPARED
    split: str | None = None
    by: tuple[str, ...] = ()
    k: int = 10
    fpr: float = 0.05
    pop_ratio: float = 0.8
    tau_neg: float | None = None
    tau_pos: float | None = None
    screening_sensitivity: float | None = None
    alert_precision: float | None = None
    bootstrap: int = 2000
    permutations: int = PERMUTATIONS
    seed: int = 0
    confidence: float = 0.95
    by_row: bool = False
    shared_only: bool = False


def checked(data: Data, options: CompareOptions, kinds: Collection[str] = OF_EVIDENCE) -> CompareOptions:
    """The options with every column named once, and metrics by their keys.

    Parameters
    ----------
    data : what is compared.
    options : as given.
    kinds : the kinds of tally that may be compared, which tell apart metrics of one name.

    Raises
    ------
    InputError : with every illegal option.
    """
    by = tuple(dict.fromkeys("criterion" if name == "criterion_id" else name for name in options.by))
    problems = unknown_columns(data, by)
    metrics: list[str] = []
    for name in options.metrics:
        try:
            metrics.append(find(name, kinds).key)
        except InputError as error:
            problems.extend(error.problems)
    counts = (("bootstrap", 100), ("permutations", 99))
    problems += [
        problem("OPT-003", name=name, found=found, expected=f"0, or a whole number from {least} on")
        for name, least in counts
        if not _is_whole(found := getattr(options, name)) or not (found == 0 or found >= least)
    ]
    problems += too_many_replicates({name: getattr(options, name) for name, _ in counts})
    if not _is_whole(options.seed) or not 0 <= options.seed <= MAX_SEED:
        expected = "a whole number from 0 to 2^64 − 1"
        problems.append(problem("OPT-003", name="seed", found=options.seed, expected=expected))
    if not 0 < options.confidence < 1:
        expected = "a number between 0 and 1"
        problems.append(problem("OPT-003", name="confidence", found=options.confidence, expected=expected))
    if not 0 <= options.fpr <= 1:
        problems.append(problem("OPT-003", name="FPR", found=options.fpr, expected="a share from 0 to 1"))
    if not 0 < options.pop_ratio <= 1:
        expected = "a share above 0, at most 1"
        problems.append(problem("OPT-003", name="pop_ratio", found=options.pop_ratio, expected=expected))
    problems += _gate_problems(options, is_probability=data.score_kind == "probability")
    try:
        check_k(options.k)
    except InputError as error:
        problems.extend(error.problems)
    if problems:
        raise InputError(problems)
    return replace(options, by=by, metrics=tuple(dict.fromkeys(metrics)))


def _gate_problems(options: CompareOptions, *, is_probability: bool) -> list[Problem]:
    low, high = options.tau_neg, options.tau_pos
    named = {
        "screening sensitivity": options.screening_sensitivity,
        "alert precision": options.alert_precision,
    }
    targets = {name: share for name, share in named.items() if share is not None}
    if targets:
        if (low, high) != (None, None):
            found = f"thresholds and a target, {' and '.join(targets)}"
            advice = "Compare either at one pair of thresholds or at the same targets."
            return [problem("OPT-008", found=found, expected="one of the two", advice=advice)]
        expected = "a share above 0, up to 1"
        return [
            problem("OPT-003", name=name, found=share, expected=expected)
            for name, share in targets.items()
            if not 0 < share <= 1
        ]
    if low is None and high is None:
        return []
    if low is None or high is None:
        return [problem("OPT-005")]
    expected = "a probability from 0 to 1" if is_probability else "a finite number"
    wrong = [
        problem("OPT-003", name=name, found=tau, expected=expected)
        for name, tau in (("τ_neg", low), ("τ_pos", high))
        if not math.isfinite(tau) or (is_probability and not 0 <= tau <= math.nextafter(1, 2))
    ]
    if not wrong and low > high:
        return [problem("OPT-002", tau_neg=low, tau_pos=high)]
    return wrong


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
