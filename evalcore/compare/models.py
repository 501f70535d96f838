"""Two models or lists of evidence: how they are paired, and what of them is compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evalcore.catalog import METRICS
from evalcore.compare.cells import Cell, cells_of
from evalcore.compare.evidence.gates import Gates, gates_of, why_two_scales
from evalcore.compare.evidence.rows import how_paired
from evalcore.compare.evidence.unshared import check_shared
from evalcore.compare.options import CompareOptions
from evalcore.compare.pairing import Paired, Shared, pair_lists, pair_scores
from evalcore.compare.pairs import list_pairs, score_pairs
from evalcore.compare.sides import Side, sides_of
from evalcore.compare.table import Comparison, Prepared, Progress, comparison, options_of
from evalcore.data import Data
from evalcore.spec import Metric


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
