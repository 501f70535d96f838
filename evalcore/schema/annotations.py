"""The tables of annotated answers: responses of people, and labels that a classifier predicts."""

from __future__ import annotations

from evalcore.annotations import LABELS
from evalcore.schema.kinds import Column, TableKind

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
        Column(
            "item",
            "the item that was judged",
            "id",
            ("item", "item_id", "unit", "unit_id", *_RECORD.names),
            required=True,
        ),
        Column("label", "the label's name", "name", ("label",), required=True),
    ),
)
