"""Dynamic K: scored lists, caps, policies and sweeps, with a loop over candidates as the oracle."""

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.kernels.policy import GAMMAS, Policy, greatest_k
from evalcore.kernels.selection import select, selected_k, shares
from evalcore.metrics import extraction
from evalcore.problems import InputError
from evalcore.selection_sweep import along, gamma_sweep, inert_note, k_histogram, sweep
from evalcore.tallies.places import best_first
from evalcore.tallies.selections import ScoredLists
from tests.conftest import ROOT
from tests.support.made.rankings import rankings_of

ITEMS = "abcdef"


def lists_of(*scored, n_gold=None, scale="score"):
    """Scored lists of rows [(score, is_gold), …], each best first."""
    query = np.repeat(np.arange(len(scored)), [len(rows) for rows in scored])
    score = np.array([score for rows in scored for score, _ in rows], float)
    is_gold = np.array([gold for rows in scored for _, gold in rows], bool)
    golds = [sum(gold for _, gold in rows) for rows in scored] if n_gold is None else n_gold
    return ScoredLists(query, score, is_gold, np.array(golds, np.int64), scale)


def lists_with_scores(*scores, scale="score"):
    """Scored lists without gold."""
    return lists_of(*([(score, False) for score in of_one] for of_one in scores), scale=scale)


def close(number):
    return pytest.approx(float(number), abs=1e-15)


def k_by_loop(scores, policy, is_probability):
    """K of one list of descending scores, one candidate at a time."""
    n = len(scores)
    if n == 0:
        return 0
    if is_probability and policy.temperature is None:
        weights = list(scores) if sum(scores) > 0 else [1.0] * n
    else:
        temperature = 1.0 if policy.temperature is None else policy.temperature
        weights = [math.exp((score - scores[0]) / temperature) for score in scores]
    by_rule = {"fixed": n if policy.k is None else policy.k}
    by_rule["threshold"] = (
        sum(score >= policy.threshold for score in scores) if policy.threshold is not None else 0
    )
    by_rule["mass"] = n
    if policy.gamma is not None:
        held = 0.0
        for k, weight in enumerate(weights, 1):
            held += weight / math.fsum(weights)
            if held >= policy.gamma - 1e-12:
                by_rule["mass"] = k
                break
    by_rule["combined"] = min(by_rule["threshold"], by_rule["mass"])
    rounding = ROUND_FLOOR if policy.rounding == "floor" else ROUND_CEILING
    k_max = min(policy.hard_cap, int((n * Decimal(str(policy.ratio))).to_integral_value(rounding)))
    k_max = min(max(k_max, policy.k_min), n)
    return min(max(by_rule[policy.kind], policy.k_min), k_max)


# --- generated data ---

SCORES = {
    "probability": st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.5, 0.9, 1.0]),
    "score": st.sampled_from([-30.0, -1.0, -0.25, 0.0, 0.5, 2.0, 40.0]),
}


@st.composite
def policies(draw):
    k_min = draw(st.integers(0, 3))
    return Policy(
        draw(st.sampled_from(["fixed", "threshold", "mass", "combined"])),
        k=draw(st.sampled_from([None, 1, 2, 5])),
        threshold=draw(st.sampled_from([-1.0, 0.2, 0.5, 3.0])),
        gamma=draw(st.sampled_from([0.05, 0.3, 0.5, 0.7, 0.9, 1.0])),
        temperature=draw(st.sampled_from([None, 0.1, 1.0, 5.0])),
        k_min=k_min,
        hard_cap=draw(st.integers(max(k_min, 1), 12)),
        ratio=draw(st.sampled_from([0, 0.1, 0.29, "0.5", Decimal("0.7"), 1])),
        rounding=draw(st.sampled_from(["floor", "ceil"])),
    )


@st.composite
def scored_lists(draw):
    scale = draw(st.sampled_from(["probability", "score"]))
    row = st.tuples(SCORES[scale], st.booleans())
    scored = draw(st.lists(st.lists(row, max_size=12), max_size=5))
    return lists_of(*(sorted(rows, key=lambda row: -row[0]) for rows in scored), scale=scale)


