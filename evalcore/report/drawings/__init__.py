"""The figures of a report: the same on a page and in ``report.html``."""

from evalcore.report.drawings.drawing import Draw, Drawing, Draws
from evalcore.report.drawings.evidence import drawings, other_scale
from evalcore.report.drawings.recommender import drawings_of_lists

__all__ = ["Draw", "Drawing", "Draws", "drawings", "drawings_of_lists", "other_scale"]
