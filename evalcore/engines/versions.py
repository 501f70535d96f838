"""What a worker must have as this process has it, so that a chunk gives the same tallies there."""

from __future__ import annotations

import importlib
import sys

CHECKED = ("evalcore", "numpy", "pyarrow", "pandas")
"""What reads rows and counts them."""


def own_versions() -> dict[str, str | None]:
    """Python without its last number, and each package; None for one that is missing."""
    found: dict[str, str | None] = {"python": f"{sys.version_info[0]}.{sys.version_info[1]}"}
    for name in CHECKED:
        try:
            found[name] = str(importlib.import_module(name).__version__)
        except ImportError:
            found[name] = None
    return found
