"""An exported document opened again on the Data page: its own data restore it, others move nothing."""

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.operating_point import point_from_thresholds
from pages.shared.point.marks import KEY
from pages.shared.point.point import PointState
from tests.pages.test_pages_data import give, in_use, texts, use

ROOT = Path(__file__).resolve().parents[3]
DATA, POINT = "pages/common/data.py", "pages/evidence/operating_point.py"
ROWS = "post_id,criterion_id,has_evidence,probability\n" + "".join(
    f"p{at},A.{1 + at % 2},{int(at % 3 == 0)},0.{(at * 37) % 1000:03d}\n" for at in range(300)
)


@pytest.fixture
def page() -> AppTest:
    """A session on the Data page with own rows in use."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).switch_page(DATA).run()
    return use(give(app, ("rows.csv", ROWS)))


def exported(app: AppTest, **changes: object) -> str:
    """A document of the data in use, with some of it changed."""
    point = point_from_thresholds(
        in_use(app).data, 0.11, 0.8, screening_sensitivity=0.97, alert_precision=0.7, author="Dr. A"
    )
    return json.dumps({**json.loads(point.text), **changes}) if changes else point.text


def drop(app: AppTest, text: str) -> AppTest:
    """Put a document among the files."""
    app.file_uploader[0].set_value([("point.json", text.encode(), "application/json")]).run()
    assert not app.exception
    return app


def state_of(app: AppTest) -> PointState:
    found: PointState = app.session_state["operating_point"]
    return found


def test_a_document_of_these_data_restores_thresholds_targets_and_what_was_said(page: AppTest) -> None:
    drop(page, exported(page))
    assert "skip below 0.11, alert from 0.8" in texts(page)
    assert "numbers not recomputed" in texts(page)
    page.button(key="open_point.json").click().run()
    assert not page.exception
    page.switch_page(POINT).run()
    state = state_of(page)
    assert state.pair == ("0.11", "0.8")
    assert (state.aim.screening_sensitivity, state.aim.alert_precision) == (0.97, 0.7)
    assert state.particulars == {"author": "Dr. A"}
    names = [one.name for one in page.session_state["pinned_points"][state.owner]]
    assert names == ["Before", "Document"]
    assert "numbers were counted again, all are as the document says" in texts(page)


@pytest.mark.parametrize(
    ("marks", "said"),
    [
        ((), "No group is marked that must not be missed, as in the document."),
        ((("criterion", "A.1"),), "Groups that must not be missed, as in the document: criterion = A.1."),
    ],
)
def test_marks_are_those_of_the_document_also_where_it_has_none(
    page: AppTest, marks: tuple[tuple[str, str], ...], said: str
) -> None:
    use(give(page, ("rows.csv", ROWS.replace("A.2", "A.9"))))
    point = point_from_thresholds(
        in_use(page).data, 0.11, 0.8, screening_sensitivity=0.97, alert_precision=0.7, must_not_miss=marks
    )
    drop(page, point.text)
    page.button(key="open_point.json").click().run()
    page.switch_page(POINT).run()
    assert not page.exception
    assert said in texts(page)
    assert page.session_state[KEY][1].marks == marks


def test_a_document_of_other_data_is_refused_and_waits_for_its_own(page: AppTest) -> None:
    text = exported(page)
    page.button(key="use_sample_evidence").click().run()
    drop(page, text)
    shown = texts(page)
    assert "This document was made on other data than those in use. Nothing was moved." in shown
    assert "OPT-076" in shown
    assert "open_point.json" not in [one.key for one in page.button]
    assert "operating_point" not in page.session_state or state_of(page).pair != ("0.11", "0.8")
    give(page, ("rows.csv", ROWS))
    use(page)
    page.button(key="open_point.json").click().run()
    assert state_of(page).pair == ("0.11", "0.8")


def test_numbers_of_a_document_stand_beside_those_of_other_rows_on_request(page: AppTest) -> None:
    text = exported(page)
    use(give(page, ("new.csv", ROWS.replace("p1,A.2,0", "p1,A.2,1"))))
    drop(page, text)
    page.checkbox(key="against_point.json").check().run()
    shown = " ".join(texts(page).split())
    assert "Then: all rows of rows.csv. Now: all rows of new.csv." in shown
    assert "These are the rows that the thresholds were chosen on. Verdicts are those of rows" in shown
    assert "Checks with evidence 100 of 300: 33.3 % 101 of 300: 33.7 %" in shown


def test_a_changed_document_is_told_and_can_be_forgotten(page: AppTest) -> None:
    drop(page, exported(page, title="Another title"))
    shown = texts(page)
    assert "This document cannot be opened. Nothing was moved." in shown
    assert "DOC-003" in shown
    page.button(key="forget_point.json").click().run()
    assert "an exported document" not in "\n".join(one.value for one in page.markdown)
