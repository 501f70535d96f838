"""Problems of operating-point documents."""

from evalcore.problems.kinds import declare

declare("DOC-001", "error", "{found}", "strict JSON without NaN or Infinity", "Export the document again.")
declare(
    "DOC-002",
    "error",
    "{found} at {place}",
    "a document after operating-point.schema.json",
    "Export the document again; it must not be edited.",
)
declare(
    "DOC-003",
    "error",
    "content hash {found}",
    "{expected}, the hash of what it says",
    "The document was changed after its export: ask for the original.",
)
declare(
    "DOC-004",
    "error",
    "{place} = {found}",
    "{expected}, recomputed",
    "The numbers do not belong to these data.",
)
declare(
    "DOC-005",
    "error",
    "data with SHA-256 {found}",
    "{expected}, the data the point was chosen on",
    "Give the same file, or choose again on the new one.",
)
declare("DOC-006", "error", "{found}", "{expected} in every row", "Correct the score; no row is guessed.")
declare(
    "DOC-007",
    "error",
    "the thresholds' value {value} and hex {hex} differ",
    "the same number twice",
    "Export again.",
)
declare(
    "DOC-008",
    "error",
    "{place}: {p} is {found}",
    "{expected} by its own rule",
    "The document contradicts itself: ask for the original.",
)
declare(
    "DOC-009",
    "error",
    "a withdrawn operating point",
    "one that is in force",
    "Ask for the one that replaces it.",
)
declare(
    "DOC-010",
    "error",
    "status certified, but {found}",
    "disjoint posts and every target met with confidence on test",
    "The document contradicts itself: ask for the original.",
)
declare(
    "DOC-011",
    "warning",
    "{n:,} rows of {found}",
    "",
    "The thresholds were chosen for {level}: what they do to other scores is not known.",
)
declare(
    "DOC-020",
    "error",
    "{place}: verdict {verdict}, but {found}",
    "a verdict that its own numbers bear out",
    "The document contradicts itself: ask for the original.",
)
declare(
    "DOC-021",
    "error",
    "{place}: {found}",
    "numbers that agree with each other",
    "The document contradicts itself: ask for the original.",
)
declare(
    "DOC-030",
    "error",
    "{place}: {found}",
    "{expected}",
    "The document contradicts itself: ask for the original.",
)
declare(
    "DOC-031",
    "error",
    "{place}: {found}",
    "counts that agree with each other",
    "The document contradicts itself: ask for the original.",
)
declare(
    "DOC-032",
    "error",
    "{place} = {found}",
    "{expected}",
    "The document contradicts itself: ask for the original.",
)
declare(
    "DOC-033",
    "error",
    "limits: {found}",
    "{expected}",
    "The document contradicts itself: ask for the original.",
)
declare(
    "DOC-034",
    "warning",
    "a document of schema {found}",
    "",
    "Its thresholds apply as they did. It was made by the rules of then, which let pass more than those of "
    "today: verify it on its data before you rely on its status.",
)
declare(
    "DOC-265",
    "error",
    "{kind}, which this program wrote",
    "an operating-point document, as choose writes it",
    "Give the file of choose --out POINT.json. {advice}",
)
declare(
    "DOC-305",
    "error",
    "{kind}",
    "an operating-point document, as choose writes it",
    "Give the file of choose --out POINT.json.",
)
declare(
    "OPT-105",
    "error",
    "id = {found}",
    "{expected}, which follows from its thresholds, rows and selection",
    "One of these was changed after its export, and its hash made again: ask for the original.",
)
declare(
    "DOC-306",
    "error",
    "{found}",
    "{expected}, which an operating-point document stays far below",
    "Give the file of choose --out POINT.json.",
)
declare(
    "OPT-076",
    "error",
    "other data than {role} of the document: {found}",
    "{expected}",
    "Give the file that it was made on, or have its thresholds counted on these as new rows.",
)
declare(
    "OPT-077",
    "error",
    "new rows of another kind: {found}",
    "{expected}, as in the document",
    "Its thresholds say nothing of other scores: give scores of the same model, or choose anew.",
)
declare(
    "WUP-001",
    "error",
    "{found}",
    "a signature over the bytes of statement.pae",
    "Sign statement.pae with your own key, and give the file that your tool writes.",
)
declare(
    "RUL-001",
    "error",
    "the language {found}",
    "one of {expected}",
    "Name one of these, or translate the file in one of them: it is short.",
)
