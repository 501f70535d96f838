"""Ablation: steps of a pipeline with what each changes, policy sweeps, and lists against each other."""

import math
from dataclasses import FrozenInstanceError
from statistics import pstdev, stdev

import numpy as np
import pandas as pd
import pytest

import evalcore
from evalcore import evaluate
from evalcore.ablation import (
    Step,
    ablation,
    changes,
    gamma_table,
    ranked_lists,
    step_values,
    steps_of,
    steps_of_files,
    threshold_grid,
)
from evalcore.evaluation.lists import (
    at_every_k,
    first_gold,
    list_differences,
    lists_by_group,
    n_shorter,
    selection_values,
)
from evalcore.figures.ablation import threshold_grid_figure, waterfall_figure
from evalcore.figures.ranking import (
    first_gold_figure,
    k_histogram_figure,
    list_groups_figure,
    over_k_figure,
    recall_workload_figure,
)
from evalcore.kernels.policy import GAMMAS, Policy
from evalcore.metrics import ranking
from evalcore.problems import InputError
from evalcore.selection_sweep import along, gamma_sweep, k_histogram, sweep
from evalcore.tallies.ranked import RankedQueries
from evalcore.tallies.scores import ScoredRows
from evalcore.tallies.selections import ScoredLists, Selections

QUERIES = """post_id,criterion_id,fold,config,has_evidence,probability,selected_k
p1,A,0,gate,1,0.9,2
p1,B,0,gate,0,0.2,0
p2,A,1,gate,1,0.6,1
p2,B,1,gate,0,0.7,1
p1,A,0,full,1,0.9,2
p1,B,0,full,0,0.1,0
p2,A,1,full,1,0.8,2
p2,B,1,full,0,0.3,1
"""
LISTS = """post_id,criterion_id,gold_ids,retriever_topk,reranked_topk
p1,A,a,b|a|c,a|b|c
p1,B,,b|a,b|a
p2,A,x|z,y|w|x,x|y|w
p2,B,,y|x,y|x
"""


@pytest.fixture
def data(tmp_path):
    """Two configurations of a gate and two lists, two folds."""
    for name, text in (("queries.csv", QUERIES), ("lists.csv", LISTS)):
        (tmp_path / name).write_text(text)
    return evalcore.load([tmp_path / "queries.csv", tmp_path / "lists.csv"])


def steps(data, **options):
    return steps_of(data, lists={"gate": "reranked_topk", "full": "reranked_topk"}, **options)


def value(result, step, metric, column="value"):
    rows = result.of(metric)
    return rows.loc[rows.step == step, column].item()


def test_a_config_column_gives_a_step_for_each_level_after_the_lists(data):
    assert [step.name for step in steps(data)] == ["retriever_topk", "reranked_topk", "gate", "full"]


def test_each_step_has_its_values_and_the_change_from_the_step_before(data):
    result = ablation(steps(data, gates={"full": (0.2, 0.5)}))
    # AUROC: gate ranks the positives .9 and .6 against .2 and .7, full has them all above
    assert value(result, "gate", "classification.auroc") == 3 / 4
    assert value(result, "full", "classification.auroc") == 1
    assert value(result, "full", "classification.auroc", "change") == 1 / 4
    # gate selects a of a and x of {x, z}; full the same with one candidate more
    assert value(result, "gate", "extraction.evidence_recall") == 3 / 4
    assert value(result, "full", "extraction.evidence_recall", "change") == 0
    assert value(result, "full", "gate.alert_precision") == 1
    assert value(result, "reranked_topk", "ranking.recall") == 3 / 4
    before, after = (value(result, name, "ranking.ndcg") for name in ("retriever_topk", "reranked_topk"))
    ideal = 1 + 1 / math.log2(3)
    assert before == pytest.approx((1 / math.log2(3) + 1 / math.log2(4) / ideal) / 2)
    assert after == pytest.approx((1 + 1 / ideal) / 2)
    assert value(result, "reranked_topk", "ranking.ndcg", "change") == after - before


