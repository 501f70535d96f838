"""The figures of a report of scores and ranked lists."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from evalcore import curves
from evalcore.drawn.replicates import Resampling
from evalcore.evaluation import Report, gate_thresholds
from evalcore.evaluation.criteria import CriterionResult, criterion_results
from evalcore.evaluation.lists import first_gold
from evalcore.evaluation.options import Options
from evalcore.figures.criteria import criterion_bars
from evalcore.figures.curves import pr_figure, roc_figure
from evalcore.figures.net_benefit import gate_net_benefit_figure
from evalcore.figures.ranking import first_gold_figure, k_histogram_figure
from evalcore.figures.reliability import distribution_figure, reliability_figure
from evalcore.figures.workload import workload_figure
from evalcore.inference.bands import CurveBands, curve_bands, reliability_limits
from evalcore.kernels.selection import selected_k
from evalcore.report.drawings.drawing import Drawing, with_room
from evalcore.selection_sweep import k_histogram
from evalcore.tallies.decisions import states_at
from evalcore.tallies.scores import ScoredRows, ScoreTable
from evalcore.tallies.unit_lists import UnitLists
from evalcore.tallies.unit_scores import UnitScores
from evalcore.tallies.units import Units
from evalcore.text.numerals import as_given

BAR = 30
T_OF_NET_BENEFIT = np.linspace(0, 0.5, 101)
"""Threshold probabilities: up to a false alarm that costs what a check with evidence gains."""


def drawings(report: Report, *, thresholds_of: str | None = None) -> list[Drawing]:
    """Every figure that the tallies allow, with everything counted: drawing one computes nothing.

    Parameters
    ----------
    report : the values.
    thresholds_of : the model for which the thresholds were chosen, where that is known.
    """
    scores, lists = report.gathered.scores, report.gathered.lists
    found: list[Drawing] = []
    if scores is not None:
        found += _of_scores(report, scores, thresholds_of)
    if lists is not None:
        found += _of_lists(report.options, lists)
    return found


def other_scale(thresholds_of: str | None, models: Collection[str]) -> str:
    """What to know where the thresholds of one model are applied to others as well; empty otherwise.

    Examples
    --------
    >>> other_scale("gate", ["gate", "rank"])
    'Thresholds chosen for gate; another model’s scores may be on another scale.'
    >>> other_scale("gate", ["gate"]), other_scale(None, ["gate", "rank"])
    ('', '')
    """
    if thresholds_of is None or not set(models) - {thresholds_of}:
        return ""
    return f"Thresholds chosen for {thresholds_of}; another model’s scores may be on another scale."


def _of_scores(report: Report, scores: UnitScores, thresholds_of: str | None) -> Iterator[Drawing]:
    parts = {
        model: scores.where(scores.model == code)
        for code, model in enumerate(scores.models)
        if (scores.model == code).any()
    }
    rows = {
        model: ScoredRows(part.score, part.has_evidence, part.units.code, len(part.units))
        for model, part in parts.items()
    }
    tables = {model: ScoreTable.from_rows(of_model) for model, of_model in rows.items()}
    two_classes = {
        model: table for model, table in tables.items() if int(table.total_pos) and int(table.total_neg)
    }
    if two_classes:
        roc = {model: curves.roc_points(table).corners() for model, table in two_classes.items()}
        pr = {model: curves.pr_points(table).corners() for model, table in two_classes.items()}
        bands = _bands(report.options, scores.units, {model: rows[model] for model in two_classes})
        within = f", pointwise 95 % bands from {report.options.bootstrap:,} replicates" if bands else ""
        of_roc = {model: one.roc for model, one in bands.items()}
        yield Drawing(
            "roc", f"ROC curve{within}", partial(roc_figure.plain, roc, bands=of_roc), is_first=True
        )
        title = f"Precision–recall curve over the baseline at the prevalence{within}"
        of_pr = {model: one.pr for model, one in bands.items()}
        yield Drawing("pr", title, partial(pr_figure.plain, pr, bands=of_pr))
    # The figures that are read first are of one model: that of the thresholds.
    first = thresholds_of if thresholds_of in parts else next(iter(parts), None)
    for at, (model, part) in enumerate(parts.items()):
        of_model = f"of {model}" if len(parts) > 1 else ""
        note = other_scale(thresholds_of, [model])
        for one in _of_model(report, part, rows[model], at, of_model, note):
            yield replace(one, is_first=one.is_first and model == first)


def _bands(options: Options, units: Units, of_models: Mapping[str, ScoredRows]) -> dict[str, CurveBands]:
    """The bands of each model's curves; none without a bootstrap."""
    if not options.bootstrap:
        return {}
    resampling = Resampling.of(units.hashed, options.bootstrap, options.seed)
    return {model: curve_bands(rows, resampling) for model, rows in of_models.items()}


