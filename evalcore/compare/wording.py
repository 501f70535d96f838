"""A comparison in plain sentences: of two models or lists, or of two systems by their annotations."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evalcore.annotations import LABELS
from evalcore.catalog import METRICS, of_family
from evalcore.compare.evidence.gates import AT_ONE_PAIR
from evalcore.compare.pairing import Shared
from evalcore.compare.table import Comparison
from evalcore.evaluation.populations import population_of
from evalcore.evaluation.rag import metrics_of
from evalcore.spec import Metric
from evalcore.text.numerals import change_text

if TYPE_CHECKING:
    from evalcore.compare.matrix import Matrix
    from evalcore.figures.comparison import Favours

Row = Mapping[str, Any]
"""A row of `compare` or of `compare_annotations`."""
FEW = 20
ALPHA = 0.05
DIFFERENT = "Different, neither direction better in itself"
OPEN = "Compatible with no difference"
UNDECIDED = "The interval excludes 0, but the test does not agree"
SMALL = f"Fewer than {FEW} cases, no verdict"
WITHOUT = "Without an interval"
NO_VERDICT: Mapping[Favours, str] = {
    "open": OPEN,
    "undecided": UNDECIDED,
    "few": SMALL,
    "without": WITHOUT,
}
OTHER = {"checks": "another label", "users": "other rows of test or train"}
"""What differs of those that both know, by what is compared."""
MISSING = {"users": "nothing is found for them, and means over users with a list leave them out"}
"""What a missing list is taken as, by what is compared."""
MOST_NAMED = 8
"""So many metrics that are compatible with no difference, or without figures, are named; more are counted."""


def answer(comparison: Comparison) -> str:
    """What the table says about all shared queries: which metrics differ, which way, and which may not."""
    rows = comparison.table
    whole = rows[(rows["group_by"] == "") & ~rows["ci_method"].str.startswith("delong")]
    return answer_of_rows(whole.to_dict("records"), comparison.first, comparison.second)


def answer_of_rows(rows: Sequence[Row], first: str, second: str) -> str:
    """Which metrics differ, which way, and which may not.

    Parameters
    ----------
    rows : one a metric.
    first, second : names of what is compared.
    """
    said: dict[str, list[str]] = {}
    n_of = Counter(label_of(row) for row in rows)
    for row in rows:
        words = standing(row, first, second)
        name = label_of(row)
        if n_of[name] > 1:
            name = with_rule(name, row)
        if words not in (SMALL, WITHOUT):
            name += f" {change_in_words(row)}"
        said.setdefault(words, []).append(name + (f" ({why})" if (why := decided_by(row)) else ""))
    last = list(NO_VERDICT.values())
    order = [*(words for words in said if words not in last), *(words for words in last if words in said)]
    told = []
    for words in order:
        is_counted = words in last and words != UNDECIDED and len(said[words]) > MOST_NAMED
        named = f"{len(said[words])} of {len(rows)} metrics" if is_counted else "; ".join(said[words])
        told.append(f"{words}: {named}.")
    return " ".join(told) or "There is nothing to compare."


def answer_of_groups(
    comparison: Comparison,
    metric: str,
    group_by: str,
    names: Mapping[str, str] | None = None,
    *,
    params: str | None = None,
) -> str:
    """What the groups of a column say about a metric: which differ, and which the test leaves open.

    Parameters
    ----------
    comparison : with a breakdown by the column.
    metric, group_by : key of the metric, and the column.
    names : group → its name to show, where that is another.
    params : of the metric, where it was compared with several.
    """
    rows = comparison.of(metric, group_by=group_by, params=params).to_dict("records")
    named = [((names or {}).get(str(row["group"]), str(row["group"])), row) for row in rows]
    clear = ", ".join(name for name, row in named if is_clear(row)) or "none"
    told = [f"Different after Holm's adjustment over {len(rows)} groups: {clear}."]
    undecided = [f"{name} ({decided_by(row)})" for name, row in named if favours(row) == "undecided"]
    told += [f"{UNDECIDED}: {', '.join(undecided)}."] if undecided else []
    if any(math.isnan(row["p"]) for row in rows):
        told.append("Groups without a value leave the family.")
    few = [f"{name} ({n_that_count(row)})" for name, row in named if n_that_count(row) < FEW]
    told += [f"{SMALL}: {', '.join(few)}."] if few else []
    return " ".join(told)


def row_of_pair(row: Row) -> Row:
    """A row of a matrix as one of a comparison whose verdict rests on the p-value adjusted over all pairs."""
    left_out = ("group_by", "first_value", "second_value")
    kept = {name: value for name, value in row.items() if name not in left_out}
    return {**kept, "first": row["first_value"], "second": row["second_value"]}


def answer_of_pairs(found: Matrix, metric: str, params: str | None = None) -> str:
    """Which models are better than which by a metric, and how many pairs the tests leave open."""
    rows = found.of(metric, params=params).to_dict("records")
    better: dict[str, list[str]] = {}
    differ, n_open = [], 0
    for row in rows:
        said = favours(row_of_pair(row))
        pair = str(row["first"]), str(row["second"])
        if said in ("first", "second"):
            ahead, behind = pair if said == "first" else pair[::-1]
            better.setdefault(ahead, []).append(behind)
        elif said == "differ":
            differ.append(f"{pair[0]} and {pair[1]}")
        else:
            n_open += 1
    order = sorted(better, key=lambda name: -len(better[name]))
    told = [f"{name} is better than {', '.join(better[name])}" for name in order]
    told += [f"different, neither direction better in itself: {', '.join(differ)}"] if differ else []
    told += [f"open: {n_open} of {len(rows)} pairs"] if n_open else []
    label = label_among(found, row_of_pair(rows[0])) if rows else metric
    return f"{label}, adjusted over {len(rows)} pairs: {'; '.join(told) or 'nothing to compare'}."


def label_among(found: Matrix, row: Row) -> str:
    """A metric's short name, with what tells it from itself where it was compared with several."""
    label = label_of(row)
    return with_rule(label, row) if len(found.params_of(row["metric"])) > 1 else label


