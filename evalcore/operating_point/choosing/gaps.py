"""How far the test falls from what tune had said, for each rate that a target is set on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evalcore.operating_point.constraints import NAMES
from evalcore.operating_point.wording import capitalised
from evalcore.text.numerals import percent_of, points


@dataclass(frozen=True)
class Gap:
    """One rate on tune and on test.

    Parameters
    ----------
    metric : `SENSITIVITY` or `PRECISION`.
    tune, test : successes and cases, of which the rates are made; without cases a rate is undefined.
    """

    metric: str
    tune: tuple[int, int]
    test: tuple[int, int]

    @property
    def value(self) -> float:
        """Test less tune, in [−1, 1]; NaN where one of them is undefined."""
        (x_tune, n_tune), (x_test, n_test) = self.tune, self.test
        return x_test / n_test - x_tune / n_tune if n_tune and n_test else math.nan

    @property
    def row(self) -> tuple[str, str, str, str]:
        """The rate, its values on tune and on test, and the gap in percentage points, as they are printed."""
        tune, test = ("n/a" if of == 0 else percent_of(n, of) for n, of in (self.tune, self.test))
        return capitalised(NAMES[self.metric]), tune, test, points(self.value)


def gaps(document: Mapping[str, Any]) -> tuple[Gap, ...]:
    """The gap of every rate that a target can be set on; empty for a document without a test.

    Parameters
    ----------
    document : after the schema.

    Source
    ------
    statistics.md, "Tune and test".

    Examples
    --------
    >>> rates = [("tune", 690, 690), ("test", 676, 689)]
    >>> estimates = [
    ...     {"metric": "gate.screening_sensitivity", "evaluated_on": on, "numerator": n, "denominator": of}
    ...     for on, n, of in rates
    ... ]
    >>> [gap.row for gap in gaps({"estimates": estimates})]
    [('Screening sensitivity', '100 %', '98.1 %', '−1.9 points')]
    """
    counts = {
        (entry["metric"], entry["evaluated_on"]): (int(entry["numerator"]), int(entry["denominator"]))
        for entry in document["estimates"]
        if entry["metric"] in NAMES and None not in (entry["numerator"], entry["denominator"])
    }
    return tuple(
        Gap(metric, counts[metric, "tune"], counts[metric, "test"])
        for metric in NAMES
        if {(metric, "tune"), (metric, "test")} <= counts.keys()
    )


def gap_rows(document: Mapping[str, Any]) -> list[tuple[str, str, str, str]]:
    """The gaps as rows of a table: rate, tune, test, gap."""
    return [gap.row for gap in gaps(document)]
