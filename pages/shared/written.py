"""The way in which text of a file reaches a page: shown as it is written, never read as HTML or Markdown."""

import re
from collections.abc import Callable, Iterable
from html import escape

from evalcore.text.legible import legible

_BREAK = "\N{WORD JOINER}"
_SIGNS = re.compile(r"[\\`*\[\]<|~$]|(?<!\w)_|_(?!\w)|:(?! )|&(?=[\w#]+;)|^[-+#>]|(?<=:material)/")
_NUMBERED = re.compile(r"^(\d+)([.)])")
# A backslash stops syntax. Streamlit makes links, emoji and arrows of text after that: a sign of no width
# between their letters stops these.
_ADDRESS = re.compile(r"(?<=:)(?=//|[\w+-]+:)|(?<=www)(?=\.)|(?<=[-.\w+])(?=@[-\w])", re.IGNORECASE)
_LOST = re.compile(r"(?:^|(?<= )) | $")
"""Spaces that Markdown and HTML leave out."""
_ONE_LINE = str.maketrans("\t\n\r", "   ")
_ARROW = re.compile(r"(?<!\S)([<>~-])(?=(?:->|[->=])(?!\S))")

NONE = ""
"""No level, column or list, where one may be chosen: what a file names is never empty."""


def as_html(text: str) -> str:
    """Text as HTML that shows it as it is written."""
    return escape(legible(text))


def in_options(texts: Iterable[str]) -> dict[str, str]:
    """Text → how it stands between other words in a select box, which takes options that look alike for one.

    Texts that only signs tell apart that are not seen are shown with the code points of these.
    """
    shown = {text: legible(text) for text in texts}
    return shown if len(set(shown.values())) == len(shown) else {text: ascii(text)[1:-1] for text in shown}


def told_apart(options: Iterable[str], none: str, words_of: Callable[[str], str] = str) -> dict[str, str]:
    """Each option of a select box and, first of all, `NONE` → how it is called; no two are called the same.

    Parameters
    ----------
    options : what a file names.
    none : how none of them is called; an option of the same words stands in quotation marks.
    words_of : how an option is called.

    Examples
    --------
    >>> told_apart(["A", "all"], "all")
    {'': 'all', 'A': 'A', 'all': '“all”'}
    """
    words, taken = {NONE: none}, {none}
    shown = {option: words_of(option) for option in options}
    legibly = in_options(shown.values())
    for option, text in shown.items():
        said = legibly[text]
        while said in taken:
            said = f"“{said}”"
        words[option] = said
        taken.add(said)
    return words


def as_markdown(text: object) -> str:
    r"""Text as Markdown of Streamlit that shows it as it is written, on one line.

    For whatever Streamlit reads as Markdown: labels, titles, captions, messages, `help`, and the options of
    tabs, radio buttons and segmented controls. Options of a select box are shown as they are.

    Examples
    --------
    >>> print(as_markdown("![x](a) :red[p_final]"))
    !\[x\](a) \:red\[p_final\]
    """
    shown = _LOST.sub("\N{NO-BREAK SPACE}", legible(str(text).translate(_ONE_LINE)))
    shown = _ADDRESS.sub(_BREAK, _ARROW.sub(rf"\1{_BREAK}", shown))
    return _NUMBERED.sub(r"\1\\\2", _SIGNS.sub(r"\\\g<0>", shown))
