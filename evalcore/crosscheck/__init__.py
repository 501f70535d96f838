"""Every metric a second time: plain loops over rows that share no code with the first (document 000 §6)."""

from evalcore.crosscheck.compare import (
    OF_ANNOTATIONS,
    OF_EVIDENCE,
    OF_RECOMMENDATIONS,
    CrossCheck,
    Deviation,
    Second,
    compare,
)

__all__ = [
    "OF_ANNOTATIONS",
    "OF_EVIDENCE",
    "OF_RECOMMENDATIONS",
    "CrossCheck",
    "Deviation",
    "Second",
    "compare",
]
