"""What a write-up says of a document: each number of it in words, none that is not in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from evalcore.metrics import gate
from evalcore.operating_point.constraints import NAMES
from evalcore.operating_point.document.build import MAXIMUM
from evalcore.operating_point.document.groups import marks_of
from evalcore.operating_point.document.stated import counts_of, estimate_of
from evalcore.operating_point.test_rows.row_sets import rows_in_words
from evalcore.operating_point.tradeoff.thresholds import threshold_text
from evalcore.operating_point.wording import (
    at_least,
    at_most,
    counted,
    percent,
    percent_at_least,
    percent_at_most,
    percent_in_document,
    percent_of,
)
from evalcore.spec import METRICS, declared

OUTCOMES = {
    "met_with_confidence": "The target of {target} was met with {level} confidence",
    "met_point_only": "The estimate met the target of {target}, but not with {level} confidence",
    "infeasible_with_this_n": "The estimate met the target of {target}; with so few cases no result "
    "could have shown it with {level} confidence",
    "not_met": "The target of {target} was not met",
    "not_assessed": "The target of {target} was not assessed",
}
BY_ESTIMATE = dict.fromkeys(
    ("met_with_confidence", "met_point_only"), "The estimate met the target of {target}"
)
STATUS = {
    "certified": "certified: thresholds selected on one set of posts, every target confirmed on another",
    "tuned": "tuned: thresholds selected on one set of posts and evaluated on another, without confirming "
    "every target there or with a limitation that speaks against it",
    "exploratory": "exploratory: the evaluation is not independent of the selection of the thresholds, or a "
    "limitation speaks against it",
}
STATUS_BY_HAND = {
    "tuned": "tuned: thresholds set by hand and evaluated; thresholds set by hand are never certified",
    "exploratory": "exploratory: the evaluation is not known to be independent of how the thresholds were "
    "set, or a limitation speaks against it",
}
"""A person, not a set of rows, chose: what `STATUS` says of the selection would be false."""
SETS = {"tune": "tuning set", "test": "test set", "all": "data set", "folds": "held-out folds"}
AS_THEY_ARE = "Scores were taken as they are."
WORKLOAD = (gate.neg_rate, gate.uncertain_rate, gate.pos_rate)
ACCURACY = (
    gate.screening_sensitivity,
    gate.screening_fn_per_1000,
    gate.neg_npv,
    gate.alert_precision,
    gate.alert_recall,
)


def set_of(entry: Mapping[str, Any]) -> str:
    """The rows of an entry as a set: ``the test set (split = test)``."""
    where = entry.get("row_filter")
    return f"the {SETS[entry['role']]}" + (f" ({where})" if where else "")


def size_of(entry: Mapping[str, Any]) -> str:
    """How many checks and units, and how many hold evidence."""
    posts = "" if entry.get("posts") is None else f" from {counted(entry['posts'], 'post')}"
    share = percent_of(entry["positives"], entry["rows"])
    return f"{counted(entry['rows'], 'check')}{posts}, {entry['positives']:,} of them with evidence ({share})"


def decisive(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """The rows that decide: tested on or, without a test, chosen on."""
    entries: list[Mapping[str, Any]] = document["data"]
    return next((entry for entry in entries if entry["role"] == "test"), entries[0])


def is_by_hand(document: Mapping[str, Any]) -> bool:
    """Whether a person set the thresholds: then they were selected on no rows."""
    return bool(document["selection"]["chosen_on"] == "manual")


def status_in_words(document: Mapping[str, Any]) -> str:
    """The status with what it rests on; empty for one that says nothing of the evidence."""
    known = STATUS | STATUS_BY_HAND if is_by_hand(document) else STATUS
    return known.get(document["status"], "")


def scores_taken(given: Mapping[str, Any]) -> str:
    """How scores were taken; ``as they are`` only where nothing was made of them."""
    told = []
    if given.get("aggregate") == MAXIMUM:
        told.append("The score of a check was taken as the highest of its candidates.")
    if given.get("score_of") == "predicted":
        told.append("The score of a row with another class predicted was taken as 1 − score.")
    if given.get("grid") is not None:
        told.append(f"Scores were taken on {counted(given['grid'], 'point')}, each at one not above it.")
    return " ".join(told) or AS_THEY_ARE


def target(constraint: Mapping[str, Any]) -> str:
    """A target: ``screening sensitivity of at least 99.5 %``."""
    sign = "at least" if constraint.get("op", ">=") == ">=" else "at most"
    return f"{NAMES.get(constraint['metric'], constraint['metric'])} of {sign} {percent(constraint['value'])}"


def threshold(document: Mapping[str, Any], name: str) -> str | None:
    """A threshold as its shortest decimal; None where the zone is empty."""
    value = document["rule"][name]["value"]
    return None if value is None else threshold_text(value)


def interval(entry: Mapping[str, Any]) -> str:
    """The interval of an estimate in words, rounded outward; empty without one."""
    found = entry.get("ci")
    if not found or (found["low"] is None and found["high"] is None):
        return ""
    is_share = METRICS[entry["metric"]].bounds == (0, 1) if entry["metric"] in METRICS else False
    low_text: Callable[[float], str] = percent_at_least if is_share else at_least
    high_text: Callable[[float], str] = percent_at_most if is_share else at_most
    level = percent(found["level"])
    if found["high"] is None:
        return f"one-sided {level} lower confidence bound {low_text(found['low'])}"
    if found["low"] is None:
        return f"one-sided {level} upper confidence bound {high_text(found['high'])}"
    return f"{level} CI {low_text(found['low'])} to {high_text(found['high'])}"


def estimate(entry: Mapping[str, Any], *, limit: float | None = None) -> str:
    """An estimate with counts and interval: ``97.5 % (117/120; one-sided 95 % …)``."""
    counts, bounds = counts_of(entry), interval(entry)
    if entry["value"] is None:
        return f"not defined ({entry['undefined_reason']})"
    is_share = entry["metric"] in METRICS and METRICS[entry["metric"]].bounds == (0, 1)
    if is_share:
        value = percent_in_document(entry["value"]) if counts is None else percent_of(*counts, target=limit)
    else:
        value = at_least(round(entry["value"], 2))
    of = "" if counts is None or not is_share else f"{counts[0]:,}/{counts[1]:,}"
    behind = "; ".join(filter(None, (of, bounds)))
    return value + (f" ({behind})" if behind else "")


def estimates(document: Mapping[str, Any], role: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The rates on some rows, each with what it is called, workload first."""
    for one in (*WORKLOAD, *ACCURACY):
        entry = estimate_of(document, declared(one).key, role)
        if entry is not None:
            yield declared(one).label, entry


