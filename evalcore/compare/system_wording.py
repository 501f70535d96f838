"""Differences between two systems in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from evalcore.annotations import LABELS
from evalcore.catalog import METRICS
from evalcore.compare.wording import ALPHA, FEW, OPEN, UNDECIDED, excludes_zero, signed
from evalcore.evaluation.rag import metrics_of

PLACES = 3
"""Decimals with which differences are shown."""
Favours = Literal["first", "second", "undecided", "open", "few"]


def favours(row: Mapping[str, Any]) -> Favours:
    """Which system a row of `compare_annotations` speaks for.

    ``few`` where the difference rests on fewer than 20 queries; else ``open`` unless the interval excludes 0,
    and ``undecided`` unless the test adjusted over the table, where there is one, agrees at 5 %.
    """
    if row["n"] < FEW:
        return "few"
    if not excludes_zero(row):
        return "open"
    if row["p_holm"] > ALPHA:
        return "undecided"
    is_higher_better = METRICS[f"rag.{row['metric']}"].better == "higher"
    return "second" if (row["difference"] > 0) == is_higher_better else "first"


def label_of(row: Mapping[str, Any]) -> str:
    """A metric's name with its cut-off."""
    k = row["params"].removeprefix("k=")
    return METRICS[f"rag.{row['metric']}"].label.replace("@K", f"@{k}" if k else "")


def change(row: Mapping[str, Any]) -> str:
    """A difference with its interval, such as ``+0.120 [+0.020, +0.230]``."""
    low, high = (signed(row[name], PLACES) for name in ("ci_low", "ci_high"))
    return signed(row["difference"], PLACES) + ("" if low == "n/a" else f" [{low}, {high}]")


def answer(rows: Iterable[Mapping[str, Any]], first: str, second: str) -> str:
    """Which metrics differ, which way, and how many may not."""
    rows = list(rows)
    parts = []
    for side, name in (("first", first), ("second", second)):
        clear = [row for row in rows if favours(row) == side]
        told = [f"{label_of(row)} {change(row)}" for row in clear]
        parts += [f"{name} is better: {'; '.join(told)}."] if told else []
    n_open = sum(favours(row) == "open" for row in rows)
    undecided = [
        f"{label_of(row)} {change(row)} (p = {row['p']:.3f}, {row['p_holm']:.3f} after Holm: "
        "the test decided)"
        for row in rows
        if favours(row) == "undecided"
    ]
    n_few = sum(favours(row) == "few" and row["n"] > 0 for row in rows)
    n_none = sum(row["n"] == 0 for row in rows)
    of = f"of {len(rows)} metrics"
    parts += [f"{OPEN}: {n_open} {of}."] if n_open else []
    parts += [f"{UNDECIDED}: {'; '.join(undecided)}."] if undecided else []
    parts += [f"Fewer than {FEW} shared queries, no verdict: {n_few} {of}."] if n_few else []
    parts += [f"Without a shared value: {n_none} {of}."] if n_none else []
    return " ".join(parts) or "There is nothing to compare."


def fell_out(rows: Iterable[Mapping[str, Any]], first: str, second: str) -> list[str]:
    """What was compared in each task, and what fell out before any metric was computed.

    Examples
    --------
    >>> row = {"metric": "helpfulness_rate", "n": 8, "n_without_value": 2}
    >>> fell_out([row | {"n_only_first": 1, "n_only_second": 0, "n_without_key": 0}], "old", "new")
    ['generation: 10 queries compared; 1 only in old fell out.']
    """
    told = []
    for task in LABELS:
        names = {metric.name for metric in metrics_of(task)}
        row = next((one for one in rows if one["metric"] in names), None)
        if row is None:
            continue
        n = row["n"] + row["n_without_value"]
        parts = [
            f"{count:,} {where}"
            for count, where in (
                (row["n_only_first"], f"only in {first}"),
                (row["n_only_second"], f"only in {second}"),
                (row["n_without_key"], "without a key"),
            )
            if count
        ]
        rest = f"{', '.join(parts)} fell out" if parts else "none fell out"
        told.append(f"{task}: {n:,} {'query' if n == 1 else 'queries'} compared; {rest}.")
    return told
