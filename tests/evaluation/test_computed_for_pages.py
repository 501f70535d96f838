"""What pages show is computed in the core: bins, neighbours of a threshold, pairs of criteria, histograms."""

import math

import numpy as np

from evalcore import load
from evalcore.agreement import rates_by_rank, settled_rates_by_rank
from evalcore.evaluation.calibration import beside_threshold, bins_with_interval
from evalcore.evaluation.criteria import cooccurrence
from evalcore.evaluation.lists import selections_stated
from evalcore.inference.binomial import clopper_pearson
from evalcore.operating_point.test_rows.row_sets import row_set
from evalcore.readers import Upload
from evalcore.selection_sweep import k_eff_histogram
from evalcore.tallies.decisions import states_at
from evalcore.tallies.judgements.settled import settled
from evalcore.tallies.ranked import RankedQueries
from evalcore.tallies.scores import ScoreTable

QUERIES = """post_id,criterion_id,model,has_evidence,probability,selected_k
p1,A.2,m,1,0.9,2
p1,A.10,m,1,0.2,0
p2,A.2,m,0,0.4,1
p2,A.10,m,1,0.6,3
p1,A.2,n,1,0.8,1
p1,A.10,n,1,0.3,1
p2,A.2,n,0,0.1,1
p2,A.10,n,1,0.7,1
"""
RETRIEVAL = """record_id,chunk_id,rank,annotator_id,topically_relevant,evidence_sufficient,misleading
q1,c1,1,a,1,0,0
q1,c2,2,a,0,0,0
q2,c1,1,a,1,1,0
q2,c2,2,a,1,0,1
"""


def queries_of(model: str = "m"):
    return row_set(load([Upload("queries.csv", QUERIES.encode())]), "all", split=None, model=model)


def test_bins_have_the_exact_interval_of_each_observed_rate():
    table = ScoreTable(np.array([0.25, 0.75]), np.array([1, 3]), np.array([1, 1]))
    bins, interval = bins_with_interval(table, 2)
    expected = clopper_pearson(np.array([1, 3]), np.array([2, 4]))
    assert bins.n.tolist() == [2, 4]
    assert interval.low.tolist() == expected.low.tolist()
    assert interval.high.tolist() == expected.high.tolist()


def test_a_side_of_a_threshold_without_rows_has_no_interval():
    table = ScoreTable(np.array([0.1, 0.9]), np.array([0, 1]), np.array([1, 0]))
    assert beside_threshold(table, 0.95, "above", 10).near.n == 0
    assert math.isnan(beside_threshold(table, 0.95, "above", 10).low)
    below = beside_threshold(table, 0.95, "below", 1)
    assert (below.near.n, below.near.n_pos, below.high) == (1, 1, 1)


def test_pairs_of_criteria_stand_in_the_order_asked_for():
    counts = cooccurrence(queries_of().queries, ["A.10", "A.2"])
    assert counts.criteria == ("A.10", "A.2")
    assert counts.n_both.tolist() == [[2, 1], [1, 1]]


def test_rows_are_counted_by_state_with_empty_zones():
    rows = queries_of()
    assert rows.states(0.3, None) == states_at(rows.table, 0.3, None)
    assert int(rows.states(0.3, None).n_neg) == 1
    assert int(rows.states(None, None).n_uncertain) == 4


def test_rows_that_somebody_holds_are_counted_once():
    data = load([Upload("queries.csv", QUERIES.encode())])
    held = row_set(data, "all", split=None, model="m")
    assert row_set(data, "all", split=None, model="m").table is held.table
    assert row_set(data, "all", split=None, model="n") is not held


def test_k_eff_is_cut_at_k_and_at_the_list():
    bars = k_eff_histogram(RankedQueries.from_lists([{"a": 1}, {}], [["a", "b", "c"], ["d"]]), 2)
    assert (bars.k.tolist(), bars.n_with_gold.tolist(), bars.n_without.tolist()) == ([1, 2], [0, 1], [1, 0])


def test_stated_selections_are_those_of_one_model():
    queries = load([Upload("queries.csv", QUERIES.encode())]).queries
    assert selections_stated(queries, "m").n_selected.tolist() == [2, 0, 1, 3]
    assert selections_stated(queries, "n").n_selected.tolist() == [1, 1, 1, 1]


def test_rates_by_rank_of_settled_labels_end_at_the_deepest_rank():
    data = load([Upload("retrieval.csv", RETRIEVAL.encode())])
    responses = data.annotations.responses["retrieval"]
    found = settled_rates_by_rank(responses, 20)
    judged = settled(responses)
    assert found.equals(rates_by_rank(judged.rank, judged.labels, max_rank=2))
    assert found["rank"].max() == 2
    assert settled_rates_by_rank(responses, 1)["rank"].max() == 1
