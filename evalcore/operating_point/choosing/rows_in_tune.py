"""Test rows that stand in tune too: counted and said, and left out where chance does not explain them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.operating_point.choosing.claims.judging import judge
from evalcore.operating_point.choosing.estimates import count
from evalcore.operating_point.constraints import NAMES, SENSITIVITY, Constraint, Thresholds
from evalcore.operating_point.test_rows.alike_rows import Both, stands_in_tune
from evalcore.operating_point.test_rows.rank_scores import PLACES, are_ranks, moved
from evalcore.operating_point.test_rows.repetition import LOOKS
from evalcore.operating_point.test_rows.row_sets import RowSet
from evalcore.operating_point.wording import counted

_NEAR = 25
"""Tune rows on each side of a score that say how often one there is like another by chance."""

_ROOTS = 4.0
"""Roots of the number that chance makes, by which more are still chance."""

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class RowsInTune:
    """What of a test stands in tune too, by score to its last digit, label and criterion.

    Parameters
    ----------
    n_rows : test rows.
    n : how many of them stand in tune too.
    expected : how many chance makes of such scores.
    n_left_out : of each target's metric, how many of its successes on test chance does not explain, as many
        as can be shown: rows changed by a hair and under renamed criteria as well.
    unconfirmed : metrics of the targets that test does not meet with confidence without them.
    """

    n_rows: int
    n: int
    expected: float
    n_left_out: dict[str, int]
    unconfirmed: tuple[str, ...]

    @staticmethod
    def from_json(entry: Mapping[str, Any], n_rows: int) -> RowsInTune:
        """The counts of a document's entry."""
        n_left_out = {metric: int(n) for metric, n in entry["left_out"].items()}
        unconfirmed = tuple(entry["unconfirmed_without"])
        return RowsInTune(n_rows, int(entry["found"]), float(entry["expected"]), n_left_out, unconfirmed)

    def entry(self) -> dict[str, Any]:
        """The counts as part of a document's ``selection``."""
        return {
            "found": self.n,
            "expected": round(self.expected, 1),
            "left_out": self.n_left_out,
            "unconfirmed_without": list(self.unconfirmed),
        }

    @property
    def sentence(self) -> str:
        """The counts in words."""
        said = (
            f"{self.n:,} of {self.n_rows:,} test rows stand in tune too by score to its last digit, label "
            f"and criterion, where chance makes about {self.expected:,.0f} if no tune row is the copy of "
            "another."
        )
        for metric, n in self.n_left_out.items():
            if n:
                name = NAMES.get(metric, metric)
                is_lost = metric in self.unconfirmed
                then = (
                    f"the target for {name} is not met with confidence"
                    if is_lost
                    else f"the verdict on {name} stays"
                )
                said += (
                    f" Without {counted(n, 'row')} that may be from tune, changed by a hair or renamed ones "
                    f"among them, {then}."
                )
        return said


def rows_in_tune(
    tune: RowSet, test: RowSet, constraints: Sequence[Constraint], thresholds: Thresholds
) -> RowsInTune:
    """Count test rows that stand in tune too, and judge every target without those that chance does not make.

    Copies of tune make a test larger and easier at once, for tune is where the thresholds were chosen. How
    often rows coincide by chance is taken from tune rows of other posts near each score; of ranks, from the
    same rows with the scores a few places further.

    Parameters
    ----------
    tune, test : rows with labels and scores.
    constraints : the targets.
    thresholds : as they stand.

    Source
    ------
    statistics.md, "Tune and test".
    """
    is_ranked = are_ranks(tune, test)
    looks = [_Look.of(tune, test, digits, has_criterion, is_ranked) for digits, has_criterion in LOOKS]
    every = np.ones(len(tune.queries), bool), np.ones(len(test.queries), bool)
    n_left_out: dict[str, int] = {}
    unconfirmed = []
    for constraint in constraints:
        of_metric = _cases(constraint.metric, thresholds)
        cases, successes = of_metric(test)
        tune_cases = of_metric(tune)[0]
        left_out = max((look.beyond_chance(tune_cases, cases, successes) for look in looks), key=np.sum)
        n_left_out[constraint.metric] = int(np.count_nonzero(left_out))
        is_all = not (cases & ~left_out).any()
        was_met = is_all or _is_met(constraint, test, np.ones(len(cases), bool), thresholds)
        if left_out.any() and was_met and not _is_met(constraint, test, ~left_out, thresholds):
            unconfirmed.append(constraint.metric)
    exact = looks[0]
    return RowsInTune(
        len(test.queries),
        int(np.count_nonzero(exact.is_in_tune)),
        float(exact.chance(*every).sum()),
        n_left_out,
        tuple(unconfirmed),
    )


