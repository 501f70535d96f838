"""The columns of every input table, declared once: role, meaning, kind of cell, names that are recognised.

Readers map the columns of a file to these roles by name; documentation and the Data page list the same.
"""

from evalcore.schema.annotations import ANNOTATIONS, LABEL_NAMES, PREDICTED_LABELS, WIDE_ANNOTATIONS
from evalcore.schema.classes import answer_parts, binary, class_of, classes_of, labels_before, same
from evalcore.schema.evidence import CANDIDATES, QRELS, QUERIES, RANKED_LISTS, RUN
from evalcore.schema.kinds import Cell, Column, TableKind
from evalcore.schema.names import (
    DIRECTION_UNKNOWN,
    is_count_name,
    is_gold_derived,
    is_list_name,
    is_reversed_name,
    is_text_name,
    is_weight_name,
    own_name,
    plain,
)
from evalcore.schema.recognition import (
    TABLES,
    fits_by_name,
    is_known_name,
    is_list_column,
    kind_of,
    recognise,
    roles,
)

__all__ = [
    "ANNOTATIONS",
    "CANDIDATES",
    "DIRECTION_UNKNOWN",
    "LABEL_NAMES",
    "PREDICTED_LABELS",
    "QRELS",
    "QUERIES",
    "RANKED_LISTS",
    "RUN",
    "TABLES",
    "WIDE_ANNOTATIONS",
    "Cell",
    "Column",
    "TableKind",
    "answer_parts",
    "binary",
    "class_of",
    "classes_of",
    "fits_by_name",
    "is_count_name",
    "is_gold_derived",
    "is_known_name",
    "is_list_column",
    "is_list_name",
    "is_reversed_name",
    "is_text_name",
    "is_weight_name",
    "kind_of",
    "labels_before",
    "own_name",
    "plain",
    "recognise",
    "roles",
    "same",
]
