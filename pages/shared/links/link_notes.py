"""What a person must know of the link they opened, above every page until it is settled or closed."""

from collections.abc import Iterable, Mapping

import streamlit as st

from evalcore.data import Task
from pages.shared import widgets
from pages.shared.data import session
from pages.shared.links import address
from pages.shared.links.address import Waiting
from pages.shared.links.data_name import MOST_FILES, NAMES, DataName
from pages.shared.links.link import MARK, MODEL, PIN, TARGETS, TAU
from pages.shared.links.strangers_text import as_shown
from pages.shared.tasks import PAGES
from pages.shared.written import as_html

OF_POINT = (MODEL, TAU, *TARGETS, MARK, PIN)
"""Parts of a link that belong to a point, which a link to data or values alone has none of."""
REPORT = ".evalcore"
"""How the name of a saved report ends."""
DATA_PAGE = "pages/common/data.py"
KEPT_BY_ONE = (
    "Uploaded files are kept by one session alone, in its memory: after a reload, a restart or in another "
    "browser they have to be loaded again."
)
DONE = "document"
"""The note that tells of something that went as it was asked for: what warns has another colour."""
STYLE = """<style>
.link-note { border-left: 3px solid #c8590f; padding: .1rem 0 .1rem .8rem; font-size: .95rem; }
.link-note { max-width: 68rem; overflow-wrap: anywhere; }
.link-note.done { border-color: #2b66b1; }
.link-note p { margin: 0; }
</style>"""


def show() -> frozenset[str]:
    """Show links that wait for their data, and notes; which notes were shown."""
    known = address.known()
    for part in NAMES:
        waiting = known.waiting.get(part)
        if waiting is not None and known.part in (part, None) and (waiting.is_told or known.part is None):
            _show_waiting(part, waiting)
    return show_notes(known.notes)


def show_new(shown: frozenset[str]) -> None:
    """Show the notes that came up while the page was made."""
    notes = address.known().notes
    show_notes({name: lines for name, lines in notes.items() if name not in shown})


def show_notes(notes: Mapping[str, list[str]]) -> frozenset[str]:
    """Show notes, each with a button that closes it; their names."""
    for name, lines in notes.items():
        text, button = st.columns([8, 1], vertical_alignment="center")
        with text:
            _banner(lines, is_done=name == DONE)
        button.button("Close", key=f"close_note_{name}", on_click=close, args=(name,), width="stretch")
    return frozenset(notes)


def close(name: str) -> None:
    """Show a note no longer."""
    address.known().notes.pop(name, None)


def lines_of(waiting: Waiting, in_use: session.SessionData | None) -> list[str]:
    """What is missing, what is shown instead, and what to do."""
    name, is_on_data_page = waiting.name, _is_on_data_page()
    what = "file" if len(name.files) == 1 else "files"
    is_of_point = any(part in waiting.query for part in OF_POINT)
    used = (
        "the link’s model, thresholds and targets are used then" if is_of_point else "the link is used then"
    )
    if waiting.is_lost and (in_use is None or in_use.is_sample):
        place = "below" if is_on_data_page else "on the Data page"
        return [
            f"The server has lost your data: {name.in_words}. It was restarted, or this page was without a "
            "connection for some minutes; uploads are kept in its memory alone.",
            f"Load the {what} again {place}: the address keeps what was chosen, and it is used then.",
        ]
    whose = f"the values in {name.in_words}" if name.is_of_values else name.in_words
    belongs = f"This link belongs to {whose}."
    load = f"Load the {what} {'below' if is_on_data_page else 'on the Data page'}: {used}."
    if in_use is None:
        return [f"{belongs} These are not loaded.", f"{load} {KEPT_BY_ONE}"]
    names = {as_shown(one.name) for one in in_use.data.sources}
    there = _of_the_same_files(name, in_use)
    if there is not None:
        return [
            f"{belongs} What is shown {there}, {as_shown(in_use.label)}. Nothing was moved.",
            f"{load} {KEPT_BY_ONE}",
        ]
    if name.is_of(in_use.data):
        return [
            f"{belongs} The content is the same here but was read otherwise: with other columns, another "
            "label for “has evidence” or another kind of scores. Nothing was moved.",
            f"{load} Choose there what was chosen for the link.",
        ]
    missing = [file for file in name.files[:MOST_FILES] if file not in names]
    other = "other data"
    if not in_use.is_sample and not missing and names == {*name.files}:
        other = "a file of the same name with other content"
    elif not in_use.is_sample and len(missing) < len(name.files):
        other = f"a part of it, without {', '.join(missing)}" if missing else other
    here = f"{as_shown(in_use.label)} (data {in_use.data.digest[:8]})"
    return [f"{belongs} What is shown is {other}, {here}. Nothing was moved.", f"{load} {KEPT_BY_ONE}"]


def _of_the_same_files(name: DataName, in_use: session.SessionData) -> str | None:
    """What is shown in place of what a link leads to, where both come from the same files; None otherwise."""
    if not name.is_of(in_use.data):
        return None
    if in_use.values is not None:
        return "are other values of the same files" if name.is_of_values else "are the values of it alone"
    if name.is_of_values:
        there = "what they were computed from"
        return f"is {there}" if in_use.report is None else f"is a saved report of {there}"
    is_of_report = any(file.endswith(REPORT) for file in name.files)
    if is_of_report == (in_use.report is not None):
        return None
    return "is what that was made of" if is_of_report else "is a saved report of it"


def _is_on_data_page() -> bool:
    return address.known().page == "data"


def _show_waiting(part: Task, waiting: Waiting) -> None:
    in_use = st.session_state.get(PAGES[part].slot)
    _banner(lines_of(waiting, in_use))
    with st.container(horizontal=True, vertical_alignment="center"):
        if not _is_on_data_page():
            st.page_link(DATA_PAGE, label="To the Data page", icon=":material/upload_file:")
        label = "Show the sample data" if address.is_lost(part) else "Forget the link"
        st.button(label, key=f"forget_link_{part}", on_click=address.forget_link, args=(part,))


def _banner(lines: Iterable[str], *, is_done: bool = False) -> None:
    kind = "link-note done" if is_done else "link-note"
    text = "".join(f"<p>{as_html(line)}</p>" for line in lines)
    widgets.html(f'{STYLE}<div class="{kind}" role="status" data-testid="link-note">{text}</div>')
