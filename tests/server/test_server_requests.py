"""How many plain connections a server holds open, and how long it waits for a request to begin."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from pages.server import requests
from pages.server.requests import HttpConnection, Open

GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.fixture(autouse=True)
def limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few connections, little time, and nothing open yet."""
    monkeypatch.setattr(requests, "MOST_OF_AN_ADDRESS", 3)
    monkeypatch.setattr(requests, "SECONDS_OF_A_HEAD", 0.4)
    monkeypatch.setattr(requests, "OPEN", Open())


async def app(_: dict[str, Any], receive: Callable[[], Any], send: Callable[[Any], Any]) -> None:
    """Answers a request once its body is there."""
    while (await receive()).get("more_body", False):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


class Client:
    """One connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def says(self, *pieces: bytes, pause: float = 0.0) -> None:
        for piece in pieces:
            self.writer.write(piece)
            await self.writer.drain()
            await asyncio.sleep(pause)

    async def hears(self) -> bytes:
        """All that the server says until it ends the connection, in the middle of what it is sent too."""
        try:
            return await asyncio.wait_for(self.reader.read(), 60)
        except ConnectionResetError:
            return bytes(self.reader._buffer)

    async def hears_answer(self) -> bytes:
        return await asyncio.wait_for(self.reader.readuntil(b"ok"), 60)


def serve(visit: Callable[[Callable[[], Coroutine[Any, Any, Client]]], Coroutine[Any, Any, None]]) -> None:
    """Let a visit open connections to a server."""

    async def run() -> None:
        config, state = (
            uvicorn.Config(app, http=HttpConnection, lifespan="off", log_config=None),
            ServerState(),
        )
        config.load()
        server = await asyncio.get_running_loop().create_server(
            lambda: HttpConnection(config, state, {}), "127.0.0.1", 0
        )
        port = server.sockets[0].getsockname()[1]
        clients: list[Client] = []

        async def opened() -> Client:
            clients.append(Client(*await asyncio.open_connection("127.0.0.1", port)))
            return clients[-1]

        try:
            await visit(opened)
        finally:
            for client in clients:
                client.writer.close()
            server.close()
            await asyncio.sleep(0.1)

    with ThreadPoolExecutor(1) as thread:  # a browser of other tests may run a loop in this one
        thread.submit(lambda: asyncio.run(run())).result()


def test_connections_of_one_address_are_few_and_are_free_again_once_they_end() -> None:
    async def visit(opened: Callable[[], Coroutine[Any, Any, Client]]) -> None:
        held = [await opened() for _ in range(3)]
        await asyncio.sleep(0.1)
        refused = await (await opened()).hears()
        assert refused.startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
        assert refused.endswith(b"\r\n\r\n" + requests.FULL.encode())
        held[0].writer.close()
        await asyncio.sleep(0.1)
        again = await opened()
        await again.says(GET)
        assert (await again.hears_answer()).startswith(b"HTTP/1.1 200 OK")

    serve(visit)


@pytest.mark.parametrize("pieces", [(), tuple(bytes([one]) for one in GET)], ids=["nothing", "byte by byte"])
def test_request_that_does_not_begin_in_time_is_heard_no_longer(pieces: tuple[bytes, ...]) -> None:
    async def visit(opened: Callable[[], Coroutine[Any, Any, Client]]) -> None:
        client = await opened()
        slow = asyncio.create_task(client.says(*pieces, pause=0.1))
        answer = await client.hears()
        slow.cancel()
        assert answer.startswith(b"HTTP/1.1 408 Request Timeout\r\n")
        assert requests.OPEN._of == {}

    serve(visit)


def test_second_request_of_a_connection_must_begin_in_time_too() -> None:
    async def visit(opened: Callable[[], Coroutine[Any, Any, Client]]) -> None:
        client = await opened()
        await client.says(GET)
        await client.hears_answer()
        slow = asyncio.create_task(client.says(*(bytes([one]) for one in GET), pause=0.1))
        assert await client.hears() == b""
        slow.cancel()

    serve(visit)


def test_body_may_take_its_time() -> None:
    async def visit(opened: Callable[[], Coroutine[Any, Any, Client]]) -> None:
        client = await opened()
        head = b"PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\n\r\n"
        await client.says(head, *[b"1"] * 8, pause=0.1)
        assert (await client.hears_answer()).startswith(b"HTTP/1.1 200 OK")

    serve(visit)


def test_proxy_that_is_believed_has_as_many_as_all_have(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "MOST_OF_ALL", 5)
    found = Open()
    found.believe(["203.0.113.0/24"])
    assert [found.take("203.0.113.9") for _ in range(6)] == [True] * 5 + [False]
    found.give_back("203.0.113.9")
    assert found.take("2001:db8::/64")
