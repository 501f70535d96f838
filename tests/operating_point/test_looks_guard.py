"""No page counts a test row before a look at the test rows was asked for: every page, every control."""

import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import evalcore
from evalcore import checks
from evalcore.data import Data, Queries, RankedRows, Rankings
from evalcore.operating_point.prospects import before_test
from evalcore.readers import Upload
from pages.shared.data import session
from pages.shared.point import asking, looks, rows
from pages.shared.written import NONE
from tests.support.but_long import but_long
from tests.support.opened import APP, SECONDS_TO_RUN

PAGES = sorted(path.relative_to(APP.parent).as_posix() for path in APP.parent.glob("pages/evidence/*.py"))
PAGES = [page for page in PAGES if not page.endswith("__init__.py")] + ["pages/common/data.py"]
MODELS = ("gate", "other")
OPENED = ("front_section", "folds_section", "limits_section")
SCORES = ("score", "numbers")
"""What joins a test row's label to a figure; how many rows and positives there are may always be said."""


class WithheldError(AssertionError):
    """A page has read test rows that nobody had agreed to look at."""


class Watch:
    """Whether test rows may be read just now."""

    is_open = False
    is_counted = False
    alarm = ""

    @contextmanager
    def opened(self) -> Iterator[None]:
        before, self.is_open = self.is_open, True
        try:
            yield
        finally:
            self.is_open = before

    def check(self, what: str) -> None:
        if not (self.is_open or self.is_counted):
            self.alarm = f"{what} of test rows was read before a look was granted\n"
            self.alarm += "".join(traceback.format_stack(limit=14))
            raise WithheldError(self.alarm)


WATCH = Watch()


class WatchedQueries(Queries):
    """Rows with test rows among them: their scores are read under watch only."""

    def __getattribute__(self, name: str) -> Any:
        if name in SCORES:
            WATCH.check(name)
        return super().__getattribute__(name)

    def __len__(self) -> int:
        return len(self.has_evidence)

    def where(self, mask: np.ndarray) -> Queries:
        """Rows of a mask; watched where test rows are among them."""
        with WATCH.opened():
            of_mask = Queries.where(self, mask)
            kept = Queries(**{one.name: getattr(of_mask, one.name) for one in fields(Queries)})
        codes, levels = kept.slices["split"]
        return watched_queries(kept) if (codes == levels.index("test")).any() else kept


class WatchedLists(Mapping):
    """Lists of queries with test queries among them."""

    def __init__(self, lists: Mapping[str, RankedRows]) -> None:
        self._lists = lists

    def __iter__(self) -> Iterator[str]:
        return iter(self._lists)

    def __len__(self) -> int:
        return len(self._lists)

    def __getitem__(self, name: str) -> RankedRows:
        WATCH.check(f"list {name}")
        return self._lists[name]


def watched_queries(queries: Queries) -> WatchedQueries:
    with WATCH.opened():
        return WatchedQueries(**{one.name: getattr(queries, one.name) for one in fields(Queries)})


def watched(data: Data) -> Data:
    """The data, whose test rows raise an alarm."""
    parts = {one.name: getattr(data, one.name) for one in fields(Data)}
    lists = {one.name: getattr(data.rankings, one.name) for one in fields(Rankings)}
    rankings = Rankings(**{**lists, "lists": WatchedLists(data.rankings.lists)})
    parts["tables"] = {"queries": watched_queries(data.queries), "rankings": rankings}
    found = Data(**parts)
    vars(found)["reading"] = data.reading  # kept by the data: names them in a link, and says nothing of them
    return found


def split_data() -> Data:
    """Two models, two lists with scores, posts in folds, half of them test rows."""
    rng = np.random.default_rng(3)
    checks_ = ["post_id,criterion_id,fold,split,model,has_evidence,probability,selected_k"]
    lists = ["post_id,criterion_id,sent_uid,is_gold,retriever,reranker"]
    for post in range(60):
        split = "tune" if post % 2 else "test"
        for criterion in ("A.1", "A.9"):
            label = int(rng.random() < 0.4)
            for model, pull in (("gate", 0.4), ("other", 0.2)):
                score = min(max(rng.normal(0.4 + pull * (label - 0.5), 0.2), 0), 1)
                checks_.append(f"p{post},{criterion},{post // 2 % 3},{split},{model},{label},{score:.3f},2")
            for at in range(4):
                is_gold = int(label and at == 1)
                lists.append(
                    f"p{post},{criterion},s{post}_{at},{is_gold},{rng.random():.3f},{rng.random():.3f}"
                )
    files = {"rows.csv": checks_, "candidates.csv": lists}
    return evalcore.load([Upload(name, "\n".join(text).encode()) for name, text in files.items()])


