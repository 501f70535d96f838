"""The explorer as one HTML file: everything is inside it, and it asks for nothing from outside."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

import evalcore
from evalcore.explorer.payload import (
    USUAL_NAMES,
    Review,
    browser_payload,
    verdict_words,
)
from evalcore.explorer.sources import markup, page_script, page_style, script, style
from evalcore.files import write_files
from evalcore.operating_point.choosing.request import TARGETS, is_synthetic, targets_of
from evalcore.operating_point.constraints import Constraint, Thresholds
from evalcore.operating_point.test_rows.row_sets import RowSet
from evalcore.operating_point.test_rows.site_rows import tallies_of
from evalcore.operating_point.tradeoff.column_groups import ColumnGroups
from evalcore.operating_point.tradeoff.groups import Mark
from evalcore.operating_point.tradeoff.table import Targets, Tradeoff
from evalcore.operating_point.tradeoff.thresholds import threshold_text
from evalcore.operating_point.wording import counted
from evalcore.text.legible import legible_pages
from evalcore.text.numerals import percent_of

CHANNEL = "explorer"
MOST_GROUPS = 200
"""A column of more groups would make the file large, and nobody looks through them in it."""
Pair = tuple[str | None, str | None]


@dataclass(frozen=True)
class Said:
    """What stands beside the numbers of a trade-off.

    Parameters
    ----------
    names
        Criterion id → what it is called.
    marks
        The groups that must not be missed.
    words
        As for `browser_payload`.
    review
        Reviewer effort on the workload tile.
    tested
        What the tiles show at the thresholds for which test rows were counted; None before.
    """

    names: Mapping[str, str] = field(default_factory=lambda: USUAL_NAMES)
    marks: Sequence[Mark] = ()
    words: Mapping[str, Sequence[str]] | None = None
    review: Review = field(default_factory=Review)
    tested: Mapping[str, Any] | None = None


def explorer_page(
    rows: RowSet,
    tradeoff: Tradeoff,
    pair: Pair,
    *,
    said: Said | None = None,
    groups: Sequence[ColumnGroups] | None = None,
) -> str:
    """The explorer of rows of one model as HTML that needs no server and can reach none.

    It holds how many rows with and without evidence have each score, and by group where positives lie; no
    text and no id of a row. Left out and named are columns, none of whose groups is marked, of more than 200
    groups, and those most of whose groups are of a single post: they name rows or people.

    Parameters
    ----------
    rows
        On which thresholds are chosen.
    tradeoff
        Of these rows; counted anew where it does not hold the thresholds of `pair`.
    pair
        Where the handles stand at first: thresholds as text, None for an empty zone.
    said
        What stands beside the numbers.
    groups
        Of these rows, where they were counted before.
    """
    said = said or Said()
    tau_neg, tau_pos = (None if text is None else float(text) for text in pair)
    taus = tau_neg, tau_pos
    if not all(_holds(tradeoff, tau) for tau in taus):
        tradeoff = _counted(rows, tradeoff.targets, taus)
    groups = _groups(rows, tradeoff.targets, said.marks) if groups is None else groups
    marked = {column for column, _ in said.marks}
    naming = [one for one in groups if one.column not in marked and rows.names_posts(one.column)]
    large = [one for one in groups if one.column not in marked and len(one.levels) > MOST_GROUPS]
    kept = [one for one in groups if one not in naming and one not in large]
    payload = browser_payload(
        tradeoff,
        key=CHANNEL,
        groups=kept,
        names=said.names,
        score_kind=rows.data.score_kind,
        review=said.review,
        actions=(),
        method=re.sub(
            r"\bpost(s?)\b",
            lambda found: rows.unit.several if found[1] else rows.unit.one,
            tradeoff.bound_method,
        ),
        counted_on="all rows" if rows.role == "all" else "tune",
        words=said.words or verdict_words(tradeoff.targets),
        is_alone=True,
        unit=rows.unit,
    )
    news = {
        "data_id": tradeoff.data_id,
        "tau_neg": pair[0],
        "tau_pos": pair[1],
        "revision": 0,
        "status": _counted_on(rows, is_tested=said.tested is not None),
        "tested": said.tested,
        "marks": [list(mark) for mark in said.marks],
        "marks_revision": 0,
    }
    module = f"{script()}\n{page_script()}"
    look = f"{style()}\n{page_style()}"
    return _template().render(
        policy=f"default-src 'none'; script-src {_source(module)}; style-src {_source(look)}; "
        "img-src data:; base-uri 'none'; form-action 'none'",
        module=Markup(module),
        look=Markup(look),
        markup=Markup(markup()),
        given=Markup(json.dumps({"payload": payload, "news": news}, allow_nan=False).replace("<", "\\u003c")),
        model=rows.model,
        is_synthetic=is_synthetic(rows.data),
        facts=_facts(rows, tradeoff) | _left_out(naming, [one for one in large if one not in naming]),
        digest=rows.data.digest[:8],
        version=evalcore.__version__,
        made=f"{datetime.now(UTC):%Y-%m-%d}",
    )


def explorer_of(
    rows: RowSet, constraints: tuple[Constraint, ...], thresholds: Thresholds, *, marks: Sequence[Mark] = ()
) -> str:
    """The explorer of rows for targets, its handles at two thresholds; verdicts by 95 % without a confidence.

    Parameters
    ----------
    rows
        On which thresholds are chosen.
    constraints
        The targets; one that is missing is the usual one.
    thresholds
        Where the handles stand at first.
    marks
        The groups that must not be missed.
    """
    sensitivity, precision = targets_of(constraints)
    usual = Targets()
    targets = Targets(
        usual.sensitivity if sensitivity is None else sensitivity.value,
        usual.precision if precision is None else precision.value,
        (sensitivity and sensitivity.confidence) or usual.sensitivity_confidence,
        (precision and precision.confidence) or usual.precision_confidence,
    )
    seen = {one.metric for one in constraints if one.is_from_data}
    words = verdict_words(targets, [name for name, metric in TARGETS.items() if metric in seen])
    said = Said(words=words, marks=marks)
    taus = thresholds.tau_neg, thresholds.tau_pos
    tradeoff = _counted(rows, targets, taus)
    tau_neg, tau_pos = (None if tau is None else threshold_text(tau) for tau in taus)
    return explorer_page(rows, tradeoff, (tau_neg, tau_pos), said=said)


def write_explorer(path: Path, page: str, *, overwrite: bool = False) -> Path:
    """Write a page of `explorer_page`; an earlier one is replaced, any other file only if told so.

    Raises
    ------
    OSError : when the file cannot be written; what stood there before is untouched.
    """
    return write_files(path.parent, {path.name: page.encode()}, overwrite=overwrite)[0]


def _counted(rows: RowSet, targets: Targets, taus: tuple[float | None, float | None]) -> Tradeoff:
    """The trade-off of rows, at these thresholds too."""
    also = tuple(tau for tau in taus if tau is not None)
    return rows.tradeoff(targets=targets, also=also)


def _groups(rows: RowSet, targets: Targets, marks: Sequence[Mark]) -> tuple[ColumnGroups, ...]:
    return rows.all_groups(
        target=targets.sensitivity,
        confidence=targets.sensitivity_confidence,
        marked={column for column, _ in marks},
    )


def _left_out(naming: Sequence[ColumnGroups], large: Sequence[ColumnGroups]) -> dict[str, str]:
    """Which columns of groups a file does not hold, as a fact of the page."""
    reasons = (
        (naming, "most groups are of one post, and their names may name people"),
        (large, f"a file holds columns of up to {MOST_GROUPS} groups"),
    )
    told = []
    for groups, why in reasons:
        names = [f"{one.column} ({counted(len(one.levels), 'group')})" for one in groups]
        told += [f"{', '.join(names)}: {why}"] if names else []
    return {"Groups left out": "; ".join(told)} if told else {}


def _holds(tradeoff: Tradeoff, tau: float | None) -> bool:
    """Whether a threshold is counted exactly; on a grid not every one is."""
    if tau is None or not tradeoff.is_grid:
        return True
    index = tradeoff.index(tau)
    return index < len(tradeoff.score) and tau > tradeoff.previous[index]


def _counted_on(rows: RowSet, *, is_tested: bool) -> str:
    """On which rows the numbers are counted, and what that does not show."""
    if rows.role == "all":
        return "On all rows: in-sample"
    on_tune = f"On the {counted(rows.n_rows, 'tune row')}, on which thresholds are chosen"
    if is_tested:
        return f"{on_tune}. The test rows have been looked at: the tiles show them at the thresholds tested"
    return f"{on_tune}: in-sample. The test rows are not counted here"


def _facts(rows: RowSet, tradeoff: Tradeoff) -> dict[str, str]:
    """What the page says of its data, by name."""
    sizes = [counted(rows.n_rows, "check")]
    sizes += [rows.unit.counted(tradeoff.n_posts)] if tradeoff.has_posts else []
    sizes += [f"{percent_of(rows.n_positives, rows.n_rows)} with evidence"]
    excluded = [
        f"{source.name}: {n:,} of {counted(source.n_rows, 'row')} ({reason})"
        for source in rows.data.sources
        for reason, n in source.excluded.items()
    ]
    scale = "probability" if rows.data.score_kind == "probability" else "a score of another scale"
    tallies = tallies_of(rows.data)
    if tallies is not None:
        scale += f", known by the points of a grid of {tallies.n_points:,} from 0 to 1"
    return {
        "Rows": f"{rows.in_words}: {' · '.join(sizes)}",
        "Model": rows.model,
        "Score": scale,
        "Files": " · ".join(source.name for source in rows.data.sources),
        "Left out": "; ".join(excluded) or "no row",
        "Data, SHA-256": rows.data.digest,
    }


def _source(text: str) -> str:
    """What a policy calls this very text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@cache
def _template() -> jinja2.Template:
    return legible_pages("evalcore.explorer", "page_parts").get_template("page.html.jinja")
