"""Texts as other libraries write them, made into a table with a header between tabs.

MovieLens (``::`` between fields, and files without a header), RecBole (``user_id:token`` in the header) and
Elliot (user, item and score between tabs, without a header).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from evalcore.readers.formats.cells import spells_number
from evalcore.schema import TABLES, is_known_name, recognise

_ATOMIC = re.compile(r"(.+):(token_seq|token|float_seq|float)$")
RECBOLE = "RecBole"
_DOUBLE_COLONS = re.compile(r"[\w.\-]+::[^\t]*$")
_BARS = re.compile(r"\d+\|")
_BOM = b"\xef\xbb\xbf"
_COLONS = b"::"
_HEAD = 2**16
_FIELDS = {
    "lists": ("user_id", "item_id", "score"),
    "scores": ("user_id", "item_id", "score"),
    "interactions": ("user_id", "item_id", "rating", "timestamp"),
    "item_groups": ("item_id", "cluster"),
    "user_groups": ("user_id", "cluster"),
    "item_features": ("item_id", "title", "genres"),
}
"""What the fields of a text without a header are, by the role of its file."""
_USERS_OF_MOVIELENS = ("user_id", "gender", "age", "occupation", "zip_code")
_GENRES = (
    *("unknown", "Action", "Adventure", "Animation", "Children's", "Comedy", "Crime", "Documentary", "Drama"),
    *(
        "Fantasy",
        "Film-Noir",
        "Horror",
        "Musical",
        "Mystery",
        "Romance",
        "Sci-Fi",
        "Thriller",
        "War",
        "Western",
    ),
)
_ITEMS_OF_MOVIELENS = ("item_id", "title", "release_date", "video_release_date", "url", *_GENRES)


def plain_names(names: Sequence[str]) -> list[str]:
    """Names of columns without the types that RecBole writes behind them.

    >>> plain_names(["user_id:token", "rating:float", "title"])
    ['user_id', 'rating', 'title']
    """
    # Matched from the start only: a search would try every place of a name of megabytes.
    found = [(name, _ATOMIC.match(name)) for name in names]
    return [atomic[1] if atomic else name for name, atomic in found]


def with_header(text: bytes, role: str | None) -> tuple[bytes, str] | None:
    """A text as a table between tabs, and in words what it was; None where it is to be read as it stands.

    Parameters
    ----------
    text : UTF-8, or bytes of an unknown encoding.
    role : of the file, or None where it is not known: then three fields are those of lists, and four, the
        last a time, those of interactions.
    """
    text = text.removeprefix(_BOM)
    first = text[:_HEAD].split(b"\n", 1)[0].rstrip(b"\r").decode("utf-8", "replace")
    is_rated = role in ("train", "test", "interactions")
    if _DOUBLE_COLONS.match(first):
        return _double_colons(text, "interactions" if role is None or is_rated else role)
    if "\t" in first and all(map(_ATOMIC.fullmatch, first.split("\t"))):
        header = "\t".join(plain_names(first.split("\t")))
        return header.encode() + text[len(first.encode()) :], RECBOLE
    if _BARS.match(first) and first.count("|") in (4, len(_ITEMS_OF_MOVIELENS) - 1):
        return _bars(text, first.count("|") + 1)
    delimiter = "\t" if "\t" in first else "," if "," in first else ""
    cells = [cell.strip() for cell in first.split(delimiter)] if delimiter else []
    kind = role or ("interactions" if len(cells) == len(_FIELDS["interactions"]) else "lists")
    names = _FIELDS.get("interactions" if is_rated else kind, ())
    if delimiter and _is_row(cells, names):
        named = [*names[: len(cells)], *(f"field {at}" for at in range(len(names) + 1, len(cells) + 1))]
        return delimiter.join(named).encode() + b"\n" + text, "no header"
    return None


def _is_row(cells: Sequence[str], names: Sequence[str]) -> bool:
    """Whether a first line holds values: a number where the third field is one, or two numbers as ids."""
    if (
        not 2 <= len(cells) <= max(len(names), 5)
        or {"user_id", "item_id"} & recognise(TABLES["lists"], cells).keys()
    ):
        return False
    if len(names) > 2 and len(cells) > 2:
        return spells_number(cells[2])
    return all(map(spells_number, cells))


def _double_colons(text: bytes, role: str) -> tuple[bytes, str]:
    first = text.split(b"\n", 1)[0].rstrip(b"\r").decode("utf-8", "replace").split("::")
    if any(map(is_known_name, first)):
        return text.replace(_COLONS, b"\t"), "fields between ::"
    if role == "item_features":
        return _ends(text), "fields between ::"
    names = _USERS_OF_MOVIELENS if role == "user_groups" else _FIELDS[role]
    named = [*names[: len(first)], *(f"field {at}" for at in range(len(names) + 1, len(first) + 1))]
    return "\t".join(named).encode() + b"\n" + text.replace(_COLONS, b"\t"), "fields between ::"


def _ends(text: bytes) -> bytes:
    """The id and the genres of each line: titles are not needed, and no encoding of theirs matters."""
    lines = (line.rstrip(b"\r") for line in text.split(b"\n"))
    kept = (
        b"\t".join((line.split(_COLONS, 1)[0], line.rpartition(_COLONS)[2])) if line else b""
        for line in lines
    )
    return b"item_id\tgenres\n" + b"\n".join(kept)


def _bars(text: bytes, n_fields: int) -> tuple[bytes, str]:
    """``u.item`` and ``u.user`` of MovieLens 100K: fields between bars, the titles left out."""
    if n_fields == len(_USERS_OF_MOVIELENS):
        names = ("user_id", "age", "gender", "occupation", "zip_code")
        return "\t".join(names).encode() + b"\n" + text.replace(b"|", b"\t"), "fields between |"
    lines = (line.rstrip(b"\r").split(b"|") for line in text.split(b"\n"))
    kept = (b"\t".join((line[0], *line[5:])) if len(line) > 1 else b"" for line in lines)
    return "\t".join(("item_id", *_GENRES)).encode() + b"\n" + b"\n".join(kept), "fields between |"
