"""The thresholds of a document on new rows of the same kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evalcore.data import Data
from evalcore.operating_point.choosing.claims.judging import claims
from evalcore.operating_point.choosing.estimates import count, estimates, is_bootstrapped
from evalcore.operating_point.constraints import Constraint
from evalcore.operating_point.document.groups import columns_of, group_entries, marks_of
from evalcore.operating_point.document.rule import Rule
from evalcore.operating_point.origin import origin_of
from evalcore.operating_point.reopening.numbers import Change, changes_between, numbers_of
from evalcore.operating_point.rules import rules_of
from evalcore.operating_point.test_rows.row_sets import RowSet, row_set, rows_in_words
from evalcore.operating_point.tradeoff.groups import group_columns
from evalcore.problems import InputError, problem


def new_rows(document: Mapping[str, Any], data: Data) -> RowSet:
    """New rows of the kind that the document is of: those of the split that decides in it, else all.

    Raises
    ------
    InputError : OPT-077 with all that makes them another kind; as for `row_set`.
    """
    given = document["input"]
    named = (given.get("model") or {}).get("name")
    model = _model(data, named, given["score_field"])
    if data.queries is not None:
        kinds: list[tuple[str, str, str]] = [("scores of kind", data.score_kind, given["score_kind"])]
        if model is None:
            kinds.append(("scores of", ", ".join(data.queries.models), named or given["score_field"]))
        found = [
            problem("OPT-077", found=f"{name} {now}", expected=f"{name} {then}")
            for name, now, then in kinds
            if now != then
        ]
        known = group_columns(data.queries)
        asked = dict.fromkeys((*(column for column, _ in marks_of(document)), *columns_of(document)))
        found += [
            problem("OPT-077", found=f"no column {column} of groups", expected=f"the column {column}")
            for column in asked
            if column not in known
        ]
        if found:
            raise InputError(found)
    split = _split(data, _decisive(document).get("row_filter"), named)
    return row_set(
        data,
        "test",
        split=split,
        model=model,
        cluster=document["selection"].get("cluster"),
        rules=rules_of(document),
    )


def _model(data: Data, name: str | None, score_field: str) -> str | None:
    """The model of the data that the document was made for: by its name, else by the column of its score."""
    models = () if data.queries is None else data.queries.models
    if name is not None:
        return name if name in models else None
    return next((one for one in models if origin_of(data, one).column == score_field), None)


def _split(data: Data, row_filter: str | None, model: str | None) -> str | None:
    """The split of the data that a filter of a document names, whether or not these name a model too."""
    for split in data.queries.slices.get("split", (None, ()))[1] if data.queries is not None else ():
        if row_filter in (f"split = {split}", f"split = {split} and model = {model}"):
            return str(split)
    return None


def _decisive(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """The entry of the rows that decide: tested on or, without a test, chosen on."""
    entries: list[Mapping[str, Any]] = document["data"]
    return next((entry for entry in entries if entry["role"] == "test"), entries[0])


def compared_on(document: Mapping[str, Any], rows: RowSet) -> tuple[str, str, tuple[Change, ...]]:
    """The numbers of a document and those on new rows, with both rows in words.

    Parameters
    ----------
    document : after the schema.
    rows : from `new_rows`, in the role in which they are judged.
    """
    rule, decisive = Rule.from_document(document), _decisive(document)
    asked = (Constraint.from_json(entry) for entry in document["selection"]["constraints"])
    constraints = tuple(one for one in asked if one is not None)
    levels = {one.metric: one.confidence for one in constraints if one.confidence is not None}
    counted = count(rows, rule.tau_neg, rule.tau_pos)
    marks = marks_of(document)
    now = {
        "selection": document["selection"],
        "data": [rows.entry()],
        "estimates": estimates(counted, levels, is_bootstrapped=is_bootstrapped(document)),
        "claims": claims(counted, constraints, marks=marks),
        "subgroups": group_entries(counted, constraints, marks=marks, columns=columns_of(document)),
    }
    where = "all rows" if rows.row_filter is None else f"the rows with {rows.row_filter}"
    file = " + ".join(source.name for source in rows.origin.sources)
    before = rows_in_words(decisive["role"], decisive.get("row_filter"))
    return (
        f"{before} of {decisive.get('file', 'the document')}",
        f"{where} of {file}",
        changes_between(numbers_of(document, decisive["role"]), numbers_of(now, rows.role)),
    )
