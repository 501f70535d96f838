"""Plain HTTP connections: how many one address and all together hold open, and how slow a request may begin.

The server underneath waits for the rest of a request for ever and takes every connection that the system
gives it: a few hundred that say nothing would use up its files, and nobody else would be answered.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections import Counter
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

from pages.server import passcode

MOST_OF_ALL = 400
MOST_OF_AN_ADDRESS = 150
"""A browser opens six at most; many people may share an address."""
FULL = "There are too many connections to this dashboard. Try again in a minute."
SECONDS_OF_A_HEAD = 20.0
"""From the first byte, or from the connection, to the end of what stands above the body."""


class Open:
    """How many connections are open, in all and from each address; believed proxies have no limit."""

    def __init__(self) -> None:
        self._n = 0
        self._of: Counter[str] = Counter()
        self._proxies: tuple[Any, ...] = ()

    def believe(self, proxies: list[str]) -> None:
        """Take the addresses of proxies, behind which many people are."""
        self._proxies = tuple(map(ipaddress.ip_network, proxies))

    def take(self, address: str) -> bool:
        """Count a connection, unless there are too many."""
        is_full = self._n >= MOST_OF_ALL
        if is_full or (self._of[address] >= MOST_OF_AN_ADDRESS and not self._is_proxy(address)):
            return False
        self._n += 1
        self._of[address] += 1
        return True

    def give_back(self, address: str) -> None:
        """Count a connection no longer."""
        self._n -= 1
        self._of[address] -= 1
        if not self._of[address]:
            del self._of[address]

    def _is_proxy(self, address: str) -> bool:
        try:
            found = ipaddress.ip_address(address)
        except ValueError:  # a network, of version 6
            return False
        return any(found in proxies for proxies in self._proxies)


OPEN = Open()
"""The connections of this process."""


class HttpConnection(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """A connection that is closed where there are too many, or where a request does not begin in time."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._address: str | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._is_handed_over = False

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        address = passcode.network(self.client[0] if self.client else None)
        if OPEN.take(address):
            self._address = address
            self._watch()
        else:
            self._end(503, FULL)

    def connection_lost(self, exc: Exception | None) -> None:
        self._let_go()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def handle_websocket_upgrade(self, *arguments: Any) -> None:
        """Hand the connection over to a page, which has limits of its own."""
        self._is_handed_over = True
        self._let_go()
        super().handle_websocket_upgrade(*arguments)

    def _let_go(self) -> None:
        self._stop_watching()
        if self._address is not None:
            OPEN.give_back(self._address)
            self._address = None

    def _watch(self) -> None:
        """Give a request that has not begun its time; more bytes of it give it no more."""
        is_busy = self.cycle is not None and not self.cycle.response_complete
        if is_busy or self._is_handed_over or self.transport.is_closing():
            self._stop_watching()
        elif self._timer is None:
            self._timer = self.loop.call_later(
                SECONDS_OF_A_HEAD, self._end, 408, "The request came too slowly."
            )

    def _stop_watching(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _end(self, status: int, text: str) -> None:
        """Close the connection, with the reason unless an answer was sent on it before."""
        if self.transport.is_closing():
            return
        if self.cycle is None:
            head = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}", f"content-length: {len(text)}"]
            head += ["content-type: text/plain", "connection: close", "retry-after: 60"]
            self.transport.write("\r\n".join([*head, "", text]).encode())
        self.transport.close()