def rows_of(lists, query):
    """The (score, is_gold) rows of one query."""
    at = lists.query == query
    return list(zip(lists.score[at].tolist(), lists.is_gold[at].tolist(), strict=True))


# --- scored lists ---


@pytest.mark.parametrize(("stable", "expected"), [(False, [False, True, True]), (True, [True, False, True])])
def test_lists_are_best_first_with_ties_by_id_descending_or_in_input_order(stable, expected):
    rankings = rankings_of({"q": {"a": 1, "c": 1}}, [("q", "a", 1.0), ("q", "b", 1.0), ("q", "c", 0.5)])
    lists = ScoredLists.from_rankings(rankings, "model", stable=stable)
    assert lists.is_gold.tolist() == expected
    assert lists.score.tolist() == [1.0, 1.0, 0.5]


@given(
    st.lists(st.tuples(st.integers(0, 3), st.sampled_from([-0.0, 0.0, 0.2, 0.5, 0.9])), max_size=60),
    st.booleans(),
)
def test_rows_are_sorted_by_query_then_best_first_and_stay_in_order_where_equal(rows, in_lists):
    rows = sorted(rows, key=lambda row: row[0]) if in_lists else rows
    query, score = np.array([row[0] for row in rows], np.intp), np.array([row[1] for row in rows])
    expected = sorted(range(len(rows)), key=lambda at: (rows[at][0], -rows[at][1]))
    assert best_first(query, score).tolist() == expected


def test_gold_that_the_list_lacks_stays_in_the_gold():
    rankings = rankings_of({"q1": {"a": 1, "z": 1}, "q2": {"a": 1}}, [("q1", "a", 1.0), ("q1", "b", 0.5)])
    lists = ScoredLists.from_rankings(rankings, "model")
    assert lists.n_gold.tolist() == [2, 1]
    assert lists.n_candidates.tolist() == [2, 0]
    chosen = select(lists, Policy("fixed"))
    assert chosen.n_selected.tolist() == [2, 0]
    assert extraction.evidence_recall(chosen).values.tolist() == [0.5, 0.0]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["q1", "q2", "q3"]), st.sampled_from(ITEMS), st.sampled_from([0.0, 0.2, 0.5])
        ),
        unique_by=lambda row: row[:2],
        max_size=12,
    ),
    st.randoms(use_true_random=False),
)
def test_the_order_of_rows_changes_nothing(rows, random):
    gold = {"q1": {"a": 1, "d": 1}, "q2": {"b": 1}, "q3": {}}
    one, other = (
        ScoredLists.from_rankings(rankings_of(gold, part), "model")
        for part in (rows, random.sample(rows, len(rows)))
    )
    for name in ("query", "score", "is_gold", "n_gold"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize(
    ("scores", "scale"), [([0.2, 1.0], "probability"), ([0.2, 1.5], "score"), ([-0.1, 0.2], "score")]
)
def test_scores_within_0_and_1_count_as_probabilities(scores, scale):
    rows = [("q", item, score) for item, score in zip("ab", scores, strict=True)]
    assert ScoredLists.from_rankings(rankings_of({"q": {}}, rows), "model").scale == scale


@given(scored_lists(), st.integers(0, 5), policies())
def test_lists_merge_and_part_without_a_change_of_what_is_selected(lists, cut, policy):
    first = np.arange(len(lists)) < cut
    whole = select(lists, policy)
    for mask in (first, ~first):
        part = select(lists.where(mask), policy)
        np.testing.assert_array_equal(part.n_selected, whole.n_selected[mask])
        np.testing.assert_array_equal(part.n_hits, whole.n_hits[mask])
    merged = select(lists.where(first).merge(lists.where(~first)), policy)
    np.testing.assert_array_equal(merged.n_selected, whole.n_selected)
    np.testing.assert_array_equal(merged.n_hits, whole.n_hits)


def test_lists_with_and_without_scores_do_not_merge():
    probability, score, place = (
        lists_with_scores([0.5], scale=scale) for scale in ("probability", "score", "place")
    )
    assert probability.merge(score).scale == "score"
    with pytest.raises(ValueError, match="lists with scores and lists without do not merge"):
        probability.merge(place)


# --- caps ---


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (Policy("fixed"), {0: 0, 1: 1, 2: 2, 3: 2, 4: 2, 5: 2, 6: 3, 19: 9, 20: 10, 200: 10}),
        (Policy("fixed", rounding="ceil"), {1: 1, 2: 2, 3: 2, 5: 3, 19: 10, 200: 10}),
        (Policy("fixed", ratio=0), {1: 1, 9: 2}),
        (Policy("fixed", ratio=1, hard_cap=3), {1: 1, 3: 3, 9: 3}),
        (Policy("fixed", k_min=0, ratio=0.1), {1: 0, 9: 0, 10: 1}),
        (Policy("fixed", k_min=5, hard_cap=5), {1: 1, 4: 4, 200: 5}),
        # 0.29 · 100 is 28.999… and 0.7 · 10 · 10 is 70.00…1 in floating point
        (Policy("fixed", k_min=0, hard_cap=99, ratio=0.29), {100: 29}),
        (Policy("fixed", k_min=0, hard_cap=99, ratio="0.7", rounding="ceil"), {10: 7, 100: 70}),
        (
            Policy("fixed", k_min=0, hard_cap=99, ratio=Decimal("0.3333333333333333333333333333")),
            {3: 0, 4: 1},
        ),
    ],
)
def test_effective_k_max(policy, expected):
    n = np.array(list(expected), np.int64)
    assert greatest_k(n, policy).tolist() == list(expected.values())


