"""The weakest agreement among the labels that a metric rests on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from evalcore.agreement.alpha import Alpha
from evalcore.text.legible import spaced
from evalcore.text.numerals import number


@dataclass(frozen=True)
class Weakest:
    """The label on which annotators agree least, of those that a metric rests on.

    Parameters
    ----------
    label : its name; empty where no label has an alpha.
    value : its alpha; NaN with a reason where no label has one.
    n_pairable : units that this alpha rests on.
    without_alpha : label → why it has none; a label on which agreement is not measured is no agreed label.
    reason : why ``value`` is NaN; empty where it is not.
    """

    label: str
    value: float
    n_pairable: int
    without_alpha: Mapping[str, str]
    reason: str

    @property
    def text(self) -> str:
        """In a few words, with the labels on which agreement is not measured."""
        if not self.label:
            return f"agreement not measured: {self.reason}"
        of_label = f"{spaced(self.label)}, {self.n_pairable:,} judged twice"
        told = f"weakest agreement α = {number(self.value)} ({of_label})"
        return "; ".join([told, *(f"{spaced(label)}: {why}" for label, why in self.without_alpha.items())])


def weakest(alphas: Iterable[Alpha], labels: Iterable[str]) -> Weakest:
    """The smallest alpha of some labels, and which of them have none.

    Parameters
    ----------
    alphas : of all labels that were measured, of any task.
    labels : those that a metric rests on, as its declaration names them.

    Examples
    --------
    >>> weakest((), ["helpful"]).reason
    'helpful: not annotated'
    """
    by_label = {alpha.label: alpha for alpha in alphas}
    asked = list(labels)
    without = {
        label: by_label[label].reason if label in by_label else "not annotated"
        for label in asked
        if label not in by_label or np.isnan(by_label[label].value)
    }
    defined = [by_label[label] for label in asked if label not in without]
    if not defined:
        told = "; ".join(f"{spaced(label)}: {why}" for label, why in without.items())
        reason = told or "it rests on no label"
        return Weakest("", np.nan, 0, without, reason)
    least = min(defined, key=lambda alpha: alpha.value)
    return Weakest(least.label, least.value, least.n_pairable, without, "")
