"""Whether the verdicts, values and bounds of a document agree with each other, without its data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from evalcore.inference.verdicts import MIN_CASES
from evalcore.operating_point.choosing.estimates import REPORT_LEVEL
from evalcore.operating_point.constraints import NAMES, PRECISION, SENSITIVITY, SKIPPED
from evalcore.problems import Problem, problem

REACHED = ("met_with_confidence", "met_point_only", "infeasible_with_this_n")
_SLACK = 1e-9
_PER_1000 = ("per_1000",)


def false_verdicts(document: Mapping[str, Any], file: str | None = None) -> list[Problem]:
    """Where a verdict contradicts the numbers beside it, or a number its own counts and bounds.

    Parameters
    ----------
    document : after the schema.
    file : the file's name, for messages.

    Returns
    -------
    list of problems: DOC-020 for a verdict, DOC-021 for a number.
    """
    numbers = {(one["metric"], one["evaluated_on"]): one for one in document["estimates"]}
    found = []
    for at, entry in enumerate(document["estimates"]):
        found += [
            problem("DOC-021", file=file, place=f"estimates[{at}]", found=told)
            for told in _false_number(entry)
        ]
    is_skipping = {
        role: one["numerator"] != 0 for (metric, role), one in numbers.items() if metric == SKIPPED
    }
    for at, claim in enumerate(document["claims"]):
        number = numbers.get((claim["metric"], claim["evaluated_on"]))
        told = _false_verdict(claim, number, is_skipping=is_skipping.get(claim["evaluated_on"], True))
        if told is not None:
            found.append(
                problem("DOC-020", file=file, place=f"claims[{at}]", verdict=claim["verdict"], found=told)
            )
    return found + _of_constraints(document, file)


def _false_number(entry: Mapping[str, Any]) -> Iterator[str]:
    value, good, n = entry["value"], entry["numerator"], entry["denominator"]
    if value is None and n:
        yield f"no value of {good} of {n}"
    if value is None or good is None or n is None:
        return
    scale = 1000 if entry["metric"].endswith(_PER_1000) else 1
    if n == 0 or abs(value - scale * good / n) > _SLACK * max(1.0, abs(value)):
        yield f"{value:g} of {good} of {n}"
    for name in ("ci", "ci_if_independent"):
        interval = entry.get(name) or {}
        low, high, worth = (interval.get(key) for key in ("low", "high", "n_effective"))
        is_exact = not str(interval.get("method", "")).startswith("cluster_bootstrap")
        if is_exact and low is not None and low > value + _SLACK:
            yield f"{name}.low {low:g} above {value:g}"
        if is_exact and high is not None and high < value - _SLACK:
            yield f"{name}.high {high:g} below {value:g}"
        if worth is not None and worth > n + _SLACK:
            yield f"{name}.n_effective {worth:g} of {n} cases"


def _false_verdict(
    claim: Mapping[str, Any], number: Mapping[str, Any] | None, *, is_skipping: bool
) -> str | None:
    """Why the verdict cannot be, or None."""
    verdict, target = claim.get("verdict_of_all", claim["verdict"]), claim["value"]
    if claim["metric"] not in NAMES or verdict == "not_assessed":
        return None
    if number is None or claim["evaluated_on"] == "folds":
        return "no estimate beside it"
    n = number["denominator"] or 0
    if number["numerator"] is None:
        return "no counts beside it"
    if verdict == "not_met" and n == 0 and claim["metric"] == PRECISION:
        return None
    if n < MIN_CASES:
        return f"{n} cases"
    if claim["metric"] == SENSITIVITY and not is_skipping:
        return "nothing is skipped"
    is_reached = number["numerator"] / n >= target
    if is_reached != (verdict in REACHED):
        return f"{number['numerator']} of {n} for a target of {target:g}"
    interval = number.get("ci") or {}
    low = interval.get("low")
    if verdict != "met_with_confidence":
        return None
    if low is None or low < target:
        return f"a bound of {low} for a target of {target:g}"
    if interval.get("level") != (claim.get("confidence") or REPORT_LEVEL) or interval.get("sides") != 1:
        return f"a bound at {interval.get('level')} for a claim at {claim.get('confidence')}"
    if claim["metric"] == PRECISION and claim["evaluated_on"] != "test":
        return "a precision on the rows its threshold was chosen on"
    return None


def _of_constraints(document: Mapping[str, Any], file: str | None) -> list[Problem]:
    """A target without its claim on some rows, or a claim without its target."""
    asked = {(entry["metric"], entry["value"]) for entry in document["selection"]["constraints"]}
    roles = [entry["role"] for entry in document["data"]]
    claimed = {(claim["metric"], claim["value"], claim["evaluated_on"]) for claim in document["claims"]}
    lacking = sorted((m, v, role) for m, v in asked for role in roles if (m, v, role) not in claimed)
    beside = sorted(one for one in claimed if one[:2] not in asked)
    told = [f"no claim on {role} for {m} of at least {v:g}" for m, v, role in lacking]
    told += [f"a claim on {role} for {m} of at least {v:g}, which is no target" for m, v, role in beside]
    return [problem("DOC-021", file=file, place="claims", found=one) for one in told]
