"""Differences over bootstrap replicates and swaps of whole units: a metric of a drawn pair of tallies."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.compare.cells import Cell
from evalcore.compare.options import CompareOptions
from evalcore.compare.pairing import Paired
from evalcore.compare.pairs import Group, Pair
from evalcore.drawn.replicates import Resampling
from evalcore.drawn.swaps import Swaps
from evalcore.drawn.weights import hashes
from evalcore.evaluation.gathering.units import Units
from evalcore.evaluation.intervals.bounds import jackknife_bounds, percentile_bounds
from evalcore.evaluation.intervals.jackknife import without_each
from evalcore.evaluation.intervals.replicates import Asked, GroupReplicates
from evalcore.inference.permutation import n_at_least, swaps_of

BLOCK_BYTES = 1 << 26
"""Of coins, one byte each, that are tossed at a time."""

Floats = NDArray[np.float64]
Known = dict[tuple[int, int], dict[tuple[str, str, str], Floats]]
"""Group and tally → cell of it → its replicates."""


@dataclass(eq=False)
class Resampled:
    """What the replicates and swaps of one difference have shown.

    Parameters
    ----------
    cell : whose difference it is.
    replicates : differences over bootstrap replicates, shape (B,), or without each part of the units in turn
        where the metric's replicates lie beside it; None where there are none.
    n_large, n_undefined : swaps at least as large in magnitude, and those without a value (among them).
    is_tested : whether the two systems were swapped at all.
    """

    cell: Cell
    replicates: Floats | None = None
    n_large: int = 0
    n_undefined: int = 0
    is_tested: bool = False

    def add_swaps(self, differences: Floats) -> None:
        """Count the differences after some more swaps."""
        self.n_large += n_at_least(differences, self.cell.difference)
        self.n_undefined += int(np.isnan(differences).sum())
        self.is_tested = True

    def as_columns(self, options: CompareOptions) -> dict[str, Any]:
        """Interval and p-value as columns of the table; NaN where nothing was asked or is defined."""
        columns: dict[str, Any] = {"ci_low": math.nan, "ci_high": math.nan, "ci_level": math.nan}
        columns |= {"ci_method": "", "p": math.nan, "p_method": ""}
        if math.isnan(self.cell.difference):
            return columns
        if self.cell.why_no_interval and options.bootstrap:
            columns["ci_method"] = f"not_estimable({self.cell.why_no_interval})"
        group = self.cell.pair.group
        units = f"{group.word}={len(group.hashed)}"
        if (replicates := self.replicates) is not None:
            level = options.confidence
            if self.cell.metric.lies_beside:
                found = jackknife_bounds(self.cell.difference, replicates, units, level=level)
            else:
                size = max(map(abs, self.cell.values))
                (found,) = percentile_bounds([replicates], units, options.seed, level=level, size=size)
            columns |= {f"ci_{name}": end for name, end in found._asdict().items()}
        if self.is_tested:
            columns["p"] = (1 + self.n_large) / (1 + options.permutations)
            counts = f"B={options.permutations};undefined={self.n_undefined}"
            columns["p_method"] = f"swap({units};{counts};seed={options.seed};sides=2)"
        return columns


def resample(
    cells: Sequence[Cell], options: CompareOptions, progress: Callable[[str], None]
) -> list[Resampled]:
    """Resample every cell; one weight and one coin of a post serve all of them, under both systems.

    Parameters
    ----------
    cells : what is compared.
    options : how many replicates and swaps, and their seed.
    progress : is told each step; what it raises ends the comparison.
    """
    found = [Resampled(cell) for cell in cells]
    by_pair: dict[int, list[Resampled]] = {}
    for one in found:
        if not math.isnan(one.cell.difference) and one.cell.is_testable:
            by_pair.setdefault(id(one.cell.pair), []).append(one)
    pairs = [(of_pair[0].cell.pair, of_pair) for of_pair in by_pair.values()]
    draws: dict[int, Resampling] = {}
    known: Known = {}
    for at, (pair, of_pair) in enumerate(pairs if options.bootstrap else ()):
        progress(f"intervals of {pair.group.paired.shared.what}, {at:,} of {len(pairs):,} parts")
        with_interval = [one for one in of_pair if not one.cell.why_no_interval]
        _draw(pair, with_interval, _drawn(pair.group, draws, options), known)
    done, n_steps = 0, sum(len(_blocks(pair.group, options)) for pair, _ in pairs)
    for pair, of_pair in pairs if options.permutations else ():
        joined = pair.joined()
        asked = [one.cell.asked(joined) for one in of_pair]
        for start, stop in _blocks(pair.group, options):
            progress(f"test of {pair.group.paired.shared.what}, {done:,} of {n_steps:,} parts")
            coins = swaps_of(pair.group.hashed, seed=options.seed, start=start, stop=stop)
            _swap(pair, of_pair, asked, Swaps(coins.T.view(np.uint8)))
            done += 1
    return found


def _drawn(group: Group, draws: dict[int, Resampling], options: CompareOptions) -> Resampling:
    """The bootstrap of a group's units: a part of that of all units that are compared."""
    paired: Paired = group.paired
    if id(paired) not in draws:
        draws[id(paired)] = Resampling.of(hashes(paired.post_ids), options.bootstrap, options.seed)
    return draws[id(paired)].where(group.units)


