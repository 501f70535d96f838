"""A page opened through app.py on given data, and what it says."""

import json
import re
from pathlib import Path
from typing import Any

from streamlit.dataframe_util import convert_arrow_bytes_to_pandas_df
from streamlit.testing.v1 import AppTest

import evalcore
from evalcore.readers import Upload
from pages.shared.data import session

APP = Path(__file__).resolve().parents[2] / "app.py"
SECONDS_TO_RUN = 120


def session_on(file: str) -> AppTest:
    """A session that has opened nothing yet, but will open the page in `file`."""
    return AppTest.from_file(str(APP), default_timeout=SECONDS_TO_RUN).switch_page(file)


def give(app: AppTest, text: str, **options: str) -> AppTest:
    """Open the page on these data."""
    data = evalcore.load([Upload("given.csv", text.encode())], **options)
    app.session_state["data_in_use"] = session.SessionData(
        data, "given.csv", is_sample=False, key=data.digest
    )
    app.run()
    assert not app.exception
    return app


def look(app: AppTest) -> AppTest:
    """The page after a look at the test rows, which it asked for, was granted."""
    app.button(key="test_now").click().run()
    assert not app.exception
    return app


def shown(app: AppTest) -> str:
    """Everything on the page as text and HTML; the cells of its tables without their attributes."""
    parts: list[Any] = [*app.markdown, *app.get("html"), *app.info, *app.caption]
    return re.sub(r"<td [^>]*>", "<td>", "\n".join(str(one.value) for one in parts))


def written(app: AppTest, at: int) -> dict[str, list[str]]:
    """The cells of a frame of the page, column by column, as `pages.shared.widgets.written` wrote them."""
    proto = app.dataframe[at].proto
    settings = json.loads(proto.columns or "{}")
    formats = [name for name, one in settings.items() if (one.get("type_config") or {}).get("format")]
    assert formats == [], "by a format the browser writes numbers itself"
    texts = convert_arrow_bytes_to_pandas_df(proto.arrow_data.styler.display_values)
    return {str(name): texts[name].astype(str).tolist() for name in texts}


def charts(app: AppTest) -> int:
    """How many figures the page shows."""
    return len(app.get("plotly_chart"))
