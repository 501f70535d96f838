"""The rows behind the numbers: missed evidence, false alerts, gold ranked too deep, and changes of state.

Results are row numbers of the data, worst first and cut at a limit, with the total told. Post text is not
among the data and never shown.
"""

from evalcore.failures.lists import Candidates, DeepGold, candidates_of, deep_gold
from evalcore.failures.rows import LIMIT, N_BINS, Filter, as_csv, score_bins
from evalcore.failures.states import Failures, Flips, false_alerts, flips, group_rows, missed_evidence
from evalcore.tallies.decisions import STATES, states_of

__all__ = [
    "LIMIT",
    "N_BINS",
    "STATES",
    "Candidates",
    "DeepGold",
    "Failures",
    "Filter",
    "Flips",
    "as_csv",
    "candidates_of",
    "deep_gold",
    "false_alerts",
    "flips",
    "group_rows",
    "missed_evidence",
    "score_bins",
    "states_of",
]
