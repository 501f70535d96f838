"""Problems of annotations of chunks and answers, and of other tools' scores."""

from evalcore.problems.kinds import declare

declare(
    "RAG-001",
    "error",
    "columns that fit neither annotations nor a tool that is read: {found}",
    "a record_uuid (or query_id) and at least one of the labels {labels}",
    "Map the columns with --column ROLE=NAME, such as --column topically_relevant=NAME, or choose them on "
    "the Data page.",
)
declare(
    "RAG-002",
    "error",
    "{found}",
    "a label: true or false (also 1 and 0, yes and no), or an empty cell",
    "Correct the label, or leave the cell empty.",
)
declare(
    "RAG-003",
    "warning",
    "an empty {label} of {unit}",
    "",
    "The response is left out of this label only, and counted.",
    names_ids=True,
)
declare(
    "RAG-004",
    "warning",
    "{n:,} rows without an id of their record",
    "",
    "They belong to no record: they were left out and counted.",
)
declare(
    "RAG-005",
    "error",
    "chunk {chunk} of record {record} at ranks {ranks}",
    "each chunk once in a list",
    "Remove the repetition, or say --keep-first to keep its best rank.",
)
declare(
    "RAG-006",
    "error",
    "a response of {annotator} to {unit} again; it stands in {first} already",
    "one response of an annotator to a chunk or an answer",
    "Remove one of the two rows, or name different annotators in annotator_id.",
)
declare(
    "RAG-007",
    "error",
    "chunk {chunk} of record {record} at rank {rank}, but at rank {other} in {first}",
    "one rank of a chunk, whoever judges it",
    "Correct one of the ranks, or say --keep-first to keep the best.",
)
declare(
    "RAG-008",
    "error",
    "chunk {chunk} at rank {rank} of record {record}, where {first} has chunk {other}",
    "one chunk at each rank",
    "Correct one of the ranks; several systems need a column system.",
)
declare(
    "RAG-009",
    "error",
    "{found}",
    "a rank: a whole number from 1 on; 0 or empty where the chunk was judged but not retrieved",
    "Correct the cell.",
)
declare(
    "RAG-010",
    "error",
    "{found}",
    "how many chunks were retrieved: a whole number from 0 on; −1 or empty where it is not known",
    "Correct the cell.",
)
declare(
    "RAG-011",
    "error",
    "{found} retrieved chunks of record {record}, but {other} in {first}",
    "one number of retrieved chunks a record",
    "Correct one of the two rows.",
)
declare(
    "RAG-012",
    "error",
    "rank {rank} of record {record}, of which {n:,} chunks were retrieved",
    "a rank up to the number of retrieved chunks",
    "Correct one of the two numbers.",
)
declare(
    "RAG-013",
    "error",
    "the response status {found!r}",
    "submitted or discarded (draft and pending rows are left out)",
    "Correct the cell.",
)
declare(
    "RAG-014",
    "warning",
    "{found} in {task}",
    "{expected} as {sidecar} states",
    "The rows are what counts; export again if some are missing.",
)
declare(
    "RAG-015",
    "error",
    "labels of chunks ({labels}) without a chunk",
    "a column chunk_id, or chunk_rank",
    "Name it with --column chunk_id=NAME, or choose it on the Data page.",
)
declare("RAG-016", "error", "{found}", "{missing}", "{remedy}")
declare(
    "RAG-017",
    "error",
    "{found}",
    "passages: a JSON array, a Python list, or one passage as plain text",
    "Correct the cell; a list that was cut off cannot be counted.",
)
declare(
    "RAG-018",
    "warning",
    "cells that are no list: {n:,}, the first in row {first}",
    "",
    "Each was taken as one passage.",
)
declare("RAG-019", "warning", "{found}", "", "It was left out of the mean: it says nothing of the answer.")
declare(
    "RAG-020", "error", "{found}", "a number, or an empty cell where the tool gave none", "Correct the cell."
)
declare(
    "RAG-021",
    "warning",
    "{n:,} values outside {bounds}",
    "",
    "The values are kept as they are; no bounds are given for what is missing.",
)
declare(
    "RAG-022",
    "choice",
    "files of two tasks: {first} and {second}",
    "one task at a time",
    "Say {tasks}, or give the files of one task only.",
)
declare(
    "RAG-023",
    "error",
    "another adjudication of {unit} than in {first}",
    "one decision of the adjudicator a label",
    "Correct one of the two rows.",
)
declare(
    "RAG-024",
    "error",
    "another {label} of {unit} by {annotator} than in {first}",
    "the same label of an answer in every row of its chunks",
    "Correct one of the rows, or give labels of answers in a file of their own.",
)
declare(
    "RAG-025",
    "error",
    "the adjudicator {found!r}, whom no row names",
    "one of {expected}",
    "Check the name.",
)
declare(
    "RAG-026",
    "warning",
    "{found}",
    "",
    "The file was left out; nothing is computed from it.",
)
declare(
    "RAG-040",
    "warning",
    "{n:,} of {n_rows:,} responses of {task} that break the rule {rule} ({kind} otherwise)",
    "",
    "Every label is counted as it stands; ask who gave them.",
)
declare(
    "RAG-041",
    "warning",
    "labels of one response that contradict each other: {label} yes and {second} {other} in {unit}",
    "{second} {wanted} where {label} is yes",
    "The labels are counted as they stand.",
    names_ids=True,
)
declare(
    "RAG-120",
    "error",
    "ranks from 0 on in {n:,} records whose number of retrieved chunks counts the one at 0, such as {record}",
    "ranks from 1 on; 0 means judged, not retrieved",
    "Add 1 to every rank.",
    names_ids=True,
)
declare(
    "RAG-121",
    "warning",
    "one chunk at rank 0 and the others behind it in every list ({n:,}), such as that of {record}",
    "",
    "Rank 0 is read as judged, not retrieved; if the ranks begin at 0, add 1 to each.",
    names_ids=True,
)
declare(
    "RAG-140",
    "error",
    "labels of chunks ({labels}) without a chunk: {n:,}, the first here",
    "a chunk_id beside what was judged: in the data of a task, or the metadata of a score or trace",
    "Write the chunk's id there (chunk_id, and chunk_rank where it is known), and export again.",
)
declare(
    "RAG-141",
    "error",
    "a row an item and label, but no column of an annotator among {found}",
    "one column an annotator: yes, no or an empty cell for each item",
    "Keep what each annotator said, not only what it came to.",
)
declare(
    "RAG-245",
    "error",
    "responses to record {record} of the task {task} in two parts of the input",
    "everything that is said of a record in a task in one part",
    "Cut the input by record, or evaluate it in one piece.",
    names_ids=True,
)
