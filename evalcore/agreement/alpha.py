"""Krippendorff's alpha of each label, with an interval over records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from evalcore.agreement.units import Units
from evalcore.annotations import RagTask, Responses
from evalcore.inference.drawn_totals import drawn_interval, drawn_totals

Floats = NDArray[np.float64]
NOTHING_PAIRABLE = "no unit has two codes"
NEVER_VARIES = "label never varies"


@dataclass(frozen=True)
class Alpha:
    """How far annotators agree on one label beyond chance.

    Parameters
    ----------
    task, label : of which label.
    value : at most 1 (always the same); 0: no better than codes dealt out at random; NaN with a reason.
    low, high, level : percentile interval and its confidence; NaN where it is not estimable.
    ci_method : what the interval rests on; empty without one.
    ci_note : why there is no interval; empty where there is one.
    observed_agreement : share of pairs of codes of one unit that agree, every code with the same weight, in
        [0, 1]; NaN without pairs. It is high by chance alone where a label is nearly always the same.
    n_units : chunks or answers with at least one code.
    n_pairable : those with two codes or more: only they enter alpha.
    n_codes : codes of pairable units.
    n_records : records with a pairable unit.
    n_annotators : named annotators with at least one code.
    reason : why ``value`` is NaN; empty where it is not.
    """

    task: RagTask
    label: str
    value: float
    low: float
    high: float
    level: float
    ci_method: str
    ci_note: str
    observed_agreement: float
    n_units: int
    n_pairable: int
    n_codes: int
    n_records: int
    n_annotators: int
    reason: str


@dataclass(frozen=True, eq=False)
class PairCounts:
    """What alpha is made of, summed over units with two codes or more; arrays of one shape (...).

    Parameters
    ----------
    disagreements : Σ yes · no / (codes − 1), in pairs of codes.
    n_yes, n_codes : Σ yes and Σ codes.
    """

    disagreements: Floats
    n_yes: Floats
    n_codes: Floats

    @property
    def alpha(self) -> Floats:
        """1 − D_o / D_e for nominal codes with the small-sample correction; NaN where no code differs."""
        chance = self.n_yes * (self.n_codes - self.n_yes)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(chance > 0, (chance - (self.n_codes - 1) * self.disagreements) / chance, np.nan)

    @property
    def observed_agreement(self) -> Floats:
        """1 − D_o; NaN without codes."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.n_codes > 0, (self.n_codes - 2 * self.disagreements) / self.n_codes, np.nan)


def alphas(
    responses: Responses,
    record_ids: NDArray[np.object_],
    *,
    n_replicates: int = 2000,
    seed: int = 0,
    confidence: float = 0.95,
    draw: Literal["records", "units"] = "records",
) -> tuple[Alpha, ...]:
    """Nominal Krippendorff's alpha of each label of a task, over submitted responses.

    Alpha is exactly 0 where the only disagreement is as frequent as chance would have it, even beside a
    high share of agreeing pairs: one 1 among twelve codes says nothing about a label. It rests on units that
    several people judged, often a calibration round, and says nothing of those that one person judged.

    Parameters
    ----------
    responses : of one task, one response per annotator and unit; the order of rows changes nothing.
    record_ids : ids as text, into which ``responses.record`` points.
    n_replicates : B of the Poisson bootstrap; 0 for no interval.
    seed : whole number from 0 on.
    confidence : of the two-sided interval, in (0, 1).
    draw : ``records`` draws all chunks of a record together, since they are not independent; ``units`` draws
        each by itself.

    Returns
    -------
    tuple of Alpha, in the order of ``responses.labels``.

    Source
    ------
    Krippendorff 2011, Computing Krippendorff's alpha-reliability, nominal data with missing codes.

    Examples
    --------
    One 1 among the twelve codes that three annotators give four answers:

    >>> units = PairCounts(disagreements=np.array(2 / 2), n_yes=np.array(1), n_codes=np.array(12))
    >>> units.alpha.item(), round(units.observed_agreement.item(), 4)
    (0.0, 0.8333)
    """
    units = Units.of(responses)
    labels = tuple(responses.labels)
    counted = {label: units.counts(label) for label in labels}
    sizes = {label: np.unique(n[n > 1]) for label, (_, n) in counted.items()}
    columns = [
        column for label in labels for column in _columns(*counted[label], sizes[label])
    ]  # every label with the same draws
    unit, ids, word = _drawn(units, record_ids, draw)
    values = np.column_stack(columns) if columns else np.empty((len(units), 0))
    totals = drawn_totals(values.astype(np.float64), unit, ids, n_replicates=n_replicates, seed=seed)
    found, at = [], 0
    for label in labels:
        stop = at + 2 + len(sizes[label])
        whole, drawn = (_pair_counts(of[..., at:stop], sizes[label]) for of in (totals.whole, totals.drawn))
        at = stop
        is_pairable = counted[label][1] > 1
        n_records = len(np.unique(units.record[is_pairable]))
        interval = drawn_interval(
            drawn.alpha,
            word=word,
            n_units=n_records if draw == "records" else int(is_pairable.sum()),
            seed=seed,
            confidence=confidence,
        )
        reason = "" if not np.isnan(whole.alpha) else NEVER_VARIES if is_pairable.any() else NOTHING_PAIRABLE
        found.append(
            Alpha(
                task=responses.task,
                label=label,
                value=float(whole.alpha),
                low=interval.low,
                high=interval.high,
                level=confidence,
                ci_method=interval.method,
                ci_note=interval.reason,
                observed_agreement=float(whole.observed_agreement),
                n_units=int((counted[label][1] > 0).sum()),
                n_pairable=int(is_pairable.sum()),
                n_codes=int(whole.n_codes),
                n_records=n_records,
                n_annotators=units.n_annotators(label),
                reason=reason,
            )
        )
    return tuple(found)


def _columns(
    n_yes: NDArray[np.int64], n_codes: NDArray[np.int64], sizes: NDArray[np.int64]
) -> Sequence[NDArray[np.int64]]:
    """Per unit: yes, codes, and yes · no apart for each number of codes; whole, so that sums are exact."""
    is_pairable = n_codes > 1
    product = n_yes * (n_codes - n_yes)
    return [n_yes * is_pairable, n_codes * is_pairable, *(product * (n_codes == size) for size in sizes)]


def _pair_counts(columns: Floats, sizes: NDArray[np.int64]) -> PairCounts:
    disagreements = (columns[..., 2:] / (sizes - 1)).sum(axis=-1)
    return PairCounts(disagreements, columns[..., 0], columns[..., 1])


def _drawn(
    units: Units, record_ids: NDArray[np.object_], draw: str
) -> tuple[NDArray[np.intp], NDArray[np.object_], str]:
    """What is drawn together: its code for each unit, its ids, and its name in the plural."""
    if draw == "records":
        return units.record, record_ids, "records"
    chunk_ids = units.responses.chunk_ids
    ids = [
        f"{record_ids[record]}\x1f{chunk_ids[chunk]}" if chunk >= 0 else str(record_ids[record])
        for record, chunk in zip(units.record, units.chunk, strict=True)
    ]
    return np.arange(len(units)), np.array(ids, object), "units"