def _of_model(
    report: Report, part: UnitScores, rows: ScoredRows, at: int, of_model: str, note: str
) -> Iterator[Drawing]:
    """Reliability, criteria, workload and the candidates selected, of one model."""
    table = ScoreTable.from_rows(rows)
    gate = gate_thresholds(part, report.options)
    if report.data.score_kind == "probability":
        yield from _reliability(rows, table, at, of_model, is_apart=gate is not None)
    tau_neg, tau_pos = gate or (None, None)
    criteria = criterion_results(part, tau_neg, tau_pos)
    if len(criteria) > 1:
        yield from _criterion_drawings(criteria, at, of_model)
    if gate is not None:
        states = {"all": states_at(table, tau_neg, tau_pos)}
        states |= {one.criterion: one.states for one in criteria} if len(criteria) > 1 else {}
        title = _title(f"Workload: skip below {as_given(gate[0])}, alert from {as_given(gate[1])}", of_model)
        draw = partial(with_room, partial(workload_figure.plain, states), BAR * max(len(states), 3))
        has_net_benefit = report.data.score_kind == "probability"
        is_first = len(criteria) < 2 and not has_net_benefit  # four figures fit the first page
        yield Drawing(f"workload-{at}", title, draw, note, is_first=is_first)
        if has_net_benefit:
            draw = partial(gate_net_benefit_figure.plain, states["all"], T_OF_NET_BENEFIT)
            title = _title("Net benefit over what a false alarm may cost", of_model)
            yield Drawing(f"net-benefit-{at}", title, draw, note, is_first=True)
    selected = part.numbers.get("selected_k", np.zeros(0))
    stated = ~np.isnan(selected)
    if stated.any():
        bars = k_histogram(selected[stated].astype(np.int64), part.has_evidence[stated])
        draw = partial(k_histogram_figure.plain, bars, title="candidates selected, K")
        yield Drawing(
            f"selected-k-{at}", _title("Checks by the number of candidates selected", of_model), draw
        )


def _reliability(
    rows: ScoredRows, table: ScoreTable, at: int, of_model: str, *, is_apart: bool
) -> Iterator[Drawing]:
    """Promised and observed rate, and the distribution of the probabilities.

    Beneath it, or `is_apart`: with net benefit there are four figures then, which fill two lines of paper.
    """
    distribution = curves.score_distribution(table)
    draw = partial(
        reliability_figure.plain,
        curves.reliability(table),
        interval=reliability_limits(rows),
        distribution=None if is_apart else distribution,
    )
    title = _title("Reliability with the rows of each bin", of_model)
    yield Drawing(f"reliability-{at}", title, draw, is_first=True)
    if is_apart:
        title = _title("Checks by probability, each part on its own scale", of_model)
        draw_distribution = partial(distribution_figure.plain, distribution)
        yield Drawing(f"distribution-{at}", title, draw_distribution, is_first=True)


def _criterion_drawings(criteria: tuple[CriterionResult, ...], at: int, of_model: str) -> Iterator[Drawing]:
    names = [one.criterion for one in criteria]
    is_small = np.array([one.is_small for one in criteria])
    for key, label in (("auroc", "AUROC"), ("auprc", "AUPRC")):
        values = np.array([getattr(one, key) for one in criteria])
        draw = partial(criterion_bars.plain, names, values, title=label, is_small=is_small, unit="index")
        title = _title(f"{label} by criterion", of_model)
        yield Drawing(f"{key}-{at}", title, partial(with_room, draw, BAR * max(len(names), 3)))


def _of_lists(options: Options, lists: UnitLists) -> Iterator[Drawing]:
    policy, ranked = options.policy, {name: one.ranked for name, one in lists.lists.items()}
    some = next(iter(ranked.values()), None)
    if some is None:
        return
    if int(some.n_gold.sum()):
        draw = partial(first_gold_figure.plain, first_gold(ranked))
        yield Drawing("first-gold", "Queries with gold by the rank of their first gold", draw)
    for at, (name, queries) in enumerate(ranked.items()):
        bars = k_histogram(queries.n_ranked, queries.n_gold > 0, queries.of_each)
        draw = partial(k_histogram_figure.plain, bars, title="length of the list, greatest K_eff")
        of_list = f"of {name}" if len(ranked) > 1 else ""
        yield Drawing(f"k-eff-{at}", _title("Queries by the length of their list", of_list), draw)
        scored = lists.lists[name].scored
        if policy is not None and scored is not None:
            bars = k_histogram(selected_k(scored, policy), queries.n_gold > 0)
            draw = partial(k_histogram_figure.plain, bars, title="candidates selected, K")
            title = _title(f"Queries by the number selected by the policy {policy.kind}", of_list)
            yield Drawing(f"policy-k-{at}", title, draw)


def _title(text: str, of_what: str) -> str:
    return f"{text}, {of_what}" if of_what else text