def test_effective_k_max_of_nothing():
    assert greatest_k(np.zeros(0, np.int64), Policy("fixed")).shape == (0,)


@given(scored_lists(), policies())
def test_k_equals_the_plain_loop_and_never_exceeds_the_candidates(lists, policy):
    chosen = select(lists, policy)
    assert (chosen.n_selected <= lists.n_candidates).all()
    assert (chosen.n_hits <= np.minimum(chosen.n_selected, chosen.n_gold)).all()
    for query in range(len(lists)):
        rows = rows_of(lists, query)
        k = k_by_loop([score for score, _ in rows], policy, lists.scale == "probability")
        assert chosen.n_selected[query] == k
        assert chosen.n_hits[query] == sum(gold for _, gold in rows[:k])


# --- policies ---


def k_of(policy, *scores, scale="score"):
    return selected_k(lists_with_scores(*scores, scale=scale), policy).tolist()


def loose(kind, **params):
    """A policy whose caps bind nothing."""
    return Policy(kind, k_min=0, hard_cap=999, ratio=1, **params)


def test_fixed_selects_the_first_k_within_the_caps():
    assert k_of(loose("fixed", k=3), range(5, 0, -1), [1.0]) == [3, 1]
    assert k_of(loose("fixed"), range(5, 0, -1), []) == [5, 0]
    assert k_of(Policy("fixed", k=3), range(5, 0, -1)) == [2]
    assert k_of(Policy("fixed", k=1), range(8, 0, -1)) == [2]  # k_min


def test_threshold_selects_scores_from_the_threshold_on():
    assert k_of(loose("threshold", threshold=0.5), [0.9, 0.5, 0.4], [0.4], []) == [2, 0, 0]
    assert k_of(Policy("threshold", threshold=0.5), [0.4, 0.3, 0.2]) == [2]  # k_min


def test_mass_of_probabilities_is_their_share_of_the_sum():
    scores = [0.5, 0.3, 0.2]
    assert shares(lists_with_scores(scores, scale="probability")).tolist() == scores
    ks = [
        k_of(loose("mass", gamma=gamma), scores, scale="probability")[0]
        for gamma in (0.5, 0.51, 0.8, 0.81, 1.0)
    ]
    assert ks == [1, 2, 2, 3, 3]


