"""Text that a stranger may have written, as it is read and shown; what of it cannot be used is said."""

from collections.abc import Mapping, Sequence

Query = Mapping[str, Sequence[str]]
LONGEST_NAME = 80


class LinkError(ValueError):
    """What of a link cannot be used, in words."""


def one_value(query: Query, name: str) -> str | None:
    """The value of a name that may stand once.

    Raises
    ------
    LinkError
        When it stands more often.
    """
    values = query.get(name, ())
    if len(values) > 1:
        raise LinkError(f"{name}: found {len(values)} values, {listed(values)}, expected one")
    return values[0] if values else None


def as_shown(text: str) -> str:
    """A stranger's text on one line: no signs that cannot be seen, and cut where it is long."""
    seen = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in text)
    return seen if len(seen) <= LONGEST_NAME else f"{seen[: LONGEST_NAME - 1]}…"


def quoted(text: str) -> str:
    """A stranger's text between quotation marks."""
    return f"“{as_shown(text)}”"


def listed(names: Sequence[str], *, most: int = 8) -> str:
    """Names one after the other, of many the first."""
    shown = ", ".join(map(as_shown, names[:most]))
    return f"{shown} and {len(names) - most:,} more" if len(names) > most else shown
