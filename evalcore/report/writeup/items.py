"""What a list of reporting items is here."""

from __future__ import annotations

Item = tuple[str, str, str]
"""Its number in the guideline, a short name in our own words, and which answer of a document it takes."""
Checklist = tuple[tuple[str, tuple[Item, ...]], ...]
"""The sections of a guideline in its order, each with its items."""
