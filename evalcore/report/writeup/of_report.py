"""A report of metrics written up: what it answers of the guidelines, without a target or a verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from evalcore.data import HIGHEST_OF_CANDIDATES
from evalcore.evaluation import Report
from evalcore.evaluation.gathering.sites import SITES
from evalcore.operating_point.choosing.request import is_synthetic
from evalcore.operating_point.document.build import MAXIMUM
from evalcore.operating_point.tradeoff.thresholds import threshold_text
from evalcore.operating_point.wording import counted, percent_of
from evalcore.readers.formats.sample_files import NOTE
from evalcore.report.facts import facts
from evalcore.report.layout import values
from evalcore.report.methods import methods
from evalcore.report.reader import FirstPages, RowsOf, first_pages
from evalcore.report.writeup.chapters import checklist_rows, rendered
from evalcore.report.writeup.facts import scores_taken
from evalcore.report.writeup.stard_ai import STARD_AI
from evalcore.report.writeup.tripod_ai import TRIPOD_AI

SEE_RESULTS = "See the results in methods_and_results.md"


def report_writeup(report: Report) -> dict[str, bytes]:
    """The files of a report's write-up: methods and results, TRIPOD+AI and STARD-AI.

    Parameters
    ----------
    report : of `evaluate`, saved or not. It holds no target and no verdict, and so makes no statement.
    """
    said, first = facts(report), first_pages(report, values(report))
    answers = _answers(report, said, first)
    context: dict[str, Any] = {
        "head": f"Written from a report of evalcore {said['evalcore']} on data with SHA-256 "
        f"{said['data_sha256']}.",
        # Of a saved report the note is left, of tallies of sites the fact.
        "is_synthetic": NOTE in report.data.notes or is_synthetic(report.data),
        "source": "report",
        "answers": answers,
        "first": first,
        "sizes": list(map(_size, first.rows)),
        "methods": methods(report),
        "tripod": list(checklist_rows(TRIPOD_AI, lambda name: answers.get(name, ""))),
        "stard": list(checklist_rows(STARD_AI, lambda name: answers.get(name, ""))),
    }
    pages = {
        "methods_and_results.md": "report_methods_and_results",
        "tripod_ai.md": "tripod_ai",
        "stard_ai.md": "stard_ai",
    }
    return {file: rendered(template, context).encode() for file, template in pages.items()}


def _answers(report: Report, said: Mapping[str, Any], first: FirstPages) -> dict[str, str]:
    """What a report answers, by the names that the lists of items use."""
    sources = "; ".join(
        f"{one['name']}: {one['n_rows']:,} rows read, {one['n_used']:,} used (SHA-256 {one['sha256']})"
        for one in said["inputs"]
    )
    positive = said["reading"].get("positive")
    return {
        "sources": f"{sources}.",
        "digests": f"The files are named by their digests. {sources}.",
        "preparation": f"{' '.join(_excluded(said))} {_scores_taken(report)}".strip(),
        "outcome": f'The label "{positive}" is the outcome.' if positive else "",
        "sizes": f"{'; '.join(map(_size, first.rows))}." if first.rows else "",
        "measures": f"{', '.join(_labels(first))}. {_thresholds(said)}{' '.join(methods(report))}",
        "performance": f"{'. '.join(_results(first))}.",
        "groups": f"{SEE_RESULTS}: tables by group." if first.groups else "",
        "limits": f"{SEE_RESULTS}: limitations." if first.limits else "",
        "software": f"For the evaluation: evalcore {said['evalcore']}.",
    }


def _scores_taken(report: Report) -> str:
    """How scores were taken; tallies on a grid hold none of the rows' own scores."""
    on_grid = report.gathered.tallies.get(SITES)
    is_highest = any(HIGHEST_OF_CANDIDATES in note for note in report.data.notes)
    return scores_taken(
        {
            "score_of": report.data.score_of,
            "grid": None if on_grid is None else on_grid.n_points,
            "aggregate": MAXIMUM if is_highest else None,
        }
    )


def _size(one: RowsOf) -> str:
    part = "All rows" if one.part == "all" else f"Split {one.part}"
    share = percent_of(one.n_positive, one.n_checks)
    evidence = f"{one.n_positive:,} with evidence ({share})"
    return f"{part}: {counted(one.n_checks, 'check')} from {counted(one.n_posts, 'post')}, {evidence}"


def _excluded(said: Mapping[str, Any]) -> Iterator[str]:
    for one in said["inputs"]:
        reasons = "; ".join(f"{n:,} ({reason})" for reason, n in one["excluded"].items())
        yield f"{one['name']}: excluded {reasons or 'no row'}."


def _thresholds(said: Mapping[str, Any]) -> str:
    """At which thresholds decisions were counted, where the report was asked for some."""
    asked = {name: said["options"].get(name) for name in ("tau_neg", "tau_pos")}
    told = [f"{name} = {threshold_text(value)}" for name, value in asked.items() if value is not None]
    return f"Decisions were counted at {' and '.join(told)}. " if told else ""


def _labels(first: FirstPages) -> list[str]:
    return list(dict.fromkeys(line.label for lines in first.headlines.values() for line in lines))


def _results(first: FirstPages) -> Iterator[str]:
    """Each metric that stands first with its value of every model, and the interval."""
    for lines in first.headlines.values():
        for line in lines:
            for model, value in zip(first.models, line.values, strict=True):
                if value is None:
                    continue
                name = f"{line.label} {line.detail}".strip() + (f" of {model}" if model else "")
                text = f"not defined ({value.note})" if value.reason else value.text
                yield f"{name}: {text}" + (f", {value.interval}" if value.interval else "")
