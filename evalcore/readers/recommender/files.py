"""The files of an evaluation by role and by model, their ids checked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from evalcore.problems import Findings
from evalcore.readers.evidence.rows import Rows
from evalcore.readers.formats.table import Texts
from evalcore.readers.options import Options
from evalcore.readers.recommender.matrices import Matrix
from evalcore.readers.recommender.naming.ids import check_ids
from evalcore.readers.recommender.naming.orders import in_their_order
from evalcore.readers.recommender.opening import Opened
from evalcore.readers.recommender.pairs import Part

_IN_ORDER = "Write the ids in the order of the rows or columns of the matrix, each once."


class Files:
    """The files of an evaluation by role, their ids checked.

    Parameters
    ----------
    opened : the files, of every role but ``interactions``.
    options : how they are read.
    findings : gets every problem.
    """

    def __init__(self, opened: Sequence[Opened], options: Options, findings: Findings) -> None:
        self._opened, self._options, self._findings = opened, options, findings
        self._ids: dict[tuple[str, str], Texts] = {}
        for one in opened:
            if one.rows is not None:
                for role in ("user_id", "item_id"):
                    if role in one.rows.mapped.roles:
                        self._ids[one.name, role] = check_ids(one.rows, role, findings)
        self.matrices = {one.name: self._named(one.matrix) for one in opened if one.matrix is not None}

    def _named(self, matrix: Matrix) -> Matrix:
        """A matrix with the ids of its rows and columns where files hold them in their order."""
        for role, unit, n in (
            ("score_users", "users", matrix.values.shape[0]),
            ("score_items", "items", matrix.values.shape[1]),
        ):
            for one in self.of(role):
                if getattr(matrix, unit) is not None:
                    continue
                texts = self._ids[one.name, f"{unit.removesuffix('s')}_id"]
                assert one.rows is not None
                ordered = in_their_order(one.rows, texts.levels[texts.codes], self._findings)
                if ordered is None:
                    continue
                ids = tuple(ordered.tolist())
                facts = {
                    "expected": f"{n:,} different ids, as the {unit} of {matrix.name}",
                    "advice": _IN_ORDER,
                }
                if len(ids) != n or len(set(ids)) < n:
                    found = f"{len(ids):,} ids, {len(set(ids)):,} of them different"
                    self._findings.add("RCM-018", file=one.name, found=found, **facts)
                    continue
                matrix = replace(matrix, users=ids) if unit == "users" else replace(matrix, items=ids)
        return matrix

    def of(self, *roles: str) -> list[Opened]:
        """The files of some roles."""
        return [one for one in self._opened if one.role in roles]

    def rows(self, *roles: str) -> list[Rows]:
        """The tables of some roles."""
        return [one.rows for one in self.of(*roles) if one.rows is not None]

    def levels(self, role: str, *roles: str) -> dict[str, Iterable[str]]:
        """File → the ids of users or items in it, of files of some roles."""
        unit = "users" if role == "user_id" else "items"
        found: dict[str, Iterable[str]] = {}
        for one in self.of(*roles):
            if one.name in self.matrices:
                known = getattr(self.matrices[one.name], unit)
                found[one.name] = known if known is not None else ()
            elif (one.name, role) in self._ids:
                found[one.name] = self._ids[one.name, role].levels.tolist()
        return found

    def part(self, one: Opened, at: NDArray[np.intp] | None) -> Part:
        """Some rows of a file, or all."""
        assert one.rows is not None
        user, item = (self._ids[one.name, role] for role in ("user_id", "item_id"))
        return Part(one.rows, at, user, item)


def by_model(files: Files, role: str, options: Options, notes: list[str]) -> dict[str, list[Part]]:
    """Model → its rows: by a column, else by file, unless files of other users each are parts of one list."""
    opened = [one for one in files.of(role) if one.rows is not None]
    found: dict[str, list[Part]] = {}
    plain = [one for one in opened if one.rows is not None and one.rows.text("model") is None]
    for one in opened:
        model = None if one.rows is None else one.rows.text("model")
        if model is None:
            continue
        for code, level in enumerate(model.levels.tolist()):
            at = np.flatnonzero(model.codes == code)
            if len(at):
                found.setdefault(level or one.stem, []).append(files.part(one, at))
    is_said = options.files_as == "parts"
    if len(plain) > 1 and (is_said or (options.files_as is None and _apart(files, plain))):
        found.setdefault(plain[0].stem, []).extend(files.part(one, None) for one in plain)
        listed = ", ".join(one.name for one in plain)
        why = "as you said" if is_said else "as no user stands in two of them"
        notes.append(f"{listed}: parts of the {role} of one model, {why}.")
        return found
    for one in plain:
        model_name = one.stem if one.stem not in found else one.name
        found[model_name] = [files.part(one, None)]
    return found


def _apart(files: Files, opened: Sequence[Opened]) -> bool:
    """Whether no user stands in two files."""
    seen: set[str] = set()
    for one in opened:
        users = set(files.levels("user_id", one.role)[one.name])
        if not seen.isdisjoint(users):
            return False
        seen |= users
    return True
