"""Lists, selections and failures on a page."""
