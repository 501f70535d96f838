"""How the labels of retrieved chunks change with their rank."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from evalcore.annotations import NO, YES, Responses
from evalcore.inference.binomial import wilson
from evalcore.tallies.judgements.settled import settled

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ["label", "rank", "n", "n_yes", "share", "low", "high"]


def rates_by_rank(
    rank: NDArray[np.int64],
    labels: Mapping[str, NDArray[np.int8]],
    *,
    max_rank: int | None = None,
) -> pd.DataFrame:
    """The share of chunks at each rank that have each label, with Wilson intervals of 95 %.

    Parameters
    ----------
    rank : int, shape (N,), 1 is best; 0 (not retrieved) is left out. One chunk per record and rank: chunks at
        one rank then belong to different records, and the interval may take them as independent.
    labels : label → `YES`, `NO` or anything else (a tie, never said: left out of n), shape (N,).
    max_rank : the last rank shown; the deepest one by default.

    Returns
    -------
    DataFrame by label and rank 1 … max_rank: ``n`` settled chunks, ``n_yes``, ``share`` = n_yes / n, ``low``,
    ``high``; NaN where n is 0.

    Examples
    --------
    >>> rates_by_rank(np.array([1, 1, 2]), {"misleading": np.array([1, 0, -1])})[["rank", "n", "share"]]
       rank  n  share
    0     1  2    0.5
    1     2  0    NaN
    """
    import pandas as pd

    last = int(rank.max(initial=0)) if max_rank is None else max_rank
    parts = []
    for label, said in labels.items():
        is_settled = ((said == YES) | (said == NO)) & (rank <= last)
        n, n_yes = (
            np.bincount(rank[mask], minlength=last + 1)[1:]
            for mask in (is_settled, is_settled & (said == YES))
        )
        interval = wilson(n_yes, n, confidence=0.95)
        with np.errstate(invalid="ignore"):
            share = n_yes / n
        ranks = np.arange(1, last + 1)
        columns = (label, ranks, n, n_yes, share, interval.low, interval.high)
        parts.append(pd.DataFrame(dict(zip(COLUMNS, columns, strict=True))))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)


def settled_rates_by_rank(responses: Responses, deepest: int) -> pd.DataFrame:
    """`rates_by_rank` of what annotators settled on, down to a rank or to the deepest one judged.

    Parameters
    ----------
    responses : to the task on retrieved chunks.
    deepest : the last rank shown at most, from 1 on.
    """
    found = settled(responses)
    return rates_by_rank(found.rank, found.labels, max_rank=min(int(found.rank.max(initial=1)), deepest))
