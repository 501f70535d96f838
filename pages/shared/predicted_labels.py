"""Predicted labels beside human ones: what both together say of all units."""

import math
from collections.abc import Iterable

import streamlit as st

from evalcore.annotations import Annotations, PredictedLabels, RagTask, Responses
from evalcore.predicted import Quality, ShareEstimate, label_pairs, quality, share_estimates
from evalcore.tallies.judgements.settled import settled
from pages.shared import annotated, session, widgets
from pages.shared.memo import remember

METHODS = {
    "human": "people",
    "predicted": "predicted",
    "mean_predicted": "mean probability",
    "rogan_gladen": "corrected (Rogan–Gladen)",
    "prediction_powered": "prediction-powered",
}


def compared(
    annotations: Annotations, responses: Responses, predicted: PredictedLabels, label: str
) -> tuple[Quality, tuple[ShareEstimate, ...]]:
    """How well a classifier predicts a label, and the share of units with it by every method."""
    found = settled(responses)
    pairs = label_pairs(
        predicted,
        label,
        annotations.record_ids,
        record=found.record,
        said=found.labels[label],
        chunk_id=found.chunk_id,
    )
    return quality(pairs), share_estimates(pairs, n_replicates=annotated.B)


def show_predicted(annotations: Annotations, tasks: Iterable[RagTask]) -> None:
    """Predicted labels of these tasks beside human ones; nothing where the data hold none."""
    for at, predicted in enumerate(annotations.predictions):
        responses = annotations.responses.get(predicted.task)
        if predicted.task not in tasks or responses is None:
            continue
        kind = "probabilities" if predicted.is_probability else "calls"
        st.subheader(f"Predicted labels ({kind})")
        labels = [label for label in predicted.labels if label in responses.labels]
        key = (session.annotated().key, at)
        found = remember(
            "rag_predicted",
            key,
            lambda responses=responses, predicted=predicted, labels=labels: {  # type: ignore[misc]
                label: compared(annotations, responses, predicted, label) for label in labels
            },
        )
        lines = [line for label, (_, shares) in found.items() for line in share_lines(label, shares)]
        widgets.table(("label", "share by", "value", "95 % interval", "units", "remark"), lines)
        with st.expander("How well people are predicted"):
            widgets.table(
                ("label", "both labels", "sensitivity", "specificity", "precision", "F1", "AUROC"),
                [quality_line(label, one) for label, (one, _) in found.items()],
            )
        widgets.plain(
            "The corrected and the prediction-powered share hold if the units that people judged are a "
            "random sample of all that were predicted; of a chosen round they need not hold.",
            is_quiet=True,
        )


def share_lines(label: str, shares: Iterable[ShareEstimate]) -> list[list[str]]:
    """One line for each method."""
    return [
        [
            label,
            METHODS[one.method],
            annotated.value_text(one.value),
            "n/a" if math.isnan(one.low) else f"{one.low:.3f} to {one.high:.3f}",
            f"{one.n_human:,} judged of {one.n:,}",
            one.reason or one.note,
        ]
        for one in shares
    ]


def quality_line(label: str, one: Quality) -> list[str]:
    """Rates with their counts."""
    rates = [
        "n/a" if not rate.n else f"{rate.value:.2f} ({rate.successes:,} of {rate.n:,})"
        for rate in (one.sensitivity, one.specificity, one.precision)
    ]
    return [label, f"{one.n:,}", *rates, *map(annotated.value_text, (one.f1, one.auroc))]
