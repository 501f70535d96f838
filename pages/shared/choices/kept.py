"""What the address keeps of a page's choices; what it asks for and is not there is said."""

from collections.abc import Iterable, Sequence

import streamlit as st

from pages.shared.links import address
from pages.shared.links.strangers_text import listed, quoted

YES, NO = "yes", "no"


def asked(name: str) -> list[str]:
    """What the address says of a choice of this page, unless it belongs to other data."""
    known = address.known()
    return known.choices.get(known.page, {}).get(name, [])


def is_unread(name: str) -> bool:
    """Whether a link asks for a choice and the page has not looked at it yet."""
    known = address.known()
    return name in known.unread.get(known.page, set())


def keep(name: str, values: Sequence[str]) -> None:
    """Name a choice of this page in the address from now on; nothing for no values."""
    known = address.known()
    known.unread.get(known.page, set()).discard(name)
    choices = known.choices.setdefault(known.page, {})
    if values:
        choices[name] = list(values)
    else:
        choices.pop(name, None)


def of_page(key: str) -> str:
    """The key of a widget that several pages have: one of each page, for it begins anew on the next one."""
    return f"{key}_of_{address.known().page}"


def last_shared(name: str) -> str | None:
    """What was chosen last on any page of this part; None where nobody chose, or where a link says more."""
    known = address.known()
    return None if is_unread(name) else known.shared.get((known.part, name))


def note_beginning(name: str, value: str, *, is_said: bool) -> None:
    """Note what a choice of this page begins with, unless a link says it: that is a choice."""
    known = address.known()
    if is_said and is_unread(name):
        known.begun.pop((known.page, name), None)
    else:
        known.begun[known.page, name] = value


def share(name: str, value: str) -> None:
    """Let the other pages of this part begin with what was chosen here; what nobody chose stays here."""
    known = address.known()
    if known.begun.get((known.page, name)) != value:
        known.begun[known.page, name] = known.shared[known.part, name] = value


def start(key: str, name: str, options: Sequence[str], otherwise: str, *, is_shared: bool = False) -> None:
    """Let the widget of a key begin with what the address asks for; what it has no option for is said.

    Parameters
    ----------
    key
        Of the widget, which is shown next.
    name
        Of the choice in the address.
    options
        The legal values.
    otherwise
        Where the widget begins when the address asks for nothing.
    is_shared
        Whether other pages ask for the same: what was chosen last then goes before what this page remembers,
        but not before a link.
    """
    if st.session_state.get(key) in options:
        return
    last = last_shared(name) if is_shared else None
    values = [last] if last in options else asked(name)
    is_legal = len(values) == 1 and values[0] in options
    if not is_legal and is_unread(name):
        refuse(name, options)
    st.session_state[key] = values[0] if is_legal else otherwise
    if is_shared:
        note_beginning(name, st.session_state[key], is_said=is_legal)


def refuse(name: str, options: Sequence[str]) -> None:
    """Say that the address asks for what is not there, and forget it."""
    found = " and ".join(map(quoted, asked(name)))
    named = [one for one in options if one]  # the empty one stands for no choice
    there = f"there is {listed(named)}" if named else "these data have no such choice"
    address.say(name, f"The link asks for {name} {found}, which is not here: {there}. It was not used.")
    keep(name, ())


def refuse_absent(names: Iterable[str]) -> None:
    """Say of choices that these data do not offer at all that the address asks for them."""
    for name in names:
        if is_unread(name):
            refuse(name, ())


def keep_choice(name: str, value: str, otherwise: str, *, is_shared: bool = False) -> None:
    """Name a choice in the address, unless it is the one meant when the address says nothing."""
    if is_shared:
        share(name, value)
    keep(name, [] if value == otherwise else [value])
