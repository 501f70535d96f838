"""A saved report on the pages: opened on the Data page, drawn from its tallies; what needs rows says so."""

import json
import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import evalcore
from evalcore import Report, evaluate
from evalcore.evaluation.criteria import criterion_results, ranking_bounds
from evalcore.explorer.page import explorer_page
from evalcore.kernels.policy import Policy
from evalcore.operating_point.test_rows.row_sets import row_set
from evalcore.operating_point.tradeoff.table import Targets, compute_tradeoff
from evalcore.report import report_files
from pages.shared.point.asking import GRANTED
from tests.pages.test_pages_data import codes, give, in_use, labels, texts
from tests.support.but_long import but_long

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "sample_data"
DRAWN = ("operating_point", "criteria", "calibration", "ranking", "selection", "pipeline_steps", "report")
NEED_ROWS = {"failures": "nothing to look at one by one", "compare": "nothing to pair"}


@pytest.fixture(scope="module")
def data():
    return evalcore.load([SAMPLE / "queries.csv", SAMPLE / "ranked_lists.csv"])


@pytest.fixture(scope="module")
def report(data) -> Report:
    return evaluate(data, tau_neg=0.05, tau_pos=0.5)


def page_of(name: str, app: AppTest) -> AppTest:
    folder = "common" if name == "data" else "evidence"
    app = app.switch_page(f"pages/{folder}/{name}.py").run()
    assert not app.exception
    return app


