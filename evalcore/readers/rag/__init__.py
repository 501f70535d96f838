"""Readers of the task ``rag``: annotations of people, labels of classifiers, scores of other tools."""

from evalcore.readers.rag.reading import read_rag
from evalcore.readers.rag.sniffing import ROLES, is_rag

__all__ = ["ROLES", "is_rag", "read_rag"]
