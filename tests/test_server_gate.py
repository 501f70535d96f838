"""Parts of the gate without a server: its place, its counting, and who waits for whom."""

import threading
from base64 import b64encode
from hashlib import sha256
from types import SimpleNamespace

import pytest
from starlette.formparsers import MultiPartParser
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec
from streamlit.web.server.starlette import starlette_app, starlette_server

from evalcore.problems import problem
from evalcore.settings import Settings
from pages.server import gate, uploads
from pages.server.headers import content_security_policy, with_security
from pages.server.uploads import RECORD, Ledger, UploadError
from pages.shared import session

SMALL = Settings(max_upload_mb=2, max_held_uploads_mb=4)


def record(file_id: str, n_bytes: int) -> UploadedFileRec:
    return UploadedFileRec(file_id=file_id, name="a.csv", type="text/csv", data=bytes(n_bytes))


@pytest.fixture
def files() -> MemoryUploadedFileManager:
    return MemoryUploadedFileManager("/_stcore/upload_file")


def test_gate_is_not_placed_around_a_server_that_is_built_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starlette_app, "create_starlette_app", lambda runtime: runtime)
    with pytest.raises(RuntimeError, match="the gate cannot be placed"):
        gate.install(Settings())
    monkeypatch.delattr(starlette_server, "create_starlette_app")
    with pytest.raises(RuntimeError, match="the gate cannot be placed"):
        gate.install(Settings())


def test_uploads_are_not_taken_where_the_parser_keeps_no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(MultiPartParser, "spool_max_size")
    with pytest.raises(RuntimeError, match="uploads would go to disk"):
        uploads.keep_in_memory(Settings())


def test_parser_keeps_as_much_in_memory_as_an_upload_may_have(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MultiPartParser, "spool_max_size", 1)
    uploads.keep_in_memory(SMALL)
    assert MultiPartParser.spool_max_size == 3_000_000


def test_ledger_counts_what_is_on_the_way_and_what_has_arrived(files: MemoryUploadedFileManager) -> None:
    ledger = Ledger(files, SMALL)
    files.add_file("one", record("a", 1_000_000))
    ledger.take("one", 500_000)
    ledger.take("other", 1_000)
    assert ledger.of_session("one") == 1_500_000 + RECORD
    assert ledger.of_all() == 1_501_000 + RECORD
    ledger.give_back("one", 500_000)
    files.remove_session_files("one")
    assert ledger.of_all() == 1_000
    ledger.give_back("other", 1_000)
    assert ledger.of_all() == 0


def test_ledger_refuses_what_is_too_much_for_a_session_and_for_all(files: MemoryUploadedFileManager) -> None:
    ledger = Ledger(files, SMALL)
    with pytest.raises(UploadError) as own:
        ledger.take("one", 3_000_001)
    assert own.value.problem.code == "FILE-021"
    ledger.take("one", 1_500_000)
    ledger.take("two", 1_500_000)
    with pytest.raises(UploadError) as of_all:
        ledger.take("three", 1_500_000)
    assert of_all.value.problem.code == "FILE-160"
    assert ledger.of_all() == 3_000_000, "what was refused is not counted"


def test_many_empty_files_count_too(files: MemoryUploadedFileManager) -> None:
    ledger = Ledger(files, SMALL)
    for at in range(3_000):
        files.add_file("one", record(str(at), 0))
    with pytest.raises(UploadError):
        ledger.take("one", 1)


def test_refusal_reaches_the_page_and_no_browser_can_send_one(files: MemoryUploadedFileManager) -> None:
    why = problem("FILE-160", n_bytes=2, limit=1)
    uploads.note_refusal(files, "one", "a", why)
    (kept,) = files.get_files("one", ["a"])
    assert uploads.refusal_of(kept) == why
    assert kept.data == b""
    sent = SimpleNamespace(type=str(kept.type))
    assert uploads.refusal_of(sent) is None


def test_large_readings_make_neither_small_ones_nor_evaluations_wait() -> None:
    """Every place for large readings is taken; one more waits, anything else does not."""
    n, done = session.SETTINGS.max_evaluations, []
    is_over, all_in = threading.Event(), threading.Barrier(n + 1)

    def read_large() -> None:
        with session.reading(session.SMALL_UPLOAD + 1):
            all_in.wait(timeout=30)
            is_over.wait(timeout=30)

    def read_one_more() -> None:
        with session.reading(session.SMALL_UPLOAD + 1):
            done.append("large")

    threads = [threading.Thread(target=read_large) for _ in range(n)]
    for one in threads:
        one.start()
    all_in.wait(timeout=30)
    waiting = threading.Thread(target=read_one_more)
    waiting.start()
    with session.reading(session.SMALL_UPLOAD):
        done.append("small")
    with session.heavy_work():
        done.append("evaluation")
    assert done == ["small", "evaluation"]
    is_over.set()
    for one in (*threads, waiting):
        one.join(timeout=30)
    assert done == ["small", "evaluation", "large"]


def test_inline_script_is_allowed_by_its_digest_alone() -> None:
    policy = content_security_policy("<script>one()</script><script src='x.js'></script>")
    digest = b64encode(sha256(b"one()").digest()).decode()
    assert f"'sha256-{digest}'" in policy
    assert policy.count("'sha256-") == 1
    assert "'unsafe-inline'" not in policy.split("script-src")[1].split(";")[0]


def test_security_headers_stand_once() -> None:
    own = [(b"Content-Security-Policy", b"none"), (b"x", b"1")]
    assert with_security(own, {b"content-security-policy": b"all"}) == [
        (b"x", b"1"),
        (b"content-security-policy", b"all"),
    ]
