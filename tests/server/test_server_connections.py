"""How many connections a server takes, how large their messages may be, and which of them it hears."""

import asyncio
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from uvicorn import Config, Server
from websockets.exceptions import ConnectionClosedError, InvalidStatus
from websockets.sync.client import connect

from benchmarks.visitor import Visitor
from evalcore.problems import InputError
from pages.server import connections, passcode, requests
from pages.server.connections import (
    LIMIT,
    MOST_BEFORE_THE_PASSCODE,
    MOST_BYTES,
    MOST_BYTES_BEFORE_THE_PASSCODE,
    MOST_CONNECTIONS,
    Connection,
    Seat,
    Seats,
    proxy_addresses,
)
from tests.browser.dashboard import Dashboard
from tests.support.live import process_folder, wait_for

PASSCODE = "correct horse"


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """A dashboard behind a passcode, which believes no header about addresses."""
    log = tmp_path_factory.mktemp("guarded") / "log.txt"
    with Dashboard(log=log, environment={"EVALCORE_PASSCODE": PASSCODE, "EVALCORE_PROXY": ""}) as running:
        yield running


def enter(one: Visitor) -> None:
    """Give the passcode, as soon as wrong guesses of other tests let this address."""
    wait = threading.Event()
    assert wait_for(lambda: _gives_it(one, wait))


def large(one: Visitor, n_bytes: int) -> WidgetState:
    """What a page sends where its text field holds much."""
    return WidgetState(id=one.widget("text_input").id, string_value="x" * n_bytes)