def _draw(pair: Pair, cells: list[Resampled], resampling: Resampling, known: Known) -> None:
    """The differences in every bootstrap replicate: metric(second drawn) − metric(first drawn).

    A system that stands in several pairs is drawn once.
    """
    sides = []
    for at, (tally, code) in enumerate(zip(pair.tallies, pair.codes, strict=True)):
        of_side = known.setdefault((id(pair.group), id(tally)), {})
        missing = [one.cell for one in cells if one.cell.key not in of_side]
        if missing:
            rows = None if pair.rows is None else pair.rows[at]
            units = Units(code, pair.group.hashed, pair.group.word)
            drawn = GroupReplicates(units, rows, resampling, None, code)
            asked = {number: cell.asked(tally) for number, cell in enumerate(missing)}
            beside = {number: one for number, one in asked.items() if one.metric.lies_beside}
            found = drawn.of({number: one for number, one in asked.items() if number not in beside})
            found |= {
                number: without_each(one, units, resampling.n_replicates) for number, one in beside.items()
            }
            of_side |= {missing[number].key: values for number, values in found.items()}
        sides.append(of_side)
    for one in cells:
        one.replicates = sides[1][one.cell.key] - sides[0][one.cell.key]


def _swap(pair: Pair, cells: list[Resampled], asked: list[Asked], swaps: Swaps) -> None:
    """Count the differences after swaps: both systems in one tally, each drawn from it.

    Parameters
    ----------
    pair, cells : of one pair of tallies.
    asked : of each cell, of that one tally.
    swaps : in which units the two change places.
    """
    hashed = np.concatenate([pair.group.hashed, pair.group.hashed])
    units = Units(pair.joined_code, hashed, pair.group.word)
    for as_ranks in (False, True):
        of_kind = {at: one for at, one in enumerate(cells) if one.cell.is_of_order == as_ranks}
        if of_kind:
            rows = pair.joined_rows(as_ranks=as_ranks)
            drawn = GroupReplicates(units, rows, swaps, None, pair.joined_code)
            values = drawn.of({at: asked[at] for at in of_kind})
            for at, one in of_kind.items():
                one.add_swaps(values[at][1::2] - values[at][::2])


def _blocks(group: Group, options: CompareOptions) -> list[tuple[int, int]]:
    """Swaps at a time: all of them where their coins fit into memory."""
    n, size = options.permutations, max(BLOCK_BYTES // max(len(group.hashed), 1), 1)
    return [(start, min(start + size, n)) for start in range(0, n, size)]
