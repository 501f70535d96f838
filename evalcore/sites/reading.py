"""From files of sites to data without rows: each checked, all fitting together, in one order."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from pathlib import Path
from typing import Any, cast

from evalcore.data import Data, ScoreOf, Source
from evalcore.problems import InputError, Problem, problem
from evalcore.readers.formats.own_exports import is_tally
from evalcore.readers.inputs import paths_of
from evalcore.sites.archive import Tally, from_bytes
from evalcore.tallies.grid import GridScores, place_of

_HEAD = 200


def are_tallies(inputs: Iterable[str | Path]) -> bool:
    """Whether inputs are files of sites, as their beginnings say.

    Raises
    ------
    InputError : SIT-001 where some are and some are not: rows and tallies are not read together.
    """
    by_kind: dict[bool, list[str]] = {True: [], False: []}
    for path in _files(inputs):
        by_kind[path.is_file() and is_tally(_head(path))].append(path.name)
    if by_kind[True] and by_kind[False]:
        found = f"no tally, beside the tally {by_kind[True][0]}"
        raise InputError([problem("SIT-001", file=name, found=found) for name in by_kind[False]])
    return bool(by_kind[True])


def read_tallies(inputs: Iterable[str | Path]) -> Data:
    """The tallies of one site or of many, as one: the same in any order.

    Parameters
    ----------
    inputs : files, folders or globs.

    Returns
    -------
    Data with the table ``sites`` and no row; a source for each file, by the names of the sites.

    Raises
    ------
    InputError : for a file that is no tally or is damaged (SIT-001 to SIT-003), for sites that do not fit
        together (SIT-004), and for a site or a content that is there twice (SIT-005, SIT-006).
    """
    contents: list[tuple[str, bytes]] = []
    problems: list[Problem] = []
    for path in _files(inputs):
        try:
            if not path.is_file():
                problems.append(problem("FILE-001", file=path.name))
            else:
                contents.append((path.name, path.read_bytes()))
        except OSError as error:
            reason = error.strerror or str(error)
            problems.append(problem("FILE-018", file=path.name, reason=reason))
    return opened_together(contents, problems)


def opened_together(contents: Iterable[tuple[str, bytes]], problems: Iterable[Problem] = ()) -> Data:
    """As `read_tallies`, of files that are in memory.

    Parameters
    ----------
    contents : name and content of each.
    problems : of files that could not be read.

    Raises
    ------
    InputError : with these problems and those of the files.
    """
    found: list[tuple[Tally, Source]] = []
    problems = list(problems)
    for name, content in contents:
        try:
            tally = from_bytes(content, file=name)
        except InputError as error:
            problems += error.problems
            continue
        found.append((tally, _source(tally, name, content)))
    if not problems:
        problems = list(unfit(found))
    if problems:
        raise InputError(problems)
    return data_of(found)


def data_of(found: Sequence[tuple[Tally, Source]]) -> Data:
    """The data of sites that fit together, at least one, each with its file."""
    found = sorted(found, key=lambda one: one[0].site)
    tallies = [tally for tally, _ in found]
    scores = reduce(GridScores.merge, (tally.scores for tally in tallies)).ordered()
    moved = sum(tally.n_moved for tally in tallies)
    notes = [f"Tallies of {len(tallies):,} site{'s' if len(tallies) > 1 else ''}: " + _named(tallies) + "."]
    if any(tally.smallest_cell > 1 for tally in tallies):
        notes.append(
            f"{moved:,} of {scores.everything.n_rows:,} rows stand at a lower point than their score's, for "
            "the smallest cell sizes of the sites: a count below a threshold is too high by as many at most."
        )
    left_out = [
        f"{tally.site}: {', '.join(place_of(*one) for one in tally.scores.left_out)}"
        for tally in tallies
        if tally.scores.left_out
    ]
    if left_out:
        notes.append(f"Groups left out as too small: {'; '.join(left_out)}.")
    return Data(
        task="evidence",
        sources=tuple(source for _, source in found),
        tables={"sites": scores},
        positive=scores.score.positive,
        score_of=cast("ScoreOf | None", scores.score.of),
        notes=tuple(notes),
        facts={"synthetic": True} if scores.is_synthetic else {},
        checked=(),
    )


def unfit(found: Sequence[tuple[Tally, Source]]) -> Iterator[Problem]:
    """What keeps sites from fitting together."""
    sites: dict[str, str] = {}
    contents: dict[str, str] = {}
    for tally, source in found:
        if source.sha256 in contents:
            yield problem("SIT-006", file=source.name, first=contents[source.sha256])
        elif tally.site in sites:
            yield problem("SIT-005", file=source.name, found=tally.site)
        contents.setdefault(source.sha256, source.name)
        sites.setdefault(tally.site, source.name)
    if not found:
        return
    (first, named), *others = found
    for tally, source in others:
        for (what, one), (_, expected) in zip(_said(tally), _said(first), strict=True):
            if one != expected:
                said: dict[str, Any] = {"what": what, "first": named.name}
                yield problem("SIT-004", file=source.name, found=one, expected=expected, **said)


def _said(tally: Tally) -> list[tuple[str, str]]:
    """What sites must have alike, in words."""
    scores = tally.scores
    return [
        ("a grid of", f"{scores.n_points:,} points"),
        ("the score", scores.score.in_words),
        ("rows", "with posts" if scores.has_posts else "without posts"),
        ("replicates", "none" if scores.drawn is None else scores.drawn.in_words),
        ("groups by", ", ".join(scores.columns) or "no column"),
    ]


def _named(tallies: Sequence[Tally]) -> str:
    return ", ".join(f"{tally.site} ({tally.scores.everything.n_rows:,} rows)" for tally in tallies)


def _files(inputs: Iterable[str | Path]) -> Iterator[Path]:
    for one in inputs:
        yield from (path for path, _ in paths_of(one))


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_HEAD)


def _source(tally: Tally, name: str, content: bytes) -> Source:
    return Source(
        name=name,
        role="tally",
        sha256=hashlib.sha256(content).hexdigest(),
        n_bytes=len(content),
        n_rows=tally.n_read,
        n_used=tally.scores.everything.n_rows,
        excluded=dict(tally.excluded),
        columns={},
        format=f"tallies of {tally.site}",
    )