def test_large_message_ends_a_connection_before_the_passcode_and_not_after(guarded: Dashboard) -> None:
    with Visitor(guarded.url, "reference") as one:
        one.run(other=large(one, MOST_BYTES_BEFORE_THE_PASSCODE // 2))
        enter(one)
        one.run(other=large(one, MOST_BYTES // 2))
        with pytest.raises((ConnectionClosedError, OSError)):
            one.run(other=large(one, MOST_BYTES))
    with Visitor(guarded.url, "reference") as one, pytest.raises((ConnectionClosedError, OSError)):
        one.run(other=large(one, MOST_BYTES_BEFORE_THE_PASSCODE))
    assert "Traceback" not in guarded.log.read_text()


def test_message_that_is_never_ended_is_not_kept(guarded: Dashboard) -> None:
    with ExitStack() as open_ones:
        before = _resident(guarded)
        for _ in range(4):
            one = socket.create_connection(("127.0.0.1", guarded.port))
            open_ones.enter_context(one)
            head = ["GET /_stcore/stream HTTP/1.1", f"Host: 127.0.0.1:{guarded.port}", "Upgrade: websocket"]
            head += ["Connection: Upgrade", "Sec-WebSocket-Version: 13"]
            head += ["Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "", ""]
            one.sendall("\r\n".join(head).encode())
            one.recv(4000)
            try:
                one.sendall(b"\x82\xff" + struct.pack(">Q", 90_000_000) + bytes(4))
                for _ in range(80):
                    one.sendall(bytes(1_000_000))
            except OSError:  # the server has closed it
                continue
        assert _resident(guarded) - before < 60


def _resident(dashboard: Dashboard) -> float:
    """Memory of the process in MB."""
    pages = int((process_folder(dashboard) / "statm").read_text().split()[1])
    return pages * 4096 / 1e6


def test_one_address_holds_few_connections_before_the_passcode(guarded: Dashboard) -> None:
    address = guarded.url.replace("http", "ws") + "/_stcore/stream"
    with Visitor(guarded.url, "data") as inside, ExitStack() as open_ones:
        enter(inside)
        for _ in range(MOST_BEFORE_THE_PASSCODE):
            open_ones.enter_context(connect(address))
        with pytest.raises(InvalidStatus, match="HTTP 503") as refused, connect(address):
            pass
        assert refused.value.response.body == requests.FULL.encode()
        inside.open("criteria")
        assert "Criteria" in inside.text
    assert wait_for(lambda: _is_taken(address))


def _is_taken(address: str) -> bool:
    try:
        with connect(address):
            return True
    except InvalidStatus:
        return False


def test_word_of_a_stranger_about_their_address_is_not_believed(guarded: Dashboard) -> None:
    for at in range(passcode.OF_AN_ADDRESS[0]):
        with Visitor(guarded.url, headers={"X-Forwarded-For": f"203.0.113.{at}"}) as one:
            one.fill("Passcode", "wrong")
            one.click("Continue")
    with Visitor(guarded.url, headers={"X-Forwarded-For": "203.0.113.99"}) as one:
        # Each wrong guess doubles the wait, which a slow machine may sit out at first.
        assert wait_for(lambda: _guesses_wrong(one)), "the wait is that of the address behind the header"
        wait = threading.Event()
        assert wait_for(lambda: _gives_it(one, wait)), "the address may guess again"


def _guesses_wrong(one: Visitor) -> bool:
    one.fill("Passcode", "wrong")
    one.click("Continue")
    return "Too many wrong passcodes" in one.text


def _gives_it(one: Visitor, wait: threading.Event) -> bool:
    wait.wait(0.5)
    one.fill("Passcode", PASSCODE)
    one.click("Continue")
    return not one.text.startswith("Passcode")


@pytest.mark.parametrize("text", ["", " ", ","])
def test_no_proxy_is_believed_where_none_is_named(text: str) -> None:
    assert proxy_addresses(text) == []


def test_addresses_and_networks_of_proxies_are_read() -> None:
    assert proxy_addresses("127.0.0.1, 10.0.0.0/8,::1") == ["127.0.0.1", "10.0.0.0/8", "::1"]


@pytest.mark.parametrize("text", ["*", "proxy.example", "127.0.0.1, yes", "0.0.0.0/0", "::/0", "1"])
def test_proxy_that_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(InputError) as refused:
        proxy_addresses(text)
    assert refused.value.problems[0].code == "OPT-003"
    assert "EVALCORE_PROXY" in str(refused.value.problems[0])


def test_every_wrong_proxy_is_named_at_once() -> None:
    with pytest.raises(InputError) as refused:
        proxy_addresses("proxy.example, 127.0.0.1, 10.0.0.0/33")
    first, second = map(str, refused.value.problems)
    assert "EVALCORE_PROXY = proxy.example," in first
    assert "EVALCORE_PROXY = 10.0.0.0/33," in second


def test_every_server_of_the_process_starts_with_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    started = []

    async def startup(server: Server, sockets: object = None) -> None:
        started.append((server.config.ws_max_size, sockets))

    monkeypatch.setattr(Server, "startup", startup)
    monkeypatch.delenv("EVALCORE_PROXY", raising=False)
    connections.install()
    config = Config(lambda *_: None, ws_max_size=1)
    config.load()
    asyncio.run(Server(config).startup(sockets=[]))
    assert started == [(MOST_BYTES_BEFORE_THE_PASSCODE, [])]


def test_limits_of_connections_are_set_where_uvicorn_is_as_known() -> None:
    config = Config(lambda *_: None)
    with pytest.raises(RuntimeError, match="no http_protocol_class to set"):
        connections.limit(config, [])
    config.load()
    connections.limit(config, [])
    assert config.http_protocol_class is requests.HttpConnection
    assert config.ws_protocol_class is Connection
    assert config.ws_max_size == MOST_BYTES_BEFORE_THE_PASSCODE
    assert config.timeout_graceful_shutdown == connections.SECONDS_TO_END


@pytest.mark.parametrize(("proxies", "believed"), [([], False), (["127.0.0.1"], True), (["10.0.0.1"], False)])
def test_only_a_named_proxy_says_where_a_request_comes_from(proxies: list[str], believed: bool) -> None:
    seen = []

    async def app(scope: Any, _receive: Any, _send: Any) -> None:
        seen.append(scope["client"][0])

    config = Config(app)  # uvicorn by itself believes whoever is on this machine
    config.load()
    connections.limit(config, proxies)
    scope = {"type": "http", "client": ("127.0.0.1", 1), "headers": [(b"x-forwarded-for", b"203.0.113.7")]}
    asyncio.run(config.loaded_app(scope, None, None))
    assert seen == ["203.0.113.7" if believed else "127.0.0.1"]


class Opened:
    """What a server tells of a connection, and the limit that it was given."""

    def __init__(self, address: str = "203.0.113.7", session_id: str = "") -> None:
        self.limit = 0
        self.scope: dict[str, Any] = {
            "client": (address, 1),
            "subprotocols": ["streamlit", "token", *([session_id] if session_id else [])],
            "extensions": {LIMIT: {"set": lambda n_bytes: setattr(self, "limit", n_bytes)}},
        }


@pytest.fixture
def has_passcode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(passcode.VARIABLE, PASSCODE)


def test_seats_without_a_passcode_end_for_all_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(passcode.VARIABLE, raising=False)
    seats, opened = Seats(), Opened()
    with ExitStack() as taken:
        for _ in range(MOST_CONNECTIONS):
            assert taken.enter_context(seats.take(opened.scope)) is not None
        with seats.take(Opened("203.0.113.8").scope) as none:
            assert none is None
    assert opened.limit == MOST_BYTES
    with seats.take(opened.scope) as again:
        assert again is not None


@pytest.mark.usefixtures("has_passcode")
def test_seats_before_the_passcode_end_for_one_address() -> None:
    seats = Seats()
    with ExitStack() as taken:
        for _ in range(MOST_BEFORE_THE_PASSCODE):
            assert taken.enter_context(seats.take(Opened().scope)) is not None
        with seats.take(Opened().scope) as none, seats.take(Opened("203.0.113.8").scope) as other:
            assert none is None
            assert other is not None


def new_session(session_id: str) -> dict[str, Any]:
    """The message with which a server begins a run."""
    message = ForwardMsg()
    message.new_session.initialize.session_id = session_id
    return {"type": "websocket.send", "bytes": message.SerializeToString()}


@pytest.mark.usefixtures("has_passcode")
def test_seat_is_inside_once_its_session_has_given_the_passcode() -> None:
    seats, opened = Seats(), Opened()
    with seats.take(opened.scope) as seat:
        assert isinstance(seat, Seat)
        seat.note_sent(new_session("mine"))
        assert (opened.limit, seat.hears(message(file_urls_request=True))) == (0, False)
        held = passcode.let_in("mine")
        seat.note_sent(new_session("mine"))
        assert (opened.limit, seat.hears(message(file_urls_request=True))) == (MOST_BYTES, True)
        again = Opened(session_id="mine")
        with seats.take(again.scope):
            assert again.limit == MOST_BYTES, "a page that connects again is known"
    assert held is not None


def message(**kinds: bool) -> bytes:
    """A message of a page."""
    one = BackMsg()
    for kind in kinds:
        if kind in ("rerun_script", "file_urls_request", "backend_operation_request"):
            getattr(one, kind).SetInParent()
        else:
            setattr(one, kind, True)
    return one.SerializeToString()


@pytest.mark.parametrize("session_id", ["mine", "other"])
@pytest.mark.usefixtures("has_passcode")
def test_messages_that_no_page_needs_are_not_heard(session_id: str) -> None:
    held = passcode.let_in("mine")
    with Seats().take(Opened(session_id=session_id).scope) as seat:
        assert isinstance(seat, Seat)
        kinds = [field.name for field in BackMsg.DESCRIPTOR.oneofs_by_name["type"].fields]
        heard = {kind for kind in kinds if seat.hears(message(**{kind: True}))}
    inside = {"file_urls_request"} if session_id == "mine" else set()
    assert heard == {"rerun_script", "stop_script", "app_heartbeat"} | inside
    assert held is not None
