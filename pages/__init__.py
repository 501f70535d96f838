"""The dashboard's pages.

Page files live in the sub-folders, never directly here: docs/decisions/0001-page-addresses.md.
"""
