"""Bytes that are uploaded and not in use yet: never on disk, counted, and let go of."""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import Any

from starlette.formparsers import MultiPartParser
from streamlit.runtime import Runtime, memory_uploaded_file_manager
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileRec

from evalcore.problems import Problem, problem
from evalcore.settings import Settings

FRAME = 1_000_000
"""Bytes of an upload that are not the file, at most: boundaries and names."""
RECORD = 1_000
"""Bytes that a file is counted with beside its own: many empty ones fill the memory too."""
SMALL_SHARE = 5_000_000
"""Bytes of a session that are taken from what is kept back for small files."""
KEPT_BACK = 0.1
"""Part of what the server holds at most that large files leave to small ones."""
OF_AN_ADDRESS = 0.75
"""Part of what the sessions of one address may hold together of what other addresses leave."""
MOST_NOTED = 2_000
"""Sessions whose address is known before those that hold nothing are forgotten."""
SECONDS_UNUSED = 900
"""From then on a file that is not in use makes room for others."""


def keep_in_memory(settings: Settings) -> None:
    """Let the parser of uploads write nothing to disk, and no run of a page copy what was uploaded.

    The parser would use a temporary file from 1 MB on. Streamlit hands every run a copy of a widget's value,
    so that none can change it for the next; a page only reads files.
    """
    if not isinstance(getattr(MultiPartParser, "spool_max_size", None), int):
        raise RuntimeError("the parser of uploads has no spool_max_size: uploads would go to disk")
    MultiPartParser.spool_max_size = settings.max_upload_mb * 1_000_000 + FRAME
    UploadedFile.__deepcopy__ = lambda file, _: file  # type: ignore[attr-defined]


class UploadError(Exception):
    """An upload that does not fit; `problem` says why."""

    def __init__(self, why: Problem) -> None:
        super().__init__(str(why))
        self.problem = why


class Refusal(str):
    """Stands where the media type of an upload stands, which was refused: no browser can send such a one."""

    problem: Problem


