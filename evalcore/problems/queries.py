"""Problems of queries: labels, scores, ids and thresholds row by row."""

from evalcore.problems.kinds import declare

declare(
    "QRY-001",
    "choice",
    "the labels {found}",
    "0 and 1, or the name of the positive label",
    "Say which one means “has evidence”: --positive VALUE, or choose it on the Data page.",
)
declare("QRY-002", "error", "{found}", "a label: {expected}", "Correct the label or leave the row out.")
declare("QRY-003", "error", "{found}", "a probability from 0 to 1", "{advice}")
declare("QRY-004", "error", "{found}", "a finite number", "Correct the score or leave the row out.")
declare("QRY-005", "error", "an empty cell", "{expected}", "Fill the cell or leave the row out.")
declare(
    "QRY-006",
    "error",
    "{found} again; it stands in row {first} already",
    "each (post, criterion{model}) once",
    "Remove one of the two rows.",
)
declare(
    "QRY-007",
    "warning",
    "ids that look alike: {found}",
    "",
    "They are kept as different ids; make sure that they are.",
    names_ids=True,
)
declare(
    "QRY-008",
    "error",
    "the positive label {found!r}, which occurs nowhere",
    "one of {expected}",
    "Check --positive.",
)
declare(
    "QRY-009",
    "error",
    "a split {found!r}, which occurs nowhere",
    "one of {expected}",
    "Check --tune and --test.",
)
declare(
    "QRY-010",
    "warning",
    "every row as its own post",
    "",
    "There is no post or criterion column: rows are treated as independent.",
)
declare(
    "QRY-011",
    "warning",
    "a state {found} that its own thresholds (τ_neg {tau_neg}, τ_pos {tau_pos}) and p = {p} contradict: "
    "they say {expected}",
    "",
    "The numbers come from the thresholds, not from the state column.",
)
declare(
    "QRY-012",
    "error",
    "τ_neg {tau_neg} above τ_pos {tau_pos}",
    "τ_neg ≤ τ_pos",
    "Swap them or correct the row.",
)
declare(
    "QRY-013",
    "warning",
    "the predicted label {found}, but p = {p} at p ≥ 0.5 says {expected}",
    "",
    "The counts come from the probability and the threshold.",
)
declare("QRY-014", "error", "{found}", "{expected}", "Correct the cell or leave the column out.")
declare(
    "QRY-015",
    "warning",
    "{n_missing:,} of {n_cells:,} (post, criterion) cells missing{model}",
    "",
    "Nothing is filled in; every rate is over the {n_rows:,} rows present.",
)
declare("QRY-016", "warning", "one class only ({found})", "", "Whatever compares the classes is not defined.")
declare(
    "QRY-017",
    "warning",
    "the label {found}, which does not follow from the query's own gold list",
    "",
    "Metrics of the list use the gold list; query metrics use the label.",
)
declare(
    "QRY-018", "error", "{found}", "one of {expected}", "Check --task, --score-kind, --undefined or --ties."
)
declare(
    "QRY-019",
    "warning",
    "an own {name} for the gate in {n:,} rows, not one for all",
    "",
    "Each row is judged by its own thresholds; give --tau-neg and --tau-pos to use one pair.",
)

declare(
    "QRY-020",
    "warning",
    "an empty criterion in {rows}",
    "",
    "What has no criterion is kept and belongs to none.",
    names_ids=True,
)
declare(
    "QRY-021",
    "warning",
    "ids stored as floating-point numbers, such as {found}",
    "",
    "They are read as whole numbers ({example}); store ids as text.",
    names_ids=True,
)
declare(
    "QRY-022",
    "error",
    "the floating-point number {found} as an id",
    "an id as text or as a whole number",
    "Store ids as text: a floating-point number does not keep how an id was written.",
)
declare(
    "QRY-023",
    "warning",
    "{n:,} of {n_rows:,} states that their own thresholds contradict",
    "",
    "The rows follow, at most 20 of them; the numbers come from the thresholds.",
)
declare(
    "QRY-024",
    "warning",
    "{n:,} states of checks whose p equals a threshold, on its other side",
    "",
    "They were written by another rule; here p < τ_neg is skipped and p ≥ τ_pos is an alert.",
)
declare(
    "QRY-025",
    "warning",
    "queries that every model has: {n_shared:,}; that only some have: {n_rest:,}",
    "",
    "Models are compared on the shared queries only.",
)
declare(
    "QRY-026",
    "warning",
    "{n:,} of {n_rows:,} predicted labels that disagree with p at p ≥ 0.5",
    "",
    "The rows follow, at most 20 of them; the counts come from the probability and the threshold.",
)
declare(
    "QRY-027",
    "error",
    "another label for query {query} than in row {first}",
    "one label for a query, whatever the model",
    "Correct one of the two rows.",
)
