"""The files of an evaluation by role, their ids checked."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from evalcore.problems import Findings
from evalcore.readers.evidence.rows import Rows
from evalcore.readers.formats.table import Texts
from evalcore.readers.recommender.matrices import Matrix
from evalcore.readers.recommender.naming.ids import check_ids
from evalcore.readers.recommender.naming.models import OfModel
from evalcore.readers.recommender.naming.models import Rows as RowsOfModel
from evalcore.readers.recommender.naming.orders import in_their_order
from evalcore.readers.recommender.opening import Opened
from evalcore.readers.recommender.pairs import Part

_IN_ORDER = "Write the ids in the order of the rows or columns of the matrix, each once."


class Files:
    """The files of an evaluation by role, their ids checked.

    Parameters
    ----------
    opened : the files, of every role but ``interactions``.
    findings : gets every problem.
    is_whole : whether they are all of the input: of some users' rows, ids that look alike are not told.
    """

    def __init__(self, opened: Sequence[Opened], findings: Findings, *, is_whole: bool = True) -> None:
        self._opened, self._findings = opened, findings
        self._ids: dict[tuple[str, str], Texts] = {}
        for one in opened:
            if one.rows is not None:
                for role in ("user_id", "item_id"):
                    if role in one.rows.mapped.roles:
                        self._ids[one.name, role] = check_ids(one.rows, role, findings, is_whole=is_whole)
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

    def models(self, one: Opened) -> list[str] | None:
        """The models that the rows of a file name, by first appearance; None without such a column."""
        texts = None if one.rows is None else one.rows.text("model")
        if texts is None:
            return None
        has_rows = np.bincount(texts.codes, minlength=len(texts.levels)) > 0
        return [str(level) for level in texts.levels[has_rows].tolist()]

    def roles(self, one: Opened) -> Collection[str]:
        """The roles of the columns of a file that have values."""
        return () if one.rows is None else one.rows.mapped.roles.keys()

    def parts(self, model: OfModel) -> list[Part]:
        """The rows of a model, by file; a file that has none here is missing."""
        own = {one.name: one for one in self._opened if one.rows is not None}
        found = [(one, own[one.file]) for one in model.rows if one.file in own]
        return [part for rows, one in found if (part := self._of_level(rows, one)) is not None]

    def _of_level(self, rows: RowsOfModel, one: Opened) -> Part | None:
        """The rows of a level of the column of models, or all; None where there are none."""
        assert one.rows is not None
        texts = one.rows.text("model")
        if rows.level is None or texts is None:
            return self.part(one, None)
        at = np.flatnonzero((texts.levels == rows.level)[texts.codes])
        return self.part(one, at) if len(at) else None

    def part(self, one: Opened, at: NDArray[np.intp] | None) -> Part:
        """Some rows of a file, or all."""
        assert one.rows is not None
        user, item = (self._ids[one.name, role] for role in ("user_id", "item_id"))
        return Part(one.rows, at, user, item)
