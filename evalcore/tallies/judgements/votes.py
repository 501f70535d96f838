"""From the responses of several annotators to one judgement: strict majority, never decided by row order."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from evalcore.annotations import NO, UNSAID, YES, Codes, Responses
from evalcore.problems import InputError, problem

Said = NDArray[np.int8]
Mask = NDArray[np.bool_]

TIED = -2
"""As many annotators said yes as no: undecided."""

FILLS = ("fill_0", "fill_1")
TREATMENTS: Mapping[str, str] = {
    "default": "a tied label is left out, a panel that is not wholly annotated is skipped",
    "ties_0": "every tied label counts as no",
    "ties_1": "every tied label counts as yes",
    "as_is": "a panel that is not wholly annotated is scored on what is annotated of it",
    "fill_0": "every label that nobody gave counts as no",
    "fill_1": "every label that nobody gave counts as yes",
}
"""What is done about labels that are not settled; the default first."""


def voted(said: Said, is_counted: Mask, unit: Codes, n_units: int) -> Said:
    """The strict majority of what was said of each unit.

    Parameters
    ----------
    said : int8, shape (N,): `YES`, `NO` or `UNSAID`.
    is_counted : bool, shape (N,), whose responses count.
    unit : int codes 0 … n_units − 1, shape (N,).
    n_units : U.

    Returns
    -------
    int8, shape (U,): `YES`, `NO`, `TIED` (as many yes as no) or `UNSAID` (nobody said anything).

    Source
    ------
    contract.md, RAG labels, several annotators.

    Examples
    --------
    >>> said = np.array([YES, YES, NO, YES, NO, UNSAID], np.int8)
    >>> voted(said, np.ones(6, bool), np.array([0, 0, 0, 1, 1, 2]), 3).tolist()
    [1, -2, -1]
    """
    yes, no = (np.bincount(unit[is_counted & (said == one)], minlength=n_units) for one in (YES, NO))
    decided = np.where(yes > no, YES, np.where(no > yes, NO, TIED))
    return np.where(yes + no > 0, decided, UNSAID).astype(np.int8)


def consolidated(responses: Responses, unit: Codes, n_units: int, is_counted: Mask) -> dict[str, Said]:
    """Label → the judgement of each unit, shape (U,); an adjudicated value comes before the votes."""
    everyone = np.ones(len(responses), bool)
    found: dict[str, Said] = {}
    for name in dict.fromkeys((*responses.labels, *responses.adjudicated)):
        state = np.full(n_units, UNSAID, np.int8)
        if name in responses.labels:
            state = voted(responses.labels[name], is_counted & responses.is_submitted, unit, n_units)
        if name in responses.adjudicated:
            decided = voted(responses.adjudicated[name], everyone, unit, n_units)
            state = np.where(decided == UNSAID, state, decided)
        found[name] = state
    return found


def counted(responses: Responses, annotators: Collection[str] | None) -> tuple[Responses, Mask]:
    """The queries that these annotators gave a response to, whole, and which of the rows are theirs.

    A single annotator's labels are meant to be theirs: what an adjudicator decided is left out.
    """
    if annotators is None:
        return responses, np.ones(len(responses), bool)
    ids = {str(name): code for code, name in enumerate(responses.annotator_ids)}
    unknown = [name for name in annotators if name not in ids]
    if unknown:
        expected = f"one of {', '.join(sorted(ids))}"
        raise InputError(
            [problem("OPT-003", name="annotators", found=name, expected=expected) for name in unknown]
        )
    is_theirs = np.isin(responses.annotator, [ids[name] for name in annotators])
    kept = queries_with(responses, is_theirs)
    labels_only = Responses(**{**vars(responses.where(kept)), "adjudicated": {}})
    return labels_only, is_theirs[kept]


def queries_with(responses: Responses, mask: Mask) -> Mask:
    """Every row of the queries that have a row in the mask: a filter never takes chunks out of a panel.

    Parameters
    ----------
    responses : N rows.
    mask : bool, shape (N,), such as the rows whose ``calibration`` is true.

    Returns
    -------
    bool, shape (N,).
    """
    return np.isin(responses.record, np.unique(responses.record[mask]))


def treated(state: Said, treatment: str) -> Said:
    """Judgements with ties or missing labels counted as the treatment says; other treatments change none."""
    if treatment in ("ties_0", "ties_1"):
        return np.where(state == TIED, np.int8(treatment[-1] == "1"), state)
    if treatment in FILLS:
        return np.where(state == UNSAID, np.int8(treatment[-1] == "1"), state)
    return state


def state_of(labels: Mapping[str, Said], name: str, n: int) -> Said:
    """The judgements of one label, `UNSAID` throughout where the data lack it."""
    return labels[name] if name in labels else np.full(n, UNSAID, np.int8)
