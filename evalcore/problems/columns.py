"""Problems of columns: which there are and what they stand for."""

from evalcore.problems.kinds import declare

declare(
    "COL-001",
    "error",
    "no column for {role} among {found}",
    "{meaning}",
    "Name it with {options}, or choose it on the Data page.",
)
declare(
    "COL-002",
    "error",
    "no column {name!r}; the columns are {found}",
    "a column of the file",
    "Check the spelling.",
)
declare("COL-003", "error", "the role {role!r}", "one of {roles}", "Check the name before the equals sign.")
declare(
    "COL-004",
    "choice",
    "several columns that could be the {role}: {found}",
    "one",
    "Name it with {options}, {both}, or choose it on the Data page.",
)
declare(
    "COL-005",
    "choice",
    "the score column {name!r}, which may be the probability of NO evidence",
    "a probability that rises with evidence",
    "Say --column probability={name!q} if high means evidence, or choose it on the Data page; otherwise "
    "export 1 − {name} and use that.",
)
declare(
    "COL-006",
    "error",
    "columns that fit no known table: {found}",
    "queries (a label and a score), ranked lists (gold_ids and a list column), candidates (sent_uid, "
    "is_gold and a score) or, beside a run, judgements (query_id, sent_uid and is_gold)",
    "Map the columns{options}, or choose them on the Data page.",
)
declare(
    "COL-007",
    "warning",
    "the text column {name!r}",
    "",
    "Post text is not needed: the column was dropped and is kept nowhere.",
)
declare(
    "COL-008",
    "error",
    "{name!r}, which is derived from the gold labels",
    "a score that was computed without them",
    "Choose the column that the model wrote.",
)
declare(
    "COL-009",
    "warning",
    "{n:,} rows without a score",
    "",
    "They are judged but not in the list: they stay in the gold.",
)
declare(
    "COL-010",
    "warning",
    "the columns {found}, used as {roles}",
    "",
    "Recognised by name; change it with --column, or choose others on the Data page.",
)
declare(
    "COL-011",
    "warning",
    "the empty column {place} without a name",
    "",
    "It was left out; a separator at the end of each line makes one.",
)
declare("COL-012", "error", "the columns {found} for the role {role}", "one column", "Name one of them.")
declare("COL-013", "error", "the column {name!r} for the roles {found}", "one role a column", "Name it once.")
declare(
    "COL-014",
    "error",
    "the role {role!r} for {names}, which {kind} do not have",
    "{roles}",
    "Check the name before the equals sign, and whether the file is what it was taken for.",
)
declare(
    "COL-020",
    "error",
    "{found}",
    "one value in each cell: {meaning}",
    "{advice}",
)
declare(
    "COL-021",
    "error",
    "bytes that are not UTF-8 text",
    "text in UTF-8",
    "Store the column as text, or leave it out.",
)
declare(
    "COL-030",
    "choice",
    "{n} columns that could be the label: {name!r}, which may be a prediction ({why}), and {other}",
    "the label that people or records gave",
    "Name it with --column has_evidence={first} or --column has_evidence={name!q}, or choose it on the "
    "Data page.",
)
declare(
    "COL-120",
    "warning",
    "the column {name!r}, which looks like row weights",
    "",
    "Weights are not used: every row counts once.",
)
declare(
    "COL-121",
    "choice",
    "the column {name!r}, which by its name is lower for what fits better",
    "a score that rises with evidence",
    "Say --column {role}={name!q} if high means evidence, or choose it on the Data page; otherwise export "
    "the negated column and use that.",
)
declare(
    "COL-265",
    "warning",
    "the column {name!r}, the index that pandas writes before the columns{what}",
    "",
    "{advice}",
)
declare(
    "COL-100",
    "choice",
    "several values in each cell, here with those of the first row: {found}",
    "one of them, the score of the positive class",
    "Say which one it is, {options}, or choose it on the Data page.",
)
declare(
    "COL-101",
    "choice",
    "columns that fit no known table{found}",
    "a label, and the score of the positive class",
    "Name them, such as {options}, or choose them on the Data page.",
)
declare(
    "COL-305",
    "warning",
    "values in columns without a name: {found}",
    "",
    "They were left out; give those that are needed a name in the header.",
)
