"""Evaluate: every metric that the data allow, overall and by group, as one table."""

from evalcore.evaluation.gathering.states import with_states
from evalcore.evaluation.gathering.tallies import gate_options, gate_thresholds
from evalcore.evaluation.groups import group_columns, natural_key
from evalcore.evaluation.options import Options
from evalcore.evaluation.row import COLUMNS
from evalcore.evaluation.table import Report

__all__ = [
    "COLUMNS",
    "Options",
    "Report",
    "gate_options",
    "gate_thresholds",
    "group_columns",
    "natural_key",
    "with_states",
]
