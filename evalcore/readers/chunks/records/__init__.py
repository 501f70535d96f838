"""Annotations some records at a time: what the whole decides, and the rows of some records."""
