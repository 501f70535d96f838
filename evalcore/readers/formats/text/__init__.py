"""Delimited text: encoding, separator, quotes, header."""
