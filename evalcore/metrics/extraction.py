"""Evidence extraction with a K of its own for each query: what was selected, against the gold.

The evidence metrics are means over ``positives_only`` (queries with gold) or ``all_queries``, where a query
without gold counts 1 if nothing is selected and 0 otherwise, as document 001 has it. Behind a gate, a query
that does not pass has nothing selected. The counts of selected candidates are as they were selected.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.problems import InputError, problem
from evalcore.spec import Declared, PerQuery, Place, Undefined, metric
from evalcore.tallies.selections import Selections

PARAMS = ("policy", "k", "threshold", "gamma", "temperature", "k_min", "hard_cap", "ratio", "rounding")
EVIDENCE_VARIANTS = {
    "default": "a query with nothing selected, or stopped by the gate, counts as it stands",
    "defined_only": "without queries for which the quotient is 0/0 or nothing is selected",
    "conditional": "without queries that the gate stops",
}
F1_VARIANTS = {
    "default": "mean of each query's F1; a query stopped by the gate has nothing selected",
    "harmonic_mean_of_means": "2·P·R / (P + R) of the mean precision and the mean recall",
    "defined_only": EVIDENCE_VARIANTS["defined_only"],
    "conditional": EVIDENCE_VARIANTS["conditional"],
}
K_VARIANTS = {
    "default": "as selected, whatever a gate says",
    "conditional": "without queries that the gate stops",
}


def _none(mask: Callable[[Selections], NDArray[np.bool_]]) -> Callable[[Selections], bool]:
    return lambda selections: not bool(np.any(mask(selections)))


NO_QUERIES = Undefined(lambda selections: len(selections) == 0, "no queries")
NO_GOLD = Undefined(_none(lambda s: s.n_gold > 0), "no query with gold")
UNKNOWN_HITS = Undefined(
    lambda selections: selections.n_hits is None,
    "no ranked lists: which candidates were selected is not known",
)
ALL_STOPPED = Undefined(_none(lambda s: s.passed), "no query passes the gate", "conditional")
ALL_GOLD_STOPPED = Undefined(
    _none(lambda s: s.passed & (s.n_gold > 0)), "no query with gold passes the gate", "conditional"
)
NOTHING_SELECTED = Undefined(
    _none(lambda s: s.passed & (s.n_selected > 0) & (s.n_gold > 0)),
    "nothing selected for any query with gold",
    "defined_only",
)


def _known(variant: str, variants: dict[str, str]) -> str:
    if variant not in variants:
        expected = f"one of {', '.join(variants)}"
        raise InputError([problem("OPT-003", name="variant", found=repr(variant), expected=expected)])
    return variant


def _counts(selections: Selections) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Selected and hits of each query behind the gate, shape (Q,)."""
    n_hits = np.zeros(len(selections), np.int64) if selections.n_hits is None else selections.n_hits
    return np.where(selections.passed, selections.n_selected, 0), np.where(selections.passed, n_hits, 0)


def _left_out(selections: Selections, variant: str, *, needs_gold: bool) -> NDArray[np.bool_]:
    """The queries that do not enter the mean, shape (Q,)."""
    if variant == "conditional":
        return np.logical_not(selections.passed)
    if variant == "defined_only":
        n_selected, _ = _counts(selections)
        return np.asarray((n_selected == 0) | (needs_gold & (selections.n_gold == 0)))
    return np.zeros(len(selections), bool)


def _note(selections: Selections, *, variant: str = "default", needs_gold: bool, **_: Any) -> str:
    is_out = _left_out(selections, variant, needs_gold=needs_gold)
    n, n_gold = int(is_out.sum()), int((is_out & (selections.n_gold > 0)).sum())
    why = {
        "conditional": "stopped by the gate",
        "defined_only": f"with nothing selected{' or without gold' if needs_gold else ''}",
    }
    return (
        f"left out: {n:,} of {len(selections):,} queries, {why[variant]} ({n_gold:,} with gold)" if n else ""
    )


def _evidence(
    label: str,
    formula: str,
    source: str,
    variants: dict[str, str] = EVIDENCE_VARIANTS,
    *,
    needs_gold: bool,
    meaning: str,
    headline: tuple[Place, ...] = (),
) -> Declared:
    return metric(
        family="extraction",
        label=label,
        formula=formula,
        population=("positives_only", "all_queries"),
        undefined=(UNKNOWN_HITS, NO_GOLD, ALL_STOPPED, ALL_GOLD_STOPPED, NOTHING_SELECTED),
        bounds=(0, 1),
        better="higher",
        source=source,
        variants=variants,
        params=PARAMS,
        remark=lambda selections, **params: _note(selections, needs_gold=needs_gold, **params),
        meaning=meaning,
        headline=headline,
    )


