"""Which two models are compared, and under which names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evalcore.catalog import METRICS
from evalcore.data import Data, Queries, Rankings
from evalcore.operating_point.test_rows.row_sets import in_split
from evalcore.problems import InputError, Problem, problem
from evalcore.spec import Metric
from evalcore.tallies.ranked import RankedQueries


@dataclass(frozen=True, eq=False)
class Side:
    """One of the two models.

    Parameters
    ----------
    name : what it is called in the result.
    queries : its scored rows, or None.
    rankings, ranked : gold and queries of its list, and the list's tally, or None.
    is_probability : whether its scores are probabilities.
    list_name : what its list is called in ``rankings``; empty without one.
    """

    name: str
    queries: Queries | None
    rankings: Rankings | None
    ranked: RankedQueries | None
    is_probability: bool
    list_name: str = ""


def sides_of(
    data: Data, other: Data | None, first: str | None, second: str | None, *, split: str | None = None
) -> tuple[Side, Side]:
    """The two models, of one data set or of two; of a split only its checks, where one is named.

    Raises
    ------
    InputError : OPT-008 for names that the data do not hold, that are missing where there is a choice, or
        that have nothing to compare.
    """
    if other is None:
        first, second = _two_of(data, first, second)
    sides = _side(data, first, split), _side(other or data, second, split)
    if sides[0].name == sides[1].name:
        files = [one.sources[0].name if one.sources else "" for one in (data, other or data)]
        if files[0] == files[1]:
            files = [f"{files[0]} (1)", f"{files[1]} (2)"]
        sides = tuple(
            replace(one, name=f"{file}: {one.name}") for file, one in zip(files, sides, strict=True)
        )  # type: ignore[assignment]
    has_scores = all(side.queries is not None for side in sides)
    has_lists = all(side.ranked is not None for side in sides)
    if not has_scores and not has_lists:
        found = f"{sides[0].name} and {sides[1].name}, one with scores only and one with lists only"
        raise InputError([_option(found, "two models or two ranked lists", "Name two of a kind.")])
    return sides


def names_of(data: Data) -> tuple[str, ...]:
    """Every model and every list that can be compared, in the order of the data."""
    models = () if data.queries is None else data.queries.models
    lists = () if data.rankings is None else tuple(data.rankings.lists)
    return tuple(dict.fromkeys([*models, *lists]))


def comparable(data: Data, names: Sequence[str]) -> tuple[Metric, ...]:
    """The metrics that some models or lists of one data set have what is needed for, in display order."""
    queries, rankings, kinds = data.queries, data.rankings, set[str]()
    if queries is not None and set(names) <= set(queries.models):
        kinds |= {"ScoreTable", "Confusion", "StateCounts"}
        kinds |= {"LabelMatrix"} if queries.has_posts and (queries.criterion >= 0).any() else set()
        kinds |= {"Selections"} if any("selected_k" in one.columns for one in data.sources) else set()
    if rankings is not None and set(names) <= set(rankings.lists):
        kinds |= {"RankedQueries"}
        kinds |= {"PairTable"} if all(rankings.lists[name].has_scores for name in names) else set()
    return tuple(
        metric
        for metric in METRICS.values()
        if metric.tally in kinds and (data.score_kind == "probability" or not metric.needs_probability)
    )


def _two_of(data: Data, first: str | None, second: str | None) -> tuple[str, str]:
    if first is not None and second is not None:
        if first == second:
            raise InputError([_option(f"{first!r} twice", "two models", "Name two different ones.")])
        return first, second
    models = () if data.queries is None else data.queries.models
    lists = () if data.rankings is None else tuple(data.rankings.lists)
    pairs = [pair for pair in (models, lists) if len(pair) == 2]
    if len(pairs) == 1 and first is None and second is None:
        return pairs[0][0], pairs[0][1]
    found = ", ".join(names_of(data)) or "neither models nor lists"
    raise InputError([_option(found, "the two to compare", "Say --models A,B, or give two inputs.")])


def _side(data: Data, name: str | None, split: str | None) -> Side:
    models = () if data.queries is None else data.queries.models
    lists = () if data.rankings is None else tuple(data.rankings.lists)
    if name is None:
        if len(models) > 1 or len(lists) > 1 or not (models or lists):
            found = ", ".join(names_of(data)) or "neither models nor lists"
            raise InputError([_option(found, "one model or list an input", "Name them: --models A,B.")])
        model, list_name = (models or (None,))[0], (lists or (None,))[0]
    else:
        model, list_name = name if name in models else None, name if name in lists else None
        if model is None and list_name is None:
            found = f"no model and no list {name!r}"
            raise InputError([_option(found, f"one of {', '.join(names_of(data))}", "Check --models.")])
    queries = ranked = None
    if data.queries is not None and model is not None:
        keep = data.queries.model == models.index(model)
        queries = data.queries.where(keep if split is None else keep & in_split(data.queries, split))
    if data.rankings is not None and list_name is not None:
        ranked = RankedQueries.from_rankings(data.rankings, list_name)
    shown = model if model is not None else str(list_name)
    rankings = data.rankings if ranked is not None else None
    return Side(shown, queries, rankings, ranked, data.score_kind == "probability", list_name or "")


def _option(found: str, expected: str, advice: str) -> Problem:
    return problem("OPT-008", found=found, expected=expected, advice=advice)
