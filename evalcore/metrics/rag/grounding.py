"""Grounding: whether the retrieved context supports or contradicts what an answer claims and cites."""

from __future__ import annotations

import numpy as np

from evalcore.annotations import YES
from evalcore.metrics.rag.shares import NO_ANSWERS, declared, lacks, of_label
from evalcore.spec import PerQuery, Undefined, metric
from evalcore.tallies.judgements import JudgedAnswers


def _nothing_settled(answers: JudgedAnswers) -> bool:
    cites = answers.of("source_cited") == YES
    return not (cites & (answers.of("fabricated_source") >= 0)).any()


@declared("support_present", "Grounding presence rate", "g", "higher", "003 §2 Grounding Presence Rate")
def grounding_presence_rate(answers: JudgedAnswers) -> PerQuery:
    """Share of answers with at least one substantive claim that the retrieved context supports.

    One supported claim is enough: an answer may count here and hold unsupported claims too.

    Parameters
    ----------
    answers : A answers.

    Returns
    -------
    PerQuery of shape (A,), 0 or 1, NaN where the label is not settled.

    Examples
    --------
    >>> answers = JudgedAnswers.from_labels(support_present=[1, 0, -1])
    >>> grounding_presence_rate(answers).values.tolist()
    [1.0, 0.0, nan]
    """
    return of_label(answers, "support_present")


@declared(
    "unsupported_claim_present", "Unsupported claim rate", "v", "lower", "003 §2 Unsupported Claim Rate"
)
def unsupported_claim_rate(answers: JudgedAnswers) -> PerQuery:
    """Share of answers with at least one substantive claim that the context does not support.

    Parameters
    ----------
    answers : A answers.

    Returns
    -------
    PerQuery of shape (A,), 0 or 1, NaN where the label is not settled.

    Examples
    --------
    >>> answers = JudgedAnswers.from_labels(unsupported_claim_present=[1, 0, -1])
    >>> unsupported_claim_rate(answers).values.tolist()
    [1.0, 0.0, nan]
    """
    return of_label(answers, "unsupported_claim_present")


@declared("contradicted_claim_present", "Contradiction rate", "x", "lower", "003 §2 Contradiction Rate")
def contradiction_rate(answers: JudgedAnswers) -> PerQuery:
    """Share of answers with at least one claim that the retrieved context contradicts.

    Parameters
    ----------
    answers : A answers.

    Returns
    -------
    PerQuery of shape (A,), 0 or 1, NaN where the label is not settled.

    Examples
    --------
    >>> answers = JudgedAnswers.from_labels(contradicted_claim_present=[1, 0, -1])
    >>> contradiction_rate(answers).values.tolist()
    [1.0, 0.0, nan]
    """
    return of_label(answers, "contradicted_claim_present")


@declared("source_cited", "Citation presence rate", "z", "higher", "003 §2 Citation Presence Rate")
def citation_presence_rate(answers: JudgedAnswers) -> PerQuery:
    """Share of answers that carry any citation marker.

    It says nothing of whether the source exists: see `rag.conditional_fabrication_rate`.

    Parameters
    ----------
    answers : A answers.

    Returns
    -------
    PerQuery of shape (A,), 0 or 1, NaN where the label is not settled.

    Examples
    --------
    >>> answers = JudgedAnswers.from_labels(source_cited=[1, 0, -1])
    >>> citation_presence_rate(answers).values.tolist()
    [1.0, 0.0, nan]
    """
    return of_label(answers, "source_cited")


@metric(
    family="rag",
    label="Conditional fabrication rate",
    formula="Σ z_i·f_i / Σ z_i",
    population="citing_answers",
    undefined=(
        NO_ANSWERS,
        lacks("source_cited"),
        lacks("fabricated_source"),
        Undefined(lambda answers: not (answers.of("source_cited") == YES).any(), "no answer cites a source"),
        Undefined(_nothing_settled, "no settled fabricated_source where a source is cited"),
    ),
    bounds=(0, 1),
    better="lower",
    source="003 §2 Conditional Fabrication Rate",
    is_share=True,
    labels=("source_cited", "fabricated_source"),
)
def conditional_fabrication_rate(answers: JudgedAnswers) -> PerQuery:
    """Share of the answers that cite something in which at least one citation is fabricated.

    An answer that is said to fabricate a source and to cite none is a contradiction of the annotator: it does
    not enter. A system that cites rarely can reach 0 here; read it beside `rag.citation_presence_rate`.

    Parameters
    ----------
    answers : A answers.

    Returns
    -------
    PerQuery of shape (A,), 0 or 1, NaN for an answer that cites nothing and where a label is not settled.

    Examples
    --------
    >>> answers = JudgedAnswers.from_labels(source_cited=[1, 1, 0], fabricated_source=[1, 0, 1])
    >>> conditional_fabrication_rate(answers).values.tolist()
    [1.0, 0.0, nan]
    """
    cites = answers.of("source_cited") == YES
    return PerQuery(np.where(cites, of_label(answers, "fabricated_source").values, np.nan))
