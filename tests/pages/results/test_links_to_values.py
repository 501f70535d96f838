"""A link to values alone where something else of the same files is in use, and the other way round."""

import json

import pytest
from streamlit.testing.v1 import AppTest

import evalcore
from evalcore import Report
from evalcore.report import MetricsFile, metrics_json
from pages.shared.data import session
from pages.shared.links.data_name import DataName
from pages.shared.tasks import PAGES, RAG
from tests.pages.test_pages_links import EVIDENCE, LINK, link_to, opened, query, read, run, said

REPORT_PAGE = f"{EVIDENCE}report.py"
OTHERWISE = "was read otherwise"


@pytest.fixture(scope="module")
def report() -> Report:
    return evalcore.evaluate(read(), by=("criterion",))


@pytest.fixture(scope="module")
def written(report: Report) -> str:
    return metrics_json(report)


def values_of(text: str, label: str = "metrics.json") -> session.SessionData:
    found = MetricsFile.from_bytes(text.encode())
    return session.SessionData(found.data, label, is_sample=False, key=found.sha256, values=found)


def with_in_use(in_use: session.SessionData, page: str, link: dict[str, object]) -> AppTest:
    """A page opened by a link in a session that has something of its own in use."""
    app = opened(page, {})
    app.session_state[PAGES[in_use.data.task].slot] = in_use
    app.query_params.clear()
    for name, value in link.items():
        app.query_params[name] = value
    del app.session_state["address"]
    return run(app)


def link_of(in_use: session.SessionData) -> dict[str, list[str]]:
    """The address of a page that shows these values."""
    name = DataName.of(in_use.data, is_sample=False, file=in_use.label, values=in_use.values_digest)
    return name.as_query(in_use.data.task)


def test_where_the_rows_are_in_use_the_link_names_the_file_of_values(written: str) -> None:
    link = link_of(values_of(written)) | {"by": ["criterion"]}
    assert link["file"] == ["metrics.json"]
    app = opened(REPORT_PAGE, link, read())
    told = said(app)
    assert "This link belongs to the values in metrics.json (data " in told
    assert "What is shown is what they were computed from, mine.csv. Nothing was moved." in told
    assert "Load the file on the Data page: the link is used then." in told
    assert OTHERWISE not in told
    assert query(app) == link, "the address still asks for the values"
    app.session_state["data_in_use"] = values_of(written)
    app.session_state["data_revision"] = 10_000
    assert "These are the values of the link you opened; it is in use now." in said(run(app))
    assert app.selectbox(key="values_by").value == "criterion"


def test_where_they_are_in_use_the_link_is_used_at_once(written: str) -> None:
    in_use = values_of(written)
    app = with_in_use(in_use, REPORT_PAGE, link_of(in_use) | {"by": ["criterion"]})
    assert said(app) == ""
    assert link_of(in_use).items() <= query(app).items()
    assert app.selectbox(key="values_by").value == "criterion"


def test_a_column_that_values_are_not_broken_down_by_is_told() -> None:
    in_use = values_of(metrics_json(evalcore.evaluate(read())))
    told = said(with_in_use(in_use, REPORT_PAGE, link_of(in_use) | {"by": ["criterion"]}))
    assert "The link asks for by “criterion”, which is not here: these data have no such choice." in told


def test_other_values_of_the_same_files_are_not_taken_for_these(written: str) -> None:
    other = json.loads(written) | {"notes": ["computed again"]}
    app = with_in_use(values_of(json.dumps(other), "again.json"), REPORT_PAGE, link_of(values_of(written)))
    assert "What is shown are other values of the same files, again.json. Nothing was moved." in said(app)


def test_a_saved_report_is_named_where_a_link_leads_to_values(written: str, report: Report) -> None:
    saved = Report.from_bytes(report.to_bytes())
    in_use = session.SessionData(saved.unnamed_data, "r.evalcore", is_sample=False, key="r", report=saved)
    told = said(with_in_use(in_use, REPORT_PAGE, link_of(values_of(written))))
    assert "What is shown is a saved report of what they were computed from, r.evalcore." in told


def test_values_are_named_where_a_link_leads_to_rows_or_to_a_saved_report(written: str) -> None:
    for file in (None, "r.evalcore"):
        link = DataName.of(read(), is_sample=False, file=file).as_query("evidence") | LINK
        told = said(with_in_use(values_of(written), REPORT_PAGE, link))
        assert f"This link belongs to {file or 'mine.csv'} (data " in told
        assert "What is shown are the values of it alone, metrics.json. Nothing was moved." in told
        assert "the link’s model, thresholds and targets are used then" in told
        assert OTHERWISE not in told


def test_a_link_that_names_no_data_is_answered_where_values_are_in_use(written: str) -> None:
    told = said(with_in_use(values_of(written), REPORT_PAGE, {"tau": ["0.2", "0.7"]}))
    assert "This link cannot be used, and nothing was moved." in told
    assert "these data have no labels and scores to count at thresholds" in told


def test_rows_that_were_read_otherwise_are_still_told() -> None:
    assert OTHERWISE in said(opened(REPORT_PAGE, link_to(read()), read(positive="0")))


def test_of_annotations_too_the_sample_is_not_taken_for_its_values() -> None:
    """Their reading says nothing of the rows: by it alone both would be the same."""
    sample = evalcore.load([PAGES[RAG].sample])
    in_use = values_of(metrics_json(evalcore.evaluate(sample)))
    assert in_use.data.reading == sample.reading
    app = opened(PAGES[RAG].values, link_of(in_use))
    assert "This link belongs to the values in metrics.json (data " in said(app)
    assert "What is shown is what they were computed from, Sample: annotations." in said(app)
