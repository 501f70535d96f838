"""A comparison in plain sentences."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from evalcore.catalog import METRICS
from evalcore.compare.gates import AT_ONE_PAIR
from evalcore.compare.pairing import Shared
from evalcore.compare.table import Comparison

FEW = 20
ALPHA = 0.05
DIFFERENT = "Different, neither direction better in itself"
OPEN = "Compatible with no difference"
UNDECIDED = "The interval excludes 0, but the test does not agree"
SMALL = f"Fewer than {FEW} cases, no verdict"
WITHOUT = "Without an interval"


def answer(comparison: Comparison) -> str:
    """What the table says about all shared queries: which metrics differ, which way, and which may not."""
    rows = comparison.table
    whole = rows[(rows["group_by"] == "") & ~rows["ci_method"].str.startswith("delong")]
    said: dict[str, list[str]] = {}
    for row in whole.to_dict("records"):
        words = standing(row, comparison.first, comparison.second)
        has_figures = words not in (SMALL, WITHOUT)
        name = f"{label_of(row)} {change_in_words(row)}" if has_figures else label_of(row)
        said.setdefault(words, []).append(name + (f" ({why})" if (why := decided_by(row)) else ""))
    last = [OPEN, UNDECIDED, SMALL, WITHOUT]
    order = [*(words for words in said if words not in last), *(words for words in last if words in said)]
    return (
        " ".join(f"{words}: {'; '.join(said[words])}." for words in order) or "There is nothing to compare."
    )


def answer_of_groups(
    comparison: Comparison, metric: str, group_by: str, names: Mapping[str, str] | None = None
) -> str:
    """What the groups of a column say about a metric: which differ, and which the test leaves open.

    Parameters
    ----------
    comparison : with a breakdown by the column.
    metric, group_by : key of the metric, and the column.
    names : group → its name to show, where that is another.
    """
    rows = comparison.of(metric, group_by=group_by).to_dict("records")
    named = [((names or {}).get(str(row["group"]), str(row["group"])), row) for row in rows]
    clear = ", ".join(name for name, row in named if is_clear(row)) or "none"
    told = [f"Different after Holm's adjustment over {len(rows)} groups: {clear}."]
    undecided = [f"{name} ({decided_by(row)})" for name, row in named if standing(row, "", "") == UNDECIDED]
    told += [f"{UNDECIDED}: {', '.join(undecided)}."] if undecided else []
    if any(math.isnan(row["p"]) for row in rows):
        told.append("Groups without a value leave the family.")
    few = [f"{name} ({n_that_count(row)})" for name, row in named if n_that_count(row) < FEW]
    told += [f"{SMALL}: {', '.join(few)}."] if few else []
    return " ".join(told)


def standing(row: Mapping[str, Any], first: str, second: str) -> str:
    """Under which words a row is told: which model is better, or why that is open."""
    if math.isnan(row["difference"]) or math.isnan(row["ci_low"]):
        return WITHOUT
    if n_that_count(row) < FEW:
        return SMALL
    if is_clear(row):
        return verdict(row, first, second)
    return UNDECIDED if excludes_zero(row) else OPEN


def decided_by(row: Mapping[str, Any]) -> str:
    """Which of interval and test decided, where the two disagree; empty where they agree."""
    if math.isnan(row["difference"]) or math.isnan(row["ci_low"]) or n_that_count(row) < FEW:
        return ""
    p, is_adjusted = deciding_p(row)
    if math.isnan(p) or excludes_zero(row) == (p <= ALPHA):
        return ""
    told = f"p = {row['p']:.3f}" + (f", {p:.3f} after Holm" if is_adjusted else "")
    return f"{told}: {'the test' if excludes_zero(row) else 'the interval'} decided"


def deciding_p(row: Mapping[str, Any]) -> tuple[float, bool]:
    """The p-value that counts, and whether it is the one adjusted over the groups of a column."""
    is_adjusted = bool(row["group_by"])
    return float(row["p_holm"] if is_adjusted else row["p"]), is_adjusted


def excludes_zero(row: Mapping[str, Any]) -> bool:
    """Whether the interval of the difference excludes 0."""
    return bool(row["ci_low"] > 0 or row["ci_high"] < 0)


def n_that_count(row: Mapping[str, Any]) -> int:
    """The fewest cases that a verdict would rest on: with evidence, or in the metric under either model."""
    return int(min(row["n_positive"], row["n_first"], row["n_second"]))


def is_clear(row: Mapping[str, Any]) -> bool:
    """Whether a row's interval excludes 0 and its test, where there is one, agrees at 5 %.

    In a breakdown the p-value adjusted over the groups counts.
    """
    p, _ = deciding_p(row)
    return excludes_zero(row) and (math.isnan(p) or p <= ALPHA) and n_that_count(row) >= FEW


def verdict(row: Mapping[str, Any], first: str, second: str) -> str:
    """Which model a clear difference speaks for; ``Different`` where neither direction is better.

    Rates at one pair of thresholds for both name no winner: sensitivity is traded for workload there, and a
    score of another scale trades otherwise.
    """
    better = METRICS[row["metric"]].better
    if better == "neither" or row["params"].startswith(AT_ONE_PAIR):
        return DIFFERENT
    is_second = (row["difference"] > 0) == (better == "higher")
    return f"{second if is_second else first} is better"


def label_of(row: Mapping[str, Any]) -> str:
    """A metric's short name with its cut-off."""
    label = METRICS[row["metric"]].label.split(" (")[0]
    k = row["params"].removeprefix("k=") if row["params"].startswith("k=") else ""
    return label.replace("@K", f"@{k}" if k else "")


