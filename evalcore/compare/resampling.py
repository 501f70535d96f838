"""Differences over bootstrap replicates and over whole-post swaps, in blocks shared by all metrics."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.compare.cells import Cell
from evalcore.compare.options import CompareOptions
from evalcore.compare.pairing import Paired
from evalcore.drawn.weights import hashes, weights_of
from evalcore.inference.percentile import percentile_interval
from evalcore.inference.permutation import n_at_least, swaps_of

BLOCK_BYTES = 1 << 25
LARGEST_BLOCK = 512


@dataclass
class Resampled:
    """What the replicates and swaps of one difference have shown so far.

    Parameters
    ----------
    observed : the difference.
    replicates : differences over bootstrap replicates, shape (B,).
    n_large, n_undefined : swaps at least as large in magnitude, and those without a value (among them).
    """

    observed: float
    replicates: NDArray[np.float64]
    n_large: int = 0
    n_undefined: int = 0

    def as_columns(self, units: str, options: CompareOptions) -> dict[str, Any]:
        """Interval and p-value as columns of the table; NaN where nothing was asked or is defined.

        Parameters
        ----------
        units : what was drawn and swapped, such as ``posts=1477``.
        options : how.
        """
        columns: dict[str, Any] = {"ci_low": math.nan, "ci_high": math.nan, "ci_level": math.nan}
        columns |= {"ci_method": "", "p": math.nan, "p_method": ""}
        if math.isnan(self.observed):
            return columns
        n_replicates, n_swaps = options.bootstrap, options.permutations
        tail = f"seed={options.seed};sides=2"
        if n_replicates:
            found = percentile_interval(self.replicates, confidence=options.confidence)
            columns |= {"ci_low": found.low.item(), "ci_high": found.high.item()}
            columns["ci_level"] = options.confidence
            counts = f"B={n_replicates};undefined={found.n_undefined.item()}"
            columns["ci_method"] = f"cluster_bootstrap({units};{counts};{tail})"
        if n_swaps:
            columns["p"] = (1 + self.n_large) / (1 + n_swaps)
            counts = f"B={n_swaps};undefined={self.n_undefined}"
            columns["p_method"] = f"swap({units};{counts};{tail})"
        return columns


def resample(
    cells: Sequence[Cell], options: CompareOptions, progress: Callable[[str], None]
) -> list[dict[str, Resampled]]:
    """Resample every metric of every cell; one weight of a post serves all of them, under both models.

    Parameters
    ----------
    cells : what is compared.
    options : how many replicates and swaps, and their seed.
    progress : is told each block.

    Returns
    -------
    For each cell, metric → what was found.
    """
    found = [
        {
            key: Resampled(observed, np.full(options.bootstrap, math.nan))
            for key, observed in zip(cell.statistic.keys, _observed(cell), strict=True)
        }
        for cell in cells
    ]
    for paired in dict.fromkeys(cell.paired for cell in cells):
        of_paired = [at for at, cell in enumerate(cells) if cell.paired is paired]
        hashed = hashes(paired.post_ids)
        widest = max(cells[at].statistic.posts.first.parts[0].shape[0] for at in of_paired)
        size = _block_size(paired, widest)
        for start, stop in _blocks(options.bootstrap, size):
            progress(f"intervals of {paired.shared.what}, {start:,} of {options.bootstrap:,} replicates")
            weights = weights_of(hashed, seed=options.seed, start=start, stop=stop)
            for at in of_paired:
                statistic = cells[at].statistic
                differences = statistic.posts.resampled(weights).differences(statistic.values)
                for key, of_key in zip(statistic.keys, differences, strict=True):
                    found[at][key].replicates[start:stop] = of_key
        for start, stop in _blocks(options.permutations, size):
            progress(f"test of {paired.shared.what}, {start:,} of {options.permutations:,} swaps")
            swaps = swaps_of(hashed, seed=options.seed, start=start, stop=stop)
            for at in of_paired:
                statistic = cells[at].statistic
                differences = statistic.posts.swapped(swaps).differences(statistic.values)
                for key, of_key in zip(statistic.keys, differences, strict=True):
                    one = found[at][key]
                    one.n_large += n_at_least(of_key, one.observed)
                    one.n_undefined += int(np.isnan(of_key).sum())
    return found


def _observed(cell: Cell) -> list[float]:
    differences = cell.statistic.posts.whole.differences(cell.statistic.values)
    observed: list[float] = differences[:, 0].tolist()
    return observed


def _block_size(paired: Paired, n_values: int) -> int:
    n_cells = max(len(paired.post_ids), n_values, 1)
    return min(max(BLOCK_BYTES // (8 * n_cells), 1), LARGEST_BLOCK)


def _blocks(n: int, size: int) -> Iterator[tuple[int, int]]:
    return ((start, min(start + size, n)) for start in range(0, n, size))
