"""Pairs of tallies: what the shared queries of a group give under each of two systems."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.compare.evidence.gates import Gates
from evalcore.compare.pairing import NOWHERE, Codes, Mask, Paired
from evalcore.compare.sides import Side
from evalcore.data import Queries
from evalcore.drawn.weights import hashes
from evalcore.kernels.midranks import midranks
from evalcore.tallies.decisions import confusion_at, states_at
from evalcore.tallies.labels import LabelMatrix
from evalcore.tallies.ranked import RankedQueries
from evalcore.tallies.scores import PairTable, ScoredRows, ScoreTable
from evalcore.tallies.selections import Selections, states_selection

Both = tuple[Any, Any]
DECISION = ("decision", (0.5, 0.5))
"""Where nobody names a gate: the rule of document 002 §2.3, a score of 0.5 calls a query positive."""


@dataclass(frozen=True, eq=False)
class Group:
    """Shared queries that are compared together.

    Parameters
    ----------
    paired : what they are of.
    group_by, group : column and level, empty for all shared queries.
    n, n_positive : queries, and those with evidence or gold.
    code : int codes 0 … P − 1, shape (n,): what each is drawn and swapped with.
    units : which of the units of ``paired`` these are, shape (P,).
    hashed : uint64, shape (P,), from their ids.
    """

    paired: Paired
    group_by: str
    group: str
    n: int
    n_positive: int
    code: Codes
    units: Codes
    hashed: NDArray[np.uint64]

    @property
    def word(self) -> str:
        """What is drawn."""
        return self.paired.word


@dataclass(frozen=True, eq=False)
class Pair:
    """A kind of tally of one group under each system.

    Parameters
    ----------
    kind : name of the tally's class.
    group : whose it is.
    made_with : what the tallies were made with, for both.
    printed : the same as the table states it.
    tallies : of the first system and of the second.
    code : the unit of each query or post of a tally.
    rows : the scored rows that are counted, where the kind counts rows.
    n, n_positive : queries that the tallies hold, and those with evidence or gold.
    other_code : as ``code``, of the second system's tally; None where it is the same.
    """

    kind: str
    group: Group
    made_with: Mapping[str, Any]
    printed: Mapping[str, Any]
    tallies: Both
    code: Codes
    rows: tuple[ScoredRows, ScoredRows] | None
    n: int
    n_positive: int
    other_code: Codes | None = None

    @property
    def codes(self) -> tuple[Codes, Codes]:
        """The unit of each query or post of each system's tally."""
        return self.code, self.code if self.other_code is None else self.other_code

    def joined(self) -> Any:
        """One tally of both, the second system's units after the first's; of rows see `joined_rows`."""
        first, second = self.tallies
        return first if self.rows is not None else first.merge(second)

    @cached_property
    def joined_code(self) -> Codes:
        """The unit of each query or post of `joined`, 0 … 2·P − 1."""
        first, second = self.codes
        return np.concatenate([first, second + len(self.group.hashed)])

    def joined_rows(self, *, as_ranks: bool) -> ScoredRows | None:
        """The rows of both systems with units 0 … 2·P − 1.

        Parameters
        ----------
        as_ranks : whether scores are replaced by their ranks within each system, so that a swap does not mix
            two scales.

        Source
        ------
        Ranks exchanged between two systems: Venkatraman and Begg 1996, Biometrika 83:835.
        """
        if self.rows is None:
            return None
        scores = [midranks(one.score) if as_ranks else one.score for one in self.rows]
        first, second = self.rows
        return ScoredRows(
            np.concatenate(scores),
            np.concatenate([first.is_positive, second.is_positive]),
            np.concatenate([first.post, second.post + first.n_posts]),
            first.n_posts + second.n_posts,
        )


def score_pairs(
    paired: Paired,
    sides: tuple[Side, Side],
    gates: Gates | None,
    by: tuple[str, ...],
    kinds: Collection[str],
) -> Iterator[Pair]:
    """The pairs of labels and scores.

    Parameters
    ----------
    paired : the shared checks.
    sides : the two systems, with scored rows.
    gates : the gate of each, where rates of a gate are compared.
    by : columns to break down by.
    kinds : the kinds of tally that are wanted.
    """
    whole = _shared(sides[0], paired.first), _shared(sides[1], paired.second)
    for group, members in groups_of(paired, by, whole[0].has_evidence):
        queries = [one.where(members) for one in whole]
        rows = _rows(queries[0].score, queries[1].score, queries[0].has_evidence, group)
        yield from _of_rows(group, rows, gates, kinds)
        if "LabelMatrix" in kinds and paired.word == "posts":
            of_units = [replace(one, post=group.code, has_posts=True) for one in queries]
            yield from _of_posts(group, of_units, gates)
        if "Selections" in kinds:
            yield from _of_selections(group, queries, sides, gates)