@pytest.fixture(autouse=True)
def exempt(monkeypatch: pytest.MonkeyPatch) -> None:
    """What may read test rows unasked, each with its reason."""
    WATCH.is_open, WATCH.is_counted, WATCH.alarm = False, False, ""

    def let(module: Any, name: str) -> None:
        function = getattr(module, name)

        def under_watch(*arguments: Any, **options: Any) -> Any:
            with WATCH.opened():
                return function(*arguments, **options)

        monkeypatch.setattr(module, name, under_watch)

    let(rows, "only_split")  # takes the test rows away
    let(looks, "marks_of_test_rows")  # the counter itself: nothing is shown
    let(looks, "marks_of_other_rows")
    let(before_test, "_of_sensitivity")  # the number of positives and of their posts, no score: tested below
    let(before_test, "_of_precision")
    let(checks, "performed")  # whether the file can be used at all, as its reading says too


def opened(page: str, data: Data) -> AppTest:
    app = AppTest.from_file(str(APP), default_timeout=SECONDS_TO_RUN).switch_page(page)
    in_use = session.SessionData(watched(data), "rows.csv", is_sample=False, key=session._key(data))
    app.session_state["data_in_use"] = in_use
    return app


def run(app: AppTest, what: str) -> AppTest:
    app.run()
    assert not app.exception, f"{what}: {WATCH.alarm or app.exception[0].message}"
    return app


def moves(app: AppTest) -> list[tuple[str, Any, Any]]:
    """Every control of a page with every other value it can take: (kind, key or label, value)."""
    found: list[tuple[str, Any, Any]] = []
    for kind in ("selectbox", "segmented_control"):
        for widget in getattr(app, kind):
            n_options = len(MODELS) if widget.key == "model_choice" else len(widget.options)
            found += [(kind, widget.key, at) for at in range(n_options)]
    found += [("toggle", widget.key, True) for widget in app.toggle]
    found += [("checkbox", widget.key, True) for widget in app.checkbox]
    found += [("button", widget.key, True) for widget in app.button if widget.key != "test_now"]
    return [one for one in found if one[1] is not None]


def moved(app: AppTest, kind: str, key: str, value: Any) -> None:
    widget = getattr(app, kind)(key=key)
    if kind == "button":
        widget.click()
    elif key == "model_choice":  # AppTest would put its shown text twice before a name
        app.session_state[key] = widget.options[value].removeprefix("Model: ")
    elif kind == "selectbox":
        widget.select_index(value)
    elif kind == "segmented_control":
        widget.set_value(widget.options[value])
    else:
        widget.set_value(value)


@pytest.mark.parametrize("page", but_long(PAGES, 3))
def test_no_control_of_a_page_shows_a_test_row_before_a_look_is_granted(page: str) -> None:
    app = opened(page, split_data())
    for key in OPENED:
        app.session_state[key] = True
    run(app, "opened")
    n_asked = 0
    for kind, key, value in moves(app):
        if key not in {widget.key for widget in getattr(app, kind)}:
            continue  # an earlier control took it away
        moved(app, kind, key, value)
        run(app, f"{kind} {key} = {value}")
        if any(button.key == "test_later" for button in app.button):
            n_asked += 1
            app.button(key="test_later").click()
            run(app, f"{kind} {key} = {value}, refused")
        assert asking.GRANTED not in app.session_state
    expects_question = page.startswith("pages/evidence/") and "operating_point" not in page
    assert n_asked >= 2 * expects_question


@pytest.mark.parametrize("page", [page for page in PAGES if "operating_point" not in page][:-1])
def test_a_granted_look_is_counted_before_the_rows_are_read(
    page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[str] = []
    record = looks.LookBook.record

    def noted(book: looks.LookBook, marks: Any, shown: str) -> Any:
        counted.append(shown)
        WATCH.is_counted = True
        return record(book, marks, shown)

    monkeypatch.setattr(looks.LookBook, "record", noted)
    app = run(opened(page, split_data()), "opened")
    control = "failures_split" if "failures" in page else "rows_part"
    if control == "rows_part":
        app.segmented_control(key=control).set_value("All")
    else:
        app.selectbox(key=control).set_value(NONE)
    run(app, "all rows wanted")
    assert not counted
    app.button(key="test_now").click()
    run(app, "granted")
    assert len(counted) == 1
    assert counted[0].endswith(", all rows")


def test_prospects_of_a_test_depend_on_no_score_of_its_rows() -> None:
    data = split_data()
    queries = data.queries
    codes, levels = queries.slices["split"]
    is_test = codes == levels.index("test")
    score = queries.score.copy()
    score[is_test] = score[is_test][::-1] / 2
    parts = {one.name: getattr(queries, one.name) for one in fields(Queries)}
    other = data.with_tables(queries=Queries(**{**parts, "score": score}))
    options = {"screening_sensitivity": 0.8, "alert_precision": 0.6, "tune": "tune", "test": "test"}
    assert repr(before_test.outlooks(other, **options)) == repr(before_test.outlooks(data, **options))


def test_the_alarm_sounds(monkeypatch: pytest.MonkeyPatch) -> None:
    data = watched(split_data())
    with pytest.raises(WithheldError):
        _ = data.queries.score
    with pytest.raises(WithheldError):
        _ = data.rankings.lists["retriever"]
    monkeypatch.setattr("pages.shared.point.rows.is_granted", lambda _: True)
    app = opened("pages/evidence/criteria.py", split_data()).run()
    app.segmented_control(key="rows_part").set_value("Test").run()
    assert app.exception
