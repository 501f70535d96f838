"""Cohen's kappa of every pair of annotators, label by label."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy import sparse

from evalcore.agreement.units import Units
from evalcore.annotations import UNSAID, YES, RagTask, Responses


@dataclass(frozen=True)
class Kappa:
    """How far two annotators agree on one label beyond chance.

    Parameters
    ----------
    task, label : of which label.
    annotator_a, annotator_b : their names, in the order of text.
    value : in [−1, 1]; NaN with a reason.
    observed_agreement : share of shared units on which both say the same; NaN without shared units.
    n_shared : chunks or answers to whose label both say yes or no.
    reason : why ``value`` is NaN; empty where it is not.
    """

    task: RagTask
    label: str
    annotator_a: str
    annotator_b: str
    value: float
    observed_agreement: float
    n_shared: int
    reason: str


def kappas(responses: Responses) -> tuple[Kappa, ...]:
    """Cohen's kappa of each label for each pair of named annotators.

    Parameters
    ----------
    responses : of one task, one response per annotator and unit; the order of rows changes nothing.

    Returns
    -------
    tuple of Kappa, by label, then by names. A pair without shared units is in it, with that reason; so is one
    whose shared codes are all the same, where kappa is 0 / 0. It is 0 where only one of the two varies.

    Source
    ------
    Cohen 1960.
    """
    units = Units.of(responses)
    given = units.responses
    names = given.annotator_ids
    order = sorted(
        np.unique(given.annotator[given.annotator >= 0]).tolist(), key=lambda code: str(names[code])
    )
    found = []
    for label, said in given.labels.items():
        is_code = (said != UNSAID) & (given.annotator >= 0)
        yes, codes = (
            sparse.csr_array(
                (np.ones(mask.sum()), (units.code[mask], given.annotator[mask])),
                shape=(len(units), len(names)),
            )
            for mask in (is_code & (said == YES), is_code)
        )
        n_shared, n_both, n_yes = ((a.T @ b).toarray() for a, b in ((codes, codes), (yes, yes), (yes, codes)))
        for a, b in combinations(order, 2):
            value, observed, reason = _kappa(n_shared[a, b], n_both[a, b], n_yes[a, b], n_yes[b, a])
            found.append(
                Kappa(
                    task=given.task,
                    label=label,
                    annotator_a=str(names[a]),
                    annotator_b=str(names[b]),
                    value=value,
                    observed_agreement=observed,
                    n_shared=int(n_shared[a, b]),
                    reason=reason,
                )
            )
    return tuple(found)


def _kappa(n: float, n_both: float, n_yes_a: float, n_yes_b: float) -> tuple[float, float, str]:
    """Kappa, observed agreement and the reason for none, from n shared units and who says yes to how many."""
    if n == 0:
        return np.nan, np.nan, "no shared units"
    n_agreed = n - n_yes_a - n_yes_b + 2 * n_both
    n_by_chance = n_yes_a * n_yes_b + (n - n_yes_a) * (n - n_yes_b)  # times n
    if n_by_chance == n * n:
        return np.nan, n_agreed / n, "label never varies"
    return float((n * n_agreed - n_by_chance) / (n * n - n_by_chance)), float(n_agreed / n), ""
