"""Every threshold at once: counts, bounds, verdicts, and what thresholds cost each other."""
