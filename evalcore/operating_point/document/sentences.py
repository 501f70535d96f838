"""Whether a document says in words what it says in numbers: claims, title, limits and status."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from evalcore.inference.clustered import ShareInterval
from evalcore.operating_point.choosing.claims.judging import MET
from evalcore.operating_point.choosing.claims.notes import LONGEST_NOTE, NOTE
from evalcore.operating_point.choosing.claims.sentences import Said, pooled_text, text_of, with_marked
from evalcore.operating_point.choosing.estimates import REPORT_LEVEL
from evalcore.operating_point.choosing.rows_in_tune import RowsInTune
from evalcore.operating_point.choosing.tested import FactsOfTest
from evalcore.operating_point.choosing.without_model import BEGINNING, without_model
from evalcore.operating_point.constraints import NAMES, SENSITIVITY, SKIPPED, Constraint, Thresholds
from evalcore.operating_point.document.certification import exploratory_reasons, hindrances
from evalcore.operating_point.document.groups import columns_of, group_limits, marked_on, marks_of
from evalcore.operating_point.document.limits import (
    ALWAYS,
    FLOAT32,
    MANUAL,
    NO_VERDICT,
    empty_zones,
    from_data,
    in_sample,
    independence,
    joint,
    on_grid,
    reached_without_model,
)
from evalcore.operating_point.document.rule import Rule
from evalcore.operating_point.document.stated import StatedRows, counts_of, estimate_of, stated_rows
from evalcore.operating_point.document.unverified import TEXTS, title_of
from evalcore.operating_point.rules import FIRST, WITHOUT_GROUPS, rules_of
from evalcore.operating_point.test_rows.looks import LooksAtTest
from evalcore.operating_point.test_rows.repetition import Alike, Repetition
from evalcore.operating_point.typed import NOT_STATED, not_stated
from evalcore.problems import Problem, problem

_RHO = re.compile(r";rho=(-?\d\.\d{3})")
_CHANCE = ", where chance makes about "
"""What follows is rounded from more digits than the document holds."""


def false_sentences(document: Mapping[str, Any], file: str | None = None) -> list[Problem]:
    """Where a text contradicts the numbers, or a sentence that they ask for is missing.

    Parameters
    ----------
    document : after the schema.
    file : the file's name, for messages.

    Returns
    -------
    list of problems: DOC-032 for a text; DOC-033 for a sentence that ``limits`` lacks, or a status that
    these sentences exclude.
    """
    found = [
        problem("DOC-032", file=file, place=place, found=_shortened(text), expected=expected)
        for place, text, expected in (*_false_claims(document), *_false_title(document))
    ]
    reasons, required = _required(document)
    limits = document.get("limits", ())
    begun = [line.split(_CHANCE)[0] for line in limits]
    lacking = [line for line in required if line.split(_CHANCE)[0] not in begun]
    found += [
        problem("DOC-033", file=file, found="no such sentence", expected=repr(line)) for line in lacking
    ]
    is_told = any(line.startswith(FLOAT32) for line in limits)
    if is_told != bool(document["rule"].get("changed_by_float32")):
        found.append(problem("DOC-033", file=file, found="another one on float32", expected="what rule says"))
    unasked = [line for line in limits if line.startswith(NOT_STATED) and line not in required]
    found += [
        problem("DOC-033", file=file, found=repr(line), expected="what provenance says") for line in unasked
    ]
    status = document["status"]
    if status == "tuned" and reasons:
        found.append(problem("DOC-033", file=file, found=f"the status {status}", expected=repr(reasons[0])))
    if status == "exploratory" and not reasons:
        expected = "a reason why it is exploratory"
        found.append(problem("DOC-033", file=file, found=f"the status {status}", expected=expected))
    return found


def _constraints(document: Mapping[str, Any]) -> list[Constraint]:
    asked = (Constraint.from_json(entry) for entry in document["selection"]["constraints"])
    return [one for one in asked if one is not None and 0 <= one.value <= 1]


def _false_claims(document: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    constraints = {one.metric: one for one in _constraints(document)}
    for at, claim in enumerate(document["claims"]):
        constraint = constraints.get(claim["metric"])
        if constraint is None:
            continue
        level = constraint.confidence or REPORT_LEVEL
        if claim.get("confidence") != level:
            yield f"claims[{at}].confidence", str(claim.get("confidence")), f"{level:g}, as its target says"
            continue
        texts = _claim_texts(document, claim, constraint)
        if texts and claim["text"] not in texts:
            yield f"claims[{at}].text", claim["text"], repr(texts[0])
        note = claim.get("note")
        if note is not None and (len(note) > LONGEST_NOTE or NOTE.fullmatch(note) is None):
            yield f"claims[{at}].note", note, "a note of the program"
        expected = _note_without_model(document, claim)
        said = BEGINNING + (note or "").partition(BEGINNING)[2] if BEGINNING in (note or "") else None
        if said != expected:
            yield f"claims[{at}].note", note or "nothing", repr(expected or "no word on it without the model")


def _note_without_model(document: Mapping[str, Any], claim: Mapping[str, Any]) -> str | None:
    """That a rule without scores meets the target, where it does on these rows."""
    role = claim["evaluated_on"]
    rows = next((one for one in stated_rows(document) if one.role == role), None)
    skipped = counts_of(estimate_of(document, SKIPPED, role))
    if rows is None or skipped is None or rows.n_rows == 0 or claim["verdict"] not in MET:
        return None
    found = without_model(rows, claim["metric"], claim["value"], skipped[0])
    return None if found is None else found.note


def _claim_texts(
    document: Mapping[str, Any], claim: Mapping[str, Any], constraint: Constraint
) -> tuple[str, ...]:
    """The sentence as the numbers make it, in each rounding; empty where they make none."""
    metric, role = constraint.metric, claim["evaluated_on"]
    entry = estimate_of(document, metric, role)
    counts = counts_of(entry)
    if entry is None or counts is None or not 0 <= counts[0] <= counts[1]:
        return ()
    n_good, n = counts
    selection = document["selection"]
    if role == "folds":
        n_folds = len((selection.get("folds") or {}).get("held_out", ()))
        return (pooled_text(metric, constraint.value, n_good, n, n_folds=n_folds),)
    rows = next((one for one in stated_rows(document) if one.role == role), None)
    if rows is None:
        return ()
    skipped = counts_of(estimate_of(document, SKIPPED, role))
    is_nothing = metric == SENSITIVITY and skipped is not None and skipped[0] == 0
    intervals = _intervals(entry.get("ci")) if n else (None,)
    level = constraint.confidence or REPORT_LEVEL
    prevalence = selection.get("claimed_prevalence")
    said = (
        Said(
            constraint,
            level,
            rows.in_words,
            role != "test",
            is_nothing,
            n_good,
            n,
            one,
            prevalence,
            rows.unit,
        )
        for one in intervals
    )
    if "verdict_of_all" in claim:
        marked = marked_on(document, role)
        said = (with_marked(one, claim["verdict_of_all"], marked) for one in said)
    return tuple(dict.fromkeys(text_of(one, claim["verdict"]) for one in said))


def _intervals(ci: Mapping[str, Any] | None) -> tuple[ShareInterval, ...]:
    """The bounds as they are stated; a correlation is stated to three digits and said in two."""
    if ci is None or ci["low"] is None or not 0 <= ci["low"] <= 1 or ci.get("n_effective") is None:
        return ()
    method = ci["method"]
    rho = _RHO.search(method)
    stated = [np.nan] if rho is None else [float(rho[1]) + slack for slack in (0.0, -0.0005, 0.0005)]
    return tuple(
        ShareInterval(
            low=np.array(ci["low"], np.float64),
            high=np.array(np.nan),
            n_effective=np.array(ci["n_effective"], np.float64),
            correlation=np.array(correlation),
            is_independence_assumed=np.array("independence_assumed" in method),
            is_strict=np.array(method.startswith("strict")),
            method=method.split("(")[0],
        )
        for correlation in stated
    )


def _false_title(document: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """A title that nobody typed and the program would not write; a list that leaves out what was typed."""
    provenance = document["provenance"]
    if "typed" not in provenance:
        return
    typed = provenance["typed"]
    lacking = [name for name in TEXTS if provenance.get(name) is not None and name not in typed]
    if lacking:
        yield "provenance.typed", ", ".join(typed) or "nothing", f"{', '.join(lacking)} as well"
    rule = Rule.from_document(document)
    expected = title_of(rule.tau_neg, rule.tau_pos)
    if "title" not in typed and document.get("title") != expected:
        yield "title", str(document.get("title")), repr(expected)


def _required(document: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Why the document is exploratory, and every sentence of ``limits`` that follows from the rest of it."""
    selection, rules = document["selection"], rules_of(document)
    all_rows = stated_rows(document)
    chosen = all_rows[0]
    test = next((rows for rows in all_rows if rows.role == "test"), None)
    constraints = _constraints(document)
    is_manual = selection["chosen_on"] == "manual"
    looks = selection.get("looks_at_test")
    counted = None if looks is None or rules == FIRST else LooksAtTest.from_json(looks)
    facts = None if test is None else _facts(document)
    reasons = exploratory_reasons(
        facts,
        is_test_seen=selection.get("test_seen_before") is True,
        looks=counted,
        is_over_folds=selection["chosen_on"] == "folds",
    )
    hindered: tuple[str, ...] = ()
    if rules != FIRST and facts is not None:
        prevalence, marked = selection.get("claimed_prevalence"), marked_on(document, chosen.role)
        hindered = hindrances(facts, constraints, prevalence=prevalence, marked=marked)
    rule = Rule.from_document(document)
    return list(reasons), [
        *reasons,
        *hindered,
        *([MANUAL] if is_manual else []),
        *([] if counted is None else [counted.text]),
        *in_sample(chosen, test, is_manual=is_manual),
        *([NO_VERDICT] if selection["chosen_on"] == "folds" else []),
        *([] if facts is None or facts.in_tune is None else [facts.in_tune.sentence]),
        *(from_data(one, chosen) for one in constraints if one.is_from_data and one.metric in NAMES),
        *on_grid(document["input"].get("grid")),
        *independence(chosen, test),
        *joint(constraints),
        *group_limits(marks_of(document), columns_of(document), constraints),
        *_without_model(document, test or chosen, constraints),
        *empty_zones(Thresholds(rule.tau_neg, rule.tau_pos), constraints),
        *([] if rules in WITHOUT_GROUPS else not_stated(document["provenance"])),
        *ALWAYS,
    ]


