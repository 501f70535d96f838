"""How slow an upload may be: what is on its way takes room from others."""

import asyncio
import time
from collections.abc import Callable

from starlette.types import Message, Receive

SECONDS_OF_AN_UPLOAD = 900
SECONDS_OF_A_MEGABYTE = 60
BROKEN_OFF = "The upload was broken off."


class Pace:
    """Seconds that are left to an upload.

    Parameters
    ----------
    clock
        Seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        now = clock()
        self._end = now + SECONDS_OF_AN_UPLOAD
        self._next = now + SECONDS_OF_A_MEGABYTE
        self._n_bytes = 0
        self.was_too_slow = False

    def left(self) -> float:
        """Seconds in which the next megabyte, or the end, must come."""
        return max(0.0, min(self._end, self._next) - self._clock())

    def count(self, n_bytes: int) -> None:
        """Count bytes that came."""
        self._n_bytes += n_bytes
        if self._n_bytes >= 1_000_000:
            self._n_bytes, self._next = 0, self._clock() + SECONDS_OF_A_MEGABYTE

    def hurry(self, receive: Receive) -> Receive:
        """What is received; of what does not come in time, that it was broken off."""

        async def in_time() -> Message:
            try:
                message = await asyncio.wait_for(receive(), self.left())
            except TimeoutError:
                self.was_too_slow = True
                return {"type": "http.disconnect"}
            self.count(len(message.get("body", b"")))
            return message

        return in_time
