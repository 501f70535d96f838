"""The command that gathers the tallies of a site, and rows on a grid in place of rows."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from evalcore.commands.reading import (
    DONE,
    ask_for_model,
    columns_used,
    every_input,
    facts,
    keep_inputs,
    load,
    warn,
)
from evalcore.problems import InputError, problem

MOST_NAME = 200


def gather(arguments: argparse.Namespace) -> int:
    """Write counts and sums over posts on a grid of scores: what a site hands over in place of its rows."""
    from evalcore.files import write_files
    from evalcore.sites import Tally, to_bytes

    keep_inputs(arguments.out, *every_input(arguments))
    path = Path(arguments.out)
    site = path.stem if arguments.site is None else arguments.site.strip()
    if not 0 < len(site) <= MOST_NAME:
        expected = f"a name of 1 to {MOST_NAME} characters"
        raise InputError([problem("OPT-003", name="--site", found=site, expected=expected)])
    data = load(arguments)
    for line in [*facts(data), *columns_used(data)]:
        print(line, file=sys.stderr)
    warn(data)
    found = on_grid(arguments, data)
    excluded: dict[str, int] = {}
    for source in found.data.sources:
        for reason, n in source.excluded.items():
            excluded[reason] = excluded.get(reason, 0) + n
    scores = found.scores
    n_rows = scores.everything.n_rows
    n_read = n_rows + sum(excluded.values())
    tally = Tally(
        *(site, scores, n_read, excluded),
        smallest_cell=arguments.smallest_cell,
        n_moved=found.n_moved,
        left_out=found.left_out,
    )
    content = to_bytes(tally)
    write_files(path.parent, {path.name: content}, overwrite=arguments.overwrite)
    units = f" of {scores.everything.n_posts:,} posts" if scores.has_posts else ""
    groups = f", each of {' and '.join(scores.columns)} apart" if scores.columns else ""
    print(
        f"{site}: {n_rows:,} rows{units} at {len(scores.everything.points):,} of {scores.n_points:,} points"
    )
    print(f"{len(scores.of_groups):,} groups{groups}; {len(content):,} bytes, without a row or an id.")
    for line in _costs(arguments.smallest_cell, found):
        print(line)
    print(arguments.out)
    return DONE


def on_grid(arguments: argparse.Namespace, data: Any) -> Any:
    """The rows of data on the grid of the arguments."""
    from evalcore.operating_point.gridding import gridded

    model = getattr(arguments, "model", None)
    ask_for_model(model, data)
    by = [name for text in getattr(arguments, "by", []) for name in text.split(",") if name]
    smallest = getattr(arguments, "smallest_cell", 1)
    return gridded(data, grid=arguments.grid, by=by, model=model, smallest_cell=smallest)


def _costs(smallest_cell: int, found: Any) -> list[str]:
    """What a smallest cell size costs, in words."""
    if smallest_cell == 1:
        return []
    n_rows = found.scores.everything.n_rows
    told = [
        f"At least {smallest_cell:,} rows stand at every point: {found.n_moved:,} of {n_rows:,} moved down, "
        f"by {found.furthest:.4g} at most. At a threshold of their old points they count as below it, all of "
        "them that moved across: more evidence counts as missed than is, never less."
    ]
    if found.left_out:
        told.append(f"Left out as too small: {', '.join(found.left_out)}.")
    return told
