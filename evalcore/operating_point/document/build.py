"""The operating-point document, put together from a choice and the rows it was made on."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import evalcore
from evalcore.operating_point.choosing.alternatives import Alternative
from evalcore.operating_point.choosing.choice import Choice, selection
from evalcore.operating_point.choosing.claims.judging import claims, pooled_claims
from evalcore.operating_point.choosing.estimates import count, estimates, pooled_estimates
from evalcore.operating_point.choosing.folds import tau_entry
from evalcore.operating_point.choosing.tested import facts_of_test
from evalcore.operating_point.document.canonical import content_sha256, id_of, result_sha256
from evalcore.operating_point.document.certification import exploratory_reasons, hindrances, status
from evalcore.operating_point.document.groups import group_entries, group_limits, marked_among
from evalcore.operating_point.document.limits import limits
from evalcore.operating_point.document.rule import Rule
from evalcore.operating_point.document.unverified import title_of
from evalcore.operating_point.rules import FIRST, Rules
from evalcore.operating_point.test_rows.row_sets import RowSet
from evalcore.operating_point.test_rows.site_rows import SiteRows
from evalcore.operating_point.typed import Particulars
from evalcore.readers.columns.mapping import CLUSTER

CONTRACT = "document 002, section 5.1: p < tau_neg is NEG, p >= tau_pos is POS, otherwise UNCERTAIN"
MAXIMUM = "maximum"
"""How candidates' scores make the score of their query, in ``input.aggregate``."""

LIBRARIES = ("numpy", "scipy")
PREDICTION = "predicted_label"
"""Role of the prediction, which is named where the score is that of the predicted class."""

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
    "prediction": PREDICTION,
}
"""Name in ``input.columns`` → role; several columns of a role are joined by a comma and a blank."""


def build_document(
    choice: Choice,
    particulars: Particulars,
    *,
    is_synthetic: bool,
    is_bootstrapped: bool = True,
    offered: Sequence[Alternative] = (),
) -> dict[str, Any]:
    """The document of a choice; the same choice on the same data makes the same document.

    Parameters
    ----------
    choice : thresholds and rows.
    particulars : what a person says about it.
    is_synthetic : whether the data were generated.
    offered : what was offered in place of targets that cannot be met.
    is_bootstrapped : as for `evalcore.operating_point.choosing.estimates.estimates`.
    """
    rule = _rule_of(choice)
    facts = None
    if choice.test is not None:
        facts = facts_of_test(
            choice.chosen, choice.test, choice.constraints, choice.thresholds, claimed=choice.prevalence
        )
    row_sets = [rows for rows in (choice.chosen, choice.test) if rows is not None]
    levels = {c.metric: c.confidence for c in choice.constraints if c.confidence is not None}
    stated: list[dict[str, Any]] = []
    numbers: list[dict[str, Any]] = []
    groups: list[dict[str, Any]] = []
    marks = choice.must_not_miss
    for rows in row_sets:
        counted = count(rows, rule.tau_neg, rule.tau_pos)
        n_skipped = int(counted.total.n_neg)
        stated += claims(counted, choice.constraints, prevalence=choice.prevalence, marks=marks)
        groups += group_entries(counted, choice.constraints, marks=marks, columns=choice.by)
        numbers += estimates(counted, levels, is_bootstrapped=is_bootstrapped)
    if choice.folds is not None:
        stated += pooled_claims(choice.folds, choice.constraints)
        numbers += pooled_estimates(choice.folds)
    reasons = exploratory_reasons(
        facts,
        is_test_seen=choice.is_test_seen,
        looks=choice.looks,
        is_over_folds=choice.folds is not None,
    )
    hindered: tuple[str, ...] = ()
    if choice.chosen.rules != FIRST:
        marked = marked_among(groups, marks, choice.chosen.role)
        hindered = hindrances(facts, choice.constraints, prevalence=choice.prevalence, marked=marked)
    test_verdicts = [claim["verdict"] for claim in stated if claim["evaluated_on"] == "test"]
    parts: dict[str, Any] = {
        "status": status(reasons, test_verdicts, is_manual=choice.is_manual, hindered=hindered),
        "input": _input(choice),
        "rule": _rule_entry(rule) | _in_float32(choice),
        "data": [rows.entry() for rows in row_sets],
        "selection": selection(
            choice, facts, [one.constraint for one in offered if one.constraint.is_from_data]
        ),
        "claims": stated,
        "estimates": numbers,
        **({"subgroups": groups} if groups else {}),
        "limits": limits(
            choice.chosen,
            choice.test,
            choice.thresholds,
            choice.constraints,
            folds=choice.folds,
            n_skipped=n_skipped,
            in_tune=None if facts is None else facts.in_tune,
            is_manual=choice.is_manual,
            reasons=[*reasons, *hindered],
            looks=choice.looks,
            is_synthetic=is_synthetic,
            not_stated=particulars.not_stated,
            of_groups=group_limits(marks, choice.by, choice.constraints),
        ),
        "provenance": _provenance(choice.chosen, particulars),
        "self_test": rule.vectors(),
    }
    return _named(parts, particulars, choice.chosen.rules)


