"""Problems of options: what the user asked for."""

from evalcore.problems.kinds import declare

declare(
    "OPT-001", "error", "K = {found}", "a whole number from 1 on, or ALL for the whole list", "Check --ks."
)
declare(
    "OPT-002", "error", "τ_neg = {tau_neg} above τ_pos = {tau_pos}", "τ_neg ≤ τ_pos", "Swap or correct them."
)
declare("OPT-003", "error", "{name} = {found}", "{expected}", "Check the option.")
declare(
    "OPT-004",
    "error",
    "no metric {found!r}",
    "a name from the catalogue",
    "See `python -m evalcore metrics`. {close}",
)
declare(
    "OPT-005", "error", "only one of τ_neg and τ_pos", "both thresholds or none", "Give the other one too."
)
declare("OPT-006", "error", "a column {found!r} to break down by", "{expected}", "Check --by.")
declare(
    "OPT-113",
    "error",
    "{n:,} groups of {columns} together",
    "at most {most:,}",
    "Break down by fewer columns with --by, or by columns of fewer groups.",
)
declare("OPT-008", "error", "{found}", "{expected}", "{advice}")
declare(
    "OPT-009",
    "warning",
    "{table} without the column {found!r} to draw by",
    "the column in every table that is resampled",
    "Its intervals draw {units} instead. Add the column, or leave --cluster out.",
)
declare(
    "OPT-050",
    "error",
    "no column {found!r} of units coarser than the post",
    "one of {expected}",
    "Check --cluster; a column of many values is kept with --column cluster=NAME.",
)
declare(
    "OPT-051",
    "error",
    "{n:,} rows without a value in {name} (rows {rows})",
    "a value in every row: a row without one could belong to any unit",
    "Fill the column, or leave these rows out.",
)
declare(
    "OPT-052",
    "error",
    "{posts} in two units of {name}: {found}",
    "every post in one unit: a unit coarser than the post",
    "Correct the column, or name another one with --cluster.",
)
declare(
    "OPT-030",
    "error",
    "scores of the predicted class without the predicted classes",
    "the predictions beside them",
    "Give predicted=: whether each prediction is the positive class.",
)
declare(
    "OPT-031",
    "error",
    "no ids in {found}: nothing but the row number would pair {first} with {second}",
    "ids in both, or a word that row pairs with row",
    "Add ids, or say --by-row if both hold the same rows in the same order.{more}",
)
declare(
    "OPT-032",
    "error",
    "row paired with row, but {found}",
    "{expected}",
    "{advice}",
)
declare(
    "OPT-040",
    "error",
    "no query that both {first} and {second} have: {found}",
    "queries with the same ids in both",
    "{advice}",
)
declare(
    "OPT-041",
    "error",
    "another {what} in each input for {n:,} ids, such as {ids}",
    "the same in both inputs, or in one of them only",
    "Give both inputs the same file.",
)
declare(
    "OPT-042",
    "error",
    "no user of whom both {first} and {second} have a list: {found}",
    "lists of the same users, judged by the same test and train rows",
    "{advice}",
)
declare(
    "OPT-043",
    "error",
    "{n} models in one input: {names}",
    "two to compare, or the word that all pairs are meant",
    "Say --models A,B for two of them, or --matrix for every two.",
)
declare(
    "OPT-046",
    "error",
    "{place}: {found}",
    "{expected}",
    "Correct the block `evaluation:`; docs/recommender.md says what it may hold.",
)
declare(
    "OPT-070",
    "error",
    "none of the rows that the document was chosen on ({found})",
    "the data as they were read for it",
    "Read them as then, or look at its thresholds on other rows with --tau-neg and --tau-pos.",
)
declare(
    "OPT-071",
    "error",
    "a column {found!r} of groups that must not be missed",
    "{expected}",
    "Name a column of the input that it can be broken down by.",
)
declare(
    "OPT-072",
    "error",
    "no group {found!r} in {name}, which must not be missed",
    "one of {expected}",
    "Correct the level: it stands as the input writes it.",
)
declare(
    "OPT-100",
    "error",
    "{found!r} as a column of groups that must not be missed, which says here what rows are chosen on and "
    "held out",
    "a column of groups within these rows",
    "Leave this mark out: the rows chosen on and those held out are judged each by itself anyway.",
)
declare(
    "OPT-073",
    "error",
    "{found!r} as a group that must not be missed",
    "COLUMN=LEVEL, such as criterion=A.9",
    "Correct it: a column, an equals sign, and the level as the input writes it.",
)
declare(
    "PKG-001",
    "error",
    "no {found}, which the pages need",
    "evalcore installed with its pages",
    "Run `pip install 'evalcore[app]'`.",
)
declare(
    "PKG-002",
    "error",
    "no pages in {folder}",
    "app.py and pages beside the package",
    "Install evalcore again: its files are not whole.",
)
declare("PKG-003", "error", "{found}", "a file to open on the pages", "Name the files.")

# Of a model that is used with an operating point, and of its scorers and displays.
declare(
    "LRN-001",
    "choice",
    "the classes {found}",
    "which of them means “has evidence”",
    "Name it, or say what picks it: positive=…, such as positive=max; of a scorer or display pos_label=….",
)
declare(
    "LRN-002",
    "error",
    "a target of the kind {found}",
    "two classes: Only binary classification is supported.",
    "Fit on rows with evidence and rows without.",
)
declare(
    "LRN-003",
    "error",
    "{name} without {method}",
    "a model that gives {what}",
    "{advice}",
)
declare(
    "LRN-004",
    "error",
    "uncertain={found}, beside the classes {classes}",
    "a third label, of the same kind, that is none of them",
    "Leave uncertain=… out, or name another.",
)
declare("LRN-005", "error", "{name} = {found}", "{expected}", "Correct the argument.")

# Of evaluations that a tracking server starts.
declare("LRN-006", "error", "{name}", "{expected}", "Correct evaluator_config.")
declare(
    "LRN-007",
    "error",
    "a model that gives {found}",
    "the score of the positive class for every row",
    "Log a model with predict_proba, or evaluate a table with its predictions.",
)

declare(
    "CLU-001",
    "error",
    "no Dask here",
    "the extra 'dask'",
    "Install it: pip install 'evalcore[dask]'; or use the engine local.",
)
declare(
    "CLU-002",
    "error",
    "no answer from {found} ({reason})",
    "a Dask scheduler that answers within {n:,} seconds",
    "Check its address, that it runs, and whether it wants certificates (tls://); "
    "EVALCORE_CLUSTER_SECONDS sets how long is waited. Nothing was written: start again.",
)
declare(
    "CLU-003",
    "error",
    "no worker for {n:,} seconds",
    "at least one worker of the scheduler",
    "Start workers, and start again; EVALCORE_CLUSTER_SECONDS sets how long is waited. Nothing was written.",
)
declare(
    "CLU-004",
    "error",
    "{found} on the {node}",
    "{expected}, as here",
    "Install the same versions there: others may read or count otherwise.",
)
declare(
    "CLU-005",
    "error",
    "what the worker {worker} cannot read: {reason}",
    "the same file under the same path on every worker",
    "Put the files where all workers see them: a file system that is shared, or an address such as s3://.",
)
declare(
    "CLU-006",
    "error",
    "workers that ended while they were at the same rows",
    "workers that live as long as a chunk takes",
    "Give them more memory, or read fewer rows at a time (--chunk-rows). Nothing was written.",
)
declare(
    "CLU-007",
    "error",
    "rows at which the worker {worker} failed {n:,} times: {reason}",
    "what works here to work there",
    "See the log of the worker; with the engine local it happens here.",
)
