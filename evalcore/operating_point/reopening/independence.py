"""Whether new rows are others than those that the thresholds of a document were chosen on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from evalcore.operating_point.choosing.tested import FactsOfTest, facts_of_test
from evalcore.operating_point.constraints import NAMES, Constraint, Thresholds
from evalcore.operating_point.document.rule import Rule
from evalcore.operating_point.rules import RULES
from evalcore.operating_point.test_rows.row_sets import Role, RowSet, row_ids_sha256

AS_CHOSEN = "Verdicts are those of rows chosen on, which confirm nothing."
SAME = "These are the rows that the thresholds were chosen on."
TESTED = "These are the test rows of the document, not new ones: nothing is confirmed a second time."
OTHERS = (
    "None of these rows was found among those that the thresholds were chosen on: verdicts are those of a "
    "test."
)
NO_POSTS = (
    "The rows name no posts, so it cannot be shown that none of these stands among those that the thresholds "
    "were chosen on."
)
UNKNOWN = (
    "Whether these rows share posts with those that the thresholds were chosen on can only be told with the "
    "data of the document beside them: give these too."
)


def judged(document: Mapping[str, Any], rows: RowSet, chosen: RowSet | None) -> tuple[RowSet, str]:
    """New rows in the role in which they may be judged, and in words why.

    Only rows that are shown to be others are judged as a test is. What the certificate of a test asks is
    asked of them: no shared post or coarser unit, under whatever ids, and no copies among them.

    Parameters
    ----------
    document : after the schema.
    rows : new rows, as a test.
    chosen : the rows that the thresholds were chosen on; None where they were not given, so that only the
        digest of their posts and criteria is known.
    """
    reason = _by_digest(document, rows)
    if reason == TESTED:
        return rows, TESTED
    if reason != SAME:
        reason = UNKNOWN if chosen is None else _shared(_facts(document, chosen, rows))
    if not reason:
        return rows, OTHERS
    role: Role = "all" if rows.row_filter is None else "tune"
    return replace(rows, role=role), f"{reason} {AS_CHOSEN}"


def _by_digest(document: Mapping[str, Any], rows: RowSet) -> str:
    """What the digests of posts and criteria tell; without posts these are only numbers of rows."""
    if not rows.queries.has_posts:
        return ""
    digest = row_ids_sha256(rows.queries)
    chosen, *tested = document["data"]
    if digest == chosen.get("row_ids_sha256"):
        return SAME
    counts = (digest, rows.n_rows, rows.n_positives)
    is_test = any(counts == (one.get("row_ids_sha256"), one["rows"], one["positives"]) for one in tested)
    return TESTED if is_test else ""


def _facts(document: Mapping[str, Any], chosen: RowSet, rows: RowSet) -> FactsOfTest:
    asked = (Constraint.from_json(entry) for entry in document["selection"]["constraints"])
    rule = Rule.from_document(document)
    return facts_of_test(
        replace(chosen, rules=RULES),
        replace(rows, rules=RULES),
        [one for one in asked if one is not None],
        Thresholds(rule.tau_neg, rule.tau_pos),
        claimed=None,
    )


def _shared(facts: FactsOfTest) -> str:
    """Why rows are not others, the plainest reason; empty where none was found."""
    among = "among those that the thresholds were chosen on"
    if facts.n_overlap is None:
        return NO_POSTS
    if facts.n_overlap:
        n = facts.n_overlap
        return f"{n:,} {'post of these rows is' if n == 1 else 'posts of these rows are'} {among}."
    if facts.n_clusters_shared:
        n = facts.n_clusters_shared
        return f"{facts.unit.counted(n)} of these rows {'is' if n == 1 else 'are'} {among}."
    if facts.repeated is not None and facts.repeated.across is not None:
        return f"Rows {among} stand in these again, under other ids: more are alike than chance makes."
    if facts.hidden_post is not None:
        return (
            f"The file names posts in the column {facts.hidden_post}, which were not taken for posts: rows "
            f"of one post may stand in these and {among}."
        )
    if facts.in_tune is not None and facts.in_tune.unconfirmed:
        names = " and ".join(NAMES.get(metric, metric) for metric in facts.in_tune.unconfirmed)
        return f"Without rows that stand {among} too, the target for {names} is not met with confidence."
    return ""
