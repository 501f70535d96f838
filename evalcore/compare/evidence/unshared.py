"""Two models that have no query in common: refused, with the ids that look alike."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from evalcore.compare.sides import Side
from evalcore.data import Queries, Rankings
from evalcore.problems import InputError, problem

_SHOWN = 3
_WHOLE = re.compile(r"0*(\d+)(?:\.0*)?")

Name = tuple[str, str]


def check_shared(first: Side, second: Side) -> None:
    """Refuse two models of which no check, or no query with a list, has the same ids in both.

    Parameters
    ----------
    first, second : the models; a side without any check or list is judged elsewhere.

    Raises
    ------
    InputError : OPT-040, with the ids that differ by their spelling only.
    """
    pairs = list(_names_of_both(first, second))
    if not pairs or any(one & other for one, other in pairs):
        return
    one, other = pairs[0]
    alike = _look_alikes(one, other)
    named = alike or [(min(one), min(other))]
    listed = ", ".join(f"{_shown(a)!r} and {_shown(b)!r}" for a, b in named[:_SHOWN])
    found = f"ids such as {listed}" + (", which look alike but are different texts" if alike else "")
    advice = (
        "Write the ids of both alike: ids are text, and none is changed to fit."
        if alike
        else "Check that both are about the same queries, and which columns are the ids."
    )
    raise InputError([problem("OPT-040", first=first.name, second=second.name, found=found, advice=advice)])


def _names_of_both(first: Side, second: Side) -> Iterator[tuple[set[Name], set[Name]]]:
    """The names of the checks of both, and those of their queries with a list; what one lacks is left out."""
    found = [
        [_names(side.queries) if side.queries is not None else set() for side in (first, second)],
        [_listed(side) for side in (first, second)],
    ]
    yield from ((one, other) for one, other in found if one and other)


def _listed(side: Side) -> set[Name]:
    if side.rankings is None or side.ranked is None:
        return set()
    return _names(side.rankings, np.flatnonzero(side.ranked.n_ranked > 0))


def _names(part: Queries | Rankings, at: np.ndarray | None = None) -> set[Name]:
    """Post and criterion of each query, "" without one."""
    criteria = [*map(str, part.criterion_ids), ""]  # −1, no criterion: the last
    post, criterion = (part.post, part.criterion) if at is None else (part.post[at], part.criterion[at])
    pairs = zip(post.tolist(), criterion.tolist(), strict=True)
    return {(str(part.post_ids[a]), criteria[b]) for a, b in pairs}


def _look_alikes(one: set[Name], other: set[Name]) -> list[tuple[Name, Name]]:
    """Names that are the same without zeros in front, decimals of zero, blanks and capitals."""
    plain = {(_plain(a), _plain(b)): (a, b) for a, b in sorted(other)}
    keyed = ((name, (_plain(name[0]), _plain(name[1]))) for name in sorted(one))
    return [(name, plain[key]) for name, key in keyed if key in plain]


def _plain(text: str) -> str:
    cell = text.strip().casefold()
    whole = _WHOLE.fullmatch(cell)
    return whole.group(1) if whole else cell


def _shown(name: Name) -> str:
    post, criterion = (part[:40] for part in name)
    return f"{post}::{criterion}" if criterion else post
