"""Scored rows with their units: one row per post, criterion and model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from evalcore.data import Data, Queries
from evalcore.problems import Problem, problem
from evalcore.rows import order_of, taken
from evalcore.settings import Settings
from evalcore.tallies import flaws
from evalcore.tallies.flaws import Flaws, kept_as
from evalcore.tallies.levels import Codes, merged_columns, narrowed, reordered
from evalcore.tallies.units import Mask, UnitRows

NUMBERS = ("tau_neg", "tau_pos", "selected_k", "n_candidates")
"""Columns of numbers that values rest on."""


@kept_as("queries")
@dataclass(frozen=True, eq=False, kw_only=True)
class UnitScores(UnitRows):
    """Scored rows of all models: one row per post, criterion and model.

    Parameters
    ----------
    has_evidence, score, model, models : as of `evalcore.data.Queries`, shape (N,).
    numbers : the file's own thresholds, numbers selected and lengths of lists, NaN where a row has none.
    first_row : int64, shape (M,), the data row in which each model is first named.
    """

    is_of_rows: ClassVar[bool] = True

    has_evidence: Mask
    score: NDArray[np.float64]
    model: Codes
    models: tuple[str, ...]
    numbers: Mapping[str, NDArray[np.float64]]
    first_row: NDArray[np.int64]

    def take(self, at: Codes) -> UnitScores:
        """The rows at these places, in their order."""
        return taken(super().take(at), ("has_evidence", "score", "model", "numbers"), at)

    def merge(self, *others: UnitScores) -> UnitScores:
        """These rows followed by those of other parts of the input."""
        parts = (self, *others)
        model, models = merged_columns(*((one.model, one.models) for one in parts))
        first_row = np.full(len(models), np.iinfo(np.int64).max)
        for part in parts:
            at = [models.index(name) for name in part.models]
            first_row[at] = np.minimum(first_row[at], part.first_row)
        if any(one.models != models for one in parts):
            order = np.argsort(first_row, kind="stable")
            model, models = reordered((model, models), order.tolist())
            first_row = first_row[order]
        return replace(
            super().merge(*others),
            has_evidence=np.concatenate([one.has_evidence for one in parts]),
            score=np.concatenate([one.score for one in parts]),
            model=model,
            models=models,
            numbers={
                name: np.concatenate([_numbers(one, name) for one in parts])
                for name in dict.fromkeys(chain(*(one.numbers for one in parts)))
            },
            first_row=first_row,
        )

    def ordered(self) -> UnitScores:
        """The same rows in the one order that all parts together have: units, posts, levels, models."""
        found = replace(self.named_in_order(), model=narrowed((self.model, self.models))[0])
        key = found.query_key()
        if len(self.models) > 1:
            key *= len(self.models)
            key += found.model
        return found.take(order_of(key))

    def torn(self) -> Iterator[Problem]:
        """Of rows in their one order: queries that a model has twice, and those with two labels."""
        same_query = _as_before(self.post) & _as_before(self.criterion)
        n_repeated = int(np.count_nonzero(same_query & _as_before(self.model)))
        n_unlike = int(np.count_nonzero(same_query & ~_as_before(self.has_evidence)))
        if n_repeated:
            yield problem("QRY-242", n=n_repeated)
        if n_unlike:
            yield problem("QRY-241", n=n_unlike)

    def flaws(self, data: Data) -> Flaws:
        """What does not agree in rows that were opened; ``data`` is what is known of the input."""
        n, high = len(self), 1 if data.score_kind == "probability" else np.inf
        yield from self.flaws_of_units()
        yield from flaws.flags("has_evidence", self.has_evidence, n)
        yield from flaws.numbers("score", self.score, n, low=0 if high == 1 else -np.inf, high=high)
        yield from flaws.levels("models", self.models)
        yield from flaws.codes("model", self.model, n, len(self.models))
        yield from flaws.rows("first_row", self.first_row, len(self.models))
        yield from flaws.unless(set(self.numbers) <= set(NUMBERS), "numbers", "others", f"some of {NUMBERS}")
        wrong = [
            flaw
            for name, values in self.numbers.items()
            for flaw in flaws.numbers(f"numbers/{name}", values, n, may_lack=True)
        ]
        yield from wrong
        if not wrong:
            yield from _flaws_of_numbers(self.numbers)

    def shown(self, _: object) -> dict[str, Queries]:
        """What stands for the queries in an opened report: as many rows, hashes as the ids of posts."""
        return {
            "queries": Queries(
                post=self.post,
                post_ids=cast("NDArray[np.object_]", self.post_ids),
                criterion=self.criterion,
                criterion_ids=self.criterion_ids,
                has_evidence=self.has_evidence,
                score=self.score,
                model=self.model,
                models=self.models,
                slices=self.slices,
                numbers=self.numbers,
                row=np.arange(1, len(self) + 1),
                has_posts=self.has_posts,
                has_ids=False,
            )
        }


def _flaws_of_numbers(numbers: Mapping[str, NDArray[np.float64]]) -> Flaws:
    """Counts that are none, and thresholds that are not in their order."""
    most = Settings.read().max_rows
    for name in ("selected_k", "n_candidates"):
        stated = numbers.get(name, np.zeros(0))
        stated = stated[~np.isnan(stated)]
        is_count = (stated >= 0) & (stated <= most) & (stated == np.floor(stated))
        yield from flaws.unless(is_count.all(), f"numbers/{name}", "another number", "counts")
    if {"tau_neg", "tau_pos"} <= set(numbers):
        is_turned = (numbers["tau_neg"] > numbers["tau_pos"]).any()
        yield from flaws.unless(
            not is_turned, "numbers/tau_neg", "a threshold above tau_pos", "tau_neg ≤ tau_pos"
        )


def _numbers(part: UnitScores, name: str) -> NDArray[np.float64]:
    found = part.numbers.get(name)
    return np.full(len(part), np.nan) if found is None else found


def _as_before(column: NDArray[Any]) -> Mask:
    """Whether each row but the first has the value of the row before it."""
    return np.asarray(column[1:] == column[:-1])
