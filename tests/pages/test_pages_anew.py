"""What a session keeps is shown for its data, thresholds and model only: never what stood there before."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import evalcore
from evalcore.data import Data
from evalcore.sample import write_sample
from pages.shared.data import session

ROOT = Path(__file__).resolve().parents[2]
PAGES = [f"pages/evidence/{name}.py" for name in ("criteria", "calibration", "pipeline_steps", "failures")]
OF_LISTS = [f"pages/evidence/{name}.py" for name in ("ranking", "selection")]
"""Pages that no thresholds move."""


@pytest.fixture(scope="module")
def datasets(tmp_path_factory: pytest.TempPathFactory) -> list[Data]:
    """Two data sets of the same columns, models, lists, folds and splits."""
    found = []
    for seed in (1, 2):
        folder = tmp_path_factory.mktemp(f"seed{seed}")
        write_sample(folder, n_posts=120, seed=seed)
        names = ("queries.csv", "ranked_lists.csv", "candidates.parquet")
        found.append(evalcore.load([folder / name for name in names]))
    return found


def put(app: AppTest, data: Data) -> AppTest:
    """Show these data, and run the page."""
    in_use = session.SessionData(data, "given", is_sample=False, key=session._key(data))
    app.session_state["data_in_use"] = in_use
    app.run()
    assert not app.exception
    return app


def opened(page: str, data: Data, *, tau: list[str] | None = None, model: str = "gnn_gate") -> AppTest:
    """A session that has opened nothing but this page on these data; with what depends on thresholds."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120).switch_page(page)
    app.query_params["kind"] = "false_alerts"
    app.session_state["model_in_use"] = model
    app.session_state["criterion_metric"] = "Sensitivity (screened in)"
    if tau is not None:
        app.query_params["tau"] = tau
        app.query_params["data"] = data.digest[:8]
        app.query_params["model"] = model
    return put(app, data)


def shown(app: AppTest) -> dict[str, list[str]]:
    """Every figure, table and text on the page."""
    return {
        "figures": [one.proto.spec for one in app.get("plotly_chart")],
        "tables": [one.value.to_csv() for one in app.dataframe],
        "texts": [str(one.value) for one in (*app.get("html"), *app.markdown)],
    }


@pytest.mark.parametrize("page", [*PAGES, *OF_LISTS])
def test_other_data_are_shown_as_in_a_session_that_saw_no_others(page: str, datasets: list[Data]) -> None:
    app, fresh = opened(page, datasets[0]), opened(page, datasets[1])
    before = shown(app)
    expected = shown(fresh)
    assert before["tables"] != expected["tables"] or before["figures"] != expected["figures"]
    other = None if page in OF_LISTS else app.session_state["operating_point"].pair
    assert shown(put(app, datasets[1])) == expected
    assert page in OF_LISTS or app.session_state["operating_point"].pair != other


@pytest.mark.parametrize("page", PAGES)
def test_moved_thresholds_are_shown_as_in_a_session_that_began_with_them(
    page: str, datasets: list[Data]
) -> None:
    app, fresh = opened(page, datasets[0]), opened(page, datasets[0], tau=["0.3", "0.6"])
    before = shown(app)
    app.session_state["operating_point"].move(("0.3", "0.6"))
    app.run()
    assert shown(app) == shown(fresh)
    assert shown(app) != before


@pytest.mark.parametrize("page", PAGES[:2])  # the steps that were chosen stay
def test_another_model_is_shown_as_in_a_session_that_began_with_it(page: str, datasets: list[Data]) -> None:
    app, fresh = opened(page, datasets[0]), opened(page, datasets[0], model="baseline")
    before = shown(app)
    app.selectbox(key="model_choice").select("baseline").run()
    assert shown(app) == shown(fresh)
    assert shown(app) != before


def test_sessions_that_take_turns_keep_their_own_data(datasets: list[Data]) -> None:
    first, second = (opened(PAGES[1], data) for data in datasets)
    of_first, of_second = shown(first), shown(second)
    assert of_first["figures"] != of_second["figures"]
    assert shown(first.run()) == of_first
    assert shown(second.run()) == of_second


def test_results_of_earlier_data_are_let_go_of(datasets: list[Data]) -> None:
    def use_others() -> None:
        import streamlit as st

        from pages.shared import memo
        from pages.shared.data import session

        memo.kept("counts", "of the data before", lambda: 1)
        session.use(st.session_state["others"], "others")
        memo.kept("rates", "of these data", lambda: 1)

    app = AppTest.from_function(use_others, default_timeout=60)
    app.session_state["others"] = datasets[0]
    app.run()
    assert not app.exception
    assert "memo_counts" not in app.session_state
    assert "memo_rates" in app.session_state
