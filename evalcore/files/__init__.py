"""Files that are written: together or not at all, and tables that a spreadsheet opens as they are."""

from evalcore.files.placing import SAVED_REPORT, SITE_TALLY, check_place, staged, write_files
from evalcore.files.spreadsheets import csv_text, shortest, spreadsheet_text, table_csv

__all__ = [
    "SAVED_REPORT",
    "SITE_TALLY",
    "check_place",
    "csv_text",
    "shortest",
    "spreadsheet_text",
    "staged",
    "table_csv",
    "write_files",
]
