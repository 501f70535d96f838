"""What the explorer must show for the sample, counted from its file without the project's readers."""

import csv
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Decimal

import numpy as np

from evalcore.inference.clustered import ClusterSums, ShareInterval, linearised, share_interval
from evalcore.inference.correlation import UNKNOWN, ScoreCorrelation
from tests.browser.dashboard import ROOT

TARGET_SENSITIVITY, TARGET_PRECISION = 0.995, 0.9
MODEL, SPLIT = "gnn_gate", "tune"


@dataclass(frozen=True)
class Row:
    post: str
    criterion: str
    has_evidence: bool
    probability: float
    fold: str


def tune_rows() -> list[Row]:
    """The tune rows of the sample, read without any of the project's readers."""
    with (ROOT / "sample_data" / "queries.csv").open(encoding="utf-8", newline="") as file:
        return [
            Row(
                line["post_id"],
                line["criterion_id"],
                line["has_evidence"] == "1",
                float(line["probability"]),
                line["fold"],
            )
            for line in csv.DictReader(file)
            if line["model"] == MODEL and line["split"] == SPLIT
        ]


def rounded(share: Decimal, places: int, rounding: str = ROUND_HALF_UP) -> str:
    return f"{share.quantize(Decimal(1).scaleb(-places), rounding):,}"


def places_at(exact: Decimal) -> int:
    """One decimal, two within a percent of 0 or 100."""
    return 1 if 1 <= exact <= 99 else 2


def percent(x: int, n: int, target: float | None = None) -> str:
    """100·x/n; with more places where fewer would reach a target that x/n misses, 0 or 100."""
    if n == 0:
        return "n/a"
    if x in (0, n):
        return "100 %" if x else "0 %"
    exact = Decimal(100 * x) / Decimal(n)
    places = places_at(exact)
    while places < 6:
        shown = Decimal(rounded(exact, places))
        is_honest = (shown == 100) == (x == n) and (shown == 0) == (x == 0)
        if is_honest and (target is None or (shown >= Decimal(str(target)) * 100) == (x / n >= target)):
            break
        places += 1
    return f"{rounded(exact, places)} %"


def bound_percent(bound: float, rounding: str) -> str:
    exact = Decimal(bound) * 100
    text = rounded(exact, places_at(exact), rounding)
    return text.split(".")[0] if Decimal(text) in (0, 100) else text


def floor_percent(bound: float) -> str:
    return bound_percent(bound, ROUND_FLOOR)


def sums(
    rows: list[Row],
    is_case: Callable[[Row], bool],
    is_good: Callable[[Row], bool],
    correlation: float = UNKNOWN,
) -> ClusterSums:
    """Cases, and the good ones among them, counted by post."""
    cases = Counter(row.post for row in rows if is_case(row))
    good = Counter(row.post for row in rows if is_case(row) and is_good(row))
    counts = list(cases.values())
    return ClusterSums.from_posts([good[post] for post in cases], counts, correlation=correlation)


def correlation_of(rows: list[Row], tau_neg: float) -> float:
    """How alike the scores of a post's checks with evidence are at most, at the end where the fewer lie."""
    positives = [row for row in rows if row.has_evidence]
    code = {post: at for at, post in enumerate(dict.fromkeys(row.post for row in positives))}
    score = np.array([row.probability for row in positives])
    found = ScoreCorrelation.of(score, np.array([code[row.post] for row in positives]))
    return float(found.of_share(int((score >= tau_neg).sum()), len(score), "above"))


def interval_percent(interval: ShareInterval) -> str:
    return f"{floor_percent(float(interval.low))}–{bound_percent(float(interval.high), ROUND_CEILING)} %"


def number(text: str) -> float:
    return -math.inf if text == "" else float(text)


def expected_screen(rows: list[Row], neg_text: str, pos_text: str) -> dict[str, str]:
    """What the explorer must show for the two boxes' texts; an empty box is an empty zone."""
    tau_neg = number(neg_text)
    tau_pos = math.inf if pos_text == "" else float(pos_text)
    skip = [row for row in rows if row.probability < tau_neg]
    alert = [row for row in rows if row.probability >= tau_pos and not row.probability < tau_neg]
    n, n_pos = len(rows), sum(row.has_evidence for row in rows)
    missed, right = (sum(row.has_evidence for row in zone) for zone in (skip, alert))
    n_look = n - len(skip) - len(alert)
    seen = n - len(skip)
    look_pos = n_pos - missed - right
    workload = linearised(sums(rows, lambda _: True, lambda row: row.probability >= tau_neg))
    shown = {
        "zone-skip": f"Skip {len(skip):,} · {percent(len(skip), n)}",
        "zone-look": f"Look {n_look:,} · {percent(n_look, n)}",
        "zone-alert": f"Alert {len(alert):,} · {percent(len(alert), n)}",
        "sensitivity": percent(n_pos - missed, n_pos, TARGET_SENSITIVITY),
        "workload": percent(seen, n),
        "workload-detail": f"95 % CI {interval_percent(workload)} · {seen:,} of {n:,}",
        "evidence": f"{missed:,} {look_pos:,} {right:,}",
        "none": f"{len(skip) - missed:,} {n_look - look_pos:,} {len(alert) - right:,}",
        "posts": f"{len({row.post for row in skip if row.has_evidence}):,}",
        "A.9": f"{sum(row.has_evidence for row in skip if row.criterion == 'A.9'):,} missed",
    }
    if skip:
        alike = correlation_of(rows, tau_neg)
        kept = sums(rows, lambda row: row.has_evidence, lambda row: row.probability >= tau_neg, alike)
        low = share_interval(kept, sides=1).low
        shown["sensitivity-detail"] = f"at least {floor_percent(float(low))} %, one-sided 95 %"
    if alert:
        shares = sums(alert, lambda _: True, lambda row: row.has_evidence)
        precision = share_interval(shares)
        low = share_interval(shares, sides=1).low
        shown["precision"] = percent(right, len(alert), TARGET_PRECISION)
        shown["precision-detail"] = (
            f"at least {floor_percent(float(low))} %, one-sided 95 % "
            f"95 % CI {interval_percent(precision)} · {len(alert):,} alerts"
        )
    return shown
