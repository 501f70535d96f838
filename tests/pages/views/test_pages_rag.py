"""The RAG pages: the sample, other data, and what cannot be computed."""

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import evalcore
from evalcore.catalog import METRICS
from evalcore.readers import Upload
from evalcore.report import report_files
from evalcore.schema.annotations import LABEL_NAMES
from evalcore.text.numerals import between_text, value_text
from pages.shared.data import session

ROOT = Path(__file__).resolve().parents[3]
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
    """Everything on the page as text and HTML, cells without what they say of their column."""
    parts = [*app.markdown, *app.get("html"), *app.info, *app.caption]
    return re.sub('<td data-column="[^"]*">', "<td>", "\n".join(str(one.value) for one in parts))


@pytest.mark.parametrize("page", PAGES)
def test_every_page_shows_the_sample(page: str) -> None:
    app = opened(page)
    # Warnings, in the bar above the page, name columns of a file as the file does.
    own = [str(one.value) for one in [*app.markdown, *app.get("html")] if "data-bar" not in str(one.value)]
    assert [name for name in LABEL_NAMES if "_" in name and name in "".join(own)] == []
    assert "60 queries" in said(app)
    assert "No retrieval responses" not in said(app)


def test_tiles_carry_the_numbers_of_the_core_with_what_they_rest_on() -> None:
    text = said(opened("overview"))
    report = evalcore.evaluate(evalcore.load([ROOT / "sample_data" / "rag"]), ks=(5,), bootstrap=2000)
    for key in ("rag.topical_precision_at_k", "rag.ndcg_at_k"):
        assert f">{report.value(key, params='k=5'):.3f}<" in text
    assert f">{value_text(METRICS['rag.helpfulness_rate'], report.value('rag.helpfulness_rate'))}<" in text
    assert "Topical precision@5" in text
    assert "52 of 60 used" in text
    assert "weakest agreement α = " in text


def test_what_is_left_out_does_not_repeat_the_agreement() -> None:
    text = said(opened("overview"))
    told = re.findall("<dd>(.*?)</dd>", text)
    assert len(told) == 16
    assert not [line for line in told if "agreement" in line]
    assert "7 incomplete panels skipped" in told[0]


def test_every_k_has_the_numbers_of_the_core() -> None:
    text = said(opened("retrieval")).replace("\u2060", "")
    report = evalcore.evaluate(evalcore.load([ROOT / "sample_data" / "rag"]), ks=(1, 3, 5), bootstrap=2000)
    for key in ("topical_precision_at_k", "ndcg_at_k"):
        table = report.table[(report.table["metric"] == key) & (report.table["ci_method"] != "")]
        cells = []
        for k in (1, 3, 5):
            row = table[table["params"] == f"k={k}"].iloc[0]
            metric = METRICS[f"rag.{key}"]
            ends = between_text(metric, row["ci_low"], row["ci_high"])
            cells.append(f"<td>{value_text(metric, row['value'])} ({ends})</td>")
        assert "".join(cells) in text


def test_breakdown_shows_every_group_with_its_n() -> None:
    app = opened("overview")
    app.selectbox(key="rag_by_of_rag_overview").set_value("system").run()
    assert not app.exception
    text = said(app)
    report = evalcore.evaluate(evalcore.load([ROOT / "sample_data" / "rag"]), ks=(5,), by=("system",))
    groups = report.table.loc[report.table["group_by"] == "system", "group"].unique()
    assert len(groups) == 2
    for group in groups:
        row = report.table[
            (report.table["metric"] == "helpfulness_rate") & (report.table["group"] == group)
        ].iloc[0]
        shown = value_text(METRICS["rag.helpfulness_rate"], row["value"]).replace(" ", "\N{NO-BREAK SPACE}")
        assert f"{shown} ({row['n']})" in text
    assert "nDCG@5" in text
    assert "@K" not in text


