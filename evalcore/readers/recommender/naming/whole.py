"""The ids of users and items in all files: one list of each, and whether files mean the same ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Protocol

from evalcore.problems import Findings
from evalcore.readers.recommender.naming.ids import Ids, check_across
from evalcore.readers.recommender.naming.meeting import check_exchanged, check_meeting
from evalcore.readers.recommender.naming.orders import check_first

if TYPE_CHECKING:
    from evalcore.readers.recommender.matrices import Matrix

OF_PAIRS = ("lists", "scores", "train", "test")
"""Roles of files of pairs of a user and an item."""
LONGEST = 40
"""Letters of an id that a message shows."""


class Held(Protocol):
    """Files of which the ids are known."""

    @property
    def matrices(self) -> Mapping[str, Matrix]:
        """File → its scores."""

    def levels(self, role: str, *roles: str) -> dict[str, Iterable[str]]:
        """File → the ids of users or items in it, of files of some roles."""


def ids_of(files: Held, findings: Findings) -> tuple[Ids, Ids]:
    """The ids of all users, and the catalogue of items."""
    of_users = files.levels("user_id", *OF_PAIRS)
    of_items = files.levels("item_id", *OF_PAIRS, "item_groups", "item_features")
    for matrix in files.matrices.values():
        numbered: dict[str, int] = {}
        others: dict[str, set[str]] = {}
        for unit, known, n, levels in (
            ("users", matrix.users, matrix.values.shape[0], of_users),
            ("items", matrix.items, matrix.values.shape[1], of_items),
        ):
            if known is None:
                _check_numbered(matrix.name, unit, n, levels, findings)
                numbered[unit] = n
                others[unit] = {text for held in levels.values() for text in held}
                levels[matrix.name] = [str(at) for at in range(n)]
        if not findings.errors:
            check_first(matrix.name, numbered, others, findings)
    users, items = Ids.of(of_users.values()), Ids.of(of_items.values())
    check_across(of_users | files.levels("user_id", "user_groups"), users, findings)
    check_across(of_items, items, findings)
    return users, items


def _check_numbered(
    name: str, unit: str, n: int, levels: Mapping[str, Iterable[str]], findings: Findings
) -> None:
    """Refuse ids of other files that are no numbers of rows or columns of a matrix without ids."""
    word = unit.removesuffix("s")
    for file, known in levels.items():
        if file == name:
            continue
        other = next((text for text in known if text and not _is_place(text, n)), None)
        if other is not None:
            shown = other if len(other) <= LONGEST else f"{other[:LONGEST]}…"
            findings.add("RCM-020", file=name, unit=unit, last=n - 1, word=word, found=f"{shown} ({file})")
            return


def _is_place(text: str, n: int) -> bool:
    """Whether an id is the number of one of n rows."""
    return text.isascii() and text.isdigit() and len(text.lstrip("0")) <= len(str(n)) and int(text) < n


def tell_unknown(files: Held, users: Ids, findings: Findings) -> None:
    """Warn of groups of users that stand nowhere else."""
    for name, held in files.levels("user_id", "user_groups").items():
        unknown = [text for text in held if text and text not in users.index]
        if unknown:
            findings.add("RCM-015", file=name, n=len(unknown), user=unknown[0])


def warn_of_strangers(files: Held, findings: Findings) -> None:
    """Refuse files whose ids are written otherwise; tell of items that only groups or features hold."""
    ids = {}
    for role, unit in (("user_id", "user"), ("item_id", "item")):
        groups = ("user_groups",) if unit == "user" else ("item_groups", "item_features")
        lists, train, test, about = (
            {name: set(ids) - {""} for name, ids in files.levels(role, *roles).items()}
            for roles in (("lists", "scores"), ("train",), ("test",), groups)
        )
        check_meeting(unit, lists, train, test, about, findings)
        ids[unit] = lists, train, test
    check_exchanged(ids["user"], ids["item"], findings)
    known = {text for held in files.levels("item_id", *OF_PAIRS).values() for text in held}
    has_numbers = any(matrix.items is None for matrix in files.matrices.values())
    for name, held in files.levels("item_id", "item_groups", "item_features").items():
        others = [text for text in held if text and text not in known]
        if others and not has_numbers:
            findings.add("RCM-016", file=name, n=len(others), item=others[0])
