"""Missed evidence, false alerts, and changes of state between two operating points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from evalcore.data import Data, Queries
from evalcore.failures.rows import LIMIT, Filter, Mask, frame, looked_at, queries_of
from evalcore.tallies.decisions import STATES, Pair, states_of
from evalcore.tallies.places import Codes, Counts

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Failures:
    """Rows that fail, worst first.

    Parameters
    ----------
    queries : every row of the data.
    at : int codes, shape (R,), into ``queries``; at most the limit.
    state : int, shape (R,), code into `STATES`.
    total : how many rows fail, shown or not.
    """

    queries: Queries
    at: Codes
    state: Codes
    total: int

    def __len__(self) -> int:
        return len(self.at)

    def as_table(self) -> pd.DataFrame:
        """The rows with post, criterion, label, score and state, and fold and split where there are any."""
        return frame(self.queries, self.at, state=_named(self.state))


@dataclass(frozen=True)
class Flips:
    """Rows whose state differs between two operating points.

    Parameters
    ----------
    queries, at, total : as in `Failures`; with evidence first, then the longest way, then the lowest score.
    before, after : int, shape (R,), codes into `STATES`.
    counts : int64, shape (3, 3, 2): rows by state before, state after and label, without evidence first.
    """

    queries: Queries
    at: Codes
    before: Codes
    after: Codes
    total: int
    counts: Counts

    def __len__(self) -> int:
        return len(self.at)

    def as_table(self) -> pd.DataFrame:
        """The rows as in `Failures.as_table`, with the state before and after."""
        states = {"state_before": _named(self.before), "state_after": _named(self.after)}
        return frame(self.queries, self.at, **states)


def missed_evidence(
    data: Data, model: str, taus: Pair, only: Filter | None = None, *, limit: int = LIMIT
) -> Failures:
    """Rows with evidence in state NEG (p < τ_neg), the lowest score first.

    Parameters
    ----------
    data : checked data with queries.
    model : name of a model in ``data.queries.models``.
    taus : (τ_neg, τ_pos); None for an empty zone.
    only : which rows to look at.
    limit : rows returned at most, from 0 on.

    Raises
    ------
    InputError : OPT-002 for τ_neg > τ_pos; OPT-003 for a model, state or bin that does not exist.

    Source
    ------
    Document 002 §5.1 and §5.3.
    """
    state, chosen = looked_at(data, model, taus, only)
    queries = queries_of(data)
    return _failures(queries, chosen & queries.has_evidence & (state == 0), queries.score, state, limit)


def false_alerts(
    data: Data, model: str, taus: Pair, only: Filter | None = None, *, limit: int = LIMIT
) -> Failures:
    """Rows without evidence in state POS (p ≥ τ_pos), the highest score first; as in `missed_evidence`."""
    state, chosen = looked_at(data, model, taus, only)
    queries = queries_of(data)
    return _failures(queries, chosen & ~queries.has_evidence & (state == 2), -queries.score, state, limit)


def group_rows(data: Data, model: str, taus: Pair, only: Filter) -> Failures:
    """Every row that passes the filter, such as of a group, the lowest score first; as `missed_evidence`."""
    state, chosen = looked_at(data, model, taus, only)
    queries = queries_of(data)
    return _failures(queries, chosen, queries.score, state, len(queries))


def flips(
    data: Data,
    model: str,
    pair_a: Pair,
    pair_b: Pair,
    only: Filter | None = None,
    *,
    limit: int = LIMIT,
) -> Flips:
    """Rows whose state changes from one operating point to another.

    Parameters
    ----------
    data, model, limit : as in `missed_evidence`.
    pair_a, pair_b : thresholds before and after.
    only : which rows to look at; its state is the one before.

    Raises
    ------
    InputError : as in `missed_evidence`.
    """
    queries = queries_of(data)
    before, chosen = looked_at(data, model, pair_a, only)
    after = states_of(queries.score, pair_b)
    at = np.flatnonzero(chosen & (before != after))
    label = queries.has_evidence[at]
    counts = np.zeros((3, 3, 2), np.int64)
    np.add.at(counts, (before[at], after[at], label.astype(int)), 1)
    order = np.lexsort((at, queries.score[at], -np.abs(after[at] - before[at]), ~label))
    at = at[order]
    shown = at[:limit]
    return Flips(queries, shown, before[shown], after[shown], len(at), counts)


def _failures(queries: Queries, fails: Mask, badness: NDArray[Any], state: Codes, limit: int) -> Failures:
    at = np.flatnonzero(fails)
    at = at[np.argsort(badness[at], kind="stable")]
    return Failures(queries, at[:limit], state[at[:limit]], len(at))


def _named(state: Codes) -> NDArray[np.object_]:
    return np.array(STATES, object)[state]
