"""Which responses are about the same chunk or answer, and how many of them say yes or no."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalcore.annotations import UNSAID, YES, Responses


@dataclass(frozen=True, eq=False)
class Units:
    """The chunks or answers that submitted responses are about.

    Parameters
    ----------
    code : int, shape (N,): the unit of each submitted response, 0 … U − 1.
    record, chunk : int codes, shape (U,), as in `Responses`.
    responses : the submitted responses, N of them.
    """

    code: NDArray[np.intp]
    record: NDArray[np.intp]
    chunk: NDArray[np.intp]
    responses: Responses

    def __len__(self) -> int:
        return len(self.record)

    @staticmethod
    def of(responses: Responses) -> Units:
        """A unit is a chunk of a record or its answer; discarded responses are left out."""
        submitted = responses.where(responses.is_submitted)
        n_chunks = len(submitted.chunk_ids) + 1  # −1, the answer itself, becomes 0
        pair = submitted.record * n_chunks + submitted.chunk + 1
        distinct, code = np.unique(pair, return_inverse=True)
        return Units(code, distinct // n_chunks, distinct % n_chunks - 1, submitted)

    def counts(self, label: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """How many say yes to the label of each unit, and how many say yes or no; shape (U,) each."""
        said = self.responses.labels[label]
        n_yes, n_codes = (
            np.bincount(self.code[mask], minlength=len(self)) for mask in (said == YES, said != UNSAID)
        )
        return n_yes, n_codes

    def n_annotators(self, label: str) -> int:
        """How many named annotators say yes or no to the label of any unit."""
        named = self.responses.annotator[self.responses.labels[label] != UNSAID]
        return len(np.unique(named[named >= 0]))
