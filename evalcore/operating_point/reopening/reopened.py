"""A document opened again: its digest, its numbers on its own data, and on new rows of the same kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evalcore.data import Data
from evalcore.operating_point.constraints import Constraint, Thresholds
from evalcore.operating_point.document.groups import marks_of
from evalcore.operating_point.document.integrity import contradictions, false_id
from evalcore.operating_point.document.verifying.rows import rows_of
from evalcore.operating_point.document.verifying.verify import VerifyResult, verify_document
from evalcore.operating_point.document.writing import OperatingPoint
from evalcore.operating_point.reopening.independence import judged
from evalcore.operating_point.reopening.new_rows import compared_on, new_rows
from evalcore.operating_point.reopening.numbers import Change, changes_between, point_numbers
from evalcore.operating_point.reopening.other_data import other_data
from evalcore.operating_point.typed import Particulars
from evalcore.problems import InputError, Problem


@dataclass(frozen=True)
class Reopened:
    """What a document holds for whoever opens it again, and whether it may be relied on.

    Parameters
    ----------
    point : the document.
    problems : why it may not be restored: it was changed, contradicts itself, or was made on other data.
    verified : the recomputation on its own data; None where these were not given or are others.
    thresholds, constraints : what to restore.
    model : the model it was chosen for, where the data held several or named it; None: the only one.
    particulars : what a person said about the choice.
    must_not_miss : the marked groups to restore, each a column and a level.
    then, now : which numbers `changes` compares, in words; empty without a comparison.
    judged : of new rows, as what they are judged and why, in words; else empty.
    is_in_sample : whether new rows are judged as those chosen on are; None without new rows.
    changes : every number then and now, also those that are the same; empty without data.
    """

    point: OperatingPoint
    problems: tuple[Problem, ...]
    verified: VerifyResult | None
    thresholds: Thresholds
    constraints: tuple[Constraint, ...]
    model: str | None
    particulars: Particulars
    must_not_miss: tuple[tuple[str, str], ...] = ()
    then: str = ""
    now: str = ""
    judged: str = ""
    is_in_sample: bool | None = None
    changes: tuple[Change, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether nothing speaks against it: its digest agrees and, with its data, all is recomputed alike.

        Without its data only its digest, its id and what it says of itself were checked.
        """
        return not self.problems and (self.verified is None or self.verified.holds)

    @property
    def changed(self) -> tuple[Change, ...]:
        """The numbers that differ."""
        return tuple(one for one in self.changes if one.is_changed)

    def as_json(self) -> dict[str, Any]:
        """What was found, for a program."""
        return {
            "id": self.point.document["id"],
            "content_sha256": self.point.document["content_sha256"],
            "holds": self.holds,
            "recomputed": self.verified is not None,
            "problems": [{"code": one.code, "text": str(one)} for one in self._found],
            "then": self.then,
            "now": self.now,
            "judged": self.judged,
            "in_sample": self.is_in_sample,
            "changes": [one.as_json() for one in self.changes],
        }

    @property
    def _found(self) -> tuple[Problem, ...]:
        return (*self.problems, *(() if self.verified is None else self.verified.differences))


def reopened(point: OperatingPoint, data: Sequence[Data] = (), *, against: Data | None = None) -> Reopened:
    """A document opened again: its digest first, then its numbers on its own data, then on new rows.

    A page that a document is dropped on calls ``reopened(OperatingPoint.from_bytes(raw, strict=False),
    [data])``: where `Reopened.holds`, it restores ``thresholds``, ``constraints``, ``must_not_miss`` and
    ``model``; else it shows ``problems`` and moves nothing. Other data than the document's are a problem that
    says which digest, rows and columns differ; whoever wants the numbers on them asks with ``against``.

    Parameters
    ----------
    point : read with ``strict=False``, so that a changed document is told and not raised.
    data : the data it was chosen and tested on, in any order; without any it is checked as it stands.
    against : new rows of the same kind: the same model's scores, read by the same columns. The numbers of
        the rows that decide in the document (test or, without one, those chosen on) stand beside those of
        the same split here or, where there is no such split, of all rows; both at its thresholds. They are
        judged as a test only where ``data`` show that they are others than those chosen on.

    Returns
    -------
    Reopened; its ``changes`` compare with ``against`` or, without it, with the recomputation.
    """
    document = point.document
    asked = (Constraint.from_json(entry) for entry in document["selection"]["constraints"])
    found, verified = contradictions(document), None
    if not data and not found:
        found = false_id(document)
    if data and not found:
        found = other_data(point.document, data)
        verified = None if found else verify_document(document, data)
    then = now = why = ""
    is_in_sample = None
    changes: tuple[Change, ...] = ()
    if verified is not None and verified.recomputed is not None and against is None:
        then, now = "as the document says", "recomputed on the same data"
        changes = changes_between(point_numbers(document), point_numbers(verified.recomputed))
    if against is not None and not found:
        try:
            rows = new_rows(document, against)
        except InputError as error:
            found = list(error.problems)
        else:
            chosen = None if verified is None else rows_of(document["data"][0], data, document)
            rows, why = judged(document, rows, chosen)
            is_in_sample = rows.role != "test"
            then, now, changes = compared_on(document, rows)
    return Reopened(
        point,
        tuple(found),
        verified,
        Thresholds(point.tau_neg, point.tau_pos),
        tuple(one for one in asked if one is not None),
        point.model,
        Particulars.from_document(document),
        marks_of(document),
        then,
        now,
        why,
        is_in_sample,
        changes,
    )
