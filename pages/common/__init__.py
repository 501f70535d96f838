"""Pages of every task."""
