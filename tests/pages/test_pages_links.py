"""What a session takes of the link that opened it, through app.py, and what it says of the rest."""

from collections.abc import Mapping
from itertools import count
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import evalcore
from evalcore.data import Data
from evalcore.evaluation import Report
from evalcore.operating_point.document.limits import MANUAL
from evalcore.readers import Upload
from pages.shared.data import session
from pages.shared.explorer.messenger import Marks
from pages.shared.links.data_name import DataName
from pages.shared.point.point import document_for
from pages.shared.threshold_text import link_values
from tests.support.but_long import but_long

APP = Path(__file__).resolve().parents[2] / "app.py"
REVISIONS = count(1)
EVIDENCE = "pages/evidence/"
PAGES_OF_ONE_MODEL = ("operating_point", "criteria", "calibration", "failures", "pipeline_steps", "report")
HEADER = "post_id,criterion_id,model,label,probability\n"
ROWS = "".join(
    f"p{post},A.{criterion},{model},{int(post % 3 == 0)},{(post * 7 + criterion * shift) % 100 / 100}\n"
    for post in range(40)
    for criterion in (1, 2)
    for model, shift in (("one", 3), ("two", 5))
)
LINK = {"model": "two", "tau": ["0.2", "0.7"], "sensitivity": "0.9_point", "precision": "0.8_0.95_seen"}


def read(text: str = HEADER + ROWS, **options: object) -> Data:
    return evalcore.load([Upload("mine.csv", text.encode())], **options)


def opened(page: str, link: dict[str, object], data: Data | None = None) -> AppTest:
    """A page opened by a link, on the sample or on these data."""
    app = AppTest.from_file(str(APP), default_timeout=120).switch_page(page)
    if data is not None:
        put(app, data)
    for name, value in link.items():
        app.query_params[name] = value
    return run(app)


def put(app: AppTest, data: Data) -> None:
    """Put data to use, as the Data page does."""
    app.session_state["data_in_use"] = session.SessionData(data, "mine.csv", is_sample=False, key=data.digest)
    app.session_state["data_revision"] = next(REVISIONS)


def run(app: AppTest) -> AppTest:
    app.run()
    assert not app.exception
    return app


def said(app: AppTest) -> str:
    """What stands above the page of the link."""
    notes = [one.value for one in app.get("html") if 'data-testid="link-note"' in one.value]
    return "\n".join(note.partition('data-testid="link-note">')[2] for note in notes)


def query(app: AppTest) -> dict[str, list[str]]:
    return as_lists(app.query_params)


def as_lists(query: Mapping[str, object]) -> dict[str, list[str]]:
    return {name: [one] if isinstance(one, str) else list(one) for name, one in query.items()}


def link_to(data: Data) -> dict[str, object]:
    return {**DataName.of(data, is_sample=False).as_query("evidence"), **LINK}


def point(app: AppTest) -> object:
    return app.session_state["operating_point"]


@pytest.mark.parametrize(
    "page", ["operating_point", "criteria", "calibration", "failures", "compare", "report"]
)
def test_link_is_used_on_its_data_on_every_page(page: str) -> None:
    data = read()
    app = opened(f"{EVIDENCE}{page}.py", link_to(data), data)
    assert said(app) == ""
    assert point(app).pair == ("0.2", "0.7")
    assert (point(app).aim.screening_sensitivity, point(app).aim.sensitivity_confidence) == (0.9, None)
    assert point(app).aim.set_from_data == {"alert_precision"}
    assert app.session_state["model_in_use"] == "two"
    assert as_lists(link_to(data)).items() <= query(app).items()


def test_groups_that_must_not_be_missed_travel_with_a_link() -> None:
    data = read()
    marked = ["criterion=A.2", "criterion=A.1"]
    app = opened(f"{EVIDENCE}operating_point.py", {**link_to(data), "mark": marked}, data)
    assert said(app) == ""
    assert app.session_state["marks"][1].marks == (("criterion", "A.2"), ("criterion", "A.1"))
    assert query(app)["mark"] == marked
    none = opened(f"{EVIDENCE}operating_point.py", {**link_to(data), "mark": "none"}, data)
    assert none.session_state["marks"][1].marks == ()
    assert "mark" not in query(none)  # no criterion of these data is marked by itself


