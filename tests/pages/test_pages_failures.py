"""The Failures page, through app.py: the rows that the core names, in words, and their candidates."""

import csv
from io import StringIO
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import evalcore
from evalcore.failures import Filter, deep_gold, false_alerts, flips, missed_evidence
from evalcore.readers import Upload
from evalcore.text.numerals import as_given
from pages.shared.data import session
from pages.shared.written import NONE
from tests.support.opened import look, written

ROOT = Path(__file__).resolve().parents[2]
FILE = "pages/evidence/failures.py"
HEADER = "post_id,criterion_id,has_evidence,probability\n"
TINY = HEADER + "p1,A.10,1,0.1\np1,A.2,0,0.9\np2,A.10,0,0.4\np2,A.2,1,0.95\n"
EVIL = HEADER + '"=HYPERLINK(1)",**A**,1,0.1\n<img src=x>,**A**,0,0.9\np3,**A**,1,0.95\n'
ONE_CLASS = HEADER + "p1,A.1,0,0.9\np1,A.2,0,0.2\np2,A.1,0,0.1\n"
LISTS = "query_id,gold_ids,retriever_topk\nq1,d1,d1|d2\nq2,d3,d1|d2\n"


@pytest.fixture
def app() -> AppTest:
    """A session that has opened nothing yet, but will open the Failures page."""
    return AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).switch_page(FILE)


def give(app: AppTest, text: str, tau: tuple[str, str] | None = ("0.3", "0.8")) -> AppTest:
    """Open the page on these data, at these thresholds."""
    data = evalcore.load([Upload("given.csv", text.encode())])
    app.session_state["data_in_use"] = session.SessionData(
        data, "given.csv", is_sample=False, key=data.digest
    )
    if tau is not None:
        app.query_params["tau"] = list(tau)
    app.run()
    assert not app.exception
    return app


def show(app: AppTest, kind: str) -> AppTest:
    """Choose a kind of failure."""
    app.segmented_control(key="failures_kind").set_value(kind).run()
    assert not app.exception
    return app


def table(app: AppTest) -> dict[str, list[object]]:
    """The columns of the failures that are shown."""
    return {name: column.tolist() for name, column in app.dataframe[0].value.items()}


def said(app: AppTest) -> str:
    """Everything on the page as text and HTML."""
    return "\n".join(str(one.value) for one in [*app.markdown, *app.get("html"), *app.info, *app.caption])


def test_sample_shows_the_missed_evidence_of_the_core(app: AppTest) -> None:
    app.query_params["tau"] = ["0.01", "0.8"]
    app.run()
    assert not app.exception
    data = session_data(app)
    missed = missed_evidence(data, "gnn_gate", (0.01, 0.8), Filter(split="tune"))
    assert f"**{missed.total}** checks, worst first; all shown" in said(app)
    assert table(app)["post"] == missed.as_table()["post"].tolist()
    assert set(table(app)["state"]) == {"Skip"}
    assert set(table(app)["evidence" if "evidence" in table(app) else "has_evidence"]) == {"yes"}
    candidates = app.dataframe[1].value
    assert "● gold" in candidates["gold"].tolist() or "Gold that the list lacks" in said(app)
    scores = written(app, 1)["score"]
    assert scores == [as_given(score) for score in candidates["score"]]
    assert any(text.startswith("−") for text in scores)


def session_data(app: AppTest) -> evalcore.data.Data:
    """The data of the page's session."""
    return app.session_state["data_in_use"].data


def test_sample_shows_every_kind_as_the_core_counts_it(app: AppTest) -> None:
    app.query_params["tau"] = ["0.01", "0.8"]
    app.run()
    data, tune, taus = session_data(app), Filter(split="tune"), (0.01, 0.8)
    assert f"**{false_alerts(data, 'gnn_gate', taus, tune).total}** checks" in said(show(app, "false_alerts"))
    changed = flips(data, "gnn_gate", taus, (0.5, 0.5), tune)
    page = said(show(app, "flips"))
    assert f"**{changed.total:,}** checks, with evidence first; the first 1,000 shown" in page
    assert len(table(app)["post"]) == 1_000
    for at, to, names in ((1, 0, "Look → Skip"), (1, 2, "Look → Alert")):
        without, with_evidence = changed.counts[at, to].tolist()
        row = f"<td>{names}</td><td>{without + with_evidence:,}</td><td>{with_evidence:,}</td>"
        assert row in page
    lists = app.session_state["sample_with_lists"][1]
    deep = deep_gold(lists, list(lists.rankings.lists)[-1], 10, tune)
    assert f"**{deep.total:,}** gold sentences" in said(show(app, "deep_gold"))


def test_address_names_the_filters_and_is_kept_up_to_date(app: AppTest) -> None:
    app.query_params["kind"] = "false_alerts"
    app.query_params["criterion"] = "A.2"
    give(app, TINY)
    assert table(app)["post"] == ["p1"]
    assert table(app)["state"] == ["Alert"]
    app.selectbox(key="failures_criterion").set_value("A.10").run()
    assert app.query_params["criterion"] in ("A.10", ["A.10"])
    assert "No check without evidence raises an alert here." in said(app)


def test_a_group_of_any_column_is_carried_along_in_the_address(app: AppTest) -> None:
    app.query_params["group"] = "ward=a=b"
    lines = ["p1,A.1,1,0.1,a=b", "p2,A.1,1,0.2,c", "p3,A.1,1,0.05,a=b", "p4,A.1,0,0.9,c"]
    give(app, HEADER.replace("\n", ",ward\n") + "\n".join(lines))
    assert table(app)["post"] == ["p3", "p1"]
    app.selectbox(key="failures_group").set_value("ward=c").run()
    assert table(app)["post"] == ["p2"]
    assert app.query_params["group"] in ("ward=c", ["ward=c"])


