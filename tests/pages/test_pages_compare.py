"""The Compare page, through app.py."""

import json
import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared.links.address import SESSION
from tests.support.opened import give, look, session_on, shown

ROOT = Path(__file__).resolve().parents[2]
FILE = "pages/evidence/compare.py"
HEADER = "post_id,criterion_id,model,has_evidence,probability\n"
ROWS = [
    f"p{post},A.{criterion},{model},{int((post + criterion) % 3 == 0)},"
    f"{(7 * post + shift * criterion) % 10 / 10}\n"
    for post in range(20)
    for criterion in (1, 2)
    for model, shift in (("one", 2), ("two", 3))
]
TWO_MODELS = HEADER + "".join(ROWS)
ONE_CLASS = HEADER + "".join(row for row in ROWS if ",0,0." in row)
ONE_MODEL = HEADER + "".join(row for row in ROWS if ",one," in row)
APART = HEADER + "".join(row for row in ROWS if (",one," in row) == (int(row[1 : row.index(",")]) < 10))
LISTS = "query_id,gold_ids,retriever_topk,reranked_topk\n"
LISTS += "q1,d1,d1|d2,d2|d1\nq2,d3,d1|d3,d3|d1\nq3,d3,d1|d3,d3|d1\n"


@pytest.fixture
def app() -> AppTest:
    """A session that has opened nothing yet, but will open the Compare page."""
    return session_on(FILE)


def test_one_model_is_told_what_a_comparison_needs(app: AppTest) -> None:
    give(app, ONE_MODEL)
    assert "These data hold one model only: a comparison needs two." in shown(app)
    assert len(app.get("plotly_chart")) == 0


def test_two_models_are_answered_drawn_and_tabled(app: AppTest) -> None:
    give(app, TWO_MODELS)
    text = shown(app)
    assert "40 checks compared; none fell out." in text
    assert "AUROC, DeLong" in text
    assert "9,999 swaps of the two models in whole posts; AUROC and AUPRC swap ranks. Seed 0." in text
    assert len(app.get("plotly_chart")) == 1


def test_split_data_are_compared_on_tune_and_a_look_at_test_is_kept(app: AppTest) -> None:
    rows = [row.replace("\n", ",tune\n" if at % 4 < 2 else ",test\n") for at, row in enumerate(ROWS)]
    give(app, HEADER.replace("\n", ",split\n") + "".join(rows))
    assert "20 checks compared; none fell out." in shown(app)
    assert "operating_point" not in app.session_state
    app.segmented_control(key="rows_part").set_value("Test").run()
    assert not app.exception
    assert "Compare, test rows** counts the test rows" in shown(app)
    assert "Only queries of the split tune were compared." in shown(app)
    assert "Only queries of the split test were compared." in shown(look(app))
    point = app.session_state["operating_point"]
    assert point.tested == point.pair


def test_criteria_are_adjusted_by_holm(app: AppTest) -> None:
    give(app, TWO_MODELS)
    (by,) = (box for box in app.selectbox if box.label == "By")
    by.set_value("criterion").run()
    assert not app.exception
    text = shown(app)
    assert "p (Holm)" in text
    assert "adjustment over 2 groups" in text
    assert "Fewer than 20 cases, no verdict: A.1" in text


def test_each_model_has_its_own_threshold_until_one_for_both_is_asked_for(app: AppTest) -> None:
    give(app, TWO_MODELS)
    assert "each model at its own τ_neg" in shown(app)
    assert "and its own τ_pos" in shown(app)
    assert [one.value for one in app.number_input] == [99.5, 90.0]
    app.selectbox(key="compare_gate").set_value("thresholds").run()
    assert not app.exception
    assert "the same thresholds for both, as asked" in shown(app)


