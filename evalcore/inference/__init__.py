"""Intervals, tests and verdicts: what the counts allow to be said."""
