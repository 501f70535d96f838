"""Tallies with their units drawn anew: weights, exact totals, and replicates of every kind of tally."""
