"""Over which queries or posts a mean is taken."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

POPULATIONS: Mapping[str, tuple[Callable[[Any], Any], str]] = {
    "positives_only": (lambda tally: tally.n_gold > 0, "no query with gold"),
    "negatives_only": (lambda tally: tally.n_gold == 0, "no query without gold"),
    "all_queries": (lambda tally: np.ones(len(tally), bool), "no queries"),
    "all_posts": (lambda tally: np.ones(len(tally), bool), "no posts"),
    "annotated_queries": (lambda tally: np.ones(len(tally), bool), "no query with annotated chunks"),
    "annotated_answers": (lambda tally: np.ones(len(tally), bool), "no annotated answer"),
    "citing_answers": (lambda tally: np.ones(len(tally), bool), "no annotated answer"),
}
"""Name → which of a tally's units belong to it, and why nothing is known where none does."""
