"""Thresholds chosen on data: what is asked, what is reached, what may be claimed."""
