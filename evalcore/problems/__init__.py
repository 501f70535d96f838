"""Every problem an input can have, declared once: code, what was found, what was expected, what to do.

A reader or check reports a problem by its code and the facts; text, documentation and tests follow from the
declaration. Rows are data rows counted from 1 (the row under the header); faults of the text itself, such as
an unclosed quote, name the line of the file instead.
"""

from importlib import import_module
from pkgutil import iter_modules

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
    "listing",
    "problem",
    "shortened",
]

for _module in iter_modules(__path__):  # each declares its problems
    import_module(f"{__name__}.{_module.name}")
