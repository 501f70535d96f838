"""The threshold explorer: two handles over a score histogram, every number following them in the browser.

The browser is sent the counts and bounds of a `Tradeoff` once and looks them up while a handle moves. The
server hears one message on release, through `pages.shared.explorer.messenger`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import streamlit as st

from evalcore.explorer import markup, part, script, style
from evalcore.explorer.payload import (
    ACTIONS,
    USUAL_NAMES,
    ActionName,
    Packed,
    Review,
    browser_payload,
    pack,
)
from evalcore.operating_point.tradeoff.column_groups import ColumnGroups
from evalcore.operating_point.tradeoff.groups import Mark
from evalcore.operating_point.tradeoff.table import Tradeoff
from pages.shared.explorer import messenger
from pages.shared.explorer.messenger import CHANNEL, Marks, read_mark, read_point

_PACKED, _REPLY = f"{CHANNEL}_packed", f"{CHANNEL}_reply"
_NEWS = Path(__file__).parent / "news.js"


@dataclass(frozen=True)
class Download:
    """A file for the browser to save, or the fault that kept it from being made."""

    file_name: str
    content: str | None
    media_type: str = "application/json"
    fault: str = ""


Build = Callable[..., Download]
"""Makes a file for the two thresholds on the screen and, where it is asked for of one, a group."""


Take = Callable[[str | None, str | None], None]
"""Hears of a button with the two thresholds on the screen."""


@dataclass(frozen=True)
class Action:
    """A button that was pressed, with the thresholds that stood on the screen at that moment."""

    name: ActionName
    seq: int
    tau_neg: str | None
    tau_pos: str | None
    group: Mark | None = None


def threshold_explorer(
    tradeoff: Tradeoff,
    *,
    tau_neg: str | None,
    tau_pos: str | None,
    revision: int,
    groups: Sequence[ColumnGroups] = (),
    names: Mapping[str, str] = USUAL_NAMES,
    marks: Marks | None = None,
    score_kind: Literal["probability", "score"] = "probability",
    review: Review | None = None,
    actions: Sequence[ActionName] = ACTIONS,
    status: str = "",
    counted_on: str = "all rows",
    words: Mapping[str, Sequence[str]] | None = None,
    tested: Mapping[str, Any] | None = None,
    build: Mapping[ActionName, Build] | None = None,
    take: Mapping[ActionName, Take] | None = None,
    link: Mapping[str, Sequence[str]] | None = None,
    is_alone: bool = False,
) -> Action | None:
    """Show the explorer and return the button that was pressed just now, if one was.

    Parameters
    ----------
    tradeoff
        What every threshold costs and misses; at least one row.
    tau_neg, tau_pos
        The point as the server knows it: thresholds as text, None for an empty zone.
    revision
        Of that point. One set by the server (found, from a link) needs a higher revision than the last;
        it moves the handles unless one is being dragged.
    groups
        Of the rows of the trade-off, by column.
    names
        Criterion id → what it is called.
    marks
        The groups that must not be missed, as the server knows them.
    score_kind
        Probabilities take thresholds from 0 to 1 only.
    review
        Reviewer effort shown on the workload tile.
    actions
        The buttons to show.
    status
        A line of text beside the buttons.
    counted_on
        The rows of the trade-off in words, as they stand behind a verdict.
    words
        Of `sensitivity`, `missed` and `precision`: what each verdict is called, in the order of ``VERDICTS``.
    tested
        What the tiles show at the thresholds for which test rows were counted: `tau_neg`, `tau_pos`, and of
        each target what `pages.shared.point.status.for_tiles` gives. None before.
    build
        Makes the file that a button saves, by the name of its action.
    take
        Hears of a button before the page runs, by the name of its action.
    link
        What a copied link says beside the two thresholds on the screen, by name.
    is_alone
        Whether nobody can count at thresholds that the trade-off does not hold: a typed one becomes the next.
    """
    payload = browser_payload(
        tradeoff,
        key=CHANNEL,
        groups=groups,
        names=names,
        score_kind=score_kind,
        review=review or Review(),
        actions=actions,
        counted_on=counted_on,
        words=words,
        method=tradeoff.bound_method,
        packed=_packed_once(tradeoff, groups),
        is_alone=is_alone,
    )
    explorer, news = _components()
    with st.container(gap=None):
        raw = explorer(
            key=CHANNEL,
            data=payload,
            on_action_change=lambda: _answer(tradeoff, build or {}, take or {}),
        )
        if messenger.was_released() and raw.get("action") is None:
            st.session_state.pop(_REPLY, None)  # a file is sent once, not at every release after it
        news(
            key=f"{CHANNEL}_news",
            data={
                "channel": CHANNEL,
                "data_id": tradeoff.data_id,
                "tau_neg": tau_neg,
                "tau_pos": tau_pos,
                "revision": revision,
                "status": status,
                "tested": tested,
                "marks": [list(mark) for mark in (marks or Marks()).marks],
                "marks_revision": (marks or Marks()).revision,
                "link": [[name, value] for name, values in (link or {}).items() for value in values],
                "reply": st.session_state.get(_REPLY),
            },
        )
    return _read_action(raw.get("action"))


@cache
def _components() -> tuple[Any, Any]:
    """Register both components, once in a process: their names are shared by every session."""
    explorer = st.components.v2.component(
        "evalcore_threshold_explorer",
        html=markup(),
        css=style(),
        js=script(),
    )
    news = st.components.v2.component(
        "evalcore_threshold_news",
        js=news_script(),
    )
    return explorer, news


def news_script() -> str:
    """The second component's JavaScript, a module of its own that meets the explorer in a channel."""
    return "\n".join([part("channel"), _NEWS.read_text(encoding="utf-8")])


def _packed_once(tradeoff: Tradeoff, groups: Sequence[ColumnGroups]) -> Packed:
    """The arrays of a trade-off and of groups, packed once as long as a page passes the same ones."""
    of = [id(one) for one in (tradeoff, *groups)]
    kept: tuple[list[int], Any, Packed] | None = st.session_state.get(_PACKED)
    if kept is None or kept[0] != of:
        kept = (of, (tradeoff, groups), pack(tradeoff, groups))  # held, so that no other takes their place
        st.session_state[_PACKED] = kept
    return kept[2]


def _read_action(raw: object) -> Action | None:
    if not isinstance(raw, Mapping) or raw.get("name") not in ACTIONS or type(raw.get("seq")) is not int:
        return None
    return Action(
        name=raw["name"],
        seq=raw["seq"],
        tau_neg=raw.get("tau_neg"),
        tau_pos=raw.get("tau_pos"),
        group=read_mark(raw.get("group")),
    )


def _answer(tradeoff: Tradeoff, build: Mapping[ActionName, Build], take: Mapping[ActionName, Take]) -> None:
    """Hear of a button, or make its file, before the page runs, so that one message brings one answer."""
    raw = st.session_state[CHANNEL].get("action")
    action = _read_action(raw)
    point = read_point(raw, tradeoff.data_id, "score")
    if action is None or point is None:
        return
    tau_neg, tau_pos, _ = point
    if action.name in take:
        take[action.name](tau_neg, tau_pos)
    if action.name not in build:
        return
    try:
        of_group = () if action.group is None else (action.group,)
        download = build[action.name](tau_neg, tau_pos, *of_group)
    except ValueError as error:
        download = Download("", None, fault=str(error))
    st.session_state[_REPLY] = {"seq": action.seq, **asdict(download)}
