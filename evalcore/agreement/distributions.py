"""How often each label is said, why responses were discarded, and which panels are complete."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from evalcore.annotations import NO, UNSAID, YES, Responses

if TYPE_CHECKING:
    import pandas as pd

REASON_COLUMN = "discard_reason"
NO_REASON = "no reason given"


def label_counts(responses: Responses) -> pd.DataFrame:
    """What the responses of a task say of each label; every response is counted once a label.

    Returns
    -------
    DataFrame with columns ``task``, ``label``, ``n_yes``, ``n_no``, ``n_unsaid`` (submitted without this
    label) and ``n_discarded``; the four counts of a row sum to the number of responses.
    """
    import pandas as pd

    submitted = responses.is_submitted
    return pd.DataFrame(
        [
            {
                "task": responses.task,
                "label": label,
                **{
                    name: int((submitted & (said == what)).sum())
                    for name, what in (("n_yes", YES), ("n_no", NO), ("n_unsaid", UNSAID))
                },
                "n_discarded": int((~submitted).sum()),
            }
            for label, said in responses.labels.items()
        ],
        columns=["task", "label", "n_yes", "n_no", "n_unsaid", "n_discarded"],
    )


def discards(responses: Responses) -> pd.DataFrame:
    """Discarded responses by reason.

    Returns
    -------
    DataFrame with columns ``task``, ``reason`` and ``n``, the most frequent first, then by name; no row where
    nothing was discarded. An empty reason is `NO_REASON`.
    """
    import pandas as pd

    codes, levels = responses.slices.get(REASON_COLUMN, (np.full(len(responses), -1), ()))
    given = codes[~responses.is_submitted]
    counts = np.bincount(given + 1, minlength=len(levels) + 1)
    found = [
        {"task": responses.task, "reason": reason, "n": int(n)}
        for reason, n in zip((NO_REASON, *levels), counts, strict=True)
        if n
    ]
    found.sort(key=lambda row: (-int(str(row["n"])), str(row["reason"])))
    return pd.DataFrame(found, columns=["task", "reason", "n"])


@dataclass(frozen=True)
class PanelCounts:
    """How many retrieved lists there are, and how many of them are wholly annotated.

    Parameters
    ----------
    n : lists with a response.
    n_complete : those of which every retrieved chunk was judged.
    n_unknown : those of whose length nothing is known.
    """

    n: int
    n_complete: int
    n_unknown: int

    @property
    def n_known(self) -> int:
        """Lists of whose length something is known: those that can be complete."""
        return self.n - self.n_unknown

    @staticmethod
    def of(table: pd.DataFrame) -> PanelCounts:
        """Counted from `panels`."""
        state = table["state"]
        return PanelCounts(len(table), int((state == "complete").sum()), int((state == "unknown").sum()))


def panels(responses: Responses, record_ids: NDArray[np.object_]) -> pd.DataFrame:
    """How much of each record's retrieved list was judged.

    Parameters
    ----------
    responses : of the task retrieval.
    record_ids : ids as text, into which ``responses.record`` points.

    Returns
    -------
    DataFrame with columns ``record_id``, ``n_retrieved`` (−1: not known), ``n_judged`` (retrieved chunks with
    a submitted response), ``n_only_discarded`` (retrieved chunks whose every response was discarded) and
    ``state``: ``complete``, ``incomplete`` or ``unknown``; by record id.
    """
    import pandas as pd

    retrieved = responses.rank > 0
    n_records = len(record_ids)
    judged, seen = (
        _n_distinct(responses, retrieved & mask, n_records)
        for mask in (responses.is_submitted, np.ones(len(responses), bool))
    )
    records = np.unique(responses.record)
    n_retrieved = np.full(n_records, -1, np.int64)
    np.maximum.at(n_retrieved, responses.record, responses.n_retrieved)
    state = np.where(judged >= n_retrieved, "complete", "incomplete")
    state[n_retrieved < 0] = "unknown"
    table = pd.DataFrame(
        {
            "record_id": record_ids[records].astype(str),
            "n_retrieved": n_retrieved[records],
            "n_judged": judged[records],
            "n_only_discarded": (seen - judged)[records],
            "state": state[records],
        }
    )
    return table.sort_values("record_id", ignore_index=True)


def _n_distinct(responses: Responses, mask: NDArray[np.bool_], n_records: int) -> NDArray[np.intp]:
    """Distinct chunks of each record among some responses, shape (n_records,)."""
    n_chunks = max(len(responses.chunk_ids), 1)
    pairs = np.unique(responses.record[mask] * n_chunks + responses.chunk[mask])
    return np.bincount(pairs // n_chunks, minlength=n_records)
