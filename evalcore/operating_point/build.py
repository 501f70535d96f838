"""The operating-point document, put together from a choice and the rows it was made on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from importlib.metadata import version
from typing import Any

import evalcore
from evalcore.operating_point.canonical import content_sha256, sha256_of
from evalcore.operating_point.claims import claims
from evalcore.operating_point.constraints import PRECISION, SENSITIVITY, Constraint, Thresholds, strict_n
from evalcore.operating_point.estimates import count, estimates
from evalcore.operating_point.limits import limits
from evalcore.operating_point.overlap import n_overlapping_posts
from evalcore.operating_point.row_sets import RowSet
from evalcore.operating_point.rule import Rule
from evalcore.operating_point.standing import exploratory_reasons, status
from evalcore.operating_point.thresholds import threshold_text
from evalcore.problems import InputError, problem

SCHEMA_VERSION = "1.0"
BY_BOUND = "Learn-then-Test, fixed sequence from the safe end, one-sided bounds"
BY_EXACT = "tau_neg by Clopper-Pearson at the number of positives"
BY_KISH = "tau_neg by Clopper-Pearson at Kish's effective number of positives"
OF_PRECISION = "tau_pos by Korn-Graubard, strict where posts hold many alerts"
BY_ESTIMATE = "point estimates"
MANUAL = "set by hand"
OBJECTIVE = "the largest admissible tau_neg, then among tau_pos >= tau_neg the most alerts"
CONTRACT = "document 002, section 5.1: p < tau_neg is NEG, p >= tau_pos is POS, otherwise UNCERTAIN"
MAXIMUM = "maximum"
"""How candidates' scores make the score of their query, in ``input.aggregate``."""

LIBRARIES = ("numpy", "scipy")
COLUMN_ROLES = {
    "label": "has_evidence",
    "post": "post_id",
    "criterion": "criterion_id",
    "query": "query_id",
    "split": "split",
    "fold": "fold",
    "model": "model",
    "probabilities": "probability",
    "candidate_scores": "score",
}
"""Name in ``input.columns`` → role; several columns of a role are joined by a comma and a blank."""


@dataclass(frozen=True)
class Particulars:
    """What a person says about a choice; carried into the document as typed.

    Parameters
    ----------
    title : what the document is called.
    author, rationale : who chose, and why so.
    model_version, data_collected, setting : what was measured, when, where.
    labelled_by, label_agreement : who labelled, and how well labellers agreed.
    supersedes : id of the document that this one replaces.
    created_utc : time of the export as ``2026-01-31T12:00:00Z``; no part of the content hash.
    """

    title: str | None = None
    author: str | None = None
    rationale: str | None = None
    supersedes: str | None = None
    model_version: str | None = None
    data_collected: str | None = None
    setting: str | None = None
    labelled_by: str | None = None
    label_agreement: str | None = None
    created_utc: str | None = None

    @staticmethod
    def from_document(document: Mapping[str, Any]) -> Particulars:
        """What a person said about the choice of a document."""
        stated = {**document["provenance"], **{key: document.get(key) for key in ("title", "created_utc")}}
        return Particulars(**{field.name: stated.get(field.name) for field in fields(Particulars)})

    @property
    def provenance(self) -> dict[str, str | None]:
        """The part that a document's ``provenance`` holds."""
        outside = ("title", "created_utc")
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name not in outside}


@dataclass(frozen=True)
class Choice:
    """Two thresholds with everything that led to them.

    Parameters
    ----------
    chosen : the rows they were chosen on.
    test : the rows they were tested on, if any.
    constraints : what was to be reached.
    thresholds : the result.
    is_manual : whether a person set them.
    is_test_seen : whether they were set after test rows had been seen.
    """

    chosen: RowSet
    test: RowSet | None
    constraints: tuple[Constraint, ...]
    thresholds: Thresholds
    is_manual: bool
    is_test_seen: bool = False


def build_document(choice: Choice, particulars: Particulars, *, is_synthetic: bool) -> dict[str, Any]:
    """The document of a choice; the same choice on the same data makes the same document.

    Parameters
    ----------
    choice : thresholds and rows.
    particulars : what a person says about it.
    is_synthetic : whether the data were generated.
    """
    rule = _rule_of(choice)
    n_overlap = n_overlapping_posts(choice.chosen, choice.test) if choice.test is not None else None
    row_sets = [rows for rows in (choice.chosen, choice.test) if rows is not None]
    levels = {c.metric: c.confidence for c in choice.constraints if c.confidence is not None}
    stated: list[dict[str, Any]] = []
    numbers: list[dict[str, Any]] = []
    for rows in row_sets:
        counted = count(rows, rule.tau_neg, rule.tau_pos)
        stated += claims(counted, choice.constraints)
        numbers += estimates(counted, levels)
    reasons = exploratory_reasons(choice.test, n_overlap=n_overlap, is_test_seen=choice.is_test_seen)
    test_verdicts = [claim["verdict"] for claim in stated if claim["evaluated_on"] == "test"]
    parts: dict[str, Any] = {
        "status": status(reasons, test_verdicts, is_manual=choice.is_manual),
        "input": _input(choice),
        "rule": _rule_entry(rule),
        "data": [rows.entry() for rows in row_sets],
        "selection": _selection(choice, n_overlap),
        "claims": stated,
        "estimates": numbers,
        "limits": limits(
            choice.chosen,
            choice.test,
            choice.thresholds,
            choice.constraints,
            is_manual=choice.is_manual,
            reasons=reasons,
            is_synthetic=is_synthetic,
        ),
        "provenance": _provenance(choice.chosen, particulars),
        "self_test": rule.vectors(),
    }
    return _named(parts, particulars)


