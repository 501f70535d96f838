"""The scores behind a point, evidence up and no evidence down, drawn with both thresholds for paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from evalcore.figures.shares import nice_ticks
from evalcore.operating_point.tradeoff.thresholds import threshold_text
from evalcore.report.axes import tick_text
from evalcore.tallies.scores import ScoreTable

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 680, 206, 8, 8, 34, 40
MIDDLE = TOP + (HEIGHT - TOP - BOTTOM) * 0.55
BARS = 64
EDGE, PILE, LEAST = 0.02, 0.1, 1e-5
"""Scores nearer than `EDGE` to 0 or 1 are a pile where they are a share of `PILE`: then the axis spreads the
ends, down to `LEAST`, beyond which all lies in the outermost bar."""

SPREAD_TICKS = (1e-5, 1e-4, 0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 1 - 1e-4, 1 - 1e-5)


@dataclass(frozen=True)
class Scale:
    """How scores lie along the axis: evenly, or spread towards 0 and 1."""

    low: float
    high: float
    is_spread: bool

    def at(self, score: float) -> float:
        """Place along the axis, 0 to 1."""
        low, high, here = (self._bent(value) for value in (self.low, self.high, score))
        return min(max((here - low) / (high - low), 0.0), 1.0)

    def score(self, place: float) -> float:
        """The score at a place."""
        low, high = self._bent(self.low), self._bent(self.high)
        here = low + place * (high - low)
        return float(1 / (1 + np.exp(-here))) if self.is_spread else here

    def _bent(self, score: float) -> float:
        if not self.is_spread:
            return score
        inside = min(max(score, self.low), self.high)
        return float(np.log(inside / (1 - inside)))

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Place and label of each."""
        if not self.is_spread:
            between = nice_ticks(self.low, self.high, 8)
            return [(self.at(score), tick_text(score, None)) for score in between]
        inside = [score for score in SPREAD_TICKS if self.low <= score <= self.high]
        return [(self.at(score), f"{score:.5f}".rstrip("0")) for score in inside]


def scale_of(table: ScoreTable, *, is_probability: bool) -> Scale:
    """The axis on which the scores are seen best."""
    scores, n = table.score, table.n_pos + table.n_neg
    if not is_probability:
        low, high = float(scores[0]), float(scores[-1])
        return Scale(low, high if high > low else low + 1, is_spread=False)
    is_near = (scores < EDGE) | (scores > 1 - EDGE)
    if n[is_near].sum() < PILE * n.sum():
        return Scale(0.0, 1.0, is_spread=False)
    inside = scores[(scores > 0) & (scores < 1)]
    nearest = min(inside.min(initial=0.5), 1 - inside.max(initial=0.5))
    least = 10 ** np.floor(np.log10(min(max(nearest, LEAST), EDGE)))
    return Scale(float(least), float(1 - least), is_spread=True)


def histogram_svg(
    table: ScoreTable, tau_neg: float | None, tau_pos: float | None, *, is_probability: bool
) -> str:
    """The drawing as ``<svg>``: bars of one area for one check, each side on its own scale.

    Both thresholds are edges of bars, so that no bar holds checks of two zones.

    Parameters
    ----------
    table : the rows by score.
    tau_neg, tau_pos : None for an empty zone.
    is_probability : whether scores lie between 0 and 1.
    """
    scale = scale_of(table, is_probability=is_probability)
    taus = [tau for tau in (tau_neg, tau_pos) if tau is not None]
    places = _edges([scale.at(tau) for tau in taus])
    scores = np.array([scale.score(place) for place in places])
    for tau in taus:
        scores[np.argmin(np.abs(places - scale.at(tau)))] = tau
    bar = np.clip(np.searchsorted(scores, table.score, side="right") - 1, 0, len(places) - 2)
    up, down = (np.bincount(bar, n, len(places) - 1).astype(np.float64) for n in (table.n_pos, table.n_neg))
    said = (
        f"Scores of {int(table.total_pos):,} checks with evidence, upwards, and of "
        f"{int(table.total_neg):,} without, downwards, each on its own scale."
    )
    is_missed = np.full(len(places) - 1, False) if tau_neg is None else scores[1:] <= tau_neg
    body = [
        *_zones(scale, tau_neg, tau_pos),
        *_bars(places, up, MIDDLE - TOP - 4, "evidence", is_missed=is_missed),
        *_bars(places, down, -(HEIGHT - BOTTOM - MIDDLE - 4), "none"),
        *_axis(scale),
        *(_line(scale, tau, symbol) for tau, symbol in ((tau_neg, "τ_neg"), (tau_pos, "τ_pos"))),
    ]
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(said)}" '
        f'xmlns="http://www.w3.org/2000/svg">\n{chr(10).join(part for part in body if part)}\n</svg>'
    )