PIN = "0.3;0.6;0.9_point;0.8_0.95_seen;search;Cautious; by day = 1, <b>"


def test_pinned_points_travel_with_a_link() -> None:
    data = read()
    app = opened(f"{EVIDENCE}operating_point.py", {**link_to(data), "pin": [PIN]}, data)
    assert said(app) == ""
    assert query(app)["pin"] == [PIN]
    (pinned,) = pins_of_session(app)
    assert (pinned.name, pinned.pair) == ("Cautious; by day = 1, <b>", ("0.3", "0.6"))
    app.button(key="pin_0").click()
    run(app)
    assert point(app).pair == ("0.3", "0.6")
    assert point(app).chosen is None  # no search finds them here, whatever the link says
    assert query(app)["pin"] == [PIN]
    again = opened(f"{EVIDENCE}operating_point.py", query(app), data)
    assert pins_of_session(again) == pins_of_session(app)


def test_a_link_with_a_pin_that_is_none_says_so_and_moves_nothing() -> None:
    data = read()
    app = opened(f"{EVIDENCE}operating_point.py", {**link_to(data), "pin": [PIN, "0.3;x"]}, data)
    assert "This link cannot be used, and nothing was moved." in said(app)
    assert "pin: found “0.3;x”, expected two thresholds" in said(app)
    assert pins_of_session(app) == []
    assert point(app).pair != ("0.2", "0.7")


def pins_of_session(app: AppTest) -> list[object]:
    return app.session_state["pinned_points"][point(app).owner]


def test_a_link_without_marks_leaves_the_usual_ones() -> None:
    app = opened(f"{EVIDENCE}operating_point.py", {})
    assert "mark" not in query(app)
    app.session_state["marks"] = (app.session_state["data_in_use"].key, Marks((), 1))
    assert query(run(app))["mark"] == ["none"]


def test_link_to_other_data_moves_nothing_and_waits_for_its_own() -> None:
    mine, other = read(), read(HEADER + ROWS.replace("p1,", "q1,"))
    app = opened(f"{EVIDENCE}criteria.py", {**link_to(mine), "criterion": "A.2"})
    assert "This link belongs to mine.csv (data " in said(app)
    assert app.session_state["data_in_use"].is_sample
    assert point(app).pair != ("0.2", "0.7")
    assert app.selectbox(key="criterion_choice").value == "A.9"
    address = query(app)
    assert address == as_lists({**link_to(mine), "criterion": "A.2"})

    put(app, other)
    assert "a file of the same name with other content" in said(run(app))
    assert query(app) == address

    put(app, mine)
    app.switch_page("pages/common/data.py")
    assert "These are the data of the link you opened; it is in use now." in said(run(app))
    assert point(app).pair == ("0.2", "0.7")
    app.query_params.clear()  # as a menu does
    app.switch_page(f"{EVIDENCE}criteria.py")
    run(app)
    assert app.selectbox(key="criterion_choice").value == "A.2"
    app.button(key="close_note_link").click()
    assert said(run(app)) == ""


def test_same_file_read_with_another_positive_label_is_told() -> None:
    app = opened(f"{EVIDENCE}operating_point.py", link_to(read()), read(positive="0"))
    assert "The content is the same here but was read otherwise" in said(app)
    assert point(app).pair != ("0.2", "0.7")


def test_same_file_put_to_use_with_another_positive_label_starts_afresh() -> None:
    app = opened(f"{EVIDENCE}operating_point.py", link_to(read()), read())
    before = app.session_state["tradeoff"][1]
    put(app, read(positive="0"))
    run(app)
    assert point(app).pair != ("0.2", "0.7")
    assert app.session_state["tradeoff"][1].n_pos == before.n_rows - before.n_pos


