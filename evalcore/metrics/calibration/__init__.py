"""Calibration: whether the probability of evidence agrees with its observed rate; needs probabilities."""

from evalcore.metrics.calibration.errors import brier, brier_skill, ece, log_loss, mce
from evalcore.metrics.calibration.fits import calibration_intercept, calibration_slope, e50, e90, ici

__all__ = [
    "brier",
    "brier_skill",
    "calibration_intercept",
    "calibration_slope",
    "e50",
    "e90",
    "ece",
    "ici",
    "log_loss",
    "mce",
]
