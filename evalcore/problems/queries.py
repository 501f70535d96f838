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
declare(
    "QRY-017",
    "warning",
    "the label {found}, which does not follow from the query's own gold list",
    "",
    "Metrics of the list use the gold list; query metrics use the label.",
)
declare(
    "QRY-018",
    "error",
    "{found}",
    "one of {expected}",
    "Check --task, --score-kind, --score-of, --as, --undefined or --ties.",
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
    "QRY-026",
    "warning",
    "{n:,} of {n_rows:,} predicted labels that disagree with p at p ≥ 0.5",
    "",
    "The rows follow, at most 20 of them; the counts come from the probability and the threshold.",
)
declare(
    "QRY-085",
    "choice",
    "{n_below} below 0.5 in {n_rows:,} rows, and {prediction} names a class: the score may be that of the "
    "predicted class",
    "the score of the positive class, or a word on whose it is",
    "Say --score-of predicted ({conversion}) or --score-of positive (the score is used as it stands), or "
    "choose it on the Data page.",
)
declare(
    "QRY-086",
    "error",
    "the prediction {found}",
    "one of the two classes, in the words of the label: {expected}",
    "Correct the prediction or leave the row out: without it the score of the predicted class says nothing.",
)
declare(
    "QRY-087",
    "error",
    "the score of the predicted class asked for, but {found}",
    "{expected}",
    "{advice}",
)
declare(
    "QRY-088",
    "warning",
    "no score below 0.5 in {n_rows:,} rows, {n_negative:,} of them without evidence",
    "",
    "If it is the score of the predicted class, name the prediction with --column predicted_label=NAME and "
    "say --score-of predicted.",
)
declare(
    "QRY-089",
    "warning",
    "predictions that are not the labels in {n:,} of {n_rows:,} rows: {found}",
    "",
    "They could not be compared with p; write them in the words of the label.",
)
declare(
    "QRY-095",
    "error",
    "the score {found}, said to be of the predicted class",
    "0.5 or more: the predicted one of two classes has at least half",
    "Leave out --score-of predicted, or say --score-of positive where it is asked; of several inputs, answer "
    "for one with --score-of FILE=predicted.",
)
declare(
    "QRY-096",
    "warning",
    "no score below 0.5 in {n_rows:,} rows, but a threshold of {thresholds}, from scores that went below",
    "",
    "If they are scores of the predicted class, apply the rule to a file with the prediction beside them and "
    "say --score-of predicted.",
)
declare("QRY-100", "error", "{found}, a missing number", "{expected}", "Fill the cell or leave the row out.")
declare(
    "QRY-244",
    "error",
    "a value of {found} in a sum whose values were declared to be at most {expected}",
    "{expected} at most, whichever the sign",
    "Declare the metric's range as wide as its values for single rows, queries or posts are.",
)
declare(
    "QRY-266",
    "choice",
    "the predictions {found} beside the labels {labels}: which of them means {positive} is not said",
    "a word on which predicted class is the positive one",
    "Say {options}, or choose it on the Data page.",
)
declare(
    "QRY-305",
    "error",
    "the answer {answer!r}, which may be {found}",
    "one label before an =",
    "Write one of these labels otherwise in the file, without an = in it.",
)