def test_files_of_the_report_are_those_of_the_core() -> None:
    app = opened("overview")
    app.button(key="rag_make").click().run()
    assert not app.exception
    report = evalcore.evaluate(evalcore.load([ROOT / "sample_data" / "rag"]), ks=(5,), bootstrap=2000)
    files = report_files(report)
    assert {"report.html", "metrics.csv", "metrics.json", "predicted_labels.csv"} < set(files)
    assert [one.label for one in app.get("download_button")] == list(files)
    _, made = app.session_state["rag_files"]
    assert made["metrics.csv"] == files["metrics.csv"]
    assert made["predicted_labels.csv"] == files["predicted_labels.csv"]


def test_missing_tasks_are_named_with_what_they_take() -> None:
    text = said(opened("overview", ("generation.csv", GENERATION + "q1,a,submitted,,1\nq2,a,submitted,,0\n")))
    assert "No retrieval responses: nothing can be said about retrieved chunks." in text
    assert "No grounding responses" in text
    assert ">50.0 %<" in text
    assert "agreement not measured: helpful: " in text


def test_all_discarded_says_what_cannot_be_computed() -> None:
    generation = ("generation.csv", GENERATION + "q1,a,discarded,unclear,\nq2,b,discarded,unclear,\n")
    header = RETRIEVAL.replace("\n", ",response_status\n")
    retrieval = ("retrieval.csv", header + "q1,a,c1,1,1,,discarded\nq2,a,c1,1,1,,discarded\n")
    files = (generation, retrieval)
    text = said(opened("overview", *files))
    assert text.count(">n/a<") == 11
    assert "no answer has a settled helpful; 0 of 2 answers used; 2 missing labels left out" in text
    assert "between 0 and 1" not in text
    app = opened("answers", *files)
    assert "n/a: no answer has a settled helpful; 0 of 2 answers used" in said(app)
    assert len(app.get("plotly_chart")) == 1
    app = opened("retrieval", *files)
    assert "No retrieved chunk has a settled label: nothing can be said of any rank." in said(app)
    assert len(app.get("plotly_chart")) == 0
    assert "None was discarded" not in said(opened("annotators", *files))


def test_no_annotated_panel_is_told_at_every_k() -> None:
    file = ("retrieval.csv", RETRIEVAL + "q1,a,c1,1,3,1\nq2,a,c1,1,2,0\n")
    text = said(opened("overview", file))
    assert "Topical precision@3" in text
    assert "no query whose first K chunks are all annotated; 0 of 2 queries used; 2 incomplete panels" in text
    text = said(opened("retrieval", file))
    assert "<th>K = 1</th><th>K = 3</th>" in text
    assert "0 of 2 retrieved lists are wholly annotated" in text
    assert (
        "No relevant chunk retrieved (0)" in opened("violations", file).selectbox(key="rag_failure").options
    )


def test_lists_whose_length_is_not_said_are_no_panels_with_gaps() -> None:
    rows = "q1,a,c1,1,,1\nq1,a,c2,2,,0\n"
    text = said(opened("retrieval", ("retrieval.csv", RETRIEVAL + rows)))
    assert "wholly annotated" not in text
    assert "For one list the data do not say how many chunks were retrieved (n_retrieved_chunks)" in text
    text = said(opened("retrieval", ("retrieval.csv", RETRIEVAL + rows + "q2,a,c1,1,1,1\nq3,a,c1,1,,1\n")))
    assert "1 of 1 retrieved lists are wholly annotated" in text
    assert "For 2 lists the data do not say" in text


def test_lists_that_are_known_to_have_gaps_stand_before_those_that_may() -> None:
    rows = "q1,a,c1,1,,1\nq2,a,c1,1,3,1\n"
    text = said(opened("retrieval", ("retrieval.csv", RETRIEVAL + rows)))
    assert re.findall(r">(q\d)<.*?</tr>", text) == ["q2", "q1"]
    assert "not known" in text
    assert "unknown" not in text  # the same once more


