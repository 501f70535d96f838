"""Problems of summaries: metrics that another program wrote and that contradict each other."""

from evalcore.problems.kinds import declare

declare(
    "SUM-001",
    "error",
    "no JSON object",
    "a JSON object that holds metrics by name, such as recall@10",
    "Export the summary again.",
)
declare(
    "SUM-010",
    "error",
    "{n_bytes:,} bytes, more than a summary has",
    "at most {limit:,} bytes",
    "Give a file with the metrics alone.",
)
declare(
    "SUM-002",
    "warning",
    "{name} = {found} in {place}",
    "{expected}",
    "These values cannot all be of one evaluation: recompute them from the rows.",
)