def list_pairs(
    paired: Paired, sides: tuple[Side, Side], by: tuple[str, ...], kinds: Collection[str]
) -> Iterator[Pair]:
    """The pairs of ranked lists, over the queries with gold that are compared.

    Parameters
    ----------
    paired : the shared queries.
    sides : the two systems, with lists.
    by, kinds : as of `score_pairs`.
    """
    places = paired.first, paired.second
    ranked = [_with_empty_lists(sides, places, at) for at in (0, 1)]
    scored = [_scored(side, at) for side, at in zip(sides, places, strict=True)]
    for group, members in groups_of(paired, by, np.ones(len(paired.post), bool)):
        if "RankedQueries" in kinds:
            lists = tuple(one.where(members) for one in ranked)
            yield Pair(
                "RankedQueries", group, {}, {}, (lists[0], lists[1]), group.code, None, group.n, group.n
            )
        if "PairTable" in kinds and scored[0] is not None and scored[1] is not None:
            unit = np.full(len(members), -1)
            unit[members] = group.code
            first, second = (
                ScoredRows(one.score[kept], one.is_positive[kept], unit[one.post[kept]], len(group.hashed))
                for one in (scored[0], scored[1])
                for kept in [members[one.post]]
            )
            tables = PairTable.from_rows(first), PairTable.from_rows(second)
            yield Pair("PairTable", group, {}, {}, tables, group.code, (first, second), group.n, group.n)


def groups_of(paired: Paired, by: tuple[str, ...], is_positive: Mask) -> Iterator[tuple[Group, Mask]]:
    """All shared queries, then each group of them, with a mask.

    Parameters
    ----------
    paired : the shared queries.
    by : columns to break down by.
    is_positive : which have evidence or gold, shape (N,).
    """
    hashed = hashes(paired.post_ids)
    for group_by, group, members in paired.groups(by):
        before, code = np.unique(paired.post[members], return_inverse=True)
        n, n_positive = (int(np.count_nonzero(one)) for one in (members, members & is_positive))
        yield Group(paired, group_by, group, n, n_positive, code, before, hashed[before]), members


def _shared(side: Side, at: Codes) -> Queries:
    """The shared checks of one system; the thresholds that its rows state are not taken for both."""
    assert side.queries is not None
    queries = side.queries.where(at)  # type: ignore[arg-type]  # places do as well as a mask
    kept = {name: values for name, values in queries.numbers.items() if not name.startswith("tau_")}
    return replace(queries, numbers=kept)


def _rows(first: Any, second: Any, is_positive: Mask, group: Group) -> tuple[ScoredRows, ScoredRows]:
    n_units = len(group.hashed)
    return (
        ScoredRows(first, is_positive, group.code, n_units),
        ScoredRows(second, is_positive, group.code, n_units),
    )


def _of_rows(
    group: Group, rows: tuple[ScoredRows, ScoredRows], gates: Gates | None, kinds: Collection[str]
) -> Iterator[Pair]:
    """Tallies that count scored rows."""

    def pair(kind: str, made_with: Any, printed: Any, tallies: Both, counted: Any) -> Pair:
        return Pair(kind, group, made_with, printed, tallies, group.code, counted, group.n, group.n_positive)

    if "ScoreTable" in kinds:
        tables = ScoreTable.from_rows(rows[0]), ScoreTable.from_rows(rows[1])
        yield pair("ScoreTable", {}, {}, tables, rows)
    for rule, thresholds in _rules(gates) if "Confusion" in kinds else ():
        made_with: dict[str, Any] = {"threshold": thresholds[0], "rule": rule}
        counted = rows
        if thresholds[0] != thresholds[1]:
            # What is called by a threshold of one's own is called by 1 of these scores.
            first, second = ((one.score >= at) * 1.0 for one, at in zip(rows, thresholds, strict=True))
            made_with["threshold"], counted = 1.0, _rows(first, second, rows[0].is_positive, group)
        counts = [confusion_at(ScoreTable.from_rows(one), made_with["threshold"]) for one in counted]
        yield pair("Confusion", made_with, _named(gates, rule, thresholds), _pair_of(counts), counted)
    if gates is not None and "StateCounts" in kinds:
        taus, counted = gates.first, rows
        if gates.first != gates.second:
            states = _states(rows[0].score, *gates.first), _states(rows[1].score, *gates.second)
            taus, counted = (1.0, 2.0), _rows(states[0], states[1], rows[0].is_positive, group)
        low, high = taus[0], np.inf if taus[1] is None else taus[1]
        found = [states_at(ScoreTable.from_rows(one), low, high) for one in counted]
        yield pair("StateCounts", {"tau_neg": low, "tau_pos": high}, gates.printed, _pair_of(found), counted)


