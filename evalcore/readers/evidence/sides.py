"""Truth and predictions in files of their own: which holds the labels, which the scores, and their ids."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from evalcore.problems import Findings
from evalcore.readers.columns.label_columns import is_gold_name
from evalcore.readers.columns.score_columns import numeric_sample
from evalcore.readers.formats.table import Table
from evalcore.schema import QUERIES, is_gold_derived, is_text_name, kind_of, plain, recognise

Given = Mapping[str, tuple[str, ...]]

_IDS = ("post_id", "criterion_id", "query_id")
_MOST_CLASSES = 2


@dataclass(frozen=True)
class Sides:
    """Two sorts of files that are joined by their ids.

    Parameters
    ----------
    truth : the file with the labels.
    roles : file → role → columns, as far as names alone do not say them.
    """

    truth: str
    roles: Mapping[str, Given]


def sides_of(
    tables: Sequence[Table],
    given: Given,
    truth: str | None,
    named: Collection[str],
    findings: Findings,
) -> Sides | None:
    """The sides of tables of which one has a label and no score, and every other a score and no label.

    Parameters
    ----------
    tables : of all files.
    given : role → columns, as the user says.
    truth : the file with the labels, as the user says.
    named : files that the user named, not those found in a folder.
    findings : gets QRY-120 to QRY-122 where the ids, or the truth, are open.
    """
    if len(tables) < 2 or not all(map(_may_be_side, tables)):
        return None
    looks = [_look(table, given) for table in tables]
    at = _truth_at(tables, looks, truth)
    others = [other for other in range(len(tables)) if other != at]
    if at is None or not all(looks[other].scores for other in others):
        return None
    ids = {other: _shared_ids(tables[at], tables[other], given) for other in others}
    label = _label(tables[at], looks[at], {name for one in ids.values() for name in one.of_truth})
    is_said = truth is not None or looks[at].given_label is not None
    has_other_label = any(_has_label(tables[other], looks[other], ids[other]) for other in others)
    is_clear = label is not None and is_gold_name(label)
    can_join = all(one.of_truth for one in ids.values())
    if not is_said and has_other_label and not (is_clear and can_join and tables[at].name in named):
        return None
    if not is_said and label is not None and (has_other_label or not is_clear):
        findings.add("QRY-122", file=tables[at].name, name=label)
    for other in others:
        _report_ids(tables[at], tables[other], ids[other], findings)
    return _sides(tables, at, looks, ids, label)


def _truth_at(tables: Sequence[Table], looks: Sequence[_Look], truth: str | None) -> int | None:
    """The place of the table with the labels: said, the only one without scores, or with a known label."""
    if truth is not None:
        return next((at for at, table in enumerate(tables) if table.name == truth), None)
    without = [at for at, one in enumerate(looks) if not one.scores]
    labelled = [at for at, one in enumerate(looks) if one.known_label is not None and not one.known_score]
    found = without or labelled
    return found[0] if len(found) == 1 else None


def _may_be_side(table: Table) -> bool:
    """Whether a table has named columns and is of no kind that files of one side are not."""
    return table.kind is None and not table.lacks_names and kind_of(table.names) in (None, "queries")


@dataclass(frozen=True)
class _Look:
    """What the columns of a table could be: scores, and the label by the user's word or by name."""

    scores: tuple[str, ...]
    known_score: bool
    given_label: str | None
    known_label: str | None


def _look(table: Table, given: Given) -> _Look:
    here = {role: [name for name in names if name in table.names] for role, names in given.items()}
    roles = recognise(QUERIES, table.names)
    said = tuple(here.get("probability", ()))
    label = next(iter(here.get("has_evidence", ())), None)
    fractions = tuple(name for name in table.names if name != label and _has_fractions(table, name))
    known = tuple(name for name in roles.get("probability", ()) if numeric_sample(table, name) is not None)
    scores = said or (known if known and known[0] in fractions else fractions) or known
    name = next(iter(roles.get("has_evidence", ())), None)
    known_label = name if name is not None and name not in scores else None
    return _Look(scores, bool(said or (known and scores == known)), label, known_label)


def _has_fractions(table: Table, name: str) -> bool:
    """Whether a column holds numbers of which some are no whole ones, as scores are."""
    if is_gold_derived(name) or plain(name) in ("fold", "fold_id"):
        return False
    values = numeric_sample(table, name)
    return values is not None and any(v == v and not float(v).is_integer() for v in values)


