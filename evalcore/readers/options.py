"""How inputs are to be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evalcore.data import FilesAs, ScoreKind, ScoreOf


@dataclass(frozen=True)
class Options:
    """How inputs are to be read, after the arguments of `load`."""

    columns: Mapping[str, tuple[str, ...]]
    positive: str | None
    score_kind: ScoreKind
    encoding: str | None
    keep_first: bool
    max_rows: int | None
    adjudicator: str | None = None
    no_header: bool = False
    score_of: ScoreOf | None = None
    files_as: FilesAs | None = None
    truth: str | None = None
