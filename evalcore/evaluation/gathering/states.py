"""The state of each row as a column to break down by, where the file has none."""

from __future__ import annotations

from dataclasses import replace

from evalcore.data import Data
from evalcore.tallies.decisions import STATES, state_codes

STATE = "state"


def with_states(data: Data, tau_neg: float | None = None, tau_pos: float | None = None) -> Data:
    """The data with a column ``state`` that the thresholds give, so that values can be broken down by it.

    Parameters
    ----------
    data : checked data; as they are where they have no queries, or states of their own.
    tau_neg, tau_pos : the pair; None where each row has thresholds of its own, without which the data stay
        as they are. Rows whose own thresholds are empty have no state.

    Source
    ------
    contract.md, state edge.
    """
    queries = data.queries
    if queries is None or STATE in queries.slices:
        return data
    is_asked = tau_neg is not None and tau_pos is not None
    low = tau_neg if is_asked else queries.numbers.get("tau_neg")
    high = tau_pos if is_asked else queries.numbers.get("tau_pos")
    if low is None or high is None:
        return data
    code = state_codes(queries.score, low, high)
    return data.with_tables(queries=replace(queries, slices={**queries.slices, STATE: (code, STATES)}))
