"""Whether the counts of a document agree with the rows that it names, without its data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from evalcore.metrics import gate
from evalcore.operating_point.document.stated import StatedRows, counts_of, stated_rows
from evalcore.problems import Problem, problem
from evalcore.spec import declared

_SLACK = 1e-9
ROWS, POSITIVES, SKIPPED, ALERTS, RIGHT, MISSED = (
    "rows",
    "rows with evidence",
    "skipped rows",
    "alerts",
    "alerts that are right",
    "missed rows with evidence",
)
COUNTED = {
    declared(metric).key: counted
    for metric, counted in (
        (gate.neg_rate, (SKIPPED, ROWS)),
        (gate.uncertain_rate, ("uncertain rows", ROWS)),
        (gate.pos_rate, (ALERTS, ROWS)),
        (gate.alerts_per_1000, (ALERTS, ROWS)),
        (gate.screening_sensitivity, ("rows with evidence that are kept", POSITIVES)),
        (gate.screening_fn_per_1000, (MISSED, ROWS)),
        (gate.neg_npv, ("skipped rows without evidence", SKIPPED)),
        (gate.alert_precision, (RIGHT, ALERTS)),
        (gate.alert_recall, (RIGHT, POSITIVES)),
        (gate.reviews_per_true_alert, (ALERTS, RIGHT)),
    )
}
"""What a metric's numerator and denominator count."""

SUMS = (
    (("rows with evidence that are kept", MISSED), POSITIVES),
    (("skipped rows without evidence", MISSED), SKIPPED),
    ((SKIPPED, "uncertain rows", ALERTS), ROWS),
)


def false_counts(document: Mapping[str, Any], file: str | None = None) -> list[Problem]:
    """Where counts contradict each other: of one role, or rows that cannot be both tune and test.

    Parameters
    ----------
    document : after the schema.
    file : the file's name, for messages.

    Returns
    -------
    list of problems: DOC-031.
    """
    found: list[tuple[str, str]] = []
    all_rows = stated_rows(document)
    for at, (rows, entry) in enumerate(zip(all_rows, document["data"], strict=True)):
        found += [(f"data[{at}]", told) for told in _of_rows(rows, entry.get("prevalence"))]
    known = {rows.role: rows for rows in all_rows}
    roles = [*known, *(["folds"] if "folds" in document["selection"] else [])]
    for role in roles:
        found += [("estimates", told) for told in _of_role(document, role, known.get(role))]
    found += _twice(document, all_rows)
    found += [
        (f"estimates[{at}]", f"numbers on {entry['evaluated_on']}, which data does not name")
        for at, entry in enumerate(document["estimates"])
        if entry["evaluated_on"] not in roles
    ]
    return [problem("DOC-031", file=file, place=place, found=told) for place, told in found]


def _of_rows(rows: StatedRows, prevalence: float | None) -> Iterator[str]:
    if rows.n_positives > rows.n_rows:
        yield f"{rows.n_positives:,} rows with evidence of {rows.n_rows:,} rows"
    if prevalence is not None and abs(prevalence - rows.n_positives / max(rows.n_rows, 1)) > _SLACK:
        yield f"a prevalence of {prevalence:g} for {rows.n_positives:,} of {rows.n_rows:,} rows"
    if rows.has_units and max(rows.n_units, rows.n_posts) > rows.n_rows:
        yield f"{max(rows.n_units, rows.n_posts):,} posts of {rows.n_rows:,} rows"
    if rows.cluster_column is None and rows.n_units != rows.n_posts:
        yield f"{rows.n_units:,} clusters that are {rows.n_posts:,} posts"


def _of_role(document: Mapping[str, Any], role: str, rows: StatedRows | None) -> Iterator[str]:
    """Counts of one thing on the same rows that differ, or that do not add up."""
    stated = {} if rows is None else {ROWS: rows.n_rows, POSITIVES: rows.n_positives}
    for entry in document["estimates"]:
        counts = counts_of(entry)
        if entry["evaluated_on"] != role or entry["metric"] not in COUNTED or counts is None:
            continue
        for thing, n in zip(COUNTED[entry["metric"]], counts, strict=True):
            if stated.setdefault(thing, n) != n:
                yield f"{n:,} and {stated[thing]:,} {thing} on {role}"
    for parts, whole in SUMS:
        if whole in stated and all(part in stated for part in parts):
            total = sum(stated[part] for part in parts)
            if total != stated[whole]:
                yield f"{total:,} {' and '.join(parts)}, but {stated[whole]:,} {whole} on {role}"
    if stated.get(RIGHT, 0) > stated.get(ALERTS, stated.get(RIGHT, 0)):
        yield f"{stated[RIGHT]:,} {RIGHT} of {stated[ALERTS]:,} on {role}"


def _twice(document: Mapping[str, Any], all_rows: list[StatedRows]) -> Iterator[tuple[str, str]]:
    named = {
        "data": [rows.role for rows in all_rows],
        "selection.constraints": [entry["metric"] for entry in document["selection"]["constraints"]],
        "claims": [f"{one['metric']} on {one['evaluated_on']}" for one in document["claims"]],
        "estimates": [f"{one['metric']} on {one['evaluated_on']}" for one in document["estimates"]],
    }
    for place, names in named.items():
        yield from ((place, f"{n} entries for {name}") for name, n in Counter(names).items() if n > 1)
    picked: dict[tuple[str, str | None], tuple[Any, ...]] = {}
    for rows, entry in zip(all_rows, document["data"], strict=True):
        what = (rows.n_rows, rows.n_positives, rows.n_units, entry.get("row_ids_sha256"))
        if picked.setdefault((rows.sha256, rows.row_filter), what) != what:
            yield "data", f"two sets of rows picked alike from one file ({rows.row_filter or 'all rows'})"