@dataclass(frozen=True)
class _Ids:
    """Columns that may join two tables, by their names in each.

    Parameters
    ----------
    of_truth, of_other : the columns; several where they make one id, or where which is meant is open.
    are_known : whether they have the roles of ids.
    is_open : whether several columns could be the id.
    """

    of_truth: tuple[str, ...]
    of_other: tuple[str, ...]
    are_known: bool
    is_open: bool = False


def _shared_ids(truth: Table, other: Table, given: Given) -> _Ids:
    """The id columns of two tables: said, of a known name, or the one column of distinct values in both."""
    said = [[n for role in _IDS for n in given.get(role, ()) if n in table.names] for table in (truth, other)]
    if all(said):
        return _Ids(tuple(said[0]), tuple(said[1]), are_known=True)
    found = [recognise(QUERIES, table.names) for table in (truth, other)]
    roles = [role for role in _IDS if all(role in one for one in found)]
    if {"post_id", "query_id"} & set(roles):
        of_truth, of_other = (tuple(one[role][0] for role in roles) for one in found)
        return _Ids(of_truth, of_other, are_known=True)
    by_name = {plain(name): name for name in other.names}
    pairs = [(name, by_name[plain(name)]) for name in truth.names if plain(name) in by_name]
    taken = {plain(name) for names in recognise(QUERIES, truth.names).values() for name in names}
    pairs = [
        (mine, theirs)
        for mine, theirs in pairs
        if plain(mine) not in taken and _are_distinct(truth, mine) and _are_distinct(other, theirs)
    ]
    return _Ids(tuple(p[0] for p in pairs), tuple(p[1] for p in pairs), False, len(pairs) > 1)


def _are_distinct(table: Table, name: str) -> bool:
    """Whether a column has another value in each of the first rows, and is neither text nor scores."""
    cells = table.sample.get(name, ())
    is_id = not is_text_name(name) and not _has_fractions(table, name)
    return is_id and bool(cells) and len(set(cells)) == len(cells) and all(cells)


def _label(table: Table, look: _Look, ids: set[str]) -> str | None:
    """The label of the table of the truth: said, of a known name, or the one column of two values."""
    said = look.given_label or look.known_label
    if said is not None:
        return said
    free = [name for name in table.names if name not in ids]
    named = [name for name in free if is_gold_name(name)]
    chosen = named or [name for name in free if _has_classes(table, name)]
    return chosen[0] if len(chosen) == 1 else None


def _has_classes(table: Table, name: str) -> bool:
    found = {cell.strip() for cell in table.sample.get(name, ())} - {""}
    return 0 < len(found) <= _MOST_CLASSES


def _has_label(table: Table, look: _Look, ids: _Ids) -> bool:
    """Whether a table of scores may hold a label too."""
    if look.known_label is not None:
        return True
    others = (*ids.of_other, *look.scores)
    return any(_has_classes(table, name) for name in table.names if name not in others and is_gold_name(name))


def _report_ids(truth: Table, other: Table, ids: _Ids, findings: Findings) -> None:
    if ids.is_open:
        found = ", ".join(map(repr, ids.of_truth))
        findings.add("QRY-120", file=other.name, found=found, other=truth.name, first=ids.of_other[0])
    elif not ids.of_truth:
        names = {"found": ", ".join(other.names), "names": ", ".join(truth.names)}
        findings.add("QRY-121", file=other.name, other=truth.name, **names)


def _sides(
    tables: Sequence[Table], at: int, looks: Sequence[_Look], ids: Mapping[int, _Ids], label: str | None
) -> Sides:
    """Roles for what no name says; a label beside the scores is none where the truth stands elsewhere."""
    first = next(iter(ids.values()))
    roles: dict[str, dict[str, tuple[str, ...]]] = {tables[at].name: {}}
    if label is not None:
        roles[tables[at].name]["has_evidence"] = (label,)
    if not first.are_known and len(first.of_truth) == 1:
        roles[tables[at].name]["query_id"] = first.of_truth
    for other, own in ids.items():
        mine: dict[str, tuple[str, ...]] = {"has_evidence": ()}
        if not own.are_known and len(own.of_other) == 1:
            mine["query_id"] = own.of_other
        if not looks[other].known_score and len(looks[other].scores) == 1:
            mine["probability"] = looks[other].scores
        roles[tables[other].name] = mine
    return Sides(tables[at].name, roles)
