"""Text of a file as a reader can take it: nothing in it hides itself or moves what stands beside it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import jinja2

REPLACED = "\N{REPLACEMENT CHARACTER}"
START, END = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"

LINE_END = " ⏎ "
"""What stands for an end of a line where only one line is shown."""

# Control characters but for ends of lines and tabs, surrogates, and the signs that turn the direction of what
# follows; joiners and soft hyphens move nothing, and some scripts need them.
_ACTING = "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
_LETTER = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001eeff]"
"""Of the scripts that are written from right to left."""
_WORDS = f"(?:(?!\u061c){_LETTER})+(?: +(?:(?!\u061c){_LETTER})+)*"
_MOVING = re.compile(f"{START}(?P<isolated>{_WORDS}){END}|(?P<words>{_WORDS})|{_ACTING}")


def legible(text: str) -> str:
    r"""Text whose signs stand where they are written, between other words too.

    A sign that cannot be seen but acts on others becomes a replacement character. Words that are written from
    right to left are isolated: numbers and punctuation beside them keep their places. Applied again it
    changes nothing, so that a text may be made of parts that are legible already.

    Examples
    --------
    >>> legible("A.1, 95\u00a0% of <b>") == "A.1, 95\u00a0% of <b>"
    True
    >>> legible("gate\u202egpj.exe") == "gate\ufffdgpj.exe"
    True
    >>> legible("\u05d0\u05d1: 12 rows") == "\u2068\u05d0\u05d1\u2069: 12 rows"
    True
    """
    return text if text.isascii() and text.isprintable() else _MOVING.sub(_standing, text)


def one_line(text: str) -> str:
    r"""Legible text on one line, so that none of it can pass for a line of its own.

    Examples
    --------
    >>> one_line("as agreed\nHolds: 9 values")
    'as agreed ⏎ Holds: 9 values'
    """
    return legible(LINE_END.join(text.splitlines()))


def spaced(name: str) -> str:
    """The name of a column, as people read it; files and problems of a file have it as the file does.

    Examples
    --------
    >>> spaced("topically_relevant")
    'topically relevant'
    """
    return name.replace("_", " ")


def legible_pages(package: str, folder: str, *, is_html: bool = True) -> jinja2.Environment:
    """The templates in a folder of a package, which print text legibly and fail for a name nobody gave.

    Parameters
    ----------
    package, folder : where they are.
    is_html : whether what stands for itself in HTML is written so; what is HTML already stays as it is.
    """
    import jinja2

    return jinja2.Environment(
        loader=jinja2.PackageLoader(package, folder),
        autoescape=is_html,
        finalize=lambda value: legible(value) if type(value) is str else value,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _standing(found: re.Match[str]) -> str:
    words = found["words"] or found["isolated"]
    return f"{START}{words}{END}" if words else REPLACED