def _rules(gates: Gates | None) -> list[tuple[str, tuple[float, float]]]:
    """The rules by which a score calls a query positive, with the threshold of each system."""
    if gates is None or not gates.is_asked:
        return [DECISION]
    (first, first_high), (second, second_high) = gates.first, gates.second
    rules = [("screened_in", (first, second))]
    return (
        rules if first_high is None or second_high is None else [*rules, ("alert", (first_high, second_high))]
    )


def _named(gates: Gates | None, rule: str, thresholds: tuple[float, float]) -> dict[str, Any]:
    """What a rule's threshold is called in the table: itself, or the target where each system has its own."""
    is_own = gates is not None and gates.is_asked and "tau_neg" not in gates.printed
    return {**gates.printed, "rule": rule} if gates and is_own else {"threshold": thresholds[0], "rule": rule}


def _states(score: NDArray[np.float64], low: float, high: float | None) -> NDArray[np.float64]:
    """0 in state NEG, 2 in state POS, otherwise 1."""
    return np.where(score < low, 0.0, np.where(score >= (np.inf if high is None else high), 2.0, 1.0))


def _of_posts(group: Group, queries: list[Queries], gates: Gates | None) -> Iterator[Pair]:
    """Tallies of whole posts."""
    placed = queries[0].criterion >= 0
    if not placed.any():
        return
    code = np.unique(group.code[placed])
    for rule, thresholds in _rules(gates):
        matrices = [LabelMatrix.from_queries(one, at) for one, at in zip(queries, thresholds, strict=True)]
        made_with = {"threshold": thresholds[0], "rule": rule}
        printed = _named(gates, rule, thresholds)
        yield Pair(
            "LabelMatrix",
            group,
            made_with,
            printed,
            _pair_of(matrices),
            code,
            None,
            group.n,
            group.n_positive,
        )


def _of_selections(
    group: Group, queries: list[Queries], sides: tuple[Side, Side], gates: Gates | None
) -> Iterator[Pair]:
    """What both systems state to have selected for a check."""
    if not all("selected_k" in one.numbers for one in queries):
        return
    each = [states_selection(one, side.rankings) for one, side in zip(queries, sides, strict=True)]
    stated = each[0] & each[1]
    found = []
    for at, (one, side) in enumerate(zip(queries, sides, strict=True)):
        chosen = Selections.from_queries(one.where(stated), side.rankings, side.ranked)
        if gates is not None and gates.is_asked:
            chosen = chosen.behind_gate(one.score[stated] >= (gates.first, gates.second)[at][0])
        found.append(chosen)
    made_with, code = {"policy": "selected_k"}, group.code[stated]
    n, n_positive = int(stated.sum()), int((stated & queries[0].has_evidence).sum())
    yield Pair("Selections", group, made_with, made_with, _pair_of(found), code, None, n, n_positive)


def _with_empty_lists(sides: tuple[Side, Side], places: tuple[Codes, Codes], at: int) -> RankedQueries:
    """The lists of one system; one that is not there is an empty one, with the gold that the other knows."""
    own, other = sides[at].ranked, sides[1 - at].ranked
    assert own is not None
    assert other is not None
    is_known = places[at] != NOWHERE
    if is_known.all():
        return own.take(places[at])
    gold = other.take(places[1 - at][~is_known])
    no_rank, none = np.zeros_like(gold.rank), np.zeros_like(gold.n_gold)
    empty = replace(
        gold,
        rank=no_rank,
        tie_start=no_rank,
        tie_size=no_rank,
        tie_golds=no_rank,
        n_ranked=none,
        n_candidates=none,
    )
    order = np.argsort(np.concatenate([np.flatnonzero(is_known), np.flatnonzero(~is_known)]))
    return own.take(places[at][is_known]).merge(empty).take(order)


def _scored(side: Side, at: Codes) -> ScoredRows | None:
    """The candidates that one system scored, each with the place of its query among the shared ones."""
    if side.rankings is None or not side.rankings.lists[side.list_name].has_scores:
        return None
    rows = PairTable.rows(side.rankings, side.list_name)
    place = np.full(side.rankings.n_queries, -1)
    place[at[at != NOWHERE]] = np.flatnonzero(at != NOWHERE)
    kept = place[rows.post] >= 0
    return ScoredRows(rows.score[kept], rows.is_positive[kept], place[rows.post[kept]], len(at))


def _pair_of(found: list[Any]) -> Both:
    first, second = found
    return first, second