@pytest.mark.parametrize(
    "query",
    [
        {"kind": "<img>"},
        {"group": "ward=nobody"},
        {"criterion": "A.99"},
        {"bin": "11"},
        {"k": "-3"},
        {"k": "99999999999999999999", "kind": "deep_gold"},
        {"other": ["0.9", "0.1"], "kind": "flips"},
        {"split": "none", "fold": "x", "state": "MAYBE", "list": "y"},
    ],
)
def test_a_wild_address_is_harmless(app: AppTest, query: dict[str, object]) -> None:
    for name, value in query.items():
        app.query_params[name] = value
    give(app, TINY)
    assert [title.value for title in app.title] == ["Failures"]


def test_names_from_a_file_are_shown_as_text(app: AppTest) -> None:
    give(app, EVIL)
    assert table(app)["post"] == ["=HYPERLINK(1)"]
    assert "**A**" not in "\n".join(one.value for one in app.markdown)
    assert "=HYPERLINK(1) · **A**" in said(app)


def test_without_lists_the_rows_are_shown_and_the_candidates_explained(app: AppTest) -> None:
    give(app, TINY)
    assert app.segmented_control(key="failures_kind").options == [
        "Missed evidence",
        "False alerts",
        "Changes of state",
    ]
    assert "No ranked lists are loaded" in said(app)


def test_lists_alone_show_deep_gold(app: AppTest) -> None:
    give(app, LISTS, tau=None)
    assert "**1** gold sentence" in said(app)
    assert table(app)["gold"] == ["d3"]
    assert "Gold that the list lacks: d3" in said(app)


def test_one_class_has_no_missed_evidence(app: AppTest) -> None:
    give(app, ONE_CLASS)
    assert "No check with evidence is skipped here." in said(app)


def test_thresholds_out_of_order_are_refused(app: AppTest) -> None:
    show(give(app, TINY), "flips")
    app.text_input(key="failures_other_neg").set_value("0.9").run()
    app.text_input(key="failures_other_pos").set_value("0.2").run()
    assert not app.exception
    assert "Two thresholds are needed, the lower one first" in said(app)


def test_test_rows_are_shown_once_a_look_at_them_is_granted(app: AppTest) -> None:
    app.run()
    before = table(app)
    app.selectbox(key="failures_split").set_value(NONE).run()
    assert app.session_state["operating_point"].tested is None
    assert "Failures, all rows** counts the test rows" in said(app)
    assert table(app) == before
    look(app)
    point = app.session_state["operating_point"]
    assert point.tested == point.pair
    assert len(table(app)["post"]) > len(before["post"])


ODD = ["all", "none", "other", "overall", "a=b", "a,b", 'say "x"', " X", "X", "“all”", "ü" * 90]


def odd_levels(column: str) -> str:
    """A missed check of each odd level, its post named by the place of the level."""
    name = "criterion_id" if column == "criterion" else column
    header = ["post_id", "has_evidence", "probability", *dict.fromkeys(("criterion_id", name))]
    rows = [
        [f"p{at}", "1", "0.1", *(["A.1"] if column != "criterion" else []), level]
        for at, level in enumerate(ODD)
    ]
    text = StringIO()
    csv.writer(text).writerows([header, *rows])
    return text.getvalue()


@pytest.mark.parametrize("column", ["criterion", "fold", "ward"])
def test_each_level_can_be_chosen_whatever_it_is_called(app: AppTest, column: str) -> None:
    give(app, odd_levels(column))
    key, prefix = ("failures_group", "ward=") if column == "ward" else (f"failures_{column}", "")
    assert len(set(app.selectbox(key=key).options)) == 1 + len(ODD)
    assert len(table(app)["post"]) == len(ODD)
    for at in (0, 1, 4, 7, 9):
        app.selectbox(key=key).set_value(f"{prefix}{ODD[at]}").run()
        assert not app.exception
        assert table(app)["post"] == [f"p{at}"]
        assert app.query_params[column if column != "ward" else "group"] == f"{prefix}{ODD[at]}"
    app.selectbox(key=key).set_value(NONE).run()
    assert len(table(app)["post"]) == len(ODD)


@pytest.mark.parametrize("level", ["none", "a,b", " X", "ü" * 90])
def test_a_link_to_a_level_shows_its_rows_whatever_it_is_called(app: AppTest, level: str) -> None:
    app.query_params["criterion"] = level
    give(app, odd_levels("criterion"))
    assert table(app)["post"] == [f"p{ODD.index(level)}"]


def test_an_older_link_to_all_rows_still_shows_them(app: AppTest) -> None:
    lines = "p1,A.1,1,0.1,tune\np2,A.1,1,0.1,dev\np3,A.1,0,0.1,test\n"
    app.query_params["split"] = "all"
    give(app, HEADER.replace("\n", ",split\n") + lines)
    assert "Failures, all rows** counts the test rows" in said(app)
    look(app)
    assert table(app)["post"] == ["p1", "p2"]
    assert app.query_params["split"] == NONE


def test_tune_rows_called_all_are_not_taken_for_every_row(app: AppTest) -> None:
    lines = "p1,A.1,1,0.1,all\np2,A.1,1,0.15,test\n"
    give(app, HEADER.replace("\n", ",split\n") + lines)
    assert table(app)["post"] == ["p1"]
    app.selectbox(key="failures_split").set_value(NONE).run()
    look(app)
    assert table(app)["post"] == ["p1", "p2"]
