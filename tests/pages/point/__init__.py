"""The pages around the operating point."""
