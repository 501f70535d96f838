"""The Calibration page, through app.py, and the numbers that it shows."""

import math
import re
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from evalcore.curves.recalibration import platt
from evalcore.evaluation.calibration import calibration_values, recalibrated
from evalcore.operating_point.test_rows.row_sets import row_set
from evalcore.tallies.neighbours import neighbours
from evalcore.tallies.scores import ScoreTable
from evalcore.text.numerals import number
from pages.shared.point.asking import GRANTED
from tests.support.opened import charts, give, look, session_on

ROOT = Path(__file__).resolve().parents[2]
FILE = "pages/evidence/calibration.py"
RECALIBRATION = "Recalibration, test rows"
HEADER = "post_id,criterion_id,has_evidence,probability\n"
TINY = HEADER + "p1,A.1,1,0.9\np1,A.2,0,0.2\np2,A.1,0,0.1\np2,A.2,1,0.4\n"
ONE_CLASS = HEADER + "p1,A.1,0,0.9\np1,A.2,0,0.2\np2,A.1,0,0.1\n"
LISTS = "query_id,gold_ids,retriever_topk\nq1,d1,d1|d2\nq2,d3,d1|d3\n"


@pytest.fixture
def app() -> AppTest:
    """A session that has opened nothing yet, but will open the Calibration page."""
    return session_on(FILE)


def shown(app: AppTest) -> str:
    """Everything the page says, as a person reads it."""
    bodies = [re.sub(r"<style>.*?</style>", "", str(one.value), flags=re.DOTALL) for one in app.get("html")]
    texts = [unescape(re.sub(r"<[^>]+>", " ", body)) for body in bodies]
    return "\n".join([*texts, *(one.value for one in (*app.info, *app.caption, *app.markdown))])


def tiles(app: AppTest) -> dict[str, str]:
    """Title → value of the tiles."""
    bodies = "\n".join(str(one.value) for one in app.get("html"))
    found = re.findall(r'<p class="name">(.*?)</p><div class="value">(.*?)</div>', bodies)
    return {unescape(title): unescape(value) for title, value in found}


def table_of(app: AppTest, part: str) -> ScoreTable:
    """The rows that the page counts."""
    return row_set(app.session_state["data_in_use"].data, part, split=part, model=None).table


def test_sample_shows_the_values_of_the_core(app: AppTest) -> None:
    app.run()
    assert not app.exception
    values = calibration_values(table_of(app, "tune"))
    found = tiles(app)
    for name, label in (
        ("ece", "Expected calibration error"),
        ("brier", "Brier score"),
        ("calibration_slope", "Calibration slope"),
        ("e90", "E90"),
    ):
        assert found[label] == number(values[f"calibration.{name}", "default"].value)
    assert charts(app) == 11  # reliability, ten criteria


def test_bins_of_equal_mass_and_their_number_change_the_error(app: AppTest) -> None:
    app.run()
    app.segmented_control(key="calibration_bins").set_value("equal_mass")
    app.number_input(key="calibration_n_bins").set_value(15).run()
    assert not app.exception
    value = calibration_values(table_of(app, "tune"), 15)["calibration.ece", "equal_mass"].value
    assert tiles(app)["Expected calibration error"] == f"{number(value)}"


def test_test_rows_are_counted_when_asked(app: AppTest) -> None:
    app.run()
    app.segmented_control(key="rows_part").set_value("Test").run()
    look(app)
    value = calibration_values(table_of(app, "test"))["calibration.brier", "default"].value
    assert tiles(app)["Brier score"] == f"{number(value)}"


def test_rates_beside_the_thresholds_are_counted(app: AppTest) -> None:
    app.run()
    tau_neg, _ = app.session_state["operating_point"].pair
    near = neighbours(table_of(app, "tune"), float(tau_neg), "below")
    assert f"{near.n_pos:,} of {near.n:,} check" in shown(app)


def with_recalibration(app: AppTest) -> AppTest:
    """The page of a session that agreed to see the recalibration on test rows."""
    app.run()
    in_use = app.session_state["data_in_use"]
    app.session_state[GRANTED] = {(in_use.data.digest, in_use.models[0], RECALIBRATION)}
    app.run()
    assert not app.exception
    return app


