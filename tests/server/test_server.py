"""What the server takes, holds and answers, over HTTP and WebSocket against the real process."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from uuid import uuid4

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from benchmarks.visitor import Visitor, multipart, request
from tests.browser.dashboard import Dashboard
from tests.support.live import (
    ROWS,
    break_off,
    bytes_written,
    files_opened,
    held_bytes,
    sending,
    wait_for,
)

LARGE = ROWS.encode() + b"\n" * 20_000_000
LIMITS = {"EVALCORE_MAX_UPLOAD_MB": "50", "EVALCORE_MAX_HELD_UPLOADS_MB": "120"}
ENDS_SOON = ("-m", "streamlit", "run", "app.py", "--server.disconnectedSessionTTL=2")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """A dashboard with small limits, whose sessions end two seconds after their connection."""
    log = tmp_path_factory.mktemp("served") / "log.txt"
    with Dashboard(log=log, command=ENDS_SOON, environment=LIMITS) as running:
        yield running


@pytest.fixture
def visitor(served: Dashboard) -> Iterator[Visitor]:
    """A session on the Data page."""
    with Visitor(served.url, "data") as one:
        yield one
        one.withdraw()


def test_upload_of_20_mb_touches_no_disk(served: Dashboard, visitor: Visitor) -> None:
    before = bytes_written(served)
    with files_opened(served) as opened:
        status, _ = visitor.put("large.csv", LARGE)
    assert status == 204
    assert opened == set()
    assert bytes_written(served) - before < 1_000_000


@pytest.mark.long
def test_reading_an_upload_of_20_mb_opens_no_file(served: Dashboard, visitor: Visitor) -> None:
    with files_opened(served) as opened:
        visitor.upload(large_csv=LARGE)
    assert "240 rows in = 240 used" in visitor.text
    assert opened == set()


@pytest.mark.long
def test_raw_bytes_are_let_go_of_once_the_data_are_in_use(served: Dashboard, visitor: Visitor) -> None:
    visitor.upload(large_csv=LARGE)
    assert wait_for(lambda: held_bytes(served) == len(LARGE))
    visitor.click("Use these data")
    assert "240 checks" in visitor.text
    assert wait_for(lambda: held_bytes(served) == 0)


def test_raw_bytes_of_a_session_end_with_it(served: Dashboard) -> None:
    with Visitor(served.url, "data") as one:
        one.put("large.csv", LARGE)
        assert wait_for(lambda: held_bytes(served) == len(LARGE))
    assert wait_for(lambda: held_bytes(served) == 0)


def test_file_that_does_not_fit_its_session_is_refused_on_the_page(visitor: Visitor) -> None:
    visitor.upload_named({"a.csv": LARGE, "b.csv": LARGE, "c.csv": LARGE})
    assert "FILE-021" in visitor.text
    assert "expected at most 50,000,000" in visitor.text


def test_upload_that_the_server_has_no_room_for_is_refused_on_the_page(
    served: Dashboard, visitor: Visitor
) -> None:
    with Visitor(served.url, "data") as other, Visitor(served.url, "data") as another:
        assert [other.put("large.csv", LARGE)[0] for _ in range(2)] == [204, 204]
        assert another.put("large.csv", LARGE)[0] == 204
        visitor.upload(large_csv=LARGE)
        assert "240 rows in = 240 used" in visitor.text
        visitor.upload_named({"a.csv": LARGE, "b.csv": LARGE})
        assert "FILE-220" in visitor.text
        assert "half of what uploads of others leave" in visitor.text
        assert "EVALCORE_MAX_HELD_UPLOADS_MB" in visitor.text
        visitor.upload(small_csv=ROWS.encode())
        assert "240 rows in = 240 used" in visitor.text
        other.withdraw()
        another.withdraw()


@pytest.mark.long
def test_sessions_that_take_all_they_can_leave_room_for_small_files(
    served: Dashboard, visitor: Visitor
) -> None:
    with ExitStack() as open_ones:
        greedy = [open_ones.enter_context(Visitor(served.url, "data")) for _ in range(4)]
        for one in greedy:
            for n_bytes in (40_000_000, 20_000_000, 10_000_000, 5_000_000, 2_000_000, 500_000):
                one.put("large.csv", b"1" * n_bytes)
        visitor.upload(small_csv=ROWS.encode() + b"\n" * 4_000_000)
        assert "240 rows in = 240 used" in visitor.text
        for one in greedy:
            one.withdraw()


@pytest.mark.parametrize("file_id", ["x", "a" * 60_000, "..", "6F9619FF-8B86-D011-B42D-00C04FC964FF"])
def test_upload_under_an_id_that_no_page_was_given_is_refused(visitor: Visitor, file_id: str) -> None:
    body, kind = multipart("mine.csv", ROWS.encode())
    headers = {"Content-Type": kind, **visitor.token_headers}
    answer = visitor.request("PUT", f"/_stcore/upload_file/{visitor.session_id}/{file_id}", body, headers)
    assert answer.status == 400


@pytest.mark.parametrize("announced", [True, False])
def test_refused_upload_keeps_nothing_and_says_why(visitor: Visitor, announced: bool) -> None:
    body, kind = multipart("huge.csv", b"\n" * 52_000_000)
    headers = {"Content-Type": kind, **visitor.token_headers}
    if not announced:
        headers["Transfer-Encoding"] = "chunked"
        pieces = [body[at : at + 2**20] for at in range(0, len(body), 2**20)]
        body = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
    answer = visitor.request("PUT", f"/_stcore/upload_file/{visitor.session_id}/{uuid4()}", body, headers)
    assert answer.status in (202, 413)
    assert "at most 50,000,000" in answer.text
    assert visitor.put("large.csv", LARGE)[0] == 204


def test_upload_that_is_broken_off_leaves_no_traceback_and_no_bytes(
    served: Dashboard, visitor: Visitor
) -> None:
    body, kind = multipart("half.csv", LARGE)
    path = f"/_stcore/upload_file/{visitor.session_id}/{uuid4()}"
    for part in (10, 5_000_000):
        headers = {"Content-Type": kind, **visitor.token_headers}
        break_off(served, path, headers, body[:part], announced=len(body))
    assert [visitor.put("large.csv", LARGE)[0] for _ in range(2)] == [204, 204]
    assert "Traceback" not in served.log.read_text()


@pytest.mark.parametrize("kind", ["multipart/form-data", "multipart/form-data; boundary=", "text/csv", ""])
def test_body_that_is_no_upload_leaves_no_traceback(served: Dashboard, visitor: Visitor, kind: str) -> None:
    path = f"/_stcore/upload_file/{visitor.session_id}/{uuid4()}"
    answer = visitor.request("PUT", path, b"--\r\n" * 1000, {"Content-Type": kind, **visitor.token_headers})
    assert answer.status == 400
    assert "Traceback" not in served.log.read_text()


@pytest.mark.parametrize("message", ["text", b"\xff\xff no message"])
def test_message_that_is_none_ends_the_connection_without_a_traceback(
    served: Dashboard, message: str | bytes
) -> None:
    with connect(served.url.replace("http", "ws") + "/_stcore/stream") as socket_:
        socket_.send(message)
        assert wait_for(lambda: socket_.close_code is not None or _is_closed(socket_))
    assert "Traceback" not in served.log.read_text()


def _is_closed(socket_: object) -> bool:
    try:
        socket_.recv(timeout=0.1)
    except TimeoutError:
        return False
    except ConnectionClosed:
        return True
    return False


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "http://127.0.0.1:1", "http://localhost.evil.example", "null", "x"]
)
def test_websocket_of_a_foreign_page_is_refused(served: Dashboard, origin: str) -> None:
    address = served.url.replace("http", "ws") + "/_stcore/stream"
    with pytest.raises(InvalidStatus, match="HTTP 403"), connect(address, origin=origin):
        pass


@pytest.mark.parametrize("origin", ["own", None])
def test_websocket_of_its_own_page_and_of_a_program_is_taken(served: Dashboard, origin: str | None) -> None:
    own = served.url if origin == "own" else None
    with connect(served.url.replace("http", "ws") + "/_stcore/stream", origin=own):
        pass


def test_upload_from_a_foreign_page_is_refused(visitor: Visitor) -> None:
    body, kind = multipart("mine.csv", ROWS.encode())
    headers = {"Content-Type": kind, **visitor.token_headers, "Origin": "http://127.0.0.1:1"}
    answer = visitor.request("PUT", f"/_stcore/upload_file/{visitor.session_id}/x", body, headers)
    assert (answer.status, answer.text) == (403, "Only pages of this server may send anything.")


def test_server_under_another_name_answers_nothing(served: Dashboard) -> None:
    assert request(served.url, "GET", "/", headers={"Host": "evil.example"}).status == 421


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 200),
        ("GET", "/operating_point", 200),
        ("GET", "/nowhere", 200),
        ("GET", "/_stcore/health", 200),
        ("GET", "/_stcore/host-config", 200),
        ("GET", "/_stcore/metrics", 200),
        ("GET", "/media/none.csv", 404),
        ("GET", "/component/none/x.js", 404),
        ("PUT", "/_stcore/upload_file/none/none", 400),
        ("DELETE", "/_stcore/upload_file/none/none", 403),
        ("GET", "/%2e%2e/%2e%2e/etc/passwd", 400),
        ("POST", "/", 405),
    ],
)
def test_every_answer_carries_the_security_headers(
    served: Dashboard, method: str, path: str, status: int
) -> None:
    answer = request(served.url, method, path)
    assert answer.status == status
    policy = answer.getheader("content-security-policy")
    assert "frame-ancestors 'none'" in policy
    assert "script-src 'self' blob: 'wasm-unsafe-eval' 'sha256-" in policy
    assert " 'unsafe-eval'" not in policy
    assert answer.getheader("x-frame-options") == "DENY"
    assert answer.getheader("x-content-type-options") == "nosniff"
    assert answer.getheader("referrer-policy") == "no-referrer"
    assert "camera=()" in answer.getheader("permissions-policy")


def test_upload_that_stops_gives_its_room_back(served: Dashboard, visitor: Visitor) -> None:
    """A connection that stays open and sends no more holds what it has sent, and not what it announced."""
    body, kind = multipart("slow.csv", LARGE)
    path = f"/_stcore/upload_file/{visitor.session_id}/{uuid4()}"
    headers = {"Content-Type": kind, **visitor.token_headers}
    part = sending(served, path, headers, body[:1000], announced=len(body))
    with part, Visitor(served.url, "data") as other:
        assert [other.put("large.csv", LARGE)[0] for _ in range(2)] == [204, 204]
        other.withdraw()


IMPATIENT = """
import sys
from pages.server import pace
from pages.shared import launch
pace.SECONDS_OF_A_MEGABYTE = 1
launch.main(sys.argv[1:])
"""


@pytest.mark.long
def test_upload_that_is_too_slow_is_named_on_the_page(tmp_path: Path) -> None:
    with (
        Dashboard(log=tmp_path / "log.txt", command=("-c", IMPATIENT)) as served,
        Visitor(served.url, "data") as visitor,
    ):
        body, kind = multipart("slow.csv", LARGE)
        path = f"/_stcore/upload_file/{visitor.session_id}/{uuid4()}"
        headers = {"Content-Type": kind, **visitor.token_headers}
        with sending(served, path, headers, body[:1000], announced=len(body)) as slow:
            answer = slow.recv(4096).decode()
        assert answer.startswith("HTTP/1.1 408 ")
        visitor.listen()  # the page runs again by itself
        assert "FILE-307" in visitor.text
        assert "an upload that came too slowly" in visitor.text
        visitor.upload(small_csv=ROWS.encode())
        assert "FILE-307" not in visitor.text
        assert "Traceback" not in served.log.read_text()


OF_LOST_DATA = "data=0600b753-93fc1d&file=mine.csv"
SAMPLE = "14,770 "


@pytest.mark.parametrize(("page", "place"), [("reference", "on the Data page"), ("data", "below")])
def test_page_without_data_of_its_own_says_where_to_load_lost_ones(
    served: Dashboard, page: str, place: str
) -> None:
    with Visitor(served.url, page, query=OF_LOST_DATA, lost=str(uuid4())) as one:
        assert "The server has lost your data: mine.csv" in one.text
        assert f"Load the file again {place}" in one.text
        kinds = [element.WhichOneof("type") for element in one.elements.values()]
        assert ("file_uploader" in kinds) == (page == "data")
        linked = [element.page_link.label for element in one.elements.values() if element.page_link.label]
        assert ("To the Data page" in linked) == (page == "reference")
        assert SAMPLE not in one.text
        one.click("Show the sample data")
        assert SAMPLE in one.text
        assert "lost your data" not in one.text


def test_data_page_of_a_lost_session_says_that_chosen_files_are_gone(served: Dashboard) -> None:
    said = "not yet in use have to be chosen again"
    with Visitor(served.url, "data", lost=str(uuid4())) as one:
        assert said in one.text
        assert SAMPLE in one.text
        one.upload(mine_csv=ROWS.encode())
        assert said not in one.text
        one.withdraw()
    with Visitor(served.url, "data") as one:
        assert said not in one.text
