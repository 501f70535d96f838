"""What a person sets in the threshold explorer, heard on whichever page comes next.

A page that is left takes the state of its widgets with it, and a server that has not yet begun to run for a
release drops it when the next page is asked for. So the state is that of a widget around every page: the
browser says it again with every message.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from evalcore.explorer import part
from evalcore.operating_point.tradeoff.groups import Mark
from pages.shared.threshold_text import are_legal

CHANNEL = "explorer"
"""In which the explorer and its messenger meet: one explorer stands on a page."""
MOST_MARKS = 1000
_KEY = f"{CHANNEL}_messenger"
_LISTENER, _HEARD, _NEWLY = f"{_KEY}_listener", f"{_KEY}_heard", f"{_KEY}_newly"
_STYLE = f"<style>:has(> .st-key-{_KEY}_place) {{ position: absolute; width: 0; overflow: hidden; }}</style>"
_SCRIPT = Path(__file__).parent / "messenger.js"


@dataclass(frozen=True)
class Marks:
    """The groups that must not be missed; `revision` grows with every change."""

    marks: tuple[Mark, ...] = ()
    revision: int = 0


@dataclass(frozen=True)
class Listener:
    """What hears of a release and of marks.

    Parameters
    ----------
    data_id
        Of the trade-off that the explorer showed: what is said of other rows is not for this one.
    score_kind
        Probabilities take thresholds from 0 to 1 only.
    take_point
        Hears of both thresholds as text, None for an empty zone, and of the revision.
    take_marks
        Hears of the marked groups.
    """

    data_id: str
    score_kind: str
    take_point: Callable[[str | None, str | None, int], None]
    take_marks: Callable[[Marks], None]


def stand_by() -> None:
    """Stand on the page that is shown, and pass on what was said since the last one."""
    st.html(_STYLE)
    with st.container(key=f"{_KEY}_place"):
        data = {"channel": CHANNEL}
        _component()(key=_KEY, data=data, on_point_change=_nothing, on_marks_change=_nothing)
    _pass_on()


def listen(listener: Listener) -> None:
    """Let the explorer that is shown hear of what is said, until another is."""
    st.session_state[_LISTENER] = listener
    _pass_on()


def was_released() -> bool:
    """Whether a release was heard since this was last asked."""
    return bool(st.session_state.pop(_NEWLY, False))


def _pass_on() -> None:
    """Each message once: it stays said, and a link or a document may have moved the point since.

    The browser numbers its messages, so that one that says the same again is another.
    """
    listener: Listener | None = st.session_state.get(_LISTENER)
    if listener is None:
        return
    said, heard = st.session_state.get(_KEY) or {}, st.session_state.get(_HEARD, {})
    point = read_point(said.get("point"), listener.data_id, listener.score_kind)
    if point is not None and said.get("point") != heard.get("point"):
        listener.take_point(*point)
        st.session_state[_NEWLY] = True
    marks = read_marks(said.get("marks"), listener.data_id)
    if marks is not None and said.get("marks") != heard.get("marks"):
        listener.take_marks(marks)
    st.session_state[_HEARD] = {name: said.get(name) for name in ("point", "marks")}


# What comes back from the browser is read as a stranger's input.


def read_point(raw: object, data_id: str, score_kind: str) -> tuple[str | None, str | None, int] | None:
    """Both thresholds and the revision, where they are whole and of these rows."""
    if not isinstance(raw, Mapping) or raw.get("data_id") != data_id:
        return None
    tau_neg, tau_pos, revision = raw.get("tau_neg"), raw.get("tau_pos"), raw.get("revision")
    if type(revision) is not int or not are_legal(tau_neg, tau_pos, score_kind):
        return None
    return tau_neg, tau_pos, revision


def read_marks(raw: object, data_id: str) -> Marks | None:
    """The marked groups, where they are of these rows."""
    if not isinstance(raw, Mapping) or raw.get("data_id") != data_id:
        return None
    marks, revision = raw.get("marks"), raw.get("revision")
    if not isinstance(marks, list) or type(revision) is not int:
        return None
    known = [read_mark(one) for one in marks[:MOST_MARKS]]
    return Marks(tuple(one for one in known if one is not None), revision)


def read_mark(raw: object) -> Mark | None:
    """Column and level of a group."""
    if not isinstance(raw, list | tuple) or len(raw) != 2 or not all(isinstance(one, str) for one in raw):
        return None
    return raw[0], raw[1]


def _nothing() -> None:
    """A state of a component is only reported when it has a callback."""


@cache
def _component() -> Any:
    """Register the component once in a process."""
    return st.components.v2.component("evalcore_threshold_messenger", js=script())


def script() -> str:
    """The component's module text."""
    return "\n".join([part("channel"), _SCRIPT.read_text(encoding="utf-8")])
