"""Displays in the manner of scikit-learn: numbers first, a figure of them on request.

They draw with plotly, which evalcore has anyway: the figures are those of its reports and pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalcore.curves import Reliability, ScoreDistribution, score_distribution
from evalcore.evaluation.calibration import bins_with_interval
from evalcore.figures.reliability import reliability_figure
from evalcore.figures.tradeoff import tradeoff_figure
from evalcore.inference.binomial import Interval
from evalcore.metrics import gate
from evalcore.operating_point.tradeoff.table import compute_tradeoff
from evalcore.problems import InputError, problem
from evalcore.sklearn.classes import positive_of
from evalcore.sklearn.rows import RESPONSES, response, scored_rows
from evalcore.tallies.decisions import StateCounts, states_at

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from evalcore.operating_point import OperatingPoint


@dataclass(eq=False)
class ReliabilityDisplay:
    """The observed rate of evidence against the promised one, by bin, with n and exact 95 % intervals.

    Parameters
    ----------
    bins : the points.
    interval : of each observed rate, rows taken as independent.
    distribution : rows with and without evidence by probability.
    name : of what is shown.

    Examples
    --------
    >>> display = ReliabilityDisplay.from_predictions([0, 1, 1, 0], [0.1, 0.8, 0.85, 0.3], n_bins=2)
    >>> display.bins.n.tolist(), display.bins.observed_rate.tolist()
    ([2, 2], [0.0, 1.0])
    """

    bins: Reliability
    interval: Interval
    distribution: ScoreDistribution
    name: str = "model"

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        n_bins: int = 10,
        variant: str = "default",
        pos_label: Any = None,
        name: str = "model",
        dark: bool = False,
    ) -> Self:
        """The display of labels and probabilities.

        Parameters
        ----------
        y_true : labels, shape (N,).
        y_score : probabilities of the positive class, shape (N,).
        n_bins, variant : as of `evalcore.curves.reliability`.
        pos_label : the label that means "has evidence"; None for 1 of 0 and 1.
        name, dark : as of the display and its figure.

        Raises
        ------
        InputError : DOC-006, LRN-001, LRN-002, LRN-005.
        """
        table = scored_rows(y_true, y_score, pos_label, are_probabilities=True).table
        bins, interval = bins_with_interval(table, n_bins, variant)
        return cls(bins, interval, score_distribution(table), name).plot(dark=dark)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: ArrayLike, **how: Any) -> Self:  # noqa: N803
        """As `from_predictions`, with the scores that a fitted model gives.

        Parameters
        ----------
        estimator : a fitted binary classifier.
        X, y : rows and their labels.
        how : as of `from_predictions`; ``name`` is the class of the model where it is left out.

        Raises
        ------
        InputError : LRN-003 for a model that gives no such scores.
        """
        score, usual = _scores_of(estimator, X, RESPONSES[:1], how.get("pos_label"))
        return cls.from_predictions(y, score, **{**how, **usual, "name": how.get("name", usual["name"])})

    def plot(self, *, dark: bool = False) -> Self:
        """Draw anew, on a light or a dark page; ``figure_`` is the figure, of plotly."""
        self.figure_ = self._figure(dark=dark)
        return self

    def _repr_mimebundle_(self, *args: Any, **how: Any) -> Any:
        """What a notebook shows: the figure."""
        return self.figure_._repr_mimebundle_(*args, **how)

    def _figure(self, *, dark: bool) -> go.Figure:
        return reliability_figure(
            self.bins, interval=self.interval, distribution=self.distribution, dark=dark
        )


@dataclass(eq=False)
class TradeoffDisplay:
    """What is kept over what is read: screening sensitivity over workload, at every attainable τ_neg.

    Parameters
    ----------
    workload : float64 in [0, 1], shape (T,), ascending: the share of the rows that is not skipped.
    screening_sensitivity : float64 in [0, 1], shape (T,); NaN without a row with evidence.
    interval : its two-sided 95 % interval, pointwise, each bound of shape (T,).
    threshold : float64, shape (T,): the highest τ_neg that skips just these rows; infinity skips all.
    chosen : workload and sensitivity of the operating point; None where there is none.
    name : of what is shown.

    Examples
    --------
    >>> display = TradeoffDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9])
    >>> display.workload.tolist(), display.screening_sensitivity.tolist()
    ([0.0, 0.25, 0.5, 0.75, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    """

    workload: NDArray[np.float64]
    screening_sensitivity: NDArray[np.float64]
    interval: Interval
    threshold: NDArray[np.float64]
    chosen: tuple[float, float] | None = None
    name: str = "model"

    @property
    def grid(self) -> NDArray[np.float64]:
        """Workload, as what the limits of the band lie over."""
        return self.workload

    @property
    def low(self) -> Any:
        """Lower limits."""
        return self.interval.low

    @property
    def high(self) -> Any:
        """Upper limits."""
        return self.interval.high

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        groups: ArrayLike | None = None,
        point: OperatingPoint | None = None,
        pos_label: Any = None,
        name: str = "model",
        dark: bool = False,
    ) -> Self:
        """The display of labels and scores.

        Parameters
        ----------
        y_true : labels, shape (N,).
        y_score : scores of the positive class, shape (N,).
        groups : the post or patient of each row, shape (N,): rows of one are alike, and intervals take that
            into account. None: every row by itself.
        point : an operating point, which is marked.
        pos_label : the label that means "has evidence"; None for 1 of 0 and 1.
        name, dark : as of the display and its figure.

        Raises
        ------
        InputError : DOC-006, LRN-001, LRN-002, LRN-005.
        """
        rows = scored_rows(y_true, y_score, pos_label, groups=groups)
        found = compute_tradeoff(rows)
        nothing = np.zeros_like(found.pos_below)
        n_pos, n_neg = int(rows.table.total_pos), int(rows.table.total_neg)
        below = found.pos_below, found.neg_below
        kept = StateCounts(*below, n_pos - below[0], n_neg - below[1], nothing, nothing)
        chosen = None
        if point is not None:
            chosen = _place(states_at(rows.table, point.tau_neg, point.tau_pos))
        workload, sensitivity = _place(kept)
        interval = found.sensitivity_interval
        display = cls(
            workload[::-1],
            sensitivity[::-1],
            Interval(np.asarray(interval.low)[::-1], np.asarray(interval.high)[::-1]),
            np.append(found.threshold, np.inf)[::-1],
            chosen,
            name,
        )
        return display.plot(dark=dark)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: ArrayLike, **how: Any) -> Self:  # noqa: N803
        """As `from_predictions`, with the scores that a fitted model gives.

        Parameters
        ----------
        estimator : a fitted binary classifier.
        X, y : rows and their labels.
        how : as of `from_predictions`; ``name`` is the class of the model where it is left out.

        Raises
        ------
        InputError : LRN-003 for a model that gives no such scores.
        """
        score, usual = _scores_of(estimator, X, RESPONSES, how.get("pos_label"))
        return cls.from_predictions(y, score, **{**how, **usual, "name": how.get("name", usual["name"])})

    def plot(self, *, dark: bool = False) -> Self:
        """Draw anew, on a light or a dark page; ``figure_`` is the figure, of plotly."""
        self.figure_ = self._figure(dark=dark)
        return self

    def _repr_mimebundle_(self, *args: Any, **how: Any) -> Any:
        """What a notebook shows: the figure."""
        return self.figure_._repr_mimebundle_(*args, **how)

    def _figure(self, *, dark: bool) -> go.Figure:
        return tradeoff_figure(
            self.name,
            self.workload,
            self.screening_sensitivity,
            self,
            self.threshold,
            chosen=self.chosen,
            dark=dark,
        )


def _scores_of(
    estimator: Any, rows: Any, methods: Sequence[str], pos_label: Any
) -> tuple[NDArray[np.float64], dict[str, Any]]:
    """The scores of a fitted model by the first method that it has, and what it is called."""
    name = type(estimator).__name__
    method = next((one for one in methods if hasattr(estimator, one)), None)
    if method is None:
        advice = "Calibrate it: sklearn.calibration.CalibratedClassifierCV."
        wanted = " or ".join(methods)
        raise InputError([problem("LRN-003", name=name, method=wanted, what="scores", advice=advice)])
    positive = positive_of(np.asarray(estimator.classes_), pos_label)
    return response(estimator, rows, method, positive), {"name": name, "pos_label": positive}


def _place(counts: StateCounts) -> tuple[Any, Any]:
    """Workload and screening sensitivity, by the metrics of the gate."""
    return 1 - gate.neg_rate(counts).value, gate.screening_sensitivity(counts).value
