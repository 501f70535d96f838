"""What an export states of itself beside what its files hold: discards, broken rules, annotated panels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from evalcore.agreement.distributions import panels
from evalcore.agreement.rules import RULES, violations
from evalcore.agreement.stated import StatedFact, agreement_facts, as_text, number_fact
from evalcore.annotations import Annotations

if TYPE_CHECKING:
    import pandas as pd

RULE_NAMES = {
    "evidence_requires_relevance": RULES[0],
    "contradicted_requires_unsupported": RULES[1],
    "fabricated_requires_cited": RULES[2],
}
"""What an export calls a rule → the rule."""
BUCKETS = {"k_lt_5": "fewer than 5", "k_eq_5": "5", "k_gt_5": "more than 5"}
ELSEWHERE = "it happened before the export: its rows do not tell"


def stated_facts(annotations: Annotations) -> tuple[StatedFact, ...]:
    """Everything that the sidecars state, beside what the responses give.

    Tasks, rows and annotators are compared where the files are read, as rows that were left out count.

    Returns
    -------
    tuple of StatedFact, in the order of the sidecars: the export's counts, then the agreement report.

    Examples
    --------
    >>> import numpy as np
    >>> stated = {"export": {"constraint_summary": {"fabricated_requires_cited": 2}}}
    >>> [fact] = stated_facts(Annotations(np.empty(0, object), {}, stated=stated))
    >>> fact.what
    'responses that break: fabricated_source implies source_cited'
    >>> fact.stated, fact.is_same, fact.note
    ('2', None, 'no responses of this task were loaded')
    """
    return (*_export_facts(annotations), *agreement_facts(annotations))


def _export_facts(annotations: Annotations) -> Iterator[StatedFact]:
    export = annotations.stated.get("export")
    if not isinstance(export, Mapping):
        return
    n_discarded = sum(int((~one.is_submitted).sum()) for one in annotations.responses.values())
    if export.get("include_discarded") is False:
        yield number_fact("export", "", "discarded responses", 0, n_discarded)
    yield from _calibration(annotations, _mapping(export.get("calibration_enabled")))
    yield from _rules(annotations, _mapping(export.get("constraint_summary")))
    completeness = _mapping(export.get("completeness_summary"))
    if completeness and "retrieval" in annotations.responses:
        yield from _panels(panels(annotations.responses["retrieval"], annotations.record_ids), completeness)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _calibration(annotations: Annotations, enabled: Mapping[str, Any]) -> Iterator[StatedFact]:
    """Whether a task has records of a calibration round, as far as a column says."""
    for task, responses in annotations.responses.items():
        if task not in enabled or "calibration" not in responses.slices:
            continue
        codes, levels = responses.slices["calibration"]
        has_round = any(levels[code].lower() in ("true", "1", "yes") for code in set(codes[codes >= 0]))
        stated, ours = ("yes" if one else "no" for one in (bool(enabled[task]), has_round))
        yield StatedFact("export", task, "a calibration round", stated, ours, stated == ours)


def _rules(annotations: Annotations, stated: Mapping[str, Any]) -> Iterator[StatedFact]:
    for name, n in stated.items():
        rule = RULE_NAMES.get(name)
        if rule is None:
            note = "no rule of this name is known here"
            yield StatedFact("export", "", f"broken rule {name}", as_text(n), "none", None, note)
            continue
        what = f"responses that break: {rule.text}"
        responses = annotations.responses.get(rule.task)
        if responses is None:
            note = "no responses of this task were loaded"
            yield StatedFact("export", rule.task, what, as_text(n), "none", None, note)
            continue
        broken = violations(responses, annotations.record_ids)["rule"] == rule.text
        yield number_fact("export", rule.task, what, n, int(broken.sum()))


def _panels(table: pd.DataFrame, stated: Mapping[str, Any]) -> Iterator[StatedFact]:
    """Retrieved lists and how many are wholly annotated, overall and by the length of the list."""
    known = table[table["state"] != "unknown"]
    n, is_complete = known["n_retrieved"], known["state"] == "complete"
    yield from _counts("", stated, len(known), int(is_complete.sum()))
    if "fraction_complete" in stated:
        share = float(is_complete.mean()) if len(known) else float("nan")
        what = "share of wholly annotated lists"
        yield number_fact("export", "retrieval", what, stated["fraction_complete"], share)
    for name, counts in _mapping(stated.get("by_k_bucket")).items():
        if name in BUCKETS:
            mask = {"k_lt_5": n < 5, "k_eq_5": n == 5, "k_gt_5": n > 5}[name]
            where = f" of {BUCKETS[name]} chunks"
            yield from _counts(where, _mapping(counts), int(mask.sum()), int(is_complete[mask].sum()))
    for name, counts in _mapping(stated.get("by_k")).items():
        mask = n.astype(str) == str(name)
        where = f" of {name} chunks"
        yield from _counts(where, _mapping(counts), int(mask.sum()), int(is_complete[mask].sum()))
    for name in ("n_integrity_warnings", "n_orphans_skipped"):
        if name in stated:
            yield StatedFact("export", "retrieval", name, as_text(stated[name]), "none", None, ELSEWHERE)


def _counts(where: str, stated: Mapping[str, Any], n: int, n_complete: int) -> Iterator[StatedFact]:
    for name, what, ours in (
        ("n_panels", f"retrieved lists{where}", n),
        ("n_complete", f"wholly annotated lists{where}", n_complete),
    ):
        if name in stated:
            yield number_fact("export", "retrieval", what, stated[name], ours)
