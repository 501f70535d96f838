"""The rule of a document applied to scores of a file."""
