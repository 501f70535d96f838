"""Small pieces that several pages show; text that comes from a file is always shown as it is written."""

from __future__ import annotations

import re
from binascii import crc32
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

import streamlit as st

from evalcore.catalog import METRICS
from evalcore.glossary import GLOSSARY, explained
from evalcore.problems import SHOWN, Problem
from evalcore.spec import Metric
from evalcore.text.numerals import NO_VALUE, as_given
from pages.shared.page_words import on_page
from pages.shared.written import as_html

if TYPE_CHECKING:
    import pandas as pd
    from pandas.io.formats.style import Styler

HEADINGS = {"error": "To correct", "choice": "To choose first", "warning": "Worth knowing"}
STYLE = """<style>
.quiet { opacity: .68; }
.line { display: flex; flex-wrap: wrap; align-items: baseline; gap: .15rem .9rem; font-size: .9rem; }
.chip { padding: 0 .5rem; border-radius: .6rem; font-size: .82rem; background: rgba(127, 140, 155, .18); }
.plain { font-size: .95rem; max-width: 54rem; overflow-wrap: anywhere; }
ul.problems { margin: 0; padding: 0; list-style: none; font-size: .95rem; }
ul.problems li { margin: 0 0 .5rem; padding: .1rem 0 .1rem .8rem; border-left: 3px solid; }
ul.problems li, dl.facts dd, ul.problems .error { border-color: #c8590f; }
ul.problems .choice { border-color: #2b66b1; }
ul.problems .warning { border-color: #8a94a0; }
ul.problems code, dl.facts code, table.facts code { font-size: .85em; background: none; color: inherit; }
dl.facts { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1.4rem; margin: 0; padding: 0; }
dl.facts { font-size: .95rem; }
dl.facts dt { opacity: .68; font-weight: 400; }
/* A word that explains itself: pointed at, in focus or tapped; fixed, as tables clip what they scroll. */
.term button { all: unset; cursor: help; text-decoration: underline dotted 1px; text-underline-offset: .2em; }
.term button:focus-visible { outline: 2px solid currentColor; outline-offset: 2px; }
.term button { anchor-name: --word; } .term { anchor-scope: --word; }
.term .said { display: none; position: fixed; position-anchor: --word; z-index: 10;
  position-area: block-end span-inline-end; position-try-fallbacks: flip-block, flip-inline; }
.term:hover .said, .term:focus-within .said { display: block; }
.term .said { max-width: min(20rem, 80vw); padding: .5rem .8rem; border-radius: .4rem; opacity: 1;
  background: light-dark(#1f2933, #e6eaef); color: light-dark(#ffffff, #12171d);
  font-size: .85rem; font-weight: 400; line-height: 1.4; white-space: normal; text-align: left; }
/* Streamlit's own grey of captions is too faint to be read by everybody. */
[data-testid="stCaptionContainer"] { color: inherit !important; opacity: .72; }
dl.facts dd { margin: 0; }
div.scroll { overflow-x: auto; }
table.facts { border-collapse: collapse; width: 100%; font-size: .9rem; }
table.facts th { text-align: left; font-weight: 500; }
table.facts th { color: color-mix(in srgb, currentColor 68%, transparent); }
table.facts :is(th, td) { padding: .3rem .8rem .3rem 0; vertical-align: top; border: 0; }
table.facts :is(th, td):last-child { padding-right: 0; }
table.facts tr { border-bottom: 1px solid rgba(127, 140, 155, .28); }
table.facts td:first-child { white-space: nowrap; }
table.facts .long, table.facts td.long:first-child {
  min-width: 12rem; white-space: normal; overflow-wrap: anywhere;
}
/* Where nothing hovers the buttons of a table are always shown, above it: over what stands there. */
@media (hover: none) {
  [data-testid="stElementContainer"]:has(> [data-testid="stFullScreenFrame"] > [data-testid="stDataFrame"]) {
    margin-top: 2rem;
  }
}
/* A row of buttons that wraps: each has a border of its own all around. As high as boxes beside it. */
[data-testid="stButtonGroup"] button[data-variant] { min-height: 2.45rem; }
[data-testid="stButtonGroup"] button:not([kind$="Active"]) { border-color: rgba(127,140,155,.4) !important; }
/* Streamlit gives the way to another page the looks of a word. */
[data-testid="stPageLink"] p { text-decoration: underline; text-underline-offset: .2em; }
/* A table wider than the page says so at its edge, until it is scrolled to its end. */
[data-testid="stDataFrame"], div.edge { position: relative; timeline-scope: --sideways; }
[data-testid="stDataFrame"] .dvn-scroller, div.scroll { scroll-timeline: --sideways inline; }
[data-testid="stDataFrame"]::after, div.edge::after {
  content: "›"; position: absolute; inset: 0 0 0 auto; width: 1.6rem; z-index: 1; pointer-events: none;
  display: grid; place-items: center; font-size: 1.4rem; opacity: 0;
  background: linear-gradient(to right, transparent, rgba(127, 140, 155, .35));
  animation: more-columns linear; animation-timeline: --sideways;
}
@keyframes more-columns { from, 90% { opacity: 1; } to { opacity: 0; } }
@media (max-width: 40rem) {
  dl.facts { grid-template-columns: 1fr; gap: 0; }
  dl.facts dd { margin-bottom: .5rem; }
  table.facts :is(th, td) { padding-right: .6rem; }
  [data-testid="stHorizontalBlock"]:has(> [data-testid="stColumn"]) { row-gap: 1rem; }
  table.facts td:first-child { white-space: normal; }
  table.wide thead:not(:has(.term)), table.wide th:not(:has(.term)), table.wide td:empty { display: none; }
  table.wide thead tr { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 1rem; }
  table.wide thead tr::before { content: "Explained:"; opacity: .68; }
  table.wide tr { display: grid; grid-template-columns: minmax(8rem, 1.2fr) 1fr 1fr; padding: .4rem 0; }
  table.wide td { padding: .1rem .6rem .1rem 0; }
  table.wide td::before { overflow-wrap: anywhere; }
  table.facts .long, table.facts td.long:first-child { min-width: 7rem; }
  table.facts.wide .long { min-width: 0; }
  table.wide td:first-child { grid-column: 1 / -1; font-weight: 500; }
  table.wide td:not(:first-child)::before { content: attr(data-column); display: block; opacity: .68; }
}
</style>"""
MOST_COLUMNS_ON_A_PHONE = 4
LONGEST_ON_A_LINE = 30


