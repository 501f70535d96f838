"""What a metric's function accepts, looked up once: an inspection takes longer than many a metric."""

from __future__ import annotations

import inspect
import math
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


_TYPES: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "float": ("a finite number", lambda one: _is_number(one)),
    "str": ("a word", lambda one: isinstance(one, str)),
    "Sequence[float]": ("a list of finite numbers", lambda one: _is_list(one, _is_number)),
    "Sequence[str]": ("a list of names", lambda one: _is_list(one, lambda part: isinstance(part, str))),
    "Sequence[bool]": (
        "a list of true and false",
        lambda one: _is_list(one, lambda part: isinstance(part, bool)),
    ),
}
"""Type that a metric's function declares for a parameter → in words, and whether a value is of it."""


def expected_of(metric: Metric, name: str, value: Any) -> str | None:
    """What a metric expects as a parameter, by the type its function declares; None where the value is such.

    Nothing is no value: who wants the usual one leaves the parameter out.
    """
    declared = str(parameters(metric)[name].annotation).removesuffix(" | None")
    words, fits = _TYPES[declared]
    return None if fits(value) else words


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_list(value: Any, fits: Callable[[Any], bool]) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(map(fits, value))
