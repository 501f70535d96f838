"""What only models and lists of evidence need to be compared: gates, rows without ids, ids that differ."""
