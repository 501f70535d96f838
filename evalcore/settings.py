"""Limits of one process, each read from an environment variable: ``EVALCORE_MAX_ROWS`` and so on."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields

from evalcore.problems import InputError, problem


@dataclass(frozen=True)
class Settings:
    """What one process takes on at most.

    Parameters
    ----------
    max_rows : data rows of one file.
    max_upload_mb : size of all files of one upload together, in megabytes of 10⁶ bytes.
    max_evaluations : uploads and evaluations that run at the same time; further ones wait their turn.
    """

    max_rows: int = 20_000_000
    max_upload_mb: int = 500
    max_evaluations: int = 2

    @staticmethod
    def read(environment: Mapping[str, str] = os.environ) -> Settings:
        """The settings that the variables of ``environment`` name, the defaults elsewhere.

        Raises
        ------
        InputError : OPT-003, naming every variable that is not a whole number from 1 on.

        Examples
        --------
        >>> Settings.read({"EVALCORE_MAX_ROWS": "1000"}).max_rows
        1000
        """
        names = [field.name for field in fields(Settings)]
        texts = {name: environment.get(f"EVALCORE_{name.upper()}", "").strip() for name in names}
        given = {name: text for name, text in texts.items() if text}
        wrong = [name for name, text in given.items() if not (text.isdecimal() and int(text) > 0)]
        if wrong:
            raise InputError(
                problem(
                    "OPT-003",
                    name=f"EVALCORE_{name.upper()}",
                    found=given[name],
                    expected="a whole number from 1 on",
                )
                for name in wrong
            )
        return Settings(**{name: int(text) for name, text in given.items()})
