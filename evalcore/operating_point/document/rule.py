"""The rule that a document states, applied to scores: nothing but the document is used."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalcore.operating_point.tradeoff.thresholds import threshold_text
from evalcore.problems import SHOWN, InputError, problem

NEG, UNCERTAIN, POS, ERROR = "NEG", "UNCERTAIN", "POS", "ERROR"
_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)


@dataclass(frozen=True)
class Rule:
    """``p < tau_neg`` is NEG, ``p >= tau_pos`` is POS, the rest UNCERTAIN (document 002, 5.1).

    Parameters
    ----------
    tau_neg, tau_pos : thresholds, ``tau_neg <= tau_pos``; None empties the zone.
    low, high : range in which a score is valid, None without a limit.
    dtype : ``float64`` or ``float32``: the precision to which a score is rounded before it is compared.
    invalid_score : ``error`` (refuse the scores) or ``UNCERTAIN``.
    """

    tau_neg: float | None
    tau_pos: float | None
    low: float | None = None
    high: float | None = None
    dtype: str = "float64"
    invalid_score: str = "error"

    @staticmethod
    def from_document(document: Mapping[str, Any]) -> Rule:
        """The rule of a valid document."""
        rule, given = document["rule"], document["input"]
        low, high = given["range"]
        return Rule(
            _number(rule["tau_neg"]["value"]),
            _number(rule["tau_pos"]["value"]),
            _number(low),
            _number(high),
            dtype=given["dtype"],
            invalid_score=rule["invalid_score"],
        )

    def states(self, scores: ArrayLike) -> NDArray[np.str_]:
        """The state of each score: ``NEG``, ``UNCERTAIN`` or ``POS``; ``ERROR`` where it is no valid score.

        Parameters
        ----------
        scores : numbers of any shape.

        Returns
        -------
        Text array of the same shape.

        Examples
        --------
        >>> Rule(0.2, 0.8, 0, 1).states([0.1999, 0.2, 0.8, float("nan"), 1.5]).tolist()
        ['NEG', 'UNCERTAIN', 'POS', 'ERROR', 'ERROR']
        """
        with np.errstate(over="ignore"):
            p = np.asarray(scores, np.dtype(self.dtype)).astype(np.float64)
        states = np.full(p.shape, UNCERTAIN, dtype="<U9")
        if self.tau_neg is not None:
            states[p < self.tau_neg] = NEG
        if self.tau_pos is not None:
            states[p >= self.tau_pos] = POS
        states[~self.is_valid(p)] = UNCERTAIN if self.invalid_score == UNCERTAIN else ERROR
        return states

    @property
    def wanted(self) -> str:
        """What a valid score is, in words."""
        if self.low is None and self.high is None:
            return "a finite number"
        if self.low is None or self.high is None:
            limit = f"at least {threshold_text(self.low)}" if self.low is not None else f"at most {self.high}"
            return f"a finite number, {limit}"
        return f"a number from {threshold_text(self.low)} to {threshold_text(self.high)}"

    def is_valid(self, scores: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Whether each score is finite and within the range."""
        low = -math.inf if self.low is None else self.low
        high = math.inf if self.high is None else self.high
        return np.isfinite(scores) & (scores >= low) & (scores <= high)

    def vectors(self) -> list[dict[str, str]]:
        """Scores as text, each with its state: the thresholds, their neighbours, the ends, and no scores."""
        low, high = (0.0 if self.low is None else self.low), (1.0 if self.high is None else self.high)
        numbers = {low, (low + high) / 2, high}
        for tau in (self.tau_neg, self.tau_pos):
            if tau is not None:
                numbers |= {float(np.nextafter(tau, -np.inf)), tau, float(np.nextafter(tau, np.inf))}
        texts = [threshold_text(number) for number in sorted(numbers)] + ["NaN", "Infinity", "-Infinity"]
        return [{"p": text, "state": str(self.states(float(text)))} for text in texts]


def apply_rule(rule: Rule, scores: ArrayLike, *, column: str | None = None) -> NDArray[np.str_]:
    """The state of each score; scores that are none are named, and then nothing is returned.

    Parameters
    ----------
    rule : what to apply.
    scores : numbers of any shape, or texts that are numbers; None and empty text are no scores.
    column : name of the score, for messages.

    Returns
    -------
    Text array of the same shape: ``NEG``, ``UNCERTAIN``, ``POS``.

    Raises
    ------
    InputError : DOC-006 with every score that is none, unless the rule makes them UNCERTAIN.
    """
    given = _as_given(scores)
    states = rule.states(given if given.dtype.kind in "fiu" else _numbers(given))
    wrong = np.flatnonzero(states.ravel() == ERROR)
    numbered = [(at + 1, _text_of(given.ravel()[at])) for at in wrong[:SHOWN].tolist()]
    refuse_invalid(rule, numbered, len(wrong), column=column)
    return states


def refuse_invalid(
    rule: Rule, numbered: Sequence[tuple[int, str]], n: int, *, column: str | None, file: str | None = None
) -> None:
    """Name scores that are none.

    Parameters
    ----------
    rule : what was applied.
    numbered : the first of them, each the number of its row, from 1, and its text.
    n : how many there are.
    column, file : where they stand.

    Raises
    ------
    InputError : DOC-006, when there is one.
    """
    problems = [
        problem("DOC-006", file=file, column=column, row=row, found=_shown(text), expected=rule.wanted)
        for row, text in numbered
    ]
    if problems:
        raise InputError(problems, n_more=n - len(problems))


def _text_of(value: Any) -> str:
    try:
        return str(value)
    except ValueError:  # Python writes no whole number of thousands of digits
        return "a number beyond every score"


def _shown(text: str) -> str:
    return "an empty cell" if text.strip() in ("", "None") else text.strip()[:40]


def score_of(text: str) -> float:
    """The number that a text is in plain decimal notation; NaN for any other text.

    Examples
    --------
    >>> score_of(" 0.25 "), score_of("1e-3"), score_of("1_000"), score_of("")
    (0.25, 0.001, nan, nan)
    """
    return float(text) if _NUMBER.fullmatch(text) else math.nan


def _as_given(scores: ArrayLike) -> NDArray[Any]:
    """The scores as an array, none of them changed by its neighbours."""
    if isinstance(scores, np.ma.MaskedArray) and scores.dtype.kind not in "mM":
        given: NDArray[Any] = np.array(np.ma.getdata(scores), object)
        given[np.ma.getmaskarray(scores)] = None  # missing, whatever lies below the mask
        return given
    if hasattr(scores, "dtype"):
        return np.asarray(scores)
    # In a list, numpy would make a number of a bool beside numbers, and text of a number beside texts.
    return np.asarray(scores, object)


def _numbers(given: NDArray[Any]) -> NDArray[np.float64]:
    # As a list, times of some units are whole numbers; as objects they stay times or become such numbers.
    if given.dtype.kind in "mM":
        return np.full(given.shape, np.nan)
    return np.array([_number_of(value) for value in given.ravel().tolist()], np.float64).reshape(given.shape)


def _number_of(value: Any) -> float:
    if isinstance(value, str):
        return score_of(value)
    # numpy counts a length of time among its numbers.
    if isinstance(value, (bool, np.timedelta64)) or not isinstance(value, (int, float, np.number)):
        return math.nan
    try:
        return float(value)
    except (OverflowError, TypeError):  # a whole number beyond every float; a complex number
        return math.nan


def _number(value: float | None) -> float | None:
    return None if value is None else float(value) + 0.0  # + 0.0 makes −0 a plain 0
