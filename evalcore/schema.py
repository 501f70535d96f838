"""The columns of every input table, declared once: role, meaning, kind of cell, names that are recognised.

Readers map the columns of a file to these roles by name; documentation and the Data page list the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from evalcore.annotations import LABELS

Cell = Literal["id", "label", "number", "name", "list", "grade"]


@dataclass(frozen=True)
class Column:
    """One column of an input table.

    Parameters
    ----------
    role : its name in the design, in ``--column ROLE=NAME`` and in `evalcore.data.Source.columns`.
    meaning : what it holds, as "expected …" of a message.
    cell : what it holds: ``id`` (text), ``label`` (two values), ``number``, ``name`` (text to break down by),
        ``list`` (ids, best first) or ``grade`` (a whole number from 0 on).
    names : names that are recognised without asking, the first found wins.
    required : whether the table cannot be read without it.
    many : whether several columns may have the role, each a model.
    """

    role: str
    meaning: str
    cell: Cell
    names: tuple[str, ...]
    required: bool = False
    many: bool = False


@dataclass(frozen=True)
class TableKind:
    """One kind of input table: its name, what a row is, and its columns."""

    name: str
    row: str
    columns: tuple[Column, ...]

    def column(self, role: str) -> Column:
        """The declaration of a role.

        Raises
        ------
        KeyError : for a role that the table does not have.
        """
        return next((c for c in self.columns if c.role == role), None) or _unknown(role)

    def role_named(self, text: str) -> str | None:
        """The role a user means by its name or by one of its synonyms; None where the table has none such."""
        wanted = plain(text)
        exact = (c.role for c in self.columns if c.role == wanted)
        return next(exact, next((c.role for c in self.columns if wanted in c.names), None))


def _unknown(role: str) -> Column:
    raise KeyError(role)


_KEYS = (
    Column("post_id", "the post's id", "id", ("post_id", "post")),
    Column("criterion_id", "the criterion's id", "id", ("criterion_id", "criterion")),
    Column(
        "query_id", "the id of the query, or of the post beside a criterion column", "id", ("query_id", "id")
    ),
)
_MODEL = Column("model", "the model or run that wrote the row", "name", ("model", "run", "config"))
_GROUPS = (
    Column("fold", "the fold of the post", "name", ("fold", "fold_id")),
    Column("split", "tune or test", "name", ("split",)),
)

QUERIES = TableKind(
    "queries",
    "one row per (post, criterion)",
    (
        *_KEYS,
        Column(
            "has_evidence",
            "the label: 0 or 1, or two values with the positive one named",
            "label",
            ("has_evidence", "gt_has_evidence", "has_evidence_gold", "y_true", "label", "gold", "y"),
            required=True,
        ),
        Column(
            "probability",
            "the probability of evidence, from 0 to 1",
            "number",
            ("probability", "p4_prob_calibrated", "p4_prob", "y_prob", "y_score", "prob", "p", "score"),
            required=True,
            many=True,
        ),
        _MODEL,
        *_GROUPS,
        Column("state", "the state a gate wrote: NEG, UNCERTAIN or POS", "name", ("state",)),
        Column("tau_neg", "the gate's lower threshold", "number", ("tau_neg",)),
        Column("tau_pos", "the gate's upper threshold", "number", ("tau_pos",)),
        Column("selected_k", "the number of sentences selected", "number", ("selected_k",)),
        Column("n_candidates", "the number of candidate sentences", "number", ("n_candidates",)),
        Column(
            "predicted_label",
            "a label the model wrote beside its probability",
            "name",
            (
                "predicted_label",
                "pred_label",
                "pred_label_column",
                "y_pred",
                "predicted",
                "prediction",
                "pred",
            ),
        ),
    ),
)

RANKED_LISTS = TableKind(
    "ranked_lists",
    "one row per (post, criterion) with its gold and its ranked lists",
    (
        *_KEYS,
        Column(
            "gold_ids",
            "the ids of the gold sentences; empty without gold",
            "list",
            ("gold_ids",),
            required=True,
        ),
        Column(
            "ranked_ids",
            "the ids of the ranked sentences, best first",
            "list",
            (
                "ranked_ids",
                "retriever_topk",
                "reranked_topk",
                "retrieved_ids",
                "reranked_ids",
                "candidate_ids",
            ),
            required=True,
            many=True,
        ),
        _MODEL,
        *_GROUPS,
    ),
)

CANDIDATES = TableKind(
    "candidates",
    "one row per (post, criterion, sentence)",
    (
        *_KEYS,
        Column(
            "sent_uid",
            "the sentence's id",
            "id",
            ("sent_uid", "doc_id", "sent_id", "sentence_id"),
            required=True,
        ),
        Column(
            "is_gold",
            "whether the sentence is gold: 0 or 1, or a grade of relevance",
            "grade",
            ("is_gold", "relevance", "gold", "label"),
            required=True,
        ),
        Column(
            "score",
            "a score, higher is better; empty where the sentence is not in the list",
            "number",
            ("score", "probability", "p4_prob_calibrated", "p4_prob", "y_prob", "y_score", "prob", "p"),
            required=True,
            many=True,
        ),
        Column("rank", "the rank of the sentence, from 1", "number", ("rank",)),
        _MODEL,
        *_GROUPS,
    ),
)

QRELS = TableKind("qrels", "topic, iteration, document, relevance, separated by blanks; no header", ())
RUN = TableKind("run", "topic, Q0, document, rank, score, tag, separated by blanks; no header", ())

LABEL_NAMES = tuple(label for labels in LABELS.values() for label in labels)
_RECORD = Column(
    "record_uuid",
    "the id of the query and its answer",
    "id",
    ("record_uuid", "query_id", "record_id", "question_id", "qid", "uuid", "id"),
    required=True,
)
_CHUNK = (
    Column("chunk_id", "the chunk's id", "id", ("chunk_id", "passage_id", "sent_uid", "doc_id")),
    Column(
        "chunk_rank",
        "the chunk's rank, from 1; 0 or empty: judged, not retrieved",
        "number",
        ("chunk_rank", "rank"),
    ),
    Column(
        "n_retrieved_chunks",
        "how many chunks were retrieved; −1 or empty: not known",
        "number",
        ("n_retrieved_chunks", "n_retrieved"),
    ),
)
_SYSTEM = Column(
    "system",
    "the system that answered",
    "name",
    ("system", "run", "run_id", "model", "app_version", "config"),
)

ANNOTATIONS = TableKind(
    "annotations",
    "one row per response of one annotator to a chunk or an answer",
    (
        _RECORD,
        *_CHUNK,
        Column(
            "annotator_id",
            "who answered",
            "id",
            ("annotator_id", "annotator", "rater_id", "rater", "user_id"),
        ),
        Column("response_status", "submitted or discarded", "name", ("response_status", "status")),
        Column("is_submitted", "whether the response was submitted", "label", ("is_submitted", "submitted")),
        Column("is_discarded", "whether the response was discarded", "label", ("is_discarded", "discarded")),
        Column("discard_reason", "why it was discarded", "name", ("discard_reason",)),
        _SYSTEM,
        *(Column(name, f"the label {name}: true, false or empty", "label", (name,)) for name in LABEL_NAMES),
        *(
            Column(
                f"{name}_adjudicated",
                f"what an adjudicator decided of {name}",
                "label",
                (f"{name}_adjudicated", f"adjudicated_{name}"),
            )
            for name in LABEL_NAMES
        ),
    ),
)

PREDICTED_LABELS = TableKind(
    "predicted_labels",
    "one row per chunk or answer with the labels or probabilities of a classifier",
    (
        _RECORD,
        *_CHUNK,
        *(
            Column(name, f"the predicted {name}: 0, 1 or a probability", "label", (name,))
            for name in LABEL_NAMES
        ),
    ),
)

WIDE_ANNOTATIONS = TableKind(
    "wide_annotations",
    "one row per item and label with one column per annotator",
    (
        Column("item", "the item that was judged", "id", ("item", "unit", *_RECORD.names), required=True),
        Column("label", "the label's name", "name", ("label",), required=True),
    ),
)

TABLES: Mapping[str, TableKind] = {
    t.name: t
    for t in (
        QUERIES,
        RANKED_LISTS,
        CANDIDATES,
        QRELS,
        RUN,
        ANNOTATIONS,
        PREDICTED_LABELS,
        WIDE_ANNOTATIONS,
    )
}

DIRECTION_UNKNOWN = ("ne_prob",)
"""Names of scores that may be the probability of NO evidence: recognised, but their direction is asked."""

_LIST_NAME = re.compile(r"\w+_topk|(ranked|reranked|retrieved|retriever|candidate)_ids")
_GOLD_DERIVED = re.compile(
    r"(evidence_)?(mrr|map|ap|ndcg|recall|precision|f1|hit|hit_rate|average_precision|reciprocal_rank)"
    r"(_?at_?(k|selected_k|\d+)|@(k|\d+))?|\w+_correct|correct"
)
_TEXT_NAME = re.compile(
    r"(\w+_)?(text|body|selftext|content|sentence|sentences|note|notes|comment|comments|message|snippet|"
    r"title|description|summary|rationale|quote|excerpt)|post"
)


def plain(name: str) -> str:
    """A column name in lower case, with ``_`` for blanks and hyphens: how names are compared.

    >>> plain(" Post-ID ")
    'post_id'
    """
    return re.sub(r"[\s\-]+", "_", name.strip().lower())


def is_list_name(name: str) -> bool:
    """Whether a column of this name holds ranked lists (``bm25_topk``)."""
    return bool(_LIST_NAME.fullmatch(plain(name)))


def is_gold_derived(name: str) -> bool:
    """Whether the name is that of a metric, computed from the gold labels and never a score (``mrr``)."""
    return bool(_GOLD_DERIVED.fullmatch(plain(name)))


def is_text_name(name: str) -> bool:
    """Whether a column of this name holds personal text (``post_text``, ``note``)."""
    return bool(_TEXT_NAME.fullmatch(plain(name)))


def roles() -> tuple[str, ...]:
    """Every role a user can name, in the order of the tables, each once."""
    return tuple(dict.fromkeys(c.role for table in TABLES.values() for c in table.columns))


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
    if "sent_uid" in candidates:
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


def fits_by_name(names: Iterable[str]) -> bool:
    """Whether columns of these names make a table without a word from the user.

    >>> fits_by_name(["y_true", "y_prob"]), fits_by_name(["x", "y"])
    (True, False)
    """
    names = list(names)
    queries = recognise(QUERIES, names)
    is_scored = "probability" in queries or any(plain(name) in DIRECTION_UNKNOWN for name in names)
    return kind_of(names) not in (None, "queries") or ("has_evidence" in queries and is_scored)
