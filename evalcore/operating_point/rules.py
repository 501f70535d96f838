"""The rules a document was made by: those of its schema version, so that it is recomputed as it was made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, cast, get_args

Rules = Literal["1.0", "1.1", "1.2", "1.3"]
RULES: Rules = "1.3"
"""Those of today. Since 1.1 an exported threshold lies strictly between two scores, and a certificate needs
more than disjoint posts and confident verdicts. Since 1.2 a document says what is reached without the model,
calls the units of a cluster column by its name, and counts test rows that stand in tune. Since 1.3 it holds
groups, of which marked ones must hold a target by themselves, and says what nobody stated of the choice."""

FIRST: Rules = "1.0"
EARLIER: tuple[Rules, ...] = ("1.0", "1.1")
"""Before 1.2."""
WITHOUT_GROUPS: tuple[Rules, ...] = (*EARLIER, "1.2")
"""Before 1.3."""


def rules_of(document: Mapping[str, Any]) -> Rules:
    """The rules a document was made by; those of today for a version that this program does not know."""
    version = document["schema_version"]
    return cast(Rules, version) if version in get_args(Rules) else RULES
