"""Commands that need no input: the catalogue of metrics, and example data."""

from __future__ import annotations

import argparse
from pathlib import Path

from evalcore.commands.reading import DONE
from evalcore.problems import InputError, problem


def metrics(arguments: argparse.Namespace) -> int:
    """Print the catalogue, or one metric's definition."""
    from evalcore import catalog

    if arguments.name:
        print(catalog.describe(catalog.find(arguments.name)))
        return DONE
    for declared in catalog.METRICS.values():
        print(f"{declared.key:<40} {declared.label}")
    return DONE


def sample(arguments: argparse.Namespace) -> int:
    """Write synthetic example data."""
    from evalcore.sample import write_sample

    least = {"--posts": (arguments.posts, 1), "--seed": (arguments.seed, 0)}
    wrong = [
        problem("OPT-003", name=name, found=found, expected=f"a whole number from {low} on")
        for name, (found, low) in least.items()
        if found < low
    ]
    if wrong:
        raise InputError(wrong)
    how = {"n_posts": arguments.posts, "seed": arguments.seed, "overwrite": arguments.overwrite}
    for path in write_sample(Path(arguments.out), **how):
        print(path)
    return DONE
