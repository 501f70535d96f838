"""The threshold explorer: Python, JavaScript and style of one widget."""
