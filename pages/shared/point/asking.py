"""Test rows are asked for, in the same words on every page, before a figure counts them."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from evalcore.data import Data
from evalcore.operating_point.test_rows.looks import LooksAtTest
from evalcore.operating_point.test_rows.row_sets import row_set
from evalcore.operating_point.test_rows.site_rows import has_scores
from evalcore.operating_point.wording import counted
from evalcore.splits import test_split
from pages.shared import widgets
from pages.shared.data import session
from pages.shared.point import looks
from pages.shared.point.point import Pair, PointState, current_point, see_test
from pages.shared.written import as_markdown

GRANTED, UNANSWERED = "looks_granted", "look_unanswered"
TITLE = "A look at the test rows"
NOW, LATER = "Look now", "Not yet"
SHOWN_AT_MOST = 5


def is_granted(shown: str) -> bool:
    """Whether this session has agreed that a page shows test rows of the model in use; if so, it is counted.

    Parameters
    ----------
    shown
        What kind of figure is shown, as for `pages.shared.point.looks.record`.
    """
    if _name(shown) not in st.session_state.get(GRANTED, ()):
        return False
    _count(shown)
    return True


def ask(shown: str, *, on_refusal: Callable[[], None] = lambda: None) -> None:
    """Open the dialog that says what a look at the test rows costs; once granted, the page runs again.

    Parameters
    ----------
    shown
        What kind of figure wants the test rows, as for `is_granted`.
    on_refusal
        Called before the page runs again without them.
    """

    def body() -> None:
        say_cost(shown)
        if ask_now(shown, on_refusal):
            st.rerun()

    st.session_state[UNANSWERED] = on_refusal
    st.dialog(TITLE, width="large", on_dismiss=on_refusal)(body)()


def leave() -> None:
    """A page is left: a look it asked for and that nobody answered is refused."""
    on_refusal: Callable[[], None] | None = st.session_state.pop(UNANSWERED, None)
    if on_refusal is not None:
        on_refusal()


def ask_now(shown: str, on_refusal: Callable[[], None]) -> bool:
    """The two buttons; whether the look was granted just now."""
    with st.container(horizontal=True):
        is_wanted = st.button(NOW, type="primary", key="test_now")
        if st.button(LATER, key="test_later", on_click=on_refusal):
            st.rerun()
    if is_wanted:
        st.session_state.pop(UNANSWERED, None)
        st.session_state.setdefault(GRANTED, set()).add(_name(shown))
        _count(shown)
    return is_wanted


def say_cost(shown: str) -> None:
    """What a look shows, what it costs, and which looks there were."""
    data = session.current().data
    known = looks.known()
    is_first = known is None or known.n_before == 0
    st.markdown(
        f"**{as_markdown(shown)}** counts the test rows{_sizes(data)}. {_cost(data, is_first=is_first)}"
    )
    if known is not None:
        widgets.plain(history(known), is_quiet=True)


def history(known: LooksAtTest) -> str:
    """The looks that are known of, and who counted them since when."""
    by = {
        "server": "Counted by this server for the rows themselves, whoever loads them under whatever name,",
        "session": "Counted in this session only, as everybody opens the sample,",
        "nobody": "Counted by nobody",
    }[known.counted_by]
    since = f" since {_time(known.known_since)}" if known.known_since else ""
    rest = "; what a command line was used for is not known."
    if known.n_before == 0:
        return f"No look at them is known. {by}{since}{rest}"
    latest = known.shown[-SHOWN_AT_MOST:]
    more = len(known.shown) - len(latest)
    earlier = f"{more:,} earlier, then " if more > 0 else ""
    n_before = counted(known.n_before, "look")
    return f"Known is {n_before} before: {earlier}{'; '.join(latest)}. {by}{since}{rest}"


def _cost(data: Data, *, is_first: bool) -> str:
    if not is_first:
        return (
            "They have been looked at before: this look confirms nothing any more. It is counted, and the "
            "document says so."
        )
    state = _point(data)
    if state is None:
        return "Only the first look at them can confirm anything."
    return (
        "They can confirm thresholds **once**: this first look is spent on those that stand now, "
        f"{as_markdown(pair_in_words(state.pair))}. What it says of them then stands on the Operating point "
        "page and in the document; thresholds and targets that are set afterwards are exploratory."
    )


def pair_in_words(pair: Pair) -> str:
    """Two thresholds as what is done at them."""
    skip = "nothing is skipped" if pair[0] is None else f"skip below {pair[0]}"
    alert = "no alerts" if pair[1] is None else f"alert from {pair[1]}"
    return f"{skip}, {alert}"


def _sizes(data: Data) -> str:
    if not has_scores(data, session.model()):
        return ""
    rows = row_set(data, "test", split=test_split(data), model=session.model())
    return f": {counted(rows.n_rows, 'check')}, {rows.n_positives:,} with evidence"


def _point(data: Data) -> PointState | None:
    model = session.model()
    return current_point(data, model) if has_scores(data, model) else None


def _count(shown: str) -> None:
    data = session.current().data
    state = _point(data)
    if state is None:
        looks.record(shown, session.model())
    else:
        see_test(data, state, shown)


def _name(shown: str) -> tuple[str, str, str]:
    return session.current().data.digest, session.model(), shown


def _time(text: str | None) -> str:
    """A time of a counter as a person reads it."""
    return f"{text[:10]} {text[11:16]} UTC" if text else ""
