"""What a metric's function accepts, looked up once: an inspection takes longer than many a metric."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import cache

from evalcore.catalog import METRICS
from evalcore.spec import Metric


def parameters(metric: Metric) -> Mapping[str, inspect.Parameter]:
    """The parameters of a declared metric's function by name."""
    return _of_key(metric.key)


@cache
def _of_key(key: str) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(METRICS[key].function).parameters
