"""Bytes that are uploaded and not in use yet: never on disk, counted, and let go of."""

from __future__ import annotations

from collections import Counter
from typing import Any

from starlette.formparsers import MultiPartParser
from streamlit.runtime import Runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from evalcore.problems import Problem, problem
from evalcore.settings import Settings

FRAME = 1_000_000
"""Bytes of an upload that are not the file, at most: boundaries and names."""
RECORD = 1_000
"""Bytes that a file is counted with beside its own: many empty ones fill the memory too."""


def keep_in_memory(settings: Settings) -> None:
    """Let the parser of uploads write nothing to disk: from 1 MB on it would use a temporary file."""
    if not isinstance(getattr(MultiPartParser, "spool_max_size", None), int):
        raise RuntimeError("the parser of uploads has no spool_max_size: uploads would go to disk")
    MultiPartParser.spool_max_size = settings.max_upload_mb * 1_000_000 + FRAME


class UploadError(Exception):
    """An upload that does not fit; `problem` says why."""

    def __init__(self, why: Problem) -> None:
        super().__init__(str(why))
        self.problem = why


class Refusal(str):
    """Stands where the media type of an upload stands, which was refused: no browser can send such a one."""

    problem: Problem


class Ledger:
    """How many bytes of uploads the server holds, on the way and arrived, in all and for each session.

    Parameters
    ----------
    files
        Streamlit's manager of uploaded files.
    settings
        The limits.
    """

    def __init__(self, files: Any, settings: Settings) -> None:
        self._files = files
        self._of_session = settings.max_upload_mb * 1_000_000
        self._of_all = settings.max_held_uploads_mb * 1_000_000
        self._on_the_way: Counter[str] = Counter()

    def take(self, session_id: str, n_bytes: int) -> None:
        """Count bytes that arrive for a session.

        Raises
        ------
        UploadError
            FILE-021 where they are too many for one session, FILE-160 where the server holds too many.
        """
        self.check(session_id, n_bytes)
        self._on_the_way[session_id] += n_bytes

    def check(self, session_id: str, n_bytes: int) -> None:
        """Refuse bytes that do not fit; see `take`."""
        own = self.of_session(session_id) + n_bytes
        if own > self._of_session + FRAME:
            raise UploadError(problem("FILE-021", n_bytes=own, limit=self._of_session))
        held = self.of_all() + n_bytes
        if held > self._of_all:
            raise UploadError(problem("FILE-160", n_bytes=held, limit=self._of_all))

    def give_back(self, session_id: str, n_bytes: int) -> None:
        """Count bytes no longer: they have arrived, where the manager counts them, or never will."""
        self._on_the_way[session_id] -= n_bytes
        if not self._on_the_way[session_id]:
            del self._on_the_way[session_id]

    def of_session(self, session_id: str) -> int:
        """Bytes that are held for one session."""
        return held_for(self._files, session_id) + self._on_the_way[session_id]

    def of_all(self) -> int:
        """Bytes that are held for all sessions."""
        arrived = sum(held_for(self._files, session_id) for session_id in list(self._files.file_storage))
        return arrived + self._on_the_way.total()


def held_for(files: Any, session_id: str) -> int:
    """Bytes of the files that have arrived for a session."""
    # Copied in one step: a page may let go of files meanwhile, in its own thread.
    records = list(files.file_storage.get(session_id, {}).values())
    return sum(len(record.data) + RECORD for record in records)


def note_refusal(files: Any, session_id: str, file_id: str, why: Problem) -> None:
    """Keep the reason in place of the file, for the page to name: the browser shows a status code at most."""
    kind = Refusal("application/octet-stream")
    kind.problem = why
    files.add_file(session_id, UploadedFileRec(file_id=file_id, name="", type=kind, data=b""))


def refusal_of(file: Any) -> Problem | None:
    """Why the server did not take a file; None for one that it took."""
    return file.type.problem if isinstance(file.type, Refusal) else None


def release_own() -> None:
    """Let go of the raw bytes of this session's uploads: the data read from them are in use."""
    context = get_script_run_ctx()
    if context is not None:
        context.uploaded_file_mgr.remove_session_files(context.session_id)


def release_of_ended_sessions(runtime: Runtime) -> None:
    """Let go of sessions whose time is over, and of files that arrived for a session after its end.

    Streamlit does the first only when the next session connects or leaves, and never the second.
    """
    sessions = runtime._session_mgr  # noqa: SLF001 - no public way; see `check_internals`
    len(sessions._session_storage._cache)  # noqa: SLF001 - drops what has expired
    living = {info.session.id for info in sessions.list_sessions()}
    files: Any = runtime.uploaded_file_mgr
    for session_id in list(files.file_storage):
        if session_id not in living:
            files.remove_session_files(session_id)
