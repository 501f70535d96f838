"""The pages of a write-up as Markdown: methods and results, and the tables of reporting guidelines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import jinja2

from evalcore.operating_point import OperatingPoint
from evalcore.report.pages import markdown_text
from evalcore.report.point_page.facts import zones
from evalcore.report.writeup import facts
from evalcore.report.writeup.answers import WHOLE, answer
from evalcore.report.writeup.chai import chai_metrics
from evalcore.report.writeup.items import Checklist
from evalcore.report.writeup.stard_ai import STARD_AI
from evalcore.report.writeup.tripod_ai import TRIPOD_AI
from evalcore.text.legible import legible_pages

BY_AUTHORS = "To be filled by the authors."
REST = "The rest is to be filled by the authors."


def page(name: str, point: OperatingPoint) -> str:
    """A page of a write-up as Markdown.

    Parameters
    ----------
    name : ``methods_and_results``, ``tripod_ai``, ``stard_ai`` or ``chai_metrics``.
    point : the document.
    """
    document = point.document
    entry = facts.decisive(document)

    def answered(what: str) -> str:
        return answer(point, what)

    return rendered(
        name,
        {
            "document": document,
            "head": _head(point),
            "is_synthetic": point.is_synthetic,
            "source": "document",
            "facts": facts,
            "answers": answered,
            "tripod": list(checklist_rows(TRIPOD_AI, answered)),
            "stard": list(checklist_rows(STARD_AI, answered)),
            "chai": chai_metrics(document),
            "zones": zones(document, entry),
            "entry": entry,
            "rates": list(facts.estimates(document, entry["role"])),
            "groups": facts.groups(document, entry["role"]),
        },
    )


def rendered(name: str, context: Mapping[str, Any]) -> str:
    """A template of a write-up with what it says."""
    template = _templates().get_template(f"writeup_{name}.md.jinja")
    return template.render(**context, by_authors=BY_AUTHORS, rest=REST)


def _head(point: OperatingPoint) -> str:
    document = point.document
    return (
        f"Written from document {document['id']} ({document['status']}, schema {document['schema_version']}, "
        f"content SHA-256 {document['content_sha256']})."
    )


def checklist_rows(
    checklist: Checklist, answered: Callable[[str], str]
) -> Iterator[tuple[str, list[tuple[str, str, str]]]]:
    """Each section with its items: number, name, and what stands beside it.

    Parameters
    ----------
    checklist : of a guideline.
    answered : the answer by its name, empty where there is none.
    """
    for section, items in checklist:
        yield section, [(number, name, _answered(answered(what), what)) for number, name, what in items]


def _answered(text: str, what: str) -> str:
    """An answer, with what of it is left to the authors."""
    if not text:
        return BY_AUTHORS
    return text if what in WHOLE else f"{text} {REST}"


@cache
def _templates() -> jinja2.Environment:
    environment = legible_pages("evalcore.report", "templates", is_html=False)
    environment.filters |= {"md": markdown_text, "whole": "{:,}".format}
    return environment
