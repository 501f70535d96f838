"""One judgement an answer."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evalcore.annotations import Codes, Responses
from evalcore.rows import taken
from evalcore.tallies.judgements.votes import Mask, Said, consolidated, counted, state_of, treated


@dataclass(frozen=True, eq=False)
class JudgedAnswers:
    """Every answer that somebody saw, once.

    Parameters
    ----------
    record : int codes, shape (A,), ascending, into ``record_ids``: answers with a response, discarded or not.
    state : label → int8, shape (A,): `YES`, `NO`, `TIED` or `UNSAID`.
    """

    record: Codes
    state: Mapping[str, Said]

    def __len__(self) -> int:
        return len(self.record)

    @staticmethod
    def from_labels(**labels: Sequence[int]) -> JudgedAnswers:
        """Answers with these states of each label, in order.

        Examples
        --------
        >>> len(JudgedAnswers.from_labels(helpful=[1, 0, -1]))
        3
        """
        state = {name: np.array(states, np.int8) for name, states in labels.items()}
        return JudgedAnswers(np.arange(len(next(iter(state.values())))), state)

    def of(self, label: str) -> Said:
        """The judgements of one label, shape (A,); `UNSAID` throughout where the data lack it."""
        return state_of(self.state, label, len(self))

    def where(self, mask: Mask) -> JudgedAnswers:
        """The answers of a mask."""
        return self.take(np.flatnonzero(mask))

    def take(self, at: Codes) -> JudgedAnswers:
        """The answers at these places, in their order; one that is named twice is there twice."""
        return taken(self, ("record", "state"), at)

    def merge(self, other: JudgedAnswers) -> JudgedAnswers:
        """The answers of both, which have none in common."""
        names = dict.fromkeys((*self.state, *other.state))
        return JudgedAnswers(
            np.concatenate([self.record, other.record]),
            {name: np.concatenate([self.of(name), other.of(name)]) for name in names},
        )

    def treated(self, treatment: str) -> JudgedAnswers:
        """The answers with ties or missing labels counted as one of `TREATMENTS` says."""
        state = {name: treated(said, treatment) for name, said in self.state.items()}
        return JudgedAnswers(self.record, state)


def judged_answers(responses: Responses, *, annotators: Collection[str] | None = None) -> JudgedAnswers:
    """What annotators said of answers, as one judgement an answer and label.

    Strict majority over submitted responses; an adjudicated value comes first; a tie stays undecided. The
    order of the rows has no influence.

    Parameters
    ----------
    responses : of the task ``grounding`` or ``generation``.
    annotators : whose responses count; None for all.

    Raises
    ------
    InputError : OPT-003 for an annotator who is not in the data.

    Source
    ------
    contract.md, RAG labels.
    """
    responses, is_counted = counted(responses, annotators)
    record, unit = np.unique(responses.record, return_inverse=True)
    return JudgedAnswers(record, consolidated(responses, unit, len(record), is_counted))
