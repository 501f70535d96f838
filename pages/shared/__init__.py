"""What the pages share; no page itself."""
