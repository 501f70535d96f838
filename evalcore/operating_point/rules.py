"""The rules a document was made by: those of its schema version, so that it is recomputed as it was made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

Rules = Literal["1.0", "1.1"]
RULES: Rules = "1.1"
"""Those of today. Since 1.1 an exported threshold lies strictly between two scores, and a certificate needs
more than disjoint posts and confident verdicts."""

FIRST: Rules = "1.0"


def rules_of(document: Mapping[str, Any]) -> Rules:
    """The rules a document was made by; those of today for a version that this program does not know."""
    return FIRST if document["schema_version"] == FIRST else RULES
