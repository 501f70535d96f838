"""Labels that contradict each other: logical rules of document 003, and where they are broken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from evalcore.annotations import NO, YES, RagTask, Responses

if TYPE_CHECKING:
    import pandas as pd

Said = Mapping[str, NDArray[np.int8]]


@dataclass(frozen=True)
class Rule:
    """Where the first label is yes, the second must say ``then``.

    Parameters
    ----------
    task : whose labels these are.
    label, other : names of labels.
    then : `YES` or `NO`, which ``other`` must be.
    is_warning : whether breaking it is only unlikely; otherwise it is impossible.
    """

    task: RagTask
    label: str
    other: str
    then: int
    is_warning: bool = False

    @property
    def text(self) -> str:
        """The rule in a few words."""
        return f"{self.label} {'implies' if self.then == YES else 'excludes'} {self.other}"


RULES = (
    Rule("retrieval", "evidence_sufficient", "topically_relevant", YES),
    Rule("grounding", "contradicted_claim_present", "unsupported_claim_present", YES),
    Rule("grounding", "fabricated_source", "source_cited", YES),
    Rule("retrieval", "evidence_sufficient", "misleading", NO, is_warning=True),
)


def is_broken(rule: Rule, labels: Said) -> NDArray[np.bool_] | None:
    """Where a rule is broken; a label that is not said breaks nothing. None where a label is not there.

    Parameters
    ----------
    labels : label → `YES`, `NO` or `UNSAID`, shape (N,): of responses, or after consolidation.

    Examples
    --------
    >>> labels = {"source_cited": np.array([0, -1, 1]), "fabricated_source": np.array([1, 1, 1])}
    >>> is_broken(RULES[2], labels).tolist()
    [True, False, False]
    """
    if rule.label not in labels or rule.other not in labels:
        return None
    against = NO if rule.then == YES else YES
    return np.asarray((labels[rule.label] == YES) & (labels[rule.other] == against))


def violations(responses: Responses, record_ids: NDArray[np.object_]) -> pd.DataFrame:
    """Every submitted response that breaks a rule, one row for each rule that it breaks.

    Returns
    -------
    DataFrame with columns ``rule``, ``is_warning``, ``record_id``, ``chunk_id`` (empty for answers),
    ``annotator`` (empty where not named) and ``row`` (of the file, from 1); by rule, record, chunk,
    annotator, row.
    """
    import pandas as pd

    given = responses.where(responses.is_submitted)
    text = dict.fromkeys(("rule", "record_id", "chunk_id", "annotator"), str)
    parts = []
    for rule in RULES:
        broken = is_broken(rule, given.labels) if rule.task == given.task else None
        at = np.flatnonzero(broken) if broken is not None else np.zeros(0, np.intp)
        rows = {
            "record_id": _named(record_ids, given.record[at]),
            "chunk_id": _named(given.chunk_ids, given.chunk[at]),
            "annotator": _named(given.annotator_ids, given.annotator[at]),
            "row": given.row[at],
        }
        found = pd.DataFrame(rows).sort_values(list(rows))
        found.insert(0, "rule", rule.text)
        found.insert(1, "is_warning", rule.is_warning)
        parts.append(found.astype(text))
    return pd.concat(parts, ignore_index=True)


def counts_by_rule(found: pd.DataFrame) -> list[tuple[str, bool, int]]:
    """Each broken rule, whether it is a mere warning, and by how many responses, as `violations` has them."""
    counts = found.groupby(["rule", "is_warning"], sort=False).size()
    return [(str(rule), bool(is_warning), int(n)) for (rule, is_warning), n in counts.items()]


def _named(ids: NDArray[np.object_], code: NDArray[np.intp]) -> NDArray[np.object_]:
    """Codes as text, empty for −1."""
    return np.append(np.asarray(ids, object), "")[code]
