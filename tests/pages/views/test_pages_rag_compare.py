"""The page that compares two systems by their annotations, through app.py."""

from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import evalcore
from evalcore.catalog import METRICS
from evalcore.compare.rag.annotations import compare_annotations
from evalcore.compare.rag.systems import by_system
from evalcore.data import Data
from evalcore.readers import Upload
from evalcore.text.numerals import value_text
from pages.shared.data import session
from tests.support.opened import shown

ROOT = Path(__file__).resolve().parents[3]
SAMPLE = ROOT / "sample_data" / "rag"
HEADER = "record_uuid,topic,system,annotator_id,helpful\n"
OLD = [f"old-{at},q{at},old,a,{int(at % 3 == 0)}\n" for at in range(30)]
NEW = [f"new-{at},q{at},new,a,{int(at % 3 != 1)}\n" for at in range(28)]


def loaded(text: str) -> Data:
    """The annotations in a file."""
    return evalcore.load([Upload("generation.csv", text.encode())])


def opened(
    text: str | None = None,
    second: str | None = None,
    *,
    labels: tuple[str, str] = ("first.csv", "second.csv"),
) -> AppTest:
    """The page on the sample or on these data, with a second export where one is given."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.switch_page("pages/rag/rag_compare.py")
    slots = ("annotations_in_use", "rag_second")
    for name, given, label in zip(slots, (text, second), labels, strict=True):
        if given is not None:
            data = loaded(given)
            app.session_state[name] = session.SessionData(data, label, is_sample=False, key=data.digest)
    app.run()
    assert not app.exception
    return app


def box(app: AppTest, label: str) -> Any:
    """The select box with a label."""
    (found,) = (one for one in app.selectbox if one.label == label)
    return found


def test_sample_is_compared_by_question_with_the_numbers_of_the_core() -> None:
    app = opened()
    text = shown(app)
    sides = by_system(evalcore.load([SAMPLE]))
    table = compare_annotations(sides["dense"], sides["hybrid"], key="question_id")
    assert table["n"].max() > 20
    for row in table.to_dict("records"):
        metric = METRICS[f"rag.{row['metric']}"]
        first, second = (value_text(metric, row[name]).replace(" ", "\xa0") for name in ("first", "second"))
        assert f"<td>{first}</td><td>{second}</td>" in text
        assert f"<td>{row['n']}</td><td>{row['n_without_value']}</td>" in text
        p = "1" if row["p_holm"] == 1 else f"{row['p_holm']:.4f}"
        assert f"<td>{p}</td>" in text
    assert "Retrieval: 30 queries compared; none fell out." in text
    assert len(app.get("plotly_chart")) == 1


def test_a_clear_difference_is_said_and_what_fell_out_is_counted() -> None:
    text = shown(opened(HEADER + "".join(OLD + NEW)))
    assert "new is better: Helpfulness rate −32.1 points [" in text
    assert "Without an interval: " in text
    assert "Holm over 1 metric." in text
    assert "Generation: 28 queries compared; 2 only in old fell out." in text


def test_another_key_that_nothing_shares_is_told() -> None:
    app = opened(HEADER + "".join(OLD + NEW))
    key = box(app, "Same query by")
    assert key.options == ["topic (28 shared)", "record id (0 shared)"]
    key.set_value("record").run()
    assert not app.exception
    assert "The two share no query by record id: choose what else names the same query." in shown(app)
    assert len(app.get("plotly_chart")) == 0


def test_one_system_is_told_what_a_comparison_needs() -> None:
    assert "These data hold one system only, old: a comparison needs two." in shown(
        opened(HEADER + "".join(OLD))
    )
    nameless = "record_uuid,annotator_id,helpful\nq1,a,1\nq2,a,0\n"
    assert "These data hold one system: a comparison needs two." in shown(opened(nameless))


def test_a_second_export_is_compared_by_record_id_until_it_is_removed() -> None:
    first = "record_uuid,annotator_id,helpful\n" + "".join(f"q{at},a,{at % 2}\n" for at in range(30))
    second = "record_uuid,annotator_id,helpful\n" + "".join(f"q{at},a,1\n" for at in range(2, 34))
    app = opened(first, second)
    text = shown(app)
    assert "Compared with the second export: second.csv." in text
    assert "Generation: 28 queries compared; 2 only in first.csv, 4 only in second.csv fell out." in text
    assert "<td>50.0\xa0%</td><td>100\xa0%</td><td>+50.0\xa0points</td>" in text
    app.button(key="rag_second_remove").click().run()
    assert not app.exception
    assert "These data hold one system: a comparison needs two." in shown(app)


@pytest.mark.parametrize(
    "labels",
    [
        ("generation.csv", "generation.csv"),
        ("generation.csv", "generation.csv, grounding.csv, retrieval.csv"),
    ],
)
def test_exports_that_their_files_do_not_tell_apart_are_first_and_second(labels: tuple[str, str]) -> None:
    app = opened(HEADER + "".join(OLD), HEADER + "".join(NEW), labels=labels)
    text = shown(app)
    assert "<th>first export</th><th>second export</th>" in text
    assert "second export is better: Helpfulness rate" in text
    assert "2 only in first export fell out." in text
    assert f"Compared with the second export: {labels[1]}." in text


def test_systems_that_share_nothing_at_all_are_not_asked_for_another_key() -> None:
    text = "record_uuid,system,annotator_id,helpful\nr1,old,a,1\nr2,new,a,0\n"
    told = shown(opened(text))
    assert "The two share no query by record id, nor by anything else." in told
    assert "choose what else" not in told


def test_records_without_a_system_are_counted() -> None:
    rows = [*OLD, *NEW, "x-1,q1,,a,1\n"]
    assert "1 record names no system: it is on no side." in shown(opened(HEADER + "".join(rows)))
    rows.append("x-2,q2,,a,1\n")
    assert "2 records name no system: they are on no side." in shown(opened(HEADER + "".join(rows)))