@pytest.mark.parametrize(
    ("rows", "title"),
    [
        ("q1,a,c1,1,3,1\nq2,a,c1,1,1,1\n", "Lists that are not wholly annotated (1)"),
        ("q1,a,c1,1,,1\nq2,a,c1,1,1,1\n", "Lists that may not be wholly annotated (1)"),
        ("q1,a,c1,1,,1\nq2,a,c1,1,3,1\n", "Lists that are not wholly annotated, or may not be (2)"),
    ],
)
def test_box_of_lists_says_no_more_than_is_known_of_them(rows: str, title: str) -> None:
    app = opened("retrieval", ("retrieval.csv", RETRIEVAL + rows))
    assert [box.label for box in app.expander if box.label.startswith("Lists that")] == [title]


def test_one_class_says_why_there_is_no_interval_and_no_alpha() -> None:
    rows = [f"q{at},{who},c1,1,1,1\n" for at in range(5) for who in "ab"]
    file = ("retrieval.csv", RETRIEVAL + "".join(rows))
    text = said(opened("overview", file))
    assert "interval not estimable: every value is the same, 5 of 5 used" in text
    assert "agreement not measured: topically relevant: label never varies" in text


def test_one_annotator_has_no_agreement_and_nobody_to_be_compared_with() -> None:
    file = ("generation.csv", GENERATION + "q1,a,submitted,,1\nq2,a,submitted,,1\n")
    text = said(opened("annotators", file))
    assert "nobody can be compared" in text


def test_violations_are_counted_and_failures_named() -> None:
    header = "record_uuid,annotator_id,source_cited,fabricated_source,unsupported_claim_present\n"
    file = ("grounding.csv", header + "q1,a,0,1,0\nq2,a,1,0,1\n")
    app = opened("violations", file)
    assert "fabricated source implies source cited" in said(app)
    tables = [one.value for one in app.dataframe]
    assert tables[0]["rule"].tolist() == ["fabricated source implies source cited"]
    assert tables[0]["record_id"].tolist() == ["q1"]
    box = app.selectbox(key="rag_failure")
    unsupported = next(one for one in box.options if one.startswith("Unsupported claim"))
    assert unsupported == "Unsupported claim (1)"


def test_violations_are_shown_of_one_rule_or_one_annotator_and_can_be_taken_along() -> None:
    header = "record_uuid,annotator_id,source_cited,fabricated_source,unsupported_claim_present\n"
    app = opened("violations", ("grounding.csv", header + "q1,a,0,1,0\nq2,b,0,1,1\nq3,=b,0,1,0\n"))

    def shown() -> list[str]:
        return [str(one) for one in app.dataframe[0].value["record_id"]]

    assert shown() == ["q1", "q2", "q3"]
    app.selectbox(key="violations_annotator").set_value("b").run()
    assert shown() == ["q2"]
    assert app.download_button[0].label == "1 row as CSV"
    app.selectbox(key="violations_annotator").set_value("").run()
    assert shown() == ["q1", "q2", "q3"]
    assert "3 rows as CSV" in [one.label for one in app.download_button]


def test_scores_of_other_tools_keep_their_names_and_show_how_many_are_scored() -> None:
    file = ("scores.csv", "system,user_input,response,faithfulness\nA,q1,r,1\nA,q2,r,0\nB,q1,r,1\nB,q2,r,\n")
    text = said(opened("overview", file))
    assert "RAGAS: faithfulness" in text
    assert "1 of 2" in text
    assert "0.500 to 1.000" in text


RAGAS = """\
,user_input,retrieved_contexts,response,reference,faithfulness,context_precision
0,q one,['first passage' 'second passage'],a,b,0.5,1.0
1,q two,"['only one']",a,b,1.0,
2,q three,"['x', 'y', 'z']",a,b,,0.25
"""


@pytest.mark.parametrize("page", ["overview", "answers"])
def test_scores_of_other_tools_stand_on_the_page_with_how_many_were_scored(page: str) -> None:
    text = said(opened(page, ("ragas.csv", RAGAS)))
    for name, mean in (("faithfulness", "0.750"), ("context_precision", "0.625")):
        row = text[text.index(f"RAGAS: {name}") :]
        assert re.search(rf"^[^/]*</td><td></td><td>{mean}</td><td>2 of 3</td>", row), row[:200]
