"""Waiting for what may never come."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


def in_time(call: Callable[[], Result], seconds: float, watch: Callable[[], None] | None = None) -> Result:
    """The result of a call that may never return; it is left to itself after so many seconds.

    Parameters
    ----------
    watch : is called again and again meanwhile; what it raises ends the waiting. With it, there is no limit.

    Raises
    ------
    TimeoutError : where it took longer.

    Examples
    --------
    >>> in_time(lambda: 7, 1)
    7
    """
    found: list[Result] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            found.append(call())
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    end = time.monotonic() + seconds
    while thread.is_alive():
        thread.join(min(0.2, seconds))
        if watch is not None:
            watch()
        elif time.monotonic() > end and thread.is_alive():
            raise TimeoutError(f"no answer within {seconds:g} seconds")
    if failed:
        raise failed[0]
    return found[0]