def _per_query(
    selections: Selections,
    numerator: NDArray[np.int64],
    denominator: NDArray[np.int64],
    variant: str,
    *,
    needs_gold: bool,
) -> PerQuery:
    """The quotients; 001's convention where there is no gold, 0 where the denominator is 0 beside gold."""
    n_selected, _ = _counts(selections)
    quotient = np.divide(numerator, denominator, out=np.zeros(len(selections)), where=denominator > 0)
    values = np.where(selections.n_gold > 0, quotient, n_selected == 0)
    is_out = _left_out(selections, variant, needs_gold=needs_gold)
    return PerQuery(np.where(is_out | (selections.n_hits is None), math.nan, values))


@_evidence(
    "Evidence recall",
    "|selected ∩ G| / |G|, mean over queries",
    "002 §4.2, 001 §3.1",
    needs_gold=True,
    meaning="share of a query's gold that is selected",
    headline=("steps",),
)
def evidence_recall(selections: Selections, *, variant: str = "default") -> PerQuery:
    """Share of a query's gold that is selected, with the K that was selected for this query.

    Parameters
    ----------
    selections : Q queries.
    variant : ``default``; ``defined_only`` leaves out queries with nothing selected or without gold;
        ``conditional`` leaves out queries that the gate stops, which otherwise count 0.

    Returns
    -------
    PerQuery of shape (Q,); NaN where it is left out, or everywhere when only the number selected is
    known. A query without gold: 1 if nothing is selected, else 0.

    Raises
    ------
    InputError : for an unknown variant.

    Source
    ------
    Queries without gold: document 001 §3.1.

    Examples
    --------
    >>> from evalcore.tallies.ranked import RankedQueries
    >>> lists = RankedQueries.from_lists([{"a": 1, "d": 1}, {}], [["b", "a", "c"], ["e"]])
    >>> evidence_recall(Selections.of_first(lists, np.array([2, 0]))).values.tolist()
    [0.5, 1.0]
    """
    _known(variant, EVIDENCE_VARIANTS)
    _, n_hits = _counts(selections)
    return _per_query(selections, n_hits, selections.n_gold, variant, needs_gold=True)


@_evidence(
    "Evidence precision",
    "|selected ∩ G| / |selected|, mean over queries",
    "002 §4.3, 001 §3.2",
    needs_gold=False,
    meaning="share of the selected candidates that are gold",
)
def evidence_precision(selections: Selections, *, variant: str = "default") -> PerQuery:
    """Share of the selected candidates of a query that are gold.

    Parameters
    ----------
    selections : Q queries.
    variant : ``default``; ``defined_only`` leaves out queries with nothing selected; ``conditional`` leaves
        out queries that the gate stops, which otherwise have nothing selected.

    Returns
    -------
    PerQuery of shape (Q,); 0 for a query with gold and nothing selected; NaN where it is left out, or
    everywhere when only the number selected is known. A query without gold: 1 if nothing is selected,
    else 0.

    Raises
    ------
    InputError : for an unknown variant.

    Source
    ------
    Queries without gold: document 001 §3.2.

    Examples
    --------
    >>> from evalcore.tallies.ranked import RankedQueries
    >>> lists = RankedQueries.from_lists([{"a": 1}, {"e": 1}], [["b", "a", "c"], ["e"]])
    >>> chosen = Selections.of_first(lists, np.array([2, 0]))
    >>> [evidence_precision(chosen, variant=name).values.tolist() for name in ("default", "defined_only")]
    [[0.5, 0.0], [0.5, nan]]
    """
    _known(variant, EVIDENCE_VARIANTS)
    n_selected, n_hits = _counts(selections)
    return _per_query(selections, n_hits, n_selected, variant, needs_gold=False)


