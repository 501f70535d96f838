"""The outcome of a command in words: in the log, and as the summary of a job."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalcore.commands.reading import DOES_NOT_HOLD, DONE
from evalcore.compare.wording import metric_of, places_of
from evalcore.text.legible import one_line
from evalcore.text.numerals import change_between, change_text, value_text

MOST_SUMMARY = 900_000
"""Bytes of a summary; of a step with more than a megabyte nothing would be shown."""
WORDS = {
    ("verify", DONE): "holds",
    ("verify", DOES_NOT_HOLD): "does not hold",
    ("compare", DONE): "not shown to be worse",
    ("compare", DOES_NOT_HOLD): "worse by a metric",
}
UNREAD = "cannot be looked at"


@dataclass(frozen=True)
class Outcome:
    """What one run of a command came to.

    Parameters
    ----------
    title : what was looked at.
    status : as a command exits: 0 holds, 1 does not, 2 for a wrong input.
    said : what the command printed, standard output first.
    table : of a comparison, one row a metric; empty for a verification.
    notes : what belongs beside the status: why nothing can be said, and what fell out.
    """

    title: str
    status: int
    said: str
    table: tuple[Mapping[str, Any], ...] = ()
    notes: str = ""

    @property
    def word(self) -> str:
        """The status in words, and what belongs beside it."""
        word = WORDS.get((self.title.partition(" ")[0], self.status), UNREAD)
        return f"{word} ({one_line(self.notes)})" if self.notes else word


def markdown(outcomes: Sequence[Outcome]) -> str:
    """The outcomes as the summary of a job: a line and the details of each."""
    parts = ["## evalcore\n"]
    for one in outcomes:
        mark = {DONE: "✅", DOES_NOT_HOLD: "❌"}.get(one.status, "⚠️")
        parts.append(f"{mark} **{plain(one.title)}**: {plain(one.word)}\n")
        if one.table:
            parts.append(_table(one.table))
        parts.append(_fenced(one.said))
    text = "\n".join(parts)
    raw = text.encode()
    if len(raw) <= MOST_SUMMARY:
        return text
    # A cut may lie within a fence: what follows it must not be read as text of the page.
    return raw[:MOST_SUMMARY].decode(errors="ignore") + "\n\n(cut here: the log has the rest)\n"


def _table(rows: Sequence[Mapping[str, Any]]) -> str:
    lines = ["| metric | first | second | second − first | 95 % interval | |", "|---|---|---|---|---|---|"]
    said = {"first": "worse", "second": "better", "differ": "different", "open": "compatible with none"}
    for row in rows:
        with_params = " ".join(filter(None, (str(row["metric"]), str(row.get("params", "")))))
        metric, places = metric_of(row), places_of(row)
        cells = [
            plain(with_params),
            *(value_text(metric, row[name]) for name in ("first", "second")),
            change_text(metric, row["difference"], places),
            change_between(metric, row["ci_low"], row["ci_high"], places),
            said.get(row["favours"], "no verdict"),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def plain(text: str) -> str:
    """Text that Markdown shows as it is: every sign that could be markup is written by its number.

    Examples
    --------
    >>> plain("<b>|`x`")
    '&#60;b&#62;&#124;&#96;x&#96;'
    """
    return re.sub(r"[^\w\s,.]", lambda found: f"&#{ord(found[0])};", one_line(text), flags=re.ASCII)


def _fenced(text: str) -> str:
    """Text between fences that are longer than any in it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text.rstrip()}\n{fence}\n"


def tell(outcomes: Sequence[Outcome]) -> int:
    """Print what was found, write the summary where a job has one, and return the worst status."""
    status = max((one.status for one in outcomes), default=DONE)
    # A line such as ::error:: would be a command to the runner: none is one until the word is said again.
    word = secrets.token_hex(16)
    is_action = bool(os.environ.get("GITHUB_ACTIONS"))
    if is_action:
        print(f"::stop-commands::{word}")
    for one in outcomes:
        print(f"{one_line(one.title)}: {one.word}")
        print(one.said.rstrip())
    if is_action:
        print(f"::{word}::")
    for name, text in (("GITHUB_STEP_SUMMARY", markdown(outcomes)), ("GITHUB_OUTPUT", f"status={status}\n")):
        if os.environ.get(name):
            with Path(os.environ[name]).open("a", encoding="utf-8") as file:
                file.write(text)
    return status
