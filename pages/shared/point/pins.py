"""Pinned points: kept and named in the session, gone back to, and two of them side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from evalcore.operating_point.deciding.side_by_side import TwoPoints, letters, two_points
from evalcore.operating_point.test_rows.row_sets import RowSet
from evalcore.operating_point.tradeoff.groups import group_columns
from evalcore.operating_point.wording import counted
from pages.shared import widgets
from pages.shared.data import session
from pages.shared.memo import kept
from pages.shared.point.asking import pair_in_words
from pages.shared.point.point import Aim, Pair, PointState, is_found_again
from pages.shared.written import as_markdown

PINS = "pinned_points"
NOW = "Now"
MOST, LONGEST = 8, 30
KEPT_HERE = "A link carries the pins too; a document carries the point that stands."


@dataclass(frozen=True)
class Pin:
    """A point that was pinned.

    Parameters
    ----------
    name, pair
        What it is called, and its thresholds.
    aim
        The targets they were meant for.
    is_found
        Whether a search found them for these.
    is_of_link
        Whether a link says so: the search is then made again where it counts.
    """

    name: str
    pair: Pair
    aim: Aim
    is_found: bool = False
    is_of_link: bool = False


def pins_of(state: PointState) -> list[Pin]:
    """The pinned points of the data and model of a point, oldest first."""
    found: list[Pin] = st.session_state.setdefault(PINS, {}).setdefault(state.owner, [])
    return found


def pin(state: PointState, pair: Pair, name: str | None = None) -> None:
    """Pin a pair with the targets that stand; once only, and at most eight, of which the oldest goes."""
    pins = pins_of(state)
    if any((one.pair, one.aim) == (pair, state.aim) for one in pins):
        return
    taken, is_found = [one.name for one in pins], state.chosen == (pair, state.aim)
    if name in taken:
        name = next(new for n in range(2, MOST + 2) if (new := f"{name} {n}") not in taken)
    pins.append(Pin(name or letters(taken), pair, state.aim, is_found))
    del pins[:-MOST]


def take_pins(state: PointState, pins: Sequence[Pin]) -> None:
    """Pin what a link says beside what is pinned already; where there are too many, the oldest go."""
    kept = pins_of(state)
    named = {one.name for one in pins}
    kept[:] = [*(one for one in kept if one.name not in named), *pins][-MOST:]


def show_pins(rows: RowSet, state: PointState) -> None:
    """The pinned points in a line, each a way back, and the comparison; nothing where none is pinned."""
    pins = pins_of(state)
    if not pins:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="pins"):
        st.markdown("Pinned", width="content")
        for at, one in enumerate(pins):
            neg, pos = (as_markdown(tau or "none") for tau in one.pair)
            is_now = (one.pair, one.aim) == (state.pair, state.aim)
            st.button(
                f"**{as_markdown(one.name)}** {neg} / {pos}",
                key=f"pin_{at}",
                help=f"Back to {as_markdown(pair_in_words(one.pair))}",
                disabled=is_now,
                on_click=_go_to,
                args=(state, one),
            )
        if st.button("Compare…", key="compare_pins"):
            compare_dialog(rows, state)


def _go_to(state: PointState, one: Pin) -> None:
    is_found = one.is_found
    if is_found and one.is_of_link:
        is_found = is_found_again(session.current().data, session.model(), one.pair, one.aim)
    state.aim, state.chosen = one.aim, (one.pair, one.aim) if is_found else None
    state.move(one.pair)


@st.dialog("Two points side by side", width="large", on_dismiss="rerun")
def compare_dialog(rows: RowSet, state: PointState) -> None:
    """Choose two of the pinned points and the one that stands, and say what the second does otherwise."""
    pins = pins_of(state)
    points = {one.name: one.pair for one in pins}
    if state.pair not in points.values():
        points[NOW] = state.pair
    if len(points) < 2:
        st.write("One point is pinned, and the handles stand on it: move them or pin another one to compare.")
        _ask_names(state)
        return
    names = list(points)
    left, right = st.columns(2)
    name_a = left.selectbox("First", names, index=len(names) - 2)
    name_b = right.selectbox("Second", names, index=len(names) - 1)
    a, b = (_numbers(points[name]) for name in (name_a, name_b))
    key = (session.current().key, rows.role, rows.model, a, b)
    found = kept("two_points", key, lambda: two_points(rows, a, b))
    has_names = session.current().report is None
    st.markdown(f"**{as_markdown(found.sentence(name_a, name_b, has_names=has_names))}**")
    lines = [(one.name, one.a, one.b, one.difference) for one in found.lines]
    widgets.table(("", name_a, name_b, "difference"), lines, name="Two points side by side")
    _show_flips(found)
    _show_groups(found, rows, name_a, name_b)
    said = f"Counted on {rows.in_words}, without a bound for the difference. {KEPT_HERE}"
    widgets.plain(said, is_quiet=True)
    _ask_names(state)


def _show_flips(found: TwoPoints) -> None:
    if found.flips:
        lines = [(f"{one.before} → {one.after}", f"{one.n:,}", f"{one.n_positive:,}") for one in found.flips]
        widgets.table(("What changes", "checks", "with evidence"), lines, name="Checks that change")


def _show_groups(found: TwoPoints, rows: RowSet, name_a: str, name_b: str) -> None:
    columns = group_columns(rows.queries)
    if not columns:
        return
    column = st.selectbox("Groups by", columns, key="compare_groups", width=250)
    key = (session.current().key, rows.role, rows.model, found.a, found.b, column)
    groups = kept("two_points_groups", key, lambda: found.groups(column))
    if not groups:
        widgets.plain("Both miss as many in every group.", is_quiet=True)
        return
    shown = [(a.level, *(f"{one.n_missed:,} of {one.n_positive:,}" for one in (a, b))) for a, b in groups]
    header = (column, f"missed by {name_a}", f"missed by {name_b}")
    widgets.table(header, shown[:MOST], name="Groups that the two points miss differently")
    if len(shown) > MOST:
        widgets.plain(f"… and {counted(len(shown) - MOST, 'group')} more.", is_quiet=True)


def _ask_names(state: PointState) -> None:
    """Fields to rename the pinned points, and buttons to let go of them."""
    pins = pins_of(state)
    with st.expander("Names of the pinned points"):
        for at, one in enumerate(pins):
            with st.container(horizontal=True, vertical_alignment="bottom"):
                label, key = as_markdown(pair_in_words(one.pair)), f"pin_name_{at}_{one.name}"
                name = st.text_input(label, one.name, max_chars=LONGEST, key=key).strip()
                if st.button("Unpin", key=f"unpin_{at}_{one.name}"):
                    pins.pop(at)
                    st.rerun()
            taken = {other.name for other in pins if other is not one} | {NOW}
            if name and name != one.name and name not in taken:
                pins[at] = replace(one, name=name)
                st.rerun(scope="fragment")


def _numbers(pair: Pair) -> tuple[float | None, float | None]:
    low, high = (None if text is None else float(text) for text in pair)
    return low, high
