"""Values of reports on the pages: their tables, and those of a metrics.json that was opened."""
