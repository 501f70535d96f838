"""Qrels and runs."""
