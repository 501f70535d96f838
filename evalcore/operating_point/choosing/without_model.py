"""What is reached of a target by rules that use no score, and where these meet it."""

from __future__ import annotations

from dataclasses import dataclass

from evalcore.operating_point.constraints import NAMES, SENSITIVITY
from evalcore.operating_point.rules import EARLIER
from evalcore.operating_point.units import RowsInWords
from evalcore.operating_point.wording import capitalised, percent, percent_of

BEGINNING = "Met without the model: "
"""How the note begins on a target that a rule without scores meets."""
COIN = 0.5
"""What a coin for each check keeps, of whichever checks."""


@dataclass(frozen=True)
class WithoutModel:
    """A target on some rows beside what a rule reaches there that uses no score.

    Of screening sensitivity that is a draw of as many checks as the thresholds keep: it keeps the same share
    of those with evidence; or a coin for each check. Of alert precision it is an alert on every check.

    Parameters
    ----------
    metric, target : of the target.
    where : the rows in words.
    n_rows, n_positives : rows, and how many of them hold evidence.
    n_skipped : rows that the thresholds skip.
    """

    metric: str
    target: float
    where: str
    n_rows: int
    n_positives: int
    n_skipped: int

    @property
    def is_met(self) -> bool:
        """Whether such a rule meets the target; to skip nothing is no answer to what may be skipped."""
        if self.metric != SENSITIVITY:
            return self.n_positives / self.n_rows >= self.target
        return self.n_skipped > 0 and (self.target <= COIN or self._n_kept / self.n_rows >= self.target)

    @property
    def note(self) -> str | None:
        """The note on a claim; None where no such rule meets the target."""
        if not self.is_met:
            return None
        if self.metric != SENSITIVITY:
            return f"{BEGINNING}{self._alerts}."
        if self.target <= COIN:
            return f"{BEGINNING}a coin for each check keeps {percent(COIN)} of those with evidence."
        return f"{BEGINNING}{self._draw}."

    @property
    def sentence(self) -> str:
        """What is reached without scores, whether or not it meets the target."""
        aim = f"{NAMES[self.metric]} of at least {percent(self.target)}"
        if self.metric != SENSITIVITY:
            return f"Without the model, on {self.where}: {self._alerts}; the target is {aim}."
        least = f"{capitalised(aim)} takes {percent(self.target)} of the checks drawn at random"
        if self.n_skipped == 0:
            return f"Without the model, on {self.where}: nothing is skipped, which no score is needed for."
        return f"Without the model, on {self.where}: {self._draw}. {least}."

    @property
    def _n_kept(self) -> int:
        return self.n_rows - self.n_skipped

    @property
    def _draw(self) -> str:
        share = percent_of(self._n_kept, self.n_rows, target=self.target)
        drawn = f"{self._n_kept:,} of {self.n_rows:,} checks drawn at random"
        return f"{drawn} keep {share} of those with evidence on average"

    @property
    def _alerts(self) -> str:
        share = percent_of(self.n_positives, self.n_rows, target=self.target)
        return f"an alert on every check is right in {share} ({self.n_positives:,} of {self.n_rows:,})"


def without_model(rows: RowsInWords, metric: str, target: float, n_skipped: int) -> WithoutModel | None:
    """What is reached of a target without scores; None for another metric or in a document that says none.

    Parameters
    ----------
    rows : on which the target is judged.
    metric, target : of it.
    n_skipped : rows that the thresholds skip.
    """
    if rows.rules in EARLIER or metric not in NAMES:
        return None
    return WithoutModel(metric, target, rows.in_words, rows.n_rows, rows.n_positives, n_skipped)
