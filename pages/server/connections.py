"""Connections of pages: how many there are, what they may send and how much, and whose address counts."""

from __future__ import annotations

import ipaddress
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from socket import socket
from typing import Any

from google.protobuf.message import DecodeError
from starlette.types import Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from uvicorn import Config, Server
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request

from evalcore.problems import InputError, problem
from pages.server import passcode, requests

PROXY = "EVALCORE_PROXY"
MOST_BYTES = 2_000_000
"""Of one message: the state of every widget of a page."""
MOST_BYTES_BEFORE_THE_PASSCODE = 64_000
"""A page that connects again, after a restart, sends the state of its widgets along."""
MOST_CONNECTIONS = 500
MOST_BEFORE_THE_PASSCODE = 50
"""From one address."""
SECONDS_TO_END = 5
"""From the signal that ends the server to its end, whatever is still under way."""
NEEDED = frozenset({"rerun_script", "stop_script", "app_heartbeat"})
NEEDED_INSIDE = NEEDED | {"file_urls_request"}
"""Messages that are heard; others empty the caches of all sessions or are for whoever develops."""
LIMIT = "evalcore.limit"


def install() -> None:
    """Let servers of this process take small messages only, and believe no stranger's headers.

    Streamlit sets uvicorn up before it imports the app, so what is said here is set when uvicorn starts.

    Raises
    ------
    InputError
        OPT-003 where `EVALCORE_PROXY` names no addresses.
    """
    proxies = proxy_addresses(os.environ.get(PROXY, ""))
    requests.OPEN.believe(proxies)
    start = Server.startup

    async def start_limited(server: Server, sockets: list[socket] | None = None) -> None:
        limit(server.config, proxies)
        await start(server, sockets=sockets)

    setattr(Server, "startup", start_limited)  # noqa: B010 - not for others to set


def limit(config: Config, proxies: list[str]) -> None:
    """Set a loaded configuration of uvicorn to connections with limits.

    Raises
    ------
    RuntimeError
        When uvicorn is set up otherwise than this module knows.
    """
    own = {
        "http_protocol_class": requests.HttpConnection,
        "ws_protocol_class": Connection,
        "ws_max_size": MOST_BYTES_BEFORE_THE_PASSCODE,
        "timeout_graceful_shutdown": SECONDS_TO_END,  # by itself it waits for whoever reads no further
        "lifespan": "on",  # what the gate refuses at the start ends the process
        "loaded_app": _behind(getattr(config, "loaded_app", None), proxies),
    }
    for name, value in own.items():
        if not hasattr(config, name):
            raise RuntimeError(f"uvicorn is set up otherwise than is known: no {name} to set")
        setattr(config, name, value)


def _behind(app: Any, proxies: list[str]) -> Any:
    """An application that believes these proxies on where a request comes from, and nobody else."""
    inside = app.app if isinstance(app, ProxyHeadersMiddleware) else app
    return ProxyHeadersMiddleware(inside, trusted_hosts=proxies) if proxies else inside


def proxy_addresses(text: str) -> list[str]:
    """The addresses whose word on where a request comes from is taken; none where none is named.

    Raises
    ------
    InputError
        OPT-003 for a name or a sign that would let everybody say it.
    """
    addresses = [part.strip() for part in text.split(",") if part.strip()]
    expected = "addresses or networks of proxies, such as 127.0.0.1"
    wrong = [
        problem("OPT-003", name=PROXY, found=address, expected=expected)
        for address in addresses
        if _is_everybody(address)
    ]
    if wrong:
        raise InputError(wrong)
    return addresses


def _is_everybody(address: str) -> bool:
    """Whether an address is a name, or a network that holds every address."""
    try:
        return ipaddress.ip_network(address).prefixlen == 0
    except ValueError:
        return True


class Connection(WebSocketsSansIOProtocol):
    """A connection whose limit can be raised while it is open."""

    def handle_connect(self, event: Request) -> None:
        super().handle_connect(event)
        if hasattr(self, "scope"):  # not where the request was no proper one
            self.scope["extensions"][LIMIT] = {"set": self.set_limit}

    def set_limit(self, n_bytes: int) -> None:
        """The most bytes of a message from now on."""
        self.conn.max_message_size = n_bytes


class Seats:
    """How many connections are open, in all and, before the passcode, from each address."""

    def __init__(self) -> None:
        self._n = 0
        self._outside: Counter[str] = Counter()

    @contextmanager
    def take(self, scope: Scope) -> Iterator[Seat | None]:
        """A seat for a connection as long as the block lasts; None where there is none left."""
        client = scope.get("client")
        seat = Seat(scope, self._outside, passcode.network(client[0] if client else None))
        if self._n >= MOST_CONNECTIONS or self._outside[seat.address] >= MOST_BEFORE_THE_PASSCODE:
            yield None
            return
        self._n += 1
        seat.sit_down()
        try:
            yield seat
        finally:
            self._n -= 1
            seat.stand_up()


class Seat:
    """One connection: outside until its session has given the passcode."""

    def __init__(self, scope: Scope, outside: Counter[str], address: str) -> None:
        self.address = address
        self._outside = outside
        self._is_outside = False
        self._set_limit = scope.get("extensions", {}).get(LIMIT, {}).get("set", lambda _: None)
        parts = scope.get("subprotocols") or []
        self._session_id = parts[2] if len(parts) > 2 else ""

    def sit_down(self) -> None:
        """Count the connection; one of a session that has given the passcode is inside at once."""
        self._is_outside = True
        self._outside[self.address] += 1
        self._look()

    def stand_up(self) -> None:
        """Count the connection no longer among those outside."""
        if self._is_outside:
            self._is_outside = False
            self._outside[self.address] -= 1
            if not self._outside[self.address]:
                del self._outside[self.address]

    def _look(self) -> None:
        if self._is_outside and passcode.has_passed(self._session_id):
            self.stand_up()
            self._set_limit(MOST_BYTES)

    def hears(self, data: bytes) -> bool:
        """Whether a message is one that the pages need; one that cannot be read is Streamlit's to refuse."""
        try:
            kind = BackMsg.FromString(data).WhichOneof("type")
        except DecodeError:
            return True
        return kind in (NEEDED if self._is_outside else NEEDED_INSIDE)

    def note_sent(self, message: Message) -> None:
        """Learn from what the server says which session this is."""
        data = message.get("bytes")
        if self._is_outside and data:
            sent = ForwardMsg.FromString(data)
            if sent.WhichOneof("type") == "new_session":
                self._session_id = sent.new_session.initialize.session_id or self._session_id
            self._look()


async def refuse(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a connection for which there is no seat."""
    await receive()
    if "websocket.http.response" not in scope.get("extensions", {}):
        await send({"type": "websocket.close", "code": 1013})
        return
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"retry-after", b"60")]
    await send({"type": "websocket.http.response.start", "status": 503, "headers": headers})
    await send({"type": "websocket.http.response.body", "body": requests.FULL.encode()})


def limited(seat: Seat, receive: Receive, send: Send) -> tuple[Receive, Send]:
    """What a connection hears and says, without messages that no page needs."""

    async def heard() -> Message:
        while True:
            message = await receive()
            if message["type"] != "websocket.receive":
                return message
            data: Any = message.get("bytes")
            if data is None:
                await send({"type": "websocket.close", "code": 1003})  # Streamlit would log a traceback
                return {"type": "websocket.disconnect", "code": 1003}
            if seat.hears(data):
                return message

    async def said(message: Message) -> None:
        if message["type"] == "websocket.send":
            seat.note_sent(message)
        await send(message)

    return heard, said
