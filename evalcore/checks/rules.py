"""Labels of one response that contradict each other by the logical rules of document 003."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from evalcore.agreement import RULES, Rule, violations
from evalcore.annotations import UNSAID, YES
from evalcore.checks.results import CheckResult, result
from evalcore.data import Data
from evalcore.problems import SHOWN, Problem, problem

if TYPE_CHECKING:
    import pandas as pd


def performed(data: Data) -> Iterator[CheckResult]:
    """One check a rule whose labels both stand in some submitted response."""
    if data.annotations is None:
        return
    record_ids = data.annotations.record_ids
    for task, responses in data.annotations.responses.items():
        broken = violations(responses, record_ids)
        for rule in RULES:
            said = [responses.labels.get(name) for name in (rule.label, rule.other)]
            if rule.task != task or said[0] is None or said[1] is None:
                continue
            has_both = responses.is_submitted & (said[0] != UNSAID) & (said[1] != UNSAID)
            n_checked = int(np.count_nonzero(has_both))
            if n_checked:
                found = _problems(rule, broken[broken["rule"] == rule.text], n_checked, _file(data, rule))
                yield result(f"Rule: {rule.text}", _claim(rule), n_checked, found)


def _claim(rule: Rule) -> str:
    other = "yes" if rule.then == YES else "no"
    seldom = " (unlikely otherwise, not impossible)" if rule.is_warning else ""
    return f"Where {rule.label} is yes, {rule.other} is {other}{seldom}."


def _problems(rule: Rule, broken: pd.DataFrame, n_checked: int, file: str | None) -> Iterator[Problem]:
    """How many responses break a rule, then the first of them by row."""
    if broken.empty:
        return
    kind = "unlikely" if rule.is_warning else "impossible"
    yield problem(
        "RAG-040", file=file, task=rule.task, n=len(broken), n_rows=n_checked, rule=rule.text, kind=kind
    )
    for one in broken.head(SHOWN).itertuples():
        chunk = f", chunk {one.chunk_id}" if one.chunk_id else ""
        by = f" by {one.annotator}" if one.annotator else ""
        yield problem(
            "RAG-041",
            file=file,
            row=int(one.row) if file else None,
            unit=f"record {one.record_id}{chunk}{by}",
            other="no" if rule.then == YES else "yes",
            wanted="yes" if rule.then == YES else "no",
            label=rule.label,
            second=rule.other,
        )


def _file(data: Data, rule: Rule) -> str | None:
    """The one file that holds both labels, so that a row number names a row; None where several do."""
    names = [
        source.name
        for source in data.sources
        if source.role == "annotations" and {rule.label, rule.other} <= source.columns.keys()
    ]
    return names[0] if len(names) == 1 else None
