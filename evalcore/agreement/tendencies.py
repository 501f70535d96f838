"""Who says yes more often than the others, on the same chunks and answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evalcore.agreement.units import Units
from evalcore.annotations import UNSAID, YES, Responses

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ["task", "label", "annotator", "n_codes", "n_shared", "share", "others", "difference"]


def tendencies(responses: Responses) -> pd.DataFrame:
    """Each annotator's share of yes beside the others' on the units that they share.

    Only shared units are compared: shares over all units would differ because annotators see other units.

    Parameters
    ----------
    responses : of one task, one response per annotator and unit; the order of rows changes nothing.

    Returns
    -------
    DataFrame by label and annotator: ``n_codes`` (units that the annotator judged), ``n_shared`` (of these,
    judged by somebody else, too), ``share`` (of yes on shared units, in [0, 1]), ``others`` (mean over shared
    units of the others' share of yes) and ``difference`` (share − others); NaN without shared units.
    """
    import pandas as pd

    units = Units.of(responses)
    given = units.responses
    names = given.annotator_ids
    found = []
    for label, said in given.labels.items():
        n_yes, n_codes = units.counts(label)
        is_code = (said != UNSAID) & (given.annotator >= 0)
        unit, annotator, is_yes = units.code[is_code], given.annotator[is_code], said[is_code] == YES
        n_others = n_codes[unit] - 1
        is_shared = n_others > 0
        size = n_others[is_shared]
        with_yes = (n_yes[unit] - is_yes)[is_shared]
        who = annotator[is_shared]
        counts = np.bincount(annotator, minlength=len(names))
        shared, own = (np.bincount(who, weights, len(names)) for weights in (None, is_yes[is_shared]))
        # Summed apart for each number of others: whole numbers, so that the order of rows changes no bit.
        others = np.zeros(len(names))
        for n in np.unique(size):
            others += np.bincount(who[size == n], with_yes[size == n], len(names)) / n
        with np.errstate(invalid="ignore"):
            share, of_others = own / shared, others / shared
        found += [
            {
                "task": given.task,
                "label": label,
                "annotator": str(names[code]),
                "n_codes": int(counts[code]),
                "n_shared": int(shared[code]),
                "share": share[code],
                "others": of_others[code],
                "difference": share[code] - of_others[code],
            }
            for code in sorted(np.flatnonzero(counts), key=lambda one: str(names[one]))
        ]
    return pd.DataFrame(found, columns=COLUMNS)
