"""What the printable page of a document says, taken from the document alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evalcore.inference.verdicts import MIN_CASES
from evalcore.metrics import gate
from evalcore.operating_point.choosing.claims.notes import plain_note
from evalcore.operating_point.choosing.claims.sentences import MOST_GROUPS as MOST_MARKED
from evalcore.operating_point.constraints import NAMES
from evalcore.operating_point.document.groups import count_of, marks_of, verdict_in_words
from evalcore.operating_point.document.stated import counts_of, estimate_of
from evalcore.operating_point.reopening.numbers import numbers_of
from evalcore.operating_point.test_rows.row_sets import RowSet
from evalcore.operating_point.tradeoff.groups import GROUP_WORDS, worst_first
from evalcore.operating_point.tradeoff.thresholds import threshold_text
from evalcore.operating_point.wording import capitalised, counted, percent
from evalcore.spec import METRICS, declared
from evalcore.text.numerals import percent_at_least, percent_of

STATUS = {
    "certified": "chosen on tune rows and confirmed in one test on rows of other posts",
    "tuned": "chosen on tune rows; test does not confirm every target, or a limit below speaks against it",
    "exploratory": "not tested on rows that the choice did not see, or a limit below speaks against the test",
    "withdrawn": "no longer to be used",
}
GATE = declared(gate.neg_rate).family


MOST_GROUPS = 12
"""So many groups are printed."""


@dataclass(frozen=True)
class Zone:
    """One row of the table of three zones.

    Parameters
    ----------
    name : what people do.
    rule : which scores it takes.
    n, n_positive, n_negative : checks.
    share, of_positives, of_negatives : of all checks, of those with evidence, of those without, in words.
    evidence : share of the zone's checks that hold evidence, in words.
    """

    name: str
    rule: str
    n: int
    n_positive: int
    n_negative: int
    share: str
    of_positives: str
    of_negatives: str
    evidence: str


def decisive_entry(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """The entry of the rows that decide: tested on or, without a test, chosen on."""
    entries: list[Mapping[str, Any]] = document["data"]
    return next((entry for entry in entries if entry["role"] == "test"), entries[0])


def zones(document: Mapping[str, Any], entry: Mapping[str, Any]) -> list[Zone]:
    """The table of three zones on the rows of an entry; empty where the document does not count them.

    Parameters
    ----------
    document : after the schema.
    entry : of its ``data``.
    """
    asked = (gate.neg_rate, gate.uncertain_rate, gate.pos_rate, gate.screening_fn_per_1000, gate.alert_recall)
    found = [counts_of(estimate_of(document, declared(one).key, entry["role"])) for one in asked]
    if None in found:
        return []
    n_skip, n_look, n_alert, n_missed, n_right = (counts[0] for counts in found if counts is not None)
    n_positive, n = int(entry["positives"]), int(entry["rows"])
    low, high = (document["rule"][name]["value"] for name in ("tau_neg", "tau_pos"))
    below = "none" if low is None else f"score below {threshold_text(low)}"
    above = "none" if high is None else f"score from {threshold_text(high)} on"
    return [
        _zone(name, rule, total, positive, n, n_positive)
        for name, rule, total, positive in (
            ("Skip: nobody looks", below, n_skip, n_missed),
            ("Look: a reviewer looks", "all others", n_look, n_positive - n_missed - n_right),
            ("Alert", above, n_alert, n_right),
        )
    ]


def _zone(name: str, rule: str, total: int, positive: int, n: int, n_positive: int) -> Zone:
    return Zone(
        name,
        rule,
        total,
        positive,
        total - positive,
        f"{percent_of(total, n)} of {n:,}",
        f"{percent_of(positive, n_positive)} of {n_positive:,}",
        f"{percent_of(total - positive, n - n_positive)} of {n - n_positive:,}",
        percent_of(positive, total),
    )


def sentence(table: Sequence[Zone], where: str, posts: str = "") -> str:
    """The point in one sentence of counts.

    Parameters
    ----------
    table : from `zones`.
    where : the rows in words.
    posts : in how many posts checks with evidence are missed, in words; empty where that is not known.
    """
    n, n_positive = sum(zone.n for zone in table), sum(zone.n_positive for zone in table)
    skip, look, alert = table
    per_1000 = ", ".join(
        f"{1000 * zone.n / max(n, 1):,.0f} {word}"
        for zone, word in ((skip, "are skipped"), (look, "are looked at"), (alert, "raise an alert"))
    )
    return (
        f"Of {n:,} checks on {where}, {skip.n:,} are skipped, {look.n:,} are looked at and {alert.n:,} "
        f"raise an alert; {skip.n_positive:,} of {n_positive:,} checks with evidence are skipped and so "
        f"missed{posts}. Of 1,000 such checks: {per_1000}."
    )


def missed_posts(rows: RowSet, tau_neg: float | None) -> str:
    """In how many posts checks with evidence are skipped, in words; empty where posts are not known."""
    if not rows.queries.has_posts:
        return ""
    n, of = rows.n_missed_posts(tau_neg)
    return f", in {n:,} of {counted(of, 'post')} with evidence"


def targets(document: Mapping[str, Any], *, most_marked: int = MOST_MARKED) -> list[dict[str, str]]:
    """The verdict on every target, with counts and bound: those on test first, and there what is not met.

    Parameters
    ----------
    document : after the schema.
    most_marked : so many marked groups that fall short are named in a verdict, the others counted.
    """
    order = {"test": 0, "tune": 1, "all": 1, "folds": 2}

    def place(claim: Mapping[str, Any]) -> tuple[int, bool]:
        return order[claim["evaluated_on"]], claim["verdict"] != "not_met"

    claims = sorted(document["claims"], key=place)
    return [_target(document, claim, verdict_in_words(document, claim, most=most_marked)) for claim in claims]


def _target(document: Mapping[str, Any], claim: Mapping[str, Any], verdict: str) -> dict[str, str]:
    entry = estimate_of(document, claim["metric"], claim["evaluated_on"])
    counts, interval = counts_of(entry), (entry or {}).get("ci") or {}
    low = interval.get("low")
    level = percent(claim.get("confidence") or 0.95)
    name = capitalised(NAMES.get(claim["metric"], claim["metric"]))
    return {
        "aim": f"{name} of at least {percent(claim['value'])}",
        "rows": "all rows" if claim["evaluated_on"] == "all" else str(claim["evaluated_on"]),
        "kind": str(claim["verdict"]),
        "verdict": verdict,
        "counts": "" if counts is None else f"{counts[0]:,} of {counts[1]:,}",
        "share": "" if counts is None else percent_of(*counts, target=claim["value"]),
        "bound": "" if low is None else f"at least {percent_at_least(float(low))}",
        "level": "" if low is None else f"one-sided {level}",
        "note": plain_note(claim),
    }


def groups(document: Mapping[str, Any], role: str) -> tuple[list[dict[str, Any]], int]:
    """The groups on the rows of a role, marked ones first, then the worst; and how many more there are.

    Each holds its name, its checks, what is missed of how many, share, bound and verdict in words.
    """
    entries = {
        (one["column"], one["level"]): one
        for one in document.get("subgroups", ())
        if one["evaluated_on"] == role
    }
    marks = set(marks_of(document))
    order = worst_first((count_of(one) for one in entries.values()), marks=marks)
    shown = [
        {
            "name": f"{one.column} = {one.level}",
            "is_marked": (one.column, one.level) in marks,
            "is_few": one.n_positive < MIN_CASES,
            "n": one.n,
            "missed": f"{one.n_missed:,} of {one.n_positive:,}",
            "share": percent_of(one.n_positive - one.n_missed, one.n_positive) if one.n_positive else "",
            "bound": f"at least {percent_at_least(one.bound)}" if one.n_positive else "",
            "verdict": GROUP_WORDS.get(entries[one.column, one.level]["verdict"], ""),
        }
        for one in order
    ]
    return shown[:MOST_GROUPS], max(len(shown) - MOST_GROUPS, 0)


def rates(document: Mapping[str, Any]) -> tuple[list[str], list[tuple[str, list[str]]]]:
    """Every rate by its name, with its text on each set of rows, those that decide first.

    Returns
    -------
    The names of the rows, and each rate with a text for each of these.
    """
    decisive = decisive_entry(document)["role"]
    roles = sorted((entry["role"] for entry in document["data"]), key=lambda role: role != decisive)
    labels = {one.label for one in METRICS.values() if one.family == GATE}
    by_role = [
        {one.name: one.text for one in numbers_of(document, role) if one.name in labels} for role in roles
    ]
    names = list(dict.fromkeys(name for numbers in by_role for name in numbers))
    shown = [(name, [numbers.get(name, "-") for numbers in by_role]) for name in names]
    return ["all rows" if role == "all" else role for role in roles], shown
