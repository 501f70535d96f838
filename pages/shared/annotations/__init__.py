"""What the RAG pages share."""
