"""What is chosen on a page, kept in its address for a reload or a link; what is not there is said."""

from collections.abc import Iterable, Sequence

import streamlit as st

from pages.shared import address
from pages.shared.link import listed, quoted

LONGEST_NUMBER = 10


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


def start(key: str, name: str, options: Sequence[str], otherwise: str) -> None:
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
    """
    if st.session_state.get(key) in options:
        return
    values = asked(name)
    is_legal = len(values) == 1 and values[0] in options
    if not is_legal and is_unread(name):
        refuse(name, options)
    st.session_state[key] = values[0] if is_legal else otherwise


def refuse(name: str, options: Sequence[str]) -> None:
    """Say that the address asks for what is not there, and forget it."""
    found = " and ".join(map(quoted, asked(name)))
    there = f"there is {listed(options)}" if options else "these data have no such choice"
    address.say(name, f"The link asks for {name} {found}, which is not here: {there}. It was not used.")
    keep(name, ())


def refuse_absent(names: Iterable[str]) -> None:
    """Say of choices that these data do not offer at all that the address asks for them."""
    for name in names:
        if is_unread(name):
            refuse(name, ())


def keep_choice(name: str, value: str, otherwise: str) -> None:
    """Name a choice in the address, unless it is the one meant when the address says nothing."""
    keep(name, [] if value == otherwise else [value])


def selectbox(
    label: str, name: str, options: Sequence[str], otherwise: str, *, key: str, **shown: object
) -> str:
    """A select box that begins with the choice of the address and keeps it there.

    Parameters
    ----------
    label, shown
        As of `streamlit.selectbox`.
    name, options, otherwise, key
        As in `start`.
    """
    start(key, name, options, otherwise)
    chosen = st.selectbox(label, options, key=key, **shown)
    keep_choice(name, chosen, otherwise)
    return str(chosen)


def segmented(
    label: str,
    name: str,
    options: Sequence[str],
    otherwise: str,
    *,
    key: str,
    is_shared: bool = False,
    **shown: object,
) -> str:
    """The same as buttons beside each other.

    Parameters
    ----------
    label, shown
        As of `streamlit.segmented_control`.
    name, options, otherwise, key
        As in `start`.
    is_shared
        Whether other pages that ask for the same begin with what was chosen here.
    """
    last = st.session_state.get(f"{key}_last") if is_shared else None
    start(key, name, options, last if last in options else otherwise)
    chosen = st.segmented_control(label, options, key=key, required=True, **shown)
    if chosen is None:  # a browser may answer so for a page that it has only half received
        st.rerun()
    if is_shared:
        st.session_state[f"{key}_last"] = chosen
    keep_choice(name, str(chosen), otherwise)
    return str(chosen)


def whole_number(
    label: str, name: str, least: int, most: int, otherwise: int, *, key: str, width: int = 150
) -> int:
    """A field for a whole number that begins with the one of the address and keeps it there.

    Parameters
    ----------
    label, width
        As of `streamlit.number_input`.
    name, otherwise, key
        As in `start`.
    least, most
        The range of the number.
    """
    values = asked(name)
    if key not in st.session_state:
        text = values[0] if len(values) == 1 else ""
        is_number = text.isascii() and text.isdigit() and len(text) < LONGEST_NUMBER
        is_legal = is_number and least <= int(text) <= most
        if not is_legal and is_unread(name):
            found = " and ".join(map(quoted, values))
            expected = f"expected a whole number from {least:,} to {most:,}"
            address.say(name, f"The link asks for {name} {found}, {expected}. It was not used.")
        st.session_state[key] = int(text) if is_legal else otherwise
    number = int(st.number_input(label, least, most, key=key, width=width))
    keep_choice(name, str(number), str(otherwise))
    return number
