"""Files of tools from which nothing of this task can be computed: what is missing, and what to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from evalcore.problems import Findings
from evalcore.readers.rag.records import Records
from evalcore.readers.rag.tool_scores import ToolResult
from evalcore.schema import LABEL_NAMES


@dataclass(frozen=True)
class Refusal:
    """One kind of file that is recognised and refused."""

    tool: str
    fits: Callable[[frozenset[str]], bool]
    found: str
    missing: str
    remedy: str

    def read(self, records: Records, findings: Findings) -> ToolResult | None:
        """Report what is missing."""
        facts = {"found": self.found, "missing": self.missing, "remedy": self.remedy}
        findings.add("RAG-016", file=records.name, **facts)
        return None


ARGILLA_LEGACY = Refusal(
    "Argilla 1, text classification",
    lambda names: {"annotation", "annotation_agent", "prediction", "prediction_agent"} <= names,
    "an Argilla 1 dataset for text classification (annotation, annotation_agent), which keeps one annotation "
    "a record and no question names",
    "the responses of each annotator to questions named after our labels",
    "Convert it to a FeedbackDataset or to Argilla 2 and export that, or give one row a response with "
    "record_uuid, annotator_id and the labels.",
)
EVIDENTLY = Refusal(
    "Evidently",
    lambda names: {"user_id", "item_id", "target", "prediction"} <= names,
    "an Evidently ranking table (user_id, item_id, target, prediction), which does not say whether "
    "prediction is a rank or a score",
    "gold and a rank or a score under their own names",
    "Read it as a ranking: --task evidence --column query_id=user_id --column sent_uid=item_id --column "
    "is_gold=target --column rank=prediction (or score=prediction).",
)
PAIRS = Refusal(
    "annotation import",
    lambda names: (
        {"query", "answer", "context_set"} <= names and "chunk_id" in names and names.isdisjoint(LABEL_NAMES)
    ),
    "pairs to be annotated (query, answer, context_set, chunk_id) without a label",
    f"at least one of the labels {', '.join(LABEL_NAMES)}",
    "Import them, let people annotate them, and give the export of the annotations.",
)
OPEN_RAG_EVAL_INPUT = Refusal(
    "Open RAG Eval",
    lambda names: {"query_id", "query_run", "passage_id", "passage"} <= names,
    "the input of Open RAG Eval (query_run, passage_id, passage) without a score",
    "the scores of its results, such as run_1_generation_score_hallucination_score",
    "Run the evaluation, and give the CSV of its results.",
)
PROMPTFOO = Refusal(
    "promptfoo",
    lambda names: {"named_scores", "grader_reason"} <= names or {"promptidx", "testidx"} <= names,
    "results of promptfoo, whose columns are the variables of a test, the outputs of each prompt and pass or "
    "fail",
    "one row a record with its id and one column a score, or labels of people",
    "Take the named scores out of its JSON output (promptfoo export), one column a score.",
)
DOCCANO = Refusal(
    "doccano",
    lambda names: (
        "text" in names
        and not names.isdisjoint(("label", "labels", "cats", "entities"))
        and not names.isdisjoint(("username", "annotation_approver", "comments"))
        and names.isdisjoint(LABEL_NAMES)
    ),
    "an export of doccano, whose lists hold the labels that were chosen: one that is missing may mean no, or "
    "that nobody asked",
    f"yes and no under each label: one column for each of {', '.join(LABEL_NAMES)}",
    "Write one row for each record and annotator (record_uuid, annotator_id), true or false under each label "
    "that was asked.",
)
