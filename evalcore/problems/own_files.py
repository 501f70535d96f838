"""Problems of files that this program writes for itself: saved reports, their metrics, tallies of sites."""

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
declare(
    "REP-320",
    "error",
    "{found}",
    "the metrics of a report, as evaluate writes them (metrics.json)",
    "Give the file that was written; other files of data go to evaluate.",
)
declare(
    "REP-321",
    "error",
    "{place}: {found}",
    "{expected}",
    "The file is damaged or was changed: evaluate again, or ask for the original.",
)
declare(
    "REP-322",
    "error",
    "metrics of schema {found}",
    "{expected}",
    "Open them with the version of this program that wrote them: {version}, or a newer one.",
)

declare(
    "SIT-001",
    "error",
    "{found}",
    "a tally, as gather writes it",
    "Give the file that gather wrote; rows and tallies are not read together.",
)
declare(
    "SIT-002",
    "error",
    "{place}: {found}",
    "{expected}",
    "The file is damaged or was changed: gather it again, or ask the site for the original.",
)
declare(
    "SIT-003",
    "error",
    "a tally of schema {found}",
    "{expected}",
    "All sites gather with one version of this program: {version} wrote this file.",
)
declare(
    "SIT-004",
    "error",
    "{what} {found}",
    "{expected}, as in {first}",
    "Sites fit together only where these agree: let them all gather with the same options.",
)
declare(
    "SIT-005",
    "error",
    "the site {found} twice",
    "each site once",
    "Its rows would count twice: leave one out, or let the sites name themselves apart (gather --site).",
)
declare(
    "SIT-006",
    "error",
    "the content of {first} again",
    "each site once",
    "Its rows would count twice: leave one out.",
)
declare(
    "SIT-007",
    "error",
    "{found}",
    "{expected}",
    "Tallies hold counts and sums over posts at the points of a grid, and no rows: {advice}",
)
declare(
    "SIT-008",
    "error",
    "{name} at {found}, between two points of the grid, with {n} checks there",
    "a point of the grid: {expected}",
    "On a grid nobody knows on which side of it these checks lie: take one of the points.",
)
declare(
    "SIT-010",
    "error",
    "{found}",
    "{expected}",
    "Let one site make it by lot, such as with openssl rand -hex 32, and tell it to the other sites and to "
    "nobody else: whoever receives tallies must not know it. It is written into no file.",
)
declare(
    "SIT-011",
    "error",
    "{what} {found}",
    "{expected}, as in the other",
    "Two second rounds are compared replicate by replicate: let the same sites gather both on the same "
    "posts, by the same seed, number of replicates, columns and, where there is one, secret.",
)
declare(
    "SIT-009",
    "error",
    "{found} distinct pairs of checks with evidence in one post",
    "at most {expected}",
    "Posts hold too many checks with evidence for a file: take a coarser grid.",
)
