"""Recompute a document from the data and name what differs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evalcore.data import Data
from evalcore.operating_point.choosing.alternatives import find_alternatives
from evalcore.operating_point.choosing.choice import Choice
from evalcore.operating_point.choosing.claims.notes import plain_note
from evalcore.operating_point.choosing.estimates import is_bootstrapped
from evalcore.operating_point.choosing.folds import over_folds
from evalcore.operating_point.choosing.request import is_synthetic, marked_offers, targets_of
from evalcore.operating_point.constraints import NAMES, Constraint, Thresholds, find_thresholds
from evalcore.operating_point.document.build import build_document
from evalcore.operating_point.document.certification import AGAINST
from evalcore.operating_point.document.groups import columns_of, marks_of
from evalcore.operating_point.document.integrity import contradictions, place
from evalcore.operating_point.document.limits import SYNTHETIC
from evalcore.operating_point.document.rule import Rule
from evalcore.operating_point.document.unverified import stated_places, typed_places
from evalcore.operating_point.document.verifying.leaves import NOTHING, in_short, leaves
from evalcore.operating_point.document.verifying.rows import on_grid_of, rows_of
from evalcore.operating_point.document.verifying.unknown import unknown_parts
from evalcore.operating_point.rules import EARLIER, FIRST, RULES, Rules, rules_of
from evalcore.operating_point.test_rows.looks import LooksAtTest
from evalcore.operating_point.test_rows.row_sets import RowSet
from evalcore.operating_point.tradeoff.thresholds import threshold_text
from evalcore.operating_point.typed import Particulars
from evalcore.operating_point.wording import capitalised, counted
from evalcore.problems import Problem, problem
from evalcore.text.legible import one_line

RECOMPUTED = ("DOC-030", "DOC-031", "DOC-032", "DOC-033")
"""Contradictions within what is compared with the data: named once, as what differs from these."""

RANKS = ("exploratory", "tuned", "certified")
PARTS = (
    "schema",
    "schema_version",
    "rule",
    "data",
    "selection",
    "estimates",
    "subgroups",
    "claims",
    "status",
    "limits",
    "input",
    "self_test",
    "id",
    "title",
    "provenance",
)
"""What is recomputed, in the order in which differences are named: causes before consequences."""


@dataclass(frozen=True)
class VerifyResult:
    """What a recomputation found.

    Parameters
    ----------
    differences : every value or text that differs, causes before consequences.
    n_compared : values and texts that were compared.
    typed : places of what a person typed or chose, which nobody can recompute.
    stated : places of what the program once noted, such as its version, which cannot be recomputed either.
    refused_today : for a document of an earlier schema, what it says that today's rules would not.
    rules : those by which it was recomputed, of its own schema version.
    status_today : the status that today's rules give the same choice, where it is a lower one; else None.
    recomputed : the document as it was made again; None where that could not be tried.
    """

    differences: tuple[Problem, ...]
    n_compared: int
    typed: tuple[str, ...] = ()
    stated: tuple[str, ...] = ()
    refused_today: tuple[str, ...] = ()
    rules: Rules = RULES
    status_today: str | None = None
    recomputed: Mapping[str, Any] | None = None

    @property
    def holds(self) -> bool:
        """Whether every value and text was found again."""
        return not self.differences

    @property
    def first(self) -> Problem | None:
        """The first value that differs."""
        return self.differences[0] if self.differences else None

    @property
    def summary(self) -> str:
        """The outcome in sentences, each on one line and legible, with what was not recomputed."""
        if self.first is None:
            by = "" if self.rules == RULES else f" by the rules of {self.rules}"
            found = f"Holds{by}: {self.n_compared:,} values and texts recomputed, all as the document says."
        else:
            n = len(self.differences)
            of_all = f"{n:,} of {counted(self.n_compared, 'value')} {'differs' if n == 1 else 'differ'}"
            found = f"Does not hold: {of_all}. The first: {self.first}"
        lines = [found]
        if self.status_today is not None:
            lines.append(f"Status by the rules of today: {self.status_today}.")
        if self.typed:
            lines.append(f"Typed, not recomputed: {', '.join(self.typed)}.")
        if self.stated:
            lines.append(f"Stated, not recomputed: {', '.join(self.stated)}.")
        lines += [f"Would not be said today: {sentence}" for sentence in self.refused_today]
        return "\n".join(map(one_line, lines))


def verify_document(document: Mapping[str, Any], data: Sequence[Data]) -> VerifyResult:
    """Make the choice of a document again and compare all that it says: integers exactly, floats to 1e-9.

    It is made again by the rules of its own schema version, and every text that the program writes is written
    again. What a person typed, and what nobody can know from the data, is listed and not compared. Last, the
    document must not contradict itself: its content hash, its thresholds in hex, its self-test, its verdicts.

    Parameters
    ----------
    document : after the schema.
    data : the data it was chosen and tested on, in any order.

    Raises
    ------
    InputError : DOC-005 when rows of the document are not among these data.
    """
    data = [on_grid_of(document, one) for one in data]
    row_sets = [rows_of(entry, data, document) for entry in document["data"]]
    unknown = unknown_parts(document, row_sets)
    if unknown:
        return VerifyResult(tuple(unknown), len(unknown))
    known = [rows for rows in row_sets if rows is not None]
    rebuilt = _rebuilt(document, known)
    typed, stated = typed_places(document), stated_places(document)
    aside = {tuple(path) for path in (*typed.values(), *stated.values())}
    said = {**document, "claims": [_in_words_of_today(claim) for claim in document["claims"]]}
    compared = [
        leaf
        for part in [*PARTS, *(key for key in document if key not in rebuilt)]
        if not (part == "status" and document["status"] == "withdrawn")
        for leaf in leaves(said.get(part, NOTHING), rebuilt.get(part, NOTHING), (part,))
        if not any(leaf[0][: len(path)] == path for path in aside)
    ]
    differences = [
        problem("DOC-004", place=place(path), found=in_short(found), expected=in_short(expected))
        for path, found, expected, agrees in compared
        if not agrees
    ]
    told = [one for one in contradictions(document) if not (differences and one.code in RECOMPUTED)]
    result = VerifyResult(
        (*differences, *told), len(compared) + 1, tuple(typed), tuple(stated), recomputed=rebuilt
    )
    rules = rules_of(document)
    if rules == RULES:
        return result
    today = _rebuilt(document, [replace(rows, rules=RULES) for rows in known])
    return replace(
        result,
        refused_today=_refused_today(document, today),
        rules=rules,
        status_today=today["status"] if _is_lower(today["status"], document["status"]) else None,
    )


def _in_words_of_today(claim: Mapping[str, Any]) -> dict[str, Any]:
    """A claim whose note says in today's words what it said in others."""
    return {**claim, "note": plain_note(claim)} if claim.get("note") else {**claim}


