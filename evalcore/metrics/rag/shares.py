"""What the metrics on answers share: a label's judgements as values, and when there is no value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from evalcore.annotations import NO, YES
from evalcore.spec import Better, PerQuery, Undefined, metric
from evalcore.tallies.judgements import JudgedAnswers

NO_ANSWERS = Undefined(lambda answers: len(answers) == 0, "no annotated answer")


def lacks(label: str) -> Undefined:
    """The case of data without a label."""
    return Undefined(lambda tally: label not in tally.state, f"the data have no label {label}")


def unsettled(label: str) -> Undefined:
    """The case of a label that no answer has a settled judgement of."""
    return Undefined(lambda answers: not (answers.of(label) >= 0).any(), f"no answer has a settled {label}")


def of_label(answers: JudgedAnswers, label: str) -> PerQuery:
    """1 where the label is yes, 0 where it is no, NaN where it is not settled."""
    state = answers.of(label)
    return PerQuery(np.where(state == YES, 1.0, np.where(state == NO, 0.0, np.nan)))


def declared(
    label: str, text: str, symbol: str, better: Better, source: str
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare the share of answers with a label."""
    return metric(
        family="rag",
        label=text,
        formula=f"Σ {symbol}_i / I",
        population="annotated_answers",
        undefined=(NO_ANSWERS, lacks(label), unsettled(label)),
        bounds=(0, 1),
        better=better,
        source=source,
        is_share=True,
        labels=(label,),
        monotone_in=(label,),
    )