def change_in_words(row: Mapping[str, Any]) -> str:
    """A difference with its interval, such as ``+0.0349 [+0.0201, +0.0497]``."""
    places = places_of(row["metric"])
    text = signed(row["difference"], places)
    if not math.isnan(row["ci_low"]):
        text += f" [{signed(row['ci_low'], places)}, {signed(row['ci_high'], places)}]"
    return text


def places_of(metric: str) -> int:
    """Decimals with which a metric's values are shown."""
    return 1 if METRICS[metric].bounds[1] > 1 else 4


def signed(value: float, places: int = 4) -> str:
    """A difference with its sign, or n/a.

    Examples
    --------
    >>> signed(-0.0312), signed(0.0), signed(float("nan"))
    ('−0.0312', '0.0000', 'n/a')
    """
    if math.isnan(value):
        return "n/a"
    text = f"{value:+.{places}f}".replace("-", "−")
    return text[1:] if float(f"{value:.{places}f}") == 0 else text


def dropped_in_words(shared: Shared, first: str, second: str) -> str:
    """How many queries were compared and what fell out.

    Examples
    --------
    >>> dropped_in_words(Shared("checks", 10, 2, 0, 1), "a", "b")
    '10 checks compared; 3 fell out: 2 only in a, 0 only in b, 1 with another label.'
    """
    if shared.what == "checks":
        other, only = "label", "{n:,} only in {name}"
    else:
        other, only = "gold", "only {name} has a list for {n:,}"
    sides = ((shared.n_first_only, first), (shared.n_second_only, second))
    told = [only.format(n=n, name=name) for n, name in sides]
    told += [f"neither for {shared.n_neither:,}"] if shared.n_neither else []
    told.append(f"{shared.n_other_label:,} with another {other}")
    dropped = f"{shared.n_dropped:,} fell out: {', '.join(told)}" if shared.n_dropped else "none fell out"
    missing = [
        f"{name} has no list for {n:,} of them"
        for n, name in ((shared.n_first_missing, first), (shared.n_second_missing, second))
        if n
    ]
    empty = (
        f" {' and '.join(missing)}: an empty list, which finds nothing, unless only shared ones are compared."
    )
    return f"{shared.n:,} {shared.what} compared; {dropped}." + (empty if missing else "")
