"""A document of thresholds dropped on the Data page."""

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.operating_point import OperatingPoint
from pages.shared.point.reopening import WAITING

APP = Path(__file__).resolve().parents[3] / "app.py"
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
