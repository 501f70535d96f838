"""An exported document opened again on the Data page: checked against the data in use, then restored."""

from __future__ import annotations

from dataclasses import asdict, replace
from hashlib import sha256
from typing import Any

import streamlit as st

from evalcore.operating_point import OperatingPoint, Reopened, reopened
from evalcore.operating_point.constraints import Constraint, Thresholds
from evalcore.operating_point.document.verifying.rows import is_of_divided
from evalcore.operating_point.reopening.other_data import other_data
from evalcore.operating_point.reopening.words import said
from evalcore.operating_point.tradeoff.groups import Mark
from evalcore.operating_point.wording import counted
from evalcore.problems import InputError, Problem
from evalcore.readers.formats.own_exports import POINT, own_export
from evalcore.splits import can_divide, divided, test_split
from pages.shared import widgets
from pages.shared.data import session
from pages.shared.explorer.messenger import Marks
from pages.shared.memo import kept
from pages.shared.point import looks
from pages.shared.point.asking import pair_in_words
from pages.shared.point.exporting import keep
from pages.shared.point.marks import marks_in_use, take_marks
from pages.shared.point.pins import pin
from pages.shared.point.point import Aim, FirstLook, PointState, begin_point, current_point, pair_of
from pages.shared.written import as_markdown

WAITING, TAKEN = "documents_waiting", "documents_taken"
FAILED, OPENED = "documents_that_do_not_hold", "document_opened"
SEEN = "A document opened again"
MOST = 3
IN_DOCUMENT = "in the document that was opened again"


def documents_among(files: list[Any]) -> list[Any]:
    """The uploaded files that are documents of thresholds; their bytes wait until they are opened."""
    waiting: dict[str, bytes] = st.session_state.setdefault(WAITING, {})
    taken: set[str] = st.session_state.setdefault(TAKEN, set())
    found = []
    for file in files:
        own = own_export(file.getvalue()) if file.name.casefold().endswith(".json") else None
        if own is not None and own[0] == POINT:
            found.append(file)
            if file.file_id not in taken:  # one that was let go of stays away
                taken.add(file.file_id)
                waiting[file.name] = file.getvalue()
    while len(waiting) > MOST:
        waiting.pop(next(iter(waiting)))
    return found


def show_documents() -> None:
    """Every document that waits to be opened."""
    for name, raw in list(st.session_state.get(WAITING, {}).items()):
        _show(name, raw)


def just_opened() -> str | None:
    """What is known of a document that was opened just now, once; None where none was."""
    told: str | None = st.session_state.pop(OPENED, None)
    return told


def _show(name: str, raw: bytes) -> None:
    """A document, and what speaks against opening it or the way to do so."""
    with st.container(border=True):
        st.markdown(f"**{as_markdown(name)}**: an exported document of thresholds")
        point, problems = kept("document", (name, sha256(raw).hexdigest()), lambda: _checked(name, raw))
        if point is None:
            widgets.plain("This document cannot be opened. Nothing was moved.")
            widgets.problem_list(problems)
        else:
            pair = pair_of(Thresholds(point.tau_neg, point.tau_pos))
            digest = (
                f"agrees, content SHA-256 {point.document['content_sha256'][:16]}…; numbers not recomputed"
            )
            told = [("Thresholds", pair_in_words(pair)), ("Status", point.status), *said(point.document)]
            widgets.facts([*told, ("Digest", digest)])
            _offer(name, point)
        st.button("Forget the document", key=f"forget_{name}", on_click=forget, args=(name,))


def _checked(name: str, raw: bytes) -> tuple[OperatingPoint | None, list[Problem]]:
    """The document, or None and what speaks against it."""
    try:
        point = OperatingPoint.from_bytes(raw, file=name, strict=False)
    except InputError as error:
        return None, list(error.problems)
    problems = list(reopened(point).problems)
    return (None if problems else point), problems


def _offer(name: str, point: OperatingPoint) -> None:
    """The button that checks a document on the data in use and opens it; or why that cannot be done."""
    in_use, document = session.current(), point.document
    if in_use.report is not None or in_use.values is not None:
        what = "A saved report is" if in_use.values is None else "The values of a report are"
        widgets.plain(f"{what} in use, without rows: load the files the document names.")
        return
    others = other_data(document, [in_use.data])
    if others:
        widgets.plain("This document was made on other data than those in use. Nothing was moved.")
        widgets.problem_list(others)
        widgets.plain("Load the file that it names and use it: the document waits here.", is_quiet=True)
        _show_on_these(name, point)
        return
    if _has_test(document):
        widgets.plain(
            "It holds figures of the test rows. They are counted again, which is a look at these rows.",
            is_quiet=True,
        )
    st.button("Check and open", type="primary", key=f"open_{name}", on_click=_open, args=(name, point))
    failed: Reopened | None = st.session_state.get(FAILED, {}).get(name)
    if failed is not None:
        widgets.plain("Not opened: the document does not hold on its own data. Nothing was moved.")
        if failed.verified is not None:
            widgets.problem_list(failed.verified.differences)
        show_changes(failed)