@pytest.mark.parametrize(
    ("link", "says"),
    [
        ({"model": "three"}, "model: these data have no “three”; they have one, two"),
        ({"tau": ["0.7", "0.2"]}, "tau: found 0.7 before 0.2, expected the lower threshold first"),
        ({"tau": ["NaN", "0.2"]}, "tau: found “NaN”, expected a number from 0 to 1"),
        (
            {"precision": "9_9"},
            "precision: found “9_9”, expected a target above 0 and up to 1 and its confidence",
        ),
        ({"mark": "criterion=A.7"}, "mark: these data have no group criterion=A.7"),
        ({"data": "wild"}, "data: found “wild”, expected the first 8 digits of a digest"),
    ],
)
def test_link_with_a_fault_moves_nothing_at_all(link: dict[str, object], says: str) -> None:
    data = read()
    app = opened(f"{EVIDENCE}operating_point.py", {**link_to(data), **link}, data)
    assert "This link cannot be used, and nothing was moved." in said(app)
    assert says in said(app)
    assert point(app).pair != ("0.2", "0.7")
    assert point(app).aim.screening_sensitivity == 0.995
    assert query(app)["model"] == ["one"]
    assert query(app)["tau"] == link_values(*point(app).pair)


def test_every_fault_of_a_link_is_named_at_once() -> None:
    data = read()
    wild = {**link_to(data), "model": "three", "tau": ["1", "0"], "sensitivity": "x"}
    app = opened(f"{EVIDENCE}calibration.py", wild, data)
    for name in ("model: ", "tau: ", "sensitivity: "):
        assert name in said(app)


def test_link_without_data_is_used_and_says_that_it_names_none() -> None:
    app = opened(f"{EVIDENCE}operating_point.py", {"tau": ["0.02", "0.9"]})
    assert "does not say which data it belongs to" in said(app)
    assert "The link names no model: the thresholds are those of gnn_gate now." in said(app)
    assert point(app).pair == ("0.02", "0.9")


def test_targets_of_a_link_are_taken_without_thresholds_and_named() -> None:
    app = run(
        opened(f"{EVIDENCE}operating_point.py", {"sensitivity": "0.8_0.9", "precision": "0.7_point"}, read())
    )
    aim = point(app).aim
    assert (aim.screening_sensitivity, aim.sensitivity_confidence) == (0.8, 0.9)
    assert (aim.alert_precision, aim.precision_confidence) == (0.7, None)
    assert "Targets: Screening sensitivity of at least 80 % with 90 % confidence; " in said(app)


def test_link_to_the_sample_is_used_on_the_sample() -> None:
    first = opened(f"{EVIDENCE}operating_point.py", {"tau": ["0.02", "0.9"], "model": "baseline"})
    app = opened(f"{EVIDENCE}calibration.py", dict(query(first)))
    assert said(app) == ""
    assert point(app).pair == ("0.02", "0.9")
    assert app.session_state["model_in_use"] == "baseline"
    assert "file" not in query(app)


def test_forgotten_link_leaves_the_address_to_what_is_shown() -> None:
    app = opened(f"{EVIDENCE}operating_point.py", link_to(read()))
    app.button(key="forget_link_evidence").click()
    run(app)
    assert said(app) == ""
    assert query(app)["tau"] == link_values(*point(app).pair)
    assert query(app)["model"] == ["gnn_gate"]


@pytest.mark.parametrize(
    ("page", "link", "says"),
    [
        ("criteria", {"criterion": "A.99"}, "criterion “A.99”, which is not here: there is A.1, A.2"),
        ("failures", {"split": "dev"}, "split “dev”, which is not here"),
        ("failures", {"kind": "all"}, "kind “all”, which is not here: there is missed, false_alerts, flips"),
        ("failures", {"bin": "11"}, "bin “11”, which is not here"),
        ("failures", {"kind": "flips", "other": ["0.9", "0.1"]}, "found 0.9 before 0.1"),
        ("calibration", {"bins": "wide"}, "bins “wide”, which is not here"),
        ("calibration", {"n_bins": "1000"}, "n_bins “1000”, expected a whole number from 2 to 50"),
        ("compare", {"from": "three"}, "from “three”, which is not here: there is one, two"),
        ("compare", {"gate": "x", "by": "y"}, "by “y”, which is not here"),
        ("criteria", {"bootstrap": "no"}, "bootstrap “no”, which is not here: there is yes"),
    ],
)
def test_choice_that_is_not_there_is_said_and_the_rest_is_used(
    page: str, link: dict[str, object], says: str
) -> None:
    data = read()
    app = opened(f"{EVIDENCE}{page}.py", {**link_to(data), **link}, data)
    assert says in said(app)
    assert "It was not used." in said(app) or "were not used" in said(app)
    assert point(app).pair == ("0.2", "0.7")


