"""A metric is declared once: a plain function of a tally with its facts attached.

From the declaration follow the result table, ``docs/metrics.md``, the Reference page, tooltips and the
general tests. A forgotten fact is a `TypeError` at import.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar

from evalcore.spec.results import Mask, wrong_shape

Computes = TypeVar("Computes", bound=Callable[..., Any])
Better = Literal["higher", "lower", "neither"]
Side = Literal["above", "below"]
Cases = Callable[[Any, str], tuple[Mask, Mask]]
Place = Literal["family", "steps"]
"""Where a page shows a metric first: among those of its family, and for the steps of a pipeline (001)."""
FAMILIES = (
    "classification",
    "calibration",
    "gate",
    "ranking",
    "extraction",
    "multilabel",
    "rag",
    "recommender",
)
ABBREVIATIONS = ("rag",)
"""Families that are written in capitals."""


@dataclass(frozen=True)
class Undefined:
    """A case in which a metric, or one variant of it, has no value, and the reason that is printed."""

    holds: Callable[[Any], Any]
    reason: str
    variant: str | None = None


@dataclass(frozen=True)
class Drawn:
    """A way to a metric's values over replicates that is faster than one replicate at a time.

    Parameters
    ----------
    by : what the function takes: the ``order`` of scores (`evalcore.drawn.ranks.ReplicatedRanks`, whose
        counts may be of single precision: their products are taken in double precision), ``sums`` over scored
        rows (`evalcore.drawn.rows.ReplicatedRows`), or counts by criterion of posts with their ``labels``
        (`evalcore.drawn.labels.LabelCounts`).
    function : of that and of the metric's own parameters, giving values over replicates. The declared metric
        stays the definition: a test holds both equal.
    """

    by: Literal["order", "sums", "labels"]
    function: Callable[..., Any]


@dataclass(frozen=True)
class Metric:
    """A declared metric: the facts about it and the function that computes it.

    Calling it computes the value: ``metric(tally, **params)`` returns a `Ratio`, a `PerQuery`, an `OfTotals`
    or a number.
    What holds for every metric of a ``kind`` of tally stands with its class: ``is_of_scores``, ``is_decided``
    and why two systems are ``lacking`` it.
    """

    family: str
    name: str
    label: str
    summary: str
    formula: str
    population: tuple[str, ...]
    undefined: tuple[Undefined, ...]
    bounds: tuple[float, float]
    better: Better
    source: str
    variants: Mapping[str, str]
    params: tuple[str, ...]
    kind: type
    needs_probability: bool
    compared: int
    is_of_whole_list: bool
    is_cut: bool
    lies_beside: str
    counts: bool
    otherwise: tuple[str, ...]
    contract_value: float | Callable[[Any], float]
    remark: Callable[..., str] | None
    cases: Cases | None
    is_share: bool
    in_percent: bool
    labels: tuple[str, ...]
    monotone_in: tuple[str, ...]
    succeed: Side | None
    drawn: Drawn | None
    no_interval: str
    headline: tuple[Place, ...]
    chapter: str
    meaning: str
    short: str
    takes_counted: bool
    function: Callable[..., Any]

    @property
    def key(self) -> str:
        """The name others rely on, ``family.name``."""
        return f"{self.family}.{self.name}"

    @property
    def tally(self) -> str:
        """The name of the kind of tally that it is computed from."""
        return self.kind.__name__

    @property
    def lacking(self) -> str:
        """Why two systems cannot be compared by it, where they have no tally of its kind."""
        return str(getattr(self.kind, "lacking", "as not both have what it is computed from"))

    @property
    def is_of_scores(self) -> bool:
        """Whether its kind of tally counts scored rows, which are there wherever scores are."""
        return bool(getattr(self.kind, "is_of_scores", False))

    @property
    def is_decided(self) -> bool:
        """Whether thresholds have a part in its kind of tally."""
        return bool(getattr(self.kind, "is_decided", False))

    @property
    def is_of_order(self) -> bool:
        """Whether the value depends on the order of scores alone: two systems then swap ranks."""
        return self.drawn is not None and self.drawn.by == "order"

    @property
    def is_percent(self) -> bool:
        """Whether its value is a share of cases, each of which is so or not: people read it in percent."""
        is_of_cases = self.is_share or self.cases is not None or self.in_percent
        return is_of_cases and self.bounds == (0, 1)

    @property
    def default_variant(self) -> str:
        """The variant that is meant when nobody says otherwise."""
        return next(iter(self.variants), "default")

    def __call__(self, tally: Any, **params: Any) -> Any:
        try:
            found = self.function(tally, **params)
        except Exception as error:
            error.add_note(f"while computing {self.key}")
            raise
        wrong = wrong_shape(found)
        if wrong:
            raise TypeError(f"{self.key}: {wrong}")
        return found

    def reason(self, tally: Any, variant: str | None = None) -> str | None:
        """Why the metric, in the variant, is undefined on this tally, or None where it is defined."""
        cases = (case for case in self.undefined if case.variant in (None, variant))
        return next((case.reason for case in cases if bool(case.holds(tally))), None)


METRICS: dict[str, Metric] = {}


def declared(function: Callable[..., Any]) -> Metric:
    """The metric that a function was declared as, for what is about this one metric by nature.

    Raises
    ------
    TypeError : where it is none.
    """
    found = next((one for one in METRICS.values() if one.function is function), None)
    if found is None:
        raise TypeError(f"{getattr(function, '__qualname__', function)} is no declared metric")
    return found


class Declared(Protocol):
    """A decorator that declares a function and returns it as it is."""

    def __call__(self, function: Computes, /) -> Computes: ...


def metric(
    *,
    family: str,
    label: str,
    formula: str,
    population: str | tuple[str, ...],
    undefined: tuple[Undefined, ...],
    bounds: tuple[float, float],
    better: Better,
    source: str,
    variants: Mapping[str, str] | None = None,
    params: tuple[str, ...] = (),
    name: str | None = None,
    needs_probability: bool = False,
    compared: int = 0,
    is_of_whole_list: bool = False,
    is_cut: bool = False,
    lies_beside: str = "",
    counts: bool = False,
    otherwise: tuple[str, ...] = (),
    contract_value: float | Callable[[Any], float] = 0.0,
    remark: Callable[..., str] | None = None,
    cases: Cases | None = None,
    is_share: bool = False,
    in_percent: bool = False,
    labels: tuple[str, ...] = (),
    monotone_in: tuple[str, ...] = (),
    succeed: Side | None = None,
    drawn: Drawn | None = None,
    no_interval: str = "",
    headline: tuple[Place, ...] = (),
    chapter: str = "",
    meaning: str = "",
    short: str = "",
    takes_counted: bool = False,
) -> Declared:
    """Declare the decorated function as the metric ``family.name``.

    Parameters
    ----------
    family : one of `FAMILIES`.
    label : the name on a page, without parameters.
    formula : the definition in plain characters.
    population : what the value is over; several names where the value exists for each.
    undefined : the cases without a value, each with its reason.
    bounds : the range of the value.
    better : which direction is better.
    source : document and section, or the publication.
    variants : name → meaning, the default first; empty where there is one definition only.
    params : names of the parameters that have an influence, in the order in which they are printed.
    name : the metric's name where the function cannot have it (a builtin).
    needs_probability : whether the score must be a probability.
    compared : its place in a comparison that names no metrics, from 1 on; 0 where it stands in none.
    is_of_whole_list : whether a list is not cut at K where nobody asks for this metric at K.
    is_cut : whether it is a figure of the first K places, and none of the whole list.
    lies_beside : why its replicates lie beside the value, whose interval then comes from units left out in
        turn; empty where they lie around it.
    counts : whether its value is a number of things, such as items: the ends of its interval are shown so.
    otherwise : why it has no value where no case of ``undefined`` holds, as where it depends on K; of several
        reasons the result says which one (`OfTotals.reason`).
    contract_value : what ``undefined="contract"`` puts in place of NaN (document 000, section 5).
    remark : function of the tally and the parameters giving a sentence for the ``note`` column.
    cases : of a share near 0 or 1, whose interval is one for clustered shares: function of the decisions on
        rows and the variant, giving the masks of its cases and of those that succeed.
    is_share : whether every value of a query or answer is 0 or 1, so that their mean is a share: its cases
        are those with a value, its interval is one for shares, and a spread about it says nothing.
    in_percent : of a share of cases, each of which is so or not, that says so by neither ``cases`` nor
        ``is_share``, as its interval comes another way.
    labels : the labels of annotators that it is computed from; empty where it rests on none.
    monotone_in : of these labels those in which no further yes lowers it: what nobody annotated, filled with
        no and with yes, then bounds it.
    succeed : of a share whose cases are of one label, so that their scores alone decide: on which side of the
        threshold its successes lie. How alike the scores of a post are then tells how failures cluster.
    drawn : a faster way to its replicates; without one they are computed one at a time.
    no_interval : why percentiles over replicates are no interval of this metric; empty where they are.
    headline : the places that show it by default, or first.
    chapter : the part of its document that it stands in, where a family is read part by part.
    meaning : what a value says, in a few words beneath it on a page; the summary where nothing shorter does.
    short : the label where there is little room, such as the head of a table; by default the label.
    takes_counted : whether function and remark take queries that stand for several each; without it they are
        given one row for each query.
    """

    def declare(function: Computes) -> Computes:
        summary = (inspect.getdoc(function) or "").split("\n\n")[0].replace("\n", " ").strip()
        facts = {
            "label": label,
            "formula": formula,
            "population": population,
            "source": source,
            "docstring": summary,
        }
        missing = [fact for fact, given in facts.items() if not given]
        if missing:
            raise TypeError(f"metric {family}.{name or function.__name__}: no {', '.join(missing)}")
        if family not in FAMILIES:
            raise TypeError(f"metric {function.__name__}: unknown family {family!r}")
        tally = next(iter(inspect.signature(function).parameters.values())).annotation
        made = Metric(
            family=family,
            name=name or function.__name__,
            label=label,
            summary=summary,
            formula=formula,
            population=(population,) if isinstance(population, str) else population,
            undefined=undefined,
            bounds=bounds,
            better=better,
            source=source,
            variants=dict(variants or {}),
            params=params,
            kind=function.__globals__[tally] if isinstance(tally, str) else tally,
            needs_probability=needs_probability,
            compared=compared,
            is_of_whole_list=is_of_whole_list,
            is_cut=is_cut,
            lies_beside=lies_beside,
            counts=counts,
            otherwise=otherwise,
            contract_value=contract_value,
            remark=remark,
            cases=cases,
            is_share=is_share,
            in_percent=in_percent,
            labels=labels,
            monotone_in=monotone_in,
            succeed=succeed,
            drawn=drawn,
            no_interval=no_interval,
            headline=headline,
            chapter=chapter,
            meaning=meaning or summary.rstrip("."),
            short=short or label,
            takes_counted=takes_counted,
            function=function,
        )
        if made.key in METRICS:
            raise TypeError(f"metric {made.key} is declared twice")
        METRICS[made.key] = made
        return function

    return declare