@_evidence(
    "Evidence F1",
    "2·|selected ∩ G| / (|selected| + |G|), mean over queries",
    "design contract, Evidence extraction; 002 §4.2, §4.3",
    F1_VARIANTS,
    needs_gold=True,
    meaning="mean of each query's F1",
)
def evidence_f1(selections: Selections, *, variant: str = "default") -> Any:
    """Harmonic mean of a query's evidence precision and recall.

    The mean of the queries' F1 is not the F1 of the mean precision and recall: that one is a variant.

    Parameters
    ----------
    selections : Q queries; for ``harmonic_mean_of_means`` those of one population.
    variant : ``default``; ``harmonic_mean_of_means``; ``defined_only`` leaves out queries with nothing
        selected or without gold; ``conditional`` leaves out queries that the gate stops.

    Returns
    -------
    PerQuery of shape (Q,), as for precision and recall; a float for ``harmonic_mean_of_means``, 0 when
    both means are 0.

    Raises
    ------
    InputError : for an unknown variant.

    Examples
    --------
    >>> from evalcore.tallies.ranked import RankedQueries
    >>> lists = RankedQueries.from_lists([{"a": 1}, {"c": 1, "e": 1}], [["a", "b"], ["e", "c"]])
    >>> chosen = Selections.of_first(lists, np.array([2, 1]))
    >>> evidence_f1(chosen).values.round(4).tolist()  # precision 1/2 and 1, recall 1 and 1/2
    [0.6667, 0.6667]
    >>> evidence_f1(chosen, variant="harmonic_mean_of_means")
    0.75
    """
    if _known(variant, F1_VARIANTS) == "harmonic_mean_of_means":
        everyone = np.ones(len(selections), bool)
        mean_precision, _ = evidence_precision(selections).over(everyone)
        mean_recall, _ = evidence_recall(selections).over(everyone)
        total = mean_precision + mean_recall
        return 2 * mean_precision * mean_recall / total if total else total
    n_selected, n_hits = _counts(selections)
    return _per_query(selections, 2 * n_hits, n_selected + selections.n_gold, variant, needs_gold=True)


def _selected_k(label: str, formula: str, meaning: str) -> Declared:
    return metric(
        family="extraction",
        label=label,
        formula=formula,
        population=("all_queries", "positives_only", "negatives_only"),
        undefined=(NO_QUERIES, ALL_STOPPED),
        bounds=(0, math.inf),
        better="neither",
        source="002 §4.1, 001 §3.3",
        variants=K_VARIANTS,
        params=PARAMS,
        remark=lambda selections, **params: _note(selections, needs_gold=False, **params),
        meaning=meaning,
    )


def _numbers_selected(selections: Selections, variant: str) -> NDArray[np.float64]:
    is_out = _left_out(selections, _known(variant, K_VARIANTS), needs_gold=False)
    return np.where(is_out, math.nan, selections.n_selected)


@_selected_k("Mean selected K", "Σ |selected| / # queries", "candidates a query")
def mean_selected_k(selections: Selections, *, variant: str = "default") -> PerQuery:
    """Mean number of candidates selected for a query.

    Parameters
    ----------
    selections : Q queries.
    variant : ``default`` counts what was selected, whatever a gate says; ``conditional`` leaves out queries
        that the gate stops.

    Returns
    -------
    PerQuery of shape (Q,), each a count from 0; NaN where it is left out.

    Raises
    ------
    InputError : for an unknown variant.

    Examples
    --------
    >>> from evalcore.tallies.ranked import RankedQueries
    >>> lists = RankedQueries.from_lists([{"a": 1}, {}], [["a", "b", "c"], ["e"]])
    >>> mean_selected_k(Selections.of_first(lists, np.array([2, 2]))).over(np.ones(2, bool))
    (1.5, 2)
    """
    return PerQuery(_numbers_selected(selections, variant))


@_selected_k("Median selected K", "median of |selected| over queries", "half of the queries have no more")
def median_selected_k(selections: Selections, *, variant: str = "default") -> PerQuery:
    """Median number of candidates selected for a query.

    Parameters
    ----------
    selections : Q queries.
    variant : ``default`` counts what was selected, whatever a gate says; ``conditional`` leaves out queries
        that the gate stops.

    Returns
    -------
    PerQuery of shape (Q,), of which the metric is the median (halves where it lies between two counts);
    NaN where a query is left out.

    Raises
    ------
    InputError : for an unknown variant.
    """
    return PerQuery(_numbers_selected(selections, variant), quantile=0.5)


@_selected_k(
    "P90 selected K",
    "90th percentile of |selected| over queries, linear",
    "nine in ten queries have no more",
)
def p90_selected_k(selections: Selections, *, variant: str = "default") -> PerQuery:
    """90th percentile of the number of candidates selected for a query, for planning the work.

    Parameters
    ----------
    selections : Q queries.
    variant : ``default`` counts what was selected, whatever a gate says; ``conditional`` leaves out queries
        that the gate stops.

    Returns
    -------
    PerQuery of shape (Q,), of which the metric is the 90th percentile, linear between counts (as
    ``numpy.quantile``); NaN where a query is left out.

    Raises
    ------
    InputError : for an unknown variant.
    """
    return PerQuery(_numbers_selected(selections, variant), quantile=0.9)
