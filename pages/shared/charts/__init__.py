"""Figures on a page, and as files."""

from pages.shared.charts.shown import chart, is_dark, kept_chart

__all__ = ["chart", "is_dark", "kept_chart"]
