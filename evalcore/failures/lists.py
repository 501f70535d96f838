"""Gold that is ranked too deep, and the ranked candidates of a query."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from evalcore.data import Data, Rankings
from evalcore.failures.rows import (
    LIMIT,
    Filter,
    Mask,
    criteria_of,
    in_slices,
    looked_at,
    queries_of,
    slices_of,
)
from evalcore.problems import InputError, problem
from evalcore.tallies.decisions import Pair
from evalcore.tallies.places import Codes, Counts, gold_places
from evalcore.tallies.selections import places_of

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class DeepGold:
    """Golds below place k of their list or not in it: those without a place first, then the deepest.

    Parameters
    ----------
    rankings : gold and lists.
    query, item : int codes, shape (R,), into ``rankings``; at most the limit.
    rank : int64, shape (R,), from 1; 0 where the list lacks the gold.
    n_ranked : int64, shape (R,), length of the list.
    total : how many golds stand too deep, shown or not.
    """

    rankings: Rankings
    query: Codes
    item: Codes
    rank: Counts
    n_ranked: Counts
    total: int

    def __len__(self) -> int:
        return len(self.query)

    def as_table(self) -> pd.DataFrame:
        """The golds with post, criterion, candidate, rank (empty where the list lacks it) and list length."""
        import pandas as pd

        ranks = pd.array(np.where(self.rank > 0, self.rank, -1), dtype="Int64")
        ranks[self.rank == 0] = pd.NA
        return pd.DataFrame(
            {
                "post": self.rankings.post_ids[self.rankings.post[self.query]],
                "criterion": criteria_of(self.rankings, self.query),
                "gold": self.rankings.item_ids[self.item],
                "rank": ranks,
                "list_length": self.n_ranked,
                **slices_of(self.rankings, self.query),
            }
        )


@dataclass(frozen=True)
class Candidates:
    """The list of one query, best first, and the golds that it lacks.

    Parameters
    ----------
    item : ids as text, shape (R,).
    score : float64, shape (R,); NaN where the list came without scores.
    is_gold : bool, shape (R,).
    missing : ids of the golds that the list lacks.
    """

    item: NDArray[np.object_]
    score: NDArray[np.float64]
    is_gold: Mask
    missing: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.item)

    @property
    def n_gold(self) -> int:
        """Golds of the query, in the list or not."""
        return int(self.is_gold.sum()) + len(self.missing)


def deep_gold(
    data: Data,
    ranked_by: str,
    k: int,
    only: Filter | None = None,
    *,
    model: str | None = None,
    taus: Pair = (None, None),
    limit: int = LIMIT,
) -> DeepGold:
    """Golds at a rank above k, or not in the list at all.

    Parameters
    ----------
    data : checked data with rankings.
    ranked_by : name of a list in ``data.rankings.lists``.
    k : the last place that is not too deep, from 1 on.
    only : which queries to look at; state and bin need ``model``, whose scores they are about.
    model, taus : as in `missed_evidence`.
    limit : golds returned at most.

    Raises
    ------
    InputError : OPT-003 for a list, model, state or bin that does not exist.
    """
    rankings = data.rankings
    if rankings is None or ranked_by not in rankings.lists:
        expected = ", ".join(rankings.lists) if rankings is not None else "ranked lists in the data"
        raise InputError([problem("OPT-003", name="list", found=ranked_by, expected=expected)])
    only = only or Filter()
    chosen = in_slices(rankings, only)
    if only.state is not None or only.score_bin is not None:
        chosen &= _by_score(data, rankings, model, taus, only)
    rows = rankings.lists[ranked_by]
    n_ranked = np.bincount(rows.query, minlength=rankings.n_queries).astype(np.int64)
    by_query = np.argsort(rankings.gold_query, kind="stable")
    query, item = rankings.gold_query[by_query], rankings.gold_item[by_query]
    rank = gold_places(rows, query, item, n_ranked, "trec", rankings.item_ids)[0]
    at = np.flatnonzero(chosen[query] & ((rank == 0) | (rank > k)))
    at = at[np.lexsort((at, -rank[at], rank[at] > 0))]
    shown = at[:limit]
    return DeepGold(rankings, query[shown], item[shown], rank[shown], n_ranked[query[shown]], len(at))


def candidates_of(
    rankings: Rankings, ranked_by: str, post_id: str, criterion_id: str, *, limit: int = LIMIT
) -> Candidates | None:
    """The ranked candidates of one query with its gold marked; None where the rankings lack the query.

    Parameters
    ----------
    rankings : gold and lists.
    ranked_by : name of a list in ``rankings.lists``.
    post_id, criterion_id : the query; an empty criterion where there are none.
    limit : candidates returned at most.
    """
    query = _place(rankings, post_id, criterion_id)
    if query is None:
        return None
    rows = rankings.lists[ranked_by]
    own = np.flatnonzero(rows.query == query)
    ids = rankings.item_ids[rows.item[own]]
    by_id = np.unique(ids, return_inverse=True)[1] if len(ids) else np.zeros(0, int)
    own = own[np.lexsort((-by_id, -rows.score[own]))]
    gold = rankings.gold_item[rankings.gold_query == query]
    missing = np.setdiff1d(gold, rows.item[own])
    own = own[:limit]
    score = rows.score[own] if rows.has_scores else np.full(len(own), math.nan)
    is_gold = np.isin(rows.item[own], gold)
    return Candidates(
        rankings.item_ids[rows.item[own]], score, is_gold, tuple(str(rankings.item_ids[i]) for i in missing)
    )


def _by_score(data: Data, rankings: Rankings, model: str | None, taus: Pair, only: Filter) -> Mask:
    """The ranked queries whose score of the model passes the filter; those without a score do not."""
    queries = queries_of(data)
    _, chosen = looked_at(data, model or queries.models[0], taus, only)
    passing = queries.where(chosen)
    return np.asarray(places_of(rankings, passing) >= 0)


def _place(rankings: Rankings, post_id: str, criterion_id: str) -> int | None:
    post = np.flatnonzero(rankings.post_ids == post_id)
    criterion = np.flatnonzero(rankings.criterion_ids == criterion_id)
    if not len(post) or (criterion_id and not len(criterion)):
        return None
    code = criterion[0] if criterion_id else -1
    found = np.flatnonzero((rankings.post == post[0]) & (rankings.criterion == code))
    return int(found[0]) if len(found) else None
