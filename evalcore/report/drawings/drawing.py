"""What a figure of a report is: how it is drawn, and what is said of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from evalcore.evaluation import Report
from evalcore.figures.drawing import Plain

ROOM_FOR_AXES = 96


class Draws(Protocol):
    """Draws a figure in the light or the dark palette."""

    def __call__(self, *, dark: bool) -> Plain: ...


@dataclass(frozen=True)
class Drawing:
    """One figure of a report.

    Parameters
    ----------
    key : a short name without spaces, unique in the report.
    title : what it shows, of which model.
    draw : makes the figure.
    note : what should be known about it; empty for nothing.
    is_first : whether it stands on the first pages of a report, before the appendix.
    """

    key: str
    title: str
    draw: Draws
    note: str = ""
    is_first: bool = False


class Draw(Protocol):
    """Makes the figures of a report, as `drawings` does."""

    def __call__(self, report: Report, *, thresholds_of: str | None = None) -> list[Drawing]: ...


def with_room(draw: Draws, height: int, *, dark: bool) -> Plain:
    """A figure of lines from top to bottom, as high as these need, and its axis beneath them."""
    traces, layout = draw(dark=dark)
    return Plain(traces, layout | {"height": ROOM_FOR_AXES + height})
