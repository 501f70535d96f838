"""Every problem an input can have, declared once: code, what was found, what was expected, what to do.

A reader or check reports a problem by its code and the facts; text, documentation and tests follow from the
declaration. Rows are data rows counted from 1 (the row under the header); faults of the text itself, such as
an unclosed quote, name the line of the file instead.
"""

from evalcore.problems import (
    annotations,
    columns,
    documents,
    files,
    options,
    queries,
    rankings,
    recommendation_files,
    recommendations,
    saved_reports,
    several_files,
    summaries,
    suspicions,
)
from evalcore.problems.kinds import KINDS, ProblemKind, Severity
from evalcore.problems.reporting import SHOWN, Findings, InputError, Problem, listing, problem, shortened

__all__ = [
    "KINDS",
    "SHOWN",
    "Findings",
    "InputError",
    "Problem",
    "ProblemKind",
    "Severity",
    "annotations",
    "columns",
    "documents",
    "files",
    "listing",
    "options",
    "problem",
    "queries",
    "rankings",
    "recommendation_files",
    "recommendations",
    "saved_reports",
    "several_files",
    "shortened",
    "summaries",
    "suspicions",
]
