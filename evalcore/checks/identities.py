"""What must hold between metrics of the same lists, whatever the data: ranges, first rank, K, counts.

A metric is named as others write it: ``recall@10``, ``recall_at_10``, ``Hit@1``, ``p@1``, ``TPR``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Any

import numpy as np

Key = tuple[str, int | None]

_SYNONYMS = {
    "p": "precision",
    "precision_k": "precision",
    "ppv": "precision",
    "hit": "hit_rate",
    "map_mingk": "map",
    "reciprocal_rank": "mrr",
    "tpr": "sensitivity",
    "true_positive_rate": "sensitivity",
    "screening_sensitivity": "sensitivity",
    "tnr": "specificity",
    "fpr": "false_positive_rate",
    "fnr": "false_negative_rate",
    "acc": "accuracy",
    "roc_auc": "auroc",
    "auc": "auroc",
    "pr_auc": "auprc",
    "average_precision": "auprc",
    "f1_score": "f1",
    "brier_score": "brier",
}
RATES = (
    *(
        "precision",
        "recall",
        "hit_rate",
        "mrr",
        "map",
        "ndcg",
        "sensitivity",
        "specificity",
        "auroc",
        "auprc",
    ),
    *(
        "false_positive_rate",
        "false_negative_rate",
        "accuracy",
        "balanced_accuracy",
        "f1",
        "npv",
        "ece",
        "mce",
    ),
    *("brier", "evidence_recall", "evidence_precision", "evidence_f1", "alert_precision", "exact_match"),
    *("hamming_loss", "hamming_score", "neg_rate", "uncertain_rate", "pos_rate", "prevalence", "neg_npv"),
)
_SAME = 1e-9
_AT_FIRST = ("precision", "hit_rate", "mrr", "ndcg")
_RISES = ("recall", "hit_rate", "mrr")
_BELOW_HIT = ("ndcg", "map", "mrr", "recall", "precision")
_AT_K = re.compile(r"(?P<name>[a-z0-9_]*?[a-z0-9])_?(?:@|at_)(?P<k>\d+)")


@dataclass(frozen=True)
class Relation:
    """What must hold between two metrics of the same lists.

    Parameters
    ----------
    rule : the rule it belongs to, a name of `RULES`.
    metric, other : metrics with their K.
    demand : ``equal``, ``at least`` or ``at most``: what the metric must be to the other.
    """

    rule: str
    metric: Key
    other: Key
    demand: str

    def is_broken(self, value: Any, other: Any) -> Any:
        """Whether values of the two, numbers or arrays, break it; what is undefined (NaN) breaks nothing."""
        above = np.asarray(value) - np.asarray(other)
        gap = {"equal": np.abs(above), "at least": -above, "at most": above}[self.demand]
        return gap > _SAME

    def expected(self, other: float) -> str:
        """What the metric should be, in words."""
        words = f"{other!r}, as {shown(*self.other)}"
        return words if self.demand == "equal" else f"{self.demand} {words}"


def metric_of(name: str) -> Key | None:
    """The metric and its K that a name means, or None for the name of anything else.

    >>> metric_of("Recall@10"), metric_of("hit_rate_at_1"), metric_of("TPR"), metric_of("queries_total")
    (('recall', 10), ('hit_rate', 1), ('sensitivity', None), None)
    """
    plain = re.sub(r"[\s\-]+", "_", name.strip().lower())
    at_k = _AT_K.fullmatch(plain)
    base, k = (at_k["name"], int(at_k["k"])) if at_k else (plain, None)
    if plain == "p":
        return None
    base = _SYNONYMS.get(base, base)
    return (base, k) if base in RATES else None


def shown(metric: str, k: int | None) -> str:
    """A metric with its K, as in a message.

    >>> shown("recall", 10)
    'recall@10'
    """
    return metric if k is None else f"{metric}@{k}"


def rounding(value: float) -> float:
    """How far a rate may be from what it was rounded from: half of its last decimal; 0 and 1 are exact.

    One decimal says nothing about rounding, since zeros at the end are not written: then it is half of 0.001.

    >>> rounding(0.5143), rounding(0.5), rounding(1.0)
    (5e-05, 0.0005, 0.0)
    """
    digits = -int(Decimal(repr(float(value))).as_tuple().exponent)
    return 0.0 if value in (0, 1) else 0.5 * 10.0 ** -(digits if digits >= 2 else 3)


def agree(value: float, exact: float, slack: float = 0.0) -> bool:
    """Whether a rate is another one, rounded; ``slack`` is how far that one may be off itself.

    >>> agree(0.5143, 0.5142857142857142), agree(0.515, 0.5142857142857142), agree(1.0, 0.9978)
    (True, False, False)
    """
    return abs(value - exact) <= rounding(value) + slack + _SAME


def is_rate(value: Any) -> Any:
    """Whether values, numbers or an array, lie from 0 to 1; what is undefined (NaN) does."""
    values = np.asarray(value)
    return ~((values < 0) | (values > 1 + _SAME))


def relations(keys: Iterable[Key]) -> Iterator[Relation]:
    """Every relation that must hold between some metrics.

    >>> [one.rule for one in relations([("recall", 5), ("recall", 10), ("hit_rate", 10)])]
    ['Rising in K', 'At most the hit rate']
    """
    known = list(keys)
    first = [(metric, 1) for metric in _AT_FIRST if (metric, 1) in known]
    for key in first[1:]:
        yield Relation("First rank", key, first[0], "equal")
    for metric in _RISES:
        ks = sorted(k for name, k in known if name == metric and k is not None)
        for low, high in pairwise(ks):
            yield Relation("Rising in K", (metric, high), (metric, low), "at least")
    for metric, k in known:
        is_equal = k == 1 and metric in _AT_FIRST
        if k is not None and metric in _BELOW_HIT and ("hit_rate", k) in known and not is_equal:
            yield Relation("At most the hit rate", (metric, k), ("hit_rate", k), "at most")


RULES = {
    "First rank": "P@1 = Hit@1 = MRR@1 = nDCG@1.",
    "Rising in K": "Recall, hit rate and MRR never fall where K rises.",
    "At most the hit rate": "Recall, precision, MRR, MAP and nDCG are at most the hit rate at the same K.",
}
