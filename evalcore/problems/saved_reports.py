"""Problems of saved reports."""

from evalcore.problems.kinds import declare

declare(
    "REP-290",
    "error",
    "{found}",
    "a saved report, as evaluate --save and Report.save write it",
    "Give the file that was saved; other files of data go to evaluate.",
)
declare(
    "REP-291",
    "error",
    "{place}: {found}",
    "{expected}",
    "The file is damaged or was changed: save the report again, or ask for the original.",
)
declare(
    "REP-292",
    "error",
    "a saved report of schema {found}",
    "{expected}",
    "Open it with the version of this program that saved it: {version}, or a newer one.",
)
declare(
    "REP-293",
    "error",
    "a report whose values rest on {found}",
    "one that rests on {expected}",
    "Keep the files of the report (--out) in its place.",
)
