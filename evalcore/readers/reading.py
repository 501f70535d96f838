"""What came of an input, whatever its task."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from evalcore.data import Data, Source
from evalcore.problems import Findings
from evalcore.readers.columns.labels import Labels
from evalcore.readers.columns.mapping import Mapped


@dataclass(frozen=True)
class Reading:
    """What came of an input.

    Parameters
    ----------
    tables : every file that could be opened, with the roles of its columns.
    findings : every problem.
    data : the data, or None where a problem stops them.
    labels : file → its labels, where these are one column.
    rows : every table whose rows were read (`evalcore.readers.evidence.rows.Rows`).
    sources : file → its rows in, used and excluded, where ``rows`` do not say it.
    """

    tables: tuple[Mapped, ...]
    findings: Findings
    data: Data | None
    labels: Mapping[str, Labels] = field(default_factory=dict)
    rows: tuple[Any, ...] = ()
    sources: Mapping[str, Source] = field(default_factory=dict)
