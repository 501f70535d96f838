"""What is annotations' own in an evaluation: their records and tallies, and what stands beside the values."""

from evalcore.evaluation.rag.coverage import COVERAGE_COLUMNS
from evalcore.evaluation.rag.judged import MODEL, TABLES, metrics_of, tasks_of
from evalcore.evaluation.rag.results import Beside, RagResults
from evalcore.evaluation.rag.tool_scores import SCORE_COLUMNS, tool_scores

__all__ = [
    "COVERAGE_COLUMNS",
    "MODEL",
    "SCORE_COLUMNS",
    "TABLES",
    "Beside",
    "RagResults",
    "metrics_of",
    "tasks_of",
    "tool_scores",
]
