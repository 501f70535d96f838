"""What a metric's function accepts, looked up once: an inspection takes longer than many a metric."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from evalcore.spec import Metric


def parameters(metric: Metric) -> Mapping[str, inspect.Parameter]:
    """The parameters of a declared metric's function by name."""
    return _of(metric.function)


def with_k(metric: Metric, k: int | None) -> dict[str, Any]:
    """K as a parameter of the metric's function; nothing for a metric that takes none."""
    return {"k": k} if "k" in parameters(metric) else {}


@cache
def _of(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(function).parameters
