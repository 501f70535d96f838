"""The Report page, through app.py: nothing before it is asked for, then the files that the core writes."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import evalcore
from evalcore.readers import Upload
from evalcore.report import drawings
from pages.shared import session

ROOT = Path(__file__).resolve().parents[1]
HEADER = "post_id,criterion_id,has_evidence,probability\n"
TINY = HEADER + "p1,A.10,1,0.1\np1,A.2,0,0.9\np2,A.10,0,0.4\np2,A.2,1,0.95\n"
ONE_CLASS = HEADER + "p1,A.1,0,0.9\np1,A.2,0,0.2\np2,A.1,0,0.1\n"
LISTS = "query_id,gold_ids,retriever_topk\nq1,d1,d1|d2\nq2,d3,d1|d2\n"


@pytest.fixture
def app() -> AppTest:
    """A session that has opened nothing yet, but will open the Report page."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    return app.switch_page("pages/evidence/report.py")


def give(app: AppTest, text: str) -> evalcore.data.Data:
    """Open the page on these data, at 0.3 and 0.8."""
    data = evalcore.load([Upload("given.csv", text.encode())])
    app.session_state["data_in_use"] = session.SessionData(
        data, "given.csv", is_sample=False, key=data.digest
    )
    app.query_params["tau"] = ["0.3", "0.8"]
    app.run()
    assert not app.exception
    return data


def make(app: AppTest) -> AppTest:
    """Press the button."""
    app.button(key="report_make").click().run()
    assert not app.exception
    return app


def kept(app: AppTest, name: str) -> object:
    """The last result of this name in the session."""
    return list(app.session_state[f"memo_{name}"].values())[-1]


def test_nothing_is_computed_before_it_is_asked_for(app: AppTest) -> None:
    give(app, TINY)
    assert "memo_report" not in app.session_state
    assert len(app.get("plotly_chart")) == len(app.get("download_button")) == 0


def test_files_are_those_of_the_core_at_the_thresholds_of_the_session(app: AppTest) -> None:
    data = give(app, TINY)
    app.multiselect(key="report_by").set_value(["criterion"]).run()
    make(app)
    expected = evalcore.evaluate(data, tau_neg=0.3, tau_pos=0.8, by=("criterion",))
    files = kept(app, "report_files")
    assert files == evalcore.report.report_files(expected)
    assert list(files) == ["metrics.csv", "metrics.json", "report.html", "report.md", "tables.tex"]
    assert [one.label for one in app.get("download_button")] == list(files)
    assert len(app.get("plotly_chart")) == len(drawings(expected)) > 5


def test_toggle_fills_undefined_values(app: AppTest) -> None:
    give(app, ONE_CLASS)
    assert "n/a: no row with evidence" in shown_values(make(app))
    app.toggle(key="report_fills").set_value(True).run()
    assert len(app.get("download_button")) == 0  # other options: asked for anew
    assert kept_value(make(app), "auroc") == 0.5


def shown_values(app: AppTest) -> str:
    """All tables as text."""
    return "\n".join(one.value.to_string() for one in app.dataframe)


def kept_value(app: AppTest, metric: str) -> float:
    """The overall value of a metric in the report of the session."""
    return float(kept(app, "report").value(f"classification.{metric}"))


def test_lists_alone_make_a_report(app: AppTest) -> None:
    give(app, LISTS)
    make(app)
    assert len(app.get("plotly_chart")) == 2
    assert len(app.get("download_button")) == 5


def test_sample_report_has_all_figures_and_is_remembered(app: AppTest) -> None:
    app.run()
    make(app)
    report = kept(app, "report")
    assert report.options.tau_neg == float(app.session_state["operating_point"].tau_neg)
    assert len(app.get("plotly_chart")) == len(drawings(report)) > 10
    assert app.session_state["operating_point"].tested is not None
    app.run()
    assert kept(app, "report") is report
