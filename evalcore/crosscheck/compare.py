"""Compare a table of results with the second implementations, on the data that it was computed from."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from evalcore.crosscheck import rag, ranking
from evalcore.crosscheck.calibration import CALIBRATION
from evalcore.crosscheck.classification import CLASSIFICATION
from evalcore.crosscheck.extraction import EXTRACTION
from evalcore.crosscheck.gate import GATE
from evalcore.crosscheck.multilabel import MULTILABEL
from evalcore.crosscheck.ranking import RANKING
from evalcore.crosscheck.recommender import RECOMMENDER
from evalcore.crosscheck.rows import PlainData
from evalcore.crosscheck.selected import selections

if TYPE_CHECKING:
    import pandas as pd

    from evalcore.data import Data

Function = Callable[..., float]
OF_ROWS: Mapping[str, Function] = {**CLASSIFICATION, **CALIBRATION, **GATE}
ALLOWED = 0.01
NOISE = 1e-12
_WHOLE = ("k", "n_bins", "it", "delta", "k_min", "hard_cap")


class Asked(NamedTuple):
    """A value of the table, as it prints it."""

    params: Mapping[str, str]
    variant: str
    population: str
    model: str
    group_by: str = ""
    group: str = ""

    @property
    def given(self) -> dict[str, Any]:
        """The parameters, without those that only name the value."""
        return {name: _read(name, text) for name, text in self.params.items() if name not in ("rule", "stat")}

    @property
    def stat(self) -> dict[str, str]:
        """Which figure about spread it is; empty for the metric itself."""
        return {"stat": self.params["stat"]} if "stat" in self.params else {}

    def variants(self, plain: PlainData) -> dict[str, str]:
        """The variant of the metric itself, where it has several."""
        named = [name for name in self.variant.split(";") if name not in ("default", plain.ties)]
        return {"variant": named[0]} if named else {}


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
    families: Mapping[str, Second],
    ties: str = "trec",
    tau_neg: float | None = None,
    annotators: tuple[str, ...] = (),
) -> CrossCheck:
    """Compute every overall value of a table a second time.

    Parameters
    ----------
    table : with the columns of ``metrics.csv``, values undefined as NaN (not filled). Rows over groups, and
        of groups where a family has them only broken down, are left out, and so are values that need a
        probability and got none.
    data : what the table was computed from.
    families : family → its second implementation.
    ties : ``trec``, ``stable`` or ``expected``, as the table was computed.
    tau_neg : lower threshold of the gate before the extraction; None for the file's own, or none.
    annotators : whose responses count, as the table was computed.
    """
    plain = PlainData(data, ties, tau_neg, annotators)
    found: dict[str, list[Deviation]] = {}
    missing: dict[str, None] = {}
    for row in table.itertuples(index=False):
        key = f"{row.family}.{row.metric}"
        family = families.get(row.family)
        if row.group_by and not (family and family.has_groups):
            continue
        params = dict(part.split("=", 1) for part in row.params.split(";") if part)
        over_groups = params.pop("over", "queries") not in ("queries", "users")
        if over_groups or str(row.note).startswith("the score is not a probability"):
            continue
        if family is None or row.metric not in family.functions:
            missing[key] = None
            continue
        named = "; ".join(text for text in (*row[2:6], row.group_by, row.group) if text)
        asked = Asked(params, row.variant, row.population, row.model, row.group_by, row.group)
        second = family.value(plain, row.metric, asked)
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


def _read(name: str, text: str) -> Any:
    if name in _WHOLE:
        return int(text)
    try:
        return text if name == "ratio" else float(text)
    except ValueError:
        return text


def of_annotations(plain: PlainData, name: str, asked: Asked) -> float | None:
    """A value over judged queries or answers."""
    units = plain.judged(rag.TASK_OF[name])
    given = {k: v for k, v in asked.given.items() if k != "over"}
    given |= {k: v for k, v in asked.params.items() if k == "stat"}
    return None if units is None else rag.value(name, units, asked.variant, given)


def of_lists(plain: PlainData, name: str, asked: Asked) -> float | None:
    """A value over ranked queries."""
    lists = plain.lists(asked.model)
    if lists is None:
        return None
    of_queries = plain.ranking_values(asked.model, lists, name, {**asked.given, **asked.variants(plain)})
    return ranking.over(of_queries, asked.population, asked.params.get("stat", "mean"))


def of_selections(plain: PlainData, name: str, asked: Asked) -> float | None:
    """A value over what was selected."""
    if plain.lists(asked.model) is None and name.startswith("evidence_"):
        return math.nan  # how many were selected is known, but not which
    selected = selections(plain, asked.given, asked.model)
    how = {**asked.variants(plain), **asked.stat}
    return None if selected is None else EXTRACTION[name](selected, population=asked.population, **how)


def of_posts(plain: PlainData, name: str, asked: Asked) -> float | None:
    """A value over whole posts."""
    rows = plain.rows(asked.model)
    how = {**asked.given, **asked.variants(plain), **asked.stat}
    return None if rows is None else MULTILABEL[name](rows.cells, **how)


def of_rows(plain: PlainData, name: str, asked: Asked) -> float | None:
    """A value over scored rows, or over the scored candidates of lists."""
    rows, how = plain.rows(asked.model), {**asked.variants(plain), **asked.stat}
    if name.startswith("pair_"):
        lists = plain.lists(asked.model)
        return None if lists is None else OF_ROWS[name](*lists.pairs, **asked.given, **how)
    if rows is None:
        return None
    by_row = {k: rows.numbers[k] for k, value in asked.given.items() if value == "by_row"}
    return OF_ROWS[name](rows.scores, rows.labels, **{**asked.given, **by_row}, **how)


def of_recommendations(plain: PlainData, name: str, asked: Asked) -> float | None:
    """A value over recommendation lists, of everybody or of a group of users, of items or of both."""
    data = plain.recommended(asked.model)
    groups = None if data is None else data.groups(asked.group_by, asked.group)
    if groups is None:
        return None
    params = dict(asked.params)
    return RECOMMENDER[name](
        data,
        k=int(params.pop("k", 0)),
        stat=params.pop("stat", "mean"),
        variant=asked.variant,
        population=asked.population,
        of_users=groups[0],
        of_items=groups[1],
        params=params,
    )


class Second(NamedTuple):
    """A family of metrics a second time.

    Parameters
    ----------
    functions : name → second implementation, a function of plain rows and the metric's parameters.
    value : one value of the table, from the data; None where they do not hold what it was computed from.
    has_groups : whether it knows the values of groups.
    """

    functions: Mapping[str, Function]
    value: Callable[[PlainData, str, Asked], float | None]
    has_groups: bool = False


OF_EVIDENCE: Mapping[str, Second] = {
    "classification": Second(CLASSIFICATION, of_rows),
    "calibration": Second(CALIBRATION, of_rows),
    "gate": Second(GATE, of_rows),
    "ranking": Second(RANKING, of_lists),
    "extraction": Second(EXTRACTION, of_selections),
    "multilabel": Second(MULTILABEL, of_posts),
}
OF_ANNOTATIONS: Mapping[str, Second] = {"rag": Second(rag.RAG, of_annotations)}
OF_RECOMMENDATIONS: Mapping[str, Second] = {
    "recommender": Second(RECOMMENDER, of_recommendations, has_groups=True)
}
