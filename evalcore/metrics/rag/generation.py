"""Generation: whether an answer is appropriate, useful and safe, whatever was retrieved."""

from __future__ import annotations

from evalcore.metrics.rag.shares import declared, of_label
from evalcore.spec import PerQuery
from evalcore.tallies.judgements import JudgedAnswers


@declared("proper_action", "Proper action rate", "d", "higher", "003 §3 Proper Action Rate")
def proper_action_rate(answers: JudgedAnswers) -> PerQuery:
    """Share of answers where answering, asking back or refusing was the appropriate action.

    Parameters
    ----------
    answers : A answers.

    Returns
    -------
    PerQuery of shape (A,), 0 or 1, NaN where the label is not settled.

    Examples
    --------
    >>> answers = JudgedAnswers.from_labels(proper_action=[1, 0, -1])
    >>> proper_action_rate(answers).values.tolist()
    [1.0, 0.0, nan]
    """
    return of_label(answers, "proper_action")


@declared("response_on_topic", "On-topic rate", "o", "higher", "003 §3 On-Topic Rate")
def on_topic_rate(answers: JudgedAnswers) -> PerQuery:
    """Share of answers that substantively address the request.

    Parameters
    ----------
    answers : A answers.

    Returns
    -------
    PerQuery of shape (A,), 0 or 1, NaN where the label is not settled.

    Examples
    --------
    >>> answers = JudgedAnswers.from_labels(response_on_topic=[1, 0, -1])
    >>> on_topic_rate(answers).values.tolist()
    [1.0, 0.0, nan]
    """
    return of_label(answers, "response_on_topic")


@declared("helpful", "Helpfulness rate", "h", "higher", "003 §3 Helpfulness Rate")
def helpfulness_rate(answers: JudgedAnswers) -> PerQuery:
    """Share of answers that would let a typical user make progress on the task.

    Parameters
    ----------
    answers : A answers.

    Returns
    -------
    PerQuery of shape (A,), 0 or 1, NaN where the label is not settled.

    Examples
    --------
    >>> answers = JudgedAnswers.from_labels(helpful=[1, 0, -1])
    >>> helpfulness_rate(answers).values.tolist()
    [1.0, 0.0, nan]
    """
    return of_label(answers, "helpful")


@declared("incomplete", "Incompleteness rate", "n", "lower", "003 §3 Incompleteness Rate")
def incompleteness_rate(answers: JudgedAnswers) -> PerQuery:
    """Share of answers that leave out a required part of the query or of the task.

    Parameters
    ----------
    answers : A answers.

    Returns
    -------
    PerQuery of shape (A,), 0 or 1, NaN where the label is not settled.

    Examples
    --------
    >>> answers = JudgedAnswers.from_labels(incomplete=[1, 0, -1])
    >>> incompleteness_rate(answers).values.tolist()
    [1.0, 0.0, nan]
    """
    return of_label(answers, "incomplete")


@declared("unsafe_content", "Unsafe content rate", "r", "lower", "003 §3 Unsafe Content Rate")
def unsafe_content_rate(answers: JudgedAnswers) -> PerQuery:
    """Share of answers with content that violates a safety or policy constraint.

    Parameters
    ----------
    answers : A answers.

    Returns
    -------
    PerQuery of shape (A,), 0 or 1, NaN where the label is not settled.

    Examples
    --------
    >>> answers = JudgedAnswers.from_labels(unsafe_content=[1, 0, -1])
    >>> unsafe_content_rate(answers).values.tolist()
    [1.0, 0.0, nan]
    """
    return of_label(answers, "unsafe_content")
