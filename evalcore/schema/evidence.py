"""The tables of evidence detection: queries, ranked lists, candidates, and the files of TREC."""

from __future__ import annotations

from evalcore.schema.kinds import Column, TableKind

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

_PROBABILITIES = ("probability", "p4_prob_calibrated", "p4_prob", "y_prob", "y_proba", "y_score", "prob", "p")
"""Names of a score that rises with evidence, the surest first."""

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
            (*_PROBABILITIES, "score", "prediction_score"),
            required=True,
            many=True,
        ),
        _MODEL,
        *_GROUPS,
        Column("cluster", "a unit coarser than the post, such as its author", "name", ()),
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
                "prediction_label",
                "predicted_class",
                "pred_class",
                "label_pred",
                "scored_labels",
                "predict",
                "yhat",
                "y_hat",
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

OTHER_ITEM_NAMES = ("docno", "docid", "corpus_id")
"""What other tools call the document of a ranking; alone it makes no table of candidates."""

CANDIDATES = TableKind(
    "candidates",
    "one row per (post, criterion, sentence)",
    (
        *_KEYS[:2],
        Column(_KEYS[2].role, _KEYS[2].meaning, "id", (*_KEYS[2].names, "qid", "q_id")),
        Column(
            "sent_uid",
            "the sentence's id",
            "id",
            ("sent_uid", "doc_id", "sent_id", "sentence_id", *OTHER_ITEM_NAMES),
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
            ("score", *_PROBABILITIES),
            required=True,
            many=True,
        ),
        Column("rank", "the rank of the sentence, from 1", "number", ("rank",)),
        _MODEL,
        *_GROUPS,
    ),
)

TRUTH = TableKind(
    "truth",
    "one row per (post, criterion) with its label, beside files of scores",
    (*_KEYS, QUERIES.column("has_evidence"), *_GROUPS, QUERIES.column("cluster")),
)

QRELS = TableKind("qrels", "topic, iteration, document, relevance, separated by blanks; no header", ())
RUN = TableKind("run", "topic, Q0, document, rank, score, tag, separated by blanks; no header", ())
