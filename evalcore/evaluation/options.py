"""What the user asked for, checked once."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from evalcore.data import OF_ROWS, Data, ScoreKind
from evalcore.evaluation.groups import cluster_columns, unknown_columns
from evalcore.evaluation.parameters import expected_of, parameters
from evalcore.kernels.policy import Policy
from evalcore.metrics.ranking import check_k
from evalcore.problems import InputError, Problem, problem
from evalcore.settings import too_many_replicates
from evalcore.spec import METRICS, Metric

FEWEST = 100
"""Fewer replicates have no tail to speak of."""
NO_ALERTS = math.nextafter(1, 2)
"""A τ_pos that no probability reaches."""


Setting = bool | int | float | str | tuple[str | float, ...] | None
"""A parameter of a metric, of a kind that a saved report keeps."""

OF_UNITS = {"tables": (*OF_ROWS["tables"], "annotations")}
OF_ANNOTATIONS = {"tables": ("annotations",), "empty": "all"}
"""Metadata: the tables that an option says something of, where not of all, and how an empty one is told."""


@dataclass(frozen=True)
class Options:
    """What the user asked for; part of every report.

    Parameters
    ----------
    by : columns to break down by; each alone and, where there are several, all together.
    ks : cut-offs K; the whole list is always reported beside them.
    fprs : false-positive budgets in [0, 1].
    tau_neg, tau_pos : the gate, or None to take the file's own thresholds.
    undefined : ``nan``, or ``contract`` for the fill values of document 000 §5.
    ties : order of tied candidates, ``trec``, ``stable`` or ``expected``.
    policy : how many candidates a dynamic K selects, to be simulated on scored lists; None simulates nothing.
    bootstrap : how many replicates give the intervals of what is no share near 0 or 1; 0: these have none.
    seed : of the replicates, a whole number from 0 on.
    annotators : whose responses count (task ``rag``); none named: everybody's.
    cluster : the column whose groups are drawn together; None: posts, or rows where there are none.
    pop_ratio : share of the interactions that the head of a catalogue reaches (task ``recommender``).
    metrics : keys of the metrics that are computed; none: all.
    settings : further settings of metrics beside their usual one: (key of a metric, its parameters as pairs).
    """

    by: tuple[str, ...] = ()
    ks: tuple[int, ...] = (1, 3, 5, 10, 20)
    fprs: tuple[float, ...] = field(metadata=OF_ROWS, default=(0.01, 0.03, 0.05, 0.1))
    tau_neg: float | None = field(metadata=OF_ROWS, default=None)
    tau_pos: float | None = field(metadata=OF_ROWS, default=None)
    undefined: str = "nan"
    ties: str = field(metadata=OF_ROWS, default="trec")
    policy: Policy | None = field(metadata=OF_ROWS, default=None)
    bootstrap: int = 0
    seed: int = 0
    cluster: str | None = field(metadata=OF_UNITS, default=None)
    annotators: tuple[str, ...] = field(metadata=OF_ANNOTATIONS, default=())
    pop_ratio: float = field(metadata={"tables": ("recommendations",)}, default=0.8)
    metrics: tuple[str, ...] = field(metadata={"empty": "all"}, default=())
    settings: tuple[tuple[str, tuple[tuple[str, Setting], ...]], ...] = ()

    def asks_for(self, kind: type) -> bool:
        """Whether a metric of a kind of tally is asked for."""
        return not self.metrics or any(METRICS[key].kind is kind for key in self.metrics)

    def settings_of(self, metric: Metric) -> Iterator[dict[str, Any]]:
        """Further settings in which a metric is asked for."""
        return (dict(given) for key, given in self.settings if key == metric.key)


def checked(data: Data, options: Options) -> Options:
    """The options with every K and column named once.

    Raises
    ------
    InputError
        With every illegal option.
    """
    by = tuple("criterion" if name == "criterion_id" else name for name in options.by)
    options = replace(options, by=by)
    problems = [*illegal(options, data.score_kind), *unknown_columns(data, options.by)]
    problems += _unknown_annotators(data, options.annotators)
    clusters = cluster_columns(data)
    if options.cluster is not None and options.cluster not in clusters:
        expected = f"one of {', '.join(clusters)}"
        if data.annotations is not None:
            expected = f"a column with one value a query ({', '.join(clusters) or 'there is none'})"
        problems.append(problem("OPT-003", name="cluster", found=options.cluster, expected=expected))
    if problems:
        raise InputError(problems)
    ks = dict.fromkeys(k for k in map(check_k, options.ks) if k is not None)
    return replace(options, ks=tuple(ks), by=tuple(dict.fromkeys(options.by)))


def illegal(options: Options, score_kind: ScoreKind) -> list[Problem]:
    """What options may not be, whatever data of this kind of score they are for."""
    problems: list[Problem] = []
    for k in options.ks:
        try:
            check_k(k)
        except InputError as error:
            problems.extend(error.problems)
    problems += [
        problem("OPT-003", name="FPR", found=fpr, expected="a share from 0 to 1")
        for fpr in options.fprs
        if not 0 <= fpr <= 1
    ]
    if (options.tau_neg is None) != (options.tau_pos is None):
        problems.append(problem("OPT-005"))
    elif options.tau_neg is not None and options.tau_pos is not None:
        taus = {"τ_neg": options.tau_neg, "τ_pos": options.tau_pos}
        problems += [
            problem("OPT-003", name=name, found=tau, expected="a finite number")
            for name, tau in taus.items()
            if not math.isfinite(tau)
        ]
        problems += [
            problem("OPT-003", name=name, found=tau, expected="a probability from 0 to 1")
            for name, tau in taus.items()
            if score_kind == "probability" and math.isfinite(tau) and not 0 <= tau <= NO_ALERTS
        ]
        if options.tau_neg > options.tau_pos:
            problems.append(problem("OPT-002", tau_neg=options.tau_neg, tau_pos=options.tau_pos))
    problems += too_many_replicates({"bootstrap": options.bootstrap})
    for name, number, least in (("bootstrap", options.bootstrap, FEWEST), ("seed", options.seed, 0)):
        is_whole = isinstance(number, int) and not isinstance(number, bool)
        if not is_whole or (number < least and number != 0):
            expected = f"0, or a whole number from {least} on" if least else "a whole number from 0 on"
            problems.append(problem("OPT-003", name=name, found=number, expected=expected))
    is_number = isinstance(options.pop_ratio, int | float) and not isinstance(options.pop_ratio, bool)
    if not is_number or not 0 < options.pop_ratio <= 1:
        expected = "a share above 0, at most 1"
        problems.append(problem("OPT-003", name="pop_ratio", found=options.pop_ratio, expected=expected))
    problems += [problem("OPT-004", found=name, close="") for name in options.metrics if name not in METRICS]
    problems += _wrong_settings(options)
    for name, found, legal in (
        ("undefined", options.undefined, ("nan", "contract")),
        ("ties", options.ties, ("trec", "stable", "expected")),
    ):
        if found not in legal:
            problems.append(problem("OPT-003", name=name, found=found, expected=" or ".join(legal)))
    return problems


def _wrong_settings(options: Options) -> Iterator[Problem]:
    """Further settings of metrics that there are not, or of parameters or types that these do not take."""
    for key, given in options.settings:
        metric = METRICS.get(key)
        if metric is None:
            yield problem("OPT-004", found=key, close="")
            continue
        for name, value in given:
            own = [one for one in metric.params if one in parameters(metric) and one != "k"]
            words = f"one of {', '.join(own) or 'none'}" if name not in own else None
            expected = words or expected_of(metric, name, value)
            if expected is not None:
                found = name if words is not None else value
                yield problem("OPT-003", name=f"{metric.name}, {name}", found=found, expected=expected)


def _unknown_annotators(data: Data, annotators: tuple[str, ...]) -> list[Problem]:
    """Annotators of whom no file has a response."""
    responses = () if data.annotations is None else data.annotations.responses.values()
    named = dict.fromkeys(str(name) for part in responses for name in part.annotator_ids)
    expected = f"one of {', '.join(named)}" if named else "none, as no file names annotators"
    return [
        problem("OPT-003", name="annotators", found=name, expected=expected)
        for name in annotators
        if name not in named
    ]
