"""What annotators settled of each chunk or answer, for whatever looks at single labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalcore.annotations import UNSAID, Codes, Responses
from evalcore.tallies.judgements.answers import judged_answers
from evalcore.tallies.judgements.chunks import judged_chunks
from evalcore.tallies.judgements.votes import TIED


@dataclass(frozen=True, eq=False)
class SettledLabels:
    """One row a chunk or answer.

    Parameters
    ----------
    record : int codes, shape (U,), into ``record_ids``.
    chunk_id : ids as text, shape (U,); None in the tasks about answers.
    rank : int, shape (U,); 0 for what was not retrieved, and in the tasks about answers.
    labels : label → `YES`, `NO` or `UNSAID`, shape (U,); what annotators are tied on is not said.
    n_tied : label → how many units they are tied on.
    """

    record: Codes
    chunk_id: NDArray[np.object_] | None
    rank: NDArray[np.int64]
    labels: Mapping[str, NDArray[np.int8]]
    n_tied: Mapping[str, int]


def settled(responses: Responses) -> SettledLabels:
    """The consolidated labels of a task.

    Parameters
    ----------
    responses : of one task; the order of rows changes nothing.

    Examples
    --------
    See `voted` for how responses become one label.
    """
    if responses.task == "retrieval":
        chunks = judged_chunks(responses)
        record, rank, state = chunks.record[chunks.query], chunks.rank, chunks.state
        chunk_id: NDArray[np.object_] | None = responses.chunk_ids[chunks.chunk]
    else:
        answers = judged_answers(responses)
        record, rank, state = answers.record, np.zeros(len(answers), np.int64), answers.state
        chunk_id = None
    labels = {name: np.where(said == TIED, np.int8(UNSAID), said) for name, said in state.items()}
    n_tied = {name: int((said == TIED).sum()) for name, said in state.items()}
    return SettledLabels(record, chunk_id, rank, labels, n_tied)
