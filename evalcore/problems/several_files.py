"""Problems of queries in several files or parts: what joins them, and where they contradict each other."""

from evalcore.problems.kinds import declare

declare(
    "QRY-025",
    "warning",
    "queries that every model has: {n_shared:,}; that only some have: {n_rest:,}",
    "",
    "Models are compared on the shared queries only.",
)
declare(
    "QRY-027",
    "error",
    "another label for query {query} than in row {first}",
    "one label for a query, whatever the model",
    "Correct one of the two rows.",
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
    "QRY-120",
    "choice",
    "several columns that could join it with {other}: {found}",
    "the column with the ids",
    "Name it with --column query_id={first!q}, or choose it on the Data page.",
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
    "QRY-310",
    "error",
    "{n:,} ids that {other} writes otherwise, such as {found} here and {others} there",
    "ids as both files write them",
    "Write them alike: in one case, without .0, and with the zeros that a spreadsheet drops before a number.",
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
    "QRY-265",
    "warning",
    "labels that contradict {other} in {n:,} of {n_rows:,} rows: {found}",
    "the same label in both files",
    "The labels of {other} were used. Correct the file that is wrong; if the column is what a model "
    "predicted, name it so with --column predicted_label=NAME.",
    names_ids=True,
)

_LAYOUT = (
    "Say --layout straddling, which brings such rows together first; or part the rows once: "
    "evalcore repartition INPUT --out DIR --by post."
)

declare(
    "CHK-001",
    "error",
    "{found}, which stands in row {first_row} of {first} too",
    "each query in one file only",
    f"{_LAYOUT} Say --as models if each file is a model of the same queries.",
    names_ids=True,
)
declare(
    "CHK-002",
    "error",
    "{found} once more, behind rows of other queries; it begins in row {first_row}",
    "the rows of a query one after the other",
    _LAYOUT,
    names_ids=True,
)
declare(
    "CHK-003",
    "error",
    "values that differ between the candidates of a query here, and not in other files",
    "one value for each query in every file",
    "Leave the column out of --by and --cluster, or correct it.",
)
declare("CHK-004", "warning", "no rows", "", "The file was left out.")
declare(
    "CHK-005",
    "warning",
    "what {told} tells in further chunks of rows: {n:,}",
    "",
    "It is told in full for the first of them.",
)
declare(
    "CHK-006",
    "error",
    "an input that is not read a chunk at a time: {reason}",
    "Parquet files of one table of queries or candidates, with ids, of recommendations, or of annotations",
    "Leave out --chunk-rows, --workers, --layout and --engine: it is then read as a whole.",
)
declare(
    "CHK-010",
    "error",
    "files by address that are not read a chunk at a time: {reason}",
    "Parquet files of one table of queries or candidates, with ids, of recommendations, or of annotations",
    "Copy them to this machine.",
)
declare(
    "CHK-008",
    "error",
    "a column stored as another kind of value than in {first}",
    "columns of one kind in every file",
    "Write the column alike in every file.",
)
declare(
    "CHK-009",
    "error",
    "{found}",
    "a folder that is not there yet, or is empty",
    "Name another folder: what is parted anew would lie beside other files.",
)
declare(
    "CHK-007",
    "error",
    "ranks that begin at 0 in some queries and at 1 in others",
    "one of both",
    "Correct the ranks.",
)
declare(
    "CHK-011",
    "error",
    "ranks that begin at 0 for some users and at 1 for others",
    "one of both",
    "Correct the ranks.",
)
