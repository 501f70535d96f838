"""What of a document cannot be recomputed on these rows by this version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evalcore.operating_point.choosing.folds import over_folds
from evalcore.operating_point.constraints import Constraint
from evalcore.operating_point.document.groups import columns_of, marks_of
from evalcore.operating_point.document.verifying.leaves import in_short
from evalcore.operating_point.test_rows.row_sets import RowSet
from evalcore.operating_point.test_rows.site_rows import groups_in
from evalcore.operating_point.tradeoff.groups import group_columns
from evalcore.problems import InputError, Problem, problem


def unknown_parts(document: Mapping[str, Any], row_sets: Sequence[RowSet | None]) -> list[Problem]:
    """Parts that this version cannot recompute."""
    found = []
    for at, rows in enumerate(row_sets):
        if rows is None:
            shown = in_short(document["data"][at].get("row_filter"))
            found.append(
                problem(
                    "DOC-004", place=f"data[{at}].row_filter", found=shown, expected="a filter of these data"
                )
            )
    roles = [entry["role"] for entry in document["data"]]
    if roles not in (["all"], ["tune"], ["tune", "test"]):
        found.append(
            problem(
                "DOC-004", place="data", found=", ".join(roles), expected="all, or tune, or tune and test"
            )
        )
    if document["selection"]["chosen_on"] == "folds":
        found += _unknown_folds(row_sets)
    found += _unknown_groups(document, row_sets)
    for at, entry in enumerate(document["selection"]["constraints"]):
        if Constraint.from_json(entry) is None:
            named = f"selection.constraints[{at}]"
            found.append(
                problem("DOC-004", place=named, found=in_short(entry), expected="a target of this version")
            )
    return found


def _unknown_groups(document: Mapping[str, Any], row_sets: Sequence[RowSet | None]) -> list[Problem]:
    """Columns of groups that the rows do not hold."""
    marks, asked = marks_of(document), columns_of(document)
    named = {column: f"selection.must_not_miss[{at}]" for at, (column, _) in reversed([*enumerate(marks)])}
    named |= {column: f"selection.groups_by[{at}]" for at, column in enumerate(asked) if column not in named}
    several = [groups_in(rows.data) for rows in row_sets if rows is not None]
    known = [group_columns(groups) for groups in several if groups is not None]
    return [
        problem("DOC-004", place=where, found=repr(column), expected="a column of groups of these data")
        for column, where in named.items()
        if not all(column in columns for columns in known)
    ]


def _unknown_folds(row_sets: Sequence[RowSet | None]) -> list[Problem]:
    """That the rows hold no folds, though the document was made over folds."""
    try:
        for rows in row_sets:
            if rows is not None:
                over_folds(rows, None, None)
    except InputError as error:
        shown = error.problems[0].found
        return [problem("DOC-004", place="selection.chosen_on", found="'folds'", expected=f"not so: {shown}")]
    return []
