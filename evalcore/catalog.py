"""The catalogue: every metric module in display order, and the texts made from the declarations."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterable
from difflib import get_close_matches
from importlib import import_module

from evalcore import spec
from evalcore.problems import InputError, problem
from evalcore.spec import Metric, Place, Undefined

MODULES = (
    "classification.discrimination",
    "classification.at_threshold",
    "calibration.errors",
    "calibration.fits",
    "gate",
    "ranking",
    "extraction",
    "multilabel",
    "rag.retrieval",
    "rag.grounding",
    "rag.generation",
    "recommender.accuracy",
    "recommender.areas",
    "recommender.ratings",
    "recommender.coverage",
    "recommender.novelty",
    "recommender.diversity",
    "recommender.bias",
    "recommender.fairness",
    "recommender.disparity",
    "recommender.deviations",
    "recommender.objectives",
)
CLOSE = 0.65
"""How alike a name must be to be suggested: at difflib's own 0.6, `neg_rat` is close to `ndcg_at_k`."""
__all__ = ["METRICS", "caution", "describe", "facts", "find", "of_family", "shown_at"]

for _module in MODULES:
    import_module(f"evalcore.metrics.{_module}")

_PLACE = {f"evalcore.metrics.{module}": at for at, module in enumerate(MODULES)}
for _one in sorted(spec.METRICS.values(), key=lambda one: _PLACE.get(one.function.__module__, len(_PLACE))):
    spec.METRICS[_one.key] = spec.METRICS.pop(_one.key)

METRICS = spec.METRICS
"""Key → metric, in display order, whoever imported a module first; what is declared later stands last."""


def find(name: str, kinds: Collection[str] = ()) -> Metric:
    """The metric with this key (``gate.neg_rate``) or, where it is the only one, this name.

    Parameters
    ----------
    name : a key, or a name alone.
    kinds : kinds of tally; a name of several metrics is that of the only one of these kinds.

    Raises
    ------
    InputError : OPT-004, with the closest names.
    """
    if name in METRICS:
        return METRICS[name]
    named = [m for m in METRICS.values() if m.name == name]
    of_kinds = [m for m in named if m.tally in kinds]
    for only in (named, of_kinds):
        if len(only) == 1:
            return only[0]
    known = [*METRICS, *(m.name for m in METRICS.values())]
    close = [m.key for m in named] or get_close_matches(name, known, cutoff=CLOSE)
    hint = f"Do you mean {' or '.join(close)}?" if close else ""
    raise InputError([problem("OPT-004", found=name, close=hint)])


def of_family(family: str) -> tuple[Metric, ...]:
    """The metrics of a family: first those that its pages show first, each part in display order."""
    return _headlines_first(metric for metric in METRICS.values() if metric.family == family)


def shown_at(place: Place) -> tuple[Metric, ...]:
    """The metrics that a place shows by default, in the order of `of_family`."""
    return _headlines_first(metric for metric in METRICS.values() if place in metric.headline)


def _headlines_first(metrics: Iterable[Metric]) -> tuple[Metric, ...]:
    return tuple(sorted(metrics, key=lambda metric: "family" not in metric.headline))


def facts(metric: Metric) -> dict[str, str]:
    """What a reader wants to know of a metric, name → text; names of the code stand in backticks."""
    low, high = (f"{bound:g}".replace("inf", "∞").replace("-", "−") for bound in metric.bounds)
    reasons = [*map(_undefined, metric.undefined), *metric.otherwise]
    direction = {"higher": "higher is better", "lower": "lower is better"}
    return {
        "Formula": f"`{metric.formula}`",
        "Population": ", ".join(f"`{name}`" for name in metric.population),
        "Parameters": ", ".join(f"`{name}`" for name in metric.params) or "none",
        "Range": f"{low} to {high}, {direction.get(metric.better, 'neither direction is better')}",
        "Undefined": "; ".join(filter(None, reasons)) or "never",
        "Variants": "; ".join(f"`{name}`: {meaning}" for name, meaning in metric.variants.items()) or "none",
        "Source": metric.source,
    }


def caution(metric: Metric) -> str:
    """What the docstring says between summary and sections, such as where the metric misleads."""
    before_sections = (inspect.getdoc(metric.function) or "").partition("\n\nParameters\n")[0]
    return before_sections.partition("\n\n")[2].strip()


def describe(metric: Metric) -> str:
    """One metric's facts as Markdown, under its key as heading."""
    lines = [f"### `{metric.key}`", "", f"**{metric.label}.** {metric.summary}", ""]
    lines += [caution(metric), ""] if caution(metric) else []
    return "\n".join([*lines, *(f"- {name}: {text}" for name, text in facts(metric).items()), ""])


def _undefined(case: Undefined) -> str:
    return case.reason if case.variant is None else f"{case.reason} (`{case.variant}`)"