def _open(name: str, point: OperatingPoint) -> None:
    """Count every number of a document again and, where all are as it says, restore it."""
    found = reopened(point, [session.current().data])
    if found.holds:
        restore(found)
        forget(name)
        n = f"{len(found.changes):,} numbers were counted again"
        marked = marks_in_words(found.must_not_miss)
        st.session_state[OPENED] = f"Opened {name}: {n}, all are as the document says. {marked}"
    else:
        st.session_state.setdefault(FAILED, {})[name] = found


def marks_in_words(marks: tuple[Mark, ...]) -> str:
    """Which groups must not be missed since a document was opened, as a sentence.

    Examples
    --------
    >>> marks_in_words((("criterion", "A.9"),))
    'Groups that must not be missed, as in the document: criterion = A.9.'
    >>> marks_in_words(())
    'No group is marked that must not be missed, as in the document.'
    """
    if not marks:
        return "No group is marked that must not be missed, as in the document."
    named = ", ".join(f"{column} = {level}" for column, level in marks)
    return f"Groups that must not be missed, as in the document: {named}."


def _show_on_these(name: str, point: OperatingPoint) -> None:
    """On request, the numbers of a document beside those of the data in use; never of test rows."""
    data = session.current().data
    if data.queries is None or test_split(data) is not None:
        return
    if st.checkbox("Show its numbers beside those of the data in use", key=f"against_{name}"):
        found = reopened(point, against=data)
        widgets.problem_list(found.problems)
        show_changes(found)


def show_changes(found: Reopened) -> None:
    """What changed since a document was written, number by number."""
    if not found.changes:
        return
    changed = found.changed
    widgets.plain(f"Then: {found.then}. Now: {found.now}.", is_quiet=True)
    if found.judged:
        widgets.plain(found.judged)
    if changed:
        lines = [(one.name, one.then, one.now) for one in changed]
        widgets.table(("", "then", "now"), lines, name="Numbers then and now")
    n_same = len(found.changes) - len(changed)
    widgets.plain(f"{n_same:,} of {counted(len(found.changes), 'number')} are the same.", is_quiet=True)


def restore(found: Reopened) -> PointState:
    """Put thresholds, targets, marked groups, model and what was said back as the document has them.

    What stood before is pinned beside it, so that both can be compared and gone back to.
    """
    in_use, document = session.current(), found.point.document
    if is_of_divided(document) and can_divide(in_use.data):
        session.use(divided(in_use.data), in_use.label)
        in_use = session.current()
    data = in_use.data
    models = in_use.models
    model = found.model if found.model in models else models[0]
    session.choose_model(model)
    if len(models) > 1:
        st.session_state["model_choice"] = model
    before = current_point(data, model)
    # Also where it marks none: what it holds was counted without the usual marks.
    take_marks(Marks(found.must_not_miss, marks_in_use(data).revision + 1))
    is_found = document["selection"]["chosen_on"] in ("tune", "all")
    state = begin_point(data, model, pair_of(found.thresholds), aim_of(found.constraints), is_found=is_found)
    state.particulars = {
        name: text for name, text in asdict(found.particulars).items() if text and name not in OF_PROGRAM
    }
    if _has_test(document) and state.look is None:
        known = looks.record(SEEN, state.owner, state.pair, state.aim) or looks.known()
        if known is not None:
            first = known if known.n_before else replace(known, n_before=1, shown=(IN_DOCUMENT,))
            marks = marks_in_use(data).marks
            state.look = FirstLook(state.pair, state.aim, state.chosen, first, marks)
    if before.pair != state.pair:
        pin(before, before.pair, "Before")
    pin(state, state.pair, "Document")
    keep(found.point)
    return state


OF_PROGRAM = ("created_utc", "supersedes")
"""What a document says of itself and not of the choice."""


def aim_of(constraints: tuple[Constraint, ...]) -> Aim:
    """The targets of a document as those of the page; where it names none, the usual ones."""
    aim = Aim()
    for one in constraints:
        aim = aim.instead(one)
    return aim


def forget(name: str) -> None:
    """Let go of a document that waits."""
    for key in (WAITING, FAILED):
        st.session_state.get(key, {}).pop(name, None)


def _has_test(document: Any) -> bool:
    return any(entry["role"] == "test" for entry in document["data"])
