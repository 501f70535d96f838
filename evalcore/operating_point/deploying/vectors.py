"""Scores that a file tests itself with, each with the state that the document's rule gives it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from evalcore.operating_point.deploying.limits import Limits
from evalcore.operating_point.document.rule import Rule, score_of

TEXTS = (
    " 0.5 ",
    "\t0.5",
    "0.5\r",
    "5e-1",
    "5E-1",
    "+.5",
    "1.",
    "1e-400",
    "1e999",
    "",
    " ",
    ".",
    "+",
    "e5",
    "5e",
    "5e-",
    "0.5.",
    "--0.5",
    "0.5x",
    "0.5 0.5",
    "0,5",
    "0_5",
    "0x0",
    "0f",
    "nan",
    "NaN",
    "NA",
    "inf",
    "Infinity",
    "-Infinity",
    "none",
    "true",
)
"""What languages take for a number and the document does not, or the other way round."""


def numbers(rule: Rule, limits: Limits, document: Mapping[str, Any]) -> list[tuple[float, str]]:
    """Numbers with their states, in their order: each limit, its neighbours, those as float32, and the ends.

    Parameters
    ----------
    rule : of the document.
    limits : as `limits_of` gives them.
    document : its own self-test is among them.
    """
    found = {0.0, 0.5, 1.0, math.inf, -math.inf, np.finfo(np.float64).max, -np.finfo(np.float64).max}
    found |= {score_of(vector["p"]) for vector in document["self_test"]}
    for one in (rule.tau_neg, rule.tau_pos, rule.low, rule.high, *vars(limits).values()):
        if one is not None:
            found |= {math.nextafter(one, -math.inf), one, math.nextafter(one, math.inf)}
            with np.errstate(over="ignore"):
                near = np.float32(one)
                found |= {float(np.nextafter(near, np.float32(to))) for to in (-np.inf, near, np.inf)}
    ordered = sorted(float(one) + 0.0 for one in found if not math.isnan(one))
    return [(one, str(rule.states(one))) for one in dict.fromkeys(ordered)]


def texts(rule: Rule, known: list[tuple[float, str]]) -> list[tuple[str, str]]:
    """Texts with their states: the numbers that are finite, and what only looks like one."""
    spelled = [repr(number) for number, _ in known if math.isfinite(number)]
    return [(text, str(rule.states(score_of(text)))) for text in [*spelled, *TEXTS]]