def html(body: str) -> None:
    """HTML with the shared style; whatever of it comes from a file must be escaped."""
    st.html(STYLE + body)


def small_heading(text: str, *, level: int = 3) -> None:
    """A heading in the size of the text, of which a screen reader knows too; shown as it is written.

    Parameters
    ----------
    text
        What it says.
    level
        One more than that of the heading it stands under.
    """
    html(f'<strong role="heading" aria-level="{level:d}">{as_html(text)}</strong>')


def plain(text: str, *, is_quiet: bool = False) -> None:
    """A paragraph shown as it is written."""
    html(f'<div class="plain{" quiet" if is_quiet else ""}">{as_html(text)}</div>')


def problem_list(problems: Iterable[Problem], n_more: Mapping[str, int] | None = None) -> None:
    """Problems by what they ask for: corrections first, then choices, then what is worth knowing.

    Parameters
    ----------
    problems
        What was found.
    n_more
        Code → further rows with the same problem.
    """
    found = list(problems)
    for severity, heading in HEADINGS.items():
        of_kind = [one for one in found if one.severity == severity]
        if not of_kind:
            continue
        st.markdown(f"**{heading}**")
        html(problems_html(of_kind, n_more))


def problems_html(problems: Iterable[Problem], n_more: Mapping[str, int] | None = None) -> str:
    """Problems of one severity as a list, many of them counted; parameters as of `problem_list`."""
    found = list(problems)
    n_hidden = sum((n_more or {}).get(code, 0) for code in {one.code for one in found})
    n_hidden += max(len(found) - SHOWN, 0)
    items = "".join(map(_item, found[:SHOWN]))
    kind = as_html(found[0].severity) if found else ""
    rest = f'<li class="{kind} quiet">… and {n_hidden:,} more like these</li>' if n_hidden else ""
    return f'<ul class="problems">{items}{rest}</ul>'


def _item(one: Problem) -> str:
    code = f'<code class="quiet">{as_html(one.code)}</code>'
    return f'<li class="{as_html(one.severity)}">{as_html(str(on_page(one)))} {code}</li>'


def term(name: str, *, of: str, meanings: Mapping[str, str] | None = None) -> str:
    """A name as HTML; a word of the glossary or a metric explains itself: pointed at, in focus or tapped.

    Parameters
    ----------
    name
        As it is shown.
    of
        What it stands in, by which the same word elsewhere on the page is told apart.
    meanings
        What names mean here, before what they mean elsewhere.
    """
    known = explained(name, GLOSSARY)
    elsewhere = _of_metric(name) if known is None else known.plain
    plain = (meanings or {}).get(name, elsewhere)
    if plain is None:
        return as_html(name)
    key = as_html(f"said-{crc32(f'{of}/{name}'.encode()):x}")
    return (
        f'<span class="term"><button type="button" aria-describedby="{key}">{as_html(name)}</button>'
        f'<span class="said" role="tooltip" id="{key}">{as_html(plain)}</span></span>'
    )


