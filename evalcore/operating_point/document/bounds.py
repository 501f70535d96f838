"""Whether the bounds of a document are those that its own counts make, without its data."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from evalcore.inference.binomial import clopper_pearson
from evalcore.operating_point.choosing.estimates import MISSED, ONE_SIDED, RATES, REPORT_LEVEL
from evalcore.operating_point.choosing.rate_intervals import METHOD
from evalcore.operating_point.document.stated import StatedRows, counts_of, stated_rows
from evalcore.operating_point.missed import missed_per_1000
from evalcore.operating_point.rules import FIRST
from evalcore.problems import Problem, problem
from evalcore.spec import METRICS, Metric

TOLERANCE = 1e-9
_HALF_OF_LAST_DIGIT = 0.05 + 1e-6
_EXACT = re.compile(
    r"(?:korn_graubard|strict|clopper_pearson)\(n_eff=(?P<n>\d+\.\d)(?:;rho=-?\d\.\d{3})?;sides=(?P<sides>[12])"
    r"(?:;independence_assumed)?\)",
    re.ASCII,
)
_DRAWN = re.compile(rf"{METHOD}\((?P<unit>.*)=(?P<n>\d+);B=\d+;undefined=\d+;seed=\d+;sides=2\)", re.S)


def false_bounds(document: Mapping[str, Any], file: str | None = None) -> list[Problem]:
    """Where an interval is not the one that the counts beside it make.

    An exact interval follows from the counts, the number of independent cases that it stands for, its level
    and its sides. One by bootstrap cannot be drawn again without the data: it may stand beside a rate only,
    and its ends must lie in their order where the metric can.

    Parameters
    ----------
    document : after the schema.
    file : the file's name, for messages.

    Returns
    -------
    list of problems: DOC-030.
    """
    rows = {one.role: one for one in stated_rows(document)}
    levels = {entry["metric"]: entry.get("confidence") for entry in document["selection"]["constraints"]}
    found = []
    for at, entry in enumerate(document["estimates"]):
        level = levels.get(entry["metric"]) or REPORT_LEVEL
        told = _of_estimate(entry, rows.get(entry["evaluated_on"]), level)
        found += [
            problem("DOC-030", file=file, place=f"estimates[{at}].{name}", found=wrong, expected=expected)
            for name, wrong, expected in told
        ]
    return found


def _of_estimate(
    entry: Mapping[str, Any], rows: StatedRows | None, level: float
) -> Iterator[tuple[str, str, str]]:
    """Each as (place, what was found, what was expected)."""
    counts, metric = counts_of(entry), METRICS.get(entry["metric"])
    for name in ("ci", "ci_if_independent"):
        interval = entry.get(name)
        if interval is None or metric is None:
            continue
        if rows is None or counts is None:
            yield name, "an interval", "none beside an estimate without rows or counts of its own"
            continue
        sides = 1 if metric.name in ONE_SIDED else 2
        if (interval["level"], interval["sides"]) != (level, sides):
            yield (
                name,
                f"a level of {interval['level']:g} and {interval['sides']} sides",
                f"{level:g} and {sides}",
            )
        elif name == "ci" and interval["method"].startswith(METHOD):
            yield from _of_bootstrap(metric, interval, rows)
        else:
            yield from _of_exact(name, entry, interval, counts, rows)


def _of_bootstrap(
    metric: Metric, interval: Mapping[str, Any], rows: StatedRows
) -> Iterator[tuple[str, str, str]]:
    if metric.name not in RATES:
        yield "ci.method", repr(interval["method"][:60]), "an exact bound for a share near 0 or 1"
        return
    drawn = _DRAWN.fullmatch(interval["method"])
    n_units = rows.n_units if rows.has_units else rows.n_rows
    if drawn is None or drawn["n"] != str(n_units):
        yield "ci.method", repr(interval["method"][:60]), f"the {n_units:,} units of the rows"
    least, most = metric.bounds
    # A draw of all units holds at most all rows so many times: so large is a ratio of two counts at most.
    most = most if math.isfinite(most) else float(n_units * rows.n_rows)
    low, high = interval["low"], interval["high"]
    if low is None or high is None or not least <= low <= high <= most * (1 + TOLERANCE):
        yield "ci", f"the bounds {low} and {high}", f"two bounds in their order from {least:g} to {most:g}"


def _of_exact(
    name: str,
    entry: Mapping[str, Any],
    interval: Mapping[str, Any],
    counts: tuple[int, int],
    rows: StatedRows,
) -> Iterator[tuple[str, str, str]]:
    n_good, n = counts
    is_implied = entry["metric"] == MISSED and rows.rules != FIRST and rows.n_positives > 0
    if is_implied:
        n_good, n = rows.n_positives - n_good, rows.n_positives
    worth = interval.get("n_effective")
    if worth is None or not 0 <= n_good <= n or worth > n * (1 + TOLERANCE):
        yield name, f"a bound of {n_good:,} of {n:,} cases, worth {worth}", f"a worth of at most {n:,} cases"
        return
    stated = _stated_worth(interval, n, is_independent=name != "ci")
    if stated is None or abs(stated - worth) > _HALF_OF_LAST_DIGIT:
        yield f"{name}.method", repr(interval["method"][:60]), f"the method of a bound worth {worth:g} cases"
        return
    level, sides = interval["level"], interval["sides"]
    bounds = clopper_pearson(n_good / n * worth, worth, confidence=level, sides=sides)
    low, high = float(bounds.low), float(bounds.high)
    scale = 1000.0 if entry["metric"].endswith("per_1000") else 1.0
    if is_implied:
        missed = missed_per_1000(low, high, prevalence=rows.n_positives / max(rows.n_rows, 1))
        (low, high), scale = (float(bound) for bound in missed), 1.0
    for key, expected in (("low", low * scale), ("high", None if sides == 1 else high * scale)):
        got = interval[key]
        if (got is None) != (expected is None) or (
            got is not None
            and expected is not None
            and not abs(got - expected) <= TOLERANCE * max(1.0, abs(expected))
        ):
            makes = "none" if expected is None else f"{expected:.10g}"
            yield f"{name}.{key}", str(got), f"{makes}, which {n_good:,} of {n:,} worth {worth:g} cases make"


def _stated_worth(interval: Mapping[str, Any], n: int, *, is_independent: bool) -> float | None:
    """How many independent cases a method says that it stands for; None for another method."""
    if is_independent:
        return float(n) if interval["method"] == "clopper_pearson" else None
    exact = _EXACT.fullmatch(interval["method"])
    return float(exact["n"]) if exact is not None and int(exact["sides"]) == interval["sides"] else None
