"""Who has given the passcode, and how often it may be guessed."""

from __future__ import annotations

import hmac
import ipaddress
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from weakref import WeakValueDictionary

VARIABLE = "EVALCORE_PASSCODE"
HOUR = 3600.0
MOST_ADDRESSES = 10_000

Pace = tuple[int, float]
"""Wrong guesses without a wait, and the longest wait in seconds."""
OF_AN_ADDRESS: Pace = (5, 300.0)
OF_THE_SERVER: Pace = (50, 10.0)


class Pass:
    """What a session holds that has given the passcode; it ends with the session."""


_passes: WeakValueDictionary[str, Pass] = WeakValueDictionary()


def is_set() -> bool:
    """Whether there is a passcode."""
    return bool(os.environ.get(VARIABLE))


def is_right(guess: str) -> bool:
    """Whether this is the passcode; how long it takes does not tell how much of it is."""
    return hmac.compare_digest(guess.encode(errors="replace"), os.environ[VARIABLE].encode(errors="replace"))


def let_in(session_id: str) -> Pass:
    """The pass of a session, for it to keep."""
    return _passes.setdefault(session_id, Pass())


def has_passed(session_id: str) -> bool:
    """Whether a session may send anything."""
    return not is_set() or session_id in _passes


@dataclass
class _Wrong:
    """Wrong guesses one after the other.

    Parameters
    ----------
    n : how many.
    until : when the next one may be made.
    since : when the last one was made.
    """

    n: int = 0
    until: float = 0.0
    since: float = 0.0

    def wait(self, now: float) -> float:
        """Seconds until the next guess; after an hour without one all are forgotten."""
        if now - self.since > HOUR:
            self.n, self.until = 0, now
        return max(0.0, self.until - now)

    def count(self, now: float, pace: Pace) -> None:
        """Count a wrong guess: each one beyond the first doubles the wait."""
        free, longest = pace
        self.n, self.since = self.n + 1, now
        # 2.0 ** 1024 overflows; the longest wait is reached long before.
        self.until = now + min(longest, 2.0 ** min(self.n - free, 30)) if self.n >= free else now


class Guesses:
    """How often the passcode may be guessed, from one address and in all.

    The limit for all holds somebody with many addresses; who has given the passcode within the last hour is
    held to that of their address alone, so that such a person cannot keep them out.

    Parameters
    ----------
    clock
        Seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._of_all = _Wrong()
        self._of: OrderedDict[str, _Wrong] = OrderedDict()
        self._known: OrderedDict[str, float] = OrderedDict()

    def ask(self, address: str | None) -> float:
        """Seconds until an address may guess; with 0 it may now, and the guess counts as wrong until `right`.

        It is counted before it is compared: many sessions at once get no more guesses than one.
        """
        one, now = network(address), self._clock()
        with self._lock:
            of_one = self._of.get(one) or _Wrong()
            is_known = now - self._known.get(one, -HOUR) < HOUR
            wait = max(of_one.wait(now), 0.0 if is_known else self._of_all.wait(now))
            if wait == 0:
                of_one.count(now, OF_AN_ADDRESS)
                if not is_known:
                    self._of_all.count(now, OF_THE_SERVER)
                _keep(self._of, one, of_one)
        return wait

    def right(self, address: str | None) -> None:
        """The guess was right: those before it from this address no longer count."""
        one = network(address)
        with self._lock:
            self._of.pop(one, None)
            if one not in self._known:
                self._of_all.n, self._of_all.until = max(0, self._of_all.n - 1), self._clock()
            _keep(self._known, one, self._clock())

    def __len__(self) -> int:
        return max(len(self._of), len(self._known))


def _keep(of: OrderedDict[str, _Wrong] | OrderedDict[str, float], one: str, value: object) -> None:
    """Keep what is known of an address; of too many the oldest is forgotten."""
    of[one] = value  # type: ignore[assignment]
    of.move_to_end(one)
    while len(of) > MOST_ADDRESSES:
        of.popitem(last=False)


def network(address: str | None) -> str:
    """What counts as one address: of version 6 the first half, which one connection has to itself."""
    try:
        found = ipaddress.ip_address(address or "127.0.0.1")
    except ValueError:
        return "unknown"
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return str(ipaddress.ip_network((found, 64), strict=False))
    return str(found)


GUESSES = Guesses()
