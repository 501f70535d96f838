"""The choice tried over folds: thresholds chosen on the other folds, applied to the one held out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from evalcore.operating_point.constraints import Constraint, Thresholds, find_thresholds
from evalcore.operating_point.test_rows.row_sets import FOLD as FOLD
from evalcore.operating_point.test_rows.row_sets import RowSet
from evalcore.operating_point.tradeoff.thresholds import threshold_text
from evalcore.operating_point.wording import counted
from evalcore.problems import InputError, problem
from evalcore.tallies.decisions import StateCounts, states_at


@dataclass(frozen=True)
class Fold:
    """One fold held out.

    Parameters
    ----------
    name : the fold, as its column says.
    thresholds : what the rule chose on all other folds.
    states : the rows of this fold by state and label at these thresholds.
    """

    name: str
    thresholds: Thresholds
    states: StateCounts


@dataclass(frozen=True)
class OverFolds:
    """What the procedure did, fold by fold.

    Parameters
    ----------
    column : the name of the column of folds in the file.
    folds : at least two.
    n_posts_shared : posts with rows in several folds, which no fold is then independent of.
    """

    column: str
    folds: tuple[Fold, ...]
    n_posts_shared: int

    @property
    def pooled(self) -> StateCounts:
        """The held-out rows of all folds together: each row once, at the thresholds of its fold."""
        cells = ("neg_pos", "neg_neg", "uncertain_pos", "uncertain_neg", "pos_pos", "pos_neg")
        return StateCounts(
            *(np.sum([getattr(one.states, cell) for one in self.folds], axis=0) for cell in cells)
        )

    def entry(self) -> dict[str, Any]:
        """The folds as they stand in a document's ``selection``."""
        return {
            "column": self.column,
            "posts_in_several_folds": self.n_posts_shared,
            "held_out": [_fold_entry(one) for one in self.folds],
        }


def over_folds(rows: RowSet, sensitivity: Constraint | None, precision: Constraint | None) -> OverFolds:
    """Choose on the other folds and apply to the one held out, for each fold.

    Parameters
    ----------
    rows : rows with a column of folds.
    sensitivity, precision : what to reach; without one its zone stays empty.

    Raises
    ------
    InputError : OPT-008 without folds, with a single one, or with rows that name none.

    Source
    ------
    statistics.md, "Tune and test".
    """
    divided = rows.by_folds()
    _check(n_folds=len(divided.names), n_without=divided.n_without, n_rows=rows.n_rows)
    folds = []
    for name in sorted(divided.names, key=_in_order):
        others, held_out = divided.apart(name)
        found = find_thresholds(others.table, sensitivity, precision, posts=others.posts, rules=rows.rules)
        states = states_at(held_out.table, found.tau_neg, found.tau_pos)
        folds.append(Fold(name, found, states))
    return OverFolds(rows.origin.source.columns.get(FOLD, FOLD), tuple(folds), divided.n_in_several)


def spread_in_words(entry: Mapping[str, Any]) -> str:
    """Where the thresholds of the folds lay, from a document's ``selection.folds``; never their mean.

    Examples
    --------
    >>> tau = lambda value: {"value": value, "hex": None if value is None else value.hex()}
    >>> held_out = [{"tau_neg": tau(low), "tau_pos": tau(None)} for low in (0.25, 0.125, None)]
    >>> spread_in_words({"held_out": held_out})
    'Over 3 folds: the threshold to skip lay from 0.125 to 0.25 and in 1 fold nothing could be skipped; in 3
    folds no alert was raised.'
    """
    held_out = entry["held_out"]
    told = [
        _spread(held_out, "tau_neg", "the threshold to skip", "nothing could be skipped"),
        _spread(held_out, "tau_pos", "the threshold to alert", "no alert was raised"),
    ]
    return f"Over {counted(len(held_out), 'fold')}: {'; '.join(told)}."


def _spread(held_out: list[Mapping[str, Any]], key: str, name: str, empty: str) -> str:
    values = [one[key]["value"] for one in held_out if one[key]["value"] is not None]
    n_empty = len(held_out) - len(values)
    without = f"in {counted(n_empty, 'fold')} {empty}"
    if not values:
        return without
    low, high = threshold_text(min(values)), threshold_text(max(values))
    lay = f"{name} was {low} each time" if low == high else f"{name} lay from {low} to {high}"
    return lay if n_empty == 0 else f"{lay} and {without}"


def _fold_entry(fold: Fold) -> dict[str, Any]:
    states = fold.states
    return {
        "fold": fold.name,
        "tau_neg": tau_entry(fold.thresholds.tau_neg),
        "tau_pos": tau_entry(fold.thresholds.tau_pos),
        "rows": int(states.total),
        "positives": int(states.total_pos),
        "skipped": int(states.n_neg),
        "missed": int(states.neg_pos),
        "alerts": int(states.n_pos),
        "alerts_right": int(states.pos_pos),
    }


def tau_entry(value: float | None) -> dict[str, Any]:
    """A threshold as it stands in a document: decimal and hexadecimal."""
    return {"value": value, "hex": None if value is None else value.hex()}


def _in_order(name: str) -> tuple[float, str]:
    """Folds by number where they are numbers, then by name."""
    try:
        return float(name), name
    except ValueError:
        return float("inf"), name


def _check(*, n_folds: int, n_without: int, n_rows: int) -> None:
    if n_folds and n_without:
        found, expected = f"{counted(n_without, 'row')} of {n_rows:,} without a fold", "a fold in every row"
        advice = "Fill the column, or leave these rows out."
    elif n_folds < 2:
        found = "a single fold" if n_folds else "no column of folds"
        expected, advice = "at least two folds", "Map the column with --column fold=NAME."
    else:
        return
    raise InputError([problem("OPT-008", found=found, expected=expected, advice=advice)])
