"""Problems of files: what they are and whether they can be read."""

from evalcore.problems.kinds import declare

declare("FILE-001", "error", "no such file", "a file that exists", "Check the path.")
declare("FILE-002", "error", "an empty file", "a table with a header and rows", "Export the file again.")
declare(
    "FILE-003",
    "error",
    "{kind}",
    "CSV, Parquet, JSON Lines or Feather, or one of these compressed with gzip or zstd",
    "{advice}",
)
declare(
    "FILE-140",
    "error",
    "{kind}, which this program wrote",
    "predictions, lists, candidates or annotations",
    "{advice}",
)
declare(
    "FILE-004",
    "choice",
    "bytes that are not UTF-8 (first at byte {offset}); read as Windows-1252 the line is “{preview}”",
    "UTF-8 text",
    "Say --encoding cp1252 if that line is right, or save the file as UTF-8.",
)
declare(
    "FILE-005",
    "error",
    "a quote that is opened and never closed",
    "each quoted field to end with a quote",
    'Close the quote, or double it ("") where it belongs to the text.',
)
declare(
    "FILE-006",
    "error",
    "{n_found} fields",
    "{n_expected} fields as in the header",
    "Quote fields that contain the separator, and write a separator for every empty cell.",
)
declare(
    "FILE-007",
    "error",
    "data that cannot be read as {kind}: {reason}",
    "a whole {kind} file",
    "Export it again.",
)
declare("FILE-008", "error", "no rows after the header", "at least one row", "Export the file with its rows.")
declare(
    "FILE-009",
    "error",
    "the header name {name!r} twice",
    "each column name once",
    "Rename one of the two columns.",
)
declare(
    "FILE-010",
    "warning",
    "{separator} between fields and a decimal {mark}",
    "",
    "Both were detected; nothing to do if the preview looks right.",
)
declare("FILE-011", "error", "{found}", "valid JSON on every line", "Write one JSON object per line.")
declare(
    "FILE-012", "error", "{n_rows:,} rows", "at most {limit:,}", "Raise EVALCORE_MAX_ROWS or send a part."
)
declare(
    "FILE-013",
    "error",
    "the encoding {found!r}",
    "a known text encoding such as utf-8 or cp1252",
    "Check --encoding.",
)

declare(
    "FILE-015",
    "error",
    "text after a closing quote",
    "a separator or the end of the line",
    'Double the quotes ("") that belong to the text.',
)
declare(
    "FILE-016",
    "error",
    "bytes that are not {encoding} (first at byte {offset})",
    "text in the encoding that was given",
    "Check --encoding.",
)
declare(
    "FILE-017",
    "error",
    "{n_bytes:,} bytes that unpack to more than {limit}",
    "at most {limit}",
    "Give the unpacked file, or a part of it; EVALCORE_MAX_UNPACKED_MB is the most for any file.",
)
declare(
    "FILE-018", "error", "a file that cannot be opened: {reason}", "a readable file", "Check its permissions."
)
declare(
    "FILE-019", "warning", "no table that can be read: {reason}", "", "The file of this folder was left out."
)
declare("FILE-020", "error", "no table among {n:,} files", "at least one input", "Name the file itself.")
declare(
    "FILE-021",
    "error",
    "{n_bytes:,} bytes in all",
    "at most {limit:,}",
    "Send fewer files, compress them, or raise EVALCORE_MAX_UPLOAD_MB.",
)
declare(
    "FILE-160",
    "error",
    "{n_bytes:,} bytes of uploads on this server, with those of others",
    "at most {limit:,} that are not in use yet",
    "Try again when others have put theirs to use, after 15 minutes at most, or raise "
    "EVALCORE_MAX_HELD_UPLOADS_MB.",
)
declare(
    "FILE-220",
    "error",
    "{n_bytes:,} bytes of uploads of this session",
    "at most {limit:,}, half of what uploads of others leave on this server",
    "Send a smaller or compressed file, try again when others have put theirs to use, after 15 minutes at "
    "most, or raise EVALCORE_MAX_HELD_UPLOADS_MB.",
)
declare(
    "FILE-221",
    "error",
    "an upload that was not put to use within {minutes} minutes and made room for those of others",
    "files that are put to use",
    "Remove it from the field and choose it again.",
)
declare("FILE-161", "error", "a device", "a file, a folder or a pipe", "Name the file itself.")
declare(
    "FILE-022",
    "error",
    "contents that could not be read",
    "a table",
    "This should not happen: please report it, with the first lines of the file if they may be shown.",
)
declare(
    "FILE-030",
    "choice",
    "a first line that holds no names of columns: {found}",
    "a header line",
    "Write one, or say --no-header (on the Data page tick “No header line”) and name columns by their "
    "positions: --column ROLE=1.",
)
declare(
    "FILE-023",
    "warning",
    "{n_found} fields where the header has {n_expected}",
    "",
    "The missing cell is taken to be behind the columns that are needed; left out: {left_out}.",
)