def zones_svg(counts: Sequence[tuple[int, int]]) -> str:
    """Checks with and without evidence by zone, as two bars of the same length.

    Parameters
    ----------
    counts : of skip, look and alert, with and without evidence.
    """
    names, body = ("skip", "look", "alert"), []
    for row, kind in enumerate(("with evidence", "without evidence")):
        total, start, y = sum(pair[row] for pair in counts), float(LEFT), 18.0 + 46 * row
        body.append(f'<text x="{LEFT}" y="{y - 5:.0f}">{kind}: {total:,} checks</text>')
        for at, (name, pair) in enumerate(zip(names, counts, strict=True)):
            width = (WIDTH - LEFT - RIGHT) * pair[row] / max(total, 1)
            is_missed = at == 0 and row == 0
            body.append(_box("missed" if is_missed else f"bar {name}", start, y, width, 22))
            if width > 60:
                label = f"{name} {pair[row]:,}"
                light = ' class="light"' if is_missed else ""
                body.append(f'<text{light} x="{start + 4:.1f}" y="{y + 15:.0f}">{label}</text>')
            start += width
    parts = (
        f"{name} {pair[0]:,} with and {pair[1]:,} without" for name, pair in zip(names, counts, strict=True)
    )
    said = f"Checks by zone: {'; '.join(parts)} evidence."
    return (
        f'<svg viewBox="0 0 {WIDTH} 92" role="img" aria-label="{escape(said)}" '
        f'xmlns="http://www.w3.org/2000/svg">\n{chr(10).join(body)}\n</svg>'
    )


def _edges(taus: list[float]) -> NDArray[np.float64]:
    """Places of the edges of bars: evenly within each zone, about as wide in every one."""
    ends = np.unique([0.0, *taus, 1.0])
    parts = [np.linspace(low, high, max(1, round((high - low) * BARS)) + 1) for low, high in pairwise(ends)]
    return np.unique(np.concatenate(parts))


def _x(place: float) -> float:
    return LEFT + place * (WIDTH - LEFT - RIGHT)


def _zones(scale: Scale, tau_neg: float | None, tau_pos: float | None) -> Iterator[str]:
    """The ground of each zone, with what people do there where the words have room."""
    low = 0.0 if tau_neg is None else scale.at(tau_neg)
    high = 1.0 if tau_pos is None else scale.at(tau_pos)
    for name, start, end in (("skip", 0.0, low), ("look", low, high), ("alert", high, 1.0)):
        if end > start:
            x, width = _x(start), _x(end) - _x(start)
            yield _box(name, x, TOP, width, HEIGHT - TOP - BOTTOM)
            middle, right = ("middle", x + width / 2), ("end", x + width - 3)
            anchor = {"skip": ("start", x + 3), "look": middle, "alert": right}
            where, at = anchor[name]
            if width > 36:
                yield f'<text class="zone" x="{at:.1f}" y="{TOP + 11}" text-anchor="{where}">{name}</text>'


def _bars(
    places: NDArray[np.float64],
    counts: NDArray[np.float64],
    room: float,
    name: str,
    *,
    is_missed: NDArray[np.bool_] | None = None,
) -> Iterator[str]:
    density = counts / np.diff(places)
    most = density.max(initial=0)
    for at in np.flatnonzero(counts):
        height = max(abs(room) * density[at] / most, 1.0)
        x, end = _x(places[at]), _x(places[at + 1])
        y = MIDDLE - height if room > 0 else MIDDLE
        kind = "missed" if is_missed is not None and is_missed[at] else name
        width = max(end - x - 0.8, 0.6)
        yield _box(kind, x, y, width, height)


def _axis(scale: Scale) -> Iterator[str]:
    yield f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{MIDDLE:.1f}" y2="{MIDDLE:.1f}"/>'
    end = HEIGHT - BOTTOM
    last = -np.inf
    for place, label in scale.ticks:
        x = _x(place)
        if x - last < 34:
            continue
        last = x
        anchor = "start" if place < 0.02 else "end" if place > 0.98 else "middle"
        yield f'<line class="axis" x1="{x:.1f}" x2="{x:.1f}" y1="{end}" y2="{end + 4}"/>'
        yield f'<text x="{x:.1f}" y="{end + 15}" text-anchor="{anchor}">{label}</text>'
    stretched = ", stretched towards 0 and 1" if scale.is_spread else ""
    yield f'<text x="{WIDTH / 2}" y="{HEIGHT - 6}" text-anchor="middle">score of a check{stretched}</text>'
    right = WIDTH - RIGHT - 26
    for y, name in ((MIDDLE - 5, "evidence ↑"), (MIDDLE + 13, "no evidence ↓")):
        yield f'<text class="side" x="{right}" y="{y:.1f}" text-anchor="end">{name}</text>'


def _box(kind: str, x: float, y: float, width: float, height: float) -> str:
    return f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"/>'


def _line(scale: Scale, tau: float | None, symbol: str) -> str:
    if tau is None:
        return ""
    place = scale.at(tau)
    x = _x(place)
    y = TOP - 6 if symbol == "τ_neg" else TOP - 20
    anchor, name = "start" if place < 0.5 else "end", f"{symbol} = {threshold_text(tau)}"
    return (
        f'<line class="threshold" x1="{x:.1f}" x2="{x:.1f}" y1="{y + 3}" y2="{HEIGHT - BOTTOM}"/>'
        f'<text class="tau" x="{x:.1f}" y="{y}" text-anchor="{anchor}">{name}</text>'
    )
