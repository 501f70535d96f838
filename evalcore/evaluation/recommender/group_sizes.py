"""How many users or items each group of a report of recommendation lists has."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evalcore.evaluation.table import Report
from evalcore.recommendations import ITEM_GROUP, n_pairs
from evalcore.tallies.recommended import RecommendationLists


class GroupSizes(NamedTuple):
    """How many users or items each group has.

    Parameters
    ----------
    what : ``users`` or ``items``.
    of : group → how many.
    n, n_unknown : of all, and of those without a known group.
    """

    what: str
    of: dict[str, int]
    n: int
    n_unknown: int


def group_sizes(report: Report, column: str) -> GroupSizes:
    """The sizes of the groups of a column: of items for `ITEM_GROUP`, else of users."""
    lists = _lists(report)
    what = "items" if column == ITEM_GROUP else "users"
    codes, names = lists.catalogue.groups[column] if what == "items" else lists.slices[column]
    n = np.bincount(codes[codes >= 0], minlength=len(names)).tolist()
    return GroupSizes(what, dict(zip(names, n, strict=True)), len(codes), int((codes < 0).sum()))


def pairs_of_groups(report: Report) -> int:
    """How many pairs of a group of users and a group of items there can be."""
    lists = _lists(report)
    return n_pairs(lists.slices, lists.catalogue.groups)


def _lists(report: Report) -> RecommendationLists:
    """Those of any model: users, items and their groups are the same in all."""
    found: RecommendationLists = next(iter(report.gathered.tallies["recommendations"].models.values()))
    return found
