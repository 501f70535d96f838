"""How many steps an evaluation takes: what a progress bar counts against."""

from __future__ import annotations

from evalcore.data import Data, Queries, Rankings
from evalcore.evaluation.groups import groups
from evalcore.evaluation.over_groups import FOLD


def n_steps(data: Data, by: tuple[str, ...] = ()) -> int:
    """How often `evaluate` tells its ``progress`` of a group, for data with queries or ranked lists.

    Parameters
    ----------
    data : checked data, not of the task ``rag``.
    by : columns to break down by.
    """
    rankings, n = data.rankings, 0
    if data.queries is not None:
        for code in range(len(data.queries.models)):
            queries = data.queries.where(data.queries.model == code)
            # The scores; then what the file says was selected, from each list where there are lists.
            passes = 2 if rankings is None else 1
            if rankings is not None and "selected_k" in queries.numbers:
                passes += len(rankings.lists)
            n += passes * _n_groups(queries, by)
    if rankings is not None:
        n += len(rankings.lists) * _n_groups(rankings, by)
    return n


def _n_groups(part: Queries | Rankings, by: tuple[str, ...]) -> int:
    n = sum(1 for _ in groups(part, by))
    if FOLD in part.slices and FOLD not in by:
        n += sum(1 for group_by, _, _ in groups(part, (FOLD,)) if group_by)
    return n
