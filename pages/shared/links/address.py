"""What the address of a page says, and what of it a session takes.

A link is read once, when a session begins. Where it belongs to other data than these it waits: nothing of it
is used before its own data are loaded, and the address stays as it is, so that a reload asks for them again.
From then on the session is what holds and the address follows it, so that a reload finds everything.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar, cast

import streamlit as st

from evalcore.data import Task
from evalcore.operating_point.constraints import PRECISION, SENSITIVITY
from evalcore.operating_point.test_rows.site_rows import has_scores
from evalcore.problems import InputError
from pages.shared.data import session, upload
from pages.shared.links import lost, moved
from pages.shared.links.data_name import NAMES, DataName
from pages.shared.links.link import (
    PIN,
    SHARED,
    TARGETS,
    TAU,
    evidence_query,
    in_words,
    marks_as_query,
    pins_as_query,
    read_aim,
    read_is_found,
    read_marks,
    read_model,
    read_pins,
    read_thresholds,
)
from pages.shared.links.strangers_text import LinkError, Query, as_shown, listed
from pages.shared.point import asking
from pages.shared.point.marks import mark, marks_if_changed
from pages.shared.point.pins import pins_of, take_pins
from pages.shared.point.point import Aim, PointState, begin_point
from pages.shared.tasks import EVIDENCE, PAGES

KEPT_ELSEWHERE = ("tested",)
"""Parts of the address that other modules read and write."""
DEFINITION = "metric"
"""The choice of the Reference page that is forgotten when the page is left: the menu leads to the list."""
SESSION = "address"
Values = dict[str, list[str]]
Read = TypeVar("Read")


@dataclass
class Waiting:
    """A link whose data are not loaded.

    Parameters
    ----------
    query
        What it says of data, model, thresholds and targets.
    page
        The page it leads to; empty where that page shows other data.
    choices
        What it says of that page.
    name
        The data it belongs to.
    is_told
        Whether other data were in use and the page said so.
    is_lost
        Whether its data were loaded on this page and the server has lost them.
    """

    query: Values
    page: str
    choices: Values
    name: DataName = field(default_factory=DataName)
    is_told: bool = False
    is_lost: bool = False


@dataclass
class Address:
    """What a session knows of its address.

    Parameters
    ----------
    page, part
        The page that is shown, and whose data it shows; no part for a page that shows none.
    revision
        How often the data had been changed when it was last looked at.
    waiting
        Links whose data are not loaded.
    choices
        Page → what was chosen on it, by name.
    unread
        Page → names of choices that came with a link and that the page has not looked at yet.
    notes
        What a person should know of the link they opened, until they close it.
    shared
        What was chosen last, by the part and the name of a choice that its pages have in common.
    begun
        What such a choice of a page began with, before somebody chose: by page and name.
    """

    page: str = ""
    part: Task | None = None
    revision: int = 0
    waiting: dict[Task, Waiting] = field(default_factory=dict)
    choices: dict[str, Values] = field(default_factory=dict)
    unread: dict[str, set[str]] = field(default_factory=dict)
    notes: dict[str, list[str]] = field(default_factory=dict)
    shared: dict[tuple[Task | None, str], str] = field(default_factory=dict)
    begun: dict[tuple[str, str], str] = field(default_factory=dict)

    def open(self, page: str, choices: Values) -> None:
        """Let a page begin with the choices of a link to it, and pages that were part of it with theirs."""
        places = {name: moved.pages_of(page, name) for name in choices}
        others = {place for of_name in places.values() for place in of_name} - {page}
        for place in (page, *others):
            own = {name: values for name, values in choices.items() if place in places[name]}
            self.choices[place], self.unread[place] = own, set(own)
        if others:
            self.notes["moved"] = [moved.in_words(others)]


def begin(page: str, part: Task | None) -> None:
    """Before a page is shown: read the link that opened the session, or what the page was opened with.

    Parameters
    ----------
    page
        The page's address.
    part
        Whose data it shows.
    """
    query = _query()
    own = {name: values for name, values in query.items() if name not in _SHARED_OR_KEPT}
    if SESSION not in st.session_state:
        st.session_state[SESSION] = Address(page, part, session.revision())
        _arrive(query, own)
    address = known()
    if address.revision != session.revision():  # choices of a page belong to the data they were made on
        address.revision, address.choices, address.shared = session.revision(), {}, {}
    if address.page != page:
        asking.leave()
        address.choices.get(address.page, {}).pop(DEFINITION, None)
        address.page, address.part = page, part
        if own:
            address.open(page, own)
    for one in tuple(address.waiting):
        _settle(one)
    write()


def write() -> None:
    """Bring the address up to date with the session, in one message."""
    address, now = known(), _query()
    wanted = {name: now[name] for name in KEPT_ELSEWHERE if name in now}
    for part in NAMES:
        waiting = address.waiting.get(part)
        wanted |= shareable(part) if waiting is None else waiting.query
    wanted |= _choices_shown(address)
    if wanted != now:
        st.query_params.from_dict(wanted)


def shareable(part: Task = EVIDENCE) -> Values:
    """What a link to the session as it stands says of its data, model, thresholds and targets."""
    in_use = _in_use(part)
    state = st.session_state.get("operating_point")
    is_touched = PAGES[part].has_model and isinstance(state, PointState)
    if in_use is None or (in_use.is_sample and known().part != part and not is_touched):
        return {}
    file = None if in_use.report is None and in_use.values is None else in_use.label
    name = DataName.of(in_use.data, is_sample=in_use.is_sample, file=file, values=in_use.values_digest)
    query = name.as_query(part)
    if not PAGES[part].has_model or not in_use.models:
        return query
    model = session.model()
    if not (isinstance(state, PointState) and state.is_for(in_use.data, model)):
        return {**query, **evidence_query(in_use.models, model, None, Aim(), is_found=False)}
    pair, aim = state.pair, state.aim
    is_found = state.chosen == (pair, aim)
    others = marks_as_query(marks_if_changed(in_use.data)) | pins_as_query(pins_of(state))
    return {**query, **evidence_query(in_use.models, model, pair, aim, is_found=is_found), **others}


def known() -> Address:
    """The address of this session."""
    return cast(Address, st.session_state[SESSION])


def say(name: str, *lines: str) -> None:
    """Tell a person something of the link they opened, until they close it."""
    known().notes[name] = list(lines)


def is_lost(part: Task | None) -> bool:
    """Whether the data of a part were loaded on this page, are lost, and none took their place."""
    waiting = known().waiting.get(part) if part else None
    in_use = _in_use(part) if part and waiting is not None and waiting.is_lost else None
    return in_use is not None and in_use.is_sample


def forget_link(part: Task) -> None:
    """Give up a link that waits for its data."""
    known().waiting.pop(part, None)


_SHARED_OR_KEPT = {*(name for names in SHARED.values() for name in names), *KEPT_ELSEWHERE}


def _query() -> Values:
    return {name: st.query_params.get_all(name) for name in st.query_params}


def _arrive(query: Query, own: Values) -> None:
    address = known()
    is_of_a_lost_session = lost.is_of_a_lost_session()
    if is_of_a_lost_session:
        upload.begin_anew()
    for part, names in SHARED.items():
        said = {name: list(query[name]) for name in names if name in query}
        is_of_page = address.part == part
        if said:
            page, choices = (address.page, own) if is_of_page else ("", {})
            had_data = is_of_a_lost_session and NAMES[part][0] in said
            address.waiting[part] = Waiting(said, page, choices, is_lost=had_data)
    if own and address.part not in address.waiting:
        address.open(address.page, own)


def _choices_shown(address: Address) -> Values:
    waiting = address.waiting.get(address.part) if address.part else None
    if waiting is not None and waiting.page == address.page:
        return waiting.choices
    return address.choices.get(address.page, {})


def _in_use(part: Task) -> session.SessionData | None:
    """The data of a part; an unused sample is read for the page that shows it only."""
    is_shown = part == (known().part or EVIDENCE)
    if PAGES[part].slot not in st.session_state and not is_shown:
        return None
    try:
        return session.of_task(part)
    except InputError:  # a damaged sample: the page says so
        return None


def _settle(part: Task) -> None:
    """Use a waiting link where its data are in use now."""
    address, in_use = known(), _in_use(part)
    waiting = address.waiting[part]
    told: list[str] = []
    try:
        name = waiting.name = DataName.read(waiting.query, part)
        if in_use is None:
            return
        is_read_alike = name.is_read_alike(in_use.data, in_use.values_digest)
        if not (is_read_alike and name.is_of(in_use.data)):
            waiting.is_told = True
            return
        if PAGES[part].has_model:
            told = _use(waiting.query, in_use)
    except LinkError as fault:
        del address.waiting[part]
        say("link", "This link cannot be used, and nothing was moved.", *fault.args)
        return
    del address.waiting[part]
    if waiting.page:
        address.open(waiting.page, waiting.choices)
    if told and not name.digest:
        unnamed = "The link does not say which data it belongs to: it is used on these, which may be others."
        say("link", unnamed, *told)
    elif waiting.is_lost and waiting.is_told:
        say("link", "These are the data that the server had lost; the address is in use again.", *told)
    elif waiting.is_told:
        what = "values" if name.is_of_values else "data"
        say("link", f"These are the {what} of the link you opened; it is in use now.", *told)


def _use(query: Query, in_use: session.SessionData) -> list[str]:
    """Take model, thresholds and targets of a link, all or none of them; what was taken, in words.

    Raises
    ------
    LinkError
        With a line for each fault.
    """
    data, models = in_use.data, in_use.models
    faults: list[str] = []
    model = _read(faults, lambda: read_model(query, models))
    pair = _read(faults, lambda: read_thresholds(query, data.score_kind))
    aim = _read(faults, lambda: read_aim(query))
    is_found = _read(faults, lambda: read_is_found(query))
    shown = model or (session.model() if models else "")
    is_scored = has_scores(data, shown)
    marks = _read(faults, lambda: read_marks(query, data))
    pins = _read(faults, lambda: read_pins(query, data.score_kind))
    named = [name for name in (TAU, *TARGETS, PIN) if query.get(name)]
    if named and not faults and not is_scored:
        whose = f"{as_shown(shown)} has" if shown else "these data have"
        faults.append(f"{', '.join(named)}: {whose} no labels and scores to count at thresholds")
    if faults or aim is None:
        raise LinkError(*faults)
    told = []
    if model is not None:
        session.choose_model(model)
        if len(models) > 1:
            st.session_state["model_choice"] = model
        told.append(f"Model: {as_shown(model)}.")
    if named:
        state = begin_point(data, shown, pair, aim, is_found=bool(is_found))
        take_pins(state, pins or ())
    if pair is not None:
        told.append(f"Thresholds: {in_words(pair)}.")
    if aim != Aim():
        told.append(f"Targets: {aim.in_words(SENSITIVITY)}; {aim.in_words(PRECISION)}.")
    if pins:
        told.append(f"Pinned: {listed([one.name for one in pins])}.")
    if marks is not None:
        mark(marks)
        told.append(
            f"Must not be missed: {listed([f'{one} = {level}' for one, level in marks]) or 'nothing'}."
        )
    what = "targets" if pair is None else "thresholds"
    if named and model is None and len(models) > 1:
        told.append(f"The link names no model: the {what} are those of {as_shown(shown)} now.")
    return told


def _read(faults: list[str], read: Callable[[], Read]) -> Read | None:
    """What was read; None where a fault is noted instead."""
    try:
        return read()
    except LinkError as fault:
        faults += fault.args
        return None