def _of_metric(name: str) -> str | None:
    """What a metric says, without K; None where two families have one of this name, or none has."""
    found = [one for one in METRICS.values() if one.label.partition("@")[0] == name.partition("@")[0]]
    return meaning(found[0]) if len(found) == 1 else None


def meaning(metric: Metric) -> str:
    """What a metric says, as plain text."""
    return metric.summary.replace("`", "")


def facts(pairs: Iterable[tuple[str, str]], *, has_code: bool = False) -> None:
    """Names and texts as a list, as they are written.

    Parameters
    ----------
    pairs
        Names and texts.
    has_code
        Whether the texts are our own and set in backticks what is code.
    """
    rows = "".join(
        f"<dt>{as_html(name)}</dt><dd>{with_code(text) if has_code else as_html(text)}</dd>"
        for name, text in pairs
    )
    html(f'<dl class="facts">{rows}</dl>')


def table(
    header: Iterable[str],
    rows: Iterable[Iterable[str]],
    *,
    name: str,
    has_code: bool = False,
    meanings: Mapping[str, str] | None = None,
) -> None:
    """A small table of text that wraps, as it is written. On a phone each row of a wide one is a block.

    Parameters
    ----------
    header, rows
        Text of the cells; a column may be without a name.
    name
        What the table is called where nobody sees what stands above it.
    has_code
        As for `facts`.
    meanings
        What names of columns and of rows mean here, by which they explain themselves; no other row does.
    """
    titles, told = list(header), meanings or {}
    names = [as_html(one) for one in titles]
    is_wide = len(names) > MOST_COLUMNS_ON_A_PHONE
    opened = [f'<td data-column="{title}"' if is_wide else "<td" for title in names]
    head = "".join(
        f"<th{_breaks(title)}>{term(titles[at], of=name, meanings=told)}</th>" if title else "<td></td>"
        for at, title in enumerate(names)
    )
    lines = (
        "".join(
            f"{start}{_breaks(cell, is_name=not at)}>"
            f"{_cell(cell, has_code) if at or cell not in told else term(cell, of=name, meanings=told)}</td>"
            for at, (start, cell) in enumerate(zip(opened, row, strict=True))
        )
        for row in rows
    )
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    kind = "facts wide" if is_wide else "facts"
    rows_of_text = f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
    drawn = f'<table class="{kind}" aria-label="{as_html(name)}">{rows_of_text}</table>'
    html(f'<div class="edge"><div class="scroll">{drawn}</div></div>')


def _cell(text: str, has_code: bool) -> str:
    return unbroken(with_code(text) if has_code else as_html(text))


def written(
    frame: pd.DataFrame, texts: Mapping[str, Callable[[float], str]], *, absent: str = NO_VALUE
) -> Styler:
    """A frame whose columns of numbers are written as everywhere, and still sorted as numbers.

    Parameters
    ----------
    frame
        To be shown.
    texts
        Column → how its numbers are written; others keep the digits they have.
    absent
        What stands where there is none.
    """
    rest = dict.fromkeys(frame.select_dtypes("float"), as_given)
    counts = dict.fromkeys(frame.select_dtypes("integer"), "{:,}".format)
    return frame.style.format({**rest, **counts, **texts}, na_rep=absent)


def _breaks(text: str, *, is_name: bool = False) -> str:
    """The class of a cell that does not fit one line: it breaks, and leaves room for the others.

    Names, which are first in a row, stand on one line else; other text breaks between words anyhow.
    """
    parts = [text] if is_name else text.split()
    return ' class="long"' if max(map(len, parts), default=0) > LONGEST_ON_A_LINE else ""


def unbroken(html: str) -> str:
    """HTML in which a percent sign stays with its number where the line ends, and a number with its n."""
    return re.sub(r"(?<=\d) (?=%)|(?<=\(n) (?== )|(?<=\(n =) (?=\d)", "\N{NO-BREAK SPACE}", html)


def with_code(text: str) -> str:
    """Text of ours as HTML, backticked parts as code."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", as_html(text))


def csv_button(label: str, content: str | bytes | Callable[[], str], file_name: str, key: str) -> None:
    """The way to take rows along as CSV, made when it is asked for or before; it leaves the page as it is."""
    st.download_button(
        label,
        content,
        file_name=file_name,
        mime="text/csv",
        icon=":material/download:",
        on_click="ignore",
        key=key,
    )