class CountedFiles(MemoryUploadedFileManager):
    """Streamlit's manager of uploaded files, which also keeps the sums of what it holds.

    Parameters
    ----------
    upload_endpoint
        See there.
    clock
        Seconds.
    """

    def __init__(self, upload_endpoint: str, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(upload_endpoint)
        self._clock = clock
        self._counting = threading.RLock()
        self._of: Counter[str] = Counter()
        self._of_all = 0
        self._since: OrderedDict[tuple[str, str], float] = OrderedDict()
        self.broken_off: dict[str, Problem] = {}
        """Session → why its last upload was not heard to its end; until the next file of it arrives."""

    def add_file(self, session_id: str, file: UploadedFileRec) -> None:
        """Take a file in, in place of one with the same id."""
        with self._counting:
            self.broken_off.pop(session_id, None)
            self.remove_file(session_id, file.file_id)
            super().add_file(session_id, file)
            self._count(session_id, weight(file))
            self._since[session_id, file.file_id] = self._clock()

    def remove_file(self, session_id: str, file_id: str) -> None:
        """Let go of a file, if there is one."""
        with self._counting:
            file = self.file_storage.get(session_id, {}).get(file_id)
            super().remove_file(session_id, file_id)
            if file is not None:
                self._count(session_id, -weight(file))
                self._since.pop((session_id, file_id), None)

    def remove_session_files(self, session_id: str) -> None:
        """Let go of all files of a session."""
        with self._counting:
            for file_id in list(self.file_storage.get(session_id, ())):
                self.remove_file(session_id, file_id)
            super().remove_session_files(session_id)
            self.broken_off.pop(session_id, None)

    def _count(self, session_id: str, n_bytes: int) -> None:
        self._of[session_id] += n_bytes
        self._of_all += n_bytes
        if not self._of[session_id]:
            del self._of[session_id]

    def of_session(self, session_id: str) -> int:
        """Bytes of the files that have arrived for a session."""
        return self._of[session_id]

    def of_all(self) -> int:
        """Bytes of the files that have arrived."""
        return self._of_all

    def make_room(self) -> None:
        """Let go of files that were not put to use for long; the reason stays in their place."""
        with self._counting:
            before = self._clock() - SECONDS_UNUSED
            while self._since and next(iter(self._since.values())) < before:
                session_id, file_id = next(iter(self._since))
                note_refusal(self, session_id, file_id, problem("FILE-221", minutes=SECONDS_UNUSED // 60))


def weight(file: UploadedFileRec) -> int:
    """Bytes that a file is counted with."""
    return len(file.data) + sys.getsizeof(file.name) + sys.getsizeof(str(file.type)) + RECORD


def count_files() -> None:
    """Let the server that is started next keep the sums of its files.

    Raises
    ------
    RuntimeError
        When Streamlit keeps files otherwise than this module knows.
    """
    its_own = getattr(memory_uploaded_file_manager, "MemoryUploadedFileManager", object)
    if not issubclass(its_own, MemoryUploadedFileManager):
        raise RuntimeError("Streamlit keeps uploads otherwise than is known: they could not be counted")
    setattr(memory_uploaded_file_manager, "MemoryUploadedFileManager", CountedFiles)  # noqa: B010 - not for others


class Ledger:
    """How many bytes of uploads the server holds, on the way and arrived, in all and for each session.

    Parameters
    ----------
    files
        The manager of uploaded files.
    settings
        The limits.
    """

    def __init__(self, files: CountedFiles, settings: Settings) -> None:
        self._files = files
        self._of_session = settings.max_upload_mb * 1_000_000
        self._of_all = settings.max_held_uploads_mb * 1_000_000
        self._of_large = int(self._of_all * (1 - KEPT_BACK))
        self._small = min(SMALL_SHARE, self._of_all - self._of_large)
        self._on_the_way: Counter[str] = Counter()
        self._n_on_the_way = 0
        self._address_of: dict[str, str] = {}

    def note_address(self, session_id: str, address: str) -> None:
        """Count what a session holds for the address that its uploads come from."""
        if len(self._address_of) >= MOST_NOTED:
            self._address_of = {one: at for one, at in self._address_of.items() if self.of_session(one)}
        self._address_of[session_id] = address

    def take(self, session_id: str, n_bytes: int) -> None:
        """Count bytes that arrive for a session.

        Raises
        ------
        UploadError
            FILE-021 where they are too many for one session, FILE-160 where the server holds too many,
            FILE-220 where one session would hold more than half of what the others leave, and FILE-306 where
            all of one address would hold more than three quarters of what other addresses leave.
        """
        self.check(session_id, n_bytes)
        self._on_the_way[session_id] += n_bytes
        self._n_on_the_way += n_bytes

    def check(self, session_id: str, n_bytes: int) -> None:
        """Refuse bytes that do not fit; see `take`."""
        if self._reason(session_id, n_bytes) is not None:
            self._files.make_room()
        why = self._reason(session_id, n_bytes)
        if why is not None:
            raise UploadError(why)

    def _reason(self, session_id: str, n_bytes: int) -> Problem | None:
        own, held = self.of_session(session_id) + n_bytes, self.of_all() + n_bytes
        if own > self._of_session + FRAME:
            return problem("FILE-021", n_bytes=own, limit=self._of_session)
        if held > self._of_all:
            return problem("FILE-160", n_bytes=held, limit=self._of_all)
        share = max(0, self._of_large - (held - own)) // 2
        if own > max(share, self._small):
            return problem("FILE-220", n_bytes=own, limit=share)
        return self._reason_of_address(session_id, n_bytes, is_small=own <= self._small)

    def _reason_of_address(self, session_id: str, n_bytes: int, *, is_small: bool) -> Problem | None:
        """Several sessions of one visitor leave room for others too, and some of what is for small files."""
        address = self._address_of.get(session_id)
        if address is None:
            return None
        own = sum(self.of_session(one) for one, at in self._address_of.items() if at == address)
        left = (self._of_all if is_small else self._of_large) - (self.of_all() - own)
        limit = int(max(0, left) * (1 - KEPT_BACK / 2 if is_small else OF_AN_ADDRESS))
        return problem("FILE-306", n_bytes=own + n_bytes, limit=limit) if own + n_bytes > limit else None

    def give_back(self, session_id: str, n_bytes: int) -> None:
        """Count bytes no longer: they have arrived, where the manager counts them, or never will."""
        self._on_the_way[session_id] -= n_bytes
        self._n_on_the_way -= n_bytes
        if not self._on_the_way[session_id]:
            del self._on_the_way[session_id]

    def of_session(self, session_id: str) -> int:
        """Bytes that are held for one session."""
        return self._files.of_session(session_id) + self._on_the_way[session_id]

    def of_all(self) -> int:
        """Bytes that are held for all sessions."""
        return self._files.of_all() + self._n_on_the_way


def note_refusal(files: Any, session_id: str, file_id: str, why: Problem) -> None:
    """Keep the reason in place of the file, for the page to name: the browser shows a status code at most."""
    kind = Refusal("application/octet-stream")
    kind.problem = why
    files.add_file(session_id, UploadedFileRec(file_id=file_id, name="", type=kind, data=b""))


def refusal_of(file: Any) -> Problem | None:
    """Why the server did not take a file; None for one that it took."""
    return file.type.problem if isinstance(file.type, Refusal) else None


def broken_off() -> Problem | None:
    """Why the last upload of this session was not heard to its end, for the page to say."""
    context = get_script_run_ctx()
    found = getattr(context.uploaded_file_mgr, "broken_off", {}) if context is not None else {}
    return found.get(context.session_id) if context is not None else None


def release_own() -> None:
    """Let go of the raw bytes of this session's uploads: the data read from them are in use."""
    context = get_script_run_ctx()
    if context is not None:
        context.uploaded_file_mgr.remove_session_files(context.session_id)


def release_of_ended_sessions(runtime: Runtime) -> None:
    """Let go of sessions whose time is over, and of files that arrived for a session after its end.

    Streamlit does the first only when the next session connects or leaves, and never the second.
    """
    sessions: Any = runtime._session_mgr  # noqa: SLF001 - no public way; see `check_internals`
    len(sessions._session_storage._cache)  # noqa: SLF001 - drops what has expired
    living = {info.session.id for info in sessions.list_sessions()}
    files: Any = runtime.uploaded_file_mgr
    for session_id in list(files.file_storage):
        if session_id not in living:
            files.remove_session_files(session_id)
