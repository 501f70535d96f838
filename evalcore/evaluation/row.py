"""One row of the result table, which is a line of ``metrics.csv``."""

from __future__ import annotations

import math
from typing import NamedTuple


class Place(NamedTuple):
    """Whose value it is: of which model and, in a breakdown, of which group."""

    model: str
    group_by: str = ""
    group: str = ""


class Row(NamedTuple):
    """One value with everything that says what it is; the fields are the columns of ``metrics.csv``.

    Parameters
    ----------
    family, metric : the two parts of the metric's key.
    params : ``k=10`` or ``tau_neg=0.1;tau_pos=0.9``; for a figure about spread also ``stat`` and ``over``.
    variant : name of the definition; several join with ``;``.
    population : what the value is over.
    model : the model, or the column that holds its scores or lists.
    group_by, group : columns and levels of a breakdown; empty for the whole.
    value : the value, NaN where it is undefined.
    n : how many rows, queries or groups it rests on.
    ci_low, ci_high, ci_level, ci_method : its interval, NaN and empty where there is none.
    note : the reason of a NaN, or a remark.
    """

    family: str
    metric: str
    params: str
    variant: str
    population: str
    model: str
    group_by: str
    group: str
    value: float
    n: int
    ci_low: float = math.nan
    ci_high: float = math.nan
    ci_level: float = math.nan
    ci_method: str = ""
    note: str = ""


COLUMNS = Row._fields
