"""What the first pages of a report say: the data, targets and verdicts, what stands first, groups, limits.

Whoever must answer for a choice reads these; everything behind them is the appendix.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from evalcore.catalog import METRICS, of_family
from evalcore.evaluation import Report
from evalcore.evaluation.gathering.evidence import SPLIT
from evalcore.figures.drawing.axes import shortened
from evalcore.report.facts import warnings
from evalcore.report.layout import Line, Value, family_title, is_default
from evalcore.spec import FAMILIES, Metric
from evalcore.text.numerals import percent_of

if TYPE_CHECKING:
    from evalcore.operating_point import OperatingPoint

USUAL_K = 10
"""Of several cut-offs the largest up to this one stands first."""
MOST_GROUPS = 12
MOST_LIMITS = 12
LONGEST_VERDICT = 200
"""Signs; names of groups can make one longer, and in full it stands in the appendix."""
FEW_POSITIVES = 20
"""Groups of fewer are grey on every page, and here."""


class RowsOf(NamedTuple):
    """Counted checks of one part of the data, each counted once whichever models scored it.

    Parameters
    ----------
    part : a value of the split column, ``all`` without one.
    n_posts, n_checks, n_positive : what is in it.
    """

    part: str
    n_posts: int
    n_checks: int
    n_positive: int

    @property
    def prevalence(self) -> str:
        """The share with evidence."""
        return percent_of(self.n_positive, self.n_checks)


class GroupLine(NamedTuple):
    """One group of a column, with a value or None for each model.

    Parameters
    ----------
    group : its level.
    n : what the values are over, as text.
    is_small : whether it rests on fewer than 20.
    values : of each model.
    """

    group: str
    n: str
    is_small: bool
    values: tuple[Value | None, ...]


class Groups(NamedTuple):
    """The groups of a column by one metric, the worst first.

    Parameters
    ----------
    column, label : what is grouped by, and the metric's label.
    models : of the columns.
    lines : at most `MOST_GROUPS`.
    n_more : how many groups the appendix has beside them.
    """

    column: str
    label: str
    models: tuple[str, ...]
    lines: tuple[GroupLine, ...]
    n_more: int


@dataclass(frozen=True)
class FirstPages:
    """What stands before the appendix.

    Parameters
    ----------
    rows : counted by split, where there are scored checks.
    point : sentences of the operating point; none where no document was given.
    targets : the verdict on every target in a line of a table, which stands first in place of the sentences;
        none where the document is of other rows.
    models : the columns of ``headlines``.
    headlines : family → the metrics that stand first, a value or None of each model.
    groups : of each column.
    limits : what is to be known, in plain words.
    n_more_limits : how many of them only the appendix has.
    """

    rows: tuple[RowsOf, ...]
    point: tuple[str, ...]
    targets: tuple[dict[str, str], ...]
    models: tuple[str, ...]
    headlines: dict[str, tuple[Line, ...]]
    groups: tuple[Groups, ...]
    limits: tuple[str, ...]
    n_more_limits: int


def first_pages(report: Report, values: Sequence[Value], point: OperatingPoint | None = None) -> FirstPages:
    """What the first pages say.

    Parameters
    ----------
    report : the values.
    values : the rows of its table, as `evalcore.report.layout.values` gives them.
    point : the document whose thresholds the report is at.
    """
    shown = [one for one in values if not one.is_spread and is_default(one) and _is_at(one, report)]
    overall = [one for one in shown if not one.group_by]
    models = tuple(dict.fromkeys(one.model for one in overall))
    limits = _limits(report, point)
    return FirstPages(
        rows_of(report),
        () if point is None else _of_point(report, point),
        () if point is None else _targets(report, point),
        models,
        _headlines(overall, models),
        tuple(_groups(shown, models)),
        tuple(limits[:MOST_LIMITS]),
        max(len(limits) - MOST_LIMITS, 0),
    )


def is_of_these_rows(point: OperatingPoint, report: Report) -> bool:
    """Whether every file that the document was made on is among those of the report, to the byte."""
    return {one["sha256"] for one in point.document["data"]} <= {one.sha256 for one in report.data.sources}


def _of_point(report: Report, point: OperatingPoint) -> tuple[str, ...]:
    """What the document says of these rows: its verdicts, or that they are of others."""
    if is_of_these_rows(point, report):
        return tuple(point.summary.splitlines())
    zones = (("skip below", point.tau_neg), ("alert from", point.tau_pos))
    rule = ", ".join(f"{does} {tau}" for does, tau in zones if tau is not None) or "everything is looked at"
    files = {one["file"]: one["sha256"] for one in point.document["data"]}
    named = " and ".join(f"{file} (SHA-256 {digest[:12]}…)" for file, digest in files.items())
    return (
        f"{rule[0].upper()}{rule[1:]}: thresholds that were chosen on other rows.",
        f"The document was made on {named}. Its verdicts are of those rows and not of these, so none stands "
        "here; what these rows show at its thresholds stands below.",
    )


def _targets(report: Report, point: OperatingPoint) -> tuple[dict[str, str], ...]:
    """The verdicts on these rows, however many groups fall short in no more than a few lines of a page."""
    from evalcore.report.point_page.facts import targets  # only whoever gives a document needs all of it

    if not is_of_these_rows(point, report):
        return ()
    found = targets(point.document, most_marked=1)
    return tuple(one | {"verdict": shortened(one["verdict"], LONGEST_VERDICT)} for one in found)


def rows_of(report: Report) -> tuple[RowsOf, ...]:
    """Posts, checks and checks with evidence of each split; empty where no checks are scored."""
    scores = report.gathered.scores
    if scores is None or not len(scores):
        return ()
    code = np.zeros(len(scores), np.intp)
    levels: tuple[str, ...] = ("all",)
    if SPLIT in scores.slices:
        own, names = scores.slices[SPLIT]
        code, levels = np.asarray(own), (*map(str, names), "without a split")
        code = np.where(code < 0, len(names), code)
    check = scores.query_key()
    counted = []
    for at, part in enumerate(levels):
        own = code == at
        if own.any():
            n_posts, n_checks = len(np.unique(scores.post[own])), len(np.unique(check[own]))
            counted.append(RowsOf(part, n_posts, n_checks, len(np.unique(check[own & scores.has_evidence]))))
    return tuple(counted)


def _is_at(value: Value, report: Report) -> bool:
    """Whether a value is at the K that stands first, where it is at one of several."""
    ks = report.options.ks
    if "k" not in value.declared.params or not ks:
        return True
    named = dict(part.split("=", 1) for part in value.own_params.split(";") if "=" in part)
    usual = max((k for k in ks if k <= USUAL_K), default=min(ks))
    return named.get("k") == str(usual)


def _stands_first(metric: Metric) -> bool:
    """Whether it is among those that its family is read and compared by."""
    return metric.compared > 0 or "family" in metric.headline


def _declares_some(family: str) -> bool:
    return any(map(_stands_first, of_family(family)))


def _headlines(overall: Sequence[Value], models: Sequence[str]) -> dict[str, tuple[Line, ...]]:
    """The metrics that stand first in each family that declares some; every metric where none does."""
    lines: dict[tuple[str, str], dict[str, Value]] = {}
    for one in overall:
        lines.setdefault((one.declared.key, one.params), {})[one.model] = one
    first = [key for key in lines if _stands_first(METRICS[key[0]])] or list(lines)
    found: dict[str, tuple[Line, ...]] = {}
    for key in sorted(first, key=_order):
        metric = METRICS[key[0]]
        family = family_title(metric.family)
        found[family] = (*found.get(family, ()), _line(metric, key[1], lines[key], models))
    return found


def _order(key: tuple[str, str]) -> tuple[int, float]:
    metric = METRICS[key[0]]
    return FAMILIES.index(metric.family), metric.compared or math.inf


def _line(metric: Metric, params: str, by_model: dict[str, Value], models: Sequence[str]) -> Line:
    some = next(iter(by_model.values()))
    shown = params.replace(";", ", ") if metric.is_cut or "k" in metric.params else ""
    values = tuple(map(by_model.get, models))
    return Line(metric.label, metric.key, shown, "default", some.population, values, metric.summary)


def _groups(shown: Sequence[Value], models: Sequence[str]) -> list[Groups]:
    """Of each column the groups by the first of its metrics that has a better direction."""
    found = []
    for column in dict.fromkeys(one.group_by for one in shown if one.group_by):
        of_column = [one for one in shown if one.group_by == column]
        if (led := _leading(of_column)) is None:
            continue
        metric, of_metric = led
        by_group: dict[str, dict[str, Value]] = {}
        for one in of_metric:
            by_group.setdefault(one.group, {})[one.model] = one
        sign = 1 if metric.better == "higher" else -1
        worst = sorted(by_group, key=lambda group: _badness(by_group[group], models, sign))
        shown_as = {group: group.replace(";", ", ") if ";" in column else group for group in worst}
        lines = tuple(_group_line(shown_as[group], by_group[group], models) for group in worst[:MOST_GROUPS])
        n_more = len(worst) - len(lines)
        found.append(Groups(column.replace(";", " and "), metric.label, tuple(models), lines, n_more))
    return found


def _leading(of_column: Sequence[Value]) -> tuple[Metric, list[Value]] | None:
    """The metric that groups are held to: screening where the gate is, else what is compared first."""
    by_metric: dict[str, list[Value]] = {}
    for one in of_column:
        by_metric.setdefault(one.declared.key, []).append(one)
    fitting = [METRICS[key] for key in by_metric if METRICS[key].better != "neither"]
    # What stands in no comparison, such as what enters a spread, makes no group worse than another.
    fitting = [one for one in fitting if _stands_first(one) or not _declares_some(one.family)]
    if not fitting:
        return None
    metric = min(fitting, key=lambda one: (not one.is_decided or not one.compared, one.compared or math.inf))
    return metric, by_metric[metric.key]


def _badness(by_model: dict[str, Value], models: Sequence[str], sign: int) -> tuple[bool, float]:
    first = next((by_model[model] for model in models if model in by_model), None)
    value = math.nan if first is None else first.value
    return math.isnan(value), sign * value if not math.isnan(value) else 0.0


def _group_line(group: str, by_model: dict[str, Value], models: Sequence[str]) -> GroupLine:
    ns = {one.n for one in by_model.values()}
    return GroupLine(
        group,
        " to ".join(f"{n:,}" for n in sorted({min(ns), max(ns)})),
        max(ns) < FEW_POSITIVES,
        tuple(map(by_model.get, models)),
    )


def _limits(report: Report, point: OperatingPoint | None) -> list[str]:
    """Warnings of the data and what the document says of itself, once each; notes stand with the data."""
    told = [f"{_place(one)}{one['text']}" for one in warnings(report.data)]
    is_own = point is not None and is_of_these_rows(point, report)
    own = [str(one) for one in point.document.get("limits", ())] if point is not None and is_own else []
    return list(dict.fromkeys([*own, *told]))


def _place(warning: dict[str, Any]) -> str:
    place = ", column ".join(filter(None, (warning["file"], warning["column"])))
    return f"{place}: " if place else ""
