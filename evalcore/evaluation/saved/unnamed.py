"""The rows that a saved report's tallies hold, as data: a hash stands for the id of each post."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from evalcore.data import Data, Queries
from evalcore.evaluation.gathering.gather import Gathered


def unnamed_data(data: Data, gathered: Gathered) -> Data:
    """The data of a report with what its tallies hold, for what shows no single row.

    Parameters
    ----------
    data : what is known of the input.
    gathered : the tallies of its rows and lists.

    Returns
    -------
    Data whose queries stand in the order of the tallies, with the hashes of posts as ids, and with the
    columns that were broken down by, folds and splits. Draws of posts are those of the report.
    """
    scores = gathered.scores
    data = data.with_tables(queries=None, rankings=None, lists=gathered.lists)
    if scores is None:
        return data
    queries = Queries(
        post=scores.post,
        post_ids=cast("Any", scores.post_ids),
        criterion=scores.criterion,
        criterion_ids=scores.criterion_ids,
        has_evidence=scores.has_evidence,
        score=scores.score,
        model=scores.model,
        models=scores.models,
        slices=scores.slices,
        numbers=scores.numbers,
        row=np.arange(1, len(scores) + 1),
        has_posts=scores.has_posts,
        has_ids=False,
    )
    return data.with_tables(queries=queries)
