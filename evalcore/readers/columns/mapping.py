"""Which column of a table has which role: as the user says, else by name; the rest are groups or left out."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from evalcore.problems import Findings
from evalcore.readers.columns import nested
from evalcore.readers.columns.label_columns import is_gold_name, prediction_among, rivals_of
from evalcore.readers.columns.score_columns import (
    candidate_scores,
    fitting_columns,
    numeric_sample,
    query_scores,
    refuse_gold_derived,
    report_weights,
    several_in_words,
)
from evalcore.readers.columns.stated import parts_of
from evalcore.readers.formats.own_exports import DECISIONS, OF_DECISIONS, are_decisions
from evalcore.readers.formats.table import Form, Table
from evalcore.schema import (
    TABLES,
    Column,
    TableKind,
    is_list_name,
    is_reversed_name,
    is_text_name,
    kind_of,
    plain,
    recognise,
)

MAX_LEVELS = 1000
TOO_MANY = f"over {MAX_LEVELS:,} different values"
"""Why a column is no group where not all of its rows are at hand to be counted."""
_ASKED = {
    "COL-004": ("probability",),
    "COL-005": ("probability",),
    "COL-030": ("has_evidence",),
    "COL-100": ("probability", "score"),
    "COL-121": ("probability", "score"),
}
"""Choice → the roles that are asked for."""

_FEW_NUMBERS = 50
_ID_LIKE = 0.5
POST_NAMES = TABLES["queries"].column("post_id").names
CLUSTER = "cluster"
_FORMS: Mapping[str, Form] = {
    "id": "text",
    "name": "text",
    "label": "text",
    "number": "number",
    "grade": "text",
    "list": "raw",
}


@dataclass(frozen=True)
class Mapped:
    """A table with the roles of its columns.

    Parameters
    ----------
    table : the table.
    kind : its kind, a name of `evalcore.schema.TABLES`, or None where the columns fit none.
    roles : role → columns; several only where each is a model.
    groups : other columns to break down by, read as text.
    numbers : other columns of numbers.
    unused : column → why it is left out.
    suggestions : role that has no column yet → columns that could be it.
    units : columns that are left out and read for their codes alone, as they may name the posts.
    """

    table: Table
    kind: str | None
    roles: Mapping[str, tuple[str, ...]]
    groups: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    unused: Mapping[str, str] = field(default_factory=dict)
    suggestions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    units: tuple[str, ...] = ()

    def one(self, role: str) -> str | None:
        """The column of a role that has at most one."""
        return next(iter(self.roles.get(role, ())), None)

    def forms(self) -> dict[str, Form]:
        """How each needed column is to be read."""
        if self.table.kind is not None:
            return {names[0]: _RANKING_FORMS.get(role, "text") for role, names in self.roles.items()}
        cells = {c.role: _FORMS[c.cell] for kind in self._kinds() for c in kind.columns}
        cells["query_id"] = "raw"  # one text for each row: coded only once its parts are known
        wanted: dict[str, Form] = {name: cells[role] for role, names in self.roles.items() for name in names}
        wanted.update(dict.fromkeys((*self.groups, *self.units), "text"))
        wanted.update(dict.fromkeys(self.numbers, "number"))
        return wanted

    def columns(self) -> Iterator[tuple[str, Column]]:
        """Each column that has a role, with what the role declares."""
        declared = {c.role: c for kind in self._kinds() for c in kind.columns}
        for role, names in self.roles.items():
            if role in declared:
                yield from ((name, declared[role]) for name in names)

    def _kinds(self) -> list[TableKind]:
        return list(reversed(parts_of(self.kind))) if self.kind else []


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
    kind = kind or _kind(table, here)
    if kind is None:
        positions = "" if table.has_header else "known by their positions only: "
        suggestions: Mapping[str, tuple[str, ...]] = nested.ask_for_all(table, findings)
        if not suggestions:
            labels, scores = fitting_columns(table)
            labels = tuple(sorted(_may_be_labels(labels), key=lambda name: not is_gold_name(name)))
            listed = positions + ", ".join(table.names) or "none"
            options = _options(table, labels, scores)
            findings.add("COL-006", file=table.name, found=listed, options=options)
            suggestions = {"has_evidence": labels, "probability": scores} if scores else {}
        unused = dict.fromkeys(table.names, "fits no role")
        return Mapped(table, None, {}, unused=unused, suggestions=suggestions)
    found = nested.without_predictions(table, _roles(table, kind, here), here)
    texts = [name for name in table.names if _unmapped(name, found) and is_text(table, name)]
    for name in texts:
        findings.add("COL-007", file=table.name, name=name)
    rest = [name for name in table.names if _unmapped(name, found) and name not in texts]
    mapped = Mapped(table, kind, found, unused=dict.fromkeys(texts, "personal text: dropped"))
    mapped = _with_scores(mapped, kind, here, rest, findings)
    if kind == "queries":
        mapped = replace(mapped, roles=nested.with_class_beside(table, mapped.roles, here))
        mapped = _with_label(mapped, here, rest, findings)
    _report_missing(mapped, elsewhere, findings)
    rest = [name for name in rest if _unmapped(name, mapped.roles)]
    index = [name for name in rest if _UNNAMED.fullmatch(name)]
    _report_index(mapped, index, findings)
    rest = [name for name in rest if name not in index]
    mapped = replace(mapped, unused={**mapped.unused, **dict.fromkeys(index, "an index that pandas wrote")})
    is_labelled = kind == "queries" and {"has_evidence", "probability"} <= mapped.roles.keys()
    report_weights(table, rest, findings, may_be_counts=is_labelled)
    mapped = _with_others(mapped, rest)
    return _with_units(mapped, [name for name in texts if not _holds_text(table, name)])


_UNNAMED = re.compile(r"Unnamed: \d+(_level_\d+)?")
"""Names that pandas makes up for columns without one: mostly its index, written and read again."""


def _report_index(mapped: Mapped, names: Sequence[str], findings: Findings) -> None:
    """Tell, in COL-265, that an index is left out; where it does not count rows it may hold the ids."""
    table = mapped.table
    has_ids = any(role in mapped.roles for role in ("post_id", "query_id"))
    for name in names:
        is_counted = all(cell.strip().isdigit() for cell in table.sample.get(name, ()))
        advice = "It was left out; df.to_csv(PATH, index=False) leaves it out of the file."
        if not is_counted and not has_ids:
            advice = f'It was left out. If it holds the ids, say --column "query_id={name}".'
        what = ", which counts the rows" if is_counted else ""
        findings.add("COL-265", file=table.name, name=name, what=what, advice=advice)


def _may_be_labels(names: Sequence[str]) -> list[str]:
    """Those of several columns of two values that are not called predictions."""
    predictions = TABLES["queries"].column("predicted_label").names
    return [name for name in names if plain(name) not in predictions]


def _options(table: Table, labels: tuple[str, ...], scores: tuple[str, ...]) -> str:
    """How the roles of columns that could be a label and scores are said, in words."""
    if not scores:
        return " with --column ROLE=NAME"
    of_label = f"--column has_evidence={labels[0] if labels else 'NAME'}"
    named = " or ".join(f"--column probability={name}" for name in scores[:3])
    several = f" ({several_in_words(table, scores)})" if scores[1:] else ""
    return f", such as {of_label} with {named}{several}"


_RANKING_ROLES = {"qrels": ("topic", "document", "relevance"), "run": ("topic", "document", "score", "tag")}
_RANKING_FORMS: Mapping[str, Form] = {"relevance": "number", "score": "number", "rank": "number"}


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
    rest = [name for name in table.names if _unmapped(name, roles)]
    texts = [name for name in rest if is_text(table, name)]
    for name in texts:
        findings.add("COL-007", file=table.name, name=name)
    unused = {name: "personal text: dropped" if name in texts else "no role in this table" for name in rest}
    return Mapped(table, kind, roles, unused=unused)


def _unmapped(name: str, found: Mapping[str, tuple[str, ...]]) -> bool:
    return not any(name in names for names in found.values())


def _kind(table: Table, here: Mapping[str, tuple[str, ...]]) -> str | None:
    asked = {role for role, names in here.items() if names}
    if asked & {"gold_ids", "ranked_ids"} or any(is_list_name(role) for role in asked):
        return "ranked_lists"
    if asked & {"sent_uid", "is_gold"}:
        return "candidates"
    return kind_of(table.names) or ("queries" if asked else None)


def _roles(table: Table, kind: str, here: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Role → columns: what the user says first, then what is recognised among the other columns."""
    found: dict[str, tuple[str, ...]] = {}
    left_out: set[str] = set()
    parts = parts_of(kind)
    for said, names in here.items():
        for part in parts:
            role = part.role_named(said)
            if role is None:
                continue
            free = [name for name in names if not any(name in taken for taken in found.values())]
            kept = tuple(free if part.column(role).many else free[:1])
            if kept:
                found.setdefault(role, kept)
            else:
                left_out.add(role)
            break
    for part in parts:
        taken = {name for names in found.values() for name in names}
        for role, names in recognise(part, [name for name in table.names if name not in taken]).items():
            if role not in left_out:
                found.setdefault(role, names)
    for role in ("post_id", "query_id", "criterion_id"):
        if role in found and role not in here and _holds_text(table, found[role][0]):
            del found[role]
    return _keys(table, found)


