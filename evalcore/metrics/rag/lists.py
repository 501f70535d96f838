"""What the metrics on retrieved lists share: variants, when there is no value, and which queries enter."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.annotations import NO, YES
from evalcore.kernels.gains import WHOLE_LIST, Values, Weight, discount, ideal_dcg, in_top, totals
from evalcore.metrics.rag.shares import lacks
from evalcore.problems import InputError, problem
from evalcore.spec import Better, Undefined, metric
from evalcore.tallies.judgements import Panels

RATE_VARIANTS = {
    "present": "divides by the chunks within the cut-off whose label is settled",
    "k": "divides by K, as the document prints; by the length of the list when K is the whole list",
}
HIT_VARIANTS = {
    "default": "a query for which nothing was retrieved counts 0",
    "retrieved_only": "queries for which nothing was retrieved do not enter",
}
NDCG_VARIANTS = {
    "within_list": "ideal of the grades within the retrieved list; a query without a relevant chunk counts 0",
    "all_judged": "ideal of every judged chunk, retrieved or not, cut at K; without a relevant chunk 0",
    "defined_only": "ideal within the list; queries without a relevant chunk do not enter",
    "retrieved_only": "ideal within the list; queries for which nothing was retrieved do not enter",
}
NO_QUERIES = Undefined(lambda panels: len(panels) == 0, "no query with annotated chunks")
NO_PANELS = Undefined(
    lambda panels: not panels.is_used.any(), "no query whose first K chunks are all annotated"
)


def _nothing_known(*labels: str, variant: str | None = None) -> Undefined:
    """No query that enters has a settled label (or grade), nor an empty list that counts 0."""

    def holds(panels: Panels) -> bool:
        is_known = is_settled(panels, *labels) & panels.is_listed & panels.is_used[panels.query]
        counts_0 = panels.is_used & (panels.n_listed == 0) & (variant is None)
        return not is_known.any() and not counts_0.any()

    named = " and ".join(labels)
    reason = f"no settled {named} in these lists" if variant is None else f"nothing with a settled {named}"
    return Undefined(holds, reason, variant)


def _no_relevant(panels: Panels) -> bool:
    return not (gains(panels)[panels.is_listed & panels.is_used[panels.query]] > 0).any()


def _remark(panels: Panels, *labels: str, variants: Mapping[str, str], variant: str) -> str:
    """How many queries a rule of the variant decides: short or empty lists, lists with nothing relevant."""
    empty_counts = variant == "k" if variants is RATE_VARIANTS else variant != "retrieved_only"
    is_in = enters(panels, *labels, empty_counts=empty_counts)
    n, told = int(is_in.sum()), []
    if variants is RATE_VARIANTS and panels.k is not None:
        told.append((int((is_in & (panels.n_listed < panels.k)).sum()), f"shorter than K = {panels.k}"))
    if variants is not RATE_VARIANTS and empty_counts:
        told.append((int((is_in & (panels.n_listed == 0)).sum()), "without a retrieved chunk, counted 0"))
    if variants is NDCG_VARIANTS:
        relevant = (gains(panels) > 0) & (panels.is_listed | (variant == "all_judged"))
        rule = "not counted" if variant == "defined_only" else "counted 0"
        told.append(
            (int((is_in & (panels.per_query(relevant) == 0)).sum()), f"without a relevant chunk, {rule}")
        )
    remarks = [f"{count:,} of {n:,} queries {what}" for count, what in told if count]
    n_empty = 0 if empty_counts else int((panels.is_used & (panels.n_listed == 0)).sum())
    if n_empty:
        queries = "query" if n_empty == 1 else "queries"
        remarks.append(f"{n_empty:,} {queries} without a retrieved chunk, not counted")
    return "; ".join(remarks)


def declared(
    label: str,
    formula: str,
    better: Better,
    title: str,
    variants: Mapping[str, str],
    *labels: str,
    is_share: bool = False,
    is_monotone: bool = True,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    left_out = "present" if variants is RATE_VARIANTS else "retrieved_only"
    undefined: tuple[Undefined, ...] = (NO_QUERIES, *map(lacks, labels), NO_PANELS)
    undefined += (_nothing_known(*labels), _nothing_known(*labels, variant=left_out))
    if variants is NDCG_VARIANTS:
        no_relevant = "no list with a relevant chunk"
        undefined += (Undefined(_no_relevant, no_relevant, "defined_only"),)

    def remark(panels: Panels, *, variant: str = next(iter(variants))) -> str:
        return _remark(panels, *labels, variants=variants, variant=variant)

    return metric(
        family="rag",
        label=label,
        formula=formula,
        population="annotated_queries",
        undefined=undefined,
        bounds=(0, 1),
        better=better,
        source=f"003 §1 {title}",
        variants=variants,
        params=("k",),
        remark=remark,
        is_share=is_share,
        labels=labels,
        monotone_in=labels if is_monotone else (),
    )


def known(variant: str, variants: Mapping[str, str]) -> str:
    if variant not in variants:
        expected = f"one of {', '.join(variants)}"
        raise InputError([problem("OPT-003", name="variant", found=repr(variant), expected=expected)])
    return variant


def is_settled(panels: Panels, *labels: str) -> NDArray[np.bool_]:
    """Whether a chunk's label is settled or, of two labels, its grade: sufficient, or settled in both."""
    if len(labels) == 1:
        return np.asarray(panels.of(labels[0]) >= 0)
    relevant, sufficient = panels.of("topically_relevant"), panels.of("evidence_sufficient")
    return np.asarray((sufficient == YES) | ((sufficient == NO) & (relevant >= 0)))


