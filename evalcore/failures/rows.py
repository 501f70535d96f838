"""Which rows to look at, their states, and rows as tables and CSV."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from evalcore.data import Data, Queries, Rankings
from evalcore.files import spreadsheet_text
from evalcore.kernels.bins import equal_width_edges
from evalcore.problems import InputError, problem
from evalcore.tallies.decisions import STATES, Pair, states_of
from evalcore.tallies.places import Codes

if TYPE_CHECKING:
    import pandas as pd

LIMIT = 1_000
N_BINS = 10
SLICES = ("fold", "split")
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Filter:
    """Which rows to look at; None takes every row.

    Parameters
    ----------
    criterion, fold, split : an id or a level, as text.
    state : ``NEG``, ``UNCERTAIN`` or ``POS`` at the thresholds.
    score_bin : number of a bin of width 0.1 over [0, 1], 0 … 9, the last one closed.
    group : a column and one of its levels.
    """

    criterion: str | None = None
    fold: str | None = None
    split: str | None = None
    state: str | None = None
    score_bin: int | None = None
    group: tuple[str, str] | None = None


def score_bins(score: NDArray[np.float64]) -> Codes:
    """The bin of width 0.1 that each probability lies in, 0 … 9; −1 for a score outside [0, 1]."""
    inside = (score >= 0) & (score <= 1)
    found = np.searchsorted(equal_width_edges(N_BINS), score, side="right") - 1
    return np.where(inside, np.minimum(found, N_BINS - 1), -1)


def queries_of(data: Data) -> Queries:
    """The scored rows of the data.

    Raises
    ------
    InputError : OPT-008 for data without labels and scores.
    """
    if data.queries is None:
        advice = "Missed evidence and false alerts are counted on labelled scores."
        found = "data without labels and scores"
        raise InputError([problem("OPT-008", found=found, expected="a queries file", advice=advice)])
    return data.queries


def looked_at(data: Data, model: str, taus: Pair, only: Filter | None) -> tuple[Codes, Mask]:
    """The state of every row, and which rows are of the model and pass the filter."""
    queries, only = queries_of(data), only or Filter()
    state = states_of(queries.score, taus)
    chosen = in_slices(queries, only) & _of_model(queries, model)
    if only.state is not None:
        chosen &= state == _code("state", only.state, STATES)
    if only.score_bin is not None:
        chosen &= score_bins(queries.score) == _code("bin", only.score_bin, range(N_BINS))
    return state, chosen


def in_slices(part: Queries | Rankings, only: Filter) -> Mask:
    """Which rows have the criterion, fold, split and group of the filter."""
    chosen = np.ones(len(part.post), bool)
    named = [(name, getattr(only, name)) for name in ("criterion", *SLICES)]
    for name, level in [*named, only.group or ("", None)]:
        if level is not None:
            chosen &= _where(*_column(part, name), level)
    return chosen


def frame(queries: Queries, at: Codes, **states: NDArray[np.object_]) -> pd.DataFrame:
    """Rows as a table: post, criterion, label, score, states, fold and split, and the row of the file."""
    import pandas as pd

    return pd.DataFrame(
        {
            "post": queries.post_ids[queries.post[at]],
            "criterion": criteria_of(queries, at),
            "has_evidence": queries.has_evidence[at],
            "score": queries.score[at],
            **states,
            **slices_of(queries, at),
            "row": queries.row[at],
        }
    )


def criteria_of(part: Queries | Rankings, at: Codes) -> NDArray[np.object_]:
    """The criterion ids of rows; empty where there are none."""
    names = np.append(part.criterion_ids, "").astype(object)
    return np.asarray(names[part.criterion[at]])


def slices_of(part: Queries | Rankings, at: Codes) -> dict[str, NDArray[np.object_]]:
    """Fold and split of rows, where there are such columns; empty where a row has none."""
    return {
        name: np.append(np.array(levels, object), "").astype(object)[codes[at]]
        for name, (codes, levels) in part.slices.items()
        if name in SLICES
    }


def as_csv(table: pd.DataFrame) -> str:
    """A table of failures as CSV: text that no spreadsheet runs, numbers that read back as the same.

    Examples
    --------
    >>> import pandas as pd
    >>> print(as_csv(pd.DataFrame({"post": ["=A1"], "score": [0.1]})))
    post,score
    '=A1,0.1
    <BLANKLINE>
    """
    out = io.StringIO()
    lines = csv.writer(out, lineterminator="\n")
    lines.writerow([spreadsheet_text(str(name)) for name in table.columns])
    columns: Sequence[Iterable[Any]] = [table[name].tolist() for name in table.columns]
    lines.writerows([_cell(value) for value in row] for row in zip(*columns, strict=True))
    return out.getvalue()


def _cell(value: Any) -> str:
    if isinstance(value, str):
        return spreadsheet_text(value)
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(value)
    return str(value) if isinstance(value, bool | int) else ""


def _column(part: Queries | Rankings, name: str) -> tuple[Codes, Sequence[str]]:
    if name == "criterion":
        return part.criterion, part.criterion_ids.tolist()
    return part.slices.get(name, (np.full(len(part.post), -1), ()))


def _where(codes: Codes, levels: Sequence[str], level: str) -> Mask:
    return codes == levels.index(level) if level in levels else np.zeros(len(codes), bool)


def _of_model(queries: Queries, model: str) -> Mask:
    return np.asarray(queries.model == _code("model", model, queries.models))


def _code(name: str, found: Any, legal: Sequence[Any]) -> int:
    if found not in legal:
        raise InputError([problem("OPT-003", name=name, found=found, expected=", ".join(map(str, legal)))])
    return legal.index(found)
