"""What is chosen on a page, kept in its address for a reload or a link; what is not there is said."""

from collections.abc import Callable, Iterable, Sequence
from math import inf, isfinite
from typing import Any

import streamlit as st

from pages.shared import widgets
from pages.shared.links import address
from pages.shared.links.link import listed, quoted
from pages.shared.threshold_text import number_of
from pages.shared.written import NONE, told_apart

LONGEST_NUMBER = 30
WIDTH = 150
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


def _shared(name: str) -> str | None:
    """What was chosen last on any page of this part; None where nobody chose, or where a link says more."""
    known = address.known()
    return None if is_unread(name) else known.shared.get((known.part, name))


def _begin(name: str, value: str, *, is_said: bool) -> None:
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
    last = _shared(name) if is_shared else None
    values = [last] if last in options else asked(name)
    is_legal = len(values) == 1 and values[0] in options
    if not is_legal and is_unread(name):
        refuse(name, options)
    st.session_state[key] = values[0] if is_legal else otherwise
    if is_shared:
        _begin(name, st.session_state[key], is_said=is_legal)


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


def keep_choice(name: str, value: str, otherwise: str, *, is_shared: bool = False) -> None:
    """Name a choice in the address, unless it is the one meant when the address says nothing."""
    if is_shared:
        share(name, value)
    keep(name, [] if value == otherwise else [value])


def selectbox(
    label: str,
    name: str,
    options: Sequence[str],
    otherwise: str,
    *,
    key: str,
    is_shared: bool = False,
    **shown: Any,
) -> str:
    """A select box that begins with the choice of the address and keeps it there.

    Parameters
    ----------
    label, shown
        As of `streamlit.selectbox`.
    name, options, otherwise, key, is_shared
        As in `start`.
    """
    key = of_page(key) if is_shared else key
    start(key, name, options, otherwise, is_shared=is_shared)
    chosen = st.selectbox(label, options, key=key, **shown)
    keep_choice(name, chosen, otherwise, is_shared=is_shared)
    return str(chosen)


def optional(
    label: str,
    name: str,
    options: Sequence[str],
    none: str,
    *,
    key: str,
    otherwise: str = NONE,
    format_func: Callable[[str], str] = str,
    **shown: Any,
) -> str | None:
    """A select box of what a file names, or none of it; no name of a file is taken for none.

    Parameters
    ----------
    label, name, otherwise, key, shown
        As of `selectbox`.
    options
        What the file names.
    none
        How the first option, none of them, is called. An option of the same words stands in quotation marks:
        the browser tells options apart by their words. In the address none of them is an empty value, or
        these words where no option has them.
    format_func
        How an option is called.
    """
    if asked(name) == [none] and none not in options:
        known = address.known()
        known.choices[known.page][name] = [NONE]
    words = told_apart(options, none, format_func)
    chosen = selectbox(
        label, name, [NONE, *options], otherwise, key=key, format_func=words.__getitem__, **shown
    )
    return None if chosen == NONE else chosen


def segmented(
    label: str,
    name: str,
    options: Sequence[str],
    otherwise: str,
    *,
    key: str,
    is_shared: bool = False,
    **shown: Any,
) -> str:
    """The same as buttons beside each other.

    Parameters
    ----------
    label, shown
        As of `streamlit.segmented_control`.
    name, options, otherwise, key, is_shared
        As in `start`.
    """
    key = of_page(key) if is_shared else key
    start(key, name, options, otherwise, is_shared=is_shared)
    chosen = st.segmented_control(label, options, key=key, required=True, wrap=True, **shown)
    if chosen is None:  # a browser may answer so for a page that it has only half received
        st.rerun()
    keep_choice(name, str(chosen), otherwise, is_shared=is_shared)
    return str(chosen)


def several(label: str, name: str, options: Sequence[str], *, key: str, **shown: Any) -> list[str]:
    """Any number of options, none at first, in the order of the options.

    Parameters
    ----------
    label, shown
        As of `streamlit.multiselect`.
    name, options, key
        As in `start`.
    """
    if key not in st.session_state:
        values = asked(name)
        if is_unread(name) and not set(values) <= set(options):
            refuse(name, ())
        st.session_state[key] = [value for value in values if value in options]
    else:
        st.session_state[key] = [value for value in st.session_state[key] if value in options]
    picked = st.multiselect(label, options, key=key, **shown)
    chosen = [option for option in options if option in picked]
    keep(name, chosen)
    return chosen


def whole_number(
    label: str,
    name: str,
    least: int,
    most: int,
    otherwise: int,
    *,
    key: str,
    is_shared: bool = False,
    **shown: Any,
) -> int:
    """A field for a whole number that begins with the one of the address and keeps it there.

    Parameters
    ----------
    label, shown
        As of `streamlit.number_input`.
    name, otherwise, key, is_shared
        As in `start`.
    least, most
        The range of the number.
    """
    key = of_page(key) if is_shared else key
    start_number(key, name, least, most, otherwise, is_whole=True, is_shared=is_shared)
    typed = st.number_input(label, step=1, key=key, **({"width": WIDTH} | shown))
    number = int(_legal(label, key, typed, least, most, otherwise))
    keep_choice(name, str(number), str(otherwise), is_shared=is_shared)
    return number


