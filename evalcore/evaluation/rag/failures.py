"""Which answers and retrieved lists failed, and in what way, by what annotators settled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evalcore.annotations import NO, YES, Annotations, RagTask, Responses
from evalcore.tallies.judgements.settled import SettledLabels, settled

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("failure", "record_id", "chunk_id", "rank")


@dataclass(frozen=True)
class Failure:
    """One way to fail.

    Parameters
    ----------
    name : its name in the table.
    task : whose label tells it.
    label, said : the label and the value that is the failure.
    text : in words.
    is_of_list : whether a retrieved list fails where no chunk of it has the label's `YES`, at least one chunk
        being judged; otherwise a single chunk or answer fails where the label is ``said``.
    """

    name: str
    task: RagTask
    label: str
    said: int
    text: str
    is_of_list: bool = False


FAILURES = (
    Failure("no_relevant", "retrieval", "topically_relevant", NO, "No relevant chunk retrieved", True),
    Failure("not_sufficient", "retrieval", "evidence_sufficient", NO, "No sufficient chunk retrieved", True),
    Failure("misleading", "retrieval", "misleading", YES, "Misleading chunk"),
    Failure("unsupported", "grounding", "unsupported_claim_present", YES, "Unsupported claim"),
    Failure("contradicted", "grounding", "contradicted_claim_present", YES, "Contradicted claim"),
    Failure("no_support", "grounding", "support_present", NO, "Nothing is supported"),
    Failure("fabricated", "grounding", "fabricated_source", YES, "Fabricated source"),
    Failure("wrong_action", "generation", "proper_action", NO, "Wrong action"),
    Failure("off_topic", "generation", "response_on_topic", NO, "Off topic"),
    Failure("not_helpful", "generation", "helpful", NO, "Not helpful"),
    Failure("incomplete", "generation", "incomplete", YES, "Incomplete"),
    Failure("unsafe", "generation", "unsafe_content", YES, "Unsafe content"),
)
"""Every way to fail, task by task in the order of document 003."""


def failures(annotations: Annotations) -> pd.DataFrame:
    """Every chunk, list or answer that failed.

    A tied label is no failure. A list counts as failed only where every place of it holds a chunk that is
    settled as `NO`: what nobody judged might be a `YES`.

    Parameters
    ----------
    annotations : with responses; tasks that are missing give no rows.

    Returns
    -------
    DataFrame with columns ``failure``, ``record_id``, ``chunk_id`` (empty for lists and answers) and ``rank``
    (0 where there is none); by failure, record, rank.
    """
    import pandas as pd

    settled_of = {task: settled(responses) for task, responses in annotations.responses.items()}
    parts = []
    for kind in FAILURES:
        found = settled_of.get(kind.task)
        if found is None or kind.label not in found.labels:
            continue
        responses = annotations.responses[kind.task]
        rows = _lists(kind, found, responses) if kind.is_of_list else _units(kind, found)
        rows.insert(0, "record_id", annotations.record_ids[rows.pop("record").to_numpy()].astype(str))
        rows.insert(0, "failure", kind.name)
        parts.append(rows.sort_values(["record_id", "rank", "chunk_id"], kind="stable"))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=list(COLUMNS))


def _units(kind: Failure, found: SettledLabels) -> pd.DataFrame:
    import pandas as pd

    failed = found.labels[kind.label] == kind.said
    chunk = np.full(len(failed), "", object) if found.chunk_id is None else found.chunk_id
    return pd.DataFrame(
        {"record": found.record[failed], "chunk_id": chunk[failed], "rank": found.rank[failed]}
    )


def _lists(kind: Failure, found: SettledLabels, responses: Responses) -> pd.DataFrame:
    import pandas as pd

    is_retrieved = found.rank > 0
    record, said = found.record[is_retrieved], found.labels[kind.label][is_retrieved]
    n = int(responses.record.max(initial=-1)) + 1
    n_no = np.bincount(record[said == NO], minlength=n)
    n_listed = np.zeros(n, np.int64)
    np.maximum.at(n_listed, responses.record, np.maximum(responses.n_retrieved, responses.rank))
    np.maximum.at(n_listed, record, np.bincount(record, minlength=n)[record])
    failed = np.flatnonzero((n_listed > 0) & (n_no == n_listed))
    return pd.DataFrame({"record": failed, "chunk_id": "", "rank": 0})
