"""What was found in chunks, told once: the same warning of many chunks would hide all others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from evalcore.problems import Findings, Problem, problem


@dataclass
class Telling:
    """What was found in all chunks so far.

    Parameters
    ----------
    findings : gets a warning once for each file and column, everything else as it is.
    told : by code, file and column, the first warning, and in how many further chunks there is another one.
    """

    findings: Findings
    told: dict[tuple[Any, ...], tuple[Problem, int]] = field(default_factory=dict)

    def report(self, findings: Findings) -> None:
        """Take over what was found in a chunk."""
        for one in findings.problems:
            if one.severity == "error":
                if one not in self.findings.problems:
                    self.findings.problems.append(one)
                continue
            key = one.code, one.file, one.column
            first, n = self.told.get(key, (one, -1))
            self.told[key] = first, n + (n < 0 or one != first)
            if n < 0:
                self.findings.problems.append(one)
        for code, n in findings.n_more.items():
            self.findings.n_more[code] = self.findings.n_more.get(code, 0) + n

    def repeated(self) -> Iterator[Problem]:
        """What there is more of than was told."""
        for (code, file, column), (_, n) in self.told.items():
            if n:
                yield problem("CHK-005", file=file, column=column, told=code, n=n)
