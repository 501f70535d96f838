"""The log holds one line of a fault, and no value that somebody sent."""

import logging
from collections.abc import Iterator

import pytest
from streamlit import error_util
from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks.visitor import Visitor
from pages.server import log
from tests.browser.dashboard import Dashboard

SECRET = "X\n2026-01-01 00:00:00 the passcode was accepted\nY"


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """A dashboard behind a passcode."""
    folder = tmp_path_factory.mktemp("guarded")
    with Dashboard(log=folder / "log.txt", environment={"EVALCORE_PASSCODE": "correct horse"}) as running:
        yield running


@pytest.mark.parametrize("name", ["none", SECRET, "A" * 50_000])
def test_state_of_no_widget_leaves_one_line_without_its_name(guarded: Dashboard, name: str) -> None:
    before = guarded.log.read_text()
    with Visitor(guarded.url, "data") as one:
        one.run(forged=WidgetState(id=name, trigger_value=True))
        one.run()
        assert "Passcode" in one.text
    written = guarded.log.read_text().removeprefix(before)
    assert "a page could not be shown: KeyError at " in written
    assert "session_state.py:" in written
    assert name not in written
    assert "accepted" not in written
    assert "Traceback" not in written
    assert len(written) < 400


def test_fault_of_a_page_is_one_line_with_its_kind_and_place(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        raise ValueError("a value of the user")

    with caplog.at_level(logging.ERROR, logger="evalcore"):
        try:
            fail()
        except ValueError as error:
            log.note_fault(error)
    (record,) = caplog.records
    said = record.getMessage()
    assert said.startswith("a page could not be shown: ValueError at tests/server/test_server_log.py:")
    assert "value of the user" not in said
    assert record.exc_info is None


def test_fault_outside_of_the_project_names_the_line_that_led_there() -> None:
    try:
        logging.getLogger(3)  # type: ignore[arg-type]
    except TypeError as error:
        said = log.in_a_line(error)
    assert "logging/__init__.py:" in said
    assert "tests/server/test_server_log.py:" in said


def test_server_does_not_start_where_faults_are_logged_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(error_util, "_log_uncaught_app_exception")
    with pytest.raises(RuntimeError, match="values would reach the log"):
        log.install()
