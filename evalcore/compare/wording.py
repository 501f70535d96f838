"""A comparison in plain sentences."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from evalcore.catalog import METRICS
from evalcore.compare.pairing import Shared
from evalcore.compare.table import Comparison

FEW = 20
ALPHA = 0.05


def answer(comparison: Comparison) -> str:
    """What the table says about all shared queries: which metrics differ, which way, and which may not."""
    rows = comparison.table
    whole = rows[(rows["group_by"] == "") & ~rows["ci_method"].str.startswith("delong")]
    differing, open_, small, without = [], [], [], []
    for row in whole.to_dict("records"):
        name = f"{label_of(row)} {change_in_words(row)}"
        if not is_clear(row) and (row["ci_low"] > 0 or row["ci_high"] < 0):
            name += f" (p = {row['p']:.3f})"
        if math.isnan(row["difference"]) or math.isnan(row["ci_low"]):
            without.append(label_of(row))
        elif row["n_positive"] < FEW:
            small.append(label_of(row))
        elif is_clear(row):
            differing.append((verdict(row, comparison.first, comparison.second), name))
        else:
            open_.append(name)
    parts = []
    for said in dict.fromkeys(words for words, _ in differing):
        parts.append(f"{said}: {'; '.join(name for words, name in differing if words == said)}.")
    if open_:
        parts.append(f"Compatible with no difference: {'; '.join(open_)}.")
    if small:
        parts.append(f"Fewer than {FEW} queries with evidence, no verdict: {', '.join(small)}.")
    if without:
        parts.append(f"Without an interval: {', '.join(without)}.")
    return " ".join(parts) or "There is nothing to compare."


def is_clear(row: Mapping[str, Any]) -> bool:
    """Whether a row's interval excludes 0 and its test, where there is one, agrees at 5 %.

    In a breakdown the p-value adjusted over the groups counts.
    """
    p = row["p_holm"] if row["group_by"] else row["p"]
    excludes = row["ci_low"] > 0 or row["ci_high"] < 0
    return bool(excludes and (math.isnan(p) or p <= ALPHA) and row["n_positive"] >= FEW)


def verdict(row: Mapping[str, Any], first: str, second: str) -> str:
    """Which model a clear difference speaks for; ``Different`` where neither direction is better."""
    better = METRICS[row["metric"]].better
    if better == "neither":
        return "Different"
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
    other = "label" if shared.what == "checks" else "gold"
    if not shared.n_dropped:
        return f"{shared.n:,} {shared.what} compared; none fell out."
    return (
        f"{shared.n:,} {shared.what} compared; {shared.n_dropped:,} fell out: "
        f"{shared.n_first_only:,} only in {first}, {shared.n_second_only:,} only in {second}, "
        f"{shared.n_other_label:,} with another {other}."
    )
