"""Whether files mean the same users and items: ids that are written otherwise make every number wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass

import numpy as np

from evalcore.problems import Findings
from evalcore.readers.columns.ids import canonical, lookalikes

FEWEST = 10
"""Users or items on both sides from which on that they share none is no chance."""


MOSTLY = 0.9
"""Share of ids that, once found among those of the other column, speaks for columns that were exchanged."""
Files = Mapping[str, Set[str]]


@dataclass(frozen=True)
class Held:
    """The ids of users or of items of some files.

    Parameters
    ----------
    names : of the files, for messages.
    ids : all of them.
    """

    names: str
    ids: Set[str]

    @staticmethod
    def of(*parts: Mapping[str, Set[str]]) -> Held:
        """The ids of several files together."""
        names = [name for part in parts for name in part]
        return Held(", ".join(names), set().union(*(ids for part in parts for ids in part.values())))


def check_meeting(
    unit: str,
    lists: Mapping[str, Set[str]],
    train: Mapping[str, Set[str]],
    test: Mapping[str, Set[str]],
    about: Mapping[str, Set[str]],
    findings: Findings,
) -> None:
    """Compare each file of lists or scores with the test, and each of train, test or groups with the others.

    Parameters
    ----------
    unit : ``user`` or ``item``.
    lists, train, test, about : file → its ids; without files whose ids are not known. The last are groups and
        features, of which others than in the other files are told elsewhere.
    findings : gets an error where ids are written otherwise, and a warning where they are others.
    """
    of_groups = ((Held(name, ids), Held.of(lists, train, test)) for name, ids in about.items())
    for first, second in (*_pairs(lists, train, test), *of_groups):
        if not first.ids or not second.ids:
            continue
        others = first.ids - second.ids
        facts = {"unit": unit, "first": first.names, "second": second.names}
        if 2 * len(others) < len(first.ids):
            alike = _often_alike(others, second.ids - first.ids)
            if alike:
                n = {"n": len(alike), "n_all": len(first.ids)}
                findings.add("RCM-080", **facts, **n, found="“{}” and “{}”".format(*min(alike.items())))
            continue
        alike = _alike(others, second.ids)
        is_apart = len(others) == len(first.ids)
        if 2 * len(alike) >= len(first.ids) >= FEWEST and not is_apart:
            ours, theirs = min(alike.items())
            n = {"n": len(alike), "n_all": len(first.ids)}
            findings.add("RCM-080", **facts, **n, found=f"“{ours}” and “{theirs}”")
        elif is_apart and (alike or (_are_many(first, second) and _are_unlike(first, second))):
            found, other = min(alike.items()) if alike else (min(first.ids), min(second.ids))
            findings.add("RCM-017", **facts, found=other, other=found)
        elif is_apart and _are_many(first, second) and first.names not in about:
            known = Held.of(train, test)
            is_of_model = first.names in lists
            code = "RCM-017" if is_of_model and first.ids.isdisjoint(known.ids) else "RCM-079"
            findings.add(code, **facts, found=min(second.ids), other=min(first.ids))


def check_exchanged(
    of_users: tuple[Files, Files, Files], of_items: tuple[Files, Files, Files], findings: Findings
) -> None:
    """Warn of files whose users are the items of others, and whose items are their users.

    Numbers as ids let such files pass for others: every number is that of a user and of an item.

    Parameters
    ----------
    of_users, of_items : lists or scores, train and test: file → its ids.
    findings : gets the warnings.
    """
    for at, beside in enumerate(
        ((1, 2), (2,), (0, 1))
    ):  # lists, train and test, and what each is held against
        known_users, known_items = (
            {name: ids for other in beside for name, ids in of[other].items()} for of in (of_users, of_items)
        )
        for name, users in of_users[at].items():
            items = of_items[at].get(name, frozenset[str]())
            if min(len(users), len(items)) < FEWEST or not known_users:
                continue
            of_user, of_item = _share(users, known_users), _share(items, known_items)
            exchanged = _share(users, known_items), _share(items, known_users)
            if of_user < MOSTLY <= min(exchanged) and sum(exchanged) > of_user + of_item:
                findings.add("RCM-113", first=name, second=", ".join(known_users))


def _share(ids: Set[str], known: Files) -> float:
    """Of ids, at least one, the share that some of the files hold."""
    return 1 - len(frozenset(ids).difference(*known.values())) / len(ids)


def _pairs(
    lists: Mapping[str, Set[str]], train: Mapping[str, Set[str]], test: Mapping[str, Set[str]]
) -> Iterator[tuple[Held, Held]]:
    """What is compared: a file first, and those it must meet."""
    for name, ids in lists.items():
        judged = test or train
        yield Held(name, ids), Held.of(judged)
    if len(test) > 1:
        for name, ids in test.items():
            rest = {other: held for other, held in test.items() if other != name}
            yield Held(name, ids), Held.of(lists, train, rest)
    for name, ids in train.items():
        rest = {other: held for other, held in train.items() if other != name}
        yield Held(name, ids), Held.of(lists, test, rest)


def _are_many(first: Held, second: Held) -> bool:
    return min(len(first.ids), len(second.ids)) >= FEWEST


def _are_unlike(first: Held, second: Held) -> bool:
    """Whether ids are made of other characters: ``u1`` here and ``1`` there."""
    return set(map(_made_of, first.ids)).isdisjoint(map(_made_of, second.ids))


def _made_of(text: str) -> str:
    """The kinds of characters in a text: ``0`` for digits, ``a`` for letters, and others as they are.

    >>> _made_of("u12"), _made_of("7"), _made_of("7.0"), _made_of("ab3-x_4")
    ('0a', '0', '.0', '-0_a')
    """
    return "".join(sorted(set(re.sub(r"[^\W\d_]", "a", re.sub(r"\d", "0", text)))))


def _often_alike(ours: Set[str], theirs: Set[str]) -> dict[str, str]:
    """As `_alike`, of ids that only one side has each; nothing unless it is most of ours and no chance."""
    if len(ours) < FEWEST or len(theirs) < FEWEST or not lookalikes(np.asarray([*ours, *theirs], object)):
        return {}
    found = _alike(ours, theirs)
    return found if 2 * len(found) >= len(ours) and len(found) >= FEWEST else {}


def _alike(ours: Set[str], theirs: Set[str]) -> dict[str, str]:
    """Ids here → those there that are the same number, or the same text but for case and blanks."""
    known = {canonical(text): text for text in theirs}
    found = ((text, known.get(canonical(text))) for text in ours)
    return {text: other for text, other in found if other is not None}
