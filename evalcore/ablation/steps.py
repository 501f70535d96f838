"""The steps of a pipeline: lists and models of one data set, or of several files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from evalcore.data import Data, Queries, Rankings
from evalcore.tallies.ranked import RankedQueries
from evalcore.tallies.selections import ScoredLists

Pair = tuple[float | None, float | None]


@dataclass(frozen=True)
class RankedList:
    """One list of every query with its tallies, which are counted when first asked for and then kept.

    Parameters
    ----------
    rankings : gold and lists.
    name : the list, one of ``rankings.lists``.
    """

    rankings: Rankings
    name: str

    @cached_property
    def ranked(self) -> RankedQueries:
        """Where the gold of each query stands."""
        return RankedQueries.from_rankings(self.rankings, self.name)

    @cached_property
    def scored(self) -> ScoredLists:
        """The candidates of each query, to select from."""
        return ScoredLists.from_rankings(self.rankings, self.name)


@dataclass(frozen=True)
class Step:
    """One step of a pipeline: the scores of its queries, its ranked list, or both.

    Parameters
    ----------
    name : what the step is called; unique in a series.
    queries : rows of one model, or None.
    ranked_list : the list of the step, or None; steps that build on one list share it.
    tau_neg, tau_pos : the gate of the step, None for an empty zone.
    has_gate : whether the two thresholds hold; otherwise those that the rows state.
    """

    name: str
    queries: Queries | None = None
    ranked_list: RankedList | None = None
    tau_neg: float | None = None
    tau_pos: float | None = None
    has_gate: bool = False


def ranked_lists(data: Data) -> dict[str, RankedList]:
    """Every list of a data set by name, in the order of the data; empty without lists."""
    if data.rankings is None:
        return {}
    return {name: RankedList(data.rankings, name) for name in data.rankings.lists}


def steps_of(
    data: Data,
    *,
    lists: Mapping[str, str] | None = None,
    gates: Mapping[str, Pair] | None = None,
    ranked: Mapping[str, RankedList] | None = None,
) -> tuple[Step, ...]:
    """Each list and each model of one data set as a step: lists first, in the order of the data.

    Parameters
    ----------
    data : checked data; several configurations come as levels of its ``model`` column (also read as
        ``config``) or as several lists.
    lists : model → the list it builds on, for a model without a list of its own name.
    gates : model → (τ_neg, τ_pos); a model without one is judged by the thresholds its rows state.
    ranked : `ranked_lists` of the same data, for their tallies to be counted once for several series.
    """
    known_lists = ranked_lists(data) if ranked is None else ranked
    models = () if data.queries is None else data.queries.models
    steps = []
    for name in dict.fromkeys([*known_lists, *models]):
        list_name = name if name in known_lists else (lists or {}).get(name)
        queries = None
        if data.queries is not None and name in models:
            queries = data.queries.where(data.queries.model == models.index(name))
        tau_neg, tau_pos = (gates or {}).get(name, (None, None))
        ranked_list = None if list_name is None else known_lists[list_name]
        steps.append(Step(name, queries, ranked_list, tau_neg, tau_pos, name in (gates or {})))
    return tuple(steps)


def steps_of_files(files: Mapping[str, Data]) -> tuple[Step, ...]:
    """The steps of several data sets, one after the other; named ``file: list`` where one gives several."""
    steps = []
    for name, data in files.items():
        of_file = steps_of(data)
        for step in of_file:
            full_name = name if len(of_file) == 1 else f"{name}: {step.name}"
            steps.append(Step(full_name, step.queries, step.ranked_list))
    return tuple(steps)
