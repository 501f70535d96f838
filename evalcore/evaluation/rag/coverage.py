"""What a value rests on: how many queries enter, what is tied or not annotated, what that could change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from evalcore.annotations import NO, UNSAID
from evalcore.catalog import of_family
from evalcore.spec import Metric
from evalcore.tallies.judgements import TIED, JudgedAnswers, Panels
from evalcore.text.numerals import value_text

Tally = Panels | JudgedAnswers


class Coverage(NamedTuple):
    """What one value of the table rests on.

    Parameters
    ----------
    metric : the metric's name, without its family.
    params, group_by, group : as in the table of values; the variant is the metric's default.
    value : the value.
    n_used, n_eligible : queries or answers that enter, of those with any response.
    n_incomplete : panels skipped because a place within the cut-off was not annotated.
    n_without_list : queries of whose retrieved list nothing is known.
    n_tied : labels, in what is used, on which annotators are tied.
    n_missing : labels, in what is used, that nobody gave.
    n_filled : queries or answers that enter the fills: all but those with ties only, or an empty list that
        does not count.
    ties_0, ties_1 : the value if every tie were no, or yes.
    fill_0, fill_1 : the value if everything that nobody annotated were no, or yes.
    is_bounded : whether the value of complete annotations lies between the fills; where it does not have to,
        they are two examples and no bounds.
    left_out : in words, what is left out and what it could change, after the reason where there is no value;
        empty where nothing is.
    """

    metric: str
    params: str
    group_by: str
    group: str
    value: float
    n_used: int
    n_eligible: int
    n_incomplete: int
    n_without_list: int
    n_tied: int
    n_missing: int
    n_filled: int
    ties_0: float
    ties_1: float
    fill_0: float
    fill_1: float
    is_bounded: bool
    left_out: str = ""


COVERAGE_COLUMNS = Coverage._fields


def coverage(
    metric: Metric, tally: Tally, place: tuple[str, str, str], values: Mapping[str, tuple[float, int]]
) -> Coverage:
    """What a metric's default value rests on.

    Parameters
    ----------
    metric : of the family ``rag``.
    tally : with the default treatment.
    place : params, group_by and group.
    values : treatment → value and how many enter, of the metric's default variant; a treatment that is not
        named changes nothing.
    """
    states = [tally.of(label) for label in metric.labels if label in tally.state]
    value, n_used = values["default"]
    if isinstance(tally, Panels):
        n_eligible = len(tally)
        is_used = tally.is_listed & tally.is_used[tally.query]
        n_incomplete = int((tally.is_incomplete & ~tally.is_used).sum())
        n_without_list = int((tally.n_listed < 0).sum())
    else:
        is_used = np.ones(len(tally), bool)
        if "citing_answers" in metric.population:
            is_used = tally.of("source_cited") != NO
        n_eligible, n_incomplete, n_without_list = int(is_used.sum()), 0, 0
    counts = {said: sum(int((state[is_used] == said).sum()) for state in states) for said in (TIED, UNSAID)}

    def under(treatment: str) -> float:
        return values.get(treatment, values["default"])[0]

    return Coverage(
        metric.name,
        *place,
        value=value,
        n_used=n_used,
        n_eligible=n_eligible,
        n_incomplete=n_incomplete,
        n_without_list=n_without_list,
        n_tied=counts[TIED],
        n_missing=counts[UNSAID],
        n_filled=values.get("fill_0", values["default"])[1],
        ties_0=under("ties_0"),
        ties_1=under("ties_1"),
        fill_0=under("fill_0"),
        fill_1=under("fill_1"),
        is_bounded=metric.monotone_in == metric.labels,
    )


def in_words(found: Coverage, unit: str) -> str:
    """The remark of a value: what is left out, and what it could change; empty where nothing is."""
    metric = next(one for one in of_family("rag") if one.name == found.metric)
    parts = []
    if found.n_used < found.n_eligible:
        parts.append(f"{found.n_used:,} of {found.n_eligible:,} {unit} used")
    if found.n_incomplete:
        noun = "panel" if found.n_incomplete == 1 else "panels"
        parts.append(f"{found.n_incomplete:,} incomplete {noun} skipped")
    if found.n_without_list:
        noun = "query" if found.n_without_list == 1 else "queries"
        parts.append(f"{found.n_without_list:,} {noun} without a known list")
    if found.n_tied:
        noun = "tied label" if found.n_tied == 1 else "tied labels"
        span = f"all no: {value_text(metric, found.ties_0)}, all yes: {value_text(metric, found.ties_1)}"
        parts.append(f"{found.n_tied:,} {noun} left out ({span})")
    if found.n_missing:
        noun = "missing label" if found.n_missing == 1 else "missing labels"
        parts.append(f"{found.n_missing:,} {noun} left out")
    if found.n_used and (found.n_incomplete or found.n_missing):
        low, high = value_text(metric, found.fill_0), value_text(metric, found.fill_1)
        filled = f"{found.n_filled:,} of {found.n_eligible:,}"
        everything = f"{f'all {found.n_filled:,}' if found.n_filled == found.n_eligible else filled} {unit}"
        between = f"over {everything} between {low} and {high}, whatever was not annotated"
        examples = f"over {everything} {low} if the rest were no, {high} if yes (no bounds)"
        parts.append(between if found.is_bounded else examples)
    return "; ".join(parts)
