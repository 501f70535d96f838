"""Two intervals of how unlike figures of groups are: `python -m benchmarks.spread_intervals` (three minutes).

Figures are normal about true ones with a standard error of 1. The interval in use is the value give or take
the size that chance reaches in 95 of 100 samples; it always holds, and is too wide for many groups. The
narrower one holds every true size of which the value is neither among the 2.5 % smallest nor the largest,
figures taken to differ in the shape that those at hand do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from evalcore.metrics.recommender.facts import deviation, mean_absolute_deviation

Floats = NDArray[np.float64]
N_SAMPLES, N_NOISE = 1500, 800
GROUPS = (2, 3, 5, 10)
SIZES: dict[str, Callable[[Floats], Floats]] = {
    "mean difference of pairs": mean_absolute_deviation,
    "standard deviation": deviation,
}
TRUE = (0.0, 0.3, 0.7, 1.5, 3.0, 6.0)


def held(rng: np.random.Generator, figures: Floats, size: Callable[[Floats], Floats]) -> tuple[float, float]:
    """In what share of samples each interval holds the size of the true figures."""
    found = figures + rng.normal(size=(N_SAMPLES, len(figures)))
    noise = rng.normal(size=(N_NOISE, len(figures)))
    true, value = size(figures), size(found)
    in_use = np.abs(value - true) <= np.quantile(size(noise), 0.95)
    shape = (found - found.mean(axis=-1, keepdims=True)) / value[:, None]
    ends = np.array([np.quantile(size(true * one + noise), (0.025, 0.975)) for one in shape])
    # Of figures that are all alike no value is too small: an interval that holds nothing else holds 0.
    narrower = (value <= ends[:, 1]) & ((value >= ends[:, 0]) | (true == 0))
    return float(in_use.mean()), float(narrower.mean())


def lines(seed: int = 0) -> Iterator[str]:
    """What is printed: a line for groups, a size and a shape, both shares for each true size."""
    rng = np.random.default_rng(seed)
    for n in GROUPS:
        shapes = {"one apart": np.eye(n)[0], "in a line": np.linspace(0, 1, n)}
        for name, size in SIZES.items():
            for shape, figures in shapes.items():
                shares = [held(rng, figures * true / size(figures), size) for true in TRUE]
                told = "  ".join(f"{first:.3f} {second:.3f}" for first, second in shares)
                yield f"{n:>2} groups, {name}, {shape}: {told}"


if __name__ == "__main__":
    print(f"true sizes {TRUE}: the interval in use, the narrower one")
    for line in lines():
        print(line, flush=True)
