"""Displays: the numbers of evalcore, drawn as in its reports."""

import numpy as np
import plotly.io
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from evalcore.curves import reliability
from evalcore.metrics import gate
from evalcore.problems import InputError
from evalcore.sklearn import ReliabilityDisplay, TradeoffDisplay, screening_sensitivity_at
from evalcore.sklearn.rows import scored_rows
from evalcore.tallies.decisions import states_at
from tests.sklearn.points import point_at

X, Y = make_classification(n_samples=300, weights=[0.8], random_state=2)
MODEL = LogisticRegression().fit(X, Y)
SCORE = MODEL.predict_proba(X)[:, 1]
TABLE = scored_rows(Y, SCORE).table


def test_the_tradeoff_is_that_of_the_gate_at_every_threshold():
    display = TradeoffDisplay.from_predictions(Y, SCORE)
    assert (np.diff(display.workload) > 0).all()
    for at in range(0, len(display.workload), 17):
        counts = states_at(TABLE, float(display.threshold[at]), None)
        assert display.screening_sensitivity[at] == gate.screening_sensitivity(counts).value
        assert display.workload[at] == 1 - gate.neg_rate(counts).value
        assert display.low[at] <= display.screening_sensitivity[at] <= display.high[at]
        best = screening_sensitivity_at(Y, SCORE, workload=float(display.workload[at]))
        assert best == display.screening_sensitivity[at]


def test_the_tradeoff_is_drawn_with_the_point_on_it():
    point = point_at(0.1, 0.7)
    display = TradeoffDisplay.from_predictions(Y, SCORE, point=point, name="<b>model</b>")
    marked = {trace.name: trace for trace in display.figure_.data}["thresholds in use"]
    counts = states_at(TABLE, 0.1, 0.7)
    assert marked.y[0] == gate.screening_sensitivity(counts).value
    assert "&lt;b&gt;model&lt;/b&gt;" in {trace.name for trace in display.figure_.data}


def test_rows_of_one_post_widen_the_interval():
    alone = TradeoffDisplay.from_predictions(np.tile(Y, 2), np.tile(SCORE, 2))
    pairs = TradeoffDisplay.from_predictions(
        np.tile(Y, 2), np.tile(SCORE, 2), groups=np.tile(np.arange(300), 2)
    )
    at = len(alone.workload) // 2
    assert pairs.screening_sensitivity[at] == alone.screening_sensitivity[at]
    assert pairs.high[at] - pairs.low[at] > alone.high[at] - alone.low[at]


def test_reliability_is_that_of_the_calibration_page():
    display = ReliabilityDisplay.from_predictions(Y, SCORE, n_bins=5)
    bins = reliability(TABLE, 5)
    assert np.array_equal(display.bins.observed_rate, bins.observed_rate, equal_nan=True)
    assert display.bins.n.tolist() == bins.n.tolist()
    assert display.distribution.n_pos.sum() == Y.sum()


@pytest.mark.parametrize("display", [ReliabilityDisplay, TradeoffDisplay])
def test_from_a_model_is_from_its_predictions(display, monkeypatch):
    monkeypatch.setattr(plotly.io.renderers, "default", "plotly_mimetype")
    made = display.from_estimator(MODEL, X, Y)
    assert made.name == "LogisticRegression"
    told = display.from_predictions(Y, SCORE, name="LogisticRegression")
    assert made.figure_ == told.figure_
    assert made.plot(dark=True).figure_ != told.figure_
    assert "application/vnd.plotly.v1+json" in made._repr_mimebundle_()


def test_a_model_without_probabilities_has_a_tradeoff_and_no_reliability():
    model = LinearSVC().fit(X, Y)
    assert TradeoffDisplay.from_estimator(model, X, Y).name == "LinearSVC"
    with pytest.raises(InputError, match="LRN-003"):
        ReliabilityDisplay.from_estimator(model, X, Y)
    with pytest.raises(InputError, match="DOC-006"):
        ReliabilityDisplay.from_predictions(Y, model.decision_function(X))