def test_the_same_thresholds_are_offered_for_scores_of_one_scale_alone(app: AppTest) -> None:
    give(app, TWO_MODELS)
    assert app.selectbox(key="compare_gate").options == ["Same targets", "Same thresholds", "No gate"]
    halved = [row.replace(",0.", ",0.0") if ",two," in row else row for row in ROWS]
    give(app, HEADER + "".join(halved))
    assert app.selectbox(key="compare_gate").options == ["Same targets", "No gate"]
    said = "The same thresholds are not offered for these two: they promise 4.5 % and 45.0 % on average"
    assert said in shown(app)


def test_fewer_alerts_have_no_winner_and_stand_beside_the_true_ones(app: AppTest) -> None:
    rows = [
        f"p{post},A.1,{model},{int(post < 60)},{score}\n"
        for post in range(200)
        for model, score in (
            ("many", 0.9 if post < 60 else 0.1),
            ("few", 0.9 if post < 30 else 0.1),
        )
    ]
    give(app, HEADER + "".join(rows))
    app.selectbox(key="compare_first_Models").set_value("many").run()
    app.number_input(key="compare_right").set_value(100.0).run()
    assert not app.exception
    said = re.sub(r"<[^>]+>", " ", shown(app))
    (worse,) = re.findall(r"many is better: (.*?)\. ", f"{said} ")
    assert "Alert recall −50.0 points" in worse
    assert "Alerts per 1000" not in worse
    (neither,) = re.findall(r"neither direction better in itself: (.*?)\. ", said)
    assert "Alerts per 1000 −150.0" in neither
    assert "few is better" not in said


def test_crossed_thresholds_are_refused(app: AppTest) -> None:
    give(app, TWO_MODELS)
    app.selectbox(key="compare_gate").set_value("thresholds").run()
    low, high = app.number_input
    low.set_value(0.9)
    high.set_value(0.1).run()
    assert not app.exception
    assert "found τ_neg = 0.9 above τ_pos = 0.1" in shown(app)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (ONE_CLASS, "no row with evidence"),
        (APART, "about the same queries, and which columns are the ids"),
    ],
)
def test_data_without_an_answer_say_why(app: AppTest, text: str, says: str) -> None:
    give(app, text)
    assert says in shown(app)


def test_lists_are_compared(app: AppTest) -> None:
    give(app, LISTS)
    text = shown(app)
    assert "3 queries with gold compared; none fell out." in text
    assert "nDCG@10" in text
    assert "swaps of the two lists in" in text
    assert "swap ranks" not in text


def test_the_figure_speaks_for_the_better_model_where_one_name_begins_the_other(app: AppTest) -> None:
    rows = [
        f"p{post},A.{criterion},{model},{is_positive},{score}\n"
        for post in range(90)
        for criterion in (1, 2)
        for is_positive in [int(post % 3 == 0)]
        for model, score in (("gate", 0.5), ("gate v2", 0.9 if is_positive and post % 9 else 0.1))
    ]
    give(app, HEADER + "".join(rows))
    assert "gate v2 is better: AUROC" in shown(app)
    (figure,) = app.get("plotly_chart")
    names = {trace.get("name") for trace in json.loads(figure.proto.spec)["data"]}
    assert "gate v2 is better" in names
    assert "gate is better" not in names


def test_another_metric_is_compared_where_it_is_wanted_and_the_address_names_it(app: AppTest) -> None:
    give(app, TWO_MODELS)
    assert "F1" not in shown(app)
    app.multiselect(key="compare_more").set_value(["classification.f1", "calibration.mce"]).run()
    assert not app.exception
    text = shown(app)
    assert ">F1, screened in</button>" in text
    assert "Maximum calibration error" in text
    assert "Not compared" not in text
    kept = [of_page["more"] for of_page in app.session_state[SESSION].choices.values() if "more" in of_page]
    assert kept == [["classification.f1", "calibration.mce"]]
    app.selectbox(key="compare_gate").set_value("none").run()
    assert not app.exception
    assert ">F1, decision, threshold 0.5</button>" in shown(app)
    assert "NEG rate" not in shown(app)
