"""The pages of a write-up as Markdown: methods and results, and the tables of reporting guidelines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import jinja2

from evalcore.legible import legible_pages
from evalcore.operating_point import OperatingPoint
from evalcore.operating_point.constraints import SENSITIVITY
from evalcore.operating_point.wording import percent
from evalcore.report.pages import markdown_text
from evalcore.report.point_page.facts import Zone, zones
from evalcore.report.writeup import facts
from evalcore.report.writeup.answers import WHOLE, answer
from evalcore.report.writeup.chai import chai_metrics
from evalcore.report.writeup.items import Checklist
from evalcore.report.writeup.stard_ai import STARD_AI
from evalcore.report.writeup.tripod_ai import TRIPOD_AI

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
    return (
        _templates()
        .get_template(f"writeup_{name}.md.jinja")
        .render(
            document=document,
            head=_head(point),
            is_synthetic=point.is_synthetic,
            facts=facts,
            answers=lambda item: answer(point, item),
            by_authors=BY_AUTHORS,
            rest=REST,
            tripod=list(_rows(TRIPOD_AI, point)),
            stard=list(_rows(STARD_AI, point)),
            chai=chai_metrics(document),
            zones=_zones(document),
            entry=facts.decisive(document),
            rates=list(facts.estimates(document, facts.decisive(document)["role"])),
            groups=facts.groups(document, facts.decisive(document)["role"]),
            level=_level(document),
            model=point.model,
        )
    )


def _head(point: OperatingPoint) -> str:
    document = point.document
    return (
        f"Written from document {document['id']} ({document['status']}, schema {document['schema_version']}, "
        f"content SHA-256 {document['content_sha256']})."
    )


def _rows(checklist: Checklist, point: OperatingPoint) -> Iterator[tuple[str, list[tuple[str, str, str]]]]:
    """Each section with its items: number, name, and what stands beside it."""
    for section, items in checklist:
        yield section, [(number, name, _answered(answer(point, what), what)) for number, name, what in items]


def _answered(text: str, what: str) -> str:
    """An answer, with what of it is left to the authors."""
    if not text:
        return BY_AUTHORS
    return text if what in WHOLE else f"{text} {REST}"


def _zones(document: Mapping[str, Any]) -> list[Zone]:
    return zones(document, facts.decisive(document))


def _level(document: Mapping[str, Any]) -> str:
    """The confidence of the target of screening sensitivity, or of the first one; empty without any."""
    levels = {
        one["metric"]: one["confidence"]
        for one in document["selection"]["constraints"]
        if one.get("confidence")
    }
    return percent(levels.get(SENSITIVITY, next(iter(levels.values())))) if levels else ""


@cache
def _templates() -> jinja2.Environment:
    environment = legible_pages("evalcore.report", "templates", is_html=False)
    environment.filters |= {"md": markdown_text, "whole": "{:,}".format}
    return environment
