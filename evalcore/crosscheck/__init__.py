"""Every metric a second time: plain loops over rows that share no code with the first (document 000 §6)."""

from evalcore.crosscheck.compare import SECOND, CrossCheck, Deviation, compare

__all__ = ["SECOND", "CrossCheck", "Deviation", "compare"]