def test_values_equal_those_of_the_evaluation_and_folds_give_mean_and_sd(data):
    result, report = ablation(steps(data)), evaluate(data, ks=(10,), by=("fold",))
    for name in ("retriever_topk", "reranked_topk"):
        where = {"model": name, "params": "k=10"}
        assert value(result, name, "ranking.ndcg") == report.value("ranking.ndcg", **where)
        of_folds = [report.value("ranking.ndcg", group=fold, **where) for fold in ("0", "1")]
        assert value(result, name, "ranking.ndcg", "fold_mean") == pytest.approx(sum(of_folds) / 2)
        assert value(result, name, "ranking.ndcg", "fold_sd") == pstdev(of_folds)
        assert value(result, name, "ranking.ndcg", "fold_sd_sample") == stdev(of_folds)
        assert value(result, name, "ranking.ndcg", "n_folds") == 2
    assert value(result, "gate", "classification.auroc") == report.value("classification.auroc", model="gate")


@pytest.mark.parametrize(
    ("step", "metric", "note"),
    [
        ("retriever_topk", "classification.auroc", "no score of the queries"),
        (
            "retriever_topk",
            "extraction.evidence_recall",
            "no selected_k in the rows, and no policy to select by",
        ),
        ("gate", "gate.alert_precision", "no thresholds in the rows, and none given"),
        ("full", "gate.alert_precision", "no alerts"),
    ],
)
def test_what_a_step_lacks_is_undefined_with_its_reason(data, step, metric, note):
    result = ablation(steps(data, gates={"full": (0.2, None)}))
    assert math.isnan(value(result, step, metric))
    assert math.isnan(value(result, step, metric, "change"))
    assert value(result, step, metric, "note") == note


def test_another_order_of_the_steps_needs_no_new_values(data):
    some = [steps(data)[at] for at in (3, 0, 2)]
    values = [step_values(step) for step in some]
    pd.testing.assert_frame_equal(changes(values).table, ablation(some).table)
    pd.testing.assert_frame_equal(changes(values[::-1]).table, ablation(some[::-1]).table)
    with pytest.raises(InputError, match="two steps of one name"):
        changes(values[:1] * 2)


def test_steps_on_one_list_share_its_tallies_and_so_do_later_series(data):
    kept = ranked_lists(data)
    of_gate, of_full = (steps(data, ranked=kept)[at].ranked_list for at in (2, 3))
    assert of_gate is of_full is kept["reranked_topk"]
    assert of_gate.ranked is of_full.ranked
    assert of_gate.scored is of_full.scored


def test_a_policy_selects_where_nothing_is_stated_if_it_can(data):
    by_scores = ablation(steps(data)[:2], policy=Policy("mass", gamma=0.9))
    note = value(by_scores, "reranked_topk", "extraction.evidence_recall", "note")
    assert note == "the policy mass needs scores of the candidates"
    first = ablation(steps(data)[:2], policy=Policy("fixed", k=1, k_min=0, ratio=1))
    assert value(first, "reranked_topk", "extraction.evidence_recall") == 3 / 4


def test_models_without_lists_say_so(data):
    result = ablation(steps_of(data)[2:])
    assert value(result, "gate", "ranking.ndcg", "note") == "no ranked lists"
    reason = "no ranked lists: which candidates were selected is not known"
    assert value(result, "gate", "extraction.evidence_recall", "note") == reason


def test_files_are_steps_named_after_them(data, tmp_path):
    (tmp_path / "one.csv").write_text("\n".join(line.rsplit(",", 1)[0] for line in LISTS.split("\n")))
    files = {"first": evalcore.load(tmp_path / "one.csv"), "all": data}
    names = ["first", "all: retriever_topk", "all: reranked_topk", "all: gate", "all: full"]
    assert [step.name for step in steps_of_files(files)] == names
    assert value(ablation(steps_of_files(files)[:2]), names[1], "ranking.ndcg", "change") == 0


def test_thresholds_of_the_rows_are_used_where_none_are_given(tmp_path):
    text = "post_id,has_evidence,probability,tau_neg,tau_pos\np1,1,0.9,0.1,0.5\np2,0,0.6,0.1,0.7\n"
    (tmp_path / "queries.csv").write_text(text)
    (step,) = steps_of(evalcore.load(tmp_path / "queries.csv"))
    assert value(ablation([step]), step.name, "gate.alert_precision") == 1


