"""Limits of one process, each read from an environment variable: ``EVALCORE_MAX_ROWS`` and so on."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields

from evalcore.problems import InputError, Problem, problem

_WHOLE = re.compile(r"0*[1-9][0-9]*")
_NO_LIMIT = 10**18
_PREFIX = "EVALCORE_"
OTHER_VARIABLES = {
    "EVALCORE_PASSCODE": ("", "pages are shown to whoever knows it; empty: to everybody"),
    "EVALCORE_PROXY": (
        "",
        "addresses or networks of the proxies before the server, separated by commas: a visitor's address "
        "is taken from `X-Forwarded-For` where they send it, and from nobody else",
    ),
    "EVALCORE_LOG": ("critical", "what the command line logs: debug, info, warning, error or critical"),
}
"""Variable → its default, and what it is for, where it is no limit."""


@dataclass(frozen=True)
class Settings:
    """What one process takes on at most.

    Parameters
    ----------
    max_rows : data rows of one file.
    max_upload_mb : size of all files of one upload together, in megabytes of 10⁶ bytes.
    max_held_uploads_mb : size of all uploads that the server holds at the same time, on their way or not yet
        in use, in megabytes of 10⁶ bytes.
    max_evaluations : evaluations that run at the same time; further ones wait their turn. As many large
        uploads are read beside them, and as many small ones.
    max_unpacked_mb : size of one file once it is unpacked, in megabytes of 10⁶ bytes; also no more than 200
        times what it is packed, or 100 MB where that is more.
    max_columns : columns of one file, or names in the records of a JSON file.
    max_nesting : lists and objects within each other in JSON.
    max_cell_mb : size of one cell, in megabytes of 10⁶ bytes.
    max_lines : lines of one text file, blank ones included.
    max_readers : processes that read Parquet, Feather and the like at the same time.
    max_reading_seconds : processor time of such a process for one file; one second more for each 5 MB of it.
    max_beside_mb : size of the groups of users and items, and of the features of items, of one input, once
        each column is a value for every user or item, in megabytes of 10⁶ bytes.
    max_replicates : replicates of a bootstrap, or of a permutation test.
    max_processes : that one command computes in; never more than there are processors for it.
    chunk_rows : rows that are read at a time of an input that is read a chunk at a time.
    rows_in_chunks : rows of an input from which on it is read a chunk at a time, where it can be.
    cluster_seconds : how long is waited for the scheduler of a Dask cluster to answer, and for a worker.
    """

    max_rows: int = 20_000_000
    max_upload_mb: int = 500
    max_held_uploads_mb: int = 2_000
    max_evaluations: int = 2
    max_unpacked_mb: int = 4_000
    max_columns: int = 10_000
    max_nesting: int = 64
    max_cell_mb: int = 10
    max_lines: int = 25_000_000
    max_readers: int = 2
    max_reading_seconds: int = 4
    max_beside_mb: int = 250
    max_replicates: int = 100_000
    max_processes: int = 8
    chunk_rows: int = 250_000
    rows_in_chunks: int = 5_000_000
    cluster_seconds: int = 30

    def unpacked_limit(self, n_bytes: int) -> int:
        """The most bytes that ``n_bytes`` may unpack to: 200 times as many, up to `max_unpacked_mb`.

        100 MB are always allowed. No table is known that was packed tighter; what pretends to be one
        is there to fill the memory.

        >>> [Settings().unpacked_limit(n) for n in (1000, 10**6, 10**9)]
        [100000000, 200000000, 4000000000]
        """
        return min(self.max_unpacked_mb * 1_000_000, max(100_000_000, 200 * n_bytes))

    @staticmethod
    def read(environment: Mapping[str, str] = os.environ) -> Settings:
        """The settings that the variables of ``environment`` name, the defaults elsewhere.

        Raises
        ------
        InputError : OPT-003, naming every variable that is not a whole number from 1 on, and every name that
            is a setting's but for a slip: its limit, or the passcode, would not be in force.

        Examples
        --------
        >>> Settings.read({"EVALCORE_MAX_ROWS": "1000"}).max_rows
        1000
        """
        names = [field.name for field in fields(Settings)]
        texts = {name: environment.get(f"{_PREFIX}{name.upper()}", "").strip() for name in names}
        given = {name: text for name, text in texts.items() if text}
        problems = [
            problem(
                "OPT-003",
                name=f"{_PREFIX}{name.upper()}",
                found=text,
                expected="a whole number from 1 on",
            )
            for name, text in given.items()
            if not _WHOLE.fullmatch(text)
        ]
        problems += _misspelt(environment)
        if problems:
            raise InputError(problems)
        numbers = {name: text.lstrip("0") for name, text in given.items()}
        return Settings(**{name: int(n) if len(n) < 19 else _NO_LIMIT for name, n in numbers.items()})


def _misspelt(environment: Mapping[str, str]) -> Iterator[Problem]:
    """Names that nearly are those of settings. What they are set to may be a passcode: it is not said."""
    known = {*(f"{_PREFIX}{one.name.upper()}" for one in fields(Settings)), *OTHER_VARIABLES}
    unknown = sorted(name for name in environment if name.startswith(_PREFIX) and name not in known)
    if not unknown:
        return
    from difflib import get_close_matches  # a hundredth of a second, that few need

    endings = [name.removeprefix(_PREFIX) for name in known]
    for name in unknown:
        for meant in get_close_matches(name.removeprefix(_PREFIX), endings, 1, 0.8):
            expected = f"{_PREFIX}{meant}, as the setting is called"
            yield problem("OPT-003", name=name, found="a value of no setting", expected=expected)


def too_many_replicates(counts: Mapping[str, object]) -> list[Problem]:
    """Numbers of replicates or swaps above `Settings.max_replicates`, each a problem; other faults are not.

    >>> too_many_replicates({"bootstrap": 2000, "permutations": 0})
    []
    """
    most = Settings.read().max_replicates
    expected = f"at most {most:,}, the limit that EVALCORE_MAX_REPLICATES sets"
    return [
        problem("OPT-003", name=name, found=f"{n:,}", expected=expected)
        for name, n in counts.items()
        if isinstance(n, int) and n > most
    ]
