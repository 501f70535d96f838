"""A document opened again: whether it holds, on which data, and what changed since."""
