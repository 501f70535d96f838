"""What a gate wrote beside its probability: thresholds, states and predicted labels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.checks.results import CheckResult, file_of, result, spelled
from evalcore.data import Data, Queries
from evalcore.problems import SHOWN, Problem, problem
from evalcore.schema import class_of, classes_of

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
_NAMED = 10
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
        n_states = int(np.count_nonzero((_stated(queries) >= 0) & given[0] & given[1]))
        if n_states:
            yield result("States follow from thresholds", what, n_states, _states(queries, file))
    if "predicted_label" in queries.slices and is_probability:
        what = "Each predicted label is 1 where p ≥ 0.5 and 0 elsewhere."
        meant = _meant(queries, data.positive)
        n_comparable = int(np.count_nonzero(meant >= 0))
        if n_comparable:
            found = _predicted_labels(queries, meant, file)
            yield result("Predicted labels follow from p", what, n_comparable, found)
        n_labels = int(np.count_nonzero(queries.slices["predicted_label"][0] >= 0))
        if n_labels > n_comparable:
            what = "Every predicted label is one of the labels."
            found = _no_labels(queries, meant, file)
            yield result("Predicted labels are labels", what, n_labels, found)


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
    stated = _stated(queries)
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


def _stated(queries: Queries) -> NDArray[np.intp]:
    """0, 1 or 2 for NEG, UNCERTAIN and POS, −1 where the state is no known word; shape (N,)."""
    codes, levels = queries.slices["state"]
    number = {"NEG": 0, "UNCERTAIN": 1, "POS": 2, "": -1}
    of_level = [number[_STATES.get(level.strip().lower(), "")] for level in levels]
    return np.asarray([*of_level, -1])[codes]


def _meant(queries: Queries, positive: str) -> NDArray[np.intp]:
    """1 or 0 for the class that the predicted label names, −1 where it names none; shape (N,)."""
    codes, levels = queries.slices["predicted_label"]
    others = levels if len(levels) <= 2 and any(class_of(level, positive) for level in levels) else ()
    of_level = classes_of(levels, positive, others)
    return np.asarray([*(-1 if said is None else int(said) for said in of_level), -1])[codes]


def _no_labels(queries: Queries, meant: NDArray[np.intp], file: str | None) -> Iterator[Problem]:
    """Predicted labels that are none of the labels, in one warning."""
    codes, levels = queries.slices["predicted_label"]
    unknown = (codes >= 0) & (meant < 0)
    found = ", ".join(levels[code][:40] for code in np.unique(codes[unknown])[:_NAMED].tolist())
    n, n_rows = int(np.count_nonzero(unknown)), int(np.count_nonzero(codes >= 0))
    yield problem("QRY-089", file=file, column="predicted_label", n=n, n_rows=n_rows, found=found)


def _predicted_labels(queries: Queries, meant: NDArray[np.intp], file: str | None) -> Iterator[Problem]:
    """Predicted labels that the probability contradicts at p ≥ 0.5, row by row."""
    codes, levels = queries.slices["predicted_label"]
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