def favours(row: Row) -> Favours:
    """Which side a row speaks for, or why that is open.

    ``without`` an interval; ``few`` where the difference rests on fewer than 20 cases; ``open`` unless the
    interval excludes 0, and ``undecided`` unless the test, where there is one, agrees at 5 %; ``differ``
    where neither direction is better in itself.

    Rates at one pair of thresholds for both name no winner: sensitivity is traded for workload there, and a
    score of another scale trades otherwise.
    """
    if math.isnan(row["difference"]) or math.isnan(row["ci_low"]):
        return "without"
    if n_that_count(row) < FEW:
        return "few"
    if not is_clear(row):
        return "undecided" if excludes_zero(row) else "open"
    better = metric_of(row).better
    if better == "neither" or row["params"].startswith(AT_ONE_PAIR):
        return "differ"
    return "second" if (row["difference"] > 0) == (better == "higher") else "first"


def standing(row: Row, first: str, second: str) -> str:
    """Under which words a row is told: which side is better, or why that is open."""
    said = favours(row)
    if said in NO_VERDICT:
        return NO_VERDICT[said]
    return DIFFERENT if said == "differ" else f"{second if said == 'second' else first} is better"


def decided_by(row: Row) -> str:
    """Which of interval and test decided, where the two disagree; empty where they agree."""
    if math.isnan(row["difference"]) or math.isnan(row["ci_low"]) or n_that_count(row) < FEW:
        return ""
    p, is_adjusted = deciding_p(row)
    if math.isnan(p) or excludes_zero(row) == (p <= ALPHA):
        return ""
    told = f"p = {row['p']:.3f}" + (f", {p:.3f} after Holm" if is_adjusted else "")
    return f"{told}: {'the test' if excludes_zero(row) else 'the interval'} decided"


def deciding_p(row: Row) -> tuple[float, bool]:
    """The p-value that counts, and whether it is adjusted over the groups of a column or over a table."""
    is_adjusted = bool(row.get("group_by", "all metrics"))
    return float(row["p_holm"] if is_adjusted else row["p"]), is_adjusted


def excludes_zero(row: Row) -> bool:
    """Whether the interval of the difference excludes 0."""
    return bool(row["ci_low"] > 0 or row["ci_high"] < 0)


def n_that_count(row: Row) -> int:
    """The fewest cases that a verdict would rest on: with evidence, or in the metric under either side."""
    names = ["n_first", "n_second", "n"]
    if population_of(str(row.get("population"))).is_of_positives:
        names.append("n_positive")
    return int(min(row[name] for name in names if name in row))


def is_clear(row: Row) -> bool:
    """Whether a row's interval excludes 0 and its test, where there is one, agrees at 5 %."""
    p, _ = deciding_p(row)
    return excludes_zero(row) and (math.isnan(p) or p <= ALPHA) and n_that_count(row) >= FEW


def metric_of(row: Row) -> Metric:
    """The metric of a row; those of annotations stand there without their family."""
    of_annotations = (one for one in of_family("rag") if one.name == row["metric"])
    return METRICS.get(row["metric"]) or next(of_annotations)


def label_of(row: Row) -> str:
    """A metric's short name with its cut-off."""
    label = metric_of(row).label.split(" (")[0]
    k = dict(part.split("=", 1) for part in row["params"].split(";") if part).get("k", "")
    return label.replace("@K", f"@{k}" if k else "")


