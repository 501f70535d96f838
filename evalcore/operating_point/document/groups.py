"""Groups in a document: what is missed of each, which are marked, and whether that agrees with the rest."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from evalcore.inference.binomial import lower_bound
from evalcore.inference.verdicts import MIN_CASES, Verdict
from evalcore.operating_point.choosing.claims.sentences import (
    MOST_GROUPS,
    Marked,
    outcome_in_words,
    short_of,
)
from evalcore.operating_point.choosing.estimates import MISSED, REPORT_LEVEL, Counted
from evalcore.operating_point.constraints import SENSITIVITY, SKIPPED, Constraint
from evalcore.operating_point.document.stated import counts_of, estimate_of, stated_rows
from evalcore.operating_point.tradeoff.groups import (
    GroupCount,
    Mark,
    group_verdict,
    verdict_with_marked,
)
from evalcore.problems import Problem, problem

MOST_NAMED = 20
APART = "The bounds of groups hold each by itself, not all together."
_SLACK = 1e-9


def marks_of(document: Mapping[str, Any]) -> tuple[Mark, ...]:
    """The marked groups of a document, each a column and a level."""
    return tuple((one["column"], one["level"]) for one in document["selection"].get("must_not_miss", ()))


def columns_of(document: Mapping[str, Any]) -> tuple[str, ...]:
    """The columns whose groups a document shows beside those of its marks."""
    return tuple(document["selection"].get("groups_by", ()))


def group_entries(
    counted: Counted,
    constraints: Iterable[Constraint],
    *,
    marks: Sequence[Mark] = (),
    columns: Sequence[str] = (),
) -> list[dict[str, Any]]:
    """Every group of the columns on these rows as entries of a document's ``subgroups``.

    Parameters
    ----------
    counted : the rows by state and label.
    constraints : the targets; groups are judged by that of screening sensitivity.
    marks, columns : marked groups, whose columns come first, and columns that are shown beside them.
    """
    target = next((one for one in constraints if one.metric == SENSITIVITY), None)
    level = REPORT_LEVEL if target is None or target.confidence is None else target.confidence
    rows, is_skipping = counted.rows, int(counted.total.n_neg) > 0
    found = []
    for column in dict.fromkeys((*(column for column, _ in marks), *columns)):
        counts = rows.group_counts(column, counted.tau_neg, confidence=level)
        here = {one.level for one in counts}
        lacking = [mark for mark in marks if mark[0] == column and mark[1] not in here]
        counts += rows.marked_counts(lacking, counted.tau_neg, confidence=level)
        for one in counts:
            verdict = None
            if target is not None:
                verdict = group_verdict(one, target.value) if is_skipping else "not_assessed"
            found.append(_entry(one, rows.role, verdict))
    return found


def _entry(count: GroupCount, role: str, verdict: Verdict | None) -> dict[str, Any]:
    share, bound = (None if math.isnan(x) else x for x in (count.screening_sensitivity, count.bound))
    return {
        "evaluated_on": role,
        "column": count.column,
        "level": count.level,
        "n": count.n,
        "n_positive": count.n_positive,
        "n_missed": count.n_missed,
        "screening_sensitivity": share,
        "bound": bound,
        "verdict": verdict,
    }


def marked_on(document: Mapping[str, Any], role: str) -> list[Marked]:
    """The marked groups as a document states them on some rows, each with its verdict; in its order."""
    return marked_among(document.get("subgroups", ()), marks_of(document), role)


def marked_among(entries: Iterable[Mapping[str, Any]], marks: Iterable[Mark], role: str) -> list[Marked]:
    """As `marked_on`, of entries of ``subgroups``."""
    by_mark = {
        (one["column"], one["level"]): one
        for one in entries
        if one["evaluated_on"] == role and one["verdict"] is not None
    }
    return [(count_of(by_mark[mark]), by_mark[mark]["verdict"]) for mark in marks if mark in by_mark]


def verdict_in_words(
    document: Mapping[str, Any], claim: Mapping[str, Any], *, most: int = MOST_GROUPS
) -> str:
    """The verdict of a claim, with the marked groups that fall short; so many of them are named."""
    whole, level = claim.get("verdict_of_all"), claim.get("confidence") or REPORT_LEVEL
    short = "" if whole is None else short_of(whole, marked_on(document, claim["evaluated_on"]), most=most)
    return outcome_in_words(claim["verdict"], whole, short, level)


def count_of(entry: Mapping[str, Any]) -> GroupCount:
    """The counts of an entry of ``subgroups``; what its bound would be without a miss is not in it."""
    share, bound = (math.nan if entry[k] is None else entry[k] for k in ("screening_sensitivity", "bound"))
    n, n_positive, n_missed = (int(entry[name]) for name in ("n", "n_positive", "n_missed"))
    return GroupCount(entry["column"], entry["level"], n, n_positive, n_missed, share, bound, math.nan)


def group_limits(
    marks: Sequence[Mark], columns: Sequence[str], constraints: Iterable[Constraint]
) -> list[str]:
    """What is asked of marked groups, and what bounds of many groups do not say."""
    if not marks and not columns:
        return []
    if not marks:
        return [APART]
    named = ", ".join(f"{column} = {level}" for column, level in marks[:MOST_NAMED])
    more = f" and {len(marks) - MOST_NAMED:,} more" if len(marks) > MOST_NAMED else ""
    has_target = any(one.metric == SENSITIVITY for one in constraints)
    asked = (
        "each must hold the target of screening sensitivity by itself"
        if has_target
        else "no target of screening sensitivity is set, so nothing is claimed of them"
    )
    return [f"Marked as not to be missed: {named}{more}; {asked}.", APART]


def false_groups(document: Mapping[str, Any], file: str | None = None) -> list[Problem]:
    """Where groups contradict themselves, the rows they are of, or the claims that they bear on.

    Parameters
    ----------
    document : after the schema.
    file : the file's name, for messages.

    Returns
    -------
    list of problems: DOC-020 for a claim's verdict, DOC-021 for the rest.
    """
    entries = document.get("subgroups", ())
    target = next((one for one in document["selection"]["constraints"] if one["metric"] == SENSITIVITY), None)
    found = [
        problem("DOC-021", file=file, place=f"subgroups[{at}]", found=told)
        for at, entry in enumerate(entries)
        for told in _of_entry(document, entry, target)
    ]
    found += [problem("DOC-021", file=file, place="subgroups", found=told) for told in _of_all(document)]
    for at, claim in enumerate(document["claims"]):
        told = _of_claim(document, claim)
        if told is not None:
            place = f"claims[{at}]"
            found.append(problem("DOC-020", file=file, place=place, verdict=claim["verdict"], found=told))
    return found


def _of_entry(
    document: Mapping[str, Any], entry: Mapping[str, Any], target: Mapping[str, Any] | None
) -> Iterator[str]:
    n, n_positive, n_missed = (int(entry[name]) for name in ("n", "n_positive", "n_missed"))
    share, bound, verdict = (entry[name] for name in ("screening_sensitivity", "bound", "verdict"))
    if not n_missed <= n_positive <= n:
        yield f"{n_missed:,} missed of {n_positive:,} with evidence of {n:,} rows"
        return
    if (share is None, bound is None) != (n_positive == 0, n_positive == 0):
        yield f"a share {share} and a bound {bound} of {n_positive:,} rows with evidence"
        return
    n_kept, level = n_positive - n_missed, (target or {}).get("confidence") or REPORT_LEVEL
    if share is not None and abs(share - n_kept / n_positive) > _SLACK:
        yield f"a screening sensitivity of {share:g} of {n_kept:,} of {n_positive:,}"
    # Rows of one post tell no more than rows apart: no bound lies above the exact one.
    if bound is not None and not 0 <= bound <= float(lower_bound(n_kept, n_positive, level)) + _SLACK:
        yield f"a bound of {bound:g} of {n_kept:,} of {n_positive:,} rows with evidence"
    expected = _verdicts(document, entry, target)
    if verdict not in expected:
        yield f"the verdict {verdict} for {n_missed:,} missed of {n_positive:,} and the bound {bound}"


def _verdicts(
    document: Mapping[str, Any], entry: Mapping[str, Any], target: Mapping[str, Any] | None
) -> tuple[str | None, ...]:
    """The verdicts that the numbers of a group leave open."""
    if target is None:
        return (None,)
    skipped = counts_of(estimate_of(document, SKIPPED, entry["evaluated_on"]))
    if entry["n_positive"] < MIN_CASES or (skipped is not None and skipped[0] == 0):
        return ("not_assessed",)
    if entry["screening_sensitivity"] < target["value"]:
        return ("not_met",)
    if entry["bound"] >= target["value"]:
        return ("met_with_confidence",)
    return ("infeasible_with_this_n", "met_point_only")


def _of_all(document: Mapping[str, Any]) -> Iterator[str]:
    entries, marks, asked = document.get("subgroups", ()), marks_of(document), columns_of(document)
    names = [(one["evaluated_on"], one["column"], one["level"]) for one in entries]
    columns = {column for column, _ in marks} | set(asked)
    roles = {rows.role: rows for rows in stated_rows(document)}
    known = set(names)
    by_column = defaultdict(list)
    for one in entries:
        by_column[one["evaluated_on"], one["column"]].append(one)
    yield from (f"{n} entries for {' '.join(name)}" for name, n in Counter(names).items() if n > 1)
    yield from (
        f"a column {one} that selection does not name" for one in {name[1] for name in names} - columns
    )
    yield from (
        f"groups on {one}, which data does not name" for one in {name[0] for name in names} - {*roles}
    )
    for role, rows in roles.items():
        yield from (
            f"no group {column} = {level} on {role}, which is marked"
            for column, level in marks
            if (role, column, level) not in known
        )
        missed = counts_of(estimate_of(document, MISSED, role))
        for column in sorted(columns):
            own = by_column[role, column]
            most = (rows.n_rows, rows.n_positives, rows.n_positives if missed is None else missed[0])
            sums = [sum(int(one[name]) for one in own) for name in ("n", "n_positive", "n_missed")]
            words = ("rows", "rows with evidence", "missed rows")
            for total, limit, word in zip(sums, most, words, strict=True):
                if total > limit:
                    yield f"{total:,} {word} in groups of {column} on {role}, of {limit:,}"


def _of_claim(document: Mapping[str, Any], claim: Mapping[str, Any]) -> str | None:
    """Why the verdict of a claim cannot be beside its marked groups, or None."""
    is_marked = (
        bool(marks_of(document)) and claim["metric"] == SENSITIVITY and claim["evaluated_on"] != "folds"
    )
    whole = claim.get("verdict_of_all")
    if (whole is not None) != is_marked:
        return "a verdict of all rows" if whole is not None else "no verdict of all rows beside marked groups"
    if whole is None:
        return None
    marked = marked_on(document, claim["evaluated_on"])
    expected = verdict_with_marked(whole, [verdict for _, verdict in marked])
    return None if claim["verdict"] == expected else f"{expected} with its marked groups"