def number(
    label: str,
    name: str,
    least: float | None,
    most: float | None,
    otherwise: float,
    *,
    key: str,
    is_slider: bool = False,
    is_shared: bool = False,
    **shown: Any,
) -> float:
    """A field or a slider for a number that begins with the one of the address and keeps it there.

    Parameters
    ----------
    label, shown
        As of `streamlit.number_input` or `streamlit.slider`.
    name, otherwise, key, is_shared
        As in `start`.
    least, most
        The range of the number; None: no end.
    is_slider
        Whether it is a slider.
    """
    key = of_page(key) if is_shared else key
    start_number(key, name, least, most, otherwise, is_shared=is_shared)
    if is_slider:
        chosen = float(st.slider(label, least, most, key=key, **shown))
    else:
        chosen = _legal(label, key, st.number_input(label, key=key, **shown), least, most, otherwise)
    keep_choice(name, repr(chosen), repr(float(otherwise)), is_shared=is_shared)
    return chosen


def _legal(
    label: str, key: str, typed: float, least: float | None, most: float | None, otherwise: float
) -> float:
    """What was typed; where that is out of range the number before it, and the page says so.

    A field that knows its range drops such a number without a word.
    """
    low, high = -inf if least is None else least, inf if most is None else most
    slot = f"{key}_legal"
    if low <= typed <= high:
        st.session_state[slot] = typed
        return float(typed)
    used = st.session_state.get(slot, otherwise)
    kind = "a whole number" if isinstance(otherwise, int) else "a number"
    expected = f"{kind} from {low:,g} to {high:,g}" if isfinite(low) and isfinite(high) else kind
    widgets.plain(f"{label}: found {typed:,g}, expected {expected}; {used:,g} is used.")
    return float(used)


def checkbox(label: str, name: str, *, key: str, is_shared: bool = False, **shown: Any) -> bool:
    """A box that is ticked where the address says ``yes``, and is kept there.

    Parameters
    ----------
    label, shown
        As of `streamlit.checkbox`.
    name, key, is_shared
        As in `start`.
    """
    key = of_page(key) if is_shared else key
    _start_ticked(name, key, is_shared=is_shared)
    return _kept_ticked(name, st.checkbox(label, key=key, **shown), is_shared=is_shared)


def toggle(label: str, name: str, *, key: str, **shown: Any) -> bool:
    """The same as a switch."""
    _start_ticked(name, key)
    return _kept_ticked(name, st.toggle(label, key=key, **shown))


def _start_ticked(name: str, key: str, *, is_shared: bool = False) -> None:
    if key in st.session_state:
        return
    last = _shared(name) if is_shared else None
    values = asked(name) if last is None else [YES] * (last == YES)
    is_legal = values in ([], [YES])
    if not is_legal:
        refuse(name, [YES])
    st.session_state[key] = values == [YES]
    if is_shared:
        _begin(name, YES if st.session_state[key] else NO, is_said=values == [YES])


def _kept_ticked(name: str, is_ticked: bool, *, is_shared: bool = False) -> bool:
    keep_choice(name, YES if is_ticked else NO, NO, is_shared=is_shared)
    return is_ticked


def start_number(
    key: str,
    name: str,
    least: float | None,
    most: float | None,
    otherwise: float,
    *,
    is_whole: bool = False,
    is_shared: bool = False,
) -> None:
    """Let the widget of a key begin with the number of the address; what is none, or out of range, is said.

    Parameters
    ----------
    key, name, otherwise, is_shared
        As in `start`.
    least, most
        The range; None: no end.
    is_whole
        Whether only a whole number is legal.
    """
    if key in st.session_state:
        return
    last = _shared(name) if is_shared else None
    values = asked(name) if last is None else [last]
    text = values[0] if len(values) == 1 and len(values[0]) <= LONGEST_NUMBER else ""
    found = number_of(text) if not is_whole or (text.isascii() and text.isdigit()) else None
    low, high = -inf if least is None else least, inf if most is None else most
    is_legal = found is not None and isfinite(found) and low <= found <= high
    if not is_legal and is_unread(name):
        told = " and ".join(map(quoted, values))
        kind = "a whole number" if is_whole else "a number"
        expected = f"{kind} from {low:,g} to {high:,g}" if isfinite(low) and isfinite(high) else kind
        address.say(name, f"The link asks for {name} {told}, expected {expected}. It was not used.")
    legal = otherwise if found is None or not is_legal else found
    st.session_state[key] = int(legal) if is_whole else float(legal)
    if is_shared:
        _begin(name, str(st.session_state[key]), is_said=is_legal)
