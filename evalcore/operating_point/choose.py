"""Choose thresholds on data, or take those that a person set, and say what is known of them."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

from evalcore.data import Data
from evalcore.operating_point.alternatives import find_alternatives
from evalcore.operating_point.build import Choice, Particulars, build_document, check_particulars
from evalcore.operating_point.constraints import (
    PRECISION,
    SENSITIVITY,
    Constraint,
    Thresholds,
    check_constraints,
    find_thresholds,
)
from evalcore.operating_point.document import OperatingPoint
from evalcore.operating_point.prospects import Outlook, outlook_on_test
from evalcore.operating_point.row_sets import RowSet, row_set
from evalcore.problems import InputError, problem

Confidence = float | None | tuple[float | None, float | None]
TARGETS = {"screening_sensitivity": SENSITIVITY, "alert_precision": PRECISION}
"""Option → metric of its target."""


def choose_operating_point(
    data: Data,
    *,
    screening_sensitivity: float | None = 0.995,
    alert_precision: float | None = 0.9,
    confidence: Confidence = 0.95,
    tune: str | None = None,
    test: str | None = None,
    test_data: Data | None = None,
    model: str | None = None,
    targets_from_data: Collection[str] = (),
    test_seen: bool = False,
    **particulars: str | None,
) -> OperatingPoint:
    """Choose two thresholds: skip as much as the first target allows, alert as often as the second does.

    A target that cannot be met leaves its zone empty, and ``alternatives`` says what else can be had.

    Parameters
    ----------
    data : checked data with labels and scores.
    screening_sensitivity : share of the checks with evidence that is not skipped; None: nothing is skipped.
    alert_precision : share of the alerts that must be right; None: no alert is raised.
    confidence : of the one-sided bounds that must reach the targets, in [0.5, 1); None: the estimates must.
        A pair gives each target its own.
    tune : value of the split column to choose on; None chooses on every row.
    test : value of the split column to test on.
    test_data : a file to test on, whole or its ``test`` rows.
    model : the model to choose for; None takes the first, and the document names it.
    targets_from_data : names of the targets that were set after seeing what the data support, such as
        ``("screening_sensitivity",)``: the rows chosen on are not said to meet them.
    test_seen : whether test rows had been seen before this choice, which makes it ``exploratory``.
    particulars : what a person says about the choice, the fields of `Particulars`: ``title``, ``author``,
        ``rationale``, ``model_version``, ``data_collected``, ``setting``, ``labelled_by``, …

    Returns
    -------
    OperatingPoint, ``certified`` only when tune and test share no post and test confirms every target.

    Raises
    ------
    InputError : for targets out of range, unknown splits and models, one split for both tune and test, and
        data without labels or scores.

    Source
    ------
    statistics.md, "Choosing τ_neg", "Choosing τ_pos", "Tune and test".
    """
    constraints = _constraints(screening_sensitivity, alert_precision, confidence, targets_from_data)
    stated = _particulars(particulars)
    chosen, tested = _row_sets(data, tune, test, test_data, model)
    by_metric = {constraint.metric: constraint for constraint in constraints}
    targets = by_metric.get(SENSITIVITY), by_metric.get(PRECISION)
    thresholds = find_thresholds(chosen.table, *targets, posts=chosen.posts)
    choice = Choice(chosen, tested, constraints, thresholds, is_manual=False, is_test_seen=test_seen)
    document = build_document(choice, stated, is_synthetic=is_synthetic(data))
    return OperatingPoint(document, find_alternatives(chosen, *targets, thresholds))


def point_from_thresholds(
    data: Data,
    tau_neg: float | None,
    tau_pos: float | None,
    *,
    screening_sensitivity: float | None = None,
    alert_precision: float | None = None,
    confidence: Confidence = 0.95,
    tune: str | None = None,
    test: str | None = None,
    test_data: Data | None = None,
    model: str | None = None,
    targets_from_data: Collection[str] = (),
    test_seen: bool = False,
    **particulars: str | None,
) -> OperatingPoint:
    """What is known of two thresholds that a person set: at best ``tuned``, never ``certified``.

    Parameters
    ----------
    data : checked data with labels and scores.
    tau_neg, tau_pos : thresholds on the scale of the score, ``tau_neg <= tau_pos``; None empties the zone.
    screening_sensitivity, alert_precision, confidence, tune, test, test_data, model, targets_from_data,
        particulars : as for `choose_operating_point`; a target is judged and changes no threshold.
    test_seen : whether the thresholds were moved after test rows had been seen: then ``exploratory``.

    Returns
    -------
    OperatingPoint

    Raises
    ------
    InputError : for thresholds that are not numbers on the score's scale or in the wrong order, and as for
        `choose_operating_point`.
    """
    constraints = _constraints(screening_sensitivity, alert_precision, confidence, targets_from_data)
    stated = _particulars(particulars)
    thresholds = _checked(data, tau_neg, tau_pos)
    chosen, tested = _row_sets(data, tune, test, test_data, model)
    choice = Choice(chosen, tested, constraints, thresholds, is_manual=True, is_test_seen=test_seen)
    return OperatingPoint(build_document(choice, stated, is_synthetic=is_synthetic(data)))


def outlook(
    data: Data,
    *,
    screening_sensitivity: float | None = 0.995,
    confidence: float | None = 0.95,
    tune: str | None = None,
    test: str | None = None,
    test_data: Data | None = None,
    model: str | None = None,
) -> Outlook | None:
    """What a test can show of the screening sensitivity, before the choice; None without a test or a target.

    Parameters
    ----------
    data, screening_sensitivity, confidence, tune, test, test_data, model : as for `choose_operating_point`.

    Raises
    ------
    InputError : as for `choose_operating_point`.
    """
    constraints = _constraints(screening_sensitivity, None, confidence)
    chosen, tested = _row_sets(data, tune, test, test_data, model)
    if tested is None or not constraints:
        return None
    return outlook_on_test(constraints[0], chosen.n_positives, tested.n_positives)


def is_synthetic(data: Data) -> bool:
    """Whether the data say that they were generated."""
    return bool(data.facts.get("synthetic"))


def _constraints(
    screening_sensitivity: float | None,
    alert_precision: float | None,
    confidence: Confidence,
    from_data: Collection[str] = (),
) -> tuple[Constraint, ...]:
    unknown = [name for name in from_data if name not in TARGETS]
    if unknown:
        expected = " or ".join(TARGETS)
        raise InputError([problem("OPT-003", name="targets_from_data", found=unknown[0], expected=expected)])
    seen = {TARGETS[name] for name in from_data}
    levels = confidence if isinstance(confidence, tuple) else (confidence, confidence)
    wanted = ((SENSITIVITY, screening_sensitivity, levels[0]), (PRECISION, alert_precision, levels[1]))
    constraints = tuple(
        Constraint(metric, float(value), None if level is None else float(level), metric in seen)
        for metric, value, level in wanted
        if value is not None
    )
    check_constraints(constraints)
    return constraints


def _particulars(given: dict[str, str | None]) -> Particulars:
    particulars = Particulars(**given)
    check_particulars(particulars)
    return particulars


def _row_sets(
    data: Data, tune: str | None, test: str | None, test_data: Data | None, model: str | None
) -> tuple[RowSet, RowSet | None]:
    if test is not None and tune is None and test_data is None:
        raise InputError([_option("a test split and no tune split", "both", "Say --tune too.")])
    if test is not None and test == tune and test_data is None:
        found = f"the split {test!r} for both tune and test"
        advice = "Rows that were chosen on cannot test the choice: name another split."
        raise InputError([_option(found, "two splits", advice)])
    is_tested = test is not None or test_data is not None
    chosen = row_set(data, "tune" if tune is not None or is_tested else "all", split=tune, model=model)
    if not is_tested:
        return chosen, None
    tested = test_data or data
    if tested.score_kind != data.score_kind:
        found = f"scores of kind {tested.score_kind} to test on"
        raise InputError([_option(found, f"{data.score_kind}, as on tune", "Give scores of one scale.")])
    return chosen, row_set(tested, "test", split=test, model=model)


def _checked(data: Data, tau_neg: float | None, tau_pos: float | None) -> Thresholds:
    is_probability = data.score_kind == "probability"
    found = []
    for name, tau in (("τ_neg", tau_neg), ("τ_pos", tau_pos)):
        if tau is not None and not (math.isfinite(tau) and (not is_probability or 0 <= tau <= 1)):
            expected = "a number from 0 to 1" if is_probability else "a finite number"
            found.append(problem("OPT-003", name=name, found=tau, expected=expected))
    if not found and tau_neg is not None and tau_pos is not None and tau_neg > tau_pos:
        found.append(problem("OPT-002", tau_neg=tau_neg, tau_pos=tau_pos))
    if found:
        raise InputError(found)
    return Thresholds(_plain(tau_neg), _plain(tau_pos))


def _plain(tau: float | None) -> float | None:
    return None if tau is None else float(tau) + 0.0  # + 0.0 makes −0 a plain 0


def _option(found: str, expected: str, advice: str) -> Any:
    return problem("OPT-008", found=found, expected=expected, advice=advice)
