"""What a notebook shows of an object: a small table, escaped, without a script, on pages of any colour."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

from evalcore.text.legible import one_line

_BOX = "font-size:0.95em;line-height:1.45;max-width:60em"
_CELL = "padding:0.15em 0.9em 0.15em 0;text-align:left;vertical-align:top;border-bottom:1px solid #8886"
LONGEST = 400
"""Characters of a cell: the files hold the rest."""


def view(
    title: str,
    facts: Mapping[str, str],
    head: Sequence[str] = (),
    rows: Sequence[Sequence[str]] = (),
    notes: Sequence[str] = (),
) -> str:
    """HTML of a title, facts, a table and notes; every text is taken as text.

    Colours are those of the page around it: it has a background neither of its own nor assumed.

    Parameters
    ----------
    title : the first line.
    facts : what is known of the whole, by name.
    head, rows : of the table; none without rows.
    notes : a line each, beneath.

    Examples
    --------
    >>> "&lt;b&gt;" in view("<b>", {}), "<table" in view("Nothing", {})
    (True, False)
    """
    parts = [f"<strong>{_text(title)}</strong>"]
    parts += [f"<div>{_text(name)}: {_text(fact)}</div>" for name, fact in facts.items()]
    if rows:
        parts.append('<div style="overflow-x:auto"><table style="border-collapse:collapse;margin:0.5em 0">')
        parts.append(f"<thead><tr>{''.join(_cell('th', name) for name in head)}</tr></thead><tbody>")
        parts += [f"<tr>{''.join(_cell('td', text) for text in row)}</tr>" for row in rows]
        parts.append("</tbody></table></div>")
    parts += [f"<div>{_text(note)}</div>" for note in notes]
    return f'<div style="{_BOX}">{"".join(parts)}</div>'


def number(value: float, low: float = math.nan, high: float = math.nan) -> str:
    """A value with its interval to four digits after the point, and "n/a" where it is not defined.

    Examples
    --------
    >>> number(0.98765, 0.9, 1.0), number(12.0), number(float("nan"))
    ('0.9877 (0.9000 to 1.0000)', '12', 'n/a')
    """
    if math.isnan(value):
        return "n/a"
    limits = "" if math.isnan(low) and math.isnan(high) else f" ({_plain(low)} to {_plain(high)})"
    return f"{_plain(value, is_whole_short=not limits)}{limits}"


def _plain(value: float, *, is_whole_short: bool = False) -> str:
    if math.isnan(value):
        return "…"
    return f"{value:,.0f}" if is_whole_short and value.is_integer() else f"{value:,.4f}"


def _cell(kind: str, text: str) -> str:
    return f'<{kind} style="{_CELL}">{_text(text)}</{kind}>'


def _text(text: str) -> str:
    short = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
    return escape(one_line(short))