def enters(panels: Panels, *labels: str, empty_counts: bool) -> NDArray[np.bool_]:
    """Queries of complete panels with anything settled, and those with empty lists where these count."""
    n_settled = panels.per_query(is_settled(panels, *labels) & panels.is_listed)
    has_labels = all(label in panels.state for label in labels)
    is_empty = (panels.n_listed == 0) & empty_counts
    return np.asarray(panels.is_used & ((n_settled > 0) | is_empty) & has_labels)


def gains(panels: Panels) -> Values:
    """2^w − 1 of each chunk: 3 if sufficient, 1 if relevant only, else 0; NaN without a settled grade."""
    relevant, sufficient = panels.of("topically_relevant"), panels.of("evidence_sufficient")
    gain = np.where(sufficient == YES, 3.0, np.where(relevant == YES, 1.0, 0.0))
    return np.where(is_settled(panels, "topically_relevant", "evidence_sufficient"), gain, np.nan)


def worth(panels: Panels, mask: NDArray[np.bool_], weight: Weight) -> Values:
    """The weight of the places of the chunks of a mask within the cut-off, 0 of all others; shape (C,)."""
    place = np.where(mask & panels.is_listed, panels.rank, 0)
    return in_top(place, WHOLE_LIST if panels.k is None else panels.k, weight)


def dcg(panels: Panels, gain: Values) -> Values:
    """DCG of the list as it is, shape (Q,); a chunk without a gain is left out, ranks stay."""
    has_gain = ~np.isnan(gain)
    gained = np.where(has_gain, gain, 0.0) * worth(panels, has_gain, discount)
    return totals(panels.query, gained, len(panels))


def best_dcg(panels: Panels, gain: Values, mask: NDArray[np.bool_]) -> Values:
    """DCG of the chunks of a mask, best first, cut at K."""
    query, gain = panels.query[mask], gain[mask]
    order = np.argsort(4 * query + (3 - gain.astype(np.intp)), kind="stable")  # gains are 3, 1 and 0
    return ideal_dcg(query[order], gain[order], len(panels), WHOLE_LIST if panels.k is None else panels.k)
