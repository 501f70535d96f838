"""Pages of the RAG task."""
