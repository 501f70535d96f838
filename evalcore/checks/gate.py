"""What the data themselves make one want to know: warnings that stop nothing, each with its rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from evalcore.data import Data, Queries, Rankings
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


def warnings(data: Data) -> tuple[Problem, ...]:
    """Everything about the data that a reader of their numbers should know.

    Rows that contradict themselves are counted in one warning and named in the next, at most 20 of a kind.
    """
    found: list[Problem] = []
    if data.queries is not None:
        file = _file(data, "queries")
        found += _one_class(data.queries, file)
        found += _missing_cells(data.queries, file)
        found += _unshared(data.queries, file)
        found += _own_thresholds(data.queries, file)
        found += _states(data.queries, file)
        if data.score_kind == "probability":
            found += _predicted_labels(data.queries, data.positive, file)
    if data.rankings is not None:
        found += _without_list(data.rankings)
    return tuple(found)


def _file(data: Data, role: str) -> str | None:
    """The one file the rows come from, or None where there are several."""
    names = [source.name for source in data.sources if source.role == role] or [s.name for s in data.sources]
    return names[0] if len(names) == 1 else None


def _by_model(queries: Queries) -> Iterator[tuple[str, NDArray[np.intp]]]:
    """The rows of each model, with the words that name it where there are several."""
    for code, name in enumerate(queries.models):
        words = f" for model {name}" if len(queries.models) > 1 else ""
        yield words, np.flatnonzero(queries.model == code)


def _one_class(queries: Queries, file: str | None) -> Iterator[Problem]:
    for words, rows in _by_model(queries):
        n_pos = int(np.count_nonzero(queries.has_evidence[rows]))
        if n_pos in (0, len(rows)):
            found = ("every row has evidence" if n_pos else "no row has evidence") + words
            yield problem("QRY-016", file=file, found=found)


def _missing_cells(queries: Queries, file: str | None) -> Iterator[Problem]:
    """Cells of the grid posts × criteria of each model that no row fills."""
    if not queries.has_posts or not len(queries.criterion_ids):
        return
    for words, rows in _by_model(queries):
        rows = rows[queries.criterion[rows] >= 0]
        n_posts = int(np.count_nonzero(np.bincount(queries.post[rows])))
        n_cells = n_posts * int(np.count_nonzero(np.bincount(queries.criterion[rows])))
        if len(rows) < n_cells:
            n_missing = n_cells - len(rows)
            yield problem(
                "QRY-015", file=file, n_missing=n_missing, n_cells=n_cells, n_rows=len(rows), model=words
            )


def _unshared(queries: Queries, file: str | None) -> Iterator[Problem]:
    """Queries that only some of several models have."""
    if len(queries.models) < 2:
        return
    key = queries.post.astype(np.int64) * (len(queries.criterion_ids) + 1) + queries.criterion + 1
    _, n_models = np.unique(key, return_counts=True)
    n_shared = int(np.count_nonzero(n_models == len(queries.models)))
    if n_shared < len(n_models):
        yield problem("QRY-025", file=file, n_shared=n_shared, n_rest=len(n_models) - n_shared)


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
            tau_neg=_number(tau_neg[i]),
            tau_pos=_number(tau_pos[i]),
            p=_number(p[i]),
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
        facts = {"found": levels[codes[i]], "p": _number(queries.score[i]), "expected": str(says[i])}
        yield problem("QRY-013", file=file, row=int(queries.row[i]), column="predicted_label", **facts)


def _truth(level: str, positive: str, n_levels: int) -> int:
    """1 or 0 where the level is a label, −1 where it is not."""
    text = level.strip().lower()
    if text in ("0", "0.0", "false"):
        return 0
    if text in ("1", "1.0", "true") or text == positive.lower():
        return 1
    return 0 if positive not in ("0", "1") and n_levels <= 2 else -1


def _without_list(rankings: Rankings) -> Iterator[Problem]:
    """Queries with gold for which a model has no list."""
    has_gold = np.bincount(rankings.gold_query, minlength=rankings.n_queries) > 0
    for model, rows in rankings.lists.items():
        has_list = np.bincount(rows.query, minlength=rankings.n_queries) > 0
        n = int(np.count_nonzero(has_gold & ~has_list))
        if n:
            yield problem("RNK-006", column=model, n=n, n_queries=int(np.count_nonzero(has_gold)))


def _number(value: float) -> str:
    return repr(float(value))