def test_choices_of_a_page_are_in_its_address_and_found_again_through_the_menu() -> None:
    data = read()
    app = opened(
        f"{EVIDENCE}compare.py", {**link_to(data), "from": "one", "to": "two", "by": "criterion"}, data
    )
    assert said(app) == ""
    app.selectbox(key="compare_gate").set_value("none")
    run(app)
    assert query(app)["gate"] == ["none"]
    app.query_params.clear()
    app.switch_page(f"{EVIDENCE}calibration.py")
    run(app)
    assert "gate" not in query(app)
    assert query(app)["tau"] == ["0.2", "0.7"]
    app.query_params.clear()
    app.switch_page(f"{EVIDENCE}compare.py")
    run(app)
    assert app.selectbox(key="compare_gate").value == "none"
    assert app.selectbox(key="compare_by_Models").value == "criterion"
    assert said(app) == ""


def test_changing_a_choice_is_no_fault_of_the_link() -> None:
    app = opened(f"{EVIDENCE}compare.py", {}, read())
    app.selectbox(key="compare_first_Models").set_value("one")
    run(app)
    app.selectbox(key="compare_first_Models").set_value("two")
    assert said(run(app)) == ""


def test_rag_link_names_its_file_and_keeps_its_choices() -> None:
    page = "pages/rag/rag_overview.py"
    app = opened(page, {"k": "3"})
    assert app.segmented_control(key="rag_k_of_rag_overview").value == "3"
    link = query(app)
    assert set(link) == {"annotations", "k"}
    assert said(opened(page, dict(link))) == ""
    gone = opened(page, {"annotations": "00000000", "annotations_file": "export.csv", "k": "3"})
    assert "This link belongs to export.csv (data 00000000)" in said(gone)
    assert gone.segmented_control(key="rag_k_of_rag_overview").value == "5"
    assert query(gone)["k"] == ["3"]


def test_rag_comparison_names_the_second_export_that_is_gone() -> None:
    app = opened("pages/rag/rag_compare.py", {"second": ["00000000", "theirs.csv"]})
    shown = "\n".join(one.value for one in app.get("html"))
    assert "This link compares with a second export, theirs.csv (data 00000000). It is not loaded" in shown
    assert query(app)["second"] == ["00000000", "theirs.csv"]


def test_thresholds_of_a_model_are_found_again_after_another_one() -> None:
    data = read()
    app = opened(f"{EVIDENCE}operating_point.py", link_to(data), data)
    app.selectbox(key="model_choice").set_value("one")
    assert point(run(app)).pair != ("0.2", "0.7")
    assert query(app)["model"] == ["one"]
    app.selectbox(key="model_choice").set_value("two")
    assert point(run(app)).pair == ("0.2", "0.7")


@pytest.mark.parametrize(
    ("page", "words"),
    [
        *((page, "found no row with split = tune and model = b") for page in PAGES_OF_ONE_MODEL),
        ("compare", "0 checks compared; 20 fell out: 0 only in b, 20 only in a"),
    ],
)
def test_link_to_a_model_without_tune_rows_is_answered_in_words(page: str, words: str) -> None:
    text = "".join(
        f"p{post},{model},{int(post % 3 == 0)},{post % 10 / 10},{split}\n"
        for post in range(40)
        for model in "ab"
        for split in ["tune" if model == "a" and post % 2 else "test"]
    )
    data = read("post_id,model,label,probability,split\n" + text)
    app = opened(
        f"{EVIDENCE}{page}.py",
        {**DataName.of(data, is_sample=False).as_query("evidence"), "model": "b"},
        data,
    )
    told = "\n".join(one.value for one in app.get("html"))
    assert words in told


