"""A document of thresholds dropped on the Data page."""

import json

import pytest
from streamlit.testing.v1 import AppTest

import evalcore
from evalcore.operating_point import OperatingPoint, point_from_thresholds
from evalcore.operating_point.document.canonical import content_sha256
from evalcore.readers import Upload
from evalcore.splits import divided
from pages.shared.data import session
from pages.shared.point.exporting import KEPT
from pages.shared.point.reopening import WAITING
from tests.support.opened import APP

DAMAGED = {"schema": "operating-point", "schema_version": "1.1", "content_sha256": "0" * 64}


@pytest.mark.parametrize("raw", [b"{}", b'{"claims": [1, 1]}'])
def test_it_is_checked_once_however_often_the_page_is_drawn(
    raw: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked: list[str | None] = []
    check = OperatingPoint.from_bytes

    def counted(given: bytes, *, file: str | None = None, strict: bool = True) -> OperatingPoint:
        checked.append(file)
        return check(given, file=file, strict=strict)

    monkeypatch.setattr(OperatingPoint, "from_bytes", staticmethod(counted))
    page = AppTest.from_string(
        "from pages.shared.point.reopening import show_documents\n\nshow_documents()\n"
    )
    page.session_state[WAITING] = {"point.json": raw}
    assert not page.run().exception
    assert not page.run().exception
    assert [one.label for one in page.button] == ["Forget the document"]
    assert checked == ["point.json"]


def rows_without_split() -> str:
    """Eighty posts, every second one with evidence, and no column that divides them."""
    lines = [f"p{at},A.1,{at % 2},{0.3 + 0.4 * (at % 2) + at / 1000:.3f}" for at in range(80)]
    return "post_id,criterion_id,has_evidence,probability\n" + "\n".join(lines)


@pytest.mark.parametrize("is_divided_before", [False, True])
def test_one_made_on_rows_that_were_divided_divides_them_again(is_divided_before: bool) -> None:
    data = evalcore.load([Upload("given.csv", rows_without_split().encode())])
    aim = {"screening_sensitivity": 0.9, "alert_precision": 0.9}
    point = point_from_thresholds(divided(data), 0.6, 0.65, tune="tune", test="test", author="Dr. A", **aim)
    assert point.verify(data).holds
    in_use = divided(data) if is_divided_before else data
    page = AppTest.from_file(str(APP), default_timeout=60).switch_page("pages/common/data.py")
    page.session_state["data_in_use"] = session.SessionData(
        in_use, "given.csv", is_sample=False, key=in_use.digest
    )
    page.session_state[WAITING] = {"point.json": point.text.encode()}
    assert not page.run().exception
    page.button(key="open_point.json").click().run()
    assert not page.exception
    used = page.session_state["data_in_use"].data
    assert used.is_divided
    assert set(used.queries.slices["split"][1]) == {"tune", "test"}
    assert page.session_state["operating_point"].pair == ("0.6", "0.65")
    assert page.session_state[KEPT][1].document == point.document
    assert page.session_state[WAITING] == {}
    assert 'class="link-note done"' in shown(page), "good news is not in the colour of what warns"
    page.switch_page("pages/evidence/operating_point.py").run()
    assert not page.exception


def shown(page: AppTest) -> str:
    """What is written on the page."""
    return "\n".join(str(one.value) for one in [*page.markdown, *page.get("html"), *page.caption])


@pytest.mark.parametrize("field", ["id", "title"])
def test_one_changed_by_hand_is_refused_by_name(field: str) -> None:
    data = evalcore.load([Upload("given.csv", rows_without_split().encode())])
    document = json.loads(point_from_thresholds(data, 0.6, 0.65, title="Ours").text)
    document[field] = "op-0123456789abcdef"
    if field == "id":
        document["content_sha256"] = content_sha256(document)
    page = AppTest.from_string(
        "from pages.shared.point.reopening import show_documents\n\nshow_documents()\n"
    )
    page.session_state[WAITING] = {"point.json": json.dumps(document).encode()}
    assert not page.run().exception
    assert [one.label for one in page.button] == ["Forget the document"]
    assert "cannot be opened. Nothing was moved" in shown(page)
    assert ("OPT-105" if field == "id" else "DOC-003") in shown(page)


def test_a_damaged_one_is_named_with_what_it_lacks_and_what_to_do() -> None:
    page = AppTest.from_file(str(APP), default_timeout=60).switch_page("pages/common/data.py").run()
    page.file_uploader[0].set_value(("POINT.json", json.dumps(DAMAGED).encode(), "application/json")).run()
    assert not page.exception
    assert "**POINT.json**: an exported document of thresholds" in [one.value for one in page.markdown]
    told = "".join(one.value for one in page.get("html"))
    assert "This document cannot be opened. Nothing was moved." in told
    for name in ("id", "status", "rule", "data"):
        assert (
            f"POINT.json: found &#x27;{name}&#x27; is a required property at the top level, expected a "
            "document after operating-point.schema.json. Export the document again; it must not be edited."
        ) in told
