"""How a kind of problem is declared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "choice"]


@dataclass(frozen=True)
class ProblemKind:
    """One kind of problem: its code, the templates of its message, and whether these take ids of the data."""

    code: str
    severity: Severity
    found: str
    expected: str
    remedy: str
    names_ids: bool = False


KINDS: dict[str, ProblemKind] = {}


def declare(
    code: str, severity: Severity, found: str, expected: str, remedy: str, *, names_ids: bool = False
) -> None:
    """Declare a kind of problem.

    Raises
    ------
    TypeError : for a code that is declared already.
    """
    if code in KINDS:
        raise TypeError(f"problem code {code} is declared twice")
    KINDS[code] = ProblemKind(code, severity, found, expected, remedy, names_ids)
