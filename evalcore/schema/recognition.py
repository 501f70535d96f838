"""Every table, and which of them columns of some names make."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from evalcore.schema.annotations import ANNOTATIONS, PREDICTED_LABELS, WIDE_ANNOTATIONS
from evalcore.schema.evidence import CANDIDATES, OTHER_ITEM_NAMES, QRELS, QUERIES, RANKED_LISTS, RUN, TRUTH
from evalcore.schema.kinds import TableKind
from evalcore.schema.names import DIRECTION_UNKNOWN, is_list_name, plain
from evalcore.schema.recommendations import (
    ITEM_FEATURES,
    ITEM_GROUPS,
    LISTS,
    SCORE_ITEMS,
    SCORE_USERS,
    SCORES,
    TEST,
    TRAIN,
    USER_GROUPS,
)

TABLES: Mapping[str, TableKind] = {
    t.name: t
    for t in (
        QUERIES,
        RANKED_LISTS,
        CANDIDATES,
        TRUTH,
        QRELS,
        RUN,
        ANNOTATIONS,
        PREDICTED_LABELS,
        WIDE_ANNOTATIONS,
        LISTS,
        SCORES,
        TRAIN,
        TEST,
        USER_GROUPS,
        ITEM_GROUPS,
        ITEM_FEATURES,
        SCORE_USERS,
        SCORE_ITEMS,
    )
}


def roles() -> tuple[str, ...]:
    """Every role a user can name, in the order of the tables, each once."""
    return tuple(dict.fromkeys(c.role for table in TABLES.values() for c in table.columns))


def is_known_name(name: str) -> bool:
    """Whether a column of this name is recognised in some table.

    >>> is_known_name("Post-ID"), is_known_name("0.1")
    (True, False)
    """
    return plain(name) in _KNOWN or is_list_name(name)


def is_list_column(name: str) -> bool:
    """Whether a column of this name holds lists of ids.

    >>> is_list_column("gold_ids"), is_list_column("bm25_topk"), is_list_column("probability")
    (True, True, False)
    """
    known = {one for column in RANKED_LISTS.columns if column.cell == "list" for one in column.names}
    return plain(name) in known or is_list_name(name)


_KNOWN = {name for table in TABLES.values() for column in table.columns for name in column.names}


def recognise(table: TableKind, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Role → columns, by name alone, the names of a role in their order of precedence; a column has one role.

    >>> recognise(QUERIES, ["id", "score", "p4_prob", "gold"])
    {'query_id': ('id',), 'has_evidence': ('gold',), 'probability': ('p4_prob',)}
    """
    by_plain: dict[str, str] = {}
    for name in names:
        by_plain.setdefault(plain(name), name)
    by_plain.update({name: name for name in names if name in by_plain})
    found: dict[str, tuple[str, ...]] = {}
    for column in table.columns:
        taken = {name for columns in found.values() for name in columns}
        known = [by_plain[name] for name in column.names if name in by_plain and by_plain[name] not in taken]
        if column.cell == "list" and column.many:
            known += [
                name for name in names if is_list_name(name) and name not in known and name not in taken
            ]
            known.sort(key=list(names).index)
        if known:
            found[column.role] = tuple(known) if column.many and column.cell == "list" else (known[0],)
    return found


def kind_of(names: Iterable[str]) -> str | None:
    """The kind of table that columns of these names make, or None.

    >>> kind_of(["post_id", "criterion_id", "gold_ids", "retriever_topk"])
    'ranked_lists'
    """
    names = list(names)
    lists, candidates, queries = (recognise(table, names) for table in (RANKED_LISTS, CANDIDATES, QUERIES))
    if "gold_ids" in lists and "ranked_ids" in lists:
        return "ranked_lists"
    if _are_candidates(candidates, queries):
        return "candidates"
    if "gold_ids" in lists or "ranked_ids" in lists:
        return "ranked_lists"
    if (
        "has_evidence" in queries
        or "probability" in queries
        or any(plain(n) in DIRECTION_UNKNOWN for n in names)
    ):
        return "queries"
    return None


def _are_candidates(found: Mapping[str, tuple[str, ...]], queries: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether columns name sentences.

    Under the names of other tools they do so only beside a query, and without a label that is no grade.
    """
    if "sent_uid" not in found:
        return False
    is_other = plain(found["sent_uid"][0]) in OTHER_ITEM_NAMES
    is_judged = "is_gold" in found or "has_evidence" not in queries
    return not is_other or (is_judged and not {"query_id", "post_id"}.isdisjoint(found))


def fits_by_name(names: Iterable[str]) -> bool:
    """Whether columns of these names make a table without a word from the user.

    >>> fits_by_name(["y_true", "y_prob"]), fits_by_name(["x", "y"])
    (True, False)
    """
    names = list(names)
    queries = recognise(QUERIES, names)
    is_scored = "probability" in queries or any(plain(name) in DIRECTION_UNKNOWN for name in names)
    return kind_of(names) not in (None, "queries") or ("has_evidence" in queries and is_scored)
