"""What only systems of annotations need to be compared: which they are, and their rates query by query."""
