"""The pages Ranking, Selection and Pipeline steps: the core's numbers, and what is missing is said."""

import re
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import evalcore
from evalcore.ablation import ablation, steps_of
from evalcore.evaluation.lists import at_every_k, list_differences
from evalcore.kernels.policy import Policy
from evalcore.selection_sweep import gamma_sweep
from evalcore.splits import only_split
from evalcore.tallies.ranked import RankedQueries
from evalcore.tallies.selections import ScoredLists
from evalcore.text.numerals import number, signed
from pages.shared.data import session

ROOT = Path(__file__).resolve().parents[3]
RANKING, SELECTION, STEPS = (
    f"pages/evidence/{name}.py" for name in ("ranking", "selection", "pipeline_steps")
)
QUERIES_ONLY = """post_id,criterion_id,has_evidence,probability,selected_k
p1,A.1,1,0.9,2
p1,A.2,0,0.2,0
p2,A.1,0,0.1,1
p2,A.2,1,0.4,3
"""
NO_GOLD = """post_id,criterion_id,sent_uid,is_gold,score
p1,A.1,s1,0,0.3
p1,A.1,s2,0,0.9
p2,A.1,s3,0,0.1
"""
PROBABILITIES = """post_id,criterion_id,sent_uid,is_gold,score
p1,A.1,s1,0,0.3
p1,A.1,s2,1,0.6
p1,A.1,s4,0,0.1
p2,A.1,s3,1,0.1
"""
TWO_LISTS = """post_id,criterion_id,sent_uid,is_gold,a,b
p1,A.1,s1,0,0.3,0.6
p1,A.1,s2,1,0.6,0.3
p2,A.1,s3,1,0.7,0.8
p2,A.1,s4,0,0.1,0.2
"""


