"""Files that the dashboard is started with are shown as uploads are; a session begins with them once."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.server import start_files
from pages.shared.data import session

ROOT = Path(__file__).resolve().parents[2]
ROWS = "post_id,criterion_id,has_evidence,probability\n" + "".join(
    f"p{i},A.1,{int(i % 3 == 0)},{i % 100 / 100}\n" for i in range(240)
)


@pytest.fixture
def app() -> Iterator[AppTest]:
    """A session that has opened nothing yet, on a server whose start files the test gives."""
    yield AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    start_files.keep([])


def titles(app: AppTest) -> list[str]:
    return [title.value for title in app.title]


def written(app: AppTest) -> str:
    """The texts of a page."""
    return "\n".join(str(one.value) for one in (*app.markdown, *app.get("html")) if hasattr(one, "value"))


def test_a_file_is_in_use_on_the_first_screen_until_something_else_is(app: AppTest) -> None:
    start_files.keep([("rows.csv", ROWS.encode())])
    app.run()
    assert titles(app) == ["Operating point"]
    in_use: session.SessionData = app.session_state["data_in_use"]
    assert (in_use.label, in_use.is_sample, len(in_use.data.queries.has_evidence)) == ("rows.csv", False, 240)
    app.switch_page("pages/common/data.py").run()
    next(button for button in app.button if button.label == "Use the sample data").click().run()
    assert app.session_state["data_in_use"].is_sample
    app.run()
    assert app.session_state["data_in_use"].is_sample


def test_files_of_another_task_open_on_its_pages(app: AppTest) -> None:
    folder = ROOT / "sample_data" / "rag"
    start_files.keep([("retrieval.csv", (folder / "retrieval.csv").read_bytes())])
    app.run()
    assert titles(app) == ["RAG overview"]


@pytest.mark.parametrize(
    ("name", "content"),
    [("bad.csv", b"post_id,probability\np1,0.5\n"), ("none.csv", b""), ("some.bin", b"\x00\x01" * 99)],
)
def test_a_file_that_cannot_be_used_is_shown_with_its_problems(
    app: AppTest, name: str, content: bytes
) -> None:
    start_files.keep([(name, content)])
    app.run()
    assert titles(app) == ["Data"]
    assert not app.exception
    assert "data_in_use" not in app.session_state or app.session_state["data_in_use"].is_sample
    assert f"{name}" in written(app)
    assert "These files cannot be used yet." in written(app)


def test_nobody_sees_a_file_before_the_passcode(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVALCORE_PASSCODE", "correct horse")
    start_files.keep([("rows.csv", ROWS.encode())])
    app.run()
    assert titles(app) == ["Passcode"]
    assert "data_in_use" not in app.session_state
