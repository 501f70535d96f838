"""Every column of a table gets its role: as the user says, else by name; the rest are groups or left out."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from evalcore.problems import Findings
from evalcore.readers.columns import advice, nested
from evalcore.readers.columns.mapping import Mapped
from evalcore.readers.columns.roles.by_name import (
    holds_text,
    is_text,
    is_unmapped,
    kind_by_names,
    roles_by_names,
)
from evalcore.readers.columns.roles.choices import with_label, with_scores
from evalcore.readers.columns.roles.others import with_others, with_units
from evalcore.readers.columns.score_columns import could_be_probability, report_weights
from evalcore.readers.formats.own_exports import DECISIONS, OF_DECISIONS, are_decisions
from evalcore.readers.formats.table import Table
from evalcore.schema import TABLES, is_reversed_name

_ASKED = {
    "COL-004": ("probability",),
    "COL-005": ("probability",),
    "COL-030": ("has_evidence",),
    "COL-100": ("probability", "score"),
    "COL-121": ("probability", "score"),
}
"""Choice → the roles that are asked for."""


def map_table(
    table: Table,
    given: Mapping[str, tuple[str, ...]],
    kind: str | None,
    findings: Findings,
    elsewhere: Collection[str] = (),
) -> Mapped:
    """Give every column of a table its role.

    Parameters
    ----------
    table : the table.
    given : role → columns as the user says; columns of other tables are ignored.
    kind : the kind of table where the user says it, or None to find it out.
    findings : gets what is missing or must be chosen.
    elsewhere : roles that another file holds for the same queries: its gold, or its labels.
    """
    if table.kind is not None:
        return _ranking(table, table.kind, given, findings)
    if table.lacks_names:
        return Mapped(table, None, {}, unused=dict.fromkeys(table.names, "no name"))
    here = {role: tuple(name for name in names if name in table.known) for role, names in given.items()}
    here = {role: names for role, names in here.items() if names or not given[role]}
    kind = kind or kind_by_names(table, here)
    if kind is None:
        positions = "" if table.has_header else "known by their positions only: "
        suggestions: Mapping[str, tuple[str, ...]] = nested.ask_for_all(table, findings)
        if not suggestions:
            scores = tuple(name for name in table.names if could_be_probability(table, name))
            labels = advice.fitting_labels(table, [name for name in table.names if name not in scores])
            listed = positions + ", ".join(table.names) or "none"
            options = f", such as {advice.both(table, labels, scores)}" if scores else _IN_GENERAL
            findings.add("COL-006", file=table.name, found=listed, options=options)
            suggestions = {"has_evidence": labels, "probability": scores} if scores else {}
        unused = dict.fromkeys(table.names, "fits no role")
        return Mapped(table, None, {}, unused=unused, suggestions=suggestions)
    found = nested.without_predictions(table, roles_by_names(table, kind, here), here)
    texts = [name for name in table.names if is_unmapped(name, found) and is_text(table, name)]
    for name in texts:
        findings.add("COL-007", file=table.name, name=name)
    rest = [name for name in table.names if is_unmapped(name, found) and name not in texts]
    mapped = Mapped(table, kind, found, unused=dict.fromkeys(texts, "personal text: dropped"))
    mapped = with_scores(mapped, kind, here, rest, findings)
    if kind == "queries":
        mapped = replace(mapped, roles=nested.with_class_beside(table, mapped.roles, here))
        mapped = with_label(mapped, here, rest, findings)
    _report_missing(mapped, elsewhere, findings)
    rest = [name for name in rest if is_unmapped(name, mapped.roles)]
    index = [name for name in rest if _UNNAMED.fullmatch(name)]
    _report_index(mapped, index, findings)
    rest = [name for name in rest if name not in index]
    mapped = replace(mapped, unused={**mapped.unused, **dict.fromkeys(index, "an index that pandas wrote")})
    is_labelled = kind == "queries" and {"has_evidence", "probability"} <= mapped.roles.keys()
    report_weights(table, rest, findings, may_be_counts=is_labelled)
    mapped = with_others(mapped, rest)
    return with_units(mapped, [name for name in texts if not holds_text(table, name)])


_IN_GENERAL = " with --column ROLE=NAME"
_UNNAMED = re.compile(r"Unnamed: \d+(_level_\d+)?")
"""Names that pandas makes up for columns without one: mostly its index, written and read again."""


def _report_index(mapped: Mapped, names: Sequence[str], findings: Findings) -> None:
    """Tell, in COL-265, that an index is left out; where it does not count rows it may hold the ids."""
    table = mapped.table
    has_ids = any(role in mapped.roles for role in ("post_id", "query_id"))
    for name in names:
        is_counted = all(cell.strip().isdigit() for cell in table.sample.get(name, ()))
        remedy = "It was left out; df.to_csv(PATH, index=False) leaves it out of the file."
        if not is_counted and not has_ids:
            remedy = f'It was left out. If it holds the ids, say --column "query_id={name}".'
        what = ", which counts the rows" if is_counted else ""
        findings.add("COL-265", file=table.name, name=name, what=what, advice=remedy)


_RANKING_ROLES = {"qrels": ("topic", "document", "relevance"), "run": ("topic", "document", "score", "tag")}


def _ranking(table: Table, kind: str, given: Mapping[str, tuple[str, ...]], findings: Findings) -> Mapped:
    """A qrels or a run, whose fields are known; ranks order a run that has no scores."""
    wanted = _RANKING_ROLES[kind]
    if kind == "run" and "score" not in table.fields:
        wanted = tuple("rank" if name == "score" else name for name in wanted)
    roles = {name: (table.fields[name],) for name in wanted if name in table.fields}
    if table.counts_lines:
        return Mapped(table, kind, roles)
    score = next(iter(roles.get("score", ())), None)
    is_said = any(score in names for names in given.values())
    if score is not None and is_reversed_name(score) and not is_said:
        findings.add("COL-121", file=table.name, name=score, role="score")
    rest = [name for name in table.names if is_unmapped(name, roles)]
    texts = [name for name in rest if is_text(table, name)]
    for name in texts:
        findings.add("COL-007", file=table.name, name=name)
    unused = {name: "personal text: dropped" if name in texts else "no role in this table" for name in rest}
    return Mapped(table, kind, roles, unused=unused)


def _report_missing(mapped: Mapped, elsewhere: Collection[str], findings: Findings) -> None:
    table = mapped.table
    asked = [_ASKED[p.code] for p in findings.problems if p.file == table.name and p.code in _ASKED]
    reported = {role for roles in asked for role in roles}
    for column in TABLES[str(mapped.kind)].columns:
        is_there = column.role in mapped.roles or (column.role == "score" and "rank" in mapped.roles)
        is_there = is_there or column.role in elsewhere
        is_asked = column.role in reported
        if column.required and not is_there and not is_asked:
            if column.role == "has_evidence" and are_decisions(table.sample, mapped.roles):
                findings.add("FILE-140", file=table.name, kind=DECISIONS, advice=OF_DECISIONS)
                continue
            found = ", ".join(table.names)
            free = [name for name in table.names if is_unmapped(name, mapped.roles)]
            suggested = mapped.suggestions.get(column.role, ())
            options = advice.missing(table, column.role, free, suggested)
            facts = {"found": found, "meaning": column.meaning, "options": options}
            findings.add("COL-001", file=table.name, role=column.role, **facts)
