"""Pairs of a user and an item: each once, with finite values; ranks beside scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evalcore.problems import SHOWN, Findings
from evalcore.readers.columns.ids import repeated
from evalcore.readers.evidence.rows import Rows
from evalcore.readers.formats.table import Texts
from evalcore.readers.recommender.naming.ids import Ids
from evalcore.recommendations import Codes, Interactions, ItemLists, in_order

Floats = NDArray[np.float64]
REPEATED_ITEM, REPEATED_PAIR = "repeated item", "repeated pair"


@dataclass(frozen=True, eq=False)
class Part:
    """Rows of one file and model.

    Parameters
    ----------
    rows : the file.
    at : the rows of the model, or None for all.
    user, item : the ids of every row of the file.
    """

    rows: Rows
    at: NDArray[np.intp] | None
    user: Texts
    item: Texts

    def of(self, values: NDArray[Any]) -> NDArray[Any]:
        """Some values of every row of the file, of the rows of the model."""
        return values if self.at is None else values[self.at]


@dataclass(frozen=True, eq=False)
class Pairs:
    """The pairs of one kind from one or several files, one under the other.

    Parameters
    ----------
    user, item : codes, shape (R,).
    value : score or rating, shape (R,), or None without such a column.
    rank : shape (R,), or None.
    parts : the files, in the order of the rows.
    """

    user: Codes
    item: Codes
    value: Floats | None
    rank: Floats | None
    parts: Sequence[Part]
    starts: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.user)

    def place(self, index: int) -> tuple[str, int]:
        """File and data row of a pair."""
        nth = int(np.searchsorted(self.starts, index, side="right")) - 1
        part = self.parts[nth]
        own = index - int(self.starts[nth])
        return part.rows.name, int(part.rows.row[own if part.at is None else part.at[own]])

    def exclude(self, at: NDArray[np.intp], reason: str) -> None:
        """Count rows that are left out, in the files that they stand in."""
        nth = np.searchsorted(self.starts, at, side="right") - 1
        for i, n in enumerate(np.bincount(nth, minlength=len(self.parts)).tolist()):
            if n:
                excluded = self.parts[i].rows.excluded
                excluded[reason] = excluded.get(reason, 0) + n

    def without(self, at: NDArray[np.intp]) -> Pairs:
        """All but some rows; places are no longer known."""
        kept = np.ones(len(self), bool)
        kept[at] = False
        value = None if self.value is None else self.value[kept]
        return replace(self, user=self.user[kept], item=self.item[kept], value=value, rank=None)


def pairs_of(parts: Sequence[Part], users: Ids, items: Ids, role: str) -> Pairs:
    """The rows of files as codes of the ids of all files.

    Parameters
    ----------
    role : of the column of the value: ``score`` or ``rating``; missing in one file, it is missing in all.
    """
    lengths = [len(part.of(part.user.codes)) for part in parts]
    return Pairs(
        user=_joined([users.codes(replace(part.user, codes=part.of(part.user.codes))) for part in parts]),
        item=_joined([items.codes(replace(part.item, codes=part.of(part.item.codes))) for part in parts]),
        value=_values(parts, role),
        rank=_values(parts, "rank") if role == "score" else None,
        parts=parts,
        starts=np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.intp),
    )


def _joined(arrays: Sequence[NDArray[Any]]) -> NDArray[Any]:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def _values(parts: Sequence[Part], role: str) -> Floats | None:
    found = [part.rows.number(role) for part in parts]
    numbers = [one for one in found if one is not None]
    if len(numbers) < len(parts):
        return None
    return _joined([part.of(one.values) for part, one in zip(parts, numbers, strict=True)])


def lists_of(pairs: Pairs, users: Ids, items: Ids, keep_first: bool, findings: Findings) -> ItemLists:
    """The lists of one model, each item once; repetitions are reported, or kept at their best rank."""
    has_scores = pairs.value is not None
    if pairs.value is None:
        assert pairs.rank is not None
        pairs = replace(pairs, value=-pairs.rank)
    later, first = repeated(pairs.user * max(len(items), 1) + pairs.item)
    if len(later) and keep_first:
        dropped = _all_but_best(pairs, len(items))
        pairs.exclude(dropped, REPEATED_ITEM)
        findings.add("RCM-004", n=len(dropped))
        pairs = pairs.without(dropped)
    elif len(later):
        _report_repeats(pairs, later, first, users, items, findings)
    if not has_scores:
        _report_shared_ranks(pairs, users, findings)
    assert pairs.value is not None
    return ItemLists(pairs.user, pairs.item, pairs.value, has_scores)


def _all_but_best(pairs: Pairs, n_items: int) -> NDArray[np.intp]:
    assert pairs.value is not None
    key = pairs.user * max(n_items, 1) + pairs.item
    order = np.lexsort((-pairs.value, key))
    is_again = np.concatenate([[False], key[order][1:] == key[order][:-1]])
    return np.sort(order[is_again])


def _report_repeats(
    pairs: Pairs,
    later: NDArray[np.intp],
    first: NDArray[np.intp],
    users: Ids,
    items: Ids,
    findings: Findings,
) -> None:
    for i, j in zip(later[:SHOWN].tolist(), first[:SHOWN].tolist(), strict=True):
        file, row = pairs.place(i)
        ranks = " and ".join(map(str, sorted((_rank(pairs, j), _rank(pairs, i)))))
        facts = {"item": str(items.texts[pairs.item[i]]), "user": str(users.texts[pairs.user[i]])}
        findings.add("RCM-003", file=file, row=row, ranks=ranks, **facts)
    findings.count_more("RCM-003", len(later))


def _rank(pairs: Pairs, at: int) -> int:
    """The rank of a row in its list, ties by order in the file."""
    assert pairs.value is not None
    mine = np.flatnonzero(pairs.user == pairs.user[at])
    order = mine[np.argsort(-pairs.value[mine], kind="stable")]
    return int(np.flatnonzero(order == at)[0]) + 1


def _report_shared_ranks(pairs: Pairs, users: Ids, findings: Findings) -> None:
    assert pairs.value is not None
    rank = (-pairs.value).astype(np.int64)
    later, first = repeated(pairs.user * (rank.max(initial=0) + 1) + rank)
    for i, j in zip(later[:SHOWN].tolist(), first[:SHOWN].tolist(), strict=True):
        (file, row), (other, other_row) = pairs.place(i), pairs.place(j)
        where = f"row {other_row}" + (f" of {other}" if other != file else "")
        user = str(users.texts[pairs.user[i]])
        findings.add("RCM-009", file=file, row=row, rank=int(rank[i]), user=user, first=where)
    findings.count_more("RCM-009", len(later))


class RanksAndScores(NamedTuple):
    """What the ranks of lists say otherwise than their scores.

    Parameters
    ----------
    n_lists : how many there are.
    n_wrong, wrong : lists in which a score rises with the rank, and the user of one.
    is_any_right : whether a score falls with the rank anywhere.
    n_tied, tied : lists in which equal scores are ranked otherwise than by item, and the user of one.
    """

    n_lists: int
    n_wrong: int = 0
    wrong: str = ""
    is_any_right: bool = False
    n_tied: int = 0
    tied: str = ""

    def and_of(self, other: RanksAndScores) -> RanksAndScores:
        """The same of these lists and of those of other users."""
        return RanksAndScores(
            self.n_lists + other.n_lists,
            self.n_wrong + other.n_wrong,
            next(iter(in_order(filter(None, (self.wrong, other.wrong)))), ""),
            self.is_any_right or other.is_any_right,
            self.n_tied + other.n_tied,
            next(iter(in_order(filter(None, (self.tied, other.tied)))), ""),
        )

    def tell(self, file: str, findings: Findings) -> None:
        """Name lists whose ranks contradict their scores; all reversed, nothing says which holds."""
        if self.n_tied:
            findings.add("RCM-085", file=file, n=self.n_tied, n_lists=self.n_lists, user=self.tied)
        if self.n_wrong and not self.is_any_right:
            findings.add("RCM-010", file=file)
        elif self.n_wrong:
            findings.add("RCM-011", file=file, n=self.n_wrong, n_lists=self.n_lists, user=self.wrong)


def ranks_and_scores(pairs: Pairs, users: Ids) -> RanksAndScores:
    """What ranks say otherwise than scores, of the lists of a model that have both."""
    assert pairs.value is not None
    assert pairs.rank is not None
    user, item, rank, score = pairs.user, pairs.item, pairs.rank, pairs.value
    same = user[1:] == user[:-1]
    n_runs = len(user) - int(np.count_nonzero(same))
    is_ordered = n_runs == len(np.unique(user)) and bool((rank[1:] > rank[:-1])[same].all())
    if not is_ordered:
        order = np.lexsort((rank, user))
        user, item, rank, score = user[order], item[order], rank[order], score[order]
        same = user[1:] == user[:-1]
    is_tied = same & (score[1:] == score[:-1]) & (rank[1:] > rank[:-1])
    tied = np.unique(user[1:][is_tied & (item[1:] < item[:-1])])
    wrong = np.unique(user[1:][same & (score[1:] > score[:-1]) & (rank[1:] > rank[:-1])])
    falls = same & (score[1:] < score[:-1]) & (rank[1:] > rank[:-1])
    return RanksAndScores(
        n_runs if is_ordered else len(np.unique(user)),
        len(wrong),
        str(users.texts[wrong[0]]) if len(wrong) else "",
        bool(falls.any()),
        len(tied),
        str(users.texts[tied[0]]) if len(tied) else "",
    )


def interactions_of(
    pairs: Pairs, users: Ids, items: Ids, role: str, keep_first: bool, findings: Findings
) -> Interactions:
    """Train or test interactions, each pair once, by user and item; the highest of several ratings is kept.

    Ratings that contradict each other are an error in the test, unless the first is to be kept: what they
    are in training plays no part.
    """
    key = pairs.user * max(len(items), 1) + pairs.item
    rating = np.ones(len(pairs)) if pairs.value is None else pairs.value
    order = np.lexsort((-rating, key)) if pairs.value is not None else np.argsort(key, kind="stable")
    is_again = np.concatenate([[False], key[order][1:] == key[order][:-1]]) if len(key) else np.zeros(0, bool)
    if is_again.any():
        dropped = np.sort(order[is_again])
        if role == "test" and not keep_first:
            _report_contradictions(pairs, rating, users, items, findings)
        pairs.exclude(dropped, REPEATED_PAIR)
        findings.add("RCM-038", file=pairs.parts[0].rows.name, n=len(dropped), role=role)
    kept = order[~is_again]
    has_rating = pairs.value is not None
    return Interactions(pairs.user[kept], pairs.item[kept], rating[kept], has_rating)


def _report_contradictions(pairs: Pairs, rating: Floats, users: Ids, items: Ids, findings: Findings) -> None:
    later, first = repeated(pairs.user * max(len(items), 1) + pairs.item)
    differs = rating[later] != rating[first]
    later, first = later[differs], first[differs]
    for i, j in zip(later[:SHOWN].tolist(), first[:SHOWN].tolist(), strict=True):
        (file, row), (other, other_row) = pairs.place(i), pairs.place(j)
        where = f"row {other_row}" + (f" of {other}" if other != file else "")
        facts = {"item": str(items.texts[pairs.item[i]]), "user": str(users.texts[pairs.user[i]])}
        facts |= {"rating": f"{rating[i]:g}", "other": f"{rating[j]:g}", "first": where}
        findings.add("RCM-005", file=file, row=row, **facts)
    findings.count_more("RCM-005", len(later))
