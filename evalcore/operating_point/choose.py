"""Choose thresholds on data, or take those that a person set, and say what is known of them."""

from __future__ import annotations

import math
from collections.abc import Collection

from evalcore.data import Data
from evalcore.operating_point.choosing.alternatives import find_alternatives
from evalcore.operating_point.choosing.choice import Choice
from evalcore.operating_point.choosing.folds import FOLD, over_folds
from evalcore.operating_point.choosing.request import (
    Confidence,
    check_prevalence,
    checked_groups,
    constraints_of,
    is_synthetic,
    marked_offers,
    row_sets_of,
    split_in_use,
    targets_of,
)
from evalcore.operating_point.constraints import Thresholds, find_thresholds
from evalcore.operating_point.document.build import build_document
from evalcore.operating_point.document.writing import OperatingPoint
from evalcore.operating_point.test_rows.looks import LooksAtTest
from evalcore.operating_point.test_rows.site_rows import tallies_of
from evalcore.operating_point.tradeoff.groups import Mark
from evalcore.operating_point.typed import particulars_of
from evalcore.problems import InputError, problem


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
    looks: LooksAtTest | None = None,
    cluster: str | None = None,
    prevalence: float | None = None,
    must_not_miss: Collection[Mark] = (),
    by: Collection[str] = (),
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
    looks : what is known of looks at the test rows before this one; None where nobody counted. Any look makes
        the point ``exploratory``.
    cluster : a column of units coarser than the post, such as its author, that are taken as independent in
        place of posts; each post lies in one.
    prevalence : the share of checks with evidence for which the claims on test are made, where the test rows
        were enriched; named in every claim.
    must_not_miss : marked groups, each a column of the data (or ``criterion``) and a level, such as
        ``(("criterion", "A.9"),)``. Each must hold the target of screening sensitivity by itself, by the same
        rule on the same rows: where one does not, the target is not met, and where one has too few checks
        with evidence to show it, that is said. They change no threshold.
    by : columns whose every group is counted in the document, beside those of the marked ones.
    particulars : what a person says about the choice, the fields of `Particulars`: ``title``, ``author``,
        ``rationale``, ``model_version``, ``data_collected``, ``setting``, ``labelled_by``, …

    Returns
    -------
    OperatingPoint, ``certified`` only when tune and test share no post, test confirms every target, and
    nothing else that `standing` knows speaks against it.

    Raises
    ------
    InputError : for targets out of range, unknown splits and models, one split for both tune and test, and
        data without labels or scores.

    Source
    ------
    statistics.md, "Choosing τ_neg", "Choosing τ_pos", "Tune and test".
    """
    constraints = constraints_of(screening_sensitivity, alert_precision, confidence, targets_from_data)
    stated = particulars_of(particulars)
    check_prevalence(prevalence)
    chosen, tested = row_sets_of(data, tune, test, test_data, model, cluster=cluster)
    marks, columns = checked_groups(must_not_miss, by, data, test_data, divided_by=split_in_use(tune, test))
    targets = targets_of(constraints)
    thresholds = find_thresholds(chosen.table, *targets, posts=chosen.posts)
    choice = Choice(
        chosen,
        tested,
        marked_offers(chosen, constraints, thresholds.tau_neg),
        thresholds,
        is_manual=False,
        is_test_seen=test_seen,
        looks=looks,
        prevalence=prevalence,
        must_not_miss=marks,
        by=columns,
    )
    offered = find_alternatives(chosen, *targets, thresholds)
    document = build_document(choice, stated, is_synthetic=is_synthetic(data, test_data), offered=offered)
    return OperatingPoint(document, offered)


def choose_thresholds(
    data: Data,
    *,
    screening_sensitivity: float | None = 0.995,
    alert_precision: float | None = 0.9,
    confidence: Confidence = 0.95,
    tune: str | None = None,
    model: str | None = None,
) -> Thresholds:
    """The two thresholds that `choose_operating_point` chooses, without what is known of them.

    Parameters
    ----------
    data, screening_sensitivity, alert_precision, confidence, tune, model : as there.

    Raises
    ------
    InputError : as there.
    """
    constraints = constraints_of(screening_sensitivity, alert_precision, confidence)
    chosen, _ = row_sets_of(data, tune, None, None, model)
    targets = targets_of(constraints)
    return find_thresholds(chosen.table, *targets, posts=chosen.posts_to_choose_by(*targets))


def choose_over_folds(
    data: Data,
    *,
    screening_sensitivity: float | None = 0.995,
    alert_precision: float | None = 0.9,
    confidence: Confidence = 0.95,
    model: str | None = None,
    targets_from_data: Collection[str] = (),
    test_seen: bool = False,
    looks: LooksAtTest | None = None,
    cluster: str | None = None,
    must_not_miss: Collection[Mark] = (),
    by: Collection[str] = (),
    **particulars: str | None,
) -> OperatingPoint:
    """Choose on every row, and try the same choice over the folds of the data.

    For each fold, thresholds chosen on the others are applied to it; the pooled counts describe this
    procedure and get no verdict. What is exported is chosen on all rows: no mean of the folds' thresholds,
    and ``exploratory``, for no row is left to test it on.

    Parameters
    ----------
    data : checked data with labels, scores and a column of folds.
    screening_sensitivity, alert_precision, confidence, model, targets_from_data, test_seen, looks, cluster,
        must_not_miss, by, particulars : as for `choose_operating_point`.

    Returns
    -------
    OperatingPoint; ``document["selection"]["folds"]`` holds each fold's thresholds and counts.

    Raises
    ------
    InputError : without two folds, for rows that name none, and as for `choose_operating_point`.

    Source
    ------
    statistics.md, "Tune and test".
    """
    constraints = constraints_of(screening_sensitivity, alert_precision, confidence, targets_from_data)
    stated = particulars_of(particulars)
    chosen, _ = row_sets_of(data, None, None, None, model, cluster=cluster)
    marks, columns = checked_groups(must_not_miss, by, data, divided_by=FOLD)
    targets = targets_of(constraints)
    folds = over_folds(chosen, *targets)
    thresholds = find_thresholds(chosen.table, *targets, posts=chosen.posts)
    choice = Choice(
        chosen,
        None,
        marked_offers(chosen, constraints, thresholds.tau_neg),
        thresholds,
        is_manual=False,
        is_test_seen=test_seen,
        folds=folds,
        looks=looks,
        must_not_miss=marks,
        by=columns,
    )
    offered = find_alternatives(chosen, *targets, thresholds)
    document = build_document(choice, stated, is_synthetic=is_synthetic(data), offered=offered)
    return OperatingPoint(document, offered)


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
    looks: LooksAtTest | None = None,
    cluster: str | None = None,
    prevalence: float | None = None,
    must_not_miss: Collection[Mark] = (),
    by: Collection[str] = (),
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
    looks, cluster, prevalence, must_not_miss, by : as for `choose_operating_point`.

    Returns
    -------
    OperatingPoint

    Raises
    ------
    InputError : for thresholds that are not numbers on the score's scale or in the wrong order, and as for
        `choose_operating_point`.
    """
    constraints = constraints_of(screening_sensitivity, alert_precision, confidence, targets_from_data)
    stated = particulars_of(particulars)
    thresholds = checked_thresholds(data, tau_neg, tau_pos)
    check_prevalence(prevalence)
    chosen, tested = row_sets_of(data, tune, test, test_data, model, cluster=cluster)
    marks, columns = checked_groups(must_not_miss, by, data, test_data, divided_by=split_in_use(tune, test))
    choice = Choice(
        chosen,
        tested,
        marked_offers(chosen, constraints, thresholds.tau_neg),
        thresholds,
        is_manual=True,
        is_test_seen=test_seen,
        looks=looks,
        prevalence=prevalence,
        must_not_miss=marks,
        by=columns,
    )
    return OperatingPoint(build_document(choice, stated, is_synthetic=is_synthetic(data, test_data)))