def _without_model(
    document: Mapping[str, Any], rows: StatedRows, constraints: Sequence[Constraint]
) -> list[str]:
    skipped = counts_of(estimate_of(document, SKIPPED, rows.role))
    if skipped is None:
        return []
    return reached_without_model(rows, constraints, n_skipped=skipped[0])


def _facts(document: Mapping[str, Any]) -> FactsOfTest:
    """What the document states of its test."""
    selection = document["selection"]
    repeated = selection.get("repeated_rows")
    in_tune = selection.get("test_rows_in_tune")
    n_test_rows = next(one.n_rows for one in stated_rows(document) if one.role == "test")
    shares = {entry["role"]: entry.get("prevalence", np.nan) for entry in document["data"]}
    return FactsOfTest(
        selection.get("overlap_posts_tune_test"),
        selection.get("overlap_clusters_tune_test"),
        None
        if repeated is None
        else Repetition(_alike(repeated["tune_and_test"]), _alike(repeated["within_test"])),
        selection.get("test_scores_of_another_model"),
        selection.get("hidden_post_column"),
        (document["data"][0].get("prevalence", np.nan), shares["test"]),
        is_shifted=bool(selection.get("prevalence_differs")),
        unit=stated_rows(document)[0].unit,
        in_tune=None if in_tune is None else RowsInTune.from_json(in_tune, n_test_rows),
        is_of_tallies="grid" in document["input"],
    )


def _alike(entry: Mapping[str, Any] | None) -> Alike | None:
    if entry is None:
        return None
    return Alike(entry["of"], int(entry["found"]), float(entry["expected"]), entry.get("among_posts"))


def _shortened(text: str, most: int = 120) -> str:
    return repr(text if len(text) <= most else f"{text[:most]}…")