def _rule_of(choice: Choice) -> Rule:
    low, high = (0.0, 1.0) if choice.chosen.data.score_kind == "probability" else (None, None)
    return Rule(choice.thresholds.tau_neg, choice.thresholds.tau_pos, low, high)


def _rule_entry(rule: Rule) -> dict[str, Any]:
    return {
        "tau_neg": tau_entry(rule.tau_neg),
        "tau_pos": tau_entry(rule.tau_pos),
        "neg_if": "p < tau_neg",
        "pos_if": "p >= tau_pos",
        "otherwise": "UNCERTAIN",
        "invalid_score": rule.invalid_score,
    }


def _in_float32(choice: Choice) -> dict[str, Any]:
    """How many rows, chosen on or of test, get another state where their score is stored as float32."""
    if choice.chosen.rules == FIRST:
        return {}
    taus = choice.thresholds.tau_neg, choice.thresholds.tau_pos
    both = [rows for rows in (choice.chosen, choice.test) if rows is not None]
    n_changed = [n for n in (rows.n_changed_by_float32(*taus) for rows in both) if n is not None]
    return {"changed_by_float32": sum(n_changed)} if len(n_changed) == len(both) else {}


def _input(choice: Choice) -> dict[str, Any]:
    data = choice.chosen.data
    origin = choice.chosen.origin
    columns = origin.source.columns
    roles = {
        name: role
        for name, role in COLUMN_ROLES.items()
        if role != PREDICTION or data.score_of == "predicted"
    }
    is_named = origin.level is not None or len(choice.chosen.queries.models) > 1
    return {
        "score_field": origin.column,
        "score_kind": data.score_kind,
        "dtype": "float64",
        "range": [0, 1] if data.score_kind == "probability" else [None, None],
        "positive_label": data.positive,
        "calibrator": None,
        "model": {"name": choice.chosen.model, "level": origin.level} if is_named else None,
        "columns": {name: columns.get(role) for name, role in roles.items()}
        | ({CLUSTER: columns[CLUSTER]} if CLUSTER in columns else {}),
        **({} if origin.source.has_header else {"header": False}),
        **({"aggregate": MAXIMUM} if origin.is_maximum else {}),
        **({"score_of": data.score_of} if data.score_of is not None else {}),
        **({"grid": choice.chosen.scores.n_points} if isinstance(choice.chosen, SiteRows) else {}),
        **({"files_as": data.files_as} if data.files_as is not None else {}),
    }


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
        **({} if chosen.rules == FIRST else {"typed": particulars.typed}),
    }


def _named(parts: dict[str, Any], particulars: Particulars, rules: Rules) -> dict[str, Any]:
    """The whole document with title, id and content hash."""
    rule = parts["rule"]
    document = {
        "schema": "operating-point",
        "schema_version": rules,
        "id": id_of(parts),
        "title": particulars.title or title_of(rule["tau_neg"]["value"], rule["tau_pos"]["value"]),
        **({"created_utc": particulars.created_utc} if particulars.created_utc else {}),
        **parts,
    }
    if "grid" in parts["input"]:  # what sites and pooled rows must agree in
        parts["provenance"]["result_sha256"] = result_sha256(document)
    return document | {"content_sha256": content_sha256(document)}