def checked_thresholds(data: Data, tau_neg: float | None, tau_pos: float | None) -> Thresholds:
    """Two thresholds that a person set, for the scores of data; None empties a zone.

    Raises
    ------
    InputError : OPT-003 for one that is no number on the score's scale; OPT-002 for the wrong order; SIT-008
        for one between two points of a grid that rows lie between.
    """
    is_probability = data.score_kind == "probability"
    found = []
    for name, tau in (("τ_neg", tau_neg), ("τ_pos", tau_pos)):
        if tau is not None and not (math.isfinite(tau) and (not is_probability or 0 <= tau <= 1)):
            expected = "a number from 0 to 1" if is_probability else "a finite number"
            found.append(problem("OPT-003", name=name, found=tau, expected=expected))
    if not found and tau_neg is not None and tau_pos is not None and tau_neg > tau_pos:
        found.append(problem("OPT-002", tau_neg=tau_neg, tau_pos=tau_pos))
    tallies = tallies_of(data)
    if not found and tallies is not None:
        found += tallies.between({"τ_neg": tau_neg, "τ_pos": tau_pos})
    if found:
        raise InputError(found)
    return Thresholds(_plain(tau_neg), _plain(tau_pos))


def _plain(tau: float | None) -> float | None:
    return None if tau is None else float(tau) + 0.0  # + 0.0 makes −0 a plain 0