def _is_lower(status: str, than: str) -> bool:
    return than in RANKS and RANKS.index(status) < RANKS.index(than)


def _rebuilt(document: Mapping[str, Any], row_sets: Sequence[RowSet]) -> dict[str, Any]:
    selection = document["selection"]
    constraints = tuple(c for c in map(Constraint.from_json, selection["constraints"]) if c is not None)
    targets, is_manual = targets_of(constraints), selection["chosen_on"] == "manual"
    rule, chosen = Rule.from_document(document), row_sets[0]
    thresholds = (
        Thresholds(rule.tau_neg, rule.tau_pos)
        if is_manual
        else find_thresholds(chosen.table, *targets, posts=chosen.posts, rules=chosen.rules)
    )
    looks = selection.get("looks_at_test")
    is_first = chosen.rules == FIRST
    of_origin = [rows.data for rows in row_sets if rows is chosen or chosen.rules not in EARLIER]
    choice = Choice(
        chosen,
        row_sets[1] if len(row_sets) > 1 else None,
        constraints if is_first else marked_offers(chosen, constraints, thresholds.tau_neg),
        thresholds,
        is_manual,
        is_test_seen=selection.get("test_seen_before") is True,
        folds=over_folds(chosen, *targets) if selection["chosen_on"] == "folds" else None,
        looks=None if looks is None else LooksAtTest.from_json(looks),
        prevalence=selection.get("claimed_prevalence"),
        must_not_miss=marks_of(document),
        by=columns_of(document),
    )
    return build_document(
        choice,
        Particulars.from_document(document),
        # A file alone may not say that it was generated; where the data say so, the document must too.
        is_synthetic=SYNTHETIC in document.get("limits", ()) or is_synthetic(*of_origin),
        is_bootstrapped=is_bootstrapped(document),
        offered=() if is_first or is_manual else find_alternatives(chosen, *targets, thresholds),
    )


def _refused_today(document: Mapping[str, Any], today: Mapping[str, Any]) -> tuple[str, ...]:
    """What a document of an earlier schema says that one of the same rows and targets would not say today."""
    found = []
    if _is_lower(today["status"], document["status"]):
        against = [line for line in today["limits"] if line.startswith(AGAINST)]
        found.append(" ".join([f"{document['status']}; it would be {today['status']}.", *against]))
    for name, symbol in (("tau_neg", "τ_neg"), ("tau_pos", "τ_pos")):
        before, now = (one["rule"][name]["value"] for one in (document, today))
        if before != now:
            shown = ("empty" if tau is None else threshold_text(tau) for tau in (before, now))
            found.append("{} = {}; it would be {}.".format(symbol, *shown))
    for before, now in zip(document["claims"], today["claims"], strict=False):
        if before["verdict"] != now["verdict"]:
            found.append(
                f"{capitalised(NAMES[before['metric']])} on {before['evaluated_on']}: {before['verdict']}; "
                f"it would be {now['verdict']}."
            )
    return tuple(found)
