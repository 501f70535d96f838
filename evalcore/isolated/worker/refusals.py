"""Why a file is not read, in a word and the facts that belong to it."""

from __future__ import annotations

import re
from typing import Any


class RefusedError(Exception):
    """A file is not read; ``facts`` say why, under ``refused`` in a word."""

    def __init__(self, why: str, **facts: Any) -> None:
        super().__init__(why)
        self.facts = {"refused": why, **facts}


def reason_of(error: BaseException) -> str:
    """The first sentence of a library's message without its stop, or the kind of error where it is mute."""
    first = re.split(r"\n|(?<=\.) ", str(error).strip() or type(error).__name__)[0]
    return first.rstrip(". ")[:160]
