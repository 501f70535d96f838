"""What sidecars state of annotations beside what the responses give: theirs never take the place of ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from evalcore.agreement.alpha import Alpha, alphas
from evalcore.agreement.kappa import Kappa, kappas
from evalcore.annotations import Annotations
from evalcore.text.numerals import as_given

TOLERANCE = 5e-4
"""Reports round to three digits or more: a smaller distance is no difference."""
NOT_LOADED = "no responses to this label were loaded"
Sidecar = Literal["export", "agreement"]


@dataclass(frozen=True)
class StatedFact:
    """One thing that a sidecar states, beside what the responses give.

    Parameters
    ----------
    sidecar : ``export`` (the export's own counts) or ``agreement`` (an agreement report).
    task : which task it is about; empty for all.
    what : in words, such as ``alpha of support_present``.
    stated, ours : as text; ``undefined`` for a number that is none, with the reason in ours.
    is_same : whether both say the same; None where they cannot be compared.
    note : why they cannot; empty where they can.
    """

    sidecar: Sidecar
    task: str
    what: str
    stated: str
    ours: str
    is_same: bool | None
    note: str = ""


def agreement_facts(annotations: Annotations) -> Iterator[StatedFact]:
    """Everything that an agreement report states: per label alpha, agreement, units, annotators; kappas.

    Intervals are not compared: those of another program rest on other resamples.

    Parameters
    ----------
    annotations : with the report in ``stated["agreement"]``: a mapping with ``tasks``, each with ``task``,
        ``labels`` and ``pairwise_kappa``; any other part is passed over.
    """
    report = annotations.stated.get("agreement")
    tasks = report.get("tasks") if isinstance(report, Mapping) else None
    for part in tasks if isinstance(tasks, list) else ():
        if not isinstance(part, Mapping):
            continue
        task = str(part.get("task", ""))
        responses = next((one for name, one in annotations.responses.items() if name == task), None)
        found = () if responses is None else alphas(responses, annotations.record_ids, n_replicates=0)
        by_label = {alpha.label: alpha for alpha in found}
        for said in _entries(part.get("labels")):
            yield from _of_label(task, said, by_label.get(str(said.get("label"))))
        pairs = _entries(part.get("pairwise_kappa"))
        if pairs and responses is not None:
            ours = kappas(responses)
            for said in pairs:
                yield from _of_pair(task, said, ours)


def _entries(value: Any) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _of_label(task: str, said: Mapping[str, Any], ours: Alpha | None) -> Iterator[StatedFact]:
    label = str(said.get("label"))
    if ours is None:
        yield StatedFact("agreement", task, label, "stated", "none", None, NOT_LOADED)
        return
    for name, what, own in (
        ("alpha", f"alpha of {label}", ours.value),
        ("pct_agreement", f"pairs that agree on {label}", ours.observed_agreement),
        ("n_items", f"units of {label} judged twice", ours.n_pairable),
        ("n_annotators", f"annotators of {label}", ours.n_annotators),
    ):
        if name in said:
            yield number_fact("agreement", task, what, said[name], own, ours.reason)


def _of_pair(task: str, said: Mapping[str, Any], ours: tuple[Kappa, ...]) -> Iterator[StatedFact]:
    """A kappa of two annotators; one of no named label can be compared by its shared units only."""
    names = sorted(str(said.get(name, "")) for name in ("annotator_a", "annotator_b"))
    pair = " and ".join(names)
    found = [one for one in ours if [one.annotator_a, one.annotator_b] == names]
    if not found:
        note = "no responses of these two were loaded"
        yield StatedFact("agreement", task, f"kappa of {pair}", "stated", "none", None, note)
        return
    label = said.get("label")
    of_label = next((one for one in found if one.label == label), None)
    what = f"kappa of {pair}" + (f" on {label}" if label is not None else "")
    n_shared = max(one.n_shared for one in found) if of_label is None else of_label.n_shared
    if of_label is not None:
        yield number_fact("agreement", task, what, said.get("kappa"), of_label.value, of_label.reason)
    elif "kappa" in said:
        values = [one.value for one in found if not np.isnan(one.value)]
        own = (
            f"{as_text(min(values))} to {as_text(max(values))} by label"
            if values
            else "undefined for every label"
        )
        note = NOT_LOADED if label is not None else "the report does not say of which label"
        yield StatedFact("agreement", task, what, as_text(said["kappa"]), own, None, note)
    if "n_shared_items" in said:
        what = f"units that {pair} share"
        yield number_fact("agreement", task, what, said["n_shared_items"], n_shared)


def number_fact(
    sidecar: Sidecar, task: str, what: str, stated: Any, ours: float, reason: str = ""
) -> StatedFact:
    """A stated number beside ours; NaN, or what is no number, is undefined.

    Examples
    --------
    >>> number_fact("agreement", "grounding", "alpha of helpful", 0.333, 1 / 3).is_same
    True
    """
    theirs = _number(stated)
    is_undefined = np.isnan(theirs), np.isnan(ours)
    is_same = all(is_undefined) or (not any(is_undefined) and abs(theirs - ours) <= TOLERANCE)
    own = as_text(ours) + (f" ({reason})" if reason and np.isnan(ours) else "")
    return StatedFact(sidecar, task, what, as_text(theirs), own, is_same)


def as_text(value: Any) -> str:
    """A number with the four digits that are compared, whole ones in full; ``undefined`` for what is none."""
    number = _number(value)
    if np.isnan(number):
        return "undefined"
    return f"{int(number):,}" if number == int(number) and number >= 0 else as_given(number, 4)


def _number(value: Any) -> float:
    """A number; NaN for what is none, and for one beyond all numbers, such as ``1e999`` in a report."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        return np.nan
    try:
        number = float(value)
    except OverflowError:
        return np.nan
    return number if np.isfinite(number) else np.nan
