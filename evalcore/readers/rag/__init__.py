"""Readers of the task ``rag``: annotations of people, labels of classifiers, scores of other tools."""

from evalcore.readers.rag.reading import RagOptions, RagReading, read_rag
from evalcore.readers.rag.sniffing import task_of

__all__ = ["RagOptions", "RagReading", "read_rag", "task_of"]