declare(
    "FILE-071",
    "error",
    "damaged {kind}: reading it ended the process that reads files",
    "a whole {kind} file",
    "Export it again. Nothing else was harmed.",
)
declare(
    "FILE-072",
    "error",
    "{kind} that is not read within {limit} seconds of processor time and one more for each 5 MB",
    "a file that can be read in that time",
    "Export it again; if it is whole, send a part or raise EVALCORE_MAX_READING_SECONDS.",
)
declare(
    "FILE-073",
    "error",
    "{n:,} columns",
    "at most {limit:,}",
    "Leave out columns that are not needed, or raise EVALCORE_MAX_COLUMNS.",
)
declare(
    "FILE-074",
    "error",
    "{n:,} lists and objects within each other",
    "JSON nested at most {limit:,} deep",
    "Write the values that are needed as fields of their own, or raise EVALCORE_MAX_NESTING.",
)
declare(
    "FILE-075",
    "error",
    "{n:,} lines",
    "at most {limit:,}",
    "Leave out blank lines, send a part, or raise EVALCORE_MAX_LINES.",
)
declare(
    "FILE-076",
    "error",
    "a first line of {n:,} bytes",
    "a header of at most {limit:,}",
    "Write the names of the columns first, and a line break behind them.",
)
declare(
    "FILE-077",
    "error",
    "a cell of {n:,} bytes",
    "at most {limit:,}",
    "Leave the column out or shorten the text, or raise EVALCORE_MAX_CELL_MB.",
)
declare(
    "FILE-060",
    "error",
    "a part that cannot be read: {reason}",
    "every file to be a part of the table",
    "Repair it, or name the files that are parts: none is left out of them.",
)

declare(
    "FILE-100",
    "error",
    "{found}",
    "an object of names and values, or a value for each column",
    "Correct the row.",
)
declare(
    "FILE-101",
    "error",
    "{found}",
    "an object for each row, or the names of the columns beside the rows",
    "{advice}",
)
declare(
    "FILE-102",
    "warning",
    "the rows under {name!r}, and beside them {others}",
    "",
    "What stands beside the rows was left out.",
)
declare(
    "FILE-103",
    "error",
    "several lists of rows: {found}",
    "one table a file",
    "Write each into a file of its own.",
)

declare(
    "FILE-104",
    "warning",
    "{found}",
    "",
    "It names no columns and was left out: the header is the line below.",
)
declare("FILE-320", "warning", "{found}", "", "{advice}")
declare(
    "FILE-105",
    "error",
    "one name above rows of several columns: {found}",
    "a header line",
    "Remove the lines above the header, or write a header line.",
)
declare(
    "FILE-106",
    "warning",
    "names of rows before the columns, as R writes them",
    "",
    "{said}.",
)
declare(
    "FILE-107",
    "error",
    "a header whose names stand between {mark!r}: {found}",
    "commas, semicolons or tabs between fields",
    "Write the fields between commas: “|” parts the ids of a list.",
)
declare(
    "FILE-265",
    "warning",
    "{found}",
    "the whole export",
    "What is computed is of these rows only: export all pages, put their rows into one file, and give that.",
)
declare(
    "FILE-266",
    "warning",
    "folders that part a table in {n_files:,} files: {found}",
    "",
    "Each key was read as a column of the files below it that have none of that name, and the files as parts "
    "of one table unless --as models says otherwise.",
)
declare(
    "FILE-283",
    "error",
    "a key twice among the folders above it: {found}",
    "each key once",
    "Rename one of the folders: it cannot be known which of them counts.",
)
declare(
    "FILE-284",
    "warning",
    "{cell} in the file and {value} in the name of its folder",
    "the same in both",
    "The cells of the file were used. Leave the column out of the file if the folder is right.",
)
declare(
    "FILE-285",
    "error",
    "a folder that cannot be read: {reason}",
    "a readable folder",
    "Check its permissions and what lies in it, or name the files themselves.",
)
declare(
    "FILE-305",
    "error",
    "an index of {found} beside {n_rows:,} rows of data",
    "a name in the index for each row, or no index",
    "The file was cut or put together by hand: write it anew, in pandas with df.to_json(PATH, "
    'orient="split").',
)
declare(
    "FILE-306",
    "error",
    "{n_bytes:,} bytes of uploads of all sessions of your address",
    "at most {limit:,}, so that uploads from elsewhere have room",
    "Put to use or remove what other sessions have uploaded, send a smaller or compressed file, or raise "
    "EVALCORE_MAX_HELD_UPLOADS_MB; behind a proxy, name it in EVALCORE_PROXY.",
)
declare(
    "FILE-307",
    "error",
    "an upload that came too slowly and was not heard to its end",
    "at least 1 MB in {seconds} seconds, and all of it within {minutes} minutes",
    "Choose the file again over a faster connection, or compress it first (gzip, Parquet).",
)

declare(
    "FILE-310",
    "error",
    "an address of a kind that is not read: {found}",
    "s3://, gs://, abfs:// or file://",
    "Copy the file to this machine, and name it by its path.",
)
declare(
    "FILE-311",
    "error",
    "an address that needs more than is installed: {found}",
    "the extra {extra!r}",
    "Install it: pip install 'evalcore[{extra}]'.",
)
declare(
    "FILE-312",
    "error",
    "the address of a file elsewhere",
    "a file, a folder or a glob on this machine",
    "Copy it here first. Parquet files by address are read by `evaluate`.",
)
declare(
    "FILE-313",
    "error",
    "an address with credentials, a signature or an account in it",
    "s3://BUCKET/PATH, gs://BUCKET/PATH or abfs://CONTAINER/PATH",
    "Leave it out: the store's own library takes it from its variables and files, such as "
    "AWS_ACCESS_KEY_ID or AZURE_STORAGE_ACCOUNT_NAME.",
)
