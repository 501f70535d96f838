"""Two thresholds as text, as a link and the explorer in a browser write them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

EMPTY_ZONE = "none"
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def thresholds_from_link(
    values: Sequence[str], score_kind: str = "probability"
) -> tuple[str | None, str | None] | None:
    """The two thresholds of a link (`?tau=0.0085&tau=0.78`, `none` for an empty zone).

    Returns
    -------
    (tau_neg, tau_pos) as text, or None when the link does not hold two thresholds in order.
    """
    if len(values) != 2:
        return None
    texts = [None if value == EMPTY_ZONE else value for value in values]
    if not are_legal(texts[0], texts[1], score_kind):
        return None
    return texts[0], texts[1]


def number_of(text: str) -> float | None:
    """A number as both Python and the browser read it, in ASCII digits; None for any other text."""
    return float(text) if _NUMBER.fullmatch(text) else None


def link_values(tau_neg: str | None, tau_pos: str | None) -> list[str]:
    """The values of `tau` in a link to this point."""
    return [EMPTY_ZONE if text is None else text for text in (tau_neg, tau_pos)]


def are_legal(tau_neg: object, tau_pos: object, score_kind: str) -> bool:
    """Whether both are numbers of the score's range as text, the lower first; None is an empty zone."""
    values = []
    for text in (tau_neg, tau_pos):
        if text is None:
            continue
        if not isinstance(text, str) or len(text) > 40:
            return False
        value = number_of(text)
        if value is None:
            return False
        values.append(value)
    top = 1.0 if score_kind == "probability" else math.inf
    bottom = 0.0 if score_kind == "probability" else -math.inf
    return all(math.isfinite(v) and bottom <= v <= top for v in values) and values == sorted(values)
