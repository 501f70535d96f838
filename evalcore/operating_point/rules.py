"""The rules a document was made by: those of its schema version, so that it is recomputed as it was made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, cast, get_args

Rules = Literal["1.0", "1.1", "1.2"]
RULES: Rules = "1.2"
"""Those of today. Since 1.1 an exported threshold lies strictly between two scores, and a certificate needs
more than disjoint posts and confident verdicts. Since 1.2 a document says what is reached without the model,
calls the units of a cluster column by its name, and counts test rows that stand in tune."""

FIRST: Rules = "1.0"
EARLIER: tuple[Rules, ...] = ("1.0", "1.1")
"""Before 1.2."""


def rules_of(document: Mapping[str, Any]) -> Rules:
    """The rules a document was made by; those of today for a version that this program does not know."""
    version = document["schema_version"]
    return cast(Rules, version) if version in get_args(Rules) else RULES
