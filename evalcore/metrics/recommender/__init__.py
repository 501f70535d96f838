"""Recommendation lists: the forty metrics of document 004, at any number of cut-offs.

A function returns a value per user, whose mean is the metric, or totals over users with what they give.
"""