def with_rule(label: str, row: Row, *, in_table: bool = False) -> str:
    """A metric's label, then what tells it from itself elsewhere: in brackets, in a table after a comma.

    Examples
    --------
    >>> row = {"metric": "classification.sensitivity", "params": "threshold=0.5;rule=screened_in"}
    >>> with_rule("Sensitivity", row), with_rule("Sensitivity", row, in_table=True)
    ('Sensitivity (screened in, threshold 0.5)', 'Sensitivity, screened in, threshold 0.5')
    """
    told = params_of(row)
    if not told:
        return label
    return f"{label}, {told}" if in_table else f"{label} ({told})"


def params_of(row: Row) -> str:
    """What tells a metric from itself elsewhere: the rule of its calls, their threshold, its budget.

    Examples
    --------
    >>> rows = {"params": "screening_sensitivity=0.995;rule=screened_in"}, {"params": "fpr=0.05"}
    >>> params_of(rows[0]), params_of(rows[1])
    ('screened in', 'fpr 0.05')
    """
    named = dict(part.split("=", 1) for part in row["params"].split(";") if part)
    rule = [named["rule"].replace("_", " ")] if "rule" in named else []
    return ", ".join([*rule, *(f"{name} {named[name]}" for name in ("threshold", "fpr") if name in named)])


def change_in_words(row: Row) -> str:
    """A difference with its interval: ``+0.0349 [+0.0201, +0.0497]``, ``+3.5 points [+2.0, +5.0]``."""
    metric, places = metric_of(row), places_of(row)
    text = change_text(metric, row["difference"], places)
    if not math.isnan(row["ci_low"]):
        ends = [change_text(metric, row[end], places, with_unit=False) for end in ("ci_low", "ci_high")]
        text += f" [{', '.join(ends)}]"
    return text


def places_of(row: Row) -> int:
    """Decimals with which a metric's differences are shown where they are not of shares."""
    if "." not in row["metric"]:
        return 3
    metric = metric_of(row)
    if metric.counts:
        return 0
    values = [abs(row[name]) for name in ("first", "second") if not math.isnan(row.get(name, math.nan))]
    return 1 if metric.bounds[1] > 1 and max(values, default=0.0) >= 10 else 4


def fell_out(rows: Iterable[Row], first: str, second: str) -> list[str]:
    """What was compared in each task of annotations, and what fell out before any metric was computed.

    Examples
    --------
    >>> row = {"metric": "helpfulness_rate", "n": 8, "n_without_value": 2}
    >>> fell_out([row | {"n_only_first": 1, "n_only_second": 0, "n_without_key": 0}], "old", "new")
    ['generation: 10 queries compared; 1 only in old fell out.']
    """
    rows = list(rows)
    told = []
    for task in LABELS:
        names = {metric.name for metric in metrics_of(task)}
        row = next((one for one in rows if one["metric"] in names), None)
        if row is None:
            continue
        n = row["n"] + row["n_without_value"]
        parts = [
            f"{count:,} {where}"
            for count, where in (
                (row["n_only_first"], f"only in {first}"),
                (row["n_only_second"], f"only in {second}"),
                (row["n_without_key"], "without a key"),
            )
            if count
        ]
        rest = f"{', '.join(parts)} fell out" if parts else "none fell out"
        told.append(f"{task}: {n:,} {'query' if n == 1 else 'queries'} compared; {rest}.")
    return told


def dropped_in_words(shared: Shared, first: str, second: str) -> str:
    """How many queries were compared and what fell out.

    Examples
    --------
    >>> dropped_in_words(Shared("checks", 10, 2, 0, 1), "a", "b")
    '10 checks compared; 3 fell out: 2 only in a, 0 only in b, 1 with another label.'
    """
    other, only = OTHER.get(shared.what, "another gold"), "only {name} has a list for {n:,}"
    if shared.what == "checks":
        only = "{n:,} only in {name}"
    sides = ((shared.n_first_only, first), (shared.n_second_only, second))
    told = [only.format(n=n, name=name) for n, name in sides]
    told += [f"neither for {shared.n_neither:,}"] if shared.n_neither else []
    told.append(f"{shared.n_other_label:,} with {other}")
    dropped = f"{shared.n_dropped:,} fell out: {', '.join(told)}" if shared.n_dropped else "none fell out"
    missing = [
        f"{name} has no list for {n:,} of them"
        for n, name in ((shared.n_first_missing, first), (shared.n_second_missing, second))
        if n
    ]
    as_empty = MISSING.get(shared.what, "an empty list, which finds nothing")
    empty = f" {' and '.join(missing)}: {as_empty}, unless only shared ones are compared."
    return f"{shared.n:,} {shared.what} compared; {dropped}." + (empty if missing else "")
