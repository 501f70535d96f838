"""app.py leads to every page, without a browser."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parents[2]
PAGES = {
    "pages/common/data.py": "Data",
    "pages/evidence/operating_point.py": "Operating point",
    "pages/evidence/criteria.py": "Criteria",
    "pages/evidence/calibration.py": "Calibration",
    "pages/evidence/ranking.py": "Ranking",
    "pages/evidence/selection.py": "Selection",
    "pages/evidence/pipeline_steps.py": "Pipeline steps",
    "pages/evidence/failures.py": "Failures",
    "pages/evidence/compare.py": "Compare",
    "pages/evidence/report.py": "Report",
    "pages/common/reference.py": "Reference",
}


@pytest.fixture
def app() -> AppTest:
    """A session of the dashboard that has opened nothing yet."""
    return AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)


def test_first_screen_is_the_operating_point_and_keeps_the_query(app: AppTest) -> None:
    app.query_params["criterion"] = "A.9"
    app.run()
    assert [title.value for title in app.title] == ["Operating point"]
    assert app.query_params["criterion"] == "A.9"


@pytest.mark.parametrize(("file", "title"), PAGES.items())
def test_every_page_opens(app: AppTest, file: str, title: str) -> None:
    app.run()
    app.switch_page(file).run()
    assert [shown.value for shown in app.title] == [title]
    assert not app.exception


def test_guard_shows_no_page_before_the_passcode(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVALCORE_PASSCODE", "correct horse")
    app.run()
    assert [title.value for title in app.title] == ["Passcode"]

    app.text_input[0].set_value("correct horse")
    app.button[0].click().run()
    assert [title.value for title in app.title] == ["Operating point"]
