"""What a document answers of a reporting guideline, by the name that the lists of items use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from evalcore.operating_point import OperatingPoint
from evalcore.operating_point.document.build import MAXIMUM
from evalcore.operating_point.document.groups import marks_of
from evalcore.report.writeup import facts

Answer = Callable[[Mapping[str, Any]], str]
SEE_RESULTS = "See the results in methods_and_results.md"


WHOLE = ("crosstab", "measures", "performance", "uncertain")
"""Answers that are all an item asks for of what was evaluated here; others are a part."""


def answer(point: OperatingPoint, name: str) -> str:
    """What a document says of an item; empty where it says nothing."""
    return ANSWERS[name](point.document) if name else ""


def _targets(document: Mapping[str, Any]) -> str:
    constraints = document["selection"]["constraints"]
    if not constraints:
        return "No target was set; the thresholds were set by hand."
    return f"To classify checks with {' and '.join(map(facts.target, constraints))}."


def _sources(document: Mapping[str, Any]) -> str:
    return "; ".join(map(facts.rows_text, document["data"])) + "."


def _stated(name: str) -> Answer:
    def stated(document: Mapping[str, Any]) -> str:
        return str(document["provenance"].get(name) or "")

    return stated


def _preparation(document: Mapping[str, Any]) -> str:
    excluded = document["provenance"].get("excluded_rows") or {}
    if not excluded:
        return (
            f"No row of the files was excluded when they were read. {facts.scores_taken(document['input'])}"
        )
    told = "; ".join(f"{reason}: {n}" for reason, n in excluded.items())
    return f"Excluded when the files were read: {told}. {facts.scores_taken(document['input'])}"


def _outcome(document: Mapping[str, Any]) -> str:
    given = document["input"]
    return f'Column {given["columns"].get("label")}, with the value "{given["positive_label"]}" for evidence.'


def _labellers(document: Mapping[str, Any]) -> str:
    who, agreed = (document["provenance"].get(name) for name in ("labelled_by", "label_agreement"))
    return " ".join(
        f"{head}: {text}." for head, text in (("Labelled by", who), ("Agreement", agreed)) if text
    )


def _sizes(document: Mapping[str, Any]) -> str:
    told = [f"{facts.set_of(entry)}: {facts.size_of(entry)}" for entry in document["data"]]
    return _sentence("; ".join(told))


def _missing(document: Mapping[str, Any]) -> str:
    is_error = document["rule"]["invalid_score"] == "error"
    does = "is an error" if is_error else "leaves the check to a reviewer"
    if document["input"].get("aggregate") == MAXIMUM:
        return (
            "A candidate without a score is left out; a check without any score, or a score outside the "
            f"range, {does}; nothing is imputed."
        )
    return f"A missing score, or one outside the range, {does}; nothing is imputed."


def _partition(document: Mapping[str, Any]) -> str:
    told, overlap = _sizes(document), document["selection"].get("overlap_posts_tune_test")
    if len(document["data"]) < 2:
        return f"{told} There was no separate test set."
    shared = (
        ""
        if overlap is None
        else f" {overlap:,} posts were in both sets."
        if overlap
        else " No post was in both."
    )
    if facts.is_by_hand(document):
        return f"Thresholds were set by hand. {told}{shared}"
    return f"Thresholds were selected on {facts.set_of(document['data'][0])}. {told}{shared}"


def _clusters(document: Mapping[str, Any]) -> str:
    field = document["data"][0].get("cluster_field")
    if field is None:
        return "The rows name no clusters: checks were taken as independent."
    return f"Checks with the same {field} were taken as related, those of different ones as independent."


def _measures(document: Mapping[str, Any]) -> str:
    names = [label for label, _ in facts.estimates(document, facts.decisive(document)["role"])]
    return f"{_sentence(', '.join(names))} {' '.join(facts.methods_of_intervals(document))}"


def _updating(document: Mapping[str, Any]) -> str:
    return "" if document["input"].get("calibrator") else "None by the document, which holds thresholds only."


def _predictions(document: Mapping[str, Any]) -> str:
    given = document["input"]
    model = (given.get("model") or {}).get("name")
    version = document["provenance"].get("model_version")
    of = f" of model {model}" if model else ""
    read = f"Scores{of} were read from the field {given['score_field']}"
    told = f"{read} (version {version})." if version else f"{read}."
    taken = facts.scores_taken(given)
    return told if taken == facts.AS_THEY_ARE else f"{told} {taken}"


def _marked_groups(document: Mapping[str, Any]) -> str:
    marks = [f"{column} = {level}" for column, level in marks_of(document)]
    columns = document["selection"].get("groups_by") or []
    told = (
        [f"The target of screening sensitivity had to hold in each of: {', '.join(marks)}."] if marks else []
    )
    told += [f"Groups were counted by {', '.join(columns)}."] if columns else []
    return " ".join(told)


def _rule(document: Mapping[str, Any]) -> str:
    below, above = (facts.threshold(document, name) for name in ("tau_neg", "tau_pos"))
    told = [
        f"negative (skipped) below {below}" if below is not None else "no check is negative",
        f"positive (alert) from {above} on" if above is not None else "no check is positive",
        "uncertain (left to a reviewer) otherwise",
    ]
    seen = any(one.get("set_after_seeing_the_data") for one in document["selection"]["constraints"])
    how = (
        "Thresholds were set by hand."
        if facts.is_by_hand(document)
        else f"Thresholds: {document['selection']['method']}."
    )
    return f"{_sentence('; '.join(told))} {how}" + (
        " A target was set after seeing the data." if seen else ""
    )


def _differences(document: Mapping[str, Any]) -> str:
    if len(document["data"]) < 2:
        return ""
    differs = document["selection"].get("prevalence_differs")
    told = (
        ""
        if differs is None
        else " The prevalences " + ("differ beyond chance." if differs else "do not differ beyond chance.")
    )
    return _sizes(document) + told


def _digests(document: Mapping[str, Any]) -> str:
    return f"The files are named by their digests: {_sources(document)}"


def _software(document: Mapping[str, Any]) -> str:
    provenance = document["provenance"]
    libraries = "".join(
        f", {name} {version}" for name, version in (provenance.get("libraries") or {}).items()
    )
    return f"For the evaluation: {provenance['tool']} {provenance['tool_version']}{libraries}."


def _document(document: Mapping[str, Any]) -> str:
    return (
        f"The decision rule and every number are kept in document {document['id']} (content "
        f"SHA-256 {document['content_sha256']}), which names its data by digest and can be recomputed from "
        "them."
    )


def _performance(document: Mapping[str, Any]) -> str:
    role = facts.decisive(document)["role"]
    told = [f"{label}: {facts.estimate(entry)}" for label, entry in facts.estimates(document, role)]
    return f"On {facts.set_of(facts.decisive(document))}: {'. '.join(told)}."


def _groups(document: Mapping[str, Any]) -> str:
    found = facts.groups(document, facts.decisive(document)["role"])
    return f"{SEE_RESULTS}: table of groups." if found else ""


def _crosstab(_: Mapping[str, Any]) -> str:
    return f"{SEE_RESULTS}: table of decisions by label."


def _limits(document: Mapping[str, Any]) -> str:
    return f"{SEE_RESULTS}: limitations." if document.get("limits") else ""


def _users(_: Mapping[str, Any]) -> str:
    return "A reviewer reads what is neither skipped nor an alert."


def _imbalance(_: Mapping[str, Any]) -> str:
    return "None in selecting the thresholds: rows were neither weighted nor drawn anew."


def _uncertain(document: Mapping[str, Any]) -> str:
    return (
        f"Uncertain checks are an outcome of their own and count as kept for a reader. {_missing(document)}"
    )


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


ANSWERS: Mapping[str, Answer] = {
    "clusters": _clusters,
    "crosstab": _crosstab,
    "dates": _stated("data_collected"),
    "differences": _differences,
    "digests": _digests,
    "document": _document,
    "groups": _groups,
    "imbalance": _imbalance,
    "labellers": _labellers,
    "limits": _limits,
    "marked_groups": _marked_groups,
    "measures": _measures,
    "missing": _missing,
    "outcome": _outcome,
    "partition": _partition,
    "performance": _performance,
    "predictions": _predictions,
    "preparation": _preparation,
    "rule_and_method": _rule,
    "setting": _stated("setting"),
    "sizes": _sizes,
    "software": _software,
    "sources": _sources,
    "targets": _targets,
    "uncertain": _uncertain,
    "updating": _updating,
    "users": _users,
}
