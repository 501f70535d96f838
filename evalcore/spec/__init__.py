"""What a metric is: the form of what it gives, and the facts that are declared with its function."""

from __future__ import annotations

from evalcore.spec.declaration import (
    ABBREVIATIONS,
    FAMILIES,
    METRICS,
    Better,
    Cases,
    Declared,
    Drawn,
    Metric,
    Place,
    Side,
    Undefined,
    declared,
    metric,
)
from evalcore.spec.results import OfTotals, PerQuery, Ratio, Spread

__all__ = [
    "ABBREVIATIONS",
    "FAMILIES",
    "METRICS",
    "Better",
    "Cases",
    "Declared",
    "Drawn",
    "Metric",
    "OfTotals",
    "PerQuery",
    "Place",
    "Ratio",
    "Side",
    "Spread",
    "Undefined",
    "declared",
    "metric",
]
