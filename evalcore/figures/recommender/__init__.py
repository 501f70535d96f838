"""Figures of recommendation lists."""
