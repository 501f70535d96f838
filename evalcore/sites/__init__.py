"""Tallies as files: what a site hands over in place of rows, and what sites that fit together give."""

from evalcore.sites.archive import Tally, from_bytes, to_bytes
from evalcore.sites.reading import are_tallies, data_of, opened_together, read_tallies

__all__ = ["Tally", "are_tallies", "data_of", "from_bytes", "opened_together", "read_tallies", "to_bytes"]
