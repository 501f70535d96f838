"""Tallies of a saved report: what each holds, as columns and as facts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from evalcore.evaluation.saved.columns import Columns, Written, distinct
from evalcore.tallies.ranked import RankedQueries
from evalcore.tallies.scores import ScoredRows
from evalcore.tallies.selections import ScoredLists
from evalcore.tallies.units import Column, UnitList, UnitLists, Units, UnitScores

Facts = Mapping[str, Any]
_PER_GOLD = ("rank", "tie_start", "tie_size", "tie_golds", "grade")
_PER_QUERY = ("n_gold", "n_ranked", "n_candidates")


def scores_facts(scores: UnitScores, out: Written) -> dict[str, Any]:
    """The facts of scored rows; their columns go into ``out``."""
    out.add("scores/has_evidence", scores.has_evidence)
    out.add("scores/score", scores.score)
    out.add_whole("scores/model", scores.model)
    out.add("scores/first_row", scores.first_row)
    for at, values in enumerate(scores.numbers.values()):
        out.add(f"scores/number_{at}", values)
    return {
        **_of_units(scores, "scores", out),
        "models": list(scores.models),
        "numbers": list(scores.numbers),
    }


def read_scores(facts: Facts, given: Columns, *, is_probability: bool) -> UnitScores:
    """Scored rows of their facts and columns; ``given`` collects what is wrong with them."""
    n, models = facts["n"], distinct(given, "scores, models", facts["models"])
    score = given.numbers("scores/score", n)
    outside = bool(is_probability and ((score < 0) | (score > 1)).any())
    given.hold(not outside, "scores/score", "another number", "probabilities from 0 to 1")
    numbers = {
        name: given.numbers(f"scores/number_{at}", n, may_lack=True)
        for at, name in enumerate(distinct(given, "scores, numbers", facts["numbers"]))
    }
    for name, values in numbers.items():
        stated = values[~np.isnan(values)] if name in ("selected_k", "n_candidates") else np.zeros(0)
        is_count = (stated >= 0) & (stated <= given.most) & (stated == np.floor(stated))
        given.hold(bool(is_count.all()), f"scores, {name}", "another number", "counts")
    if {"tau_neg", "tau_pos"} <= set(numbers) and len(numbers["tau_neg"]) == len(numbers["tau_pos"]):
        is_turned = bool((numbers["tau_neg"] > numbers["tau_pos"]).any())
        given.hold(not is_turned, "scores, tau_neg", "a threshold above tau_pos", "tau_neg ≤ tau_pos")
    return UnitScores(
        **_read_units(facts, "scores", given),
        has_evidence=given.flags("scores/has_evidence", n),
        score=score,
        model=given.codes("scores/model", n, len(models)),
        models=models,
        numbers=numbers,
        first_row=given.rows("scores/first_row", len(models)),
    )


def lists_facts(lists: UnitLists, out: Written) -> dict[str, Any]:
    """The facts of ranked queries and their lists; their columns go into ``out``."""
    return {
        **_of_units(lists, "lists", out),
        "lists": [
            {"name": name, **_of_list(one, f"lists/{at}", out)}
            for at, (name, one) in enumerate(lists.lists.items())
        ],
    }


def read_lists(facts: Facts, given: Columns) -> UnitLists:
    """Ranked queries of their facts and columns; ``given`` collects what is wrong with them."""
    names = distinct(given, "lists", (one["name"] for one in facts["lists"]))
    n = facts["n"]
    return UnitLists(
        **_read_units(facts, "lists", given),
        lists={
            name: _read_list(one, f"lists/{at}", n, given)
            for at, (name, one) in enumerate(zip(names, facts["lists"], strict=True))
        },
    )


def _of_units(rows: UnitScores | UnitLists, place: str, out: Written) -> dict[str, Any]:
    """What rows of both kinds have: their units, criteria and columns to break down by."""
    out.add_whole(f"{place}/criterion", rows.criterion)
    for at, (codes, _) in enumerate(rows.slices.values()):
        out.add_whole(f"{place}/slice_{at}", codes)
    return {
        "n": len(rows),
        "posts": _of_unit(rows.posts, f"{place}/post", out),
        "drawn_by": None if rows.drawn_by is None else _of_unit(rows.drawn_by, f"{place}/drawn_by", out),
        "criteria": [str(name) for name in rows.criterion_ids],
        "slices": [{"name": name, "levels": list(levels)} for name, (_, levels) in rows.slices.items()],
        "has_posts": bool(rows.has_posts),
    }


def _read_units(facts: Facts, place: str, given: Columns) -> dict[str, Any]:
    n, drawn_by = facts["n"], facts["drawn_by"]
    criteria = distinct(given, f"{place}, criteria", facts["criteria"])
    slices: dict[str, Column] = {}
    for at, one in enumerate(facts["slices"]):
        levels = distinct(given, f"{place}, levels", one["levels"])
        slices[one["name"]] = given.codes(f"{place}/slice_{at}", n, len(levels), may_lack=True), levels
    distinct(given, f"{place}, slices", (one["name"] for one in facts["slices"]))
    return {
        "posts": _read_unit(facts["posts"], f"{place}/post", n, given),
        "drawn_by": None if drawn_by is None else _read_unit(drawn_by, f"{place}/drawn_by", n, given),
        "criterion": given.codes(f"{place}/criterion", n, len(criteria), may_lack=True),
        "criterion_ids": np.array(criteria, object),
        "slices": slices,
        "has_posts": facts["has_posts"],
    }


def _of_unit(units: Units, place: str, out: Written) -> dict[str, Any]:
    out.add_whole(place, units.code)
    out.add(f"{place}_hash", units.hashed)
    return {"word": units.word, "n": len(units)}


def _read_unit(facts: Facts, place: str, n: int, given: Columns) -> Units:
    hashed = given.hashes(f"{place}_hash", facts["n"])
    return Units(given.codes(place, n, facts["n"]), hashed, facts["word"])


def _of_list(one: UnitList, place: str, out: Written) -> dict[str, Any]:
    return {
        "ranked": _of_ranked(one.ranked, f"{place}/ranked", out),
        "one_order": None if one.one_order is None else _of_ranked(one.one_order, f"{place}/one_order", out),
        "pairs": None if one.pairs is None else _of_pairs(one.pairs, f"{place}/pairs", out),
        "scored": None if one.scored is None else _of_scored(one.scored, f"{place}/scored", out),
    }


def _read_list(facts: Facts, place: str, n: int, given: Columns) -> UnitList:
    one_order, pairs, scored = (facts[name] for name in ("one_order", "pairs", "scored"))
    return UnitList(
        _read_ranked(facts["ranked"], f"{place}/ranked", n, given),
        None if one_order is None else _read_ranked(one_order, f"{place}/one_order", n, given),
        None if pairs is None else _read_pairs(pairs, f"{place}/pairs", n, given),
        None if scored is None else _read_scored(scored, f"{place}/scored", n, given),
    )


def _of_ranked(queries: RankedQueries, place: str, out: Written) -> dict[str, Any]:
    for name in ("query", *_PER_GOLD, *_PER_QUERY):
        out.add_whole(f"{place}/{name}", getattr(queries, name))
    return {"n": len(queries.query), "ties": queries.ties}


def _read_ranked(facts: Facts, place: str, n: int, given: Columns) -> RankedQueries:
    n_golds = facts["n"]
    query = given.codes(f"{place}/query", n_golds, n)
    of_gold = {
        name: given.counts(f"{place}/{name}", n_golds, least=int(name == "grade")) for name in _PER_GOLD
    }
    of_query = {name: given.counts(f"{place}/{name}", n) for name in _PER_QUERY}
    given.stop()  # what follows compares columns with each other
    _hold_by_query(query, of_query["n_gold"], place, given)
    deepest = of_query["n_ranked"][query]
    last_tied = of_gold["tie_start"] + np.maximum(of_gold["tie_size"], 1) - 1
    is_within = (of_gold["rank"] <= deepest) & (last_tied <= deepest)
    is_tied = (of_gold["tie_golds"] <= of_gold["tie_size"]) & (of_gold["tie_start"] <= of_gold["rank"])
    given.hold(bool((is_within & is_tied).all()), place, "a place beyond its list", "places in the list")
    return RankedQueries(query=query, **of_gold, **of_query, ties=facts["ties"])


def _of_pairs(pairs: ScoredRows, place: str, out: Written) -> dict[str, Any]:
    out.add(f"{place}/score", pairs.score)
    out.add(f"{place}/is_positive", pairs.is_positive)
    out.add_whole(f"{place}/query", pairs.post)
    return {"n": len(pairs)}


def _read_pairs(facts: Facts, place: str, n: int, given: Columns) -> ScoredRows:
    score = given.numbers(f"{place}/score", facts["n"])
    is_positive = given.flags(f"{place}/is_positive", facts["n"])
    return ScoredRows(score, is_positive, given.codes(f"{place}/query", facts["n"], n), n)


def _of_scored(lists: ScoredLists, place: str, out: Written) -> dict[str, Any]:
    out.add_whole(f"{place}/query", lists.query)
    out.add(f"{place}/score", lists.score)
    out.add(f"{place}/is_gold", lists.is_gold)
    out.add_whole(f"{place}/n_gold", lists.n_gold)
    return {"n": len(lists.query), "scale": lists.scale}


def _read_scored(facts: Facts, place: str, n: int, given: Columns) -> ScoredLists:
    query = given.codes(f"{place}/query", facts["n"], n)
    score = given.numbers(f"{place}/score", facts["n"])
    is_gold = given.flags(f"{place}/is_gold", facts["n"])
    n_gold = given.counts(f"{place}/n_gold", n)
    given.stop()
    is_sorted = bool((np.diff(query) >= 0).all()) and bool((np.diff(score)[np.diff(query) == 0] <= 0).all())
    given.hold(is_sorted, place, "candidates in another order", "each list best first")
    n_listed = np.bincount(query[is_gold], minlength=n)
    given.hold(bool((n_listed <= n_gold).all()), f"{place}/n_gold", "fewer", "as many as are listed")
    in_unit = facts["scale"] != "probability" or bool(((score >= 0) & (score <= 1)).all())
    given.hold(in_unit, f"{place}/score", "another number", "probabilities from 0 to 1")
    return ScoredLists(query, score, is_gold, n_gold, facts["scale"])


def _hold_by_query(query: Any, n_gold: Any, place: str, given: Columns) -> None:
    """Golds stand by query, and each query has as many as it says."""
    is_by_query = bool((np.diff(query) >= 0).all())
    is_counted = np.array_equal(np.bincount(query, minlength=len(n_gold)), n_gold)
    given.hold(is_by_query and is_counted, place, "golds of other queries", "n_gold golds of each query")
