"""Compare a table of results with the second implementations, on the data that it was computed from."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evalcore.crosscheck import rag, ranking
from evalcore.crosscheck.calibration import CALIBRATION
from evalcore.crosscheck.classification import CLASSIFICATION
from evalcore.crosscheck.extraction import EXTRACTION
from evalcore.crosscheck.gate import GATE
from evalcore.crosscheck.multilabel import MULTILABEL
from evalcore.crosscheck.ranking import RANKING
from evalcore.crosscheck.rows import PlainData
from evalcore.crosscheck.selected import selections

if TYPE_CHECKING:
    import pandas as pd

    from evalcore.data import Data

FAMILIES: Mapping[str, Mapping[str, Callable[..., float]]] = {
    "classification": CLASSIFICATION,
    "calibration": CALIBRATION,
    "gate": GATE,
    "ranking": RANKING,
    "extraction": EXTRACTION,
    "multilabel": MULTILABEL,
    "rag": rag.RAG,
}
SECOND: dict[str, Callable[..., float]] = {
    f"{family}.{name}": function
    for family, functions in FAMILIES.items()
    for name, function in functions.items()
}
"""Metric key → second implementation, a function of plain rows and the metric's parameters."""

ALLOWED = 0.01
NOISE = 1e-12
_WHOLE = ("k", "n_bins", "it", "delta", "k_min", "hard_cap")


@dataclass(frozen=True)
class Deviation:
    """How far the two implementations of one metric lie apart on the user's data.

    Parameters
    ----------
    key : the metric.
    n_values : values plain.
    largest : largest relative deviation |a − b| / max(|a|, |b|); 0 for equal values and for two values less
        than 1e-12 apart, infinite where only one of the two is defined.
    first, second, place : the values with the largest deviation, and which they are.
    """

    key: str
    n_values: int
    largest: float
    first: float
    second: float
    place: str


@dataclass(frozen=True)
class CrossCheck:
    """Both implementations of every metric on the user's data.

    Parameters
    ----------
    deviations : one for each metric of the table, in its order.
    missing : metrics, or values, of the table that could not be computed a second time.
    """

    deviations: tuple[Deviation, ...]
    missing: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether every metric has two implementations that differ by less than 1 % (document 000 §6.1)."""
        return not self.missing and all(deviation.largest < ALLOWED for deviation in self.deviations)


def compare(
    table: pd.DataFrame,
    data: Data,
    *,
    ties: str = "trec",
    tau_neg: float | None = None,
    annotators: tuple[str, ...] = (),
) -> CrossCheck:
    """Compute every overall value of a table a second time.

    Parameters
    ----------
    table : with the columns of ``metrics.csv``, values undefined as NaN (not filled). Rows of groups, or
        over groups, are left out, and so are values that need a probability and got none.
    data : what the table was computed from.
    ties : ``trec``, ``stable`` or ``expected``, as the table was computed.
    tau_neg : lower threshold of the gate before the extraction; None for the file's own, or none.
    annotators : whose responses count, as the table was computed.
    """
    plain = PlainData(data, ties, tau_neg, annotators)
    found: dict[str, list[Deviation]] = {}
    missing: dict[str, None] = {}
    for row in table[table.group_by == ""].itertuples(index=False):
        key = f"{row.family}.{row.metric}"
        params = dict(part.split("=", 1) for part in row.params.split(";") if part)
        over_groups = params.pop("over", "queries") != "queries"
        if over_groups or str(row.note).startswith("the score is not a probability"):
            continue
        if key not in SECOND:
            missing[key] = None
            continue
        named = "; ".join(text for text in (row.params, row.variant, row.population, row.model) if text)
        second = second_value(plain, key, params, row.variant, row.population, row.model)
        if second is None:
            missing[f"{key} ({named})"] = None
            continue
        apart = relative_deviation(row.value, second)
        found.setdefault(key, []).append(Deviation(key, 1, apart, row.value, second, named))
    return CrossCheck(tuple(_largest(of_metric) for of_metric in found.values()), tuple(missing))


def relative_deviation(first: float, second: float) -> float:
    """How far two values lie apart, relative to the larger one.

    >>> [relative_deviation(*pair) for pair in ((0.5, 0.25), (math.nan, math.nan), (math.nan, 1.0))]
    [0.5, 0.0, inf]
    """
    if math.isnan(first) or math.isnan(second):
        return 0.0 if math.isnan(first) and math.isnan(second) else math.inf
    if first == second or abs(first - second) <= NOISE:
        return 0.0
    return abs(first - second) / max(abs(first), abs(second))


def _largest(of_metric: list[Deviation]) -> Deviation:
    worst = max(of_metric, key=lambda deviation: deviation.largest)
    return Deviation(worst.key, len(of_metric), worst.largest, worst.first, worst.second, worst.place)


def second_value(
    plain: PlainData, key: str, params: Mapping[str, str], variant: str, population: str, model: str
) -> float | None:
    """One value a second time; None where the data do not hold what it was computed from.

    Parameters
    ----------
    plain : the data.
    key : a metric of `SECOND`.
    params, variant, population, model : as the table prints them.
    """
    function, family = SECOND[key], key.split(".")[0]
    given = {name: _read(name, text) for name, text in params.items() if name not in ("rule", "stat")}
    if family == "rag":
        given.pop("over", None)
        given |= {name: text for name, text in params.items() if name == "stat"}
        units = plain.judged(rag.TASK_OF[key.split(".")[1]])
        return None if units is None else rag.value(key.split(".")[1], units, variant, given)
    named = [name for name in variant.split(";") if name not in ("default", plain.ties)]
    variants, stat = ({"variant": named[0]} if named else {}), params.get("stat", "mean")
    rows, lists = plain.rows(model), plain.lists(model)
    if family == "ranking":
        if lists is None:
            return None
        of_queries = plain.ranking_values(model, lists, key.split(".")[1], {**given, **variants})
        return ranking.over(of_queries, population, stat)
    asked = variants | ({"stat": stat} if "stat" in params else {})
    if family == "extraction":
        if lists is None and key.startswith("extraction.evidence_"):
            return math.nan  # how many were selected is known, but not which
        selected = selections(plain, given, model)
        return None if selected is None else function(selected, population=population, **asked)
    if key in ("classification.pair_auroc", "classification.pair_auprc"):
        return None if lists is None else function(*lists.pairs, **given, **asked)
    if rows is None:
        return None
    if family == "multilabel":
        return function(rows.cells, **given, **asked)
    by_row = {name: rows.numbers[name] for name, value in given.items() if value == "by_row"}
    return function(rows.scores, rows.labels, **{**given, **by_row}, **asked)


def _read(name: str, text: str) -> Any:
    if name in _WHOLE:
        return int(text)
    try:
        return text if name == "ratio" else float(text)
    except ValueError:
        return text