@pytest.fixture
def opened(report) -> AppTest:
    """A session that has opened the report on the Data page."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    page = give(page_of("data", app), ("r.evalcore", report.to_bytes()))
    assert "Saved report" in texts(page)
    next(one for one in page.button if one.label == "Open this report").click().run()
    assert not page.exception
    return page


def said(app: AppTest) -> str:
    return " ".join([texts(app), *(one.value for one in (*app.markdown, *app.info, *app.caption))])


def test_an_opened_report_is_what_every_page_shows(opened, report):
    assert in_use(opened).report.to_bytes() == report.to_bytes()
    shown = texts(opened)
    assert "r.evalcore" in shown
    assert "saved report" in shown
    assert "They need the rows, which a saved report does not hold" in shown


@pytest.mark.parametrize("name", but_long(DRAWN, 3))
def test_pages_that_need_tallies_alone_draw(opened, name):
    page = page_of(name, opened)
    assert "A saved report holds no rows: there is nothing" not in said(page)
    if name == "report":
        assert "This report counts test rows too." in said(page)
        assert not page.get("plotly_chart")
        shown = in_use(page)
        page.session_state[GRANTED] = {(shown.data.digest, shown.models[0], "Saved report, all rows")}
        page.run()
        assert not page.exception
        assert "As it was saved by evalcore" in said(page)
    assert page.get("plotly_chart") or name == "operating_point"


@pytest.mark.parametrize(("name", "sentence"), NEED_ROWS.items())
def test_pages_that_need_rows_say_so(opened, name, sentence):
    page = page_of(name, opened)
    assert f"A saved report holds no rows: there is {sentence}. Load what it was made of" in said(page)
    assert "queries.csv" in said(page)
    assert not page.get("plotly_chart")


def test_thresholds_are_looked_at_and_neither_searched_nor_exported(opened):
    page = page_of("operating_point", opened)
    assert "to export a document, which names its rows by a digest, load the files" in said(page)
    assert not [one for one in page.text_input if one.label == "Who chose"]


def test_a_page_that_forgets_to_ask_would_be_seen(opened, monkeypatch):
    """The fault: a page forgets to ask."""
    monkeypatch.setattr("pages.shared.data.session.needs_rows", lambda *_: False)
    page = opened.switch_page("pages/evidence/failures.py").run()
    assert "there is nothing to look at one by one" not in said(page)


def test_a_damaged_report_is_told_on_the_page(report):
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    raw = report.to_bytes()
    page = give(page_of("data", app), ("r.evalcore", raw[: len(raw) // 2]))
    assert codes(page) == ["REP-291"]
    assert "Open this report" not in labels(page)


def test_a_saved_report_among_data_is_named(report):
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    rows = "post_id,has_evidence,probability\na,1,0.9\nb,0,0.2\n"
    page = give(page_of("data", app), ("r.evalcore", report.to_bytes()), ("rows.csv", rows))
    assert "FILE-140" in codes(page)


@pytest.fixture(scope="module")
def of_annotations() -> Report:
    return evaluate(evalcore.load([SAMPLE / "rag"]), bootstrap=100)


@pytest.fixture
def opened_annotations(of_annotations) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    page = give(page_of("data", app), ("r.evalcore", of_annotations.to_bytes()))
    assert "metrics.csv" in [one.label for one in page.get("download_button")]
    next(one for one in page.button if one.label == "Open this report").click().run()
    assert not page.exception
    assert page.session_state["annotations_in_use"].report is not None
    return page


@pytest.mark.parametrize(
    "name", but_long(["rag_overview", "rag_annotators", "rag_retrieval", "rag_answers"], 2)
)
def test_pages_of_annotations_draw_what_the_files_draw(opened_annotations, name):
    page = opened_annotations.switch_page(f"pages/rag/{name}.py").run()
    assert not page.exception
    assert "saved report" in texts(page)
    sample = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    sample = sample.switch_page(f"pages/rag/{name}.py").run()
    if name == "rag_annotators":  # there annotators have numbers in place of names
        return
    told = [[one.value for one in app.get("html") if "data-bar" not in one.value] for app in (page, sample)]
    alike = [one for one in told[1] if "only discarded" not in one]  # the table that names single lists
    assert [one for one in told[0] if "a saved report holds no ids" not in one] == alike != []
    assert [one.value.to_csv() for one in page.dataframe] == [one.value.to_csv() for one in sample.dataframe]
    charts = [[one.proto.spec for one in app.get("plotly_chart")] for app in (page, sample)]
    assert charts[0] == charts[1]
    assert charts[0] or name == "rag_overview"


@pytest.mark.parametrize("name", ["rag_violations", "rag_compare"])
def test_pages_of_annotations_that_need_rows_say_so(opened_annotations, name):
    page = opened_annotations.switch_page(f"pages/rag/{name}.py").run()
    assert not page.exception
    assert "A saved report holds no rows: there is nothing to" in said(page)
    assert not page.dataframe


def test_annotations_of_a_saved_report_give_the_same_values_again(of_annotations):
    unnamed = Report.from_bytes(of_annotations.to_bytes()).unnamed_data
    again = evaluate(unnamed, bootstrap=100)
    assert again.table.equals(of_annotations.table)
    assert report_files(again) == report_files(of_annotations)


@pytest.mark.long
def test_the_report_page_offers_a_report_that_opens_again():
    app = page_of("report", AppTest.from_file(str(ROOT / "app.py"), default_timeout=120))
    next(one for one in app.button if one.label == "Make the report").click().run()
    assert not app.exception
    assert "report.evalcore" in [one.label for one in app.get("download_button")]


def test_tallies_say_what_rows_say(data, report):
    """Tables and bounds of the pages, from the rows and from the saved tallies."""
    unnamed = Report.from_bytes(report.to_bytes()).unnamed_data
    assert unnamed.reading == data.with_tables(rankings=None).reading
    pair = [row_set(of, "tune", split="tune", model="gnn_gate") for of in (data, unnamed)]
    targets = Targets(0.97, 0.7, 0.95, 0.95)
    first, second = (compute_tradeoff(one.scored, targets=targets) for one in pair)
    assert repr(first) == repr(second)
    results = [criterion_results(one.queries, 0.05, 0.5) for one in pair]
    assert [(one.criterion, one.auroc, one.bounds) for one in results[0]] == [
        (one.criterion, one.auroc, one.bounds) for one in results[1]
    ]
    bounds = [ranking_bounds(one.queries, replicates=100) for one in pair]
    assert bounds[0] == bounds[1]


@pytest.mark.long
def test_what_a_saved_report_holds_can_be_evaluated_again(data):
    report = evaluate(data.with_tables(rankings=None), bootstrap=100, by=("fold",))
    again = evaluate(Report.from_bytes(report.to_bytes()).unnamed_data, bootstrap=100, by=("fold",))
    assert again.table.equals(report.table)
    assert report_files(again)["report.html"] == report_files(report)["report.html"]


def test_lists_of_a_saved_report_know_their_split(data):
    from evalcore.splits import only_split

    report = evaluate(data, policy=Policy("fixed", k=3))
    unnamed = Report.from_bytes(report.to_bytes()).unnamed_data
    part, whole = only_split(unnamed, "tune"), only_split(data, "tune")
    assert len(part.queries) == len(whole.queries)
    assert len(part.lists) == whole.rankings.n_queries


def test_the_explorer_of_a_saved_report_can_be_taken_away_and_is_that_of_its_rows(data, report):
    def shown(source) -> dict[str, object]:
        rows = row_set(source, "tune", split="tune", model="gnn_gate")
        page = explorer_page(rows, compute_tradeoff(rows.scored), ("0.05", "0.5"))
        found = re.search(r'id="given">(.*?)</script>', page, re.DOTALL)
        assert found is not None
        assert "<dt>Synthetic</dt>" in page
        return json.loads(found[1])["payload"]

    assert shown(report.unnamed_data) == shown(data)
