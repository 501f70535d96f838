"""``report.html`` and ``report.md``: what a person reads, from two templates over the same facts."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import jinja2
from markupsafe import Markup

from evalcore.evaluation import Report
from evalcore.legible import legible
from evalcore.report import layout
from evalcore.report.beside import agreement_lines, predicted_lines, score_lines
from evalcore.report.drawings import Draw, drawings, other_scale
from evalcore.report.facts import READING, facts, printed
from evalcore.report.methods import methods
from evalcore.report.svg import palette_css, svg

MARKDOWN_SYNTAX = re.compile(
    r"([\\`*\[\]<>|~$@]|^[#=+-]|(?<!\w)_|_(?!\w)|&(?=[\w#]+;)|:(?=//)|(?<=www)\.)", re.IGNORECASE
)


def report_html(report: Report, *, thresholds_of: str | None = None, drawn: Draw | None = None) -> str:
    """A page that opens offline: its style is inside, it runs no script and asks for nothing from outside."""
    figures = [
        {"title": one.title, "note": one.note, "svg": Markup(svg(one.draw(dark=False), key=one.key))}
        for one in (drawn or drawings)(report, thresholds_of=thresholds_of)
    ]
    page = _environment(is_html=True).get_template("report.html.jinja")
    return page.render(_context(report, thresholds_of), figures=figures, palette=Markup(palette_css()))


def report_md(report: Report, *, thresholds_of: str | None = None) -> str:
    """The same as Markdown tables."""
    page = _environment(is_html=False).get_template("report.md.jinja")
    return page.render(_context(report, thresholds_of))


def markdown_text(value: Any) -> str:
    r"""Text that Markdown shows as it is written, on one line.

    Examples
    --------
    >>> print(markdown_text("A.1 | **bold** <img> p_final _x_"))
    A.1 \| \*\*bold\*\* \<img\> p_final \_x\_
    """
    return MARKDOWN_SYNTAX.sub(r"\\\1", " ".join(legible(str(value)).split()))


def _context(report: Report, thresholds_of: str | None) -> dict[str, Any]:
    said, rows = facts(report), layout.values(report)
    models = () if report.gathered.scores is None else report.gathered.scores.models
    return {
        "facts": said,
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


def _finalized(value: Any) -> Any:
    """What a template prints: text of a file legible, what is HTML already as it is."""
    return legible(value) if type(value) is str else value


@cache
def _environment(*, is_html: bool) -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("evalcore.report"),
        autoescape=is_html,
        finalize=_finalized,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"md": markdown_text, "whole": "{:,}".format}
    return environment