def _rule_of(choice: Choice) -> Rule:
    low, high = (0.0, 1.0) if choice.chosen.data.score_kind == "probability" else (None, None)
    return Rule(choice.thresholds.tau_neg, choice.thresholds.tau_pos, low, high)


def _rule_entry(rule: Rule) -> dict[str, Any]:
    return {
        "tau_neg": _tau(rule.tau_neg),
        "tau_pos": _tau(rule.tau_pos),
        "neg_if": "p < tau_neg",
        "pos_if": "p >= tau_pos",
        "otherwise": "UNCERTAIN",
        "invalid_score": rule.invalid_score,
    }


def _tau(value: float | None) -> dict[str, Any]:
    return {"value": value, "hex": None if value is None else value.hex()}


def _input(choice: Choice) -> dict[str, Any]:
    data = choice.chosen.data
    origin = choice.chosen.origin
    columns = origin.source.columns
    is_named = origin.level is not None or len(choice.chosen.queries.models) > 1
    return {
        "score_field": origin.column,
        "score_kind": data.score_kind,
        "dtype": "float64",
        "range": [0, 1] if data.score_kind == "probability" else [None, None],
        "positive_label": data.positive,
        "calibrator": None,
        "model": {"name": choice.chosen.model, "level": origin.level} if is_named else None,
        "columns": {role: columns.get(name) for role, name in COLUMN_ROLES.items()},
        **({"aggregate": MAXIMUM} if origin.is_maximum else {}),
    }


def _selection(choice: Choice, n_overlap: int | None) -> dict[str, Any]:
    by_bound = any(constraint.confidence is not None for constraint in choice.constraints)
    entry: dict[str, Any] = {
        "chosen_on": "manual" if choice.is_manual else choice.chosen.role,
        "method": MANUAL if choice.is_manual else _method(choice) if by_bound else BY_ESTIMATE,
        "objective": None if choice.is_manual else OBJECTIVE,
        "constraints": [constraint.as_json() for constraint in choice.constraints],
    }
    if not choice.is_manual:
        entry["candidates_considered"] = choice.thresholds.n_considered
    if n_overlap is not None:
        entry["overlap_posts_tune_test"] = n_overlap
    if choice.is_test_seen:
        entry["test_seen_before"] = True
    return entry


def _method(choice: Choice) -> str:
    """By which bounds the thresholds were chosen."""
    of_metric = {
        SENSITIVITY: BY_EXACT if strict_n(choice.chosen.posts) is None else BY_KISH,
        PRECISION: OF_PRECISION,
    }
    asked = [c.metric for c in choice.constraints if c.confidence is not None]
    return "; ".join([BY_BOUND, *(of_metric[metric] for metric in asked)])


def _provenance(chosen: RowSet, particulars: Particulars) -> dict[str, Any]:
    excluded: dict[str, int] = {}
    for source in chosen.origin.sources:
        for reason, n in source.excluded.items():
            excluded[reason] = excluded.get(reason, 0) + n
    return {
        "tool": "evalcore",
        "tool_version": evalcore.__version__,
        "libraries": {name: version(name) for name in LIBRARIES},
        "contract": CONTRACT,
        **particulars.provenance,
        "excluded_rows": excluded,
    }


def _named(parts: dict[str, Any], particulars: Particulars) -> dict[str, Any]:
    """The whole document with title, id and content hash."""
    identity = sha256_of({key: parts[key] for key in ("rule", "data", "selection")})
    document = {
        "schema": "operating-point",
        "schema_version": SCHEMA_VERSION,
        "id": f"op-{identity[:16]}",
        "title": particulars.title or _title(parts["rule"]),
        **({"created_utc": particulars.created_utc} if particulars.created_utc else {}),
        **parts,
    }
    return document | {"content_sha256": content_sha256(document)}


def _title(rule: Mapping[str, Any]) -> str:
    tau_neg, tau_pos = rule["tau_neg"]["value"], rule["tau_pos"]["value"]
    skip = "Skip nothing" if tau_neg is None else f"Skip below {threshold_text(tau_neg)}"
    return f"{skip}, {'no alerts' if tau_pos is None else f'alert from {threshold_text(tau_pos)}'}"


def check_particulars(particulars: Particulars) -> None:
    """Refuse text that no JSON document can hold.

    Raises
    ------
    InputError : OPT-003, naming each.
    """
    found = []
    for field in fields(particulars):
        value = getattr(particulars, field.name)
        if value is not None and not (isinstance(value, str) and _is_unicode(value)):
            found.append(problem("OPT-003", name=field.name, found=ascii(value), expected="Unicode text"))
    if found:
        raise InputError(found)


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
