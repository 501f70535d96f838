"""A document of thresholds dropped on the Data page."""

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.operating_point import OperatingPoint
from pages.shared.point.reopening import WAITING


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
