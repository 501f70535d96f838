"""A document is recomputed from the data, and what differs is named."""