def test_link_to_a_list_without_scores_is_answered_in_words() -> None:
    queries = "query_id,label,probability\nq1,1,0.9\nq2,0,0.2\n"
    lists = "query_id,gold_ids,retriever_topk\nq1,d1,d1|d2\nq2,,d1|d3\n"
    data = evalcore.load([Upload("q.csv", queries.encode()), Upload("lists.csv", lists.encode())])
    link = {**DataName.of(data, is_sample=False).as_query("evidence"), "model": "retriever_topk"}
    app = opened(f"{EVIDENCE}operating_point.py", link, data)
    assert "This model has no labels and scores" in app.info[0].value
    app = opened(f"{EVIDENCE}failures.py", link, data)
    told = "\n".join(one.value for one in app.get("html"))
    assert "retriever_topk has no labels and scores: checks and thresholds are those of probability." in told
    app = opened(f"{EVIDENCE}criteria.py", {**link, "tau": ["0.1", "0.2"]}, data)
    assert "tau: retriever_topk has no labels and scores" in said(app)


def path_of(app: AppTest) -> str:
    (path,) = (one.value for one in app.get("html") if 'data-testid="path"' in one.value)
    return str(path)


def test_own_data_without_a_split_are_told_what_one_would_buy() -> None:
    app = opened(f"{EVIDENCE}operating_point.py", {}, read())
    note = path_of(app)
    assert "<p>No split: nothing can confirm this choice" in note
    assert "The Data page divides rows by post into tune and test" in note
    n = 28  # every third of 40 posts, two criteria
    assert (
        f"99.5 % needs 598 checks with evidence in test and no miss (95 % confidence); these rows have {n}."
        in note
    )
    aimed = opened(f"{EVIDENCE}operating_point.py", link_to(read()), read())
    assert "90 % needs 29 checks with evidence" in path_of(aimed)
    assert "No split" not in path_of(opened(f"{EVIDENCE}operating_point.py", {}))


FOUND = {
    "model": "gnn_gate",
    "tau": ["0.005339", "0.598"],
    "sensitivity": "0.97_0.95",
    "precision": "0.7_0.95",
    "chosen": "search",
}
"""What a search on the sample finds, as a link says it."""


def document_of(app: AppTest) -> dict[str, object]:
    state = point(app)
    in_use = session.sample() if "data_in_use" not in app.session_state else app.session_state["data_in_use"]
    return document_for(in_use.data, "gnn_gate", state, state.pair).document


def test_thresholds_that_a_search_found_are_found_again_after_a_reload() -> None:
    app = opened(f"{EVIDENCE}operating_point.py", FOUND)
    assert query(app)["chosen"] == ["search"]
    document = document_of(app)
    assert document["selection"]["chosen_on"] == "tune"
    assert MANUAL not in document["limits"]
    again = opened(f"{EVIDENCE}operating_point.py", dict(query(app)))
    assert document_of(again) == document


@pytest.mark.parametrize(
    "change", [{"tau": ["0.0053", "0.598"]}, {"sensitivity": "0.98_0.95"}, {"precision": "0.7_point"}]
)
def test_a_link_cannot_pass_off_what_was_set_by_hand_as_found(change: dict[str, object]) -> None:
    app = opened(f"{EVIDENCE}operating_point.py", FOUND | change)
    assert "chosen" not in query(app)
    assert point(app).chosen is None
    document = document_of(app)
    assert document["selection"]["chosen_on"] == "manual"
    assert MANUAL in document["limits"]


def test_thresholds_that_are_moved_are_called_found_no_more() -> None:
    app = opened(f"{EVIDENCE}operating_point.py", FOUND)
    point(app).move(("0.01", "0.598"))
    assert "chosen" not in query(run(app))


def test_a_link_that_says_another_way_of_choosing_moves_nothing() -> None:
    app = opened(f"{EVIDENCE}operating_point.py", FOUND | {"chosen": "oracle"})
    assert "chosen: found “oracle”, expected search or nothing" in said(app)
    assert point(app).pair != ("0.005339", "0.598")