def test_mass_of_other_scores_is_their_softmax():
    logs = np.log([0.5, 0.3, 0.2]).tolist()
    assert shares(lists_with_scores(logs)) == pytest.approx([0.5, 0.3, 0.2], abs=1e-15)
    assert shares(lists_with_scores([0.0, 0.0], scale="probability"), temperature=1.0).tolist() == [0.5, 0.5]
    twice = shares(lists_with_scores([2 * score for score in logs]), temperature=2.0)
    assert twice == pytest.approx([0.5, 0.3, 0.2], abs=1e-15)
    assert k_of(loose("mass", gamma=0.8), logs) == [2]


def test_a_share_of_gamma_is_reached_in_spite_of_rounding():
    tenths = [0.1] * 10  # 0.1 + 0.1 + 0.1 is 0.30000000000000004, and ten of them are 0.9999999999999999
    ks = [k_of(loose("mass", gamma=tenth / 10), tenths, scale="probability")[0] for tenth in range(1, 11)]
    assert ks == list(range(1, 11))


def test_probabilities_that_all_are_0_share_alike():
    assert shares(lists_with_scores([0.0] * 4, scale="probability")).tolist() == [0.25] * 4
    assert k_of(loose("mass", gamma=0.5), [0.0] * 4, scale="probability") == [2]


def test_scores_far_apart_do_not_overflow():
    assert k_of(loose("mass", gamma=0.95), [1e300, -1e300], [1e308, 1e308]) == [1, 2]
    assert k_of(loose("mass", gamma=0.95, temperature=1e-300), [5.0, -5.0]) == [1]


def test_combined_is_the_smaller_of_threshold_and_mass():
    scores = [0.5, 0.3, 0.2]
    for threshold, gamma, expected in [(0.25, 1.0, 2), (0.1, 0.5, 1), (0.1, 1.0, 3), (0.6, 1.0, 0)]:
        policy = loose("combined", threshold=threshold, gamma=gamma)
        assert k_of(policy, scores, scale="probability") == [expected]


def test_more_mass_never_selects_less():
    rng = np.random.default_rng(3)
    lists = lists_with_scores(*(sorted(rng.normal(size=n), reverse=True) for n in rng.integers(0, 40, 50)))
    by_gamma = np.array([selected_k(lists, loose("mass", gamma=gamma)) for gamma in (0.05, *GAMMAS, 1.0)])
    assert (np.diff(by_gamma, axis=0) >= 0).all()


def test_lists_without_scores_are_selected_by_place_only():
    lists = lists_with_scores([0.0, -1.0, -2.0, -3.0], scale="place")
    assert select(lists, Policy("fixed")).n_selected.tolist() == [2]
    with pytest.raises(InputError) as error:
        select(lists, Policy("mass", gamma=0.9))
    assert str(error.value) == (
        "found the policy mass for lists without scores, expected scores of the candidates. "
        "Give the candidates file, or select with the policy fixed. [OPT-008]"
    )


def test_everything_illegal_in_a_policy_is_named():
    with pytest.raises(InputError) as error:
        Policy("mass", gamma=1.2, temperature=0, k_min=-1, hard_cap=0, ratio="half", rounding="up")
    assert str(error.value).splitlines() == [
        "found rounding = up, expected floor or ceil. Check the option. [OPT-003]",
        "found γ = 1.2, expected a share above 0 and up to 1. Check the option. [OPT-003]",
        "found temperature = 0, expected a finite number above 0. Check the option. [OPT-003]",
        "found ratio = half, expected a share from 0 to 1. Check the option. [OPT-003]",
        "found k_min = -1, expected a whole number from 0 on. Check the option. [OPT-003]",
        "found hard_cap = 0, expected a whole number from 1 on. Check the option. [OPT-003]",
    ]


