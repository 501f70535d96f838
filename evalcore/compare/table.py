"""The comparison itself: values, paired differences, intervals and tests, metric by metric."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from evalcore.catalog import METRICS
from evalcore.compare.cells import Cell, cells_of
from evalcore.compare.evidence.gates import Gates, gates_of, why_two_scales
from evalcore.compare.evidence.rows import how_paired
from evalcore.compare.evidence.unshared import check_shared
from evalcore.compare.options import OF_EVIDENCE, CompareOptions, checked
from evalcore.compare.pairing import Paired, Shared, pair_lists, pair_scores
from evalcore.compare.pairs import Pair, list_pairs, score_pairs
from evalcore.compare.resampling import Resampled, resample
from evalcore.compare.sides import Side, sides_of
from evalcore.data import Data
from evalcore.inference.delong import delong, paired_test
from evalcore.inference.holm import holm
from evalcore.metrics.classification import auroc
from evalcore.notebook import number, view
from evalcore.spec import Metric

if TYPE_CHECKING:
    import pandas as pd

Progress = Callable[[str], None]
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


class Prepared(NamedTuple):
    """What of two systems is compared, before anything is resampled.

    Parameters
    ----------
    cells : a metric on a pair of tallies each.
    shared, names, options, notes : as of `Comparison`, the names together and the options checked.
    """

    cells: Sequence[Cell]
    shared: tuple[Shared, ...]
    names: tuple[str, str]
    options: CompareOptions
    notes: tuple[str, ...]


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

    def _repr_html_(self) -> str:
        """What a notebook shows: every metric over all shared queries, its difference and its interval."""
        rows = self.table[self.table["group_by"] == ""].to_dict("records")
        cells = [
            (
                METRICS[row["metric"]].label,
                row["params"],
                number(row["first"]),
                number(row["second"]),
                number(row["difference"], row["ci_low"], row["ci_high"]),
                number(row["p"]),
                f"{row['n']:,}",
                row["note"],
            )
            for row in rows
        ]
        head = ("metric", "with", self.first, self.second, "second − first", "p", "n", "note")
        return view(f"{self.second} − {self.first}", {}, head, cells, self.notes)

    def of(self, metric: str, *, group_by: str = "", params: str | None = None) -> pd.DataFrame:
        """The resampled rows of a metric, of all shared queries or of the groups of a column.

        Parameters
        ----------
        metric : key in the catalogue.
        group_by : column, empty for all shared queries.
        params : what it was computed with; None for whatever.
        """
        rows = self.table
        is_meant = (rows["metric"] == metric) & (rows["group_by"] == group_by)
        is_meant &= True if params is None else rows["params"] == params
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
    tell = progress or (lambda _: None)
    tell("pairing")
    return comparison(prepared(data, other, (first, second), options), tell)


def prepared(
    data: Data, other: Data | None, names: tuple[str | None, str | None], options: dict[str, Any]
) -> Prepared:
    """What `compare` resamples; parameters as there."""
    chosen = options_of(data, options)
    sides = sides_of(data, other, *names, split=chosen.split)
    asked = how_paired(sides, (data, other), chosen)
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
        metrics = [METRICS[key] for key in chosen.metrics]
        pairs = list_pairs(paired, sides, chosen.by, {metric.tally for metric in metrics})
        cells += cells_of(pairs, metrics, chosen, with_gold=True)
    have_scores = one.queries is not None and two.queries is not None
    notes += _lacking(chosen, cells, have_scores=have_scores)
    return Prepared(cells, tuple(shared), (one.name, two.name), chosen, tuple(notes))


def against_one_scale(data: Data, first: str, second: str) -> str:
    """What speaks against the same thresholds for two models of one data set; empty for nothing.

    Parameters
    ----------
    data : with labels and scores of both.
    first, second : names of the models.

    Raises
    ------
    InputError : for models that do not exist.

    Source
    ------
    `evalcore.compare.evidence.gates.why_two_scales`, on the checks that both have.
    """
    one, two = sides_of(data, None, first, second)
    if one.queries is None or two.queries is None:
        return "one of them has no scores"
    paired = pair_scores(one.queries, two.queries, by_row=False)
    if not len(paired.first):
        return "they share no check"
    scores = one.queries.score[paired.first], two.queries.score[paired.second]
    return why_two_scales(scores, are_probabilities=one.is_probability and two.is_probability)


def options_of(
    data: Data, options: Mapping[str, Any], kinds: Collection[str] = OF_EVIDENCE
) -> CompareOptions:
    """The options, checked; a column alone is a column to break down by. Parameters as of `checked`.

    Raises
    ------
    InputError : with every illegal option.
    """
    by = options.get("by", ())
    by = (by,) if isinstance(by, str) else tuple(by)
    return checked(data, CompareOptions(**{**options, "by": by}), kinds)


def comparison(found: Prepared, progress: Progress) -> Comparison:
    """The values of every cell with interval and test: what `compare` does once the systems are paired.

    Parameters
    ----------
    found : what is compared.
    progress : is told what comes next.
    """
    (table,) = tables_of([found], progress)
    table = table.assign(p_holm=adjusted(table).where(table["group_by"] != ""))
    return Comparison(table, *found.names, found.shared, found.options, found.notes)


def tables_of(found: Sequence[Prepared], progress: Progress) -> list[pd.DataFrame]:
    """The rows of each two systems by metric, all resampled together; p-values are not adjusted yet.

    Parameters
    ----------
    found : at least one, with the same options.
    progress : is told what comes next.
    """
    import pandas as pd
    from threadpoolctl import threadpool_limits

    options = found[0].options
    # Threads within the many small matrix products mostly wait for each other, and take twice the time.
    with threadpool_limits(1, user_api="blas"):
        resampled = iter(resample([cell for one in found for cell in one.cells], options, progress))
    order = {key: at for at, key in enumerate(options.metrics)}
    tables = []
    for one in found:
        rows = _table_rows(list(islice(resampled, len(one.cells))), options)
        table = pd.DataFrame(rows, columns=list(COLUMNS))
        table = table.iloc[np.argsort(table["metric"].map(order).to_numpy(), kind="stable")]
        tables.append(table.reset_index(drop=True))
    return tables


def _notes_of(data: Data, other: Data | None) -> list[str]:
    """How files without ids or with scores of the predicted class were read."""
    is_told = [one for one in (data, other) if one is not None and (one.files_as or one.score_of)]
    return list(dict.fromkeys(note for one in is_told for note in one.notes))


def _of_scores(
    paired: Paired, sides: tuple[Side, Side], options: CompareOptions, notes: list[str]
) -> list[Cell]:
    first, second = sides[0].queries, sides[1].queries
    assert first is not None
    assert second is not None
    metrics = [METRICS[key] for key in options.metrics]
    gates: Gates | str | None = None
    if any(metric.is_decided for metric in metrics):
        is_one_scale = sides[0].is_probability == sides[1].is_probability
        scores = first.score[paired.first], second.score[paired.second]
        label = first.has_evidence[paired.first]
        gates = gates_of(scores, label, options, is_one_scale=is_one_scale)
        of_gate = any(metric.tally == "StateCounts" for metric in metrics)
        if isinstance(gates, str):
            notes += [f"No gate was compared: {gates}."] if of_gate else []
        elif of_gate or gates.is_asked:
            notes.append(f"Gate: {gates.note}; the intervals hold the thresholds fixed.")
    is_probability = all(side.is_probability for side in sides)
    if not is_probability and any(metric.needs_probability for metric in metrics):
        notes.append("Calibration was not compared: a score is not a probability.")
    gate = gates if isinstance(gates, Gates) else None
    reasons = {metric.key: gate.why_not(metric) for metric in metrics} if gate is not None else {}
    told = {metric.label: reasons.get(metric.key) for metric in metrics if _is_named(metric, options)}
    notes += [f"Not compared: {label}; {why}." for label, why in told.items() if why]
    allowed = [
        metric
        for metric in metrics
        if (is_probability or not metric.needs_probability) and not reasons.get(metric.key)
    ]
    pairs = score_pairs(paired, sides, gate, options.by, {metric.tally for metric in allowed})
    return list(cells_of(pairs, allowed, options, with_gold=False))


def _is_named(metric: Metric, options: CompareOptions) -> bool:
    """Whether somebody asked for this very metric: all usual ones of its kind together are the default."""
    usual = {one.key for one in METRICS.values() if one.compared and one.tally == metric.tally}
    return not metric.compared or not usual <= set(options.metrics)


def _lacking(options: CompareOptions, cells: Sequence[Cell], *, have_scores: bool) -> list[str]:
    """What was named and what the two systems hold nothing for."""
    found = {cell.pair.kind for cell in cells}
    return [
        f"Not compared, {metric.lacking}: {metric.label}."
        for metric in (METRICS[key] for key in options.metrics)
        if metric.tally not in found
        and not (have_scores and metric.is_of_scores)
        and _is_named(metric, options)
    ]


def _table_rows(found: Sequence[Resampled], options: CompareOptions) -> list[dict[str, Any]]:
    rows = []
    for one in found:
        cell, pair = one.cell, one.cell.pair
        (first, second), (n_first, n_second) = cell.values, cell.ns
        row: dict[str, Any] = {"metric": cell.metric.key, "params": cell.params}
        row |= {"population": cell.population, "group_by": pair.group.group_by, "group": pair.group.group}
        row |= {"first": first, "second": second, "difference": cell.difference, "n": pair.n}
        row |= {"n_first": n_first, "n_second": n_second, "n_positive": pair.n_positive, "note": cell.note}
        row |= one.as_columns(options)
        rows.append(row)
        if cell.metric.function is auroc and not math.isnan(cell.difference):
            rows.append(_by_delong(pair, row, options))
    return rows


def _by_delong(pair: Pair, row: dict[str, Any], options: CompareOptions) -> dict[str, Any]:
    """The same difference with DeLong's interval and test."""
    assert pair.rows is not None
    first, second = pair.rows
    test = paired_test(delong([second.score, first.score], first.is_positive))
    method = f"delong(rows={pair.n};sides=2;independence_assumed)"
    if math.isnan(test.p_value):
        nothing = {"ci_low": math.nan, "ci_high": math.nan, "p": math.nan}
        note = "DeLong's variance is 0 or undefined"
        return {**row, **nothing, "ci_method": method, "p_method": method, "note": note}
    half = NormalDist().inv_cdf((1 + options.confidence) / 2) * test.standard_error
    low, high = max(test.difference - half, -1.0), min(test.difference + half, 1.0)
    found = {"ci_low": low, "ci_high": high, "ci_level": options.confidence}
    return {**row, **found, "ci_method": method, "p": test.p_value, "p_method": method, "note": INDEPENDENT}


def adjusted(table: pd.DataFrame) -> pd.Series:
    """P-values adjusted over the groups of each column, for each metric and method by itself."""
    p = table["p"].astype(float)
    of_method = table["p_method"].str.split("(").str[0]
    family = table[["metric", "params", "group_by"]].assign(method=of_method)
    for rows in family.groupby(list(family.columns), sort=False).indices.values():
        p.iloc[rows] = holm(p.to_numpy()[rows])
    return p
