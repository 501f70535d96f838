"""Parts of the gate without a server: its place, its counting, and who waits for whom."""

import asyncio
import copy
import random
import threading
from base64 import b64encode
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.formparsers import MultiPartParser
from streamlit.proto.Common_pb2 import FileURLs
from streamlit.runtime import Runtime, memory_uploaded_file_manager
from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileRec

from evalcore.problems import problem
from evalcore.settings import Settings
from pages.server import first_file, gate, uploads
from pages.server.headers import content_security_policy, with_security
from pages.server.pace import Pace
from pages.server.uploads import SECONDS_UNUSED, CountedFiles, Ledger, UploadError, weight
from pages.shared.data import session
from tests.support.clock import Clock

SMALL = Settings(max_upload_mb=2, max_held_uploads_mb=4)


def record(file_id: str, n_bytes: int) -> UploadedFileRec:
    return UploadedFileRec(file_id=file_id, name="a.csv", type="text/csv", data=bytes(n_bytes))


@pytest.fixture
def files(clock: Clock) -> CountedFiles:
    return CountedFiles("/_stcore/upload_file", clock)


def test_nothing_is_served_where_streamlit_keeps_files_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Runtime, "instance", lambda: SimpleNamespace(uploaded_file_mgr=object()))
    with pytest.raises(RuntimeError, match="they are not counted"):
        gate.Gate(lambda *_: None, Settings())
    monkeypatch.setattr(memory_uploaded_file_manager, "MemoryUploadedFileManager", object)
    with pytest.raises(RuntimeError, match="they could not be counted"):
        uploads.count_files()


def test_uploads_are_not_taken_where_the_parser_keeps_no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(MultiPartParser, "spool_max_size")
    with pytest.raises(RuntimeError, match="uploads would go to disk"):
        uploads.keep_in_memory(Settings())


def test_parser_keeps_as_much_in_memory_as_an_upload_may_have(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MultiPartParser, "spool_max_size", 1)
    uploads.keep_in_memory(SMALL)
    assert MultiPartParser.spool_max_size == 3_000_000


def test_no_run_of_a_page_copies_an_upload() -> None:
    uploads.keep_in_memory(SMALL)
    file = UploadedFile(record("a", 10), FileURLs())
    assert copy.deepcopy([file])[0] is file


def test_ledger_counts_what_is_on_the_way_and_what_has_arrived(files: CountedFiles) -> None:
    ledger = Ledger(files, SMALL)
    files.add_file("one", record("a", 1_000_000))
    ledger.take("one", 500_000)
    ledger.take("other", 1_000)
    beside = weight(record("a", 0))
    assert ledger.of_session("one") == 1_500_000 + beside
    assert ledger.of_all() == 1_501_000 + beside
    ledger.give_back("one", 500_000)
    files.remove_session_files("one")
    assert ledger.of_all() == 1_000
    ledger.give_back("other", 1_000)
    assert ledger.of_all() == 0


def refusal(ledger: Ledger, session_id: str, n_bytes: int) -> str:
    """The code of the problem that bytes are refused with."""
    with pytest.raises(UploadError) as refused:
        ledger.take(session_id, n_bytes)
    return refused.value.problem.code


def test_ledger_refuses_what_is_too_much_for_a_session_and_for_all(files: CountedFiles) -> None:
    ledger = Ledger(files, SMALL)  # 3.6 MB for large files, and 0.4 MB for small ones
    assert refusal(ledger, "one", 3_000_001) == "FILE-021"
    assert refusal(ledger, "one", 1_800_001) == "FILE-220"
    ledger.take("one", 1_800_000)
    assert refusal(ledger, "two", 900_001) == "FILE-220"
    ledger.take("two", 900_000)
    assert refusal(ledger, "three", 450_001) == "FILE-220"
    for at in range(3):
        ledger.take(f"small {at}", 400_000)
    assert refusal(ledger, "three", 100_001) == "FILE-160"
    assert ledger.of_all() == 3_900_000, "what was refused is not counted"


def test_sessions_of_one_address_leave_room_for_those_of_others(files: CountedFiles) -> None:
    ledger = Ledger(files, SMALL)
    for at in range(20):
        ledger.note_address(f"greedy {at}", "203.0.113.7")
    ledger.note_address("other", "203.0.113.8")
    ledger.take("greedy 0", 1_800_000)
    ledger.take("greedy 1", 900_000)
    assert refusal(ledger, "greedy 2", 400_001) == "FILE-306"
    taken = 0
    while taken < 18 and ledger.of_all() + 100_000 <= 3_800_000:
        ledger.take(f"greedy {2 + taken}", 100_000)
        taken += 1
    assert refusal(ledger, "greedy 19", 100_001) == "FILE-306", "small ones end before those of others"
    ledger.take("other", 150_000)
    for at in (0, 1):
        ledger.give_back(f"greedy {at}", 1_800_000 if not at else 900_000)
    ledger.take("greedy 2", 400_001)


def test_sums_of_files_are_those_of_what_is_held(files: CountedFiles) -> None:
    rng = random.Random(7)
    for _ in range(2_000):
        session_id, file_id = rng.choice("abc"), rng.choice("123456")
        change = rng.choice(["add", "add", "remove", "end"])
        if change == "add":
            files.add_file(session_id, record(file_id, rng.randrange(1_000)))
        elif change == "remove":
            files.remove_file(session_id, file_id)
        else:
            files.remove_session_files(session_id)
        held = {one: sum(map(weight, files.file_storage.get(one, {}).values())) for one in "abc"}
        assert {one: files.of_session(one) for one in "abc"} == held
        assert files.of_all() == sum(held.values())


