"""Shorthands of the reader tests: read a text as an upload, and the problems of one as lines."""

from __future__ import annotations

from typing import Any

import pytest

from evalcore import load
from evalcore.data import Data
from evalcore.problems import InputError
from evalcore.readers import Upload

NAME = "predictions.csv"


def upload(text: str | bytes, name: str = NAME) -> Upload:
    """A file in memory."""
    return Upload(name, text if isinstance(text, bytes) else text.encode())


def read(text: str | bytes, **options: Any) -> Data:
    """The data in a text."""
    return load(upload(text), **options)


def refused(*inputs: Upload | str | bytes, **options: Any) -> list[str]:
    """What is wrong with inputs, each problem as its text and code; fails when nothing is."""
    files = [one if isinstance(one, Upload) else upload(one) for one in inputs]
    with pytest.raises(InputError) as caught:
        load(files, **options)
    return [f"{problem} [{problem.code}]" for problem in caught.value.problems]


def warned(data: Data) -> list[str]:
    """The warnings of data, each as its text and code."""
    return [f"{problem} [{problem.code}]" for problem in data.warnings]
