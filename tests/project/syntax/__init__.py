"""What the source may not say, though Python reads it."""