def test_recalibration_is_asked_for_fitted_on_tune_and_shown_on_test(app: AppTest) -> None:
    app.run()
    assert "log loss" not in shown(app).partition("Recalibration")[2].lower()
    app.button(key="recalibrate").click().run()
    assert f"{RECALIBRATION}** counts the test rows" in shown(app)
    with_recalibration(app)
    after = recalibrated(table_of(app, "tune"), table_of(app, "test"))["platt"]
    assert f"{number(after.values['calibration.log_loss', 'default'].value)}" in shown(app)
    assert "Fitted on" in shown(app)


def test_file_without_split_says_why_there_is_no_recalibration(app: AppTest) -> None:
    give(app, TINY)
    assert "no split column" in shown(app)
    assert charts(app) == 3


def test_one_class_only_has_reasons(app: AppTest) -> None:
    give(app, ONE_CLASS)
    assert tiles(app)["Calibration slope"] == "n/a"
    assert "no row with evidence" in shown(app)


def test_scores_on_another_scale_have_no_calibration(app: AppTest) -> None:
    give(app, TINY.replace("0.9", "7.5"), score_kind="score")
    assert "Calibration is not defined" in shown(app)
    assert charts(app) == 0


def test_file_without_queries_says_so(app: AppTest) -> None:
    give(app, LISTS)
    assert "there is nothing to calibrate" in shown(app)


def table(score: list[float], n_pos: list[int], n_neg: list[int]) -> ScoreTable:
    return ScoreTable(np.array(score), np.array(n_pos), np.array(n_neg))


def test_neighbours_stay_on_their_side_and_keep_equal_scores_together() -> None:
    counts = table([0.1, 0.2, 0.3, 0.4], [0, 1, 2, 3], [5, 2, 1, 0])
    below, above = neighbours(counts, 0.3, "below", 2), neighbours(counts, 0.3, "above", 4)
    assert (below.n, below.n_pos, below.low, below.high) == (3, 1, 0.2, 0.2)
    assert (above.n, above.n_pos, above.low, above.high) == (6, 5, 0.3, 0.4)
    assert above.mean_score == pytest.approx((3 * 0.3 + 3 * 0.4) / 6)


@pytest.mark.parametrize(("threshold", "side"), [(0.1, "below"), (0.5, "above")])
def test_neighbours_of_an_empty_side_have_no_mean(threshold: float, side: str) -> None:
    near = neighbours(table([0.1, 0.4], [0, 1], [1, 0]), threshold, side)
    assert near.n == near.n_pos == 0
    assert math.isnan(near.mean_score)


def test_fewer_neighbours_than_asked_are_all_of_the_side() -> None:
    near = neighbours(table([0.1, 0.4, 0.6], [0, 1, 1], [1, 0, 4]), 0.6, "below", 200)
    assert (near.n, near.low, near.high) == (2, 0.1, 0.4)


def test_recalibrated_holds_the_metrics_of_the_mapped_rows() -> None:
    tune = table([0.1, 0.5, 0.9], [1, 3, 8], [9, 5, 2])
    found = recalibrated(tune, tune)
    assert found["platt"].values == calibration_values(platt(tune).table(tune))
    assert set(found) == {"isotonic", "platt", "temperature"}


def test_recalibrated_without_a_fit_has_a_reason_and_no_values() -> None:
    found = recalibrated(table([0.1, 0.5], [0, 0], [1, 1]), table([0.5], [1], [1]))["platt"]
    assert found.table is None
    assert not found.values
    assert found.fit.reason


def test_other_bins_measure_the_same_recalibrations_as_the_core(app: AppTest) -> None:
    with_recalibration(app)
    app.number_input(key="calibration_n_bins").set_value(7).run()
    assert not app.exception
    _, after = list(app.session_state["memo_recalibration"].values())[-1]
    expected = recalibrated(table_of(app, "tune"), table_of(app, "test"), 7)
    assert {name: repr(one.values) for name, one in after.items()} == {
        name: repr(one.values) for name, one in expected.items()
    }
    in_ten = recalibrated(table_of(app, "tune"), table_of(app, "test"), 10)
    key = ("calibration.ece", "default")
    assert after["isotonic"].values[key].value != in_ten["isotonic"].values[key].value
