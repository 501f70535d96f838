"""A session of the running dashboard without a browser: what one would send, and the text it would show."""

from __future__ import annotations

import http.client
import itertools
import time
from collections.abc import Mapping
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit
from uuid import uuid4

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import ClientConnection, connect

SECONDS_TO_REST = 240
MOST_BYTES_OF_A_MESSAGE = 2**30


class Visitor:
    """One session, from `with` to the end of the block.

    Parameters
    ----------
    url
        Address of the dashboard, such as ``http://127.0.0.1:8501``.
    page
        Address of the page that is opened, without its slash.
    query
        What follows the question mark.
    headers
        Sent beside the usual ones.
    lost
        The session that a page without connection had; the server may not know it any more.
    """

    def __init__(
        self,
        url: str,
        page: str = "",
        *,
        query: str = "",
        headers: Mapping[str, str] | None = None,
        lost: str = "",
    ) -> None:
        self.url = url
        self.host = urlsplit(url).netloc
        self.session_id = ""
        self.elements: dict[tuple[int, ...], Any] = {}
        self._page, self._query, self._lost = page, query, lost
        self._headers = {"Origin": url, **(headers or {})}
        self._states: dict[str, WidgetState] = {}
        self._cookie = ""
        self._sent: list[str] = []
        self._open = ExitStack()
        self._socket: ClientConnection

    def __enter__(self) -> Self:
        answer = self.request("GET", "/_stcore/health")
        self._cookie = (answer.getheader("set-cookie") or "").partition(";")[0]
        opened = connect(
            self.url.replace("http", "ws", 1) + "/_stcore/stream",
            additional_headers={"Cookie": self._cookie, **self._headers},
            subprotocols=[part for part in ("streamlit", self._token, self._lost) if part],  # type: ignore[misc]
            max_size=MOST_BYTES_OF_A_MESSAGE,
            compression=None,
            open_timeout=60,
            ping_timeout=None,
        )
        self._socket = self._open.enter_context(opened)
        self.run()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    @property
    def _token(self) -> str:
        return self._cookie.partition("=")[2]

    def run(self, **states: WidgetState) -> None:
        """Run the page once, with what the widgets say, and wait until it has come to rest."""
        message = BackMsg()
        message.rerun_script.query_string = self._query
        message.rerun_script.page_name = self._page
        for state in (*self._states.values(), *states.values()):
            message.rerun_script.widget_states.widgets.append(state)
        self._socket.send(message.SerializeToString())
        self.listen()

    def open(self, page: str) -> None:
        """Go to another page through the menu."""
        self._page = page
        self._states.clear()
        self.run()

    def listen(self) -> None:
        """Take messages until the script has ended."""
        deadline = time.monotonic() + SECONDS_TO_REST
        while True:
            raw = self._socket.recv(timeout=max(0.1, deadline - time.monotonic()))
            message = ForwardMsg.FromString(raw if isinstance(raw, bytes) else raw.encode())
            kind = message.WhichOneof("type")
            if kind == "new_session":
                self.session_id = message.new_session.initialize.session_id or self.session_id
                self.elements.clear()
            elif kind == "page_info_changed":
                self._query = message.page_info_changed.query_string
            elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
                self.elements[tuple(message.metadata.delta_path)] = message.delta.new_element
            elif kind == "script_finished" and message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY:
                return

    @property
    def query(self) -> str:
        """What follows the question mark in the address now."""
        return self._query

    @property
    def text(self) -> str:
        """What is written on the page."""
        return "\n".join(map(_text, self.elements.values()))

    def widget(self, kind: str, label: str = "") -> Any:
        """The first widget of a kind whose label begins so."""
        for element in self.elements.values():
            if element.WhichOneof("type") == kind and getattr(element, kind).label.startswith(label):
                return getattr(element, kind)
        raise AssertionError(f"no {kind} called {label!r} on the page:\n{self.text}")

    def fill(self, label: str, value: str) -> None:
        """Write into a text field; sent with the next run."""
        state = WidgetState(id=self.widget("text_input", label).id, string_value=value)
        self._states[state.id] = state

    def click(self, label: str) -> None:
        """Press a button."""
        self.run(pressed=WidgetState(id=self.widget("button", label).id, trigger_value=True))

    def put(self, name: str, content: bytes, file_id: str = "", *, session_id: str = "") -> tuple[int, str]:
        """Send a file as the browser does, without telling the page; the status and what the server says."""
        body, kind = multipart(name, content)
        path = f"/_stcore/upload_file/{session_id or self.session_id}/{file_id or uuid4()}"
        self._sent.append(path)
        answer = self.request("PUT", path, body, {"Content-Type": kind, **self.token_headers})
        return answer.status, answer.text

    def withdraw(self) -> None:
        """Take back every file that was sent, as the browser does when one is removed from the field."""
        for path in self._sent:
            self.request("DELETE", path, headers=self.token_headers)
        self._sent.clear()

    @property
    def token_headers(self) -> dict[str, str]:
        """What shows that a request comes from a page of the server."""
        return {"Cookie": self._cookie, "X-Xsrftoken": self._token}

    def upload(self, **files: bytes) -> None:
        """Give files to the Data page and let it read them; names are the arguments, ``_`` for the dot."""
        self.upload_named({name.replace("_", ".", 1): content for name, content in files.items()})

    def upload_named(self, files: Mapping[str, bytes]) -> None:
        """Give files to the Data page and let it read them: name → bytes."""
        state = WidgetState(id=self.widget("file_uploader").id)
        for name, content in files.items():
            file_id = str(uuid4())
            status, said = self.put(name, content, file_id)
            assert status in (202, 204), f"{name}: {status} {said}"
            info = state.file_uploader_state_value.uploaded_file_info.add()
            info.name, info.size, info.file_id = name, len(content), file_id
            info.file_urls.file_id = file_id
        self._states[state.id] = state
        self.run()

    def request(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        """A request of its own connection."""
        return request(self.url, method, path, body, headers)


class Answer:
    """What a server answered."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.headers = response.headers
        self.text = response.read().decode(errors="replace")

    def getheader(self, name: str) -> str | None:
        """A header, whatever its case."""
        return self.headers.get(name)


def request(
    url: str, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
) -> Answer:
    """A request without a session."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=SECONDS_TO_REST)
    try:
        connection.request(method, path, body, dict(headers or {}))
        return Answer(connection.getresponse())
    finally:
        connection.close()


_boundaries = itertools.count(1)


def multipart(name: str, content: bytes) -> tuple[bytes, str]:
    """A body that holds a file, and its media type."""
    boundary = f"----visitor{next(_boundaries)}"
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"; filename="{name}"\r\n'
    kind = "Content-Type: application/octet-stream\r\n\r\n"
    return b"".join(
        [head.encode(), kind.encode(), content, f"\r\n--{boundary}--\r\n".encode()]
    ), f"multipart/form-data; boundary={boundary}"


def _text(element: Any) -> str:
    """What an element shows, as far as it is text."""
    kind = element.WhichOneof("type")
    shown = getattr(element, kind) if kind else None
    return str(getattr(shown, "body", "") or getattr(shown, "label", ""))
