"""A metrics.json on the pages: opened on the Data page, shown on the page of values; other pages say so."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from evalcore import Report
from evalcore.report import MetricsFile, layout, metrics_json
from pages.server import start_files
from pages.shared.data import session
from pages.shared.results import opened, tables
from pages.shared.tasks import PAGES
from tests.pages.test_pages_data import codes, give, labels, texts
from tests.report.test_saved_report import report_of
from tests.support.hostile_names import NAMES, PICTURE, SCRIPT

ROOT = Path(__file__).resolve().parents[3]
EVIDENCE, RAG, RECOMMENDER = PAGES
OTHERS = {
    EVIDENCE: [
        *("operating_point", "criteria", "calibration", "ranking", "selection", "pipeline_steps"),
        *("failures", "compare"),
    ],
    RAG: ["rag_retrieval", "rag_answers", "rag_annotators", "rag_violations", "rag_compare"],
    RECOMMENDER: [
        *("recommender_k", "recommender_tradeoff", "recommender_fairness", "recommender_popularity"),
        *("recommender_users", "recommender_compare"),
    ],
}
SAID = "What is in use are the values of a report, without rows and without tallies"


@pytest.fixture(scope="module")
def report() -> Report:
    return report_of("two models")


@pytest.fixture(scope="module")
def written(report) -> str:
    return metrics_json(report)


@pytest.fixture(scope="module")
def of_rag() -> Report:
    return report_of("annotations")


@pytest.fixture
def app() -> AppTest:
    return AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)


def with_values(app: AppTest, text: str, page: str, label: str = "m.json") -> AppTest:
    """A session on a page with a metrics.json in use."""
    found = MetricsFile.from_bytes(text.encode())
    in_use = session.SessionData(found.data, label, is_sample=False, key=found.sha256, values=found)
    app.session_state[PAGES[found.data.task].slot] = in_use
    app = app.switch_page(page).run()
    assert not app.exception
    return app


def said(app: AppTest) -> str:
    shown = [*app.markdown, *app.info, *app.caption, *app.title, *app.header]
    return " ".join([texts(app), *(one.value for one in shown)])


def of_task(written: str, task: str) -> str:
    """The same file as if it were of another task: its values are of metrics that the task need not have."""
    document = json.loads(written)
    document["reading"] = {"task": task}
    return json.dumps(document)


def shown_in(app: AppTest) -> pd.DataFrame:
    """Every value that the tables show."""
    frames = [one.value for one in app.dataframe]
    return pd.concat([getattr(frame, "data", frame) for frame in frames], ignore_index=True).fillna("")


def test_it_is_opened_on_the_data_page_whatever_its_name(app, written, report):
    page = give(app.switch_page("pages/common/data.py").run(), ("anything.txt", written))
    shown = texts(page)
    assert f"{len(report.table):,}, computed by evalcore {report.made_by}" in shown
    assert "50 rows in = 48 used + 2 excluded (no label)" in shown
    next(one for one in page.button if one.label == "Open these values").click().run()
    assert not page.exception
    in_use = page.session_state["data_in_use"]
    assert in_use.values.table.equals(report.table)
    shown = texts(page)
    assert "anything.txt" in shown
    assert "values alone" in shown
    assert f"{len(report.table):,}, no rows and no tallies" in shown
    assert "They need the rows, which values come without" in shown
    assert page.query_params["file"] in ("anything.txt", ["anything.txt"])
    page = page.switch_page(PAGES[EVIDENCE].values).run()
    assert not page.exception
    table = shown_in(page)
    overall = [one for one in layout.values(report) if not (one.group_by or one.is_spread)]
    assert table["value"].tolist() == [f"n/a: {one.reason}" if one.reason else one.text for one in overall]
    assert table["interval"].tolist() == [one.interval for one in overall]
    assert table["n"].tolist() == [one.n for one in overall]
    assert any(table["interval"] != "")


@pytest.mark.parametrize("task", list(OTHERS))
def test_pages_that_need_rows_or_tallies_say_so(task, app, written):
    page = with_values(app, of_task(written, task), PAGES[task].values)
    assert page.dataframe
    for name in OTHERS[task]:
        page = page.switch_page(f"pages/{task}/{name}.py").run()
        assert not page.exception, name
        assert SAID in said(page), name
        assert "rows.csv" in said(page)
        assert not page.dataframe
        assert not page.get("plotly_chart")
        assert [one.value for one in page.title] != [""]


@pytest.mark.parametrize("task", list(OTHERS))
def test_every_page_of_a_task_is_looked_at(task):
    names = {path.stem for path in (ROOT / "pages" / task).glob("*.py")} - {"__init__"}
    assert names == {*OTHERS[task], Path(PAGES[task].values).stem}


def test_a_page_that_is_drawn_all_the_same_would_be_seen(app, written, monkeypatch):
    """The fault: a page runs although nothing is there to draw."""
    monkeypatch.setattr("pages.shared.frame.opened.show", lambda *_: False)
    found = MetricsFile.from_bytes(written.encode())
    in_use = session.SessionData(found.data, "m.json", is_sample=False, key=found.sha256, values=found)
    app.session_state["data_in_use"] = in_use
    page = app.switch_page("pages/evidence/failures.py").run()
    assert page.exception or SAID not in said(page)


def test_values_of_annotations_stand_with_what_they_rest_on(app, of_rag):
    page = with_values(app, metrics_json(of_rag), PAGES[RAG].values)
    shown = said(page)
    assert "Agreement of annotators" in shown
    overall = [one for one in layout.values(of_rag) if not (one.group_by or one.is_spread)]
    table = shown_in(page)
    assert table["value"].tolist() == [f"n/a: {one.reason}" if one.reason else one.text for one in overall]
    assert "What the values rest on" in [one.label for one in page.expander]


def test_groups_models_and_words_are_chosen(app, written, report):
    page = with_values(app, written, PAGES[EVIDENCE].values)
    n_all = len(shown_in(page))
    field = {one.label: one for one in page.selectbox}
    field["Model"].select("b").run()
    assert set(shown_in(page)["model"]) == {"b"}
    {one.label: one for one in page.selectbox}["By"].select("site").run()
    assert not page.exception
    groups = set(report.table.loc[report.table.group_by == "site", "group"])
    assert set(shown_in(page)["group"]) == groups
    {one.label: one for one in page.selectbox}["Group"].select(min(groups)).run()
    assert set(shown_in(page)["group"]) == {min(groups)}
    page.text_input(key="values_search").set_value("auroc").run()
    found = shown_in(page)
    assert not page.exception
    assert 0 < len(found) < n_all
    assert all("AUROC" in name for name in found["metric"])
    page.text_input(key="values_search").set_value("no such word").run()
    assert "No value fits." in said(page)


def test_a_value_stands_near_its_name_where_a_phone_shows_three_columns(app, written):
    page = with_values(app, written, PAGES[EVIDENCE].values)
    assert page.dataframe
    for one in page.dataframe:
        columns = list(getattr(one.value, "data", one.value))
        assert {*columns[: columns.index("value")]} <= {"metric", "params"}


def test_options_digests_and_columns_are_told_and_a_split_of_the_files(app, written):
    shown = said(with_values(app, written, PAGES[EVIDENCE].values))
    assert "SHA-256 " + "ab" * 32 in shown
    assert "bootstrap" in shown
    assert "score from p" in shown
    assert "is not counted as a look" not in shown
    document = json.loads(written)
    document["inputs"][0]["columns"]["split"] = "part"
    shown = said(with_values(app, json.dumps(document), PAGES[EVIDENCE].values))
    assert "is not counted as a look at these rows" in shown


def test_of_very_many_values_the_first_are_shown_and_all_are_taken_along(written, monkeypatch):
    found = MetricsFile.from_bytes(written.encode()).part("")
    values = found.values()
    monkeypatch.setattr(tables, "MOST_ROWS", 3)
    told: list[str] = []
    monkeypatch.setattr(opened.widgets, "plain", lambda text, **_: told.append(text))
    shown: dict[str, Any] = {}
    monkeypatch.setattr(tables, "show_by_family", lambda found, _: shown.update(found))
    made: list[Any] = []
    monkeypatch.setattr(opened.widgets, "csv_button", lambda _label, content, *_: made.append(content))
    opened.show_tables(found, values)
    assert all(len(table) <= 3 for table in shown.values())
    assert "the first 3, " in told[0]
    assert made[0]().count("\n") == 1 + len(values)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"evalcore": "1", "data_sha256": "a", "metrics": [7]}', "REP-321"),
        ('{"schema": "evalcore.metrics/9", "evalcore": "9", "data_sha256": "a", "metrics": []}', "REP-322"),
        ('{"evalcore": "1", "data_sha256": "a", "metrics": [NaN]}', "REP-321"),
        ('{"evalcore": "1", "data_sha256": "a", "metrics": [' + "[" * 9_000, "FILE-074"),
        ('{"evalcore": "1", "data_sha256": "a", "metrics": [' + "9" * 5_000 + "]}", "REP-321"),
        ('{"runs": [{"evalcore": "1", "data_sha256": "a", "metrics": []}]}', "REP-320"),
    ],
)
def test_what_cannot_be_opened_is_told_by_a_problem(text, code, app):
    page = give(app.switch_page("pages/common/data.py").run(), ("metrics.json", text))
    assert set(codes(page)) == {code}
    assert "These values cannot be opened." in texts(page)
    assert "Open these values" not in labels(page)


def test_a_server_that_is_started_with_one_shows_its_values_first(app, written):
    start_files.keep([("metrics.json", written.encode())])
    try:
        app.run()
    finally:
        start_files.keep([])
    assert not app.exception
    assert [one.value for one in app.title] == ["Report"]
    assert len(shown_in(app))


def test_among_other_files_it_is_named(app, written):
    rows = "post_id,has_evidence,probability\na,1,0.9\nb,0,0.2\n"
    page = give(app.switch_page("pages/common/data.py").run(), ("m.json", written), ("rows.csv", rows))
    assert "FILE-140" in codes(page)


def hostile(written: str) -> str:
    """The same file with names that try to be more than text, wherever a text may stand."""
    document = json.loads(written)
    for at, row in enumerate(document["metrics"]):
        name = NAMES[at % len(NAMES)]
        row |= {"model": name, "population": name, "note": name, "variant": name}
        row |= {"group": name, "group_by": SCRIPT} if row["group_by"] else {}
    document["metrics"] += [
        {**document["metrics"][0], "family": PICTURE, "metric": SCRIPT, "params": PICTURE}
    ]
    document["notes"] = list(NAMES)
    document["options"] = {name: name for name in NAMES}
    document["warnings"] = [
        {"code": SCRIPT, "file": PICTURE, "column": SCRIPT, "text": f"Found {SCRIPT}. {PICTURE}", "n": 3}
    ]
    document["inputs"][0] |= {"name": PICTURE, "format": SCRIPT, "columns": {SCRIPT: [PICTURE, SCRIPT]}}
    document["inputs"][0] |= {"excluded": {SCRIPT: 2}}
    return json.dumps(document)


def test_hostile_names_are_shown_as_they_are_written(app, written):
    text = hostile(written)
    page = give(app.switch_page("pages/common/data.py").run(), (f"{SCRIPT}.json", text))
    next(one for one in page.button if one.label == "Open these values").click().run()
    for name in ("common/data", "evidence/report", "evidence/compare"):
        page = page.switch_page(f"pages/{name}.py").run()
        assert not page.exception
        bodies = [one.value for one in page.get("html")]
        read = [one.value for one in (*page.markdown, *page.info, *page.title, *page.caption, *page.header)]
        read += [one.label for one in page.tabs]
        for sign in ("<script>window", "<img src", "<a href"):
            assert not any(sign in body for body in bodies), name
        assert not any("![x](" in one or "[x](http" in one for one in read), name
    assert "window.__hit=1" in texts(page.switch_page("pages/evidence/report.py").run())
