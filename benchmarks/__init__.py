"""Measurements beside others, and simulations: what is said of speed and coverage, and how to see it again."""
