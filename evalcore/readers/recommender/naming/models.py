"""Which rows of which files are of which model, and whether its lists have scores or ranks."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from evalcore.readers.options import Options

if TYPE_CHECKING:
    from evalcore.readers.recommender.opening import Opened

_TAG_BEFORE, _TAG_BEHIND = re.compile(r"^scores?[_.-]"), re.compile(r"[_.-]scores?$")


class Levels(Protocol):
    """Files of which models and users are known."""

    def of(self, *roles: str) -> list[Opened]:
        """The files of some roles."""

    def levels(self, role: str, *roles: str) -> Mapping[str, Iterable[str]]:
        """File → the ids of users or items in it, of files of some roles."""

    def models(self, one: Opened) -> list[str] | None:
        """The models that the rows of a file name, by first appearance; None without such a column."""

    def roles(self, one: Opened) -> Collection[str]:
        """The roles of the columns of a file that have values."""


class Rows(NamedTuple):
    """The rows of one file that are of a model: those of a level of its column of models, or all."""

    file: str
    level: str | None


class OfModel(NamedTuple):
    """What holds the lists, or the scores, of a model.

    Parameters
    ----------
    rows : in the order of the files.
    is_scored, is_ranked : whether every file has a score, and a rank.
    """

    rows: tuple[Rows, ...]
    is_scored: bool
    is_ranked: bool


class Named(NamedTuple):
    """The models of an input.

    Parameters
    ----------
    lists : model → what holds its lists.
    scores : name of scores in long form → what holds them.
    called : name of scores of any form → the model that they are of.
    """

    lists: Mapping[str, OfModel]
    scores: Mapping[str, OfModel]
    called: Mapping[str, str]


def named_in(files: Levels, matrices: Sequence[str], options: Options, notes: list[str]) -> Named:
    """The models of files; ``notes`` gets what was taken for parts of one.

    Parameters
    ----------
    matrices : the names of scores that stand in matrices.
    """
    lists = _by_model(files, "lists", options, notes)
    scores = _by_model(files, "scores", options, notes)
    names = list(dict.fromkeys([*scores, *matrices]))
    if len(names) == len(lists) == 1:
        return Named(lists, scores, dict(zip(names, lists, strict=True)))
    return Named(lists, scores, {name: _called(name, lists) for name in names})


def _by_model(files: Levels, role: str, options: Options, notes: list[str]) -> dict[str, OfModel]:
    """Model → its rows: by a column, else by file, unless files of other users each are parts of one list."""
    opened = [one for one in files.of(role) if one.matrix is None]
    found: dict[str, list[Rows]] = {}
    plain = [one for one in opened if files.models(one) is None]
    for one in opened:
        for level in files.models(one) or ():
            found.setdefault(level or one.stem, []).append(Rows(one.name, level))
    is_said = options.files_as == "parts"
    if len(plain) > 1 and (is_said or (options.files_as is None and _apart(files, plain))):
        found.setdefault(plain[0].stem, []).extend(Rows(one.name, None) for one in plain)
        listed = ", ".join(one.name for one in plain)
        why = "as you said" if is_said else "as no user stands in two of them"
        notes.append(f"{listed}: parts of the {role} of one model, {why}.")
        plain = []
    for one in plain:
        model_name = one.stem if one.stem not in found else one.name
        found[model_name] = [Rows(one.name, None)]
    has = {one.name: files.roles(one) for one in opened}
    return {
        model: OfModel(
            tuple(rows), *(all(role in has[one.file] for one in rows) for role in ("score", "rank"))
        )
        for model, rows in found.items()
    }


def _apart(files: Levels, opened: Sequence[Opened]) -> bool:
    """Whether no user stands in two files."""
    seen: set[str] = set()
    for one in opened:
        users = set(files.levels("user_id", one.role)[one.name])
        if not seen.isdisjoint(users):
            return False
        seen |= users
    return True


def _called(name: str, lists: Mapping[str, object]) -> str:
    """The model of lists that scores are called after, as ``scores_bpr``; else their name without tags.

    >>> _called("scores_bpr", {"bpr": 1}), _called("bpr-scores", {}), _called("scores", {})
    ('bpr', 'bpr', 'scores')
    """
    bare = _TAG_BEFORE.sub("", _TAG_BEHIND.sub("", name))
    return name if name in lists else bare or name
