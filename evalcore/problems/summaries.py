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
    "SUM-002",
    "warning",
    "{name} = {found} in {place}",
    "{expected}",
    "These values cannot all be of one evaluation: recompute them from the rows.",
)
