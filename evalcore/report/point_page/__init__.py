"""A document of thresholds as one page that prints on one or two sheets of A4."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import jinja2
from markupsafe import Markup

from evalcore.data import Data
from evalcore.operating_point import OperatingPoint
from evalcore.operating_point.document.verifying.rows import rows_of
from evalcore.operating_point.reopening.words import said
from evalcore.operating_point.test_rows.row_sets import rows_in_words
from evalcore.report.point_page import facts
from evalcore.report.point_page.histogram import histogram_svg, zones_svg
from evalcore.text.legible import legible_pages


def point_html(point: OperatingPoint, data: Sequence[Data] = ()) -> str:
    """A document as HTML to print and sign: its style is inside, it runs no script and asks for nothing.

    One sentence in counts, the scores with both thresholds, the table of three zones, the verdict on every
    target, the groups, who chose and why, every limit, digests, and a place for signatures.

    Parameters
    ----------
    point : the document, unchanged since its export.
    data : the data it was made on; without them its zones are drawn, for the document holds no scores.

    Returns
    -------
    HTML; the same document and data make the same text.

    Raises
    ------
    InputError : DOC-003 and the like for a document that was changed; DOC-005 for other data.
    """
    point.text  # noqa: B018 - refuses what was changed
    document = point.document
    decisive = facts.decisive_entry(document)
    where = rows_in_words(decisive["role"], decisive.get("row_filter"))
    table = facts.zones(document, decisive)
    rows = rows_of(decisive, data, document) if data else None
    posts = ""
    drawing = Markup(zones_svg([(zone.n_positive, zone.n_negative) for zone in table])) if table else None
    if rows is not None:
        is_probability = document["input"]["score_kind"] == "probability"
        svg = histogram_svg(rows.table, point.tau_neg, point.tau_pos, is_probability=is_probability)
        drawing, posts = Markup(svg), facts.missed_posts(rows, point.tau_neg)
    roles, rates = facts.rates(document)
    groups, n_more = facts.groups(document, decisive["role"])
    return _template().render(
        document=document,
        title=document.get("title", document["id"]),
        limits=document.get("limits", []),
        model=document["input"].get("model"),
        provenance=document["provenance"],
        status_words=facts.STATUS[point.status],
        is_synthetic=point.is_synthetic,
        role=roles[0],
        sentence=facts.sentence(table, where, posts) if table else None,
        drawing=drawing,
        is_of_scores=rows is not None,
        zones=table,
        targets=facts.targets(document),
        said=said(document),
        roles=roles,
        rates=rates,
        groups=groups,
        n_more_groups=n_more,
    )


@cache
def _template() -> jinja2.Template:
    environment = legible_pages("evalcore.report", "templates")
    environment.filters |= {"whole": "{:,}".format}
    return environment.get_template("point.html.jinja")
