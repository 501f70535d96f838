"""What was selected from each list: how many candidates, and how many of them gold."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from evalcore.data import Queries, RankedRows, Rankings
from evalcore.rows import joined, rows_of_lists, taken
from evalcore.tallies import flaws
from evalcore.tallies.flaws import Flaws
from evalcore.tallies.places import Codes, Counts, Ids, best_first, nth_of_run, run_starts
from evalcore.tallies.ranked import RankedQueries

if TYPE_CHECKING:
    from evalcore.tallies.unit_lists import UnitLists
    from evalcore.tallies.unit_scores import UnitScores

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Selections:
    """What was selected for each of Q queries.

    Parameters
    ----------
    n_selected : int64, shape (Q,), candidates selected.
    n_hits : int64, shape (Q,), gold among them; None where only the number selected is known.
    n_gold : int64, shape (Q,), gold of the query, in the list or not; where only the number selected is known
        it is 1 with evidence and 0 without.
    n_candidates : int64, shape (Q,), length of the list; None where it is not known.
    passed : bool, shape (Q,), whether the gate lets the query through; all True without a gate.

    Examples
    --------
    >>> lists = RankedQueries.from_lists([{"a": 1, "d": 1}, {}], [["b", "a", "c"], ["e"]])
    >>> chosen = Selections.of_first(lists, np.array([2, 0]))
    >>> chosen.n_selected.tolist(), chosen.n_hits.tolist(), chosen.n_gold.tolist()
    ([2, 0], [1, 0], [2, 0])
    """

    is_decided: ClassVar[bool] = True
    lacking: ClassVar[str] = "as not both state what they selected"

    n_selected: Counts
    n_hits: Counts | None
    n_gold: Counts
    n_candidates: Counts | None
    passed: Mask

    def __len__(self) -> int:
        return len(self.n_selected)

    @property
    def total(self) -> int:
        """Number of queries."""
        return len(self)

    @staticmethod
    def of_first(lists: RankedQueries, k: Counts) -> Selections:
        """The first k candidates of each list, k of shape (Q,); a shorter list is selected as a whole.

        Raises
        ------
        ValueError : for lists that leave the order of equal scores open.
        """
        if lists.ties == "expected":
            raise ValueError("what is selected depends on the order of equal scores: trec or stable")
        n_selected = np.minimum(k, lists.n_ranked)
        is_hit = (lists.rank > 0) & (lists.rank <= n_selected[lists.query])
        n_hits = np.bincount(lists.query[is_hit], minlength=len(lists)).astype(np.int64)
        return Selections(n_selected, n_hits, lists.n_gold, lists.n_ranked, np.ones(len(lists), bool))

    @staticmethod
    def from_queries(
        queries: Queries | UnitScores,
        rankings: Rankings | UnitLists | None = None,
        lists: RankedQueries | None = None,
    ) -> Selections:
        """The selections that a file states in its column ``selected_k``, row by row.

        Parameters
        ----------
        queries : rows of one model, with whole numbers in ``numbers["selected_k"]``; rows without one are
            left out, and so are queries that ``rankings`` lacks. `states_selection` says which remain.
        rankings, lists : gold and lists of the same queries, and the tally of the list from which the first
            ``selected_k`` were taken. Without them what was selected is not known, only how many.
        """
        stated = states_selection(queries, rankings)
        kept = queries.where(stated)
        k = kept.numbers["selected_k"].astype(np.int64)
        if rankings is None or lists is None:
            known = kept.numbers.get("n_candidates")
            n_candidates = None if known is None or np.isnan(known).any() else known.astype(np.int64)
            return Selections(
                k, None, kept.has_evidence.astype(np.int64), n_candidates, np.ones(len(k), bool)
            )
        at = places_of(kept, rankings)
        k_of_list = np.zeros(len(lists), np.int64)
        k_of_list[at] = k
        return Selections.of_first(lists, k_of_list).take(at)

    def behind_gate(self, passed: Mask) -> Selections:
        """The same behind a gate that lets the queries of a mask of shape (Q,) through."""
        return replace(self, passed=passed)

    def where(self, mask: Mask) -> Selections:
        """The queries of a mask of shape (Q,)."""
        return self.take(np.flatnonzero(mask))

    def take(self, at: Codes) -> Selections:
        """The queries at these places, in their order."""
        return taken(self, _PER_QUERY, at)

    def merge(self, other: Selections) -> Selections:
        """These queries followed by those of another part of the data; what one does not know is lost."""
        return joined(self, other, _PER_QUERY)


_PER_QUERY = ("n_selected", "n_hits", "n_gold", "n_candidates", "passed")


@dataclass(frozen=True)
class ScoredLists:
    """Candidates of Q queries, each list best first; R rows.

    Parameters
    ----------
    query : int, shape (R,), codes 0 … Q − 1, ascending.
    score : float64, shape (R,), descending within a query.
    is_gold : bool, shape (R,).
    n_gold : int64, shape (Q,), gold of the query, in the list or not.
    scale : ``probability``, ``score`` (any other scale) or ``place``, minus the place in a list that came
        without scores.
    """

    query: Codes
    score: NDArray[np.float64]
    is_gold: Mask
    n_gold: Counts
    scale: Literal["probability", "score", "place"]

    def __len__(self) -> int:
        return len(self.n_gold)

    @staticmethod
    def from_rankings(rankings: Rankings, model: str, *, stable: bool = False) -> ScoredLists:
        """The lists of one model.

        Parameters
        ----------
        rankings : gold and lists; scores are finite and no candidate is in a list twice.
        model : name of a list in ``rankings.lists``. Its scores count as probabilities when all of them lie
            in [0, 1].
        stable : order equal scores as the input does, instead of by candidate id, descending.
        """
        rows = rankings.lists[model]
        order = best_first(rows.query, rows.score)
        query, item, score = rows.query[order], rows.item[order], rows.score[order]
        if not stable:
            item = _ties_by_id(query, item, score, rankings.item_ids)
        in_unit = bool(((rows.score >= 0) & (rows.score <= 1)).all())
        return ScoredLists(
            query,
            score,
            _is_gold(rankings, query, item),
            np.bincount(rankings.gold_query, minlength=rankings.n_queries).astype(np.int64),
            _scale(rows, in_unit),
        )

    @cached_property
    def n_candidates(self) -> Counts:
        """Length of each list, shape (Q,)."""
        return np.bincount(self.query, minlength=len(self)).astype(np.int64)

    @cached_property
    def first(self) -> Counts:
        """Row of the best candidate of each list, shape (Q,)."""
        return np.asarray(np.cumsum(self.n_candidates) - self.n_candidates)

    @cached_property
    def gold_before(self) -> Counts:
        """Gold rows before each row and, last, in all rows: shape (R + 1,)."""
        return np.concatenate([[0], np.cumsum(self.is_gold, dtype=np.int64)])

    def where(self, mask: Mask) -> ScoredLists:
        """The queries of a mask of shape (Q,), numbered anew in their order."""
        return self.take(np.flatnonzero(mask))

    def take(self, at: Codes) -> ScoredLists:
        """The queries at these places, in their order."""
        query, row = rows_of_lists(self.n_candidates, at)
        return taken(self, ("score", "is_gold"), row, query=query, n_gold=self.n_gold[at])

    def flaws(self, n: int) -> Flaws:
        """What does not agree in the lists of ``n`` queries that were opened."""
        n_rows, in_unit = len(self.query), self.scale == "probability"
        low, high = (0, 1) if in_unit else (-np.inf, np.inf)
        wrong = [
            *flaws.codes("query", self.query, n_rows, n),
            *flaws.numbers("score", self.score, n_rows, low=low, high=high),
            *flaws.flags("is_gold", self.is_gold, n_rows),
            *flaws.counts("n_gold", self.n_gold, n),
        ]
        yield from wrong or self._disordered()

    def _disordered(self) -> Flaws:
        """Lists that are not best first, or have more gold than there is."""
        same_list = np.diff(self.query) == 0
        is_sorted = (np.diff(self.query) >= 0).all() and (np.diff(self.score)[same_list] <= 0).all()
        yield from flaws.unless(is_sorted, "", "candidates in another order", "each list best first")
        n_listed = np.bincount(self.query[self.is_gold], minlength=len(self))
        yield from flaws.unless((n_listed <= self.n_gold).all(), "n_gold", "fewer", "as many as are listed")

    def merge(self, other: ScoredLists) -> ScoredLists:
        """These queries followed by those of another part of the data; no query is in both.

        Probabilities and other scores together are other scores, as they are when read together.

        Raises
        ------
        ValueError : when only one of the two came with scores.
        """
        scales = {self.scale, other.scale}
        if "place" in scales and len(scales) > 1:
            raise ValueError("lists with scores and lists without do not merge")
        return joined(
            self,
            other,
            ("score", "is_gold", "n_gold"),
            query=np.concatenate([self.query, other.query + len(self)]),
            scale="score" if len(scales) > 1 else self.scale,
        )


def states_selection(queries: Queries | UnitScores, rankings: Rankings | UnitLists | None = None) -> Mask:
    """Which rows of one model state a ``selected_k`` and have a list in ``rankings``, where given; (N,)."""
    stated = ~np.isnan(queries.numbers["selected_k"])
    return stated if rankings is None else stated & (places_of(queries, rankings) >= 0)


def places_of(
    queries: Queries | Rankings | UnitScores | UnitLists, others: Queries | Rankings | UnitScores | UnitLists
) -> Codes:
    """Where each query stands among others of the same post and criterion; −1 where they lack it.

    Parameters
    ----------
    queries, others : tables with posts and criteria; ``others`` holds no query twice (queries of one model).
    """
    post = _recoded(queries.post_ids, others.post_ids)[queries.post]
    criterion = np.append(_recoded(queries.criterion_ids, others.criterion_ids), -1)[queries.criterion]
    n_levels = len(others.criterion_ids) + 1
    wanted = np.where((post < 0) | (criterion < -1), -1, post * n_levels + criterion + 1)
    key = others.post.astype(np.int64) * n_levels + others.criterion + 1
    if not len(key):
        return np.full(len(wanted), -1)
    order = np.argsort(key, kind="stable")
    at = order[np.minimum(np.searchsorted(key, wanted, sorter=order), len(key) - 1)]
    return np.where(key[at] == wanted, at, -1)


def _recoded(ids: NDArray[Any], others: NDArray[Any]) -> Codes:
    """The codes that ids have among others; −2 where these lack them."""
    code = {name: at for at, name in enumerate(others.tolist())}
    return np.array([code.get(name, -2) for name in ids.tolist()], np.intp)


def _scale(rows: RankedRows, in_unit: bool) -> Literal["probability", "score", "place"]:
    if not rows.has_scores:
        return "place"
    return "probability" if in_unit else "score"


def _ties_by_id(query: Codes, item: Codes, score: NDArray[np.float64], item_ids: Ids) -> Codes:
    """Items of sorted rows, those of equal score by id, descending (text compares as its UTF-8 bytes do)."""
    starts = run_starts(query, score)
    nth = nth_of_run(starts)
    tied = np.flatnonzero((nth > 1) | np.append(nth[1:] > 1, False))
    by_id = np.unique(item_ids[item[tied]], return_inverse=True)[1]
    ordered = item.copy()
    ordered[tied] = item[tied][np.lexsort((-by_id, np.cumsum(starts)[tied]))]
    return ordered


def _is_gold(rankings: Rankings, query: Codes, item: Codes) -> Mask:
    n_items = len(rankings.item_ids)
    found = np.isin(np.arange(rankings.n_queries), rankings.gold_query)[query]
    at = np.flatnonzero(found)
    gold = rankings.gold_query * n_items + rankings.gold_item
    found[at] = np.isin(query[at] * n_items + item[at], gold)
    return found