def _keys(table: Table, found: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """A query id beside a criterion stands for the post; beside a post id it may hold the criterion."""
    if "query_id" in found and "post_id" not in found and "criterion_id" in found:
        found["post_id"] = found.pop("query_id")
    elif "query_id" in found and "post_id" in found:
        cells = table.sample.get(found["query_id"][0], ())
        if "criterion_id" in found or not cells or not all("::" in cell for cell in cells):
            found.pop("query_id")
    return found


def is_text(table: Table, name: str) -> bool:
    """Whether a column holds personal text, by its name or its cells."""
    return is_text_name(name) or _holds_text(table, name)


def _holds_text(table: Table, name: str) -> bool:
    """Whether the cells are free text: long, or mostly sentences that do not repeat."""
    cells = [cell for cell in table.sample.get(name, ()) if cell]
    if not cells or name in table.held or name in table.nested:
        return False
    if sum(map(len, cells)) > 200 * len(cells) and not cells[0].startswith("[") and "|" not in cells[0]:
        return True
    n_sentences = sum(len(cell.split()) >= 5 for cell in cells)
    return n_sentences > len(cells) / 2 and len(set(cells)) > len(cells) / 2


def _with_scores(
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


def _with_label(
    mapped: Mapped, here: Mapping[str, tuple[str, ...]], rest: list[str], findings: Findings
) -> Mapped:
    """Ask which column is the label where the one of that name may be a prediction.

    What looks like the prediction beside a label that the user named, or whose name says so, becomes that.
    """
    table, label, score = mapped.table, mapped.one("has_evidence"), mapped.one("probability")
    if label is None:
        return mapped
    free = [name for name in rest if _unmapped(name, mapped.roles)]
    is_named = label in {name for names in here.values() for name in names}
    rivals = None if is_named else rivals_of(table, label, score, free)
    if rivals is None:
        prediction = prediction_among(table, label, score, free, is_named_by_user=is_named)
        if prediction is None or "predicted_label" in mapped.roles:
            return mapped
        return replace(mapped, roles={**mapped.roles, "predicted_label": (prediction,)})
    others, why = rivals
    facts = {"other": ", ".join(map(repr, others)), "why": why, "n": "two" if len(others) == 1 else "several"}
    first = " or --column has_evidence=".join(others)
    findings.add("COL-030", file=table.name, name=label, first=first, **facts)
    return replace(
        mapped,
        roles={role: names for role, names in mapped.roles.items() if role != "has_evidence"},
        suggestions={**mapped.suggestions, "has_evidence": (*others, label)},
    )


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
            findings.add("COL-001", file=table.name, role=column.role, found=found, meaning=column.meaning)


_ROW_ONCE_MORE = "names the row once more"
_OWN_VALUE = "a value of its own in most rows"


def _with_units(mapped: Mapped, named_texts: list[str]) -> Mapped:
    """Where each row is a post of its own, ids that are left out are read too: they may name the posts."""
    taken = mapped.one("post_id") or mapped.one("query_id")
    cells = mapped.table.sample.get(taken, ()) if taken is not None else ()
    is_scored = mapped.kind == "queries" or "probability" in mapped.roles
    if not is_scored or len(cells) < 2 or len(set(cells)) < len(cells):
        return mapped
    ids = [name for name, why in mapped.unused.items() if why in (_ROW_ONCE_MORE, _OWN_VALUE)]
    units = [name for name in (*ids, *named_texts) if name not in mapped.table.held]
    return replace(mapped, units=tuple(units))


def _with_others(mapped: Mapped, names: list[str]) -> Mapped:
    """The columns without a role: few values make a group, numbers are kept, what names rows is left out."""
    groups: list[str] = []
    numbers: list[str] = []
    unused = dict.fromkeys(mapped.table.nameless, "has no name") | dict(mapped.unused)
    for name in names:
        cells = mapped.table.sample.get(name, ())
        values = numeric_sample(mapped.table, name)
        distinct = len(set(cells))
        if name in mapped.table.held or name in mapped.table.nested:
            unused[name] = mapped.table.held.get(name, "several values in a cell")
        elif not distinct or set(cells) == {""}:
            unused[name] = "empty"
        elif plain(name) in ("query_id", "id"):
            unused[name] = _ROW_ONCE_MORE
        elif plain(name) in POST_NAMES and not is_text_name(name):
            groups.append(name)  # another column was taken for the post: who relies on it must see this one
        elif is_list_name(name):
            unused[name] = "a list, without a gold_ids column"
        elif values is not None and (distinct > _FEW_NUMBERS or not all(v.is_integer() for v in values)):
            numbers.append(name)
        elif distinct > _FEW_NUMBERS and distinct > _ID_LIKE * len(cells):
            unused[name] = _OWN_VALUE
        else:
            groups.append(name)
    if mapped.kind != "queries" and "probability" not in mapped.roles:
        unused.update(dict.fromkeys(numbers, "no role in this table"))
        numbers = []
    return replace(mapped, groups=tuple(groups), numbers=tuple(numbers), unused=unused)
