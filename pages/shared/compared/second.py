"""A second upload that the data in use are compared with: kept for the session, named in the link."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from evalcore.data import Data, Task
from pages.shared import choices, widgets
from pages.shared.data import session, upload
from pages.shared.links import address
from pages.shared.links.strangers_text import as_shown, listed
from pages.shared.point.point import DIGITS
from pages.shared.written import as_markdown

SECOND = "second"
LONGEST_NAME = 32
"""Characters of an upload's name that a head of a column and a legend have room for."""


@dataclass(frozen=True)
class Second:
    """The second upload of a task.

    Parameters
    ----------
    task
        Its files must be of this one, as the data in use are.
    word
        What an upload is called: ``export``.
    holds
        What its files hold: ``annotations``.
    """

    task: Task
    word: str
    holds: str

    @property
    def slot(self) -> str:
        """Under which name the session keeps it."""
        return f"{self.task}_second"

    def in_use(self) -> session.SessionData | None:
        """What was uploaded here, with the way to drop it; None while there is nothing."""
        kept: session.SessionData | None = st.session_state.get(self.slot)
        if kept is not None:
            choices.keep(SECOND, [kept.data.digest[:DIGITS], as_shown(kept.label)])
            with st.container(horizontal=True, vertical_alignment="center"):
                widgets.plain(f"Compared with the second {self.word}: {kept.label}.")
                if not st.button("Remove it", key=f"{self.slot}_remove"):
                    return kept
            del st.session_state[self.slot]
            choices.keep(SECOND, ())
            st.rerun()
        if choices.asked(SECOND):
            digest, *names = choices.asked(SECOND)
            named = f"{listed(names) or 'whose name it does not give'} (data {as_shown(digest)})"
            widgets.plain(
                f"This link compares with a second {self.word}, {named}. It is not loaded: give it below."
            )
        return None

    def ask(self, *, is_needed: bool) -> None:
        """Take the files."""
        with st.expander(f"Compare with a second {as_markdown(self.word)}", expanded=is_needed):
            files = upload.uploader()
            if not files:
                return
            found = upload.read(files, upload.Choices())
            widgets.problem_list(found.problems, found.n_more)
            if found.data is None:
                return
            if session.of_task(self.task).data.tables.keys().isdisjoint(found.data.tables):
                widgets.plain(f"These files hold no {self.holds}: they cannot be compared with {self.holds}.")
                return
            label = ", ".join(one.name for one in found.data.sources)
            st.button(
                "Compare with these",
                type="primary",
                key=f"{self.slot}_use",
                on_click=self.keep,
                args=(found.data, label),
            )

    def keep(self, data: Data, label: str) -> None:
        """Keep it for this session, and drop the upload itself."""
        digest, *names = choices.asked(SECOND) or [""]
        if not data.digest.startswith(digest):
            address.say(
                SECOND,
                f"The second {self.word} of the link was {listed(names)} (data {as_shown(digest)}). This is "
                f"another: {as_shown(label)} (data {data.digest[:DIGITS]}).",
            )
        st.session_state[self.slot] = session.SessionData(data, label, is_sample=False, key=data.digest)
        upload.forget()

    def labels(self, one: session.SessionData, two: session.SessionData) -> tuple[str, str]:
        """What the two are called: by their files, where these are short and tell them apart."""
        labels = (one.label, two.label)
        if one.label != two.label and max(map(len, labels)) <= LONGEST_NAME:
            return labels
        return f"first {self.word}", f"second {self.word}"