SPLIT = HEADER.replace("label", "split,label") + "".join(
    ",".join(
        [*row.split(",")[:3], "tune" if int(row[1 : row.index(",")]) % 2 else "test", *row.split(",")[3:]]
    )
    for row in ROWS.splitlines(keepends=True)
)


@pytest.mark.parametrize("page", but_long(["criteria", "compare", "calibration", "report"], 2))
@pytest.mark.parametrize("part", ["test", "all"])
def test_the_rows_of_a_link_are_asked_for_before_they_are_counted(page: str, part: str) -> None:
    data = read(SPLIT)
    app = opened(f"{EVIDENCE}{page}.py", {**link_to(data), "rows": part}, data)
    assert said(app) == ""
    assert app.segmented_control(key="rows_part").value == part.capitalize()
    assert app.session_state["rows_counted"] == "tune"  # until the look is granted
    assert query(app)["rows"] == [part]


def test_rows_that_are_none_are_said() -> None:
    data = read(SPLIT)
    app = opened(f"{EVIDENCE}criteria.py", {**link_to(data), "rows": "train"}, data)
    assert "The link asks for rows “train”, which is not here: there is tune, test, all." in said(app)
    assert app.segmented_control(key="rows_part").value == "Tune"
    app = opened(f"{EVIDENCE}criteria.py", {**link_to(read()), "rows": "test"}, read())
    assert "The link asks for rows “test”, which is not here" in said(app)


def test_typed_thresholds_of_a_comparison_are_in_its_address_and_found_again() -> None:
    data = read()
    link = {**link_to(data), "gate": "thresholds", "tau_neg": "0.15", "tau_pos": "0.85", "from": "one"}
    app = opened(f"{EVIDENCE}compare.py", link, data)
    assert [app.number_input(key=f"compare_{name}_two").value for name in ("tau_neg", "tau_pos")] == [
        0.15,
        0.85,
    ]
    app.number_input(key="compare_tau_neg_two").set_value(0.25)
    assert query(run(app))["tau_neg"] == ["0.25"]
    again = opened(f"{EVIDENCE}compare.py", dict(query(app)), data)
    assert again.number_input(key="compare_tau_neg_two").value == 0.25
    kept = opened(f"{EVIDENCE}compare.py", {**link_to(data), "keep": "90.5"}, data)
    assert kept.number_input(key="compare_keep").value == 90.5
    beyond = opened(f"{EVIDENCE}compare.py", {**link_to(data), "keep": "101"}, data)
    assert "The link asks for keep “101”, expected a number from 50 to 100. It was not used." in said(beyond)
    assert beyond.number_input(key="compare_keep").value == 90.0  # the target of the link


SIMULATED = {
    "select_from": "retriever",
    "policy": "combined",
    "threshold": "0.25",
    "gamma": "0.8",
    "k_min": "1",
    "hard_cap": "7",
    "ratio": "0.35",
    "rounding": "ceil",
}


GAMMA = "selection_gamma_of_selection"
SHOWN = ["combined", 0.25, 0.8, 1, 7, 0.35, "ceil"]


def policy_on(page: str, app: AppTest) -> list[object]:
    """The policy that the fields of a page show."""
    return [
        app.selectbox(key=f"selection_kind_True_of_{page}").value,
        app.number_input(key=f"selection_threshold_of_{page}").value,
        app.slider(key=f"selection_gamma_of_{page}").value,
        app.number_input(key=f"selection_k_min_of_{page}").value,
        app.number_input(key=f"selection_hard_cap_of_{page}").value,
        app.slider(key=f"selection_ratio_of_{page}").value,
        app.selectbox(key=f"selection_rounding_of_{page}").value,
    ]


def test_a_link_of_the_page_that_was_three_leads_to_the_first_and_is_used_on_all() -> None:
    app = opened(f"{EVIDENCE}ranking.py", SIMULATED | {"by": "fold", "steps": "gate.alert_precision"})
    assert [one.value for one in app.title] == ["Ranking"]
    assert "what it chose besides is used on Selection and Pipeline steps." in said(app)
    assert app.segmented_control(key="ranking_by").value == "fold"
    assert "gamma" not in query(app)
    assert query(app)["by"] == ["fold"]
    app.query_params.clear()  # as a click on a page does
    run(app.switch_page(f"{EVIDENCE}pipeline_steps.py"))
    assert app.segmented_control(key="pipeline_metric").value == "gate.alert_precision"
    assert policy_on("pipeline_steps", app) == SHOWN
    app.query_params.clear()
    run(app.switch_page(f"{EVIDENCE}selection.py"))
    assert policy_on("selection", app) == SHOWN
    assert query(app)["select_from"] == ["retriever"]