@pytest.mark.parametrize(
    ("params", "found"),
    [
        ({"kind": "best"}, "policy = best"),
        ({"kind": "mass"}, "γ = None"),
        ({"kind": "mass", "gamma": 0}, "γ = 0"),
        ({"kind": "mass", "gamma": math.nan}, "γ = nan"),
        ({"kind": "mass", "gamma": True}, "γ = True"),
        ({"kind": "combined", "gamma": 0.9}, "threshold = None"),
        ({"kind": "threshold", "threshold": math.inf}, "threshold = inf"),
        ({"kind": "fixed", "k": 0}, "K = 0"),
        ({"kind": "fixed", "k": 2.5}, "K = 2.5"),
        ({"kind": "fixed", "ratio": 1.5}, "ratio = 1.5"),
        ({"kind": "fixed", "ratio": "nan"}, "ratio = nan"),
        ({"kind": "fixed", "k_min": 11}, "k_min = 11, expected at most hard_cap, 10. "),
        ({"kind": "fixed", "hard_cap": 2.5}, "hard_cap = 2.5"),
    ],
)
def test_an_illegal_policy_is_refused(params, found):
    with pytest.raises(InputError) as error:
        Policy(**params)
    assert str(error.value).startswith(f"found {found}")
    assert len(error.value.problems) == 1


def test_a_policy_is_named_by_what_has_an_influence():
    caps = {"k_min": 2, "hard_cap": 10, "ratio": "0.5"}
    mass = Policy("mass", gamma=0.9, threshold=0.5)
    assert mass.params("score") == {"policy": "mass", "gamma": 0.9, "temperature": 1.0, **caps}
    assert mass.params("probability") == {"policy": "mass", "gamma": 0.9, **caps}
    ceil = Policy("fixed", k=5, rounding="ceil")
    assert ceil.params("place") == {"policy": "fixed", "k": 5, **caps, "rounding": "ceil"}
    assert set(ceil.params("place")) | set(mass.params("score")) < set(extraction.PARAMS)


# --- sweeps ---


def test_k_histogram_counts_queries_with_and_without_gold():
    bars = k_histogram(np.array([2, 5, 2, 2]), np.array([True, False, False, True]))
    assert (bars.k.tolist(), bars.n_with_gold.tolist(), bars.n_without.tolist()) == (
        [2, 3, 4, 5],
        [2, 0, 0, 0],
        [1, 0, 0, 1],
    )
    nothing = k_histogram(np.zeros(0, np.int64), np.zeros(0, bool))
    assert len(nothing.k) == len(nothing.n_without) == 0


def test_a_k_histogram_of_numbers_far_apart_holds_those_that_occur():
    bars = k_histogram(np.array([1, 10**15, 1]), np.array([True, False, False]))
    assert (bars.k.tolist(), bars.n_with_gold.tolist(), bars.n_without.tolist()) == (
        [1, 10**15],
        [1, 0],
        [1, 1],
    )


def test_a_sweep_says_what_each_gamma_selects_and_finds():
    lists = lists_of(
        [(0.5, True), (0.3, False), (0.2, True)], [(0.9, False), (0.1, False)], scale="probability"
    )
    low, high = sweep(lists, [loose("mass", gamma=0.5), loose("mass", gamma=0.9)])
    assert (low.mean_k, low.median_k, low.n_selected, low.n_at_cap) == (1, 1, 2, 0)
    assert (high.mean_k, high.n_selected, high.n_at_cap) == (2, 4, 1)
    assert (low.evidence_recall, low.evidence_precision) == (Fraction(1, 2), 1)
    assert (high.evidence_recall, high.evidence_precision) == (1, close(Fraction(2, 3)))
    assert high.evidence_f1 == close(Fraction(4, 5))
    assert not low.is_inert
    assert inert_note((low, high)) == ""


def test_a_gamma_that_changes_nothing_is_called_inert():
    lists = lists_with_scores([0.0] * 20, [0.0] * 4)
    results = gamma_sweep(lists, Policy("mass", gamma=0.05))
    assert [result.policy.gamma for result in results] == [0.05, *GAMMAS]
    assert [result.is_inert for result in results] == [False, True, True, True, True]
    assert [result.n_at_cap for result in results] == [1, 2, 2, 2, 2]
    assert inert_note(results) == (
        "γ has no effect at 0.7, 0.8, 0.9, 0.95: another γ selects as many for every query; "
        "at the cap: 2 of 2 queries (100 %)"
    )


