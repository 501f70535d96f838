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
declare(
    "QRY-028",
    "warning",
    "the unknown criterion {found!r} in {n:,} rows, where most criteria are A.1 to A.10",
    "",
    "It is kept as a criterion of its own; correct it if it is a slip of the pen.",
    names_ids=True,
)
declare(
    "QRY-029",
    "warning",
    "no row with the criteria {found}, where most of A.1 to A.10 are",
    "",
    "Nothing is filled in; every rate is over the criteria present.",
)
declare(
    "QRY-034",
    "warning",
    "{name} = {value} in {n:,} of {n_rows:,} rows: {effect}",
    "",
    "A threshold at the end of the scale decides nothing; make sure that it is meant.",
)
declare(
    "QRY-030",
    "warning",
    "{n:,} of {n_posts:,} posts in more than one of the {kind}",
    "",
    "Rows of one post are never independent: what was learnt or chosen on one part leaks into the other.",
)
declare(
    "QRY-031",
    "warning",
    "the post {post} in {kind} {name} and, before, in {kind} {first_name}{of_row}{rest}",
    "",
    "Keep all rows of a post in one part.",
    names_ids=True,
)
declare(
    "QRY-032",
    "warning",
    "{what} among the {n_rows:,} of {kind} {name}",
    "",
    "Whatever compares the classes is not defined there and is left out of means.",
)
declare(
    "QRY-035",
    "warning",
    "a score that equals the label in every {unit}{model} ({n_rows:,})",
    "",
    "The label stands in the place of the probability: use the column that the model wrote.",
)
declare(
    "QRY-036",
    "warning",
    "a score of no other value than {found} in {n_rows:,} {unit}s{model}",
    "",
    "These are decisions, not probabilities: no threshold between them changes anything.",
)
declare(
    "QRY-037",
    "warning",
    "an AUROC of {value} over {unit}s{model}, above 0.99",
    "",
    "Make sure that the score was made without the gold labels, and not on these rows.",
)
declare(
    "QRY-038",
    "warning",
    "an AUROC of {value} over {unit}s{model}, below 0.5",
    "",
    "Is the score reversed? It may be the probability of NO evidence; then use 1 minus it.",
)
declare(
    "QRY-039",
    "warning",
    "a numeric column that separates the label better (AUROC {value}) than the score does ({score}){model}",
    "",
    "If it was made from the gold labels, no model may use it; it is not used as a score here.",
)
declare(
    "QRY-040",
    "warning",
    "an expected calibration error of {value} over {unit}s{model}",
    "",
    "Only a fit on the same rows gives 0: judge calibration on rows that took no part in it.",
)
declare(
    "QRY-041",
    "warning",
    "a selection larger than the number of candidates in {n:,} of {n_rows:,} rows",
    "",
    "The rows follow, at most 20 of them; there is no more to select than the candidates.",
)
declare(
    "QRY-042",
    "warning",
    "{k} selected of {n} candidates",
    "",
    "Correct one of the two numbers.",
)
declare(
    "QRY-043",
    "warning",
    "K = {k} in each of the {n_rows:,} rows with a selection{model}",
    "",
    "A K that never changes is a fixed K: evidence recall is then Recall@K.",
)
declare(
    "QRY-044",
    "warning",
    "K at its cap in {n:,} of {n_rows:,} rows with a selection{model}; the largest is {k}",
    "",
    "The cap decides, not the policy: a lower γ or a higher cap would show it.",
)
declare(
    "QRY-045",
    "warning",
    "{n:,} values that are not {expected}",
    "",
    "The rows follow, at most 20 of them; metrics are computed here, never read.",
)
declare(
    "QRY-046",
    "warning",
    "{found}",
    "{expected}",
    "Recompute the metrics of this row.",
)

