"""RAGAS results, under the names of its current and of its first versions.

Source: https://docs.ragas.io/en/stable/concepts/metrics/available_metrics/
"""

from __future__ import annotations

from evalcore.problems import Findings
from evalcore.readers.rag.records import Records
from evalcore.readers.rag.responses.passages import n_passages
from evalcore.readers.rag.tool_scores import Measure, ToolResult
from evalcore.readers.rag.tools.columns import by_plain, scores_in

TOOL = "RAGAS"
_PRECISION = "average precision of the retrieved contexts in their order; not the share of relevant chunks"
_BY_RUBRIC = Measure("grade of the answer by a model, on the scale of the user's own rubric", None)
MEASURES = {
    "faithfulness": Measure(
        "share of the answer's claims that a model infers from the context", needs_context=True
    ),
    "answer_relevancy": Measure("similarity of the question to questions made from the answer", (-1.0, 1.0)),
    "response_relevancy": Measure(
        "similarity of the question to questions made from the answer", (-1.0, 1.0)
    ),
    "context_precision": Measure(_PRECISION, needs_context=True),
    "llm_context_precision_with_reference": Measure(_PRECISION, needs_context=True),
    "llm_context_precision_without_reference": Measure(_PRECISION, needs_context=True),
    "non_llm_context_precision_with_reference": Measure(_PRECISION, needs_context=True),
    "context_recall": Measure(
        "share of the reference's claims that the context supports", needs_context=True
    ),
    "non_llm_context_recall": Measure("share of reference contexts that were retrieved", needs_context=True),
    "context_entity_recall": Measure(
        "share of the reference's entities that the context has", needs_context=True
    ),
    "context_relevancy": Measure(
        "share of the context's sentences that the question needs", needs_context=True
    ),
    "context_relevance": Measure("relevance of the context by a model", needs_context=True),
    "nv_context_relevance": Measure("relevance of the context by a model", needs_context=True),
    "response_groundedness": Measure("support of the answer in the context by a model", needs_context=True),
    "nv_response_groundedness": Measure(
        "support of the answer in the context by a model", needs_context=True
    ),
    "noise_sensitivity": Measure("share of the answer's claims that are wrong"),
    "noise_sensitivity_relevant": Measure("share of the answer's claims that are wrong"),
    "answer_correctness": Measure("agreement of the answer with the reference, in facts and meaning"),
    "factual_correctness": Measure("F1 of the claims of answer and reference"),
    "answer_similarity": Measure("similarity of the answer to the reference", (-1.0, 1.0)),
    "semantic_similarity": Measure("similarity of the answer to the reference", (-1.0, 1.0)),
    "answer_accuracy": Measure("agreement of the answer with the reference by a model"),
    "nv_accuracy": Measure("agreement of the answer with the reference by a model"),
    "bleu_score": Measure("BLEU of the answer against the reference"),
    "rouge_score": Measure("ROUGE of the answer against the reference"),
    "exact_match": Measure("whether the answer is the reference, letter for letter"),
    "string_present": Measure("whether the answer contains the reference"),
    "domain_specific_rubrics": _BY_RUBRIC,
    "instance_rubrics": _BY_RUBRIC,
    "rubrics_score": _BY_RUBRIC,
}
_CONTEXTS = ("retrieved_contexts", "contexts", "context")
_TEXTS = (
    "user_input",
    "question",
    "response",
    "answer",
    "reference",
    "ground_truth",
    "ground_truths",
    "reference_contexts",
    "rubrics",
    "multi_responses",
    *_CONTEXTS,
)


def fits(names: frozenset[str]) -> bool:
    """Whether columns of these names are those of RAGAS."""
    return (
        "user_input" in names
        or {"question", "answer", "contexts"} <= names
        or ({"question", "answer"} <= names and not names.isdisjoint(MEASURES))
    )


def read(records: Records, findings: Findings) -> ToolResult | None:
    """The scores of each sample; refused without any."""
    names = by_plain(records)
    context = next((names[name] for name in _CONTEXTS if name in names), None)
    n_context = n_passages(records, context, findings) if context is not None else None
    return scores_in(
        records,
        TOOL,
        MEASURES,
        _TEXTS,
        ids=("record_uuid", "record_id", "sample_id", "id"),
        id_texts=("user_input", "question"),
        findings=findings,
        n_context=n_context,
        refusal="Give the table of the evaluation's result (result.to_pandas()), not only its input.",
    )