def test_behind_a_gate_a_sweep_finds_less_and_selects_as_before():
    lists = lists_of([(0.9, True)], [(0.9, True)], scale="probability")
    (result,) = sweep(lists, [loose("fixed")], passed=np.array([True, False]))
    assert (result.evidence_recall, result.mean_k) == (0.5, 1)
    assert result.selections.passed.tolist() == [True, False]


@pytest.mark.parametrize(
    "policy", [Policy("fixed"), loose("threshold", threshold=0), loose("mass", gamma=0.5)]
)
def test_settings_along_a_policy_select_ever_more(policy):
    rng = np.random.default_rng(4)
    lists = lists_with_scores(*(sorted(rng.normal(size=n), reverse=True) for n in rng.integers(0, 30, 40)))
    counts = [result.n_selected for result in sweep(lists, along(lists, policy))]
    assert 5 <= len(counts) <= 20
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]


def test_settings_along_a_policy_without_lists():
    nothing = lists_with_scores()
    assert along(nothing, loose("threshold", threshold=0)) == []
    (result,) = sweep(nothing, [Policy("fixed")])
    assert math.isnan(result.mean_k)
    assert inert_note(sweep(nothing, [Policy("mass", gamma=gamma) for gamma in (0.5, 0.9)])).endswith(
        "no query"
    )


# --- real candidates ---


def lists_in(frame, score):
    """The lists of a candidates file by one of its scores."""
    query = frame.post_id + "::" + frame.criterion_id
    gold = {one: {} for one in query.unique()}
    for one, item in zip(query[frame.is_gold == 1], frame.sent_uid[frame.is_gold == 1], strict=True):
        gold[one][item] = 1
    rows = zip(query, frame.sent_uid, frame[score], strict=True)
    return ScoredLists.from_rankings(rankings_of(gold, rows), "model")


@pytest.fixture(scope="module")
def candidates(shared):
    """Lists by the score jina of the real candidates."""
    return lists_in(pd.read_csv(shared / "data" / "evidence" / "val_candidates.csv"), "jina")


def test_gamma_is_inert_on_real_candidates(candidates):
    results = gamma_sweep(candidates, Policy("mass", gamma=0.7))
    assert {result.n_selected for result in results} == {6970}
    assert [result.mean_k for result in results] == [close(Fraction(6970, 1470))] * 4
    assert "at the cap: 1,470 of 1,470 queries (100 %)" in inert_note(results)


def test_published_mean_k_selects_two_of_one_candidate(candidates):
    # 5.143 was computed with the cap rounded up and k_min above the number of candidates: 60 lists of one
    # candidate had K = 2. Within the candidates it is 7,500 / 1,470.
    is_single = candidates.n_candidates == 1
    for gamma in (0.7, 0.95):
        k = selected_k(candidates, Policy("mass", gamma=gamma, rounding="ceil"))
        assert (k <= candidates.n_candidates).all()
        assert k.mean() == close(Fraction(7500, 1470))
        assert np.where(is_single, 2, k).mean() == pytest.approx(5.143, abs=5e-4)


def test_lists_of_many_lengths_equal_the_plain_loop():
    sample = pd.read_parquet(ROOT / "sample_data" / "candidates.parquet").head(30_000)
    candidates = lists_in(sample, "reranker")
    for policy in (Policy("mass", gamma=0.7, temperature=0.05), Policy("threshold", threshold=-0.05)):
        k = selected_k(candidates, policy)
        ends = candidates.first + candidates.n_candidates
        for query in range(0, len(candidates), 7):
            scores = candidates.score[candidates.first[query] : ends[query]].tolist()
            assert k[query] == k_by_loop(scores, policy, is_probability=False)
