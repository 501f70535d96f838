"""The RAG pages: the sample, other data, and what cannot be computed."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import evalcore
from evalcore.readers import Upload
from pages.shared import session

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("overview", "retrieval", "answers", "annotators", "violations")
RETRIEVAL = "record_uuid,annotator_id,chunk_id,chunk_rank,n_retrieved_chunks,topically_relevant\n"
GENERATION = "record_uuid,annotator_id,response_status,discard_reason,helpful\n"


def app_of(page: str) -> AppTest:
    """A session that has opened nothing yet, but will open a page."""
    return AppTest.from_file(str(ROOT / "app.py"), default_timeout=120).switch_page(
        f"pages/rag/rag_{page}.py"
    )


def opened(page: str, *files: tuple[str, str]) -> AppTest:
    """A page on the sample, or on these files."""
    app = app_of(page)
    if files:
        data = evalcore.load([Upload(name, text.encode()) for name, text in files])
        app.session_state["annotations_in_use"] = session.SessionData(
            data, files[0][0], is_sample=False, key=data.digest
        )
    app.run()
    assert not app.exception
    return app


def said(app: AppTest) -> str:
    """Everything on the page as text and HTML."""
    return "\n".join(str(one.value) for one in [*app.markdown, *app.get("html"), *app.info, *app.caption])


@pytest.mark.parametrize("page", PAGES)
def test_every_page_shows_the_sample(page: str) -> None:
    app = opened(page)
    assert "60 queries" in said(app)
    assert "No retrieval responses" not in said(app)


def test_tiles_carry_the_numbers_of_the_core_with_what_they_rest_on() -> None:
    text = said(opened("overview"))
    report = evalcore.evaluate(evalcore.load([ROOT / "sample_data" / "rag"]), ks=(5,), bootstrap=2000)
    for key in ("rag.topical_precision_at_k", "rag.ndcg_at_k"):
        assert f">{report.value(key, params='k=5'):.3f}<" in text
    assert f">{report.value('rag.helpfulness_rate'):.3f}<" in text
    assert "Topical precision@5" in text
    assert "52 of 60 used" in text
    assert "weakest agreement α = " in text


def test_breakdown_shows_every_group_with_its_n() -> None:
    app = opened("overview")
    app.selectbox(key="rag_overview_by").set_value("system").run()
    assert not app.exception
    text = said(app)
    report = evalcore.evaluate(evalcore.load([ROOT / "sample_data" / "rag"]), ks=(5,), by=("system",))
    groups = report.table.loc[report.table["group_by"] == "system", "group"].unique()
    assert len(groups) == 2
    for group in groups:
        row = report.table[
            (report.table["metric"] == "helpfulness_rate") & (report.table["group"] == group)
        ].iloc[0]
        assert f"{row['value']:.3f} ({row['n']})" in text


def test_files_of_the_report_are_those_of_the_core() -> None:
    app = opened("overview")
    app.button(key="rag_make").click().run()
    assert not app.exception
    assert {one.label for one in app.get("download_button")} == {"report.html", "metrics.csv", "metrics.json"}


def test_missing_tasks_are_named_with_what_they_take() -> None:
    text = said(opened("overview", ("generation.csv", GENERATION + "q1,a,submitted,,1\nq2,a,submitted,,0\n")))
    assert "No retrieval responses: nothing can be said about retrieved chunks." in text
    assert "No grounding responses" in text
    assert ">0.500<" in text
    assert "agreement not measured: helpful: " in text


def test_all_discarded_says_what_cannot_be_computed() -> None:
    file = ("generation.csv", GENERATION + "q1,a,discarded,unclear,\nq2,b,discarded,unclear,\n")
    text = said(opened("overview", file))
    assert ">n/a<" in text
    opened("answers", file)
    assert "None was discarded" not in said(opened("annotators", file))


def test_no_annotated_panel_is_told() -> None:
    file = ("retrieval.csv", RETRIEVAL + "q1,a,c1,1,3,1\nq2,a,c1,1,2,0\n")
    assert ">n/a<" in said(opened("overview", file))
    assert "0 of 2 retrieved lists are wholly annotated" in said(opened("retrieval", file))


def test_one_annotator_has_no_agreement_and_nobody_to_be_compared_with() -> None:
    file = ("generation.csv", GENERATION + "q1,a,submitted,,1\nq2,a,submitted,,1\n")
    text = said(opened("annotators", file))
    assert "nobody can be compared" in text


def test_violations_are_counted_and_failures_named() -> None:
    header = "record_uuid,annotator_id,source_cited,fabricated_source,unsupported_claim_present\n"
    file = ("grounding.csv", header + "q1,a,0,1,0\nq2,a,1,0,1\n")
    app = opened("violations", file)
    assert "fabricated_source implies source_cited" in said(app)
    tables = [one.value for one in app.dataframe]
    assert tables[0]["record_id"].tolist() == ["q1"]
    box = app.selectbox(key="rag_failure")
    unsupported = next(one for one in box.options if one.startswith("Unsupported claim"))
    assert unsupported == "Unsupported claim (1)"


def test_scores_of_other_tools_keep_their_names_and_show_how_many_are_scored() -> None:
    file = ("scores.csv", "system,user_input,response,faithfulness\nA,q1,r,1\nA,q2,r,0\nB,q1,r,1\nB,q2,r,\n")
    text = said(opened("overview", file))
    assert "RAGAS: faithfulness" in text
    assert "1 of 2" in text
    assert "0.500 to 1.000" in text
