"""Ids of users and items: their codes, their order in a matrix, and whether files mean the same ones."""
