"""Intervals: replicates of every value, and bounds from them."""
