"""Rows of users, one user after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.rows import rows_of_lists
from evalcore.tallies import flaws
from evalcore.tallies.flaws import Flaws
from evalcore.tallies.places import nth_of_run, run_starts

Codes = NDArray[np.intp]
Counts = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Groups = tuple[Codes, tuple[str, ...]]


@dataclass(frozen=True, eq=False)
class ByUser:
    """Rows of users, one user after the other.

    Parameters
    ----------
    n : int64, shape (Q,), how many rows each user has.
    columns : name → values, shape (N,).

    Examples
    --------
    >>> rows = ByUser(np.array([2, 0, 1]), {"item": np.array([7, 3, 5])})
    >>> rows.user.tolist(), rows.place.tolist()
    ([0, 0, 2], [1, 2, 1])
    >>> rows.take(np.array([2, 0, 2]))["item"].tolist()
    [5, 7, 3, 5]
    """

    n: Counts
    columns: Mapping[str, NDArray[Any]]

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.columns[name]

    @cached_property
    def user(self) -> Codes:
        """The user of each row, shape (N,)."""
        return np.repeat(np.arange(len(self.n)), self.n)

    @cached_property
    def place(self) -> Counts:
        """The place of each row among those of its user, from 1."""
        return nth_of_run(run_starts(self.user))

    def take(self, at: Codes) -> ByUser:
        """The rows of the users at these places, in their order."""
        _, row = rows_of_lists(self.n, at)
        return ByUser(self.n[at], {name: values[row] for name, values in self.columns.items()})

    def where(self, mask: Mask) -> ByUser:
        """The rows of a mask."""
        if mask.all():
            return self
        n = np.bincount(self.user[mask], minlength=len(self.n))
        return ByUser(n, {name: values[mask] for name, values in self.columns.items()})

    def flaws(self, n_users: int, names: tuple[str, ...]) -> Flaws:
        """What does not agree in rows of so many users, with these columns."""
        wrong = list(flaws.counts("n", self.n, n_users))
        found, expected = ", ".join(self.columns), ", ".join(names)
        wrong += flaws.unless(set(self.columns) == set(names), "", f"the columns {found}", expected)
        n = 0 if wrong else int(self.n.sum())
        for name in names if not wrong else ():
            kinds = {"item": "iu", "score": "f", "rating": "f"}.get(name, "i")
            wrong += flaws.shaped(name, self.columns[name], n, kinds)
        yield from wrong

    def merge(self, other: ByUser) -> ByUser:
        """These rows and those of other users, after them."""
        columns = {name: np.concatenate([own, other[name]]) for name, own in self.columns.items()}
        return ByUser(np.concatenate([self.n, other.n]), columns)
