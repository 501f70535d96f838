"""Tables as CSV that a spreadsheet opens as they are: the only writer of such files.

A test holds every other module to it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def spreadsheet_text(text: str) -> str:
    """Text with an apostrophe before whatever a spreadsheet would run as a formula.

    A text that starts with apostrophes before such a character gets one more: different texts stay different.

    Source
    ------
    OWASP, "CSV injection".

    Examples
    --------
    >>> spreadsheet_text('=HYPERLINK("http://example.invalid")')
    '\\'=HYPERLINK("http://example.invalid")'
    >>> spreadsheet_text("A.9")
    'A.9'
    """
    return f"'{text}" if text.lstrip("'").startswith(STARTS_A_FORMULA) else text


def csv_text(
    columns: Iterable[tuple[str, Iterable[Any]]],
    *,
    text: Callable[[str], str] = spreadsheet_text,
    number: Callable[[float], str] = repr,
) -> str:
    """Columns of texts and numbers as CSV, their names in the first line; NaN and None are empty cells.

    Parameters
    ----------
    columns : the name of each and its cells, all of one length.
    text, number : how texts and floating-point numbers are written; by default as text that is no formula,
        and as what reads back as the same number.

    Examples
    --------
    >>> csv_text([("post", ["=A1", "b"]), ("=x", [0.1, float("nan")]), ("n", [1, None])])
    "post,'=x,n\\n'=A1,0.1,1\\nb,,\\n"
    """

    def cell(value: Any) -> str:
        if isinstance(value, str):
            return text(value)
        if value is None or value != value:
            return ""
        return number(value) if isinstance(value, float) else str(value)

    def cells(values: Sequence[Any]) -> Iterable[str]:
        if set(map(type, values)) != {str}:
            return map(cell, values)
        known = {one: text(one) for one in set(values)}  # the same few names stand in thousands of rows
        return map(known.__getitem__, values)

    named = [(cell(str(name)), cells([*values])) for name, values in columns]
    out = io.StringIO()
    lines = csv.writer(out, lineterminator="\n")
    lines.writerow([name for name, _ in named])
    lines.writerows(zip(*(cells for _, cells in named), strict=True))
    return out.getvalue()


def shortest(value: float) -> str:
    """The shortest text that reads back as the same float64.

    Examples
    --------
    >>> shortest(0.1), shortest(3.0)
    ('0.1', '3')
    """
    return repr(value).removesuffix(".0")


def table_csv(table: pd.DataFrame, *, number: Callable[[float], str] = repr) -> str:
    """A table as `csv_text` writes it, without its index."""
    present = table.astype(object).where(table.notna(), None)
    return csv_text(((str(name), present[name].tolist()) for name in table.columns), number=number)
