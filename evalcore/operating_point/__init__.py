"""Operating points: two thresholds chosen on data, written down, applied and recomputed."""

from __future__ import annotations

from evalcore.operating_point.alternatives import Alternative
from evalcore.operating_point.apply import Decisions, apply_to_file, decide
from evalcore.operating_point.choose import (
    choose_operating_point,
    choose_over_folds,
    choose_thresholds,
    point_from_thresholds,
)
from evalcore.operating_point.document import OperatingPoint
from evalcore.operating_point.looks import LooksAtTest
from evalcore.operating_point.prospects import Outlook, outlooks
from evalcore.operating_point.verify import VerifyResult

__all__ = [
    "Alternative",
    "Decisions",
    "LooksAtTest",
    "OperatingPoint",
    "Outlook",
    "VerifyResult",
    "apply_to_file",
    "choose_operating_point",
    "choose_over_folds",
    "choose_thresholds",
    "decide",
    "outlooks",
    "point_from_thresholds",
]
