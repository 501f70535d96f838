"""The comparison itself: values, paired differences, intervals and tests, metric by metric."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from evalcore.catalog import METRICS
from evalcore.compare.cells import Cell, list_cells, paired_scores, score_cells
from evalcore.compare.gates import Gates, gates_of
from evalcore.compare.options import CompareOptions, checked
from evalcore.compare.pairing import Paired, Shared, pair_lists, pair_scores
from evalcore.compare.resampling import Resampled, resample
from evalcore.compare.rows import how_paired
from evalcore.compare.sides import Side, sides_of
from evalcore.compare.unshared import check_shared
from evalcore.data import Data
from evalcore.inference.delong import delong, paired_test
from evalcore.inference.holm import holm

if TYPE_CHECKING:
    import pandas as pd

Progress = Callable[[str], None]
AUROC = "classification.auroc"
INDEPENDENT = "DeLong assumes independent rows"
COLUMNS = (
    "metric",
    "params",
    "population",
    "group_by",
    "group",
    "first",
    "second",
    "difference",
    "n",
    "n_first",
    "n_second",
    "n_positive",
    "ci_low",
    "ci_high",
    "ci_level",
    "ci_method",
    "p",
    "p_holm",
    "p_method",
    "note",
)


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two models beside each other on the queries they share.

    Parameters
    ----------
    table : one row per metric and group, with `COLUMNS`: the value of each model, ``difference`` (second −
        first), ``n`` queries that were compared, ``n_first`` and ``n_second`` of them that enter the metric
        under each model (its denominators), ``n_positive`` with evidence or gold, the interval of the
        difference, its p-value, and ``p_holm``, adjusted over the groups of a column. AUROC has a second row
        by DeLong, told by ``ci_method``. NaN where undefined, the reason in ``note``.
    first, second : names of the models.
    shared : for checks and for lists, how many queries were compared and how many fell out.
    options : how.
    notes : what the reader of the table should know.
    """

    table: pd.DataFrame
    first: str
    second: str
    shared: tuple[Shared, ...]
    options: CompareOptions
    notes: tuple[str, ...]

    def of(self, metric: str, *, group_by: str = "") -> pd.DataFrame:
        """The resampled rows of a metric, of all shared queries or of the groups of a column.

        Parameters
        ----------
        metric : key in the catalogue.
        group_by : column, empty for all shared queries.
        """
        rows = self.table
        is_meant = (rows["metric"] == metric) & (rows["group_by"] == group_by)
        return rows[is_meant & ~rows["ci_method"].str.startswith("delong")].reset_index(drop=True)