declare(
    "QRY-080",
    "choice",
    "several files without ids: {found}",
    "ids in each, or a word on what the files are",
    "Say --as parts (one output, written in parts) or --as models (the same rows in the same order, scored "
    "by one model each), or choose it on the Data page.",
)
declare(
    "QRY-081",
    "error",
    "no ids in {found}, so that nothing joins it with {others}",
    "ids in every file",
    "Add the ids, or read each file by itself: the number of a row says nothing about another file.",
)
declare(
    "QRY-082",
    "error",
    "files without ids of different lengths as models over the same rows: {found}",
    "one row for the same case in each file",
    "Say --as parts if they are parts of one output; otherwise add ids.",
)
declare(
    "QRY-083",
    "error",
    "another label than in {first} in {n:,} of {n_rows:,} rows, the first of them this one",
    "the same rows in the same order as in {first}",
    "Nothing but the row number joins the two files: put them in one order, or add ids.",
)
declare(
    "QRY-084",
    "error",
    "{found}, which stands in row {first_row} of {first} already",
    "each query in one part only",
    "Say --as models if the files are models of the same queries; otherwise remove one of the two rows.",
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
declare(
    "QRY-120",
    "choice",
    "several columns that could join it with {other}: {found}",
    "the column with the ids",
    "Name it with --column query_id={first}, or choose it on the Data page.",
)
declare(
    "QRY-121",
    "error",
    "no column of ids that {other} has too: {found}; there: {names}",
    "one column of ids with one name in both",
    "Name the ids of both: --column query_id=NAME --column query_id=OTHER_NAME.",
)
declare(
    "QRY-122",
    "choice",
    "the column {name!r}, which may be the truth that belongs to the other scores",
    "a word on which file holds the truth",
    "Say --truth with the name of that file, or choose it on the Data page; leave the file out if it is not.",
)
declare(
    "QRY-123",
    "error",
    "no id that {other} has too: here {found}, there {others}",
    "ids as both files write them",
    "Compare how both write their ids, or name other columns with --column query_id=NAME.",
    names_ids=True,
)
declare(
    "QRY-124",
    "error",
    "no score in any of {n_rows:,} rows",
    "scores of a model",
    "Leave the column out: name the scores with --column probability=NAME, or choose them on the Data page.",
)
declare(
    "QRY-125",
    "warning",
    "no score of this model in {n:,} of {n_rows:,} rows",
    "",
    "The model is evaluated on the rows that it scored, and compared on those that both scored.",
)
declare(
    "QRY-126",
    "choice",
    "ids that count the rows from {first} on in each file, with other labels: {found}",
    "ids that name one case in every file, or a word on what the files are",
    "Say --as parts (one output, written in parts, whose rows are numbered on) or --as models, or choose it "
    "on the Data page.",
)
declare(
    "QRY-127",
    "warning",
    "ids that count the rows from {first} on in each file: {found}",
    "",
    "The same number is taken for the same case, and each file for a model; say --as parts if they are parts "
    "of one output.",
)
declare("QRY-100", "error", "{found}, a missing number", "{expected}", "Fill the cell or leave the row out.")
declare(
    "QRY-230",
    "error",
    "{found} in one cell, here and in {n:,} of {n_rows:,} rows in all",
    "one score of each class in a row",
    "Write a row for each of them with an id of its own, or one score of the row, such as the highest, as a "
    "column of its own.",
)
declare(
    "QRY-231",
    "error",
    "scores named {found}, and in {first} {other}",
    "one name for the scores of all parts",
    "Give the column the same name in every part, or say --as models if the files are models.",
)
declare(
    "QRY-232",
    "choice",
    "files that share few queries, {n:,} of them: {found}",
    "models of the same queries, or parts of one output that share none",
    "Say --as models (compared on what they share) or --as parts (every query once), or choose it on the "
    "Data page.",
)
declare(
    "QRY-233",
    "error",
    "ids that repeat in {n:,} of {n_rows:,} rows, {n_ids:,} different ones in all",
    "an id of each row",
    "Name another column of ids with --column query_id=NAME (and the model with --column model=NAME where "
    "rows are those of several), or choose it on the Data page.",
)
declare(
    "QRY-240",
    "error",
    "parts of one input with unlike {what}: {found}",
    "{expected}, as in the first part",
    "Read all parts with the same options, or evaluate them apart.",
)
declare(
    "QRY-241",
    "error",
    "{n:,} rows whose query has another label in another part",
    "one label for each query",
    "Correct the labels, or name the same positive label for every part.",
)
declare(
    "QRY-242",
    "error",
    "{n:,} rows whose query and model stand in another part already",
    "each query of a model in one part only",
    "Give each part once, and leave out rows that two parts hold.",
)
declare(
    "QRY-243",
    "error",
    "{n:,} ranked queries that stand in another part already",
    "each ranked query, with its whole lists, in one part only",
    "Cut the rows by post, and give each part once.",
)
declare(
    "QRY-244",
    "error",
    "a value of {found} in a sum whose values were declared to be at most {expected}",
    "{expected} at most, whichever the sign",
    "Declare the metric's range as wide as its values for single rows, queries or posts are.",
)
declare(
    "QRY-265",
    "warning",
    "labels that contradict {other} in {n:,} of {n_rows:,} rows: {found}",
    "the same label in both files",
    "The labels of {other} were used. Correct the file that is wrong; if the column is what a model "
    "predicted, name it so with --column predicted_label=NAME.",
    names_ids=True,
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
