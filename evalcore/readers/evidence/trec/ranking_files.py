"""Which files are qrels and which are runs, where a file alone does not say it: by name, by values, or asked.

Columns are those of BEIR and MTEB (query-id, corpus-id, score), PyTerrier (qid, docno), ranx (q_id, doc_id)
and ir_measures (query_id, doc_id); lines of three or two fields are those of MS MARCO.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from evalcore.problems import Findings
from evalcore.readers.columns.score_columns import numeric_sample
from evalcore.readers.formats.table import MayRank, Table
from evalcore.schema import QUERIES, is_reversed_name, kind_of, plain

Given = Mapping[str, tuple[str, ...]]

_QUERY = ("query_id", "qid", "q_id", "topic_id", "topic")
_CORPUS = "corpus_id"
_DOCUMENT = (
    _CORPUS,
    "docno",
    "doc_id",
    "docid",
    "passage_id",
    "pid",
    "document_id",
    "did",
    "doc",
    "document",
)
_OF_RANX = ("q_id", "doc_id")
"""Queries and documents of the Parquet files of ranx, whose qrels call the grade “score” as BEIR does."""

_GRADE = ("relevance", "rel", "grade", "label", "judgment", "judgement")
_SCORE, _RANK = ("score",), ("rank",)
_TAG = ("tag", "run_id", "run_name", "run", "model", "system")
_OURS = frozenset({"post_id", "post", "criterion_id", "criterion", "sent_uid", "is_gold"}) | (
    set(QUERIES.column("has_evidence").names) - {"label"}
)
"""Columns of tables of evidence: with one of these a table is none of the above."""

_SURE = frozenset({"query_id", "qid", "q_id", _CORPUS, "docno", "docid"})
"""Names that queries and documents of rankings have, and hardly anything else."""

_ROLES = ("query_id", "post_id", "sent_uid", "is_gold", "score", "rank", "model")
"""Roles that the user may give to columns of a qrels or a run."""

_MAX_GRADE = 1000
_WORDS = re.compile(r"[^a-z0-9]+")
_NAMED = {
    "qrels": {"qrel", "qrels", "gold", "truth", "judgments", "judgements", "judged", "solution"},
    "run": {"run", "runs", "result", "results", "ranking", "rankings", "retrieved", "predictions"},
}


def with_ranking(table: Table, given: Given) -> Table:
    """A table of named columns, with what it may be of qrels and run by these columns.

    Parameters
    ----------
    table : a table of any kind.
    given : role → columns, as the user says: with roles that runs do not have it is no ranking.
    """
    names: dict[str, str] = {}
    for name in table.names:
        names.setdefault(plain(name), name)
    here = {role: column for role, columns in given.items() for column in columns if column in table.names}
    if table.may_rank is not None:
        is_kept = table.may_rank.is_nothing_else or here.keys() <= set(_ROLES)
        return table if is_kept else replace(table, may_rank=None)
    if table.kind is not None or not here.keys() <= set(_ROLES) or not _OURS.isdisjoint(names):
        return table
    said = {
        "topic": here.get("query_id") or here.get("post_id") or _first(names, _QUERY),
        "document": here.get("sent_uid") or _first(names, _DOCUMENT),
        "score": here.get("score") or _first(names, _SCORE) or _backwards(table),
        "rank": here.get("rank") or _first(names, _RANK),
        "relevance": here.get("is_gold") or _first(names, _GRADE),
        "tag": here.get("model") or _first(names, _TAG),
    }
    fields = {field: name for field, name in said.items() if name is not None}
    may = _by_columns(table, fields) if {"topic", "document"} <= fields.keys() else None
    return table if may is None else replace(table, may_rank=may)


def _backwards(table: Table) -> str | None:
    """The one column of distances or the like, whose direction is asked about once the table is a run."""
    found = [name for name in table.names if is_reversed_name(name) and plain(name) not in _RANK]
    return found[0] if len(found) == 1 and numeric_sample(table, found[0]) is not None else None


def _first(names: Mapping[str, str], wanted: Sequence[str]) -> str | None:
    return next((names[name] for name in wanted if name in names), None)


def _by_columns(table: Table, fields: dict[str, str]) -> MayRank | None:
    """What columns of these fields make; the score of BEIR is a grade where it is a whole number."""
    has_order = "score" in fields or "rank" in fields
    pair = plain(fields["topic"]), plain(fields["document"])
    is_beir = pair[1] == _CORPUS or pair == _OF_RANX
    kinds: dict[str, Mapping[str, str]] = {}
    if "relevance" in fields and not has_order:
        kinds["qrels"] = _only(fields, "relevance")
    elif is_beir and "score" in fields and "rank" not in fields and "relevance" not in fields:
        kinds["qrels"] = _only(fields | {"relevance": fields["score"]}, "relevance")
    if has_order and "relevance" not in fields:
        kinds["run"] = _only(fields, "score", "rank", "tag")
    if not kinds:
        return None
    said = next(iter(kinds))
    if len(kinds) == 2 and not _are_grades(table, fields["score"]):
        said = "run"
    # query_id, doc_id and score are candidates too, whose gold stands in another file.
    names = {plain(fields["topic"]), plain(fields["document"])}
    is_candidate = "doc_id" in names and kind_of(table.names) is not None
    is_firm = len(kinds) == 1 and not is_candidate and not _SURE.isdisjoint(names)

    def make(kind: str, _: Findings) -> Table:
        return replace(table, kind=kind, fields=kinds[kind], may_rank=None)

    return MayRank(tuple(kinds), said, is_firm, False, make)


def _only(fields: Mapping[str, str], *others: str) -> Mapping[str, str]:
    return {field: fields[field] for field in ("topic", "document", *others) if field in fields}


def _are_grades(table: Table, column: str) -> bool:
    """Whether the first cells are whole numbers as grades are."""
    values = numeric_sample(table, column)
    return values is not None and all(abs(v) <= _MAX_GRADE and v == int(v) for v in values)


def settled(
    tables: Sequence[Table], truth: str | None, has_gold: bool, named: Collection[str], findings: Findings
) -> list[Table]:
    """The tables, those that may be qrels or runs as what they are.

    Parameters
    ----------
    tables : of all files.
    truth : the file that holds the judgements, as the user says.
    has_gold : whether another file holds the gold of candidates.
    named : the files that the user named, not only their folder.
    findings : gets RNK-120 where it must be said which file holds the judgements.
    """
    may = {
        at: table.may_rank
        for at, table in enumerate(tables)
        if table.may_rank is not None and _is_considered(table, table.may_rank, tables, has_gold)
    }
    sure = {at: _known(tables[at].name, one, truth) for at, one in may.items()}
    unrelated = _unrelated(tables, may, [at for at, kind in sure.items() if kind is not None], named)
    for at, others in unrelated.items():
        if tables[at].name in named:
            findings.add("RNK-305", file=tables[at].name, other=others)
        del may[at], sure[at]
    known = {table.kind for table in tables} | set(sure.values())
    # Lists in a folder that has its judgements are a run, or are left out for sharing no query with them.
    lists = {at for at, one in may.items() if one.kinds[0] == "run" and tables[at].name not in named}
    kinds = {
        at: sure[at] or one.said or _remaining(known) or ("run" if at in lists and "qrels" in known else None)
        for at, one in may.items()
    }
    is_pair = known | set(kinds.values()) >= {"qrels", "run"}
    doubtful = [at for at, kind in kinds.items() if kind is None or (sure[at] is None and not is_pair)]
    if doubtful and len(tables) > 1:
        findings.add("RNK-120", found=" and ".join(tables[at].name for at in doubtful))
    return [
        replace(table, may_rank=None, lacks_names=table.lacks_names or at in unrelated)
        if at not in may
        else may[at].make(kinds[at] or may[at].kinds[0], findings)
        for at, table in enumerate(tables)
    ]


def _unrelated(
    tables: Sequence[Table], may: Mapping[int, MayRank], sure: Collection[int], named: Collection[str]
) -> dict[int, str]:
    """JSON objects that have no query in common with the rankings beside them, and the names of these.

    Numbers or lists by name may be settings as well: nothing but their names tells. In a folder they may be
    metrics of the same queries too, which have no document in common with the others.
    """
    guessed = [at for at in may if not tables[at].names and at not in sure]
    known = [at for at, one in enumerate(tables) if at not in guessed and (one.kind is not None or at in may)]
    if not guessed or len(guessed) + len(known) < 2:
        return {}
    made = {
        at: may[at].make(may[at].kinds[0], Findings()) if at in may else tables[at]
        for at in [*guessed, *known]
    }
    found: dict[int, str] = {}
    for at in guessed:
        others = [made[i] for i in known or guessed if i != at]
        fields = ("topic",) if tables[at].name in named else ("topic", "document")
        if any(_has_nothing_of(made[at], others, field) for field in fields):
            found[at] = " and ".join(one.name for one in others)
    return found


def _has_nothing_of(table: Table, others: Sequence[Table], field: str) -> bool:
    """Whether a ranking has no query, or no document, of some others; their first rows mostly tell."""
    shown = _shown(table, field)
    if any(not shown.isdisjoint(_shown(other, field)) for other in others):
        return False
    own = _levels(table, field)
    return all(own.isdisjoint(_levels(other, field)) for other in others)


def _shown(table: Table, field: str) -> set[str]:
    return set(table.sample.get(table.fields[field], ()))


def _levels(table: Table, field: str) -> set[str]:
    """Every query or document of a qrels or a run; none of a table whose rows cannot be read."""
    column = table.fields[field]
    return set(table.read({column: "text"}).texts[column].levels.tolist()) if table.is_readable else set()


def _is_considered(table: Table, may: MayRank, tables: Sequence[Table], has_gold: bool) -> bool:
    """Whether a table is a qrels or a run at all: by itself, or because another file is one."""
    others = [other for other in tables if other is not table]
    are_lists = not table.names and all(_is_ranking(other) or not other.names for other in others)
    if may.is_nothing_else or may.is_firm or are_lists:
        return True
    if has_gold:
        return False
    if may.said is not None:
        return any(_may_be(other, _OTHER[kind]) for other in others for kind in may.kinds)
    named = _named(table.name)
    is_named = named is not None and any(
        other.may_rank is not None and _named(other.name) == _OTHER[named] for other in others
    )
    return is_named or any(_is_ranking(other) for other in others)


_OTHER = {"qrels": "run", "run": "qrels"}


def _is_ranking(table: Table) -> bool:
    may = table.may_rank
    return table.kind is not None or (may is not None and (may.is_nothing_else or may.is_firm))


def _may_be(table: Table, kind: str) -> bool:
    return table.kind == kind or (table.may_rank is not None and kind in table.may_rank.kinds)


def _known(file: str, may: MayRank, truth: str | None) -> str | None:
    """What a table is by its columns, by the user's word or by the name of its file."""
    if len(may.kinds) == 1:
        return may.kinds[0]
    if truth is not None:
        return "qrels" if file == truth else "run"
    return _named(file)


def _named(file: str) -> str | None:
    """What the name of a file says that it is.

    >>> _named("qrels.dev.tsv"), _named("bm25_run.json"), _named("test.tsv")
    ('qrels', 'run', None)
    """
    words = set(_WORDS.split(file.lower()))
    named = [kind for kind, known in _NAMED.items() if not known.isdisjoint(words)]
    return named[0] if len(named) == 1 else None


def _remaining(known: set[str | None]) -> str | None:
    """What is left for a table that nothing but the other files tells about."""
    missing = {"qrels", "run"} - known
    return missing.pop() if len(missing) == 1 else None
