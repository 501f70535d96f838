"""The file of a site: one JSON document of whole numbers in a zip, hashed, and checked before it is used.

`docs/sites.md` describes it. Nothing in it is a row, an id or a hash of one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import Any, NoReturn

import numpy as np

from evalcore import __version__
from evalcore.files import SITE_TALLY
from evalcore.files.zips import unzipped, zipped
from evalcore.problems import SHOWN, InputError, Problem, problem
from evalcore.readers.formats.own_exports import is_tally
from evalcore.splits import SPLIT
from evalcore.tallies.grid import Drawn, GridScores, Group, ScoreMeaning, place_of
from evalcore.tallies.grid.cell import MOST_PAIRS, SUMS, GridCell

SCHEMA = "evalcore.tally/1"
DOCUMENT = "tally.json"
MOST_BYTES = 64_000_000
"""Of the document, unpacked, and of the file."""
MOST_ROWS = 10**10
_LARGEST = 2**53


@dataclass(frozen=True, eq=False)
class Tally:
    """What the file of a site holds.

    Parameters
    ----------
    site : its name.
    scores : counts and sums on the grid.
    n_read : rows that were read; those used are the rows of ``scores``.
    excluded : reason → rows left out for it.
    smallest_cell : so many rows at least stand at every point; 1 where nothing was asked.
    n_moved : rows that were moved to a lower point for it.
    made_by : the version of evalcore that gathered it.
    """

    site: str
    scores: GridScores
    n_read: int
    excluded: Mapping[str, int] = field(default_factory=dict)
    smallest_cell: int = 1
    n_moved: int = 0
    made_by: str = __version__


def to_bytes(tally: Tally) -> bytes:
    """The bytes of the file; the same tally makes the same document."""
    score = tally.scores.score
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "evalcore": tally.made_by,
        "site": tally.site,
        "grid": tally.scores.n_points,
        "score": {
            "column": score.column,
            "model": score.level,
            "maximum": score.is_maximum,
            "of": score.of,
            "positive": score.positive,
        },
        "posts": tally.scores.has_posts,
        "synthetic": tally.scores.is_synthetic,
        "smallest_cell": tally.smallest_cell,
        "moved": tally.n_moved,
        "left_out": [[split, *group] for split, group in tally.scores.left_out],
        "read": tally.n_read,
        "excluded": dict(tally.excluded),
        "columns": list(tally.scores.columns),
        "cells": [
            {
                "split": split,
                "column": column,
                "level": level,
                "points": cell.points.tolist(),
                "sums": {name: cell.sums[name].tolist() for name in SUMS},
                "pairs": cell.pairs.T.tolist(),
                "drawn": [] if cell.drawn is None else cell.drawn.tolist(),
            }
            for split, (column, level), cell in tally.scores.every_cell()
        ],
        "drawn": None if tally.scores.drawn is None else _said_of(tally.scores.drawn),
        "shared": [[*both, n] for both, n in tally.scores.shared.items()],
        "posts_in_several_folds": tally.scores.n_in_several_folds,
    }
    document["sha256"] = _digest(document)
    members = {"mimetype": SITE_TALLY.encode(), DOCUMENT: _text(document)}
    return zipped(members, deflated=(DOCUMENT,))


def from_bytes(content: bytes, *, file: str | None = None) -> Tally:
    """What a file holds, checked.

    Parameters
    ----------
    content : the file.
    file : its name, for messages.

    Raises
    ------
    InputError : SIT-001 for another file, SIT-002 with what is damaged, SIT-003 for another version.
    """
    if not is_tally(content):
        raise InputError([problem("SIT-001", file=file, found="another file")])
    document = _document(content, file)
    wrong = list(_flaws_of(document, file))
    if wrong:
        raise InputError(wrong)
    cells: dict[str, dict[Group, GridCell]] = {"": {}}
    for one in document["cells"]:
        cell = _cell(one, file, wrong)
        if cell is not None:
            cells.setdefault(one["split"], {})[one["column"], one["level"]] = cell
    if wrong:
        raise InputError(wrong)
    score = document["score"]
    meaning = ScoreMeaning(score["column"], score["model"], score["maximum"], score["of"], score["positive"])
    scores = GridScores(
        n_points=document["grid"],
        score=meaning,
        has_posts=document["posts"],
        is_synthetic=document["synthetic"],
        columns=tuple(document["columns"]),
        of_groups=cells.pop(""),
        of_splits=cells,
        shared={(one, other): n for one, other, n in document["shared"]},
        n_in_several_folds=document["posts_in_several_folds"],
        left_out=tuple((split, (column, level)) for split, column, level in document["left_out"]),
        drawn=_read_drawn(document["drawn"]),
    )
    told = [
        _damage(file, flaw.place, flaw.found, flaw.expected) for flaw in islice(scores.flaws(None), SHOWN)
    ]
    if not told:
        told = list(_rows_unlike(document, scores, file))
    if told:
        raise InputError(told)
    return Tally(
        document["site"],
        scores.ordered(),
        document["read"],
        document["excluded"],
        document["smallest_cell"],
        document["moved"],
        document["evalcore"],
    )


def _said_of(drawn: Drawn) -> dict[str, Any]:
    """Thresholds as text that names every bit, for numbers here are whole."""
    taus = {"tau_neg": drawn.tau_neg.hex(), "tau_pos": drawn.tau_pos.hex()}
    return {**taus, "replicates": drawn.n_replicates, "seed": drawn.seed, "secret": drawn.secret}


def _read_drawn(said: Mapping[str, Any] | None) -> Drawn | None:
    if said is None:
        return None
    tau_neg, tau_pos = (float.fromhex(said[name]) for name in ("tau_neg", "tau_pos"))
    return Drawn(tau_neg, tau_pos, said["replicates"], said["seed"], said["secret"])


def _text(document: Mapping[str, Any]) -> bytes:
    """A document as it is hashed: keys sorted, no white space, UTF-8."""
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode()


def _digest(document: Mapping[str, Any]) -> str:
    return hashlib.sha256(_text({key: document[key] for key in document if key != "sha256"})).hexdigest()


def _document(content: bytes, file: str | None) -> Any:
    """The document of a file, read strictly, and no more of it than a tally may be long."""
    try:
        text = _member(content)
    except ValueError as error:
        raise _damaged(file, "the file", str(error), "a whole file") from None
    try:
        document = json.loads(
            text.decode(),
            parse_constant=_no_number,
            parse_float=_no_number,
            object_pairs_hook=_each_once,
        )
        _text(document)  # half a character, which no file can say again
    except (ValueError, RecursionError) as error:
        raise _damaged(file, DOCUMENT, str(error), "strict JSON of whole numbers") from None
    return document


def _member(content: bytes) -> bytes:
    if len(content) > MOST_BYTES:
        raise ValueError(f"{len(content):,} bytes, more than {MOST_BYTES:,}")
    members = unzipped(content, most_members=2, deflated={DOCUMENT: MOST_BYTES})
    if [*members] != ["mimetype", DOCUMENT]:
        raise ValueError("other members than a tally has")
    return members[DOCUMENT]


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"the number {text[:40]}, which is no whole number")


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key twice in one object")
    return found


def _flaws_of(document: Any, file: str | None) -> Iterator[Problem]:
    """Another version, departures from the schema, and another hash than the document has."""
    stated = document.get("schema") if isinstance(document, dict) else None
    if isinstance(stated, str) and stated != SCHEMA:
        version = str(document.get("evalcore"))[:40]
        yield problem("SIT-003", file=file, found=stated[:60], expected=SCHEMA, version=version)
        return
    flaws = list(islice(_validator().iter_errors(document), SHOWN))
    for error in flaws:
        place = "/".join([DOCUMENT, *map(str, error.absolute_path)])
        found = error.message if len(error.message) < 200 else "another value"
        yield _damage(file, place, found, "a document after its schema")
    if flaws:
        return
    digest = _digest(document)
    if document["sha256"] != digest:
        found, expected = f"the hash {document['sha256'][:12]}…", f"{digest[:12]}…, that of its content"
        yield _damage(file, DOCUMENT, found, expected)
        return
    groups = [(one["split"], one["column"], one["level"]) for one in document["cells"]]
    if len(set(groups)) < len(groups) or ("", "", "") not in groups:
        yield _damage(file, "cells", "a group twice, or no cell of all rows", "each group once")
    beside = {column for split, column, _ in groups if split} & {"", SPLIT}
    if beside:
        yield _damage(file, "cells", f"groups by {beside.pop() or 'no column'} of a split", "other columns")
    unknown = {column for _, column, _ in groups} - {"", *document["columns"]}
    if unknown:
        yield _damage(file, "cells", ", ".join(sorted(unknown)), "one of its columns")
    if document["grid"] % 2 == 0:
        yield _damage(file, "grid", str(document["grid"]), "an odd number")


def _cell(one: Mapping[str, Any], file: str | None, wrong: list[Problem]) -> GridCell | None:
    """The cell of a group; what keeps its numbers from being counts is put to the problems."""
    place = place_of(one["split"], (one["column"], one["level"]))
    lists = {"points": one["points"], **one["sums"]}
    for kind in ("pairs", "drawn"):
        lists |= {f"{kind} {at}": of for at, of in enumerate(one[kind])}
    found = len(wrong)
    for name, values in lists.items():
        first = next((kind for kind in ("pairs", "drawn") if name.startswith(f"{kind} ")), None)
        n = len(one["points"] if first is None else one[first][0])
        told = _no_counts(values, n)
        if told is not None:
            wrong.append(_damage(file, f"{place}, {name}", told, f"{n:,} counts"))
    if len(wrong) > found:
        return None
    sums = {name: np.array(one["sums"][name], np.int64) for name in SUMS}
    pairs = np.array(one["pairs"], np.int64).reshape(4, -1).T
    drawn = np.array(one["drawn"], np.int64) if one["drawn"] else None
    return GridCell(np.array(one["points"], np.intp), sums, pairs, drawn)


def _no_counts(values: list[Any], n: int) -> str | None:
    """Why a list is none of so many whole numbers from 0 on; None where it is."""
    if len(values) != n:
        return f"{len(values):,} numbers"
    if not all(type(value) is int for value in values):
        return "something that is no whole number"
    if min(values, default=0) < 0:
        return "a negative number"
    return f"more than {_LARGEST:,} in all" if sum(values) >= _LARGEST else None


def _rows_unlike(document: Mapping[str, Any], scores: GridScores, file: str | None) -> Iterator[Problem]:
    """Rows that do not add up: those read, used and left out."""
    n_rows, n_excluded = scores.everything.n_rows, sum(document["excluded"].values())
    if n_rows > MOST_ROWS:
        yield _damage(file, "all rows", f"{n_rows:,} rows", f"at most {MOST_ROWS:,}")
    if n_rows + n_excluded != document["read"]:
        found = f"{document['read']:,} rows read, {n_rows:,} used and {n_excluded:,} excluded"
        yield _damage(file, "read", found, "rows that add up")
    for split, group, cell in scores.every_cell():
        if len(cell.pairs) > MOST_PAIRS:
            found = f"{len(cell.pairs):,} pairs"
            yield _damage(file, place_of(split, group), found, f"at most {MOST_PAIRS:,}")


def _damage(file: str | None, place: str, found: str, expected: str) -> Problem:
    return problem("SIT-002", file=file, place=place, found=found, expected=expected)


def _damaged(file: str | None, place: str, found: str, expected: str) -> InputError:
    return InputError([_damage(file, place, found, expected)])


@cache
def _validator() -> Any:
    import jsonschema

    schema = json.loads(files(__package__).joinpath("tally.schema.json").read_bytes())
    return jsonschema.Draft202012Validator(schema)
