"""A problem, an error made of problems, and their collection while an input is checked."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from shlex import quote
from typing import Any

from evalcore.problems.kinds import KINDS, Severity
from evalcore.text.legible import legible

SHOWN = 20
_LONGEST = 600
_COUNTS = ("n", "n_missing", "n_rest")
"""Facts that count what a problem tells of."""


@dataclass(frozen=True)
class Problem:
    """One problem of one input: where, what was found, what was expected, what to do.

    Parameters
    ----------
    code : stable code such as ``QRY-003``, listed in ``docs/problems.md``.
    severity : ``error`` (cannot be evaluated), ``choice`` (the user must say something first) or ``warning``.
    file, row, column : where; ``row`` counts data rows from 1, ``None`` where there is none.
    found, expected, remedy : the three parts of the message.
    line : the line of the file, where it names one.
    n_cases : how many rows, or other cases, it tells of; 1 where it counts none.
    """

    code: str
    severity: Severity
    file: str | None
    row: int | None
    column: str | None
    found: str
    expected: str
    remedy: str
    line: int | None = None
    n_cases: int = 1

    @property
    def where(self) -> str:
        """The place in words, ``predictions.csv, row 17, column p``."""
        parts = [shortened(self.file)] if self.file else []
        parts += [f"line {self.line}"] if self.line is not None else []
        parts += [f"row {self.row}"] if self.row is not None else []
        parts += [f"column {shortened(self.column)}"] if self.column is not None else []
        return ", ".join(parts)

    def in_general(self) -> Problem:
        """The same without a row, a line or an id: what differs from case to case is left out."""
        kind = KINDS[self.code]
        if self.row is None and self.line is None and not kind.names_ids:
            return self
        found, expected, remedy = (
            re.sub(r"\{[^{}]*\}", "…", text) for text in (kind.found, kind.expected, kind.remedy)
        )
        return replace(self, row=None, line=None, found=found, expected=expected, remedy=remedy)

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        expected = f", expected {self.expected}" if self.expected else ""
        return legible(f"{place}found {self.found}{expected}. {self.remedy}".rstrip())


class InputError(ValueError):
    """The input cannot be used as it is; ``problems`` says everything that is wrong with it.

    Parameters
    ----------
    problems : the problems, at least one, in the order in which they should be read.
    n_more : how many further rows have a problem already named here.
    """

    def __init__(self, problems: Iterable[Problem], n_more: int = 0) -> None:
        self.problems = tuple(problems)
        self.n_more = n_more
        super().__init__(listing(self.problems, n_more))

    def __reduce__(self) -> tuple[Any, ...]:
        """So that one that is raised in another process is the same here."""
        return InputError, (self.problems, self.n_more)


def listing(problems: Iterable[Problem], n_more: int = 0) -> str:
    """Problems as lines of text: the first 20, then how many more."""
    lines = [f"{p} [{p.code}]" for p in problems]
    n_more += max(len(lines) - SHOWN, 0)
    return "\n".join([*lines[:SHOWN], *([f"… and {n_more:,} more like these."] if n_more else [])])


def problem(
    code: str,
    *,
    file: str | None = None,
    row: int | None = None,
    column: str | None = None,
    line: int | None = None,
    **facts: Any,
) -> Problem:
    """A problem of the declared kind ``code``, its templates filled with ``facts``.

    Raises
    ------
    KeyError : for a code that is not declared, or a fact that its templates need and do not get.
    """
    kind = KINDS[code]
    facts = {name: shortened(fact) if isinstance(fact, str) else fact for name, fact in facts.items()}
    found, expected, remedy = (
        _WORDS.vformat(text, (), facts) for text in (kind.found, kind.expected, kind.remedy)
    )
    counted = [facts[name] for name in _COUNTS if isinstance(facts.get(name), int)]
    n_cases = counted[0] if counted else 1
    return Problem(code, kind.severity, file, row, column, found, expected, remedy, line, n_cases)


class _Words(string.Formatter):
    """Fills a template; ``{name!q}`` is a name as the options of the command line take it."""

    def convert_field(self, value: Any, conversion: Any) -> Any:
        """The value, in quotes where a shell needs them for ``!q``."""
        return quote(str(value)) if conversion == "q" else super().convert_field(value, conversion)


_WORDS = _Words()


def shortened(text: str) -> str:
    """A text of at most 600 characters, for a message; what is left out is counted.

    >>> shortened("a" * 1000)[-35:]
    'aaaaaaaaaa… and 460 more characters'
    """
    return (
        text
        if len(text) <= _LONGEST
        else f"{text[: _LONGEST - 60]}… and {len(text) - _LONGEST + 60:,} more characters"
    )


@dataclass
class Findings:
    """Collects the problems of one input, so that all are reported together.

    At most 20 problems of a kind and column are kept with their rows; the rest are counted.
    """

    problems: list[Problem] = field(default_factory=list)
    n_more: dict[str, int] = field(default_factory=dict)

    def add(self, code: str, **where_and_facts: Any) -> None:
        """Report one problem, with the arguments of `problem`."""
        self.problems.append(problem(code, **where_and_facts))

    def add_rows(
        self, code: str, rows: Iterable[tuple[int, Mapping[str, Any]]], n: int, **shared: Any
    ) -> None:
        """Report one kind of problem at ``n`` rows; ``rows`` yields (row, facts) for the first of them."""
        kept = 0
        for row, facts in rows:
            if kept == SHOWN:
                break
            self.problems.append(problem(code, row=row, **{**shared, **facts}))
            kept += 1
        self.count_more(code, n, kept)

    def count_more(self, code: str, n: int, kept: int = SHOWN) -> None:
        """Count the ``n`` problems of a kind of which only ``kept`` were reported one by one."""
        if n > kept:
            self.n_more[code] = self.n_more.get(code, 0) + n - kept

    def hand_over(self, other: Findings) -> None:
        """Give to another what was found here, and whatever will be: readers keep what they report to."""
        other.problems += self.problems
        for code, n in self.n_more.items():
            other.n_more[code] = other.n_more.get(code, 0) + n
        self.problems, self.n_more = other.problems, other.n_more

    @property
    def errors(self) -> list[Problem]:
        """The problems that stop an evaluation: errors and choices the user has not made."""
        return [p for p in self.problems if p.severity != "warning"]

    @property
    def warnings(self) -> list[Problem]:
        """The problems that do not stop an evaluation."""
        return [p for p in self.problems if p.severity == "warning"]

    def raise_errors(self) -> None:
        """Raise `InputError` with every error and choice, when there is one."""
        errors = self.errors
        if errors:
            codes = {p.code for p in errors}
            raise InputError(errors, sum(n for code, n in self.n_more.items() if code in codes))
