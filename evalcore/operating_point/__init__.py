"""Operating points: two thresholds chosen on data, written down, applied and recomputed."""

from __future__ import annotations

from evalcore.operating_point.applying.apply import Decisions, apply_to_file, decide
from evalcore.operating_point.choose import (
    choose_operating_point,
    choose_over_folds,
    choose_thresholds,
    point_from_thresholds,
)
from evalcore.operating_point.choosing.alternatives import Alternative
from evalcore.operating_point.document.verifying.verify import VerifyResult
from evalcore.operating_point.document.writing import OperatingPoint
from evalcore.operating_point.prospects.before_test import marked_outlooks, outlooks
from evalcore.operating_point.prospects.outlook import Outlook
from evalcore.operating_point.reopening.numbers import Change
from evalcore.operating_point.reopening.reopened import Reopened, reopened
from evalcore.operating_point.test_rows.looks import LooksAtTest

__all__ = [
    "Alternative",
    "Change",
    "Decisions",
    "LooksAtTest",
    "OperatingPoint",
    "Outlook",
    "Reopened",
    "VerifyResult",
    "apply_to_file",
    "choose_operating_point",
    "choose_over_folds",
    "choose_thresholds",
    "decide",
    "marked_outlooks",
    "outlooks",
    "point_from_thresholds",
    "reopened",
]
