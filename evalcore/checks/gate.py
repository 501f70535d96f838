"""What a gate wrote beside its probability: thresholds, states and predicted labels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from evalcore.checks.results import CheckResult, file_of, result, spelled
from evalcore.data import Data, Queries
from evalcore.problems import SHOWN, Problem, problem

_STATES = {
    "neg": "NEG",
    "negative": "NEG",
    "skip": "NEG",
    "uncertain": "UNCERTAIN",
    "look": "UNCERTAIN",
    "pos": "POS",
    "positive": "POS",
    "alert": "POS",
}
_NAMES = np.asarray(["NEG", "UNCERTAIN", "POS"], object)
_ENDS = {
    ("tau_neg", 0.0): "nothing is skipped",
    ("tau_neg", 1.0): "everything below p = 1 is skipped",
    ("tau_pos", 0.0): "everything is an alert",
    ("tau_pos", 1.0): "nothing below p = 1 is an alert",
}
_SYMBOLS = {"tau_neg": "τ_neg", "tau_pos": "τ_pos"}


def performed(data: Data) -> Iterator[CheckResult]:
    """The checks of thresholds, states and predicted labels, where the data have such columns."""
    queries = data.queries
    if queries is None:
        return
    file, is_probability = file_of(data, "queries"), data.score_kind == "probability"
    given = [~np.isnan(queries.numbers[role]) for role in _SYMBOLS if role in queries.numbers]
    n_given = int(np.count_nonzero(np.logical_or.reduce(given))) if given else 0
    if n_given and is_probability:
        what = "No threshold lies at the end of the scale, 0 or 1."
        yield result("Thresholds decide something", what, n_given, _at_the_ends(queries, file))
    if n_given:
        what = "Every row has the same thresholds."
        yield result("One pair of thresholds", what, n_given, _own_thresholds(queries, file))
    if "state" in queries.slices and len(given) == 2:
        what = "Each state follows from p and the thresholds of its row, with < and ≥ or with ≤ and >."
        n_states = int(np.count_nonzero((queries.slices["state"][0] >= 0) & given[0] & given[1]))
        if n_states:
            yield result("States follow from thresholds", what, n_states, _states(queries, file))
    if "predicted_label" in queries.slices and is_probability:
        what = "Each predicted label is 1 where p ≥ 0.5 and 0 elsewhere."
        n_labels = int(np.count_nonzero(queries.slices["predicted_label"][0] >= 0))
        found = _predicted_labels(queries, data.positive, file)
        if n_labels:
            yield result("Predicted labels follow from p", what, n_labels, found)


def _at_the_ends(queries: Queries, file: str | None) -> Iterator[Problem]:
    """Thresholds of 0 or 1, which decide nothing."""
    for (role, end), effect in _ENDS.items():
        values = queries.numbers.get(role, np.zeros(0))
        rows = np.flatnonzero(values == end)
        if len(rows):
            n_rows = int(np.count_nonzero(~np.isnan(values)))
            row = int(queries.row[rows[0]]) if len(rows) < n_rows else None
            facts: dict[str, Any] = {"name": _SYMBOLS[role], "value": f"{end:g}", "effect": effect}
            yield problem("QRY-034", file=file, row=row, column=role, n=len(rows), n_rows=n_rows, **facts)


def _own_thresholds(queries: Queries, file: str | None) -> Iterator[Problem]:
    """Threshold columns that are not one pair for all rows."""
    for role, name in (("tau_neg", "τ_neg"), ("tau_pos", "τ_pos")):
        values = queries.numbers.get(role)
        given = values[~np.isnan(values)] if values is not None else np.zeros(0)
        if len(given) and (given != given[0]).any():
            yield problem("QRY-019", file=file, column=role, name=name, n=len(given))


def _states(queries: Queries, file: str | None) -> Iterator[Problem]:
    """States that the thresholds of their own row contradict, row by row.

    A state that the other rule at the edge explains (p ≤ τ_neg skipped, p > τ_pos an alert) is counted apart.
    """
    tau_neg, tau_pos = queries.numbers.get("tau_neg"), queries.numbers.get("tau_pos")
    if "state" not in queries.slices or tau_neg is None or tau_pos is None:
        return
    codes, levels = queries.slices["state"]
    of_level = [_STATES.get(level.strip().lower(), "") for level in levels]
    number = {"NEG": 0, "UNCERTAIN": 1, "POS": 2, "": -1}
    stated = np.asarray([*(number[name] for name in of_level), -1])[codes]
    p = queries.score
    known = (stated >= 0) & ~np.isnan(tau_neg) & ~np.isnan(tau_pos)
    ours = np.where(p < tau_neg, 0, np.where(p >= tau_pos, 2, 1))
    other = np.where(p <= tau_neg, 0, np.where(p > tau_pos, 2, 1))
    wrong = np.flatnonzero(known & (stated != ours) & (stated != other))
    at_edge = int(np.count_nonzero(known & (stated != ours) & (stated == other)))
    if len(wrong):
        yield problem("QRY-023", file=file, column="state", n=len(wrong), n_rows=int(np.count_nonzero(known)))
    for i in wrong[:SHOWN].tolist():
        yield problem(
            "QRY-011",
            file=file,
            row=int(queries.row[i]),
            column="state",
            found=levels[codes[i]],
            tau_neg=spelled(tau_neg[i]),
            tau_pos=spelled(tau_pos[i]),
            p=spelled(p[i]),
            expected=_NAMES[ours[i]],
        )
    if at_edge:
        yield problem("QRY-024", file=file, column="state", n=at_edge)


def _predicted_labels(queries: Queries, positive: str, file: str | None) -> Iterator[Problem]:
    """Predicted labels that the probability contradicts at p ≥ 0.5, row by row."""
    if "predicted_label" not in queries.slices:
        return
    codes, levels = queries.slices["predicted_label"]
    meant = np.asarray([*(_truth(level, positive, len(levels)) for level in levels), -1])[codes]
    says = (queries.score >= 0.5).astype(int)
    wrong = np.flatnonzero((meant >= 0) & (meant != says))
    if len(wrong):
        n_rows = int(np.count_nonzero(meant >= 0))
        yield problem("QRY-026", file=file, column="predicted_label", n=len(wrong), n_rows=n_rows)
    for i in wrong[:SHOWN].tolist():
        facts: dict[str, Any] = {
            "found": levels[codes[i]],
            "p": spelled(queries.score[i]),
            "expected": str(says[i]),
        }
        yield problem("QRY-013", file=file, row=int(queries.row[i]), column="predicted_label", **facts)


def _truth(level: str, positive: str, n_levels: int) -> int:
    """1 or 0 where the level is a label, −1 where it is not."""
    text = level.strip().lower()
    if text in ("0", "0.0", "false"):
        return 0
    if text in ("1", "1.0", "true") or text == positive.lower():
        return 1
    return 0 if positive not in ("0", "1") and n_levels <= 2 else -1
