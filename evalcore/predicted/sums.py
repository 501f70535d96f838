"""Sums over units from which every estimate of a label's share follows, whole or over drawn records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray

from evalcore.inference.drawn_totals import drawn_totals
from evalcore.predicted.pairs import LabelPairs

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PairSums:
    """Sums over units; y is the human label (0, 1), f the predicted value, a call is f ≥ 0.5.

    Parameters
    ----------
    n, n_called, f : units, calls and Σf over all predicted units.
    n_human, n_yes : units with both labels, and those with y = 1.
    true_pos, false_pos : calls among units with y = 1 and with y = 0.
    f_human, ff_human, fy : Σf, Σf² and Σf·y over units with both labels.
    f_alone, ff_alone : Σf and Σf² over units without a human label.
    """

    n: Floats
    n_called: Floats
    f: Floats
    n_human: Floats
    n_yes: Floats
    true_pos: Floats
    false_pos: Floats
    f_human: Floats
    ff_human: Floats
    fy: Floats
    f_alone: Floats
    ff_alone: Floats

    @property
    def n_alone(self) -> Floats:
        """Units without a human label."""
        return self.n - self.n_human


def pair_sums(
    several: Sequence[LabelPairs], *, n_replicates: int, seed: int
) -> list[tuple[PairSums, PairSums]]:
    """Of each label the sums over all units, scalars, and over the units of drawn records, shape (B,).

    Labels of the same units are summed together: drawing takes as long as summing.
    """
    if not several:
        return []
    first, width = several[0].record, len(PairSums.__dataclass_fields__)
    alike = [one for one in several if np.array_equal(one.record, first)]
    totals = drawn_totals(
        np.column_stack([_columns(one) for one in alike]),
        first,
        several[0].record_ids,
        n_replicates=n_replicates,
        seed=seed,
    )
    starts = range(0, len(alike) * width, width)
    sums = [
        (PairSums(*totals.whole[at : at + width]), PairSums(*totals.drawn[:, at : at + width].T))
        for at in starts
    ]
    of_alike = dict(zip(map(id, alike), sums, strict=True))
    others = [one for one in several if id(one) not in of_alike]
    of_others = pair_sums(others, n_replicates=n_replicates, seed=seed)
    found = of_alike | dict(zip(map(id, others), of_others, strict=True))
    return [found[id(one)] for one in several]


def _columns(pairs: LabelPairs) -> Floats:
    """What is summed, a row a unit, in the order of the fields of `PairSums`."""
    f, human, yes, called = pairs.predicted, pairs.has_human, pairs.is_yes, pairs.is_called
    columns = PairSums(
        n=np.ones(len(pairs)),
        n_called=called.astype(float),
        f=f,
        n_human=human.astype(float),
        n_yes=yes.astype(float),
        true_pos=(called & yes).astype(float),
        false_pos=(called & human & ~yes).astype(float),
        f_human=f * human,
        ff_human=f * f * human,
        fy=f * yes,
        f_alone=f * ~human,
        ff_alone=f * f * ~human,
    )
    return np.column_stack(astuple(columns))
