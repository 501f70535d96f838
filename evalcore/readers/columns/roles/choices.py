"""Which column is the score and which the label, where several could be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from shlex import quote

from evalcore.problems import Findings
from evalcore.readers.columns import nested
from evalcore.readers.columns.label_columns import prediction_among, rivals_of
from evalcore.readers.columns.mapping import Mapped
from evalcore.readers.columns.roles.by_name import is_unmapped
from evalcore.readers.columns.score_columns import candidate_scores, query_scores, refuse_gold_derived
from evalcore.schema import TABLES


def with_scores(
    mapped: Mapped, kind: str, here: Mapping[str, tuple[str, ...]], rest: list[str], findings: Findings
) -> Mapped:
    """Choose the score columns; ask where the direction or the column is open."""
    role = "score" if kind == "candidates" else "probability"
    named = mapped.roles.get(role, ())
    suggestions: tuple[str, ...] = ()
    refuse_gold_derived(mapped.table, named, findings)
    if kind != "ranked_lists" and (inside := nested.ask_for_score(mapped.table, named, rest, role, findings)):
        named, suggestions = (), inside
    elif kind == "candidates":
        is_said = any(names and TABLES[kind].role_named(said) == role for said, names in here.items())
        if not is_said:
            named = candidate_scores(mapped.table, named, rest, "rank" in mapped.roles, findings)
    elif kind == "queries":
        named, suggestions = query_scores(mapped.table, named, rest, findings)
    found = {key: names for key, names in mapped.roles.items() if key != role}
    return replace(
        mapped,
        roles={**found, role: named} if named else found,
        suggestions={role: suggestions} if suggestions else {},
    )


def with_label(
    mapped: Mapped, here: Mapping[str, tuple[str, ...]], rest: list[str], findings: Findings
) -> Mapped:
    """Ask which column is the label where the one of that name may be a prediction.

    What looks like the prediction beside a label that the user named, or whose name says so, becomes that.
    """
    table, label, score = mapped.table, mapped.one("has_evidence"), mapped.one("probability")
    if label is None:
        return mapped
    free = [name for name in rest if is_unmapped(name, mapped.roles)]
    is_named = label in {name for names in here.values() for name in names}
    rivals = None if is_named else rivals_of(table, label, score, free)
    if rivals is None:
        prediction = prediction_among(table, label, score, free, is_named_by_user=is_named)
        if prediction is None or "predicted_label" in mapped.roles:
            return mapped
        return replace(mapped, roles={**mapped.roles, "predicted_label": (prediction,)})
    others, why = rivals
    facts = {"other": ", ".join(map(repr, others)), "why": why, "n": "two" if len(others) == 1 else "several"}
    first = " or --column has_evidence=".join(map(quote, others))
    findings.add("COL-030", file=table.name, name=label, first=first, **facts)
    return replace(
        mapped,
        roles={role: names for role, names in mapped.roles.items() if role != "has_evidence"},
        suggestions={**mapped.suggestions, "has_evidence": (*others, label)},
    )
