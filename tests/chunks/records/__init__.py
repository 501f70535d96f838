"""Annotations read some records at a time."""
