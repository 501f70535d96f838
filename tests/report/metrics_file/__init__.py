"""``metrics.json`` opened again."""
