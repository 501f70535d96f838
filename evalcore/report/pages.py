"""``report.html`` and ``report.md``: what a person reads, from two templates over the same facts."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

import jinja2
from markupsafe import Markup

from evalcore.evaluation import Report
from evalcore.report import layout
from evalcore.report.beside import agreement_lines, predicted_lines, score_lines
from evalcore.report.drawings import Draw, Drawing, drawings, other_scale
from evalcore.report.facts import READING, facts, printed
from evalcore.report.methods import methods
from evalcore.report.reader import first_pages
from evalcore.report.svg import ON_PAPER, palette_css, svg
from evalcore.text.legible import legible, legible_pages

if TYPE_CHECKING:
    from evalcore.operating_point import OperatingPoint

MARKDOWN_SYNTAX = re.compile(
    r"([\\`*\[\]<>|~$@]|^[#=+-]|(?<!\w)_|_(?!\w)|&(?=[\w#]+;)|:(?=//)|(?<=www)\.)", re.IGNORECASE
)


def report_html(
    report: Report,
    *,
    thresholds_of: str | None = None,
    drawn: Draw | None = None,
    point: OperatingPoint | None = None,
) -> str:
    """A page that opens offline: its style is inside, it runs no script and asks for nothing from outside.

    Its first pages are for whoever answers for a choice, all values stand in the appendix; it prints on A4.

    Parameters
    ----------
    report, thresholds_of, drawn, point : as of `evalcore.report.report_files`.
    """
    figures = [_figure(one) for one in (drawn or drawings)(report, thresholds_of=thresholds_of)]
    page = _environment(is_html=True).get_template("report.html.jinja")
    said = _context(report, thresholds_of, point)
    return page.render(said, figures=figures, palette=Markup(palette_css()))


def _figure(one: Drawing) -> dict[str, Any]:
    """A figure with what is said of it; those of the first pages are drawn for paper as well."""
    made = one.draw(dark=False)
    on_paper = Markup(svg(made, key=f"{one.key}-paper", size=ON_PAPER)) if one.is_first else None
    drawn = Markup(svg(made, key=one.key))
    return {
        "title": one.title,
        "note": one.note,
        "is_first": one.is_first,
        "svg": drawn,
        "on_paper": on_paper,
    }


def report_md(
    report: Report, *, thresholds_of: str | None = None, point: OperatingPoint | None = None
) -> str:
    """The same as Markdown tables, without figures."""
    page = _environment(is_html=False).get_template("report.md.jinja")
    try:
        return page.render(_context(report, thresholds_of, point))
    finally:
        _escaped.cache_clear()  # a server lets go of the texts of a session with it


def markdown_text(value: Any) -> str:
    r"""Text that Markdown shows as it is written, on one line.

    Examples
    --------
    >>> print(markdown_text("A.1 | **bold** <img> p_final _x_"))
    A.1 \| \*\*bold\*\* \<img\> p_final \_x\_
    """
    return MARKDOWN_SYNTAX.sub(r"\\\1", " ".join(legible(str(value)).split()))


@lru_cache(4096)  # the same few names and notes stand in thousands of lines
def _escaped(text: str) -> str:
    return markdown_text(text)


def _context(report: Report, thresholds_of: str | None, point: OperatingPoint | None) -> dict[str, Any]:
    said, rows = facts(report), layout.values(report)
    models = () if report.gathered.scores is None else report.gathered.scores.models
    return {
        "facts": said,
        "first": first_pages(report, rows, point),
        "other_scale": other_scale(thresholds_of, models),
        "options": {name: printed(name, value) for name, value in said["options"].items()},
        "reading": {READING[name]: said["reading"][name] for name in READING if name in said["reading"]},
        "overall": layout.overall(rows),
        "spread": layout.spread(rows),
        "has_folds": any(value.over_folds for value in rows),
        "by_group": layout.by_group(rows),
        "methods": methods(report),
        "scores": score_lines(report),
        "agreement": agreement_lines(report),
        "predicted": predicted_lines(report),
    }


def _kept(text: str) -> str:
    """Text whose numbers keep their percent sign on their line."""
    return re.sub(r"(?<=[0-9]) (?=%)", "\N{NO-BREAK SPACE}", text)


@cache
def _environment(*, is_html: bool) -> jinja2.Environment:
    environment = legible_pages("evalcore.report", "templates", is_html=is_html)
    environment.filters |= {"md": lambda value: _escaped(str(value)), "whole": "{:,}".format, "kept": _kept}
    return environment
