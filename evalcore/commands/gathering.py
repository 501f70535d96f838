"""The command that gathers the tallies of a site, and rows on a grid in place of rows."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from evalcore.drawn.secret import Secret
    from evalcore.operating_point.gridding import Gridded
    from evalcore.tallies.grid import Drawn

MOST_NAME = 200
REVEALED = (
    "Whoever can guess the ids of posts can tell from replicates how many checks each post has in each state."
)
HIDDEN = "Drawn by a secret: only who holds it and knows ids can tell from replicates what each post has."


def gather(arguments: argparse.Namespace) -> int:
    """Write counts and sums over posts on a grid of scores: what a site hands over in place of its rows."""
    from evalcore.files import write_files
    from evalcore.sites import Tally, to_bytes

    keep_inputs(arguments.out, *every_input(arguments), arguments.at, arguments.secret_file)
    path = Path(arguments.out)
    site = path.stem if arguments.site is None else arguments.site.strip()
    if not 0 < len(site) <= MOST_NAME or not site.isprintable():
        expected = f"a name of 1 to {MOST_NAME} printable characters"
        raise InputError([problem("OPT-003", name="--site", found=site, expected=expected)])
    drawn = _second_round(arguments)
    data = load(arguments)
    for line in [*facts(data), *columns_used(data)]:
        print(line, file=sys.stderr)
    warn(data)
    found = on_grid(arguments, data, drawn)
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
    )
    content = to_bytes(tally)
    write_files(path.parent, {path.name: content}, overwrite=arguments.overwrite)
    units = f" of {scores.everything.n_posts:,} posts" if scores.has_posts else ""
    groups = f", each of {' and '.join(scores.columns)} apart" if scores.columns else ""
    print(
        f"{site}: {n_rows:,} rows{units} at {len(scores.everything.points):,} of {scores.n_points:,} points"
    )
    n_groups = sum(1 for _ in scores.every_cell())
    print(f"{n_groups:,} groups{groups}; {len(content):,} bytes, without a row or an id.")
    if scores.drawn is not None:
        print(f"Replicates: {scores.drawn.in_words}. {REVEALED if scores.drawn.secret is None else HIDDEN}")
    for line in _costs(arguments.smallest_cell, found):
        print(line)
    print(arguments.out)
    return DONE


def on_grid(
    arguments: argparse.Namespace, data: Any, drawn: Drawn | None = None, *, by: Iterable[str] | None = None
) -> Gridded:
    """The rows of data on the grid of the arguments.

    Parameters
    ----------
    drawn : the replicates of a second round.
    by : columns whose groups are counted; those of the arguments where nobody says.
    """
    from evalcore.operating_point.gridding import gridded

    model = getattr(arguments, "model", None)
    ask_for_model(model, data)
    if by is None:
        by = [name for text in getattr(arguments, "by", []) for name in text.split(",") if name]
    smallest = getattr(arguments, "smallest_cell", 1)
    how = {"grid": arguments.grid, "model": model, "smallest_cell": smallest, "drawn": drawn}
    return gridded(data, **how, by=by, secret=_secret(arguments, drawn))


def _secret(arguments: argparse.Namespace, drawn: Drawn | None) -> Secret | None:
    """The secret that replicates are drawn by, from its file; None without one.

    Raises
    ------
    InputError : OPT-008 without a second round; FILE-001, FILE-018 and SIT-010 for what is no secret.
    """
    from evalcore.drawn.secret import MOST_BYTES, Secret

    name = getattr(arguments, "secret_file", None)
    if name is None:
        return None
    if drawn is None:
        found, advice = "--secret-file without replicates", "Nothing else is drawn."
        expected = "--bootstrap B and thresholds beside it"
        raise InputError([problem("OPT-008", found=found, expected=expected, advice=advice)])
    path = Path(name)
    if not path.is_file():
        raise InputError([problem("FILE-001", file=path.name)])
    try:
        with path.open("rb") as file:
            text = file.read(2 * MOST_BYTES)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError([problem("FILE-018", file=path.name, reason=reason)]) from None
    return Secret.of_text(text)


def drawn_at(tau_neg: float | None, tau_pos: float | None, n_replicates: int, seed: int) -> Drawn | None:
    """The replicates of a second round at thresholds; None without either.

    Raises
    ------
    InputError : for thresholds and replicates that there cannot be.
    """
    from evalcore.evaluation import Options
    from evalcore.evaluation.options import illegal
    from evalcore.tallies.grid import Drawn

    asked = Options(tau_neg=tau_neg, tau_pos=tau_pos, bootstrap=n_replicates, seed=seed)
    wrong = illegal(asked, "probability")
    if wrong:
        raise InputError(wrong)
    if tau_neg is None or tau_pos is None or not n_replicates:
        return None
    return Drawn(tau_neg, tau_pos, n_replicates, seed)


def _second_round(arguments: argparse.Namespace) -> Drawn | None:
    """The replicates that the arguments ask for; None in the first round.

    Raises
    ------
    InputError : OPT-008 for replicates without thresholds, and thresholds without replicates.
    """
    from evalcore.evaluation import gate_options
    from evalcore.operating_point import OperatingPoint

    taus = {"tau_neg": arguments.tau_neg, "tau_pos": arguments.tau_pos}
    n_said = sum(one is not None for one in (arguments.at, *taus.values()))
    if not arguments.bootstrap and not n_said:
        return None
    if not arguments.bootstrap or n_said != (2 if arguments.at is None else 1):
        found = "replicates without thresholds, thresholds without replicates, or two kinds of thresholds"
        advice = "Every site gathers at the thresholds that all were told, and as often."
        expected = "--bootstrap B with --at POINT.json, or with --tau-neg and --tau-pos"
        raise InputError([problem("OPT-008", found=found, expected=expected, advice=advice)])
    if arguments.at is not None:
        point = OperatingPoint.load(Path(arguments.at))
        taus = dict(gate_options(point.tau_neg, point.tau_pos, "probability"))
    return drawn_at(taus["tau_neg"], taus["tau_pos"], arguments.bootstrap, arguments.seed)


def _costs(smallest_cell: int, found: Gridded) -> list[str]:
    """What a smallest cell size costs, in words."""
    from evalcore.tallies.grid import place_of

    if smallest_cell == 1:
        return []
    n_rows = found.scores.everything.n_rows
    told = [
        f"At least {smallest_cell:,} rows stand at every point: {found.n_moved:,} of {n_rows:,} moved down, "
        f"by {found.furthest:.4g} at most. At a threshold of their old points they count as below it, all of "
        "them that moved across: more evidence counts as missed than is, never less."
    ]
    left_out = found.scores.left_out
    if left_out:
        told.append(f"Left out as too small: {', '.join(place_of(*one) for one in left_out)}.")
    return told