@pytest.mark.parametrize(("names", "found"), [([], "no step"), (["a", "a"], "two steps of one name")])
def test_steps_have_names_of_their_own(names, found):
    with pytest.raises(InputError) as raised:
        ablation([Step(name) for name in names])
    assert str(raised.value) == (
        f"found {found}, expected steps of a pipeline. Give each step a name of its own. [OPT-008]"
    )


def test_an_ablation_is_frozen_and_knows_its_metrics(data):
    result = ablation(steps(data))
    with pytest.raises(FrozenInstanceError):
        result.steps = ()
    with pytest.raises(KeyError):
        result.of("gate.neg_rate")


# --- sweeps ---


def scored_lists():
    """Two queries with gold, one without."""
    score = np.array([0.6, 0.3, 0.06, 0.04, 0.5, 0.5, 0.9, 0.1])
    query = np.array([0, 0, 0, 0, 1, 1, 2, 2])
    is_gold = np.array([1, 0, 1, 0, 0, 1, 0, 0], bool)
    return ScoredLists(query, score, is_gold, np.array([2, 1, 0]), "probability")


def test_gamma_table_states_mean_k_recall_and_workload():
    results = gamma_sweep(scored_lists(), Policy("mass", gamma=0.95, k_min=0, ratio=1))
    table = gamma_table(results)
    assert table.gamma.tolist() == list(GAMMAS)
    # γ = .95: 3 of 4, 2 of 2, 2 of 2 candidates
    last = table.iloc[-1]
    assert (last.n_selected, last.mean_k, last.evidence_recall) == (7, 7 / 3, 1)


def test_threshold_grid_counts_every_legal_pair():
    rows = ScoredRows(np.array([0.1, 0.4, 0.6, 0.9]), np.array([False, True, False, True]), np.arange(4), 4)
    grid = threshold_grid(rows, [0.0, 0.5], [0.5, 0.2])
    assert grid[["tau_neg", "tau_pos"]].to_numpy().tolist() == [[0, 0.2], [0, 0.5], [0.5, 0.5]]
    assert grid.screening_sensitivity.tolist() == [1, 1, 1 / 2]
    assert grid.alert_precision.tolist() == [2 / 3, 1 / 2, 1 / 2]
    assert grid.workload.tolist() == [1, 1, 1 / 2]
    assert grid.n_missed.tolist() == [0, 0, 1]
    assert grid.alerts_per_1000.tolist() == [750, 500, 500]


def test_threshold_grid_finds_its_own_thresholds_on_any_scale():
    rng = np.random.default_rng(3)
    rows = ScoredRows(rng.normal(size=400), rng.random(400) < 0.2, np.arange(400), 400)
    grid = threshold_grid(rows)
    assert (grid.tau_neg <= grid.tau_pos).all()
    assert np.allclose(sorted(set(1 - grid.workload)), [0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])
    assert threshold_grid(rows.where(np.zeros(400, bool))).empty


# --- lists ---


def lists():
    gold = [{"a": 1}, {"x": 1, "z": 1}, {}]
    before = RankedQueries.from_lists(gold, [["b", "a"], ["y", "w", "x"], ["y"]])
    after = RankedQueries.from_lists(gold, [["a", "b"], ["x", "y", "w"], ["y"]])
    return {"before": before, "after": after}


def test_at_every_k_has_both_populations_with_their_n_and_spread():
    table = at_every_k(lists(), ks=(1, None))
    row = table[(table.model == "after") & (table.metric == "recall") & (table.k == "ALL")]
    by_population = row.set_index("population")
    assert by_population.value.tolist() == [3 / 4, 1 / 2]
    assert by_population.n.tolist() == [2, 3]
    assert by_population.sd["positives_only"] == 1 / 4
    assert by_population["median"]["positives_only"] == 3 / 4
    assert by_population.n_ties.tolist() == [0, 0]


def test_differences_are_paired_and_count_queries():
    table = list_differences(*lists().values(), ks=(1,)).set_index("metric")
    assert table.loc["mrr", ["first", "second", "difference"]].tolist() == [0, 1, 1]
    assert table.loc["mrr", ["n", "n_better", "n_worse", "n_equal"]].tolist() == [2, 2, 0, 0]


