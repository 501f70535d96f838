"""Two models or ranked lists on the queries they share: differences, intervals, tests, and what fell out."""

from evalcore.compare.matrix import Matrix, matrix
from evalcore.compare.models import against_one_scale, compare
from evalcore.compare.options import METRICS_COMPARED, CompareOptions
from evalcore.compare.pairing import Shared
from evalcore.compare.recommendations import compare_recommendations
from evalcore.compare.table import COLUMNS, Comparison
from evalcore.compare.wording import answer, answer_of_groups, dropped_in_words
from evalcore.compare.writing import as_csv, as_text

__all__ = [
    "COLUMNS",
    "METRICS_COMPARED",
    "CompareOptions",
    "Comparison",
    "Matrix",
    "Shared",
    "against_one_scale",
    "answer",
    "answer_of_groups",
    "as_csv",
    "as_text",
    "compare",
    "compare_recommendations",
    "dropped_in_words",
    "matrix",
]
