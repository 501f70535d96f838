"""Measurements beside others, and simulations of coverage: how to see again what is said of both."""
