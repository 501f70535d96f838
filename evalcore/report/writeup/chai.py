"""The key metrics of a CHAI applied model card, as its schema (v0.2, mc.chai.org) names their fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evalcore.metrics import gate
from evalcore.operating_point.document.stated import estimate_of
from evalcore.report.writeup import facts
from evalcore.spec import declared

SECTIONS = (
    (
        "Usefulness, usability and efficacy",
        (*facts.WORKLOAD, gate.alert_precision, gate.alerts_per_1000, gate.reviews_per_true_alert),
        "How much work the rule leaves to readers, and how often an alert is right.",
    ),
    (
        "Fairness and equity",
        (),
        "Whether the screening sensitivity holds in groups, not only on average.",
    ),
    (
        "Safety and reliability",
        (gate.screening_sensitivity, gate.screening_fn_per_1000, gate.neg_npv),
        "How much evidence is skipped, so that nobody sees it.",
    ),
)


def chai_metrics(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Each section of the card's key metrics: goal, results, interpretation, and how it was tested."""
    entry = facts.decisive(document)
    return [
        {
            "section": section,
            "goal": goal,
            "results": _results(document, metrics, entry["role"]),
            "interpretation": " ".join(
                _claims(document, {declared(one).key for one in metrics}, entry["role"])
            ),
            "test_type": _test_type(document),
            "data": f"{facts.set_of(entry)}: {facts.size_of(entry)}",
        }
        for section, metrics, goal in SECTIONS
    ]


def _results(document: Mapping[str, Any], metrics: tuple[Any, ...], role: str) -> list[tuple[str, str]]:
    if not metrics:
        return [
            (
                one["name"],
                f"{one['missed']} missed, {one['share']}"
                + (f"; at least {one['bound']}" if one["bound"] else ""),
            )
            for one in facts.groups(document, role)
        ]
    found = ((declared(one).label, estimate_of(document, declared(one).key, role)) for one in metrics)
    return [(label, facts.estimate(entry)) for label, entry in found if entry is not None]


def _claims(document: Mapping[str, Any], keys: set[str], role: str) -> list[str]:
    return [
        facts.claim_in_words(document, claim)
        for claim in document["claims"]
        if claim["metric"] in keys and claim["evaluated_on"] == role
    ]


def _test_type(document: Mapping[str, Any]) -> str:
    if facts.decisive(document)["role"] != "test":
        if facts.is_by_hand(document):
            return "Evaluation of thresholds set by hand; no separate test."
        return "Evaluation on the rows that the thresholds were selected on; no separate test."
    is_apart = document["selection"].get("overlap_posts_tune_test") == 0
    return "Evaluation on a test set" + (" that shares no post with the tuning set." if is_apart else ".")
