"""JSON of other tools that holds no table of ours: what it is, and what to export instead."""

from __future__ import annotations

from collections.abc import Collection

_FROM_PROMPTFOO = (
    "Its rows have pass or fail and scores of assertions, no label of the truth beside a score of the model. "
    "Write one row a test with its id, the label that is true and the score of the model, or one column for "
    "each named score."
)
_FROM_LM_EVAL = (
    "It holds metrics and no rows: run lm_eval with --log_samples and write one row a document from its "
    "samples_TASK_….jsonl: doc_id, target as the label, the probability of the positive answer as the score."
)
_FROM_SAMPLES = (
    "filtered_resps holds a log-likelihood for each answer and no probability. Write one row a document: "
    "doc_id, target as the label, and exp(log-likelihood) of the positive answer over the sum of all answers "
    "as the score."
)

_FROM_PRODIGY = (
    "accept holds what was chosen: an option that is missing may mean no, or that nobody thought of it. "
    "Leave out rows whose answer is not accept, and write one row a record and annotator: record_uuid, "
    "annotator_id (_annotator_id), and true or false under each label that was asked; or, of a classifier, "
    "query_id, the label that is true and the score of the model."
)
_FROM_DPR = (
    "Write one row a question and passage, query_id, sent_uid, is_gold (has_answer) and score, or a run and "
    "its qrels."
)
_FROM_METRICS = "It holds metrics and no rows: give the labels and scores that they were computed from."
_FROM_SERVED = "Write one row a prediction, with the id and the label of what was asked."
_FROM_NOTEBOOK = "Run it, and write the table of labels and scores as CSV: df.to_csv(PATH, index=False)."

_DOCUMENTS: tuple[tuple[frozenset[str], frozenset[str], str, str], ...] = (
    (
        frozenset({"results", "config"}),
        frozenset({"evalId", "shareableUrl"}),
        "results of promptfoo",
        _FROM_PROMPTFOO,
    ),
    (
        frozenset({"stats", "table"}),
        frozenset({"results", "version"}),
        "results of promptfoo",
        _FROM_PROMPTFOO,
    ),
    (
        frozenset({"results"}),
        frozenset({"n-shot", "lm_eval_version", "config_general", "configs", "versions"}),
        "results of lm-evaluation-harness",
        _FROM_LM_EVAL,
    ),
    (
        frozenset({"macro avg", "weighted avg"}),
        frozenset({"accuracy", "micro avg", "macro avg"}),
        "a classification report of scikit-learn",
        _FROM_METRICS,
    ),
    (
        frozenset({"metrics", "model_names"}),
        frozenset({"stat_test", "metrics"}),
        "a comparison of ranx",
        "It holds metrics and no rankings: give the qrels and the runs that were compared.",
    ),
    (
        frozenset({"task_name", "scores"}),
        frozenset({"mteb_version", "dataset_revision", "evaluation_time"}),
        "a result of MTEB",
        "It holds metrics and no rankings: let MTEB save its predictions, and give them with the qrels.",
    ),
    (
        frozenset({"cells", "nbformat"}),
        frozenset({"metadata", "nbformat"}),
        "a Jupyter notebook",
        _FROM_NOTEBOOK,
    ),
)
"""Names that a document has, names of which it has one, what it is, and what to do."""

_ROWS: tuple[tuple[frozenset[str], str, str], ...] = (
    (
        frozenset({"doc_id", "target", "filtered_resps"}),
        "samples of lm-evaluation-harness",
        _FROM_SAMPLES,
    ),
    (
        frozenset({"question", "answers", "ctxs"}),
        "passages retrieved for questions, as DPR writes them",
        _FROM_DPR,
    ),
    (
        frozenset({"_task_hash", "options", "accept", "answer"}),
        "choices made in Prodigy",
        _FROM_PRODIGY,
    ),
    (
        frozenset({"promptIdx", "testIdx"}),
        "results of promptfoo",
        _FROM_PROMPTFOO,
    ),
)


def foreign_document(names: Collection[str]) -> tuple[str, str] | None:
    """What a JSON object with members of these names is, and what to do; None for any other.

    >>> foreign_document(["evalId", "results", "config"])[0]
    'results of promptfoo'
    """
    known = set(names)
    if known == {"predictions"}:
        return "the answer of a served model, predictions without their rows", _FROM_SERVED
    return next(
        (
            (kind, advice)
            for needed, one_of, kind, advice in _DOCUMENTS
            if needed <= known and not one_of.isdisjoint(known)
        ),
        None,
    )


def foreign_rows(names: Collection[str]) -> tuple[str, str] | None:
    """What records with fields of these names are, and what to do; None for any other."""
    known = set(names)
    return next(((kind, advice) for needed, kind, advice in _ROWS if needed <= known), None)
