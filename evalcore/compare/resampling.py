"""Differences over bootstrap replicates and swaps of whole units: a metric of a drawn pair of tallies."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

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
from evalcore.evaluation.intervals.bounds import Bounds, jackknife_bounds, percentile_bounds, spread_bounds
from evalcore.evaluation.intervals.defined_values import Asked
from evalcore.evaluation.intervals.jackknife import figures_without_each, without_each
from evalcore.evaluation.intervals.replicates import GroupReplicates
from evalcore.inference.permutation import n_at_least, swaps_of

BLOCK_BYTES = 1 << 26
"""Of coins, one byte each, that are tossed at a time."""

Floats = NDArray[np.float64]


class Side(NamedTuple):
    """What chance does to the value of one system.

    Parameters
    ----------
    values : over replicates, or without each part of the units in turn where replicates lie beside the value;
        of a spread the figures without each part.
    is_left_out : whether they are values without parts.
    size : of the figures of a spread.
    bounds : the range of the value.
    """

    values: Floats
    is_left_out: bool
    size: Callable[[Floats], Floats] | None
    bounds: tuple[float, float]


Known = dict[tuple[int, int], dict[tuple[str, str, str], Side]]
"""Group and tally → cell of it → what chance does to it."""


@dataclass(eq=False)
class Resampled:
    """What the replicates and swaps of one difference have shown.

    Parameters
    ----------
    cell : whose difference it is.
    sides : what chance does to both values; None without a bootstrap.
    n_large, n_undefined : swaps at least as large in magnitude, and those without a value (among them).
    is_tested : whether the two systems were swapped at all.
    """

    cell: Cell
    sides: tuple[Side, Side] | None = None
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
        if self.sides is not None:
            found = self._bounds(*self.sides, units, options)
            columns |= {f"ci_{name}": end for name, end in found._asdict().items()}
        if self.is_tested:
            columns["p"] = (1 + self.n_large) / (1 + options.permutations)
            counts = f"B={options.permutations};undefined={self.n_undefined}"
            columns["p_method"] = f"swap({units};{counts};seed={options.seed};sides=2)"
        return columns

    def _bounds(self, first: Side, second: Side, units: str, options: CompareOptions) -> Bounds:
        """The interval of the difference."""
        level = options.confidence
        within = second.bounds[0] - first.bounds[1], second.bounds[1] - first.bounds[0]
        if first.size is not None and second.size is not None:
            values, sizes = (first.values, second.values), (first.size, second.size)
            return spread_bounds(self.cell.difference, values, sizes, units, level=level, within=within)
        differences = second.values - first.values
        if second.is_left_out:
            return jackknife_bounds(self.cell.difference, differences, units, level=level, within=within)
        size = max(map(abs, self.cell.values))
        return percentile_bounds([differences], units, options.seed, level=level, size=size)[0]


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
            around = {at: one for at, one in asked.items() if not (one.lies_beside or one.spread)}
            found = drawn.of(around) | {
                at: _left_out(one, units, resampling.n_replicates)
                for at, one in asked.items()
                if at not in around
            }
            for at, values in found.items():
                one, size = asked[at], None if (spread := asked[at].spread) is None else spread.size
                of_side[missing[at].key] = Side(values, at not in around, size, one.bounds)
        sides.append(of_side)
    for of_pair in cells:
        of_pair.sides = sides[0][of_pair.cell.key], sides[1][of_pair.cell.key]


def _left_out(asked: Asked, units: Units, most: int) -> Floats:
    """The value, or the figures of a spread, without each of at most so many parts."""
    if asked.spread is None:
        return without_each(asked, units, most)
    return figures_without_each(asked.result, asked.spread, units, most)


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
        of_kind = {at: one for at, one in enumerate(cells) if one.cell.metric.is_of_order == as_ranks}
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