def test_first_gold_is_counted_over_the_same_ranks_for_every_list():
    found = first_gold(lists())
    assert found["before"].rank == found["after"].rank == ("1", "2", "3", "none")
    assert found["before"].n.tolist() == [0, 1, 1, 0]
    assert found["after"].n.tolist() == [2, 0, 0, 0]


def test_deep_first_golds_are_counted_together():
    deep = [[*(f"n{place}" for place in range(rank - 1)), "a"] for rank in (1, 10, 11, 20, 21, 60)]
    queries = RankedQueries.from_lists([{"a": 1}] * 7, [*deep, []])
    (one,) = first_gold({"only": queries}).values()
    assert one.rank[9:] == ("10", "11–20", "21–50", "51–60", "none")
    assert one.n.tolist()[9:] == [1, 2, 1, 1, 1]
    assert (one.n_queries, one.n_without) == (7, 1)


def test_lists_by_group_equal_the_metric_on_the_masked_queries(data):
    named = {name: RankedQueries.from_rankings(data.rankings, name) for name in data.rankings.lists}
    table = lists_by_group(data.rankings, named, "fold", 10)
    assert table.group.tolist() == ["0", "0", "1", "1"]
    masked = named["reranked_topk"].where(data.rankings.slices["fold"][0] == 1)
    expected = ranking.ndcg(masked, k=10).over(masked.n_gold > 0)
    assert table.loc[3, ["ndcg", "n"]].tolist() == list(expected)
    assert lists_by_group(data.rankings, named, "nothing", 10).empty


def test_shorter_lists_are_counted():
    assert [n_shorter(lists()["after"], k) for k in (1, 2, 3, None)] == [0, 1, 2, 0]


def test_selection_values_give_a_reason_where_hits_are_not_known():
    known = selection_values(Selections.of_first(lists()["after"], np.array([1, 1, 0])))
    assert known["evidence_recall"][:2] == (3 / 4, 2)
    assert known["mean_selected_k"][:2] == (2 / 3, 3)
    unknown = Selections(np.array([2]), None, np.array([1]), None, np.ones(1, bool))
    assert selection_values(unknown)["evidence_recall"].note.startswith("no ranked lists")


# --- figures ---


def test_waterfall_draws_changes_from_the_step_before(data):
    result = ablation(steps(data))
    figure = waterfall_figure(result, "classification.auroc", title="AUROC")
    gain = next(one for one in figure.data if one.name == "gain")
    assert (list(gain.x), list(gain.y), list(gain.base)) == ([3], [0.25], [0.75])
    texts = [one.text for one in figure.layout.annotations]
    assert texts == ["n/a", "n/a", "<b>0.750</b>", "<b>1.000</b><br>+0.2500"]
    assert "full 1.000" in figure.layout.meta["description"]


def test_figures_hold_the_numbers_they_are_given():
    values = {"one": np.array([0.2, np.nan]), "<b>": np.array([0.3, 0.4])}
    over_k = over_k_figure(["1", "ALL"], values, title="nDCG@K")
    np.testing.assert_array_equal(over_k.data[0].y, values["one"])
    assert over_k.data[1].name == "&lt;b&gt;"
    groups = list_groups_figure(["A", "B"], values, [3, 4], title="nDCG@10")
    np.testing.assert_array_equal(groups.data[1].x, values["<b>"])
    found = first_gold(lists())
    assert list(first_gold_figure(found).data[1].y) == found["after"].n.tolist()
    bars = k_histogram(np.array([1, 3, 3]), np.array([True, False, True]))
    drawn = k_histogram_figure(bars, title="K", dark=True)
    assert [list(trace.y) for trace in drawn.data] == [[1, 0, 1], [0, 0, 1]]
    policy = Policy("mass", gamma=0.9, k_min=0, ratio=1)
    path = sweep(scored_lists(), along(scored_lists(), policy, 4))
    figure = recall_workload_figure(path, current=path[-1], marked=path[:1])
    assert list(figure.data[0].y) == [one.evidence_recall for one in path]
    assert list(figure.data[2].x) == [path[-1].mean_k]
    rows = ScoredRows(np.array([0.1, 0.9]), np.array([False, True]), np.arange(2), 2)
    grid = threshold_grid(rows, [0.5], [0.5])
    assert [list(trace.y) for trace in threshold_grid_figure(grid).data] == [[1], [1]]
