"""Pages of the evidence task."""