def _is_met(constraint: Constraint, test: RowSet, rest: Mask, thresholds: Thresholds) -> bool:
    """Whether the rest of the test rows meets a target with confidence."""
    if not rest.any():
        return False
    counted = count(test.where(rest), thresholds.tau_neg, thresholds.tau_pos)
    return judge(constraint, counted) == "met_with_confidence"


@dataclass(frozen=True)
class _Look:
    """Rows of both sets that are alike in one way of looking at them.

    Parameters
    ----------
    score : of tune and of test.
    is_again : of each tune row, whether one of another tune post is alike.
    is_in_tune : of each test row, whether a tune row is alike.
    could_be : of each test row, whether tune holds its label and criterion.
    rarity : of each test row, how many rows of both sets are alike.
    post : of each test row, the code of its post.
    by_places : of ranks, the test rows that are in tune with scores a few places further; else empty.
    """

    score: tuple[NDArray[np.float64], NDArray[np.float64]]
    is_again: Mask
    is_in_tune: Mask
    could_be: Mask
    rarity: NDArray[np.intp]
    post: NDArray[np.intp]
    by_places: tuple[Mask, ...]

    @staticmethod
    def of(tune: RowSet, test: RowSet, digits: int | None, has_criterion: bool, is_ranked: bool) -> _Look:
        """The rows as `repetition` looks at them."""
        rows = Both.every(tune, test, digits=digits, has_criterion=has_criterion)
        key, post = rows.key[~rows.is_test], rows.post[~rows.is_test]
        n_posts = np.bincount(np.unique(np.stack([key, post]), axis=1)[0], minlength=int(rows.key.max()) + 1)
        by_places = [
            stands_in_tune(Both.every(tune, moved(test, at), digits=digits, has_criterion=has_criterion))
            for at in (PLACES if is_ranked else ())
        ]
        return _Look(
            (tune.queries.score, test.queries.score),
            n_posts[key] > 1,
            stands_in_tune(rows),
            np.isin(rows.stratum[rows.is_test], rows.stratum[~rows.is_test]),
            np.bincount(rows.key)[rows.key[rows.is_test]],
            rows.post[rows.is_test],
            tuple(by_places),
        )

    def chance(self, tune: Mask, test: Mask) -> NDArray[np.float64]:
        """How likely each of these test rows is in tune by chance, as tune rows near it are there again."""
        score = self.score[0][tune]
        order = np.argsort(score, kind="stable")
        n_again = np.concatenate([[0], np.cumsum(self.is_again[tune][order])])
        at = self.score[1][test]
        first = np.maximum(np.searchsorted(score[order], at, "left") - _NEAR, 0)
        last = np.minimum(np.searchsorted(score[order], at, "right") + _NEAR, len(order))
        near = np.asarray((n_again[last] - n_again[first]) / np.maximum(last - first, 1), np.float64)
        near = np.where(self.could_be[test], near, 0.0)
        if not self.by_places:
            return near
        return np.asarray(np.maximum(near, np.mean([one[test] for one in self.by_places], axis=0)))

    def beyond_chance(self, tune: Mask, cases: Mask, successes: Mask) -> Mask:
        """The test rows of a metric's successes that are more than chance makes, the rarest first."""
        found = self.is_in_tune & cases
        expected = float(self.chance(tune, cases).sum())
        # Rows of one post come together: a post's score that all its rows have coincides for all of them.
        n_of_post = np.bincount(self.post[found]).astype(np.float64)
        together = float(np.sum(n_of_post**2)) / max(float(np.sum(n_of_post)), 1.0)
        n = int(np.count_nonzero(found) - expected - _ROOTS * ((expected + 1) * max(together, 1.0)) ** 0.5)
        at = np.flatnonzero(found & successes)
        chosen = at[np.argsort(self.rarity[at], kind="stable")[: max(n, 0)]]
        left_out = np.zeros(len(found), bool)
        left_out[chosen] = True
        return left_out


def _cases(metric: str, thresholds: Thresholds) -> Callable[[RowSet], tuple[Mask, Mask]]:
    """Of rows, which are cases of a metric, and which of these are its successes."""

    def of(rows: RowSet) -> tuple[Mask, Mask]:
        score, is_positive = rows.queries.score, np.asarray(rows.queries.has_evidence, bool)
        if metric == SENSITIVITY:
            low = -np.inf if thresholds.tau_neg is None else thresholds.tau_neg
            return is_positive, is_positive & (score >= low)
        is_alert = score >= (np.inf if thresholds.tau_pos is None else thresholds.tau_pos)
        return is_alert, is_alert & is_positive

    return of
