"""A summary of metrics that another program wrote, checked against itself.

Nothing is recomputed from data: values that cannot all be true of one evaluation are told, by name.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evalcore.checks.identities import (
    RULES,
    Key,
    Relation,
    agree,
    is_rate,
    metric_of,
    relations,
    rounding,
    shown,
)
from evalcore.checks.own_metrics import as_summary
from evalcore.checks.results import CheckResult, result
from evalcore.problems import InputError, Problem, problem

LARGEST = 10_000_000
"""The most bytes of a summary: parsed, they take thirty times their memory."""
_VALUE_NAMES = ("mean", "value", "estimate")
_ROOT = "the summary"
_COUNTS = {
    "tp": ("tp", "true_positives", "true_pos", "n_tp"),
    "tn": ("tn", "true_negatives", "true_neg", "n_tn"),
    "fp": ("fp", "false_positives", "false_pos", "n_fp"),
    "fn": ("fn", "false_negatives", "false_neg", "n_fn"),
    "n": ("n", "n_queries", "n_total", "n_rows", "total", "queries_total"),
    "n_pos": ("n_pos", "n_positive", "n_positives", "positives", "queries_with_positives", "n_has_evidence"),
    "n_neg": ("n_neg", "n_negative", "n_negatives", "negatives"),
    "n_evaluated": ("queries_evaluated", "n_evaluated"),
}
_COUNT_OF = {name: count for count, names in _COUNTS.items() for name in names}
_SUMS = {"n": ("tp", "tn", "fp", "fn"), "n_pos": ("tp", "fn"), "n_neg": ("tn", "fp")}
_SHARES = {
    "sensitivity": (("tp",), ("tp", "fn")),
    "recall": (("tp",), ("tp", "fn")),
    "specificity": (("tn",), ("tn", "fp")),
    "false_positive_rate": (("fp",), ("fp", "tn")),
    "false_negative_rate": (("fn",), ("fn", "tp")),
    "precision": (("tp",), ("tp", "fp")),
    "npv": (("tn",), ("tn", "fn")),
    "accuracy": (("tp", "tn"), ("tp", "tn", "fp", "fn")),
    "prevalence": (("tp", "fn"), ("tp", "tn", "fp", "fn")),
    "f1": (("tp", "tp"), ("tp", "tp", "fp", "fn")),
}
_POPULATIONS = ("positives_only", "all_queries")


Rates = dict[Key, float]


@dataclass
class _Section:
    """The values of one part of a summary, such as ``reranked.positives_only``."""

    rates: Rates = field(default_factory=dict)
    counts: dict[str, float] = field(default_factory=dict)
    is_positives_only: bool | None = None


def is_summary(path: Path) -> bool:
    """Whether a file is a JSON object that holds metrics by name: a summary, and no table."""
    if path.suffix.lower() != ".json" or not path.is_file() or path.stat().st_size > LARGEST:
        return False
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(content, dict) and any(part.rates for part in _sections(as_summary(content)).values())


def check_summary(source: Path | str | Mapping[str, Any]) -> tuple[CheckResult, ...]:
    """What must hold between the metrics of a summary, checked in each of its parts.

    Parameters
    ----------
    source : a JSON file or what it holds: objects in objects with metrics by name (``recall@10``; or
        ``{"10": {"recall": …}}``), counts (``tp``, ``n_pos``, ``queries_total``) and anything else; or a
        ``metrics.json`` of `evalcore.evaluate`.

    Returns
    -------
    the checks that apply, with the number of values looked at; none where it holds no metric.

    Raises
    ------
    InputError : for a file that is no JSON object.
    """
    content, file = (source, None) if isinstance(source, Mapping) else _read(Path(source))
    sections = _sections(as_summary(content))
    return tuple(one for one in _results(sections, file) if one.n_rows_checked)


def _read(path: Path) -> tuple[Mapping[str, Any], str]:
    n_bytes = path.stat().st_size if path.is_file() else 0
    if n_bytes > LARGEST:
        raise InputError([problem("SUM-010", file=path.name, n_bytes=n_bytes, limit=LARGEST)])
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError([problem("FILE-001", file=path.name)]) from None
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise InputError([problem("SUM-001", file=path.name)])
    return content, path.name


def _sections(content: Mapping[str, Any]) -> dict[str, _Section]:
    """Place of a part → its values; the K of a metric may be a level of the summary itself."""
    sections: dict[str, _Section] = {}
    for path, value in _leaves(content, ()):
        _place(sections, path, value)
    return sections


def _leaves(content: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(content, Mapping):
        for name, value in content.items():
            yield from _leaves(value, (*path, str(name)))
    elif isinstance(content, float) or (isinstance(content, int) and abs(content) < 2**53):
        yield path, content


def _place(sections: dict[str, _Section], path: tuple[str, ...], value: float) -> None:
    """Put one value into its part."""
    if path[-1].lower() in _VALUE_NAMES and len(path) > 1:
        path = path[:-1]
    ks = [part for part in path[-2:] if part.isdigit()]
    names = [part for part in path[-2:] if not part.isdigit()]
    if len(ks) == 1 and len(path) > 1 and metric_of(names[-1]) is not None:
        place, name = path[:-2], f"{names[-1]}@{ks[0]}"
    else:
        place, name = path[:-1], path[-1]
    section = sections.setdefault(".".join(place) or _ROOT, _Section())
    metric, count = metric_of(name), _COUNT_OF.get(name.strip().lower())
    if name == "skip_no_positives":
        section.is_positives_only = bool(value)
    elif isinstance(value, bool) or not math.isfinite(value):
        return
    elif metric is not None:
        section.rates[metric] = float(value)
    elif count is not None:
        section.counts[count] = value


def _results(sections: Mapping[str, _Section], file: str | None) -> Iterator[CheckResult]:
    n_rates = sum(len(part.rates) for part in sections.values())
    yield result("Ranges", "Every rate lies from 0 to 1.", n_rates, _outside(sections, file))
    related = [(place, part.rates, one) for place, part in sections.items() for one in relations(part.rates)]
    for rule, what in RULES.items():
        of_rule = [found for found in related if found[2].rule == rule]
        yield result(rule, what, len(of_rule), _broken(of_rule, file))
    what = "TP, TN, FP and FN add up to the totals, and the rates follow from them."
    n_counts = sum(len(part.counts) for part in sections.values() if part.counts.keys() & _COUNTS.keys())
    yield result("Counts", what, n_counts, _counts(sections, file))
    what = "Means over positives only, times their share, are the means over all queries."
    pairs = list(_populations(sections))
    n_values = sum(len(one.rates) for _, one, _ in pairs)
    yield result("Populations", what, n_values, _unlike(pairs, file))


def _outside(sections: Mapping[str, _Section], file: str | None) -> Iterator[Problem]:
    for place, part in sections.items():
        for key, value in part.rates.items():
            if not is_rate(value):
                yield _differs(file, place, shown(*key), value, "a value from 0 to 1")


def _broken(related: Sequence[tuple[str, Rates, Relation]], file: str | None) -> Iterator[Problem]:
    for place, rates, one in related:
        value, other = rates[one.metric], rates[one.other]
        if one.is_broken(value, other):
            yield _differs(file, place, shown(*one.metric), value, one.expected(other))


def _counts(sections: Mapping[str, _Section], file: str | None) -> Iterator[Problem]:
    for place, part in sections.items():
        for name, value in part.counts.items():
            if value < 0 or value != int(value):
                yield _differs(file, place, name, value, "a whole number from 0 on")
        yield from _sums(place, part, file)
        yield from _evaluated(place, part, file)


def _sums(place: str, part: _Section, file: str | None) -> Iterator[Problem]:
    """Totals and rates that the four counts of the confusion matrix contradict."""
    counts = part.counts
    for total, parts in _SUMS.items():
        if total in counts and counts.keys() >= set(parts):
            expected = sum(counts[name] for name in parts)
            if counts[total] != expected:
                words = f"{expected:g} = {' + '.join(parts).upper()}"
                yield _differs(file, place, total, counts[total], words)
    for (metric, k), value in part.rates.items():
        above, below = _SHARES.get(metric, ((), ()))
        if k is not None or not below or not counts.keys() >= {*above, *below}:
            continue
        denominator = sum(counts[name] for name in below)
        share = sum(counts[name] for name in above) / denominator if denominator else math.nan
        if not (denominator and agree(value, share)):
            words = f"{' + '.join(above)} / ({' + '.join(below)})".upper()
            found = f"{share!r} = {words}" if denominator else f"no value, since {words} is 0 / 0"
            yield _differs(file, place, shown(metric, k), value, found)


def _evaluated(place: str, part: _Section, file: str | None) -> Iterator[Problem]:
    """Numbers of queries that do not fit each other."""
    counts = part.counts
    if counts.get("n_pos", 0) > counts.get("n", math.inf):
        yield _differs(file, place, "n_pos", counts["n_pos"], f"at most {counts['n']:g}, the total")
    population = "n_pos" if part.is_positives_only else "n"
    is_known = part.is_positives_only is not None and {population, "n_evaluated"} <= counts.keys()
    if is_known and counts["n_evaluated"] != counts[population]:
        whom = "the queries with positives" if part.is_positives_only else "all queries"
        expected = f"{counts[population]:g}, {whom}"
        yield _differs(file, place, "queries_evaluated", counts["n_evaluated"], expected)


def _populations(sections: Mapping[str, _Section]) -> Iterator[tuple[str, _Section, _Section]]:
    """Parts over positives only and over all queries that stand beside each other."""
    for place, positives in sections.items():
        before, _, name = place.rpartition(".")
        if name == _POPULATIONS[0]:
            beside = f"{before}.{_POPULATIONS[1]}" if before else _POPULATIONS[1]
            if beside in sections and {"n", "n_pos"} <= sections[beside].counts.keys():
                yield beside, positives, sections[beside]


def _unlike(pairs: list[tuple[str, _Section, _Section]], file: str | None) -> Iterator[Problem]:
    """Means over all queries that do not follow from those over positives: a query without gold counts 0."""
    for place, positives, everyone in pairs:
        share = everyone.counts["n_pos"] / everyone.counts["n"] if everyone.counts["n"] else math.nan
        for (metric, k), value in everyone.rates.items():
            mean = positives.rates.get((metric, k))
            if mean is not None and k is not None and not agree(value, mean * share, rounding(mean) * share):
                yield _differs(file, place, shown(metric, k), value, f"{mean * share!r}, from the positives")


def _differs(file: str | None, place: str, name: str, found: float, expected: str) -> Problem:
    return problem("SUM-002", file=file, place=place, name=name, found=f"{found!r}", expected=expected)
