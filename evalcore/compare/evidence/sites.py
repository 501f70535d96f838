"""Two models, or two operating points, from the second rounds of the same sites: rates and their differences.

How often a post is drawn follows from the seed, the replicate and its id, so that the replicates of two files
that one site gathered are of the same draws: the difference of two rates in each is a paired replicate.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evalcore.catalog import METRICS
from evalcore.compare.told import Told
from evalcore.compare.writing import table_text
from evalcore.data import Data
from evalcore.evaluation.intervals.bounds import percentile_bounds
from evalcore.evaluation.values import of_tally
from evalcore.files import table_csv
from evalcore.problems import InputError, Problem, problem
from evalcore.spec import Metric
from evalcore.splits import SPLIT
from evalcore.tallies.decisions import StateCounts, states_at
from evalcore.tallies.grid import EVERYTHING, Drawn, GridScores, Group, place_of
from evalcore.tallies.grid.cell import GridCell
from evalcore.text.numerals import as_given, change_between, change_text

if TYPE_CHECKING:
    import pandas as pd

KIND = "StateCounts"
NO_TEST = "tallies hold no post to swap"
PAIRED = (
    "The same sites, checks and posts, and as many checks with and without evidence in every replicate: both "
    "are draws of posts with the same labels. No id is here that could tell whether they are the same posts."
)
WITHOUT_P = "No p-values: a test swaps whole posts between both, and tallies hold none."


class _Side(NamedTuple):
    """One of the two: what it is called, its tallies, and the sites that gathered them."""

    name: str
    scores: GridScores
    sites: tuple[str, ...]
    drawn: Drawn

    @property
    def taus(self) -> tuple[float, float]:
        """The thresholds at which it was gathered."""
        return self.drawn.tau_neg, self.drawn.tau_pos


def sites_compared(
    data: Data,
    other: Data,
    *,
    metrics: Sequence[str] = (),
    by: Sequence[str] = (),
    split: str | None = None,
    bootstrap: int = 2000,
    seed: int = 0,
) -> Told:
    """Rates of two second rounds beside each other, each difference with its paired interval.

    Parameters
    ----------
    data, other : tallies of the same sites, each at the thresholds of its own.
    metrics : keys or names; none for all rates.
    by : columns that both were gathered by.
    split : of which split; None for all rows.
    bootstrap, seed : of the replicates, as the sites sent them.

    Raises
    ------
    InputError : SIT-011 for rounds that are not of the same draws of the same posts; SIT-007 for what tallies
        cannot give; OPT-003 and OPT-006 for unknown names.
    """
    sides = _side(data), _side(other)
    problems = [*_unpaired(sides), *_unknown(sides, by, split)]
    for side in sides:
        drawn = side.drawn
        if not problems and (drawn.n_replicates, drawn.seed) != (bootstrap, seed):
            found, expected = f"{bootstrap:,} replicates, seed {seed}", drawn.in_words
            advice = "ask for the replicates that the sites sent (--bootstrap B --seed S)."
            problems.append(problem("SIT-007", found=found, expected=expected, advice=advice))
    if problems:
        raise InputError(problems)
    asked = _asked(metrics)
    rows = []
    for group, cells in _cells(sides, by, split):
        wrong = list(_unlike(group, cells))
        if wrong:
            raise InputError(wrong)
        rows += [_row(metric, group, cells, sides) for metric in asked]
    frame = _frame(rows, sides)
    named = [f"{side.name} at {as_given(side.taus[0])} and {as_given(side.taus[1])}" for side in sides]
    notes = (f"second − first: {named[1]} − {named[0]}", PAIRED, WITHOUT_P)
    text = table_text(frame, without=("ci_method", "p_method"))
    return Told(notes, tuple(_answers(rows)), text, table_csv(frame))


def _side(data: Data) -> _Side:
    scores: GridScores = data.tables["sites"]
    if scores.drawn is None:
        found = "tallies of a first round"
        advice = "Let all sites gather again, with --at POINT.json --bootstrap B --seed S."
        raise InputError([problem("SIT-007", found=found, expected="a second round", advice=advice)])
    sites = tuple(sorted(str(source.format) for source in data.sources))
    return _Side(scores.score.model, scores, sites, scores.drawn)


def _unpaired(sides: tuple[_Side, _Side]) -> Iterator[Problem]:
    """What keeps two second rounds from being of the same draws."""
    said = []
    for side in sides:
        drawn, scores = side.drawn, side.scores
        secret = "none" if drawn.secret is None else f"that of the check {drawn.secret[:12]}"
        said.append(
            {
                "sites": ", ".join(side.sites),
                "replicates": f"{drawn.n_replicates:,}, seed {drawn.seed}",
                "a secret": secret,
                "the positive label": scores.score.positive,
                "groups by": ", ".join(scores.columns) or "no column",
            }
        )
    for what, expected in said[0].items():
        if said[1][what] != expected:
            yield problem("SIT-011", what=what, found=said[1][what], expected=expected)


def _unknown(sides: tuple[_Side, _Side], by: Sequence[str], split: str | None) -> Iterator[Problem]:
    scores = sides[0].scores
    for column in by:
        if column not in scores.columns:
            yield problem("OPT-006", found=column, expected=f"one of {', '.join(scores.columns)}")
    if split is not None and (SPLIT, split) not in scores.of_groups:
        yield problem("QRY-009", found=split, expected=", ".join(scores.levels(SPLIT)) or "no split")
    if split is not None and by:
        found, advice = "groups within a split", "replicates are of one column at a time."
        yield problem("SIT-007", found=found, expected="what tallies give", advice=advice)


def _asked(metrics: Sequence[str]) -> tuple[Metric, ...]:
    known = {one.key: one for one in of_tally(KIND)}
    by_name = {one.name: one for one in known.values()}
    found = [known.get(name) or by_name.get(name) for name in metrics]
    unknown = [
        problem("OPT-003", name="--metrics", found=name, expected=f"one of {', '.join(by_name)}")
        for name, metric in zip(metrics, found, strict=True)
        if metric is None
    ]
    if unknown:
        raise InputError(unknown)
    return tuple(one for one in found if one is not None) or tuple(known.values())


def _cells(
    sides: tuple[_Side, _Side], by: Sequence[str], split: str | None
) -> Iterator[tuple[Group, tuple[GridCell, GridCell]]]:
    first, second = (side.scores.of_groups for side in sides)
    whole = EVERYTHING if split is None else (SPLIT, split)
    groups = [whole, *((column, level) for column in by for level in sides[0].scores.levels(column))]
    for group in groups:
        if group in first and group in second:
            yield group, (first[group], second[group])


def _unlike(group: Group, cells: tuple[GridCell, GridCell]) -> Iterator[Problem]:
    """Other checks, posts or labels on both sides: not the same posts, or not the same draws."""
    counts = [(cell.n_rows, cell.n_pos, cell.n_posts) for cell in cells]
    drawn = [_by_label(cell) for cell in cells]
    where = place_of("", group)
    for what, found, expected in zip(("checks", "with evidence", "posts"), *counts[::-1], strict=True):
        if found != expected:
            yield problem("SIT-011", what=f"{where}, {what}:", found=f"{found:,}", expected=f"{expected:,}")
            return
    differ = int(np.count_nonzero((drawn[0] != drawn[1]).any(axis=0)))
    if differ:
        found = f"other numbers of checks in {differ:,} of {drawn[0].shape[1]:,} replicates"
        yield problem("SIT-011", what=f"{where}:", found=found, expected="the same in each")


def _states(cell: GridCell) -> StateCounts:
    """The checks by state and label in every replicate; a file without them was refused at its opening."""
    return StateCounts(*(np.zeros((6, 0), np.int64) if cell.drawn is None else cell.drawn))


def _by_label(cell: GridCell) -> NDArray[np.int64]:
    """Checks with and without evidence in every replicate, shape (2, B)."""
    states = _states(cell)
    return np.stack([states.total_pos, states.total - states.total_pos])


def _row(
    metric: Metric, group: Group, cells: tuple[GridCell, GridCell], sides: tuple[_Side, _Side]
) -> dict[str, Any]:
    results, replicates = [], []
    for cell, side in zip(cells, sides, strict=True):
        counts = states_at(cell.table(side.scores.n_points), *side.taus)
        results.append(metric(counts))
        replicates.append(np.asarray(metric(_states(cell)).value, np.float64))
    values = [float(one.value) for one in results]
    drawn = sides[0].drawn
    unit = "posts" if sides[0].scores.has_posts else "rows"
    whose = f"{unit}={cells[0].n_posts}" + ("" if drawn.secret is None else ";draws=by_secret")
    size = max(map(abs, values)) if all(map(math.isfinite, values)) else 0.0
    difference = values[1] - values[0]
    (bounds,) = percentile_bounds([replicates[1] - replicates[0]], whose, drawn.seed, size=size)
    is_defined = math.isfinite(difference)
    empty = [word for word, one in zip(("first", "second"), results, strict=True) if not one.denominator]
    note = f"undefined: nothing to divide by for the {' and the '.join(empty)}" if empty else ""
    return {
        "metric": metric.key,
        "params": _params(sides),
        "population": metric.population[0],
        "group_by": group[0],
        "group": group[1],
        "first_value": values[0],
        "second_value": values[1],
        "difference": difference,
        "n": cells[0].n_rows,
        "n_first": int(results[0].denominator),
        "n_second": int(results[1].denominator),
        "n_positive": cells[0].n_pos,
        "ci_low": bounds.low if is_defined else math.nan,
        "ci_high": bounds.high if is_defined else math.nan,
        "ci_level": bounds.level if is_defined else math.nan,
        "ci_method": bounds.method if is_defined else "",
        "p": math.nan,
        "p_holm": math.nan,
        "p_method": f"not_computed({NO_TEST})",
        "note": note,
    }


def _params(sides: tuple[_Side, _Side]) -> str:
    """The thresholds: once where both have the same, else each named by its side."""
    first, second = (side.taus for side in sides)
    if first == second:
        return f"tau_neg={first[0]!r};tau_pos={first[1]!r}"
    names = ("tau_neg_first", "tau_pos_first", "tau_neg_second", "tau_pos_second")
    return ";".join(f"{name}={tau!r}" for name, tau in zip(names, (*first, *second), strict=True))


def _frame(rows: Sequence[dict[str, Any]], sides: tuple[_Side, _Side]) -> pd.DataFrame:
    import pandas as pd

    names = {"first": sides[0].name, "second": sides[1].name}
    return pd.DataFrame([{**names, **row} for row in rows])


def _answers(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Of all rows, which rates differ by more than their draws explain."""
    for row in rows:
        if row["group_by"] in ("", SPLIT) and math.isfinite(row["ci_low"]):
            zero = "0 within it" if row["ci_low"] <= 0 <= row["ci_high"] else "clear of 0"
            metric = METRICS[row["metric"]]
            ends = change_between(metric, row["ci_low"], row["ci_high"])
            interval = f"{100 * row['ci_level']:g} % interval {ends}"
            yield f"{metric.label}: {change_text(metric, row['difference'])} ({interval}, {zero})"
