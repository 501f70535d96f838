"""What queries are called in several files."""
