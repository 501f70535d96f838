"""Scorers: the metrics of the gate at the best threshold, found again by trying every one."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_classification
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import check_scoring
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.svm import LinearSVC

import evalcore
from evalcore.problems import InputError
from evalcore.readers.inputs import Upload
from evalcore.sklearn import (
    screening_sensitivity_at,
    screening_sensitivity_scorer,
    workload_at,
    workload_scorer,
)
from tests.sklearn.points import point_at

ROWS = st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=1, max_size=30)
SHARES = st.integers(0, 20).map(lambda n: n / 20)
X, Y = make_classification(n_samples=200, weights=[0.8], random_state=1)


def by_trying(y, score, workload):
    """The highest share of positives kept over all thresholds at which few enough rows are read."""
    n_pos = sum(y)
    kept = [
        sum(label for label, p in zip(y, score, strict=True) if p >= tau) / n_pos
        for tau in (*score, math.inf)
        if round(sum(p >= tau for p in score) * 20) <= round(workload * 20) * len(score)
    ]
    return max(kept)


@given(ROWS, SHARES)
def test_sensitivity_at_a_workload_is_the_best_of_all_thresholds(rows, workload):
    y, score = [int(label) for label, _ in rows], [float(p) for _, p in rows]
    if not any(y):
        with pytest.warns(UndefinedMetricWarning, match="no query with evidence"):
            assert math.isnan(screening_sensitivity_at(y, score, workload=workload))
        return
    assert screening_sensitivity_at(y, score, workload=workload) == by_trying(y, score, workload)


@given(ROWS, SHARES)
def test_the_workload_for_a_sensitivity_is_the_least(rows, wanted):
    y, score = [int(label) for label, _ in rows], [float(p) for _, p in rows]
    if not any(y):
        with pytest.warns(UndefinedMetricWarning):
            assert math.isnan(workload_at(y, score, screening_sensitivity=wanted))
        return
    found = workload_at(y, score, screening_sensitivity=wanted)
    n_read = [
        sum(p >= tau for p in score)
        for tau in (*score, math.inf)
        if sum(label for label, p in zip(y, score, strict=True) if p >= tau) * 20
        >= round(wanted * 20) * sum(y)
    ]
    assert found == pytest.approx(min(n_read) / len(score), abs=1e-15)


def test_the_number_is_that_of_evaluate():
    score = LogisticRegression().fit(X, Y).predict_proba(X)[:, 1]
    rows = "\n".join(
        f"{at},{label},{p!r}" for at, (label, p) in enumerate(zip(Y, score.tolist(), strict=True))
    )
    data = evalcore.load(Upload("rows.csv", f"query_id,has_evidence,probability\n{rows}\n".encode()))
    tau = float(np.sort(score)[-60])
    report = evalcore.evaluate(data, tau_neg=tau, tau_pos=1.0)
    assert screening_sensitivity_at(Y, score, workload=0.3) == report.value("gate.screening_sensitivity")
    least = workload_at(Y, score, screening_sensitivity=report.value("gate.screening_sensitivity"))
    assert least <= 1 - report.value("gate.neg_rate")


def test_a_share_is_compared_as_it_is_written():
    y, score = [1] * 100, list(range(100))
    assert screening_sensitivity_at(y, score, workload=0.29) == 0.29
    assert screening_sensitivity_at(y, score, workload=np.float32(0.5)) == 0.5


def test_cross_validation_and_search_take_the_scorers():
    scorer = screening_sensitivity_scorer(workload=0.4)
    found = cross_val_score(LogisticRegression(), X, Y, cv=3, scoring=scorer)
    assert ((found >= 0) & (found <= 1)).all()
    by_scores = cross_val_score(LinearSVC(), X, Y, cv=3, scoring=scorer)
    assert not np.isnan(by_scores).any(), "decision_function where there are no probabilities"
    search = GridSearchCV(
        LogisticRegression(),
        {"C": [1e-4, 1.0]},
        cv=3,
        scoring={"kept": scorer, "read": workload_scorer(screening_sensitivity=0.9)},
        refit="read",
    ).fit(X, Y)
    assert (search.cv_results_["mean_test_read"] <= 0).all()
    assert check_scoring(LogisticRegression(), scoring=scorer) is scorer


def test_a_wrapped_model_is_scored_by_its_scores():
    scorer = screening_sensitivity_scorer(workload=0.4)
    gated = point_at(0.1, 0.7).wrap(LogisticRegression()).fit(X, Y)
    assert scorer(gated, X, Y) == scorer(LogisticRegression().fit(X, Y), X, Y)


def test_the_positive_label_may_be_the_first():
    words = np.array(["healthy", "a case"])[Y]
    model = LogisticRegression().fit(X, words)
    scorer = screening_sensitivity_scorer(workload=0.4, pos_label="a case")
    plain = screening_sensitivity_at(Y, model.predict_proba(X)[:, 0], workload=0.4)
    assert scorer(model, X, words) == plain
    with pytest.raises(InputError, match="LRN-001"):
        screening_sensitivity_scorer(workload=0.4)(model, X, words)


@pytest.mark.parametrize("share", [-0.1, 1.1, math.nan])
def test_a_share_outside_of_its_range_is_refused(share):
    with pytest.raises(InputError, match="LRN-005"):
        screening_sensitivity_scorer(workload=share)
    with pytest.raises(InputError, match="LRN-005"):
        workload_at([0, 1], [0.1, 0.2], screening_sensitivity=share)


def test_scores_that_are_none_are_named():
    with pytest.raises(InputError, match=r"row 2.*DOC-006"):
        screening_sensitivity_at([0, 1], [0.1, math.inf])
