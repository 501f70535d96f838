"""Operating points for tests of models."""

from functools import cache
from pathlib import Path

import numpy as np

import evalcore
from evalcore.operating_point import OperatingPoint, point_from_thresholds
from evalcore.readers.inputs import Upload

TEN_ROWS = Path(__file__).resolve().parents[2] / "sample_data" / "small" / "ten_rows.csv"


@cache
def point_at(tau_neg: float | None, tau_pos: float | None) -> OperatingPoint:
    """A point with these thresholds, on probabilities."""
    return point_from_thresholds(evalcore.load(TEN_ROWS), tau_neg, tau_pos)


@cache
def point_of_scores(tau_neg: float, tau_pos: float) -> OperatingPoint:
    """A point with these thresholds, on scores of any scale."""
    score = np.linspace(-3, 3, 40)
    rows = "\n".join(f"q{at},{int(at % 3 == 0)},{one}" for at, one in enumerate(score))
    upload = Upload("scores.csv", f"query_id,has_evidence,probability\n{rows}\n".encode())
    return point_from_thresholds(evalcore.load(upload, score_kind="score"), tau_neg, tau_pos)
