"""Queries: one row per (post, criterion) and model, with its label and its score."""