def compare(
    data: Data,
    first: str | None = None,
    second: str | None = None,
    *,
    other: Data | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Comparison:
    """Compare two models on the queries that both scored with one label, or two lists where there is gold.

    Whole posts are drawn and swapped, never single rows, because rows of one post are alike. The bootstrap
    says how large the difference may be, the swaps whether chance alone makes such a one.

    Parameters
    ----------
    data : the first model's data and, without ``other``, the second's too.
    first, second : names of models or lists; None where there is no choice.
    other : the second model's data; rows are joined by post and criterion, and without ids not at all unless
        ``by_row`` says so.
    progress : is told what comes next; what it raises ends the comparison.
    options : fields of `CompareOptions`, such as ``by``, ``tau_neg``, ``tau_pos``, ``bootstrap``, ``seed``.

    Returns
    -------
    Comparison

    Raises
    ------
    InputError : for illegal options, all named together, and for models that do not exist, that are not
        named where there is a choice, or that have nothing in common to compare; OPT-031 and OPT-032 where
        no ids join the two, OPT-040 where they share no query.

    Source
    ------
    statistics.md, "Comparing two models".
    """
    import pandas as pd

    if isinstance(options.get("by"), str):
        options["by"] = (options["by"],)
    chosen = checked(data, CompareOptions(**options))
    sides = sides_of(data, other, first, second, split=chosen.split)
    tell = progress or (lambda _: None)
    asked = how_paired(sides, (data, other), chosen)
    tell("pairing")
    cells: list[Cell] = []
    shared: list[Shared] = []
    notes = [*asked, *_notes_of(data, other)]
    if chosen.split is not None:
        notes.append(f"Only queries of the split {chosen.split} were compared.")
    one, two = sides
    if not chosen.by_row:
        check_shared(one, two)
    if one.queries is not None and two.queries is not None:
        paired = pair_scores(one.queries, two.queries, by_row=chosen.by_row)
        shared.append(paired.shared)
        cells += _of_scores(paired, sides, chosen, notes)
    if one.rankings is not None and two.rankings is not None and one.ranked and two.ranked:
        paired = pair_lists(
            one.rankings,
            two.rankings,
            one.ranked,
            two.ranked,
            split=chosen.split,
            is_shared_only=chosen.shared_only,
            by_row=chosen.by_row,
        )
        shared.append(paired.shared)
        cells += list_cells(paired, one.ranked, two.ranked, chosen)
    rows = _table_rows(cells, resample(cells, chosen, tell), chosen)
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    order = {key: at for at, key in enumerate(chosen.metrics)}
    table = table.iloc[np.argsort(table["metric"].map(order).to_numpy(), kind="stable")]
    table = _with_holm(table.reset_index(drop=True))
    return Comparison(table, one.name, two.name, tuple(shared), chosen, tuple(notes))


def _notes_of(data: Data, other: Data | None) -> list[str]:
    """How files without ids or with scores of the predicted class were read."""
    is_told = [one for one in (data, other) if one is not None and (one.files_as or one.score_of)]
    return list(dict.fromkeys(note for one in is_told for note in one.notes))


def _of_scores(
    paired: Paired, sides: tuple[Side, Side], options: CompareOptions, notes: list[str]
) -> list[Cell]:
    first, second = sides[0].queries, sides[1].queries
    if first is None or second is None:
        return []
    scores = paired_scores(paired, first, second)
    is_probability = all(side.is_probability for side in sides)
    gates: Gates | str | None = None
    if any(key.startswith("gate.") for key in options.metrics):
        is_one_scale = sides[0].is_probability == sides[1].is_probability
        gates = gates_of(scores, options, is_one_scale=is_one_scale)
        if isinstance(gates, str):
            notes.append(f"No gate was compared: {gates}.")
        elif gates.note:
            notes.append(f"Gate: {gates.note}; the intervals hold the thresholds fixed.")
    if not is_probability and any(METRICS[key].needs_probability for key in options.metrics):
        notes.append("Calibration was not compared: a score is not a probability.")
    gate = gates if isinstance(gates, Gates) else None
    return list(score_cells(paired, scores, gate, options, is_probability=is_probability))


def _table_rows(
    cells: Sequence[Cell], resampled: Sequence[dict[str, Resampled]], options: CompareOptions
) -> list[dict[str, Any]]:
    rows = []
    for cell, by_metric in zip(cells, resampled, strict=True):
        unit = "posts" if cell.paired.has_posts else "rows"
        totals, values = cell.statistic.posts.whole, cell.statistic.values
        found = [one[:, 0].tolist() for one in (values(totals.first), values(totals.second))]
        entered = [cell.n_entered(totals.first), cell.n_entered(totals.second)]
        for key, first, second, n_first, n_second in zip(cell.statistic.keys, *found, *entered, strict=True):
            row: dict[str, Any] = {
                "metric": key,
                "params": cell.params,
                "population": METRICS[key].population[0],
            }
            row |= {"group_by": cell.group_by, "group": cell.group}
            row |= {"first": first, "second": second, "difference": second - first, "n": cell.n}
            row |= {"n_first": n_first, "n_second": n_second}
            row |= {"n_positive": cell.n_positive, "note": cell.notes[key]}
            row |= by_metric[key].as_columns(f"{unit}={cell.n_units}", options)
            rows.append(row)
            if key == AUROC and not math.isnan(row["difference"]):
                rows.append(_by_delong(cell, row, options))
    return rows


def _by_delong(cell: Cell, row: dict[str, Any], options: CompareOptions) -> dict[str, Any]:
    """The same difference with DeLong's interval and test."""
    scores = cell.scores
    if scores is None:
        return row
    areas = delong([scores.second, scores.first], scores.is_positive)
    test = paired_test(areas)
    method = f"delong(rows={cell.n};sides=2;independence_assumed)"
    if math.isnan(test.p_value):
        nothing = {"ci_low": math.nan, "ci_high": math.nan, "p": math.nan}
        note = "DeLong's variance is 0 or undefined"
        return {**row, **nothing, "ci_method": method, "p_method": method, "note": note}
    half = NormalDist().inv_cdf((1 + options.confidence) / 2) * test.standard_error
    low, high = max(test.difference - half, -1.0), min(test.difference + half, 1.0)
    found = {"ci_low": low, "ci_high": high, "ci_level": options.confidence}
    return {**row, **found, "ci_method": method, "p": test.p_value, "p_method": method, "note": INDEPENDENT}


def _with_holm(table: pd.DataFrame) -> pd.DataFrame:
    """P-values adjusted over the groups of each column, for each metric and method by itself."""
    adjusted = np.full(len(table), math.nan)
    of_method = table["p_method"].str.split("(").str[0]
    family = table[["metric", "params", "group_by"]].assign(method=of_method)
    for names, rows in family.groupby(list(family.columns), sort=False).indices.items():
        if names[2]:
            adjusted[rows] = holm(table["p"].to_numpy()[rows])
    return table.assign(p_holm=adjusted)
