"""Fits of replicates near that of all rows and far from it, and the steps that lead to them."""

import numpy as np
import pytest
from scipy import special

from evalcore.drawn import fits
from evalcore.drawn.fits import _first_step, _step, intercepts, slopes
from evalcore.drawn.points import REACH, points_of
from evalcore.drawn.post_values import totals_together
from evalcore.drawn.replicates import Resampling
from evalcore.drawn.rows import ReplicatedRows, sums_together
from evalcore.kernels.logistic import CLIP, fit_intercept, fit_line, intercept_of, line_of, logit
from evalcore.tallies.scores import ScoredRows


def replicated(x, is_positive, drawn=None):
    """Rows of these logits, a post each, and draws of them: each once, without any."""
    n = len(x)
    rows = ScoredRows(special.expit(np.asarray(x, float)), np.asarray(is_positive, bool), np.arange(n), n)
    drawn = np.ones((1, n)) if drawn is None else drawn
    return ReplicatedRows(rows, Resampling(np.asfortranarray(drawn, np.uint8), 0))


def of_line(x, intercept, slope, seed=1):
    """A label for each x, drawn from a line."""
    return np.random.default_rng(seed).random(len(x)) < special.expit(intercept + slope * x)


def fitted(of, fit):
    return totals_together([sums_together(of.rows, [fit(of, CLIP)])], of.resampling.weights())[0][0]


def fitted_alone(of):
    """Intercept and slope of each replicate from the counts of its own rows."""
    score, label = of.rows.score, of.rows.is_positive
    order = np.argsort(score, kind="stable")
    n = of.resampling.drawn[:, order].astype(np.int64)
    x, n_pos, n_neg = logit(score[order], CLIP), n * label[order], n * ~label[order]
    return fit_intercept(x, n_pos, n_neg), fit_line(x, n_pos, n_neg).slope


def _near_and_far():
    """Draws of 600 rows: 30 near the rows as they are, then without most positives, without most
    negatives, with labels that fit the score far better, and with one class only."""
    x = np.random.default_rng(4).normal(0, 1.5, 600)
    label = of_line(x, 0.3, 0.8)
    drawn = np.random.default_rng(5).poisson(1, (34, len(x)))
    drawn[30, np.flatnonzero(label)[20:]] = 0
    drawn[31, np.flatnonzero(~label)[20:]] = 0
    drawn[32, (label != (x > 0)) & (np.abs(x) > 0.3)] = 0
    drawn[33, label] = 0
    return replicated(x, label, drawn)


def test_every_replicate_is_fitted_as_on_its_own_counts_near_and_far():
    of = _near_and_far()
    intercept, slope = fitted_alone(of)
    assert np.abs(intercept[:30] - intercept_of(of.whole, CLIP)).max() < REACH
    assert np.abs(intercept[30:32] - intercept_of(of.whole, CLIP)).min() > REACH
    assert slope[32] > 2 * line_of(of.whole, CLIP).slope
    assert np.isnan(intercept).tolist() == np.isnan(slope).tolist() == [False] * 33 + [True]
    assert fitted(of, intercepts) == pytest.approx(intercept, abs=1e-9, nan_ok=True)
    assert fitted(of, slopes) == pytest.approx(slope, abs=1e-9, nan_ok=True)


def test_only_replicates_whose_fit_leaves_the_points_are_fitted_on_their_own_counts(monkeypatch):
    alone, tables = [], ReplicatedRows.tables

    def counted(self, which):
        alone.append(np.flatnonzero(which).tolist())
        return tables(self, which)

    monkeypatch.setattr(ReplicatedRows, "tables", counted)
    of = _near_and_far()
    fitted(of, intercepts)
    fitted(of, slopes)
    assert alone == [[30, 31], [32]]


def test_blocks_of_replicates_change_no_bit(monkeypatch):
    of = _near_and_far()
    whole = fitted(of, slopes)
    monkeypatch.setattr(fits, "BLOCK_CELLS", 12 * len(points_of(of, CLIP).x))
    assert fitted(of, slopes).tobytes() == whole.tobytes()


def _sums(x, label, drawn):
    """Points that are the rows themselves: counts of shape (M, B), positives and their sum of x."""
    return drawn.T.astype(float), (drawn @ label.astype(float), drawn @ (label * x))


def test_a_step_solves_the_equations_of_newton():
    x = np.linspace(-2, 3, 40)
    label = of_line(x, 0.4, 1.2)
    drawn = np.random.default_rng(6).poisson(1, (3, len(x)))
    intercept, slope = np.array([0.1, 0.4, -0.3]), np.array([0.5, 1.0, 1.6])
    n, positives = _sums(x, label, drawn)
    found = np.stack(_step(x, n, positives, (intercept, slope)), axis=1)
    design = np.stack([np.ones_like(x), x], axis=1)
    for at, weights in enumerate(drawn):
        rate = special.expit(intercept[at] + slope[at] * x)
        hessian = design.T @ (design * (weights * rate * (1 - rate))[:, None])
        assert found[at] == pytest.approx(
            np.linalg.solve(hessian, design.T @ (weights * (label - rate))), rel=1e-9
        )


def test_what_the_first_step_leaves_falls_with_the_third_power_of_the_distance():
    x = np.linspace(-2, 3, 40)
    n = np.full((len(x), 2), 5.0)
    at, towards = (0.4, 0.9), np.array([0.12, -0.09])
    left = []
    for scale in (1.0, 0.5):
        goal = np.array(at) + scale * towards
        expected = n * special.expit(goal[0] + goal[1] * x)[:, None]
        positives = expected.sum(axis=0), (expected * x[:, None]).sum(axis=0)
        step = np.stack(_first_step(x, n, positives, at), axis=1)[0]
        left.append(np.abs(np.array(at) + step - goal).max())
    assert left[0] < 2e-3
    assert left[0] / left[1] == pytest.approx(8, rel=0.25)