def test_names_and_media_types_count(files: CountedFiles) -> None:
    named = UploadedFileRec(file_id="a", name="é" * 100_000, type="x" * 50_000, data=b"")
    files.add_file("one", named)
    assert files.of_session("one") > 150_000


def test_file_that_was_long_not_in_use_makes_room_and_says_so(files: CountedFiles, clock: Clock) -> None:
    ledger = Ledger(files, SMALL)
    files.add_file("one", record("old", 1_700_000))
    clock.now = SECONDS_UNUSED - 1
    files.add_file("one", record("new", 50_000))
    assert refusal(ledger, "two", 1_700_000) == "FILE-220"
    clock.now = SECONDS_UNUSED + 1
    ledger.take("two", 100_000)
    old, new = files.get_files("one", ["old", "new"])
    assert len(old.data) == 1_700_000, "nobody needs its room"
    ledger.take("two", 1_600_000)
    old, new = files.get_files("one", ["old", "new"])
    assert uploads.refusal_of(old) == problem("FILE-221", minutes=15)
    assert (old.data, len(new.data)) == (b"", 50_000)


def awaited(receive: Callable[[], Coroutine[Any, Any, dict[str, Any]]]) -> dict[str, Any]:
    """What it receives, in a thread of its own: a browser of other tests may run a loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(receive())).result()


def test_slow_upload_is_heard_no_longer(clock: Clock) -> None:
    pace = Pace(clock)
    assert pace.left() == 60
    clock.now = 59
    pace.count(999_999)
    assert pace.left() == 1
    pace.count(1)
    assert pace.left() == 60
    for _ in range(13):
        clock.now += 60
        pace.count(1_000_000)
    clock.now += 60
    pace.count(10**9)
    assert pace.left() == 1, "all of it within 15 minutes"
    clock.now += 1

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": b"1"}

    assert not pace.was_too_slow
    assert awaited(pace.hurry(receive)) == {"type": "http.disconnect"}
    assert pace.was_too_slow
    assert awaited(Pace(clock).hurry(receive))["body"] == b"1"


def test_slow_upload_is_told_on_the_page_until_the_next_file_arrives(files: CountedFiles) -> None:
    why = problem("FILE-307", seconds=60, minutes=15)
    files.broken_off["one"] = why
    assert str(why) == (
        "found an upload that came too slowly and was not heard to its end, expected at least 1 MB in 60 "
        "seconds, and all of it within 15 minutes. Choose the file again over a faster connection, or "
        "compress it first (gzip, Parquet)."
    )
    files.add_file("other", record("a", 1))
    assert files.broken_off == {"one": why}
    files.add_file("one", record("a", 1))
    files.broken_off["one"] = why
    files.remove_session_files("one")
    assert files.broken_off == {}


def test_many_empty_files_count_too(files: CountedFiles) -> None:
    ledger = Ledger(files, SMALL)
    for at in range(3_000):
        files.add_file("one", record(str(at), 0))
    with pytest.raises(UploadError):
        ledger.take("one", 1)


def test_refusal_reaches_the_page_and_no_browser_can_send_one(files: CountedFiles) -> None:
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


def answered(path: str, status: int, kind: str, *, is_head: bool = False) -> tuple[dict[bytes, bytes], bytes]:
    """Headers and body that reach the browser where Streamlit answers with its own HTML or something else."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def answer() -> None:
        through = first_file.instead(b"ours", send, is_head=is_head)
        own = [(b"Content-Type", kind.encode()), (b"etag", b"theirs")]
        await through({"type": "http.response.start", "status": status, "headers": own})
        for part in (b"the", b"irs"):
            await through({"type": "http.response.body", "body": part, "more_body": part == b"the"})

    assert first_file.is_page(path.split("/"))
    asyncio.run(answer())
    return dict(sent[0]["headers"]), b"".join(one["body"] for one in sent[1:])


def test_a_page_is_answered_with_our_first_file_and_nothing_else_is() -> None:
    headers, body = answered("criteria", 200, "text/html; charset=utf-8")
    assert body == b"ours"
    assert headers[b"content-length"] == b"4"
    assert b"etag" not in headers
    assert answered("criteria", 200, "text/html", is_head=True)[1] == b""
    assert answered("criteria", 404, "text/html")[1] == b"theirs"
    assert answered("criteria", 200, "text/plain")[1] == b"theirs"
    others = ("manifest.json", "media/a", "_stcore/health")
    assert not any(first_file.is_page(path.split("/")) for path in others)


def test_a_browser_that_knows_streamlits_file_gets_ours_whole() -> None:
    scope = {"headers": [(b"If-None-Match", b"theirs"), (b"range", b"bytes=0-1"), (b"host", b"here")]}
    assert first_file.asked_whole(scope)["headers"] == [(b"host", b"here")]


def test_the_history_is_kept_before_streamlit_runs_and_an_unknown_first_file_is_refused() -> None:
    html = first_file.first_file(first_file.STREAMLITS.read_text(encoding="utf-8"))
    assert html.index("history.pushState") < html.index("<script type=")
    with pytest.raises(RuntimeError, match="the history cannot be kept"):
        first_file.first_file("<html></html>")
