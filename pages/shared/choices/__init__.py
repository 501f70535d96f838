"""What is chosen on a page, kept in its address for a reload or a link; what is not there is said."""

from pages.shared.choices.kept import asked, is_unread, keep, keep_choice, refuse, refuse_absent, start
from pages.shared.choices.numbers import number, whole_number
from pages.shared.choices.options import checkbox, optional, segmented, selectbox, several, toggle

__all__ = [
    "asked",
    "checkbox",
    "is_unread",
    "keep",
    "keep_choice",
    "number",
    "optional",
    "refuse",
    "refuse_absent",
    "segmented",
    "selectbox",
    "several",
    "start",
    "toggle",
    "whole_number",
]
