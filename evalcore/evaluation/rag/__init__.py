"""Evaluate annotations: the metrics of document 003 as rows of the table, and what they rest on."""

from evalcore.evaluation.rag.coverage import COVERAGE_COLUMNS
from evalcore.evaluation.rag.results import RagResults, rag_results
from evalcore.evaluation.rag.rows import metrics_of
from evalcore.evaluation.rag.tool_scores import SCORE_COLUMNS, tool_scores

__all__ = ["COVERAGE_COLUMNS", "SCORE_COLUMNS", "RagResults", "metrics_of", "rag_results", "tool_scores"]
