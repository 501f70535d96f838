"""Words of a command line as a shell takes them: advice that is copied has to work."""

from __future__ import annotations

import re

_PLAIN = re.compile(r"[\w@%+=:,./…\-]+")


def quoted(word: str) -> str:
    """A word in quotes where a shell would part it or take a mark in it for its own; else as it is.

    >>> quoted("p4_prob"), quoted("Größe"), quoted("P (Churn=1)"), quoted(">50K"), quoted("it's")
    ('p4_prob', 'Größe', "'P (Churn=1)'", "'>50K'", "'it'\\"'\\"'s'")
    """
    if _PLAIN.fullmatch(word):
        return word
    inner = word.replace("'", "'\"'\"'")
    return f"'{inner}'"
