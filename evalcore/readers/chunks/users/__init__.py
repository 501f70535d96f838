"""Recommendations a part of the users at a time: what the whole decides, and the rows of some users."""
