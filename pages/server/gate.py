"""The gate: every request and every answer of the server passes it.

Streamlit answers uploads, components and metrics for anybody who can reach its port, takes a WebSocket from
every page of this machine, and leaves a traceback for a browser that goes away. The gate stands around it as
one ASGI application around another, so it holds for whatever Streamlit answers.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from urllib.parse import urlsplit
from uuid import UUID

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config
from streamlit.runtime import Runtime
from streamlit.web.server.server_util import is_allowed_origin
from streamlit.web.server.starlette import starlette_websocket

from evalcore.problems import Problem, problem
from evalcore.settings import Settings
from pages.server import connections, first_file, headers, passcode, uploads
from pages.server.connections import Seats
from pages.server.pace import BROKEN_OFF, SECONDS_OF_A_MEGABYTE, SECONDS_OF_AN_UPLOAD, Pace
from pages.server.uploads import FRAME, CountedFiles, Ledger, UploadError

LOG = logging.getLogger("evalcore")
SECONDS_BETWEEN_SWEEPS = 5
MOST_FILES = 1_000
"""Files of one session that are not in use yet."""
OPEN_BEFORE_THE_PASSCODE = ("health", "host-config")
"""What a browser asks for under `_stcore` before it can show the passcode form."""
CLOSED_BEFORE_THE_PASSCODE = ("_stcore", "component", "auth", "oauth2callback")


class Gate:
    """Streamlit's server with what it lacks.

    Parameters
    ----------
    app
        Streamlit's server, with its sessions and files.
    settings
        The limits.

    Raises
    ------
    RuntimeError
        When Streamlit is built otherwise than this module knows: it must not serve without the gate.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._runtime = runtime = Runtime.instance()
        files = runtime.uploaded_file_mgr
        if not isinstance(files, CountedFiles):
            raise RuntimeError("Streamlit keeps uploads otherwise than is known: they are not counted")
        self._files = files
        self._ledger = Ledger(self._files, settings)
        self._most_bytes = settings.max_upload_mb * 1_000_000 + FRAME
        html = first_file.first_file(first_file.STREAMLITS.read_text(encoding="utf-8"))
        self._first_file = html.encode()
        self._security = headers.security_headers(html)
        self._seats = Seats()
        uploads.release_of_ended_sessions(runtime)  # fails now where Streamlit keeps them otherwise
        # A frame that is no message is logged with a traceback, at the choice of whoever sends it.
        logging.getLogger(starlette_websocket.__name__).addFilter(_without_traceback)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it."""
        if scope["type"] == "lifespan":
            await self._live(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._connect(scope, receive, send)
        else:
            await self._answer(scope, receive, self._secured(send))

    async def _live(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sweep as long as the server lives."""
        sweeper = asyncio.create_task(self._sweep())
        try:
            await self._app(scope, receive, send)
        finally:
            sweeper.cancel()

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(SECONDS_BETWEEN_SWEEPS)
            uploads.release_of_ended_sessions(self._runtime)

    async def _connect(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take a WebSocket from a page of this server, or from a program, which sends no origin."""
        if not is_own_origin(Headers(scope=scope)):
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return
        with self._seats.take(scope) as seat:
            if seat is None:
                await connections.refuse(scope, receive, send)
            else:
                await self._app(scope, *connections.limited(seat, receive, send))

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = _path(scope)
        if not starlette_websocket.is_host_allowed(Headers(scope=scope).get("host")):
            await _say("This server is not called that; see server.allowedHosts.", 421, scope, receive, send)
        elif scope["method"] not in ("GET", "HEAD", "OPTIONS") and not is_own_origin(Headers(scope=scope)):
            await _say("Only pages of this server may send anything.", 403, scope, receive, send)
        elif passcode.is_set() and not _is_open(path, scope["method"]):
            await _say("The passcode of this dashboard comes first.", 403, scope, receive, send)
        elif _is_upload(path) and scope["method"] == "PUT":
            await self._upload(path[2], path[3], scope, receive, send)
        elif first_file.is_page(path):
            whole = first_file.instead(self._first_file, send, is_head=scope["method"] == "HEAD")
            await self._app(first_file.asked_whole(scope), receive, whole)
        else:
            await self._app(scope, receive, send)

    async def _upload(
        self, session_id: str, file_id: str, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Take a file into memory as far as there is room, and name the reason on the page where not."""
        if not _is_uuid(file_id) or not self._runtime.is_active_session(session_id):
            await _say("No upload of a page of this server.", 400, scope, receive, send)
            return
        if len(self._files.file_storage.get(session_id, ())) >= MOST_FILES:
            await _say(f"At most {MOST_FILES:,} files at a time.", 413, scope, receive, send)
            return
        pace = Pace()
        in_time = pace.hurry(receive)
        client = scope.get("client")
        self._ledger.note_address(session_id, passcode.network(client[0] if client else None))
        arrival = _Arrival(self._ledger, session_id, in_time, send)
        try:
            arrival.check(Headers(scope=scope).get("content-length", ""))
            await self._app(scope, arrival.receive, arrival.send)
        except UploadError as refusal:
            if await self._drain(in_time, arrival.forget()) and self._runtime.is_active_session(session_id):
                uploads.note_refusal(self._files, session_id, file_id, refusal.problem)
                # Any other status keeps the file from the page, which then could not say why.
                await _say(str(refusal.problem), 202, scope, receive, send)
            else:
                await _say(str(refusal.problem), 413, scope, receive, send)
        except ClientDisconnect:
            LOG.info("an upload was broken off")
            why = str(self._too_slow(session_id)) if pace.was_too_slow else BROKEN_OFF
            with suppress(OSError, RuntimeError):
                await _say(why, 408, scope, receive, send)
        finally:
            arrival.forget()

    def _too_slow(self, session_id: str) -> Problem:
        """Why a slow upload is heard no longer; the page says it, for its browser knows of no answer."""
        why = problem("FILE-307", seconds=SECONDS_OF_A_MEGABYTE, minutes=SECONDS_OF_AN_UPLOAD // 60)
        self._files.broken_off[session_id] = why
        info = self._runtime._session_mgr.get_session_info(session_id)  # noqa: SLF001 - no public way
        if info is not None:
            info.session.request_rerun(info.session._client_state)  # noqa: SLF001 - as for a changed file
        return why

    async def _drain(self, receive: Receive, n_bytes: int) -> bool:
        """Read the rest of a refused upload and keep nothing; whether all of it came."""
        while n_bytes <= self._most_bytes:
            message = await receive()
            n_bytes += len(message.get("body", b""))
            if message["type"] == "http.disconnect":
                return False
            if not message.get("more_body", False):
                return True
        return False

    def _secured(self, send: Send) -> Send:
        async def secured(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = message.get("headers", ())
                message = {**message, "headers": headers.with_security(own, self._security)}
            await send(message)

        return secured


class _Arrival:
    """An upload on its way: its bytes are counted, and it is heard no more once it is refused."""

    def __init__(self, ledger: Ledger, session_id: str, receive: Receive, send: Send) -> None:
        self._ledger, self._session_id = ledger, session_id
        self._receive, self._send = receive, send
        self._is_over = False
        self._n_bytes = 0

    def check(self, announced: str) -> None:
        """Refuse an upload whose length does not fit before its first byte is read."""
        if announced.isascii() and announced.isdigit() and len(announced) < 19:
            try:
                self._ledger.check(self._session_id, int(announced))
            except UploadError:
                self._is_over = True
                raise

    async def receive(self) -> Message:
        message = await self._receive()
        self._is_over |= message["type"] == "http.disconnect"
        n_bytes = len(message.get("body", b""))
        if n_bytes:
            try:
                self._ledger.take(self._session_id, n_bytes)
            except UploadError:
                self._is_over = True
                raise
            self._n_bytes += n_bytes
        return message

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.forget()  # from now on Streamlit holds the file, and the ledger sees it there
        if not self._is_over:  # what Streamlit says then is about a fault of its own
            await self._send(message)

    def forget(self) -> int:
        """Give back what was counted, once; how many bytes that were."""
        n_bytes, self._n_bytes = self._n_bytes, 0
        self._ledger.give_back(self._session_id, n_bytes)
        return n_bytes


def is_own_origin(sent: Headers) -> bool:
    """Whether a request comes from a page of this server, or from no page.

    Streamlit takes every page of this machine, whatever its port. A proxy that changes the host must name the
    address of the pages in `server.corsAllowedOrigins`.
    """
    origin = sent.get("origin")
    return origin is None or urlsplit(origin).netloc == sent.get("host") or is_allowed_origin(origin)


def _path(scope: Scope) -> list[str]:
    """The parts of a path below `server.baseUrlPath`."""
    base = (config.get_option("server.baseUrlPath") or "").strip("/")
    path: str = scope["path"]
    return path.removeprefix(f"/{base}" if base else "").lstrip("/").split("/")


def _is_upload(path: list[str]) -> bool:
    return path[:2] == ["_stcore", "upload_file"] and len(path) == 4


def _is_uuid(text: str) -> bool:
    """Whether an id is one that a page was given; others could be as long as an address may be."""
    try:
        return str(UUID(text)) == text
    except ValueError:
        return False


def _is_open(path: list[str], method: str) -> bool:
    """Whether a request is answered where there is a passcode: pages, and uploads of who gave it."""
    if _is_upload(path):
        return passcode.has_passed(path[2])
    if method not in ("GET", "HEAD", "OPTIONS"):
        return False
    if path[0] == "_stcore":
        return len(path) == 2 and path[1] in OPEN_BEFORE_THE_PASSCODE
    return path[0] not in CLOSED_BEFORE_THE_PASSCODE


async def _say(text: str, status: int, scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse(text, status)(scope, receive, send)


def _without_traceback(record: logging.LogRecord) -> bool:
    record.exc_info = None
    return True
