"""Readers of recommendation lists and what they are judged by."""
