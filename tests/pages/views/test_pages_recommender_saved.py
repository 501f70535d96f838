"""A saved report of recommendation lists: pages that need no rows show its numbers, the others say so."""

import pytest
from streamlit.testing.v1 import AppTest

import evalcore
from evalcore.evaluation import Report
from evalcore.text.numerals import number
from pages.shared.data import session
from tests.pages.views.recommended import ROOT, made, said
from tests.pages.views.recommended import opened as with_rows

NEED_NO_ROWS = ("overview", "k", "tradeoff", "fairness", "popularity")
NEED_ROWS = ("compare", "users")


@pytest.fixture(scope="module")
def saved() -> Report:
    """A report at two cut-offs, saved and opened again."""
    made_of = evalcore.evaluate(made(), ks=(3, 10), bootstrap=200, by=("user_group",), pop_ratio=0.7)
    return Report.from_bytes(made_of.to_bytes())


def opened(page: str, report: Report, **query: str) -> AppTest:
    """A page on the saved report."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.switch_page(f"pages/recommender/recommender_{page}.py")
    for name, value in query.items():
        app.query_params[name] = value
    app.session_state["recommendations_in_use"] = session.SessionData(
        report.unnamed_data, "saved.evalcore", is_sample=False, key="saved", report=report
    )
    app.run()
    assert not app.exception
    return app


@pytest.mark.parametrize("page", NEED_NO_ROWS)
def test_a_page_that_needs_no_rows_shows_the_saved_numbers(page: str, saved: Report) -> None:
    text = said(opened(page, saved))
    assert "saved report" in text
    assert "95 % intervals are percentiles of 200 bootstrap replicates of users" in text


@pytest.mark.parametrize("page", NEED_ROWS)
def test_a_page_that_needs_rows_says_so(page: str, saved: Report) -> None:
    assert "A saved report holds no rows" in said(opened(page, saved))


def test_its_own_cut_offs_are_what_can_be_chosen(saved: Report) -> None:
    app = opened("overview", saved, k="3")
    value = saved.value("recommender.recall", model="popular", params="k=3")
    assert f'<p class="name">Recall@3</p><div class="value">{number(value)}</div>' in said(app)
    assert "56 of them with a relevant test item" in said(app)
    assert app.segmented_control[0].options == ["3", "10"]
    text = said(opened("overview", saved, k="7"))
    assert "The link asks for k “7”, which is not here: there is 3, 10. It was not used." in text


def to(app: AppTest, page: str) -> AppTest:
    """The same session on another page, as by a click on its name."""
    app.query_params.clear()
    app.switch_page(f"pages/recommender/recommender_{page}.py").run()
    assert not app.exception
    return app


@pytest.mark.long
def test_what_is_chosen_of_a_saved_report_is_chosen_on_the_next_page_too(saved: Report) -> None:
    app = opened("overview", saved)
    app.segmented_control(key="recommender_saved_k_of_recommender_overview").set_value("3").run()
    app.selectbox(key="recommender_model_of_recommender_overview").set_value("noisy").run()
    to(app, "fairness")
    k = app.segmented_control(key="recommender_saved_k_of_recommender_fairness")
    assert k.value == "3"
    assert app.selectbox(key="recommender_model_of_recommender_fairness").value == "noisy"
    assert app.query_params["k"] == "3"
    k.set_value("10").run()
    to(app, "overview")
    assert app.segmented_control(key="recommender_saved_k_of_recommender_overview").value == "10"


@pytest.mark.long
def test_after_a_reload_the_report_is_what_to_load_and_not_what_it_was_made_of(saved: Report) -> None:
    link = {**opened("overview", saved).query_params}
    assert link["recommendations_file"] in ("saved.evalcore", ["saved.evalcore"])
    app = with_rows("overview", **link)
    told = said(app)
    assert "This link belongs to saved.evalcore (data " in told
    assert "What is shown is what that was made of, scores.csv. Nothing was moved." in told
    assert "label for “has evidence”" not in told


def test_the_bar_of_a_saved_report_tells_sizes_and_popularity_its_head(saved: Report) -> None:
    text = said(opened("popularity", saved))
    assert "60 users · 30 items · 3 models" in text
    assert "Head: 70 % of the interactions, as the report was made." in text


@pytest.mark.parametrize("page", NEED_NO_ROWS)
def test_a_report_of_nothing_at_a_cut_off_is_said_to_be_one(page: str) -> None:
    report = evalcore.evaluate(made(), ks=(), metrics=("recommender.mae",))
    text = said(opened(page, Report.from_bytes(report.to_bytes())))
    assert "This saved report has no value of lists at a cut-off K" in text


@pytest.mark.parametrize("page", NEED_NO_ROWS)
def test_a_report_of_one_metric_opens_on_every_page(page: str) -> None:
    report = evalcore.evaluate(made(), ks=(3,), metrics=("recommender.recall",))
    assert "saved report" in said(opened(page, Report.from_bytes(report.to_bytes())))
