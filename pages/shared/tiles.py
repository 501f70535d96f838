"""Tiles: a number, what it means, and what should be known about it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evalcore.evaluation.calibration import beside_threshold
from evalcore.operating_point.wording import counted
from evalcore.text.numerals import (
    as_given,
    percent_at_least,
    percent_at_most,
    percent_of,
    percent_of_share,
)
from pages.shared import widgets
from pages.shared.written import as_html

if TYPE_CHECKING:
    from evalcore.tallies.neighbours import Side
    from evalcore.tallies.scores import ScoreTable

NEAR = 200
NEAREST = f"The {NEAR} nearest checks on that side, or all where there are fewer."
STYLE = """<style>
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(var(--least), 1fr)); gap: .6rem; }
.tile { border: 1px solid rgba(127, 140, 155, .32); border-radius: .4rem; padding: .5rem .8rem .6rem; }
.tile .name { font-size: .85rem; font-weight: 500; margin: 0; padding: 0; line-height: 1.3; }
.tile .name { color: color-mix(in srgb, currentColor 80%, transparent); }
.tile .value { font-size: 1.35rem; font-weight: 600; line-height: 1.5; font-variant-numeric: tabular-nums; }
.tile p { font-size: .82rem; line-height: 1.35; margin: 0; overflow-wrap: anywhere; }
.tile p + p { margin-top: .25rem; opacity: .75; }
</style>"""


@dataclass(frozen=True)
class Tile:
    """One number.

    Parameters
    ----------
    title
        What it is.
    value
        As it is printed.
    meaning
        In plain words.
    note
        A remark or the reason why there is no value; empty for none.
    """

    title: str
    value: str
    meaning: str
    note: str = ""


def show_tiles(tiles: Iterable[Tile], *, least: str = "13.5rem") -> None:
    """Show tiles beside each other, as many as fit of at least this width."""
    widgets.html(
        f'{STYLE}<div class="tiles" role="list" style="--least: {as_html(least)}">'
        f"{''.join(map(_tile, tiles))}</div>"
    )


def _tile(tile: Tile) -> str:
    note = f"<p>{widgets.unbroken(as_html(tile.note))}</p>" if tile.note else ""
    return (
        f'<div class="tile" role="listitem"><p class="name">{as_html(tile.title)}</p>'
        f'<div class="value">{as_html(tile.value)}</div>'
        f"<p>{widgets.unbroken(as_html(tile.meaning))}</p>{note}</div>"
    )


def beside_tiles(table: ScoreTable, pair: tuple[str | None, str | None]) -> list[Tile]:
    """The observed rate of evidence just below the skip threshold and just above the alert threshold."""
    return [
        _beside(table, "Just below the skip threshold", pair[0], "below"),
        _beside(table, "Just above the alert threshold", pair[1], "above"),
    ]


def _beside(table: ScoreTable, title: str, tau: str | None, side: Side) -> Tile:
    """One side of one threshold as a tile."""
    if tau is None:
        return Tile(title, "–", "this zone is empty: there is no threshold", "")
    found = beside_threshold(table, float(tau), side, NEAR)
    near = found.near
    if near.n == 0:
        return Tile(f"{title}, {tau}", "–", "no check on this side", "")
    low, high = percent_at_least(found.low), percent_at_most(found.high)
    return Tile(
        f"{title}, {tau}",
        percent_of(near.n_pos, near.n),
        f"{near.n_pos:,} of {counted(near.n, 'check')} with evidence; 95 % interval "
        f"{low.removesuffix(' %')}–{high}",
        f"promised on average {percent_of_share(near.mean_score)}, "
        f"p from {as_given(near.low, 4)} to {as_given(near.high, 4)}",
    )