def methods_of_intervals(document: Mapping[str, Any]) -> list[str]:
    """A sentence for each kind of interval in the document."""
    found: dict[str, list[str]] = {}
    for one in document["estimates"]:
        method = str((one.get("ci") or {}).get("method", ""))
        name = METRICS[one["metric"]].label if one["metric"] in METRICS else one["metric"]
        if name not in found.setdefault(method, []):
            found[method].append(name)
    field = document["data"][0].get("cluster_field")
    # Rows that name no clusters are drawn one by one: there is nothing to draw together.
    drawn_as = "checks" if field is None else f"all checks with the same {field} together"
    related = "" if field is None else f", as checks with the same {field} are related"
    told = []
    if named := _with_method(found, "korn_graubard"):
        told.append(
            "Korn–Graubard bounds, exact binomial bounds at the effective number of independent "
            f"checks{related}, are given for: {named}."
        )
    if named := _with_method(found, "strict"):
        told.append(
            f"Where many such checks are related, Kish's effective number was used instead, for: {named}."
        )
    if named := _with_method(found, "clopper_pearson"):
        told.append(f"Exact binomial (Clopper–Pearson) bounds of independent checks are given for: {named}.")
    drawn = next((one for one in found if one.startswith("cluster_bootstrap")), None)
    if drawn is not None:
        facts = dict(part.partition("=")[::2] for part in re.findall(r"[a-z_B]+=[^;)]*", drawn))
        told.append(
            f"Percentile intervals from {int(facts['B']):,} bootstrap replicates that resample {drawn_as} "
            f"(seed {facts['seed']}) are given for: {_with_method(found, 'cluster_bootstrap')}."
        )
    return told


def _with_method(found: Mapping[str, Sequence[str]], method: str) -> str:
    """The names of the rates whose interval is of a method."""
    named = dict.fromkeys(name for of, names in found.items() if of.startswith(method) for name in names)
    return ", ".join(named)


def claim_in_words(document: Mapping[str, Any], claim: Mapping[str, Any]) -> str:
    """What was found for a target, and whether that meets it."""
    entry = estimate_of(document, claim["metric"], claim["evaluated_on"])
    name = NAMES.get(claim["metric"], claim["metric"])
    level = percent(claim.get("confidence") or 0.95)
    has_level = claim.get("confidence") is not None
    outcomes = OUTCOMES if has_level else OUTCOMES | BY_ESTIMATE
    outcome = outcomes[claim["verdict"]].format(level=level, target=target(claim).partition(" of ")[2])
    value = "not estimated" if entry is None else estimate(entry, limit=claim["value"])
    note = f" {claim['note']}" if claim.get("note") else ""
    return f"{name[:1].upper()}{name[1:]} was {value}. {outcome}.{note}"


def groups(document: Mapping[str, Any], role: str) -> list[dict[str, str]]:
    """Each group on the rows of a role: name, counts, share, bound, and whether it was marked."""
    marks = set(marks_of(document))
    return [
        {
            "name": f"{one['column']} = {one['level']}"
            + (" (marked)" if (one["column"], one["level"]) in marks else ""),
            "checks": f"{one['n']:,}",
            "missed": f"{one['n_missed']:,}/{one['n_positive']:,}",
            "share": percent_of(one["n_positive"] - one["n_missed"], one["n_positive"]),
            "bound": "" if one["bound"] is None else percent_at_least(one["bound"]),
        }
        for one in document.get("subgroups", ())
        if one["evaluated_on"] == role
    ]


def rows_text(entry: Mapping[str, Any]) -> str:
    """Which rows of which file, with the digest that names them."""
    where = rows_in_words(entry["role"], entry.get("row_filter"))
    return f"{where} of {entry.get('file', 'a file')} (SHA-256 {entry['sha256']})"
