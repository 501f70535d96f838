"""Recommendations read some users at a time."""
