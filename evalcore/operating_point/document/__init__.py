"""The document of a point: built, written, read back, and recomputed from the data."""
