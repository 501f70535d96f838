"""Figures as plotly objects; nothing is computed here, every trace holds the numbers it is given.

Backgrounds are transparent; ``dark`` chooses ink and colours for a dark page. Blue and orange carry meaning
together with shape or position, never colour alone. ``layout.meta["description"]`` is the text for people who
do not see the figure.
"""

from evalcore.figures.criteria import cooccurrence_figure, criterion_bars
from evalcore.figures.curves import pr_figure, roc_figure
from evalcore.figures.drawing import DARK, LIGHT, Palette
from evalcore.figures.reliability import recalibration_figure, reliability_figure, reliability_multiples

__all__ = [
    "DARK",
    "LIGHT",
    "Palette",
    "cooccurrence_figure",
    "criterion_bars",
    "pr_figure",
    "recalibration_figure",
    "reliability_figure",
    "reliability_multiples",
    "roc_figure",
]