def test_steps_of_a_link_select_by_its_policy() -> None:
    app = opened(f"{EVIDENCE}pipeline_steps.py", SIMULATED)
    assert policy_on("pipeline_steps", app) == SHOWN
    assert any("(combined, score ≥ 0.25, γ = 0.8)" in one.value for one in app.get("html"))


@pytest.mark.long
def test_the_simulator_of_a_link_selects_as_it_did() -> None:
    app = opened(f"{EVIDENCE}selection.py", SIMULATED)
    assert policy_on("selection", app) == SHOWN
    assert as_lists(SIMULATED).items() <= query(app).items()
    app.slider(key=GAMMA).set_value(0.6)
    assert query(run(app))["gamma"] == ["0.6"]
    app.slider(key=GAMMA).set_value(0.9)
    assert "gamma" not in query(run(app))
    wild = opened(
        f"{EVIDENCE}selection.py", SIMULATED | {"gamma": "nan", "hard_cap": "7.5", "policy": "best"}
    )
    for told in (
        "gamma “nan”, expected a number",
        "hard_cap “7.5”, expected a whole number",
        "policy “best”",
    ):
        assert told in said(wild)
    assert wild.slider(key=GAMMA).value == 0.9


def test_groups_and_steps_of_a_link_are_shown_and_follow_what_is_chosen() -> None:
    app = opened(f"{EVIDENCE}pipeline_steps.py", {"steps": "gate.alert_precision"})
    assert said(app) == ""
    assert app.segmented_control(key="pipeline_metric").value == "gate.alert_precision"
    app = opened(f"{EVIDENCE}ranking.py", {"by": "fold"})
    assert said(app) == ""
    assert app.segmented_control(key="ranking_by").value == "fold"
    app.segmented_control(key="ranking_by").set_value("criterion")
    run(app)
    assert "by" not in query(app)


def test_a_part_of_the_files_of_a_link_is_not_accused_of_other_content() -> None:
    lines = ROWS.splitlines(keepends=True)
    texts = [HEADER + "".join(lines[at : at + 40]) for at in range(0, len(lines), 40)]
    parts = [Upload(f"{at}.csv", text.encode()) for at, text in enumerate(texts)]
    link = DataName.of(evalcore.load(parts), is_sample=False).as_query("evidence")
    app = opened(f"{EVIDENCE}operating_point.py", link, evalcore.load(parts[:-1]))
    assert f"What is shown is a part of it, without {len(parts) - 1}.csv" in said(app)
    assert "other content" not in said(app)


@pytest.mark.parametrize(
    ("page", "slot"), [("evidence/criteria", "data_in_use"), ("rag/rag_overview", "annotations_in_use")]
)
def test_the_address_of_a_saved_report_asks_for_the_report(page: str, slot: str) -> None:
    """After a reload the files that it was made of are not what to load."""
    annotated = [Upload("generation.csv", b"record_uuid,annotator_id,helpful\nr1,a,1\nr2,a,0\n")]
    data = read() if slot == "data_in_use" else evalcore.load(annotated)
    report = Report.from_bytes(evalcore.evaluate(data).to_bytes())
    app = AppTest.from_file(str(APP), default_timeout=120)
    app.switch_page(f"pages/{page}.py")
    app.session_state[slot] = session.SessionData(
        report.unnamed_data, "mine.evalcore", is_sample=False, key="saved", report=report
    )
    link = query(run(app))
    assert "mine.evalcore" in [name for names in link.values() for name in names]
    gone = opened(f"pages/{page}.py", dict(link))
    assert "This link belongs to mine.evalcore (data " in said(gone)
    assert "Load the file on the Data page" in said(gone)
