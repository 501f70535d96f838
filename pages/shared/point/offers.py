"""Targets that were offered after the data had been seen to support them: typed by hand they stay offers."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from evalcore.operating_point import OperatingPoint
from evalcore.operating_point.choosing.request import TARGETS
from evalcore.operating_point.deciding.presets import USUAL
from pages.shared.point.point import Aim, PointState

OFFERED, WANTED = "targets_offered", "targets_wanted_before"
SAME = 1e-9
PRESETS = {"screening_sensitivity": frozenset(USUAL)}
"""What was set before any figure is no offer, whatever was offered since."""


def remember(point: OperatingPoint, aim: Aim, state: PointState) -> None:
    """Keep the highest target that was offered of each metric, and what had been wanted before that."""
    offered: dict[tuple[str, str], float] = st.session_state.setdefault(OFFERED, {})
    wanted: dict[tuple[str, str], frozenset[float]] = st.session_state.setdefault(WANTED, {})
    for name, metric in TARGETS.items():
        key = (state.owner, name)
        values = [
            one.constraint.value
            for one in point.alternatives
            if one.constraint.metric == metric and one.constraint.is_from_data
        ]
        if key not in offered and name not in aim.set_from_data:
            wanted[key] = wanted.get(key, frozenset()) | {getattr(aim, name)}
        if values:
            offered[key] = max(*values, offered.get(key, 0.0))


def marked_as_in(point: OperatingPoint, aim: Aim) -> Aim:
    """The aim with those targets named, too, that the document itself takes for read from the data."""
    constraints = point.document["selection"]["constraints"]
    seen = {one["metric"] for one in constraints if one.get("set_after_seeing_the_data")}
    names = frozenset(name for name, metric in TARGETS.items() if metric in seen)
    return replace(aim, set_from_data=aim.set_from_data | names)


def marked(aim: Aim, state: PointState) -> Aim:
    """The aim with the targets named that were typed after the data had been seen to allow them.

    A target up to one that was offered is such a target, unless it was wanted before anything was offered or
    is a preset.
    """
    offered, wanted = (st.session_state.get(name, {}) for name in (OFFERED, WANTED))
    seen = set()
    for name in TARGETS:
        value, key = getattr(aim, name), (state.owner, name)
        before = wanted.get(key, frozenset()) | {getattr(Aim(), name)} | PRESETS.get(name, frozenset())
        if value <= offered.get(key, 0.0) + SAME and all(abs(value - one) > SAME for one in before):
            seen.add(name)
    return replace(aim, set_from_data=frozenset(seen))
