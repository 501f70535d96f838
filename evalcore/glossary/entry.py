"""What a word of the glossary is, and how it is found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Term:
    """A word and what it means.

    Parameters
    ----------
    name
        As it stands on the screen.
    plain
        What it means, for somebody who has never met it: a sentence or two without other jargon.
    also
        Other words for it, in small letters.
    """

    name: str
    plain: str
    also: tuple[str, ...] = ()


def explained(name: str, glossary: Mapping[str, Term]) -> Term | None:
    """The term of this name, or of which it is another word; None where there is none.

    Examples
    --------
    >>> workload = Term("Workload", "What people read.", ("read",))
    >>> explained("Read", {"workload": workload}).plain, explained("AUROC", {"workload": workload})
    ('What people read.', None)
    """
    word = name.strip().lower().replace("\N{NO-BREAK SPACE}", " ")
    return next((one for one in glossary.values() if word == one.name.lower() or word in one.also), None)


def fits(term: Term, search: str) -> bool:
    """Whether every word of the search stands in the term's names or its explanation."""
    text = " ".join([term.name, *term.also, term.plain]).lower()
    return all(word in text for word in search.lower().split())