def opened(page: str, *files: Path) -> AppTest:
    """A page of a session with the data of these files; without one, the sample."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    if files:
        data = evalcore.load(list(files))
        label = files[0].name
        app.session_state["data_in_use"] = session.SessionData(
            data, label, is_sample=False, key=session._key(data)
        )
    app.switch_page(page).run()
    assert not app.exception
    return app


@pytest.fixture
def write(tmp_path):
    """Write a file and open the page on it."""

    def opened_on(page: str, name: str, text: str) -> AppTest:
        (tmp_path / name).write_text(text)
        return opened(page, tmp_path / name)

    return opened_on


def texts(app: AppTest) -> str:
    """Everything the page shows through HTML, as a person reads it."""
    bodies = [re.sub(r"<style>.*?</style>", "", one.value, flags=re.DOTALL) for one in app.get("html")]
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", " ".join(bodies))).split())


def tile(app: AppTest, title: str) -> str:
    """The first value shown under a title."""
    found = re.search(
        rf"<p class=\"name\">{title}</p><div class=\"value\">([^<]*)",
        " ".join(h.value for h in app.get("html")),
    )
    assert found, title
    return found.group(1)


def headings(app: AppTest) -> list[str]:
    """The headings of the sections."""
    return [one.value for one in app.header]


def table(app: AppTest, *columns: str):
    """The table with these columns among its own."""
    return next(one.value for one in app.dataframe if set(columns) <= set(map(str, one.value.columns)))


@pytest.fixture(scope="module")
def sample():
    """The tune rows of the sample with their lists and candidates, which the page begins with."""
    return only_split(evalcore.load([session.SAMPLE, *session.SAMPLE_LISTS]), "tune")


def test_sample_shows_its_lists_with_the_numbers_of_the_core(sample):
    app = opened(RANKING)
    assert headings(app) == [
        "nDCG over K",
        "reranked_topk against retriever_topk, K = 10",
        "Every metric at every K",
        "Rank of the first gold",
        "K_eff, K = 10",
        "nDCG@10 by group",
    ]
    assert "Lists and candidates of the sample: ranked_lists.csv, candidates.parquet." in texts(app)
    lists = {
        name: RankedQueries.from_rankings(sample.rankings, name)
        for name in ("retriever_topk", "reranked_topk")
    }
    expected = at_every_k({"reranked_topk": lists["reranked_topk"]})
    tables = [one.value for one in app.dataframe if "ALL" in one.value.columns]
    for shown, population in zip(tables, ("positives_only", "all_queries"), strict=True):
        row = shown[(shown["metric"] == "nDCG") & (shown["list"] == "reranked_topk")].iloc[0]
        of_core = expected[(expected.metric == "ndcg") & (expected.population == population)]
        assert [row[k] for k in of_core.k] == of_core.value.tolist()
    differences = list_differences(*lists.values(), ks=(10,)).set_index("metric")
    shown = table(app, "difference").set_index("metric")
    assert shown.loc["nDCG", "difference"] == differences.loc["ndcg", "difference"]
    assert shown.loc["nDCG", "better"] == differences.loc["ndcg", "n_better"]

    # one control moved: another metric and K, one list alone
    app.segmented_control(key="ranking_metric").set_value("mrr")
    app.segmented_control(key="ranking_k").set_value("ALL").run()
    assert headings(app)[:2] == ["MRR over K", "reranked_topk against retriever_topk, K = ALL"]
    app.selectbox(key="ranking_second_retriever_topk").select_index(0).run()
    assert not app.exception
    assert "reranked_topk against retriever_topk, K = ALL" not in headings(app)


def test_simulator_selects_from_the_sample_as_the_core_does(sample):
    app = opened(SELECTION)
    assert headings(app) == ["Dynamic K", "As selected in the file"]
    assert "Lists and candidates of the sample: ranked_lists.csv, candidates.parquet." in texts(app)
    app.slider(key="selection_gamma_of_selection").set_value(0.8).run()
    scored = ScoredLists.from_rankings(sample.rankings, "reranker")
    results = gamma_sweep(scored, Policy("mass", gamma=0.8, temperature=1.0, ratio="0.50"))
    now = next(one for one in results if one.policy.gamma == 0.8)
    assert tile(app, "Evidence recall") == f"{number(now.evidence_recall)}"
    assert tile(app, "Mean selected K") == f"{now.mean_k:.3f}"
    assert tile(app, "Workload") == f"{now.n_selected:,}"
    assert table(app, "γ")["mean K"].tolist() == [one.mean_k for one in results]


def test_steps_of_the_sample_equal_the_ablation_of_the_core(sample):
    app = opened(STEPS)
    assert headings(app) == ["Steps beside each other", "Pairs of thresholds"]
    steps = steps_of(sample, lists={"gnn_gate": "reranked_topk"})
    chosen = [step for step in steps if step.name in ("retriever_topk", "reranked_topk", "gnn_gate")]
    result = ablation(chosen, policy=Policy("mass", gamma=0.9, temperature=1.0, ratio="0.50"))
    shown = texts(app)
    rows = result.of("ranking.ndcg").set_index("step")
    assert (
        f"reranked_topk {number(rows.value['reranked_topk'])} ({signed(rows.change['reranked_topk'])})"
        in shown
    )
    auroc = result.of("classification.auroc").set_index("step").value["gnn_gate"]
    assert f"{number(auroc)}" in shown
    assert "n/a — no score of the queries (n = 0)" in shown


def test_a_file_without_lists_says_what_is_missing(write):
    app = write(STEPS, "queries.csv", QUERIES_ONLY)
    assert "hold one model or list only" in app.info[0].value
    assert headings(app) == ["Pairs of thresholds"]
    app.switch_page(RANKING).run()
    assert "hold no ranked lists: ranking metrics need a ranked-lists" in app.info[0].value
    assert headings(app) == []
    app.switch_page(SELECTION).run()
    assert "hold no ranked lists: a simulated selection needs a ranked-lists" in app.info[0].value
    assert headings(app) == ["As selected in the file"]
    assert tile(app, "Evidence recall") == "n/a"
    assert tile(app, "Mean selected K") == "1.500"
    assert "n/a — no ranked lists: which candidates were selected is not known" in texts(app)


def test_lists_without_gold_have_no_numbers_and_no_error(write):
    app = write(RANKING, "candidates.csv", NO_GOLD)
    assert "No query has gold" in app.info[0].value
    app.switch_page(SELECTION).run()
    assert not app.exception
    assert tile(app, "Evidence recall") == "n/a"


def test_probabilities_are_shares_and_contradicting_caps_are_named(write):
    app = write(SELECTION, "candidates.csv", PROBABILITIES)
    # γ = .9 of .6, .3, .1 takes two; the single candidate of the other list takes one
    assert tile(app, "Mean selected K") == "1.500"
    app.number_input(key="selection_k_min_of_selection").set_value(12).run()
    assert not app.exception
    assert "k_min = 12, expected at most hard_cap, 10" in texts(app)


@pytest.mark.parametrize("kind", ["fixed", "threshold", "combined"])
def test_every_policy_selects(write, kind):
    app = write(SELECTION, "candidates.csv", PROBABILITIES)
    app.selectbox(key="selection_kind_True_of_selection").set_value(kind).run()
    assert not app.exception
    assert tile(app, "Mean selected K") == "1.500"


def test_real_lists_without_scores_show_the_published_values(shared):
    app = opened(RANKING, shared / "data" / "evidence" / "final_eval_v2__per_query.csv")
    tables = [one.value for one in app.dataframe if "ALL" in one.value.columns]
    ndcg = [frame[frame["metric"] == "nDCG"].set_index("list").loc["retriever_topk"] for frame in tables]
    assert ndcg[0]["10"] == pytest.approx(0.6805939208340911, abs=1e-12)
    assert ndcg[1]["20"] == pytest.approx(0.06481383269308462, abs=1e-12)
    app.switch_page(SELECTION).run()
    assert "load a candidates file" in texts(app)
    assert app.selectbox(key="selection_kind_False_of_selection").options == ["Fixed K"]


def test_gamma_without_effect_is_said_to_have_none_on_real_candidates(shared):
    app = opened(SELECTION, shared / "data" / "evidence" / "val_candidates.csv")
    app.selectbox(key="selection_list").set_value("jina")
    app.selectbox(key="selection_rounding_of_selection").set_value("ceil").run()
    assert app.warning[0].value == (
        "γ has no effect at 0.7, 0.8, 0.9, 0.95: another γ selects as many for every query; at the cap: "
        "1,470 of 1,470 queries (100 %)."
    )
    gammas = table(app, "γ")
    assert gammas["no effect"].all()
    # 5.143 is published; it counts 60 lists of one candidate as 2 (tests/metrics/test_selection.py)
    np.testing.assert_allclose(gammas["mean K"] + 60 / 1470, 5.143, atol=5e-4)


def test_the_policy_chosen_on_one_page_is_that_of_the_other(write):
    app = write(SELECTION, "candidates.csv", TWO_LISTS)
    app.number_input(key="selection_k_min_of_selection").set_value(1).run()
    app.number_input(key="selection_hard_cap_of_selection").set_value(1).run()
    app.slider(key="selection_ratio_of_selection").set_value(1.0).run()
    app.switch_page(STEPS).run()
    assert not app.exception
    assert [
        app.number_input(key="selection_k_min_of_pipeline_steps").value,
        app.number_input(key="selection_hard_cap_of_pipeline_steps").value,
        app.slider(key="selection_ratio_of_pipeline_steps").value,
    ] == [1, 1, 1.0]
    app.segmented_control(key="pipeline_metric").set_value("extraction.evidence_recall").run()
    # one of the candidates each: a finds both golds, b the gold of p2 alone
    assert "a 1.000" in texts(app)
    assert "b 0.500 −0.5000" in texts(app)
    app.number_input(key="selection_hard_cap_of_pipeline_steps").set_value(2).run()
    app.switch_page(SELECTION).run()
    assert app.number_input(key="selection_hard_cap_of_selection").value == 2
