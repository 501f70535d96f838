"""Readers of the task evidence: queries, ranked lists, candidates."""
