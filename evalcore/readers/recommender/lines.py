"""Lines of a user and items between blanks, as LightGCN and NGCF write interactions: read, or asked about.

``1 5 7 8`` is a user with three items there, and a judgement of TREC elsewhere; lines of different lengths,
or of more fields than any other table has, are the former, and a constant second field is the latter.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from evalcore.problems import Findings
from evalcore.readers.formats.cells import spells_number
from evalcore.readers.inputs import RawFile
from evalcore.readers.opening import text_of
from evalcore.readers.recommender.roles import role_named

_LOOKED_AT = 1000
_WHOLE = re.compile(r"\d+")
_NUMBERS = re.compile(rb"[\d \t\r\n]*")
_HEAD = 2**16
_MOST_FIELDS = 6
"""Fields of a run, the longest line of another table between blanks."""
_MOST_RATINGS = 20
"""Ratings are hardly of more values; ids are."""
_SECONDS = 10**8
_ITEM = r"(?:[^\W\d]|[.-])*+\d[\w.-]*+"
"""With a digit. Possessive: a cell that is none would else be parted at each of its digits, in every way."""
_CELL = re.compile(rf"[^\s,;]++[,;\t]\"?{_ITEM}( {_ITEM})++\"?")
_A_ROW_EACH = "Write a row for each user and item: user,item."
_PAIRS = (
    "Where a line is one pair, write tabs or commas between user, item, rating and time; else write a row "
    "for each user and item."
)
_OPEN = "either one user with all items, or one user and item with a rating and more"
SECOND = "the second field"
ONE_ROW_EACH = "Write one row for each recommended item: its user, the item, and its score or rank."


def one_pair_a_line(text: bytes, role: str | None, name: str, findings: Findings) -> bytes | None:
    """Lines of numbers between blanks as a table of pairs; None where they are none, or are asked about.

    Parameters
    ----------
    role : of the file, or None where nothing says it.
    """
    if not _NUMBERS.fullmatch(text[:_HEAD]):
        return None
    lines = [fields for line in _first(text) if (fields := line.split())]
    widths = {len(fields) for fields in lines}
    if not lines or max(widths) < 3 or b"\t" in text[:_HEAD]:
        return None
    is_by_user = len({fields[0] for fields in lines}) == len(lines)
    if is_by_user and (len(widths) > 1 or max(widths) > _MOST_FIELDS):
        if role in ("lists", "scores"):
            findings.add("RCM-025", file=name, name=SECOND, advice=ONE_ROW_EACH)
            return None
        return _pairs(text)
    if role in ("lists", "scores"):
        return None
    if widths == {4} and all(int(fields[3]) >= _SECONDS for fields in lines):
        return b"user_id\titem_id\trating\ttimestamp\n" + b"\n".join(
            b"\t".join(line.split()) for line in text.split(b"\n")
        )
    if widths == {3}:
        is_open = is_by_user and len({fields[2] for fields in lines}) > _MOST_RATINGS
    else:
        is_open = len({fields[1] for fields in lines}) > 1 or {fields[1] for fields in lines} != {"0"}
    if is_open:
        facts = {"found": f"lines such as {' '.join(lines[0])}: {_OPEN}", "advice": _PAIRS}
        findings.add("RCM-077", file=name, **facts)
    return None


def _first(text: bytes) -> list[str]:
    """The first lines, none that is cut off."""
    lines = text[:_HEAD].decode("utf-8", "replace").split("\n")
    return lines[: min(_LOOKED_AT, len(lines) - (len(text) > _HEAD))]


def are_called_together(files: Sequence[RawFile]) -> bool:
    """Whether files without headers are those of one evaluation by their names: lists or train beside a test.

    What could be judgements of TREC, whose second field is constant or whose fields stand between blanks, is
    none of them.
    """
    roles = {role_named(file.name) for file in files}
    if "test" not in roles or roles.isdisjoint({"train", "lists"}) or len(files) < 2:
        return False
    return all(_are_pairs(file) for file in files if role_named(file.name) in ("train", "test"))


def _are_pairs(file: RawFile) -> bool:
    """Whether the lines of a file are users and items between tabs or commas, without a header."""
    text = text_of(file, most=_HEAD) or b""
    rows = [re.split(r"[\t,]", line) for line in _first(text)]
    rows = [row for row in rows if row != [""]]
    is_pair = all(len(row) in (2, 3, 4) and all(map(spells_number, map(str.strip, row))) for row in rows)
    return is_pair and len({row[1] for row in rows}) > 1


def _pairs(text: bytes) -> bytes:
    rows = [b"user_id\titem_id"]
    for line in text.split(b"\n"):
        user, *items = line.split() or [b""]
        rows += [user + b"\t" + item for item in items]
    return b"\n".join(rows)


def are_lists_in_cells(text: bytes) -> bool:
    """Whether every line is a user and several items between blanks, in two fields.

    >>> are_lists_in_cells(b"1,5 7 8\\n2,9 1\\n"), are_lists_in_cells(b"user_id,items\\n1,5 7\\n2,3 4\\n")
    (True, True)
    >>> are_lists_in_cells(b"1,Toy Story,3\\n"), are_lists_in_cells(b"u1,a\\nu2,b c\\n")
    (False, False)
    """
    rows = [line.strip() for line in _first(text) if line.strip()]
    body = rows[1:] if rows and not any(map(str.isdigit, rows[0])) else rows
    return bool(body) and all(map(_CELL.fullmatch, body))


def refuse_ranking(kind: str, role: str | None, second: Sequence[str], name: str, findings: Findings) -> None:
    """Refuse lines that are read as TREC and are none by their second field, and a run as interactions.

    Parameters
    ----------
    kind : ``qrels`` or ``run``.
    role : of the file.
    second : the first cells of the second field, which TREC leaves constant; empty without such a field.
    """
    if second and kind == "run" and role in ("train", "test"):
        found, advice = "a run of TREC: ranked items with scores", "Give it as INPUT: it is a model's lists."
        findings.add("RCM-078", file=name, found=found, role=role, advice=advice)
    elif len({cell.upper() for cell in second}) > 1:
        found = f"lines like a {kind} of TREC whose second field differs: {', '.join(second[:3])}"
        findings.add("RCM-077", file=name, found=found, advice=_A_ROW_EACH)
