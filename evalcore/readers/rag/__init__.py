"""Readers of the task ``rag``: annotations of people, labels of classifiers, scores of other tools."""

from evalcore.readers.rag.reading import RagOptions, RagReading, read_rag
from evalcore.readers.rag.sniffing import is_rag, task_of

__all__ = ["RagOptions", "RagReading", "is_rag", "read_rag", "task_of"]
