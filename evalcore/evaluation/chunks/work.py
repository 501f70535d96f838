"""How an input is gathered a chunk at a time: what for, by whom, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evalcore.checks import Subject
from evalcore.data import Data
from evalcore.evaluation.gathering.gather import Gathered, Gathering, Plan
from evalcore.evaluation.options import Options
from evalcore.readers.chunks.looking import Prepares
from evalcore.readers.chunks.reading import Layout

if TYPE_CHECKING:  # a cluster needs much that nothing else does
    from evalcore.engines.handing import HandOut


@dataclass(frozen=True)
class Work:
    """What the rows of files are gathered for, and by whom.

    Parameters
    ----------
    options : of the evaluation, as asked for.
    tables : what is gathered.
    checks : what is looked at in data that keep their rows.
    chunk_rows : about how many rows are read at a time.
    layout : how the rows of queries lie in files.
    hand_out : how rows that are read here are handed to those who gather.
    client : of a cluster whose workers can read files themselves; None without one.
    progress : is told how many rows are done.
    """

    options: Options
    tables: tuple[Gathering, ...]
    checks: tuple[Subject, ...]
    chunk_rows: int
    layout: Layout
    hand_out: HandOut
    client: Any | None
    progress: Callable[[str], None]


@dataclass(frozen=True)
class Worked:
    """What came of it.

    Parameters
    ----------
    plan : of the whole.
    gathered : its tallies, finished.
    data : with the rows that are kept; None where there are none.
    """

    plan: Plan
    gathered: Gathered
    data: Data | None = None


@dataclass(frozen=True)
class InChunks:
    """How the files of a task are read a chunk at a time.

    Parameters
    ----------
    look : the first look at them, which decides what the whole does.
    gather : everything else, of what the look decided; raises `InputError` with all that is wrong.
    """

    look: Prepares
    gather: Callable[[Any, Work], Worked]
