"""The server around the pages: what reaches them over HTTP, and what they answer with."""
