"""The agreement that a file states beside the agreement that its responses give."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from evalcore.agreement.alpha import Alpha

TOLERANCE = 5e-4
"""Reports round to three digits or more: a smaller distance is no difference."""


@dataclass(frozen=True)
class StatedAgreement:
    """What a report states of one label beside what the responses give.

    Parameters
    ----------
    task, label : of which label.
    stated, ours : alpha; NaN where there is none.
    stated_n, ours_n : units with two codes or more; −1 where the report states none.
    stated_agreement, ours_agreement : shares of agreeing pairs; NaN where there is none.
    differences : each difference in words; empty where the two agree.
    """

    task: str
    label: str
    stated: float
    ours: float
    stated_n: int
    ours_n: int
    stated_agreement: float
    ours_agreement: float
    differences: tuple[str, ...]


def beside_stated(stated: Mapping[str, Any], alphas: Iterable[Alpha]) -> tuple[StatedAgreement, ...]:
    """Compare the agreement reports of a sidecar with our values; theirs never take the place of ours.

    Parameters
    ----------
    stated : ``Annotations.stated``, or one report: a mapping with ``tasks``, each with ``task`` and
        ``labels`` (``label``, ``alpha``, ``n_items``, ``pct_agreement``); any other part is passed over.
    alphas : ours.

    Returns
    -------
    tuple of StatedAgreement, in the order of the report; nothing where no report is found.

    Examples
    --------
    >>> report = {"tasks": [{"task": "grounding", "labels": [{"label": "source_cited", "alpha": 1.0}]}]}
    >>> beside_stated(report, ())[0].differences
    ('no responses to this label were loaded',)
    """
    ours: dict[tuple[str, str], Alpha] = {(alpha.task, alpha.label): alpha for alpha in alphas}
    return tuple(
        _beside(task, label, said, ours.get((task, label)))
        for report in _reports(stated)
        for task, label, said in _labels(report)
    )


def _reports(stated: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for one in (stated, *stated.values()):
        if isinstance(one, Mapping) and isinstance(one.get("tasks"), list):
            yield one


def _labels(report: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for task in report["tasks"]:
        if isinstance(task, Mapping) and isinstance(task.get("labels"), list):
            for said in task["labels"]:
                if isinstance(said, Mapping) and "label" in said:
                    yield str(task.get("task", "")), str(said["label"]), said


def _beside(task: str, label: str, said: Mapping[str, Any], ours: Alpha | None) -> StatedAgreement:
    stated, agreement = _number(said.get("alpha")), _number(said.get("pct_agreement"))
    n = _number(said.get("n_items"))
    return StatedAgreement(
        task=task,
        label=label,
        stated=stated,
        ours=ours.value if ours else np.nan,
        stated_n=-1 if np.isnan(n) else int(n),
        ours_n=ours.n_pairable if ours else 0,
        stated_agreement=agreement,
        ours_agreement=ours.observed_agreement if ours else np.nan,
        differences=_differences(stated, agreement, n, ours)
        if ours
        else ("no responses to this label were loaded",),
    )


def _differences(stated: float, agreement: float, n: float, ours: Alpha) -> tuple[str, ...]:
    found = []
    if not np.isnan(n) and n != ours.n_pairable:
        found.append(f"stated on {n:g} units, ours on {ours.n_pairable}")
    for name, theirs, own, why in (
        ("alpha", stated, ours.value, ours.reason),
        ("agreement", agreement, ours.observed_agreement, ours.reason),
    ):
        if np.isnan(theirs) and np.isnan(own):
            continue
        if np.isnan(own):
            found.append(f"{name} stated {theirs:.4g}, ours undefined: {why}")
        elif np.isnan(theirs):
            found.append(f"{name} stated as undefined, ours {own:.4g}")
        elif abs(theirs - own) > TOLERANCE:
            found.append(f"{name} stated {theirs:.4g}, ours {own:.4g}")
    return tuple(found)


def _number(value: Any) -> float:
    """A stated number; NaN for anything else."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number else np.nan
