"""The Criteria page, through app.py, and the numbers that it shows."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import evalcore
from evalcore.evaluation.criteria import AUPRC, AUROC, criterion_results, ranking_bounds
from evalcore.inference.binomial import clopper_pearson
from evalcore.operating_point.choosing.own_thresholds import own_thresholds
from evalcore.operating_point.test_rows.row_sets import row_set
from evalcore.spec import Ratio
from evalcore.tallies.cooccurrence import Cooccurrence
from evalcore.tallies.decisions import states_at
from evalcore.tallies.labels import LabelMatrix
from evalcore.tallies.scores import ScoredRows, ScoreTable
from pages.shared.criterion_table import shares_by
from tests.support.made.scored_data import data_of
from tests.support.opened import charts, give, look, session_on, shown

ROOT = Path(__file__).resolve().parents[2]
FILE = "pages/evidence/criteria.py"
HEADER = "post_id,criterion_id,has_evidence,probability\n"
TINY = HEADER + "p1,A.10,1,0.9\np1,A.2,0,0.2\np2,A.10,0,0.1\np2,A.2,1,0.4\n"
ONE_CLASS = HEADER + "p1,A.1,0,0.9\np1,A.2,0,0.2\np2,A.1,0,0.1\n"
WITHOUT_CRITERIA = "post_id,has_evidence,probability\np1,1,0.9\np2,0,0.2\n"
LISTS = "query_id,gold_ids,retriever_topk\nq1,d1,d1|d2\nq2,d3,d1|d3\n"


@pytest.fixture
def app() -> AppTest:
    """A session that has opened nothing yet, but will open the Criteria page."""
    return session_on(FILE)


def test_sample_shows_what_the_core_counts(app: AppTest) -> None:
    app.run()
    assert not app.exception
    table = app.dataframe[0].value
    assert table["Criterion"].tolist() == [f"A.{n}" for n in range(1, 11)]
    assert charts(app) == 5

    state = app.session_state["operating_point"]
    tau_neg, tau_pos = (float(text) for text in state.pair)
    in_use = app.session_state["data_in_use"].data
    tune = row_set(in_use, "tune", split="tune", model=None).queries
    model = tune.models[0]
    report = evalcore.evaluate(row_data(in_use, tune), by=("criterion",), tau_neg=tau_neg, tau_pos=tau_pos)
    for at, criterion in enumerate(table["Criterion"]):
        for column, key in (("AUROC", "classification.auroc"), ("AUPRC", "classification.auprc")):
            assert table[column][at] == report.value(key, model=model, group=criterion)
        sensitivity = report.value("gate.screening_sensitivity", model=model, group=criterion)
        assert table["Sensitivity"][at] == pytest.approx(100 * sensitivity, abs=0.05)
    assert table["Positives"].sum() == np.count_nonzero(tune.has_evidence)
    assert table["Checks"].sum() == len(tune)


def row_data(data: evalcore.Data, queries: object) -> evalcore.Data:
    """The data with these rows only."""
    return data.with_tables(queries=queries, rankings=None)


def test_all_rows_are_counted_when_asked_for_and_granted(app: AppTest) -> None:
    app.run()
    n = len(app.session_state["data_in_use"].data.queries) / 2  # two models
    app.segmented_control(key="rows_part").set_value("All").run()
    assert app.session_state["operating_point"].tested is None
    assert "Criteria, all rows** counts the test rows" in shown(app)
    assert "exploratory" in shown(app)
    assert app.dataframe[0].value["Checks"].sum() < n
    look(app)
    state = app.session_state["operating_point"]
    assert state.tested == state.pair
    assert app.dataframe[0].value["Checks"].sum() == n


def test_address_names_the_criterion(app: AppTest) -> None:
    app.query_params["criterion"] = "A.3"
    app.run()
    assert app.selectbox(key="criterion_choice").value == "A.3"
    app.selectbox(key="criterion_choice").set_value("A.10").run()
    assert app.query_params["criterion"] in ("A.10", ["A.10"])


def test_unknown_criterion_of_the_address_is_said_and_the_usual_one_shown(app: AppTest) -> None:
    app.query_params["criterion"] = "<b>A.99</b>"
    app.run()
    assert not app.exception
    assert app.selectbox(key="criterion_choice").value == "A.9"
    assert (
        "The link asks for criterion “&lt;b&gt;A.99&lt;/b&gt;”, which is not here: there is A.1, A.2"
        in shown(app)
    )


def test_name_is_kept_for_the_session(app: AppTest) -> None:
    app.query_params["criterion"] = "A.3"
    app.run()
    app.text_input(key="criterion_name_A.3").set_value("appetite").run()
    table = app.dataframe[0].value
    assert table.loc[table["Criterion"] == "A.3", "Name"].tolist() == ["appetite"]
    app.switch_page("pages/evidence/operating_point.py").run()
    app.switch_page(FILE).run()
    assert app.dataframe[0].value["Name"][2] == "appetite"


def test_bars_show_any_figure(app: AppTest) -> None:
    app.run()
    for metric in app.selectbox(key="criterion_metric").options:
        app.selectbox(key="criterion_metric").set_value(metric).run()
        assert not app.exception, metric


def test_what_the_bars_show_stands_in_the_address(app: AppTest) -> None:
    app.query_params["bars"] = "Alert precision"
    app.run()
    assert app.selectbox(key="criterion_metric").value == "Alert precision"
    app.selectbox(key="criterion_metric").set_value("Skipped").run()
    assert app.query_params["bars"] in ("Skipped", ["Skipped"])


def test_tiny_file_is_grey_and_in_natural_order(app: AppTest) -> None:
    give(app, TINY)
    assert app.dataframe[0].value["Criterion"].tolist() == ["A.2", "A.10"]
    assert "fewer than 20 positives" in shown(app)
    assert "A.10 special case (1)" in shown(app)


def test_one_class_only_has_reasons_instead_of_curves(app: AppTest) -> None:
    give(app, ONE_CLASS)
    assert "No curves: no row with evidence" in shown(app)
    assert app.dataframe[0].value["AUROC"].isna().all()
    assert charts(app) == 2


def test_scores_on_another_scale_have_no_reliability(app: AppTest) -> None:
    give(app, TINY.replace("0.9", "7.5"), score_kind="score")
    assert charts(app) == 4


def test_file_without_criteria_says_so(app: AppTest) -> None:
    give(app, WITHOUT_CRITERIA)
    assert "name no criteria" in shown(app)
    assert charts(app) == 0


def test_file_without_queries_says_so(app: AppTest) -> None:
    give(app, LISTS)
    assert "there is nothing to compare" in shown(app)


def test_criterion_results_are_the_masked_rows() -> None:
    rows = [("p1", "A.2", 0.2, 1), ("p2", "A.2", 0.6, 0), ("p3", "A.2", 0.9, 1), ("p1", "A.10", 0.5, 0)]
    second, tenth = criterion_results(data_of(rows).queries, 0.3, 0.6)
    assert (second.criterion, tenth.criterion) == ("A.2", "A.10")
    assert (second.n, second.n_positives, second.is_small) == (3, 2, True)
    assert second.auroc == Fraction(1, 2)
    assert second.screening_sensitivity == Ratio(1, 2)
    assert second.alert_precision == Ratio(1, 2)
    assert second.skipped == Ratio(1, 3)
    assert tenth.reason == "no row with evidence"


def clustered(n: int) -> list[tuple[str, str, float, int]]:
    """Six rows of each post in one criterion, one in another; some evidence in both."""
    rng = np.random.default_rng(5)
    scores = rng.random((n, 7)).round(2)
    labels = (scores + rng.normal(0, 0.3, (n, 1)) > 0.7).astype(int)
    return [
        (f"p{post}", "A.1" if at < 6 else "A.2", float(scores[post, at]), int(labels[post, at]))
        for post in range(n)
        for at in range(7)
    ]


def test_intervals_are_those_of_evaluate_by_criterion() -> None:
    data = data_of(clustered(60))
    table = evalcore.evaluate(data, by="criterion", tau_neg=0.3, tau_pos=0.8).table
    methods = set()
    for one in criterion_results(data.queries, 0.3, 0.8):
        of_group = table[(table.group == one.criterion) & (table.variant == "default")].set_index("metric")
        for name in ("screening_sensitivity", "alert_precision"):
            expected = of_group.loc[name]
            bounds = one.bounds[name]
            assert (bounds.low, bounds.high) == (expected.ci_low, expected.ci_high)
            assert bounds.method == expected.ci_method
            methods.add(bounds.method.partition("(")[0])
        expected = of_group.loc["auroc"]
        assert (one.auroc_bounds.low, one.auroc_bounds.high) == (expected.ci_low, expected.ci_high)
    assert methods == {"korn_graubard", "strict"}


def test_bootstrap_of_auroc_and_auprc_is_that_of_evaluate() -> None:
    data = data_of(clustered(40))
    table = evalcore.evaluate(data, by="criterion", tau_neg=0.3, tau_pos=0.8, bootstrap=200, seed=3).table
    found = ranking_bounds(data.queries, replicates=200, seed=3)
    for criterion, of_metric in found.items():
        rows = table[(table.group == criterion) & (table.variant == "default")].set_index("metric")
        for key in (AUROC, AUPRC):
            expected = rows.loc[key.partition(".")[2]]
            assert (of_metric[key].low, of_metric[key].high) == (expected.ci_low, expected.ci_high)
            assert of_metric[key].method == expected.ci_method


def test_one_row_a_post_gives_clopper_pearson_and_says_so() -> None:
    rows = [(f"p{at}", "A.1", at / 40, int(at % 3 == 0)) for at in range(40)]
    (one,) = results = criterion_results(data_of(rows).queries, 0.2, 0.6)
    ratio = one.screening_sensitivity
    expected = clopper_pearson(int(ratio.numerator), int(ratio.denominator))
    bounds = one.bounds["screening_sensitivity"]
    assert (bounds.low, bounds.high) == (pytest.approx(expected.low), pytest.approx(expected.high))
    assert shares_by(results) == "Clopper–Pearson: no post has two checks of a criterion"
    several = criterion_results(data_of(clustered(60)).queries, 0.3, 0.8)
    assert shares_by(several) == "Korn–Graubard or exact at Kish’s effective number of cases, over posts"


def test_shares_without_a_case_have_no_interval() -> None:
    (one,) = criterion_results(data_of([("p1", "A.1", 0.2, 0), ("p2", "A.1", 0.3, 0)]).queries, 0.1, 0.9)
    assert np.isnan(one.bounds["screening_sensitivity"].low)
    assert np.isnan(one.bounds["alert_precision"].high)
    assert np.isnan(one.auroc_bounds.low)
    assert one.bounds["skipped"].low == 0


def test_bootstrap_intervals_come_when_asked_for_and_are_kept(app: AppTest) -> None:
    give(app, TINY)
    assert "± AUPRC" not in app.dataframe[0].value
    assert "DeLong, assumes independent checks" in shown(app)
    app.run()
    app.toggle(key="criterion_bootstrap").set_value(True).run()
    assert not app.exception
    assert "± AUPRC" in app.dataframe[0].value
    assert "2,000 bootstrap replicates of posts" in shown(app)
    (kept,) = app.session_state["memo_criterion_bootstrap"].values()
    assert set(kept) == {"A.2", "A.10"}


def test_cooccurrence_counts_posts_and_knows_who_was_judged() -> None:
    rows = [("p1", "A.1", 0, 1), ("p1", "A.2", 0, 1), ("p2", "A.1", 0, 1), ("p3", "A.2", 0, 0)]
    counts = Cooccurrence.from_labels(LabelMatrix.from_queries(data_of(rows).queries)).ordered(("A.2", "A.1"))
    assert counts.criteria == ("A.2", "A.1")
    assert counts.n_both.tolist() == [[1, 1], [1, 2]]
    assert counts.n_judged.tolist() == [[2, 1], [1, 2]]


def test_own_thresholds_follow_the_rule_of_the_operating_point() -> None:
    rows = [(f"p{at}", "A.1", at / 100, at >= 40) for at in range(100)]
    data = data_of(rows)
    table = ScoreTable.from_rows(ScoredRows.from_queries(data.queries))
    own = own_thresholds(table, screening_sensitivity=0.9, alert_precision=0.8, confidence=0.95)
    point = evalcore.choose_operating_point(data, screening_sensitivity=0.9, alert_precision=0.8)
    assert own.thresholds.tau_neg == point.tau_neg
    assert own.thresholds.tau_pos == point.tau_pos
    assert int(own.states.total) == 100
    assert own.beside(states_at(table, None, None)) == (int(own.states.n_neg), int(own.states.neg_pos))
    assert own.beside(own.states) == (0, 0)
