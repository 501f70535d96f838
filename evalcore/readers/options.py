"""How inputs are to be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from evalcore.data import FilesAs, ScoreKind, ScoreOf
from evalcore.readers.formats.json.parts import Fits, fits_none
from evalcore.readers.inputs import Inputs


@dataclass(frozen=True)
class Options:
    """How inputs are to be read, after the arguments of `evalcore.load`.

    ``fits`` says whether names are those of a table of a task whose columns `evalcore.schema` does not know
    by themselves. ``beside`` holds, by role, what was given beside the inputs; ``labels`` those of the whole
    input, where a part of it is read.
    """

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
    predicted_ratings: bool = False
    truth: str | None = None
    fits: Fits = fits_none
    beside: Mapping[str, Inputs] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
