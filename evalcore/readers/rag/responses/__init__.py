"""Responses of people, in every layout."""
