"""Ranking: worked cases, edges, ties, identities, and a plain-loop oracle after the source documents."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.data import RankedRows
from evalcore.metrics import ranking as r
from evalcore.problems import InputError
from evalcore.spec import METRICS
from evalcore.tallies import places
from evalcore.tallies.ranked import RankedQueries
from tests.support.made.rankings import lists, ranked, rankings_of

RANKING = [metric for metric in METRICS.values() if metric.family == "ranking"]
CALLS = [
    (metric.name, variant)
    for metric in RANKING
    for variant in (list(metric.variants) if metric.variants else [None])
]
KS = (1, 2, 3, 5, 10, None)


def values(name, queries, k, variant=None):
    """The values per query of the metric ``ranking.name``."""
    return METRICS[f"ranking.{name}"](
        queries, k=k, **({} if variant is None else {"variant": variant})
    ).values


def gold(**items):
    """Binary gold, one letter an item: ``gold(q1="ab")``."""
    return {query: dict.fromkeys(letters, 1) for query, letters in items.items()}


def by_loops(name, variant, graded, ordered, k):
    """One query's value by the formulas printed in documents 000 to 002: grades by item, an ordered list."""
    if not graded:
        return 0.0
    cut = len(ordered) + len(graded) if k is None else k
    top = ordered[:cut]
    hits = [item in graded for item in top]
    if name == "recall":
        return sum(hits) / len(graded)
    if name == "precision":
        divisor = min(cut, len(ordered)) if variant == "returned" or k is None else cut
        return sum(hits) / divisor if divisor else 0.0
    if name == "hit_rate":
        return float(any(hits))
    if name == "mrr":
        return next((1 / rank for rank, hit in enumerate(hits, 1) if hit), 0.0)
    if name == "map":
        total = sum(sum(hits[:rank]) / rank for rank, hit in enumerate(hits, 1) if hit)
        return total / (len(graded) if variant == "gold" else min(len(graded), cut))
    assert name == "ndcg"
    gain = (lambda grade: grade) if variant == "linear" else (lambda grade: 2**grade - 1)
    ideal_cut = min(cut, len(ordered)) if variant == "k_eff" else cut
    dcg = sum(gain(graded.get(item, 0)) / math.log2(rank + 1) for rank, item in enumerate(top, 1))
    best = sorted(graded.values(), reverse=True)[:ideal_cut]
    ideal = sum(gain(grade) / math.log2(rank + 1) for rank, grade in enumerate(best, 1))
    return dcg / ideal if ideal else 0.0


def orders(rows, ties):
    """Every list that the scored rows (item, score) of a query stand for."""
    scores = sorted({score for _, score in rows}, reverse=True)
    blocks = [[item for item, score in rows if score == wanted] for wanted in scores]
    if ties == "trec":
        blocks = [sorted(block, key=lambda item: item.encode(), reverse=True) for block in blocks]
    choices = [permutations(block) if ties == "expected" else [block] for block in blocks]
    return [[item for block in choice for item in block] for choice in product(*choices)]


# "\uff61" comes before "𝒳" by code point and by UTF-8 bytes, and after it by UTF-16.
IDS = ["a", "b", "B", "s10", "s9", "é", "e\u0301", "Ω", "\uff61", "𝒳"]


@st.composite
def scored_lists(draw, max_tied=10, max_grade=3, with_gold=False):
    """Gold and rows of one to four queries: ties, missing or empty gold, empty lists, rows in any order."""
    all_gold, rows = {}, []
    for query in [f"q{n}" for n in range(draw(st.integers(1, 4)))]:
        listed = draw(st.lists(st.sampled_from(IDS), unique=True, max_size=8))
        scores = draw(st.lists(st.integers(-1, 3), min_size=len(listed), max_size=len(listed)))
        if any(scores.count(score) > max_tied for score in scores):
            scores = list(range(len(listed)))
        golds = draw(st.lists(st.sampled_from(IDS), unique=True, max_size=6, min_size=int(with_gold)))
        all_gold[query] = {item: draw(st.integers(1, max_grade)) for item in golds}
        rows += [(query, item, float(score)) for item, score in zip(listed, scores, strict=True)]
    return all_gold, draw(st.permutations(rows))


def expected_values(name, variant, all_gold, rows, k, ties):
    """The values of `by_loops` for each query, each the mean over the orders that ``ties`` allows."""
    result = []
    for query, graded in all_gold.items():
        own = [(item, score) for owner, item, score in rows if owner == query]
        each = [by_loops(name, variant, graded, ordered, k) for ordered in orders(own, ties)]
        result.append(sum(each) / len(each))
    return result


@given(scored_lists(), st.sampled_from(KS), st.sampled_from(["trec", "stable"]))
def test_every_metric_equals_the_printed_formulas(data, k, ties):
    queries = ranked(*data, ties)
    for name, variant in CALLS:
        expected = expected_values(name, variant, *data, k, ties)
        np.testing.assert_allclose(
            values(name, queries, k, variant), expected, rtol=0, atol=1e-12, err_msg=name
        )


@given(scored_lists(max_tied=5), st.sampled_from(KS))
def test_expected_ties_equal_the_mean_over_all_permutations(data, k):
    queries = ranked(*data, "expected")
    for name, variant in CALLS:
        expected = expected_values(name, variant, *data, k, "expected")
        np.testing.assert_allclose(
            values(name, queries, k, variant), expected, rtol=0, atol=1e-12, err_msg=name
        )


@given(scored_lists(max_tied=4), st.sampled_from(KS))
def test_a_query_is_affected_by_ties_when_two_orders_differ(data, k):
    all_gold, rows = data
    queries = ranked(all_gold, rows)
    for name, variant in CALLS:
        params = {"k": k} if variant is None else {"k": k, "variant": variant}
        affected = r.queries_affected_by_ties(METRICS[f"ranking.{name}"], queries, **params)
        for at, (query, graded) in enumerate(all_gold.items()):
            own = [(item, score) for owner, item, score in rows if owner == query]
            each = [by_loops(name, variant, graded, ordered, k) for ordered in orders(own, "expected")]
            assert affected[at] == (max(each) - min(each) > 1e-9), (name, variant, query)


@given(scored_lists(), st.sampled_from(["trec", "stable", "expected"]), st.sampled_from([1, 3, 1 << 15]))
def test_counting_and_sorting_place_golds_alike_in_blocks_of_any_size(data, ties, block):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(places, "BLOCK", block)
        patch.setattr(places, "MANY_GOLDS", 100)
        counted = ranked(*data, ties)
        patch.setattr(places, "MANY_GOLDS", 0)
        assert_same(ranked(*data, ties), counted)


class Incomparable(str):
    """An id that may not be put in order."""

    def __lt__(self, other):
        raise AssertionError(f"{self!r} was compared with {other!r}")

    __gt__ = __le__ = __ge__ = __lt__


def test_texts_are_compared_only_where_a_gold_has_the_score():
    n = 40
    score = np.repeat([0.9, 0.5, 0.1], n)
    ids = np.array([f"c{at:03}" for at in range(3 * n)], object)
    ids[:n] = [Incomparable(one) for one in ids[:n]]
    rows = RankedRows(np.zeros(3 * n, np.intp), np.arange(3 * n), score, True, np.array([3 * n]))
    gold = np.arange(n, 2 * n)
    found = places.gold_places(rows, np.zeros(n, np.intp), gold, np.array([3 * n]), "trec", ids)
    assert found[0].tolist() == list(range(2 * n, n, -1))
    assert (found[1] == n + 1).all()
    assert (found[2] == n).all()


def assert_same(one, other):
    """Equal in every array, bit for bit."""
    assert one.ties == other.ties
    for name in (
        "query",
        "rank",
        "tie_start",
        "tie_size",
        "tie_golds",
        "grade",
        "n_gold",
        "n_ranked",
        "n_candidates",
    ):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


@given(scored_lists(), st.randoms(use_true_random=False), st.sampled_from(["trec", "expected"]))
def test_row_order_changes_nothing(data, random, ties):
    all_gold, rows = data
    shuffled = random.sample(rows, len(rows))
    turned = {query: dict(reversed(graded.items())) for query, graded in all_gold.items()}
    one, other = ranked(all_gold, rows, ties), ranked(turned, shuffled, ties)
    for name, variant in CALLS:
        np.testing.assert_array_equal(values(name, one, 3, variant), values(name, other, 3, variant))


@given(scored_lists(), st.sampled_from(KS), st.sampled_from(["trec", "stable", "expected"]))
def test_values_lie_between_0_and_1(data, k, ties):
    queries = ranked(*data, ties)
    for name, variant in CALLS:
        result = values(name, queries, k, variant)
        assert result.dtype == np.float64
        assert result.shape == (len(queries),)
        assert ((result >= 0) & (result <= 1)).all()
        assert (result[queries.n_gold == 0] == 0).all()


@given(scored_lists(), st.sampled_from(["trec", "stable"]))
def test_at_one_precision_hit_rate_and_mrr_are_the_same(data, ties):
    queries = ranked(*data, ties)
    at_one = values("precision", queries, 1, "k")
    np.testing.assert_array_equal(at_one, values("hit_rate", queries, 1))
    np.testing.assert_array_equal(at_one, values("mrr", queries, 1))
    np.testing.assert_array_equal(at_one, values("map", queries, 1, "min_gold_k"))


@given(scored_lists(max_grade=1), st.sampled_from(["trec", "expected"]))
def test_binary_gold_has_one_gain_and_at_one_ndcg_is_hit_rate(data, ties):
    queries = ranked(*data, ties)
    np.testing.assert_allclose(
        values("ndcg", queries, 1, "default"), values("hit_rate", queries, 1), atol=1e-15
    )
    for k in KS:
        np.testing.assert_allclose(
            values("ndcg", queries, k, "default"), values("ndcg", queries, k, "linear"), atol=1e-15
        )


@given(scored_lists(), st.sampled_from(["trec", "stable", "expected"]))
def test_recall_hit_rate_and_mrr_grow_with_k(data, ties):
    queries = ranked(*data, ties)
    for name in ("recall", "hit_rate", "mrr"):
        by_k = np.array([values(name, queries, k) for k in KS])
        assert (np.diff(by_k, axis=0) >= -1e-15).all()


@given(scored_lists(), st.sampled_from(KS))
def test_ndcg_is_at_most_the_hit_rate(data, k):
    queries = ranked(*data)
    for variant in ("default", "linear", "k_eff"):
        assert (values("ndcg", queries, k, variant) <= values("hit_rate", queries, k)).all()


@given(scored_lists(), st.sampled_from(KS))
def test_values_between_the_luckiest_and_the_unluckiest_order(data, k):
    trec, open_ties = ranked(*data), ranked(*data, "expected")
    for name, variant in CALLS:
        best = values(name, trec.gold_first_in_ties, k, variant)
        worst = values(name, trec.gold_last_in_ties, k, variant)
        for queries in (trec, open_ties):
            assert (worst - 1e-12 <= values(name, queries, k, variant)).all()
            assert (values(name, queries, k, variant) <= best + 1e-12).all()


@given(scored_lists(), st.integers(0, 15), st.sampled_from(["trec", "expected"]))
def test_a_group_is_the_masked_queries(data, bits, ties):
    all_gold, rows = data
    whole = ranked(all_gold, rows, ties)
    mask = np.array([bool(bits >> at & 1) for at in range(len(whole))])
    kept = [query for query, keep in zip(all_gold, mask, strict=True) if keep]
    alone = ranked({query: all_gold[query] for query in kept}, [row for row in rows if row[0] in kept], ties)
    assert_same(whole.where(mask), alone)
    for name, variant in CALLS:
        np.testing.assert_array_equal(values(name, whole, 3, variant)[mask], values(name, alone, 3, variant))


@given(scored_lists(), st.integers(0, 4), st.sampled_from(["trec", "expected"]))
def test_merging_any_two_parts_gives_the_whole(data, cut, ties):
    whole = ranked(*data, ties)
    first = np.arange(len(whole)) < cut
    assert_same(whole.where(first).merge(whole.where(~first)), whole)


def test_parts_with_different_ties_do_not_merge():
    part = RankedQueries.from_lists([{"a": 1}], [["a"]])
    other = ranked(gold(q="a"), lists(q="a"), "expected")
    with pytest.raises(ValueError, match="ties ordered by trec and by expected do not merge"):
        part.merge(other)


# Gold at ranks 2 and 4 of five, a third gold not in the list.
WORKED = ranked(gold(q="bdz"), lists(q="abcde"))


@pytest.mark.parametrize(
    ("name", "variant", "k", "expected"),
    [
        ("recall", None, 1, 0),
        ("recall", None, 2, Fraction(1, 3)),
        ("recall", None, None, Fraction(2, 3)),
        ("precision", "k", 2, Fraction(1, 2)),
        ("precision", "k", 10, Fraction(2, 10)),
        ("precision", "returned", 10, Fraction(2, 5)),
        ("precision", "k", None, Fraction(2, 5)),
        ("precision", "returned", None, Fraction(2, 5)),
        ("hit_rate", None, 1, 0),
        ("hit_rate", None, 2, 1),
        ("mrr", None, 1, 0),
        ("mrr", None, 2, Fraction(1, 2)),
        ("mrr", None, None, Fraction(1, 2)),
        ("map", "min_gold_k", 2, Fraction(1, 2) / 2),
        ("map", "gold", 2, Fraction(1, 2) / 3),
        ("map", "min_gold_k", 4, (Fraction(1, 2) + Fraction(2, 4)) / 3),
        ("map", "min_gold_k", None, (Fraction(1, 2) + Fraction(2, 4)) / 3),
        ("map", "gold", None, (Fraction(1, 2) + Fraction(2, 4)) / 3),
    ],
)
def test_worked_example(name, variant, k, expected):
    assert values(name, WORKED, k, variant).tolist() == pytest.approx([float(expected)], abs=1e-15)


def test_ndcg_worked_example():
    # Discounts 1, 1/log₂3, 1/2, 1/log₂5: gold at 2 and 4 against an ideal of three golds.
    dcg = 1 / math.log2(3) + 1 / math.log2(5)
    ideal = 1 + 1 / math.log2(3) + 1 / 2
    assert values("ndcg", WORKED, 5).tolist() == pytest.approx([dcg / ideal])
    assert values("ndcg", WORKED, None).tolist() == pytest.approx([dcg / ideal])
    assert values("ndcg", WORKED, 2).tolist() == pytest.approx([(1 / math.log2(3)) / (1 + 1 / math.log2(3))])


def test_graded_gains_are_powers_of_two_or_linear():
    queries = ranked({"q": {"a": 1, "b": 3}}, lists(q="ab"))
    log3 = math.log2(3)
    assert values("ndcg", queries, 10, "default").tolist() == pytest.approx([(1 + 7 / log3) / (7 + 1 / log3)])
    assert values("ndcg", queries, 10, "linear").tolist() == pytest.approx([(1 + 3 / log3) / (3 + 1 / log3)])


def test_every_grade_from_one_on_counts_as_relevant():
    queries = ranked({"q": {"a": 1, "b": 3}}, lists(q="ab"))
    assert values("map", queries, 10).tolist() == [1.0]
    assert values("recall", queries, 1).tolist() == [0.5]


def test_a_grade_of_any_size_does_not_overflow():
    queries = ranked({"q": {"a": 5000, "b": 4999}}, lists(q="ba"))
    log3 = math.log2(3)
    assert values("ndcg", queries, 2).tolist() == pytest.approx([(0.5 + 1 / log3) / (1 + 0.5 / log3)])


def test_k_eff_cuts_the_ideal_at_the_length_of_the_list():
    queries = ranked(gold(q="abc"), lists(q="a"))
    assert values("ndcg", queries, 10, "k_eff").tolist() == [1.0]
    assert values("ndcg", queries, 10, "default").tolist() == pytest.approx(
        [1 / (1 + 1 / math.log2(3) + 0.5)]
    )
    assert r.effective_k(queries, 10).tolist() == [1]
    assert r.effective_k(queries, None).tolist() == [1]


def test_candidates_that_are_known_but_not_listed_change_nothing():
    queries = ranked(gold(q="abc", empty=""), lists(q="axb", empty="y"))
    more = replace(queries, n_candidates=queries.n_ranked + 7)
    assert r.effective_k(more, 10).tolist() == r.effective_k(more, None).tolist() == [3, 1]
    for (name, variant), k in product(CALLS, KS):
        assert values(name, more, k, variant).tolist() == values(name, queries, k, variant).tolist()


def test_gold_that_the_list_lacks_counts_in_the_ideal():
    complete, understated = ranked(gold(q="az"), lists(q="ab")), ranked(gold(q="a"), lists(q="ab"))
    assert values("ndcg", complete, 10)[0] < values("ndcg", understated, 10)[0] == 1.0


def test_recall_ignores_queries_without_gold():
    queries = ranked({"q1": {"a": 1}, "q2": {}}, lists(q1="ab", q2="ab"))
    result = values("recall", queries, 1)
    assert result[queries.n_gold > 0].mean() == 1.0
    assert result.mean() == 0.5


def test_a_query_with_gold_and_no_list_counts_zero():
    queries = ranked({"q1": {"a": 1}, "q2": {"b": 1}}, lists(q1="a"))
    assert queries.n_ranked.tolist() == [1, 0]
    for name, variant in CALLS:
        for k in KS:
            assert values(name, queries, k, variant)[1] == 0.0


def test_a_ranked_query_without_gold_is_kept_and_counts_zero():
    queries = ranked({"q1": {"a": 1}}, lists(q1="a", q2="ab"))
    assert queries.n_gold.tolist() == [1, 0]
    for name, variant in CALLS:
        assert values(name, queries, 1, variant).tolist() == [1.0, 0.0]


def test_negative_scores_rank_like_any_other():
    queries = ranked(gold(q="a"), [("q", "a", -0.5), ("q", "b", -1.5), ("q", "c", -0.25)])
    assert queries.rank.tolist() == [2]


def test_zero_and_negative_zero_are_tied():
    queries = ranked(gold(q="a"), [("q", "a", -0.0), ("q", "b", 0.0)])
    assert (queries.rank.tolist(), queries.tie_size.tolist()) == ([2], [2])


def test_nearly_equal_scores_are_not_tied():
    queries = ranked(gold(q="a"), [("q", "a", np.nextafter(0.3, 1)), ("q", "b", 0.3)])
    assert (queries.rank.tolist(), queries.tie_size.tolist()) == ([1], [1])


def test_many_golds_of_one_query():
    ids = [f"s{n:03d}" for n in range(60)]
    queries = ranked({"q": dict.fromkeys(ids[::2], 1)}, [("q", item, -n) for n, item in enumerate(ids)])
    assert queries.rank.tolist() == list(range(1, 60, 2))
    assert values("precision", queries, 10).tolist() == [0.5]


def test_lists_of_two_models_share_their_gold():
    both = rankings_of(gold(q="a"), lists(q="ba"), reranked=lists(q="ab"))
    ranks = {model: RankedQueries.from_rankings(both, model).rank.tolist() for model in both.lists}
    assert ranks == {"model": [2], "reranked": [1]}


TIED = [("q1", "a", 0.5), ("q1", "b", 0.5), ("q1", "c", 0.5), ("q2", "a", 0.9), ("q2", "b", 0.1)]


def test_ties_by_id_descending_by_input_order_or_left_open():
    tied = {"q1": {"b": 1}, "q2": {"b": 1}}
    assert ranked(tied, TIED, "trec").rank.tolist() == [2, 2]
    assert ranked({"q1": {"a": 1}, "q2": {}}, TIED, "trec").rank.tolist() == [3]
    assert ranked({"q1": {"a": 1}, "q2": {}}, TIED, "stable").rank.tolist() == [1]
    open_ties = ranked(tied, TIED, "expected")
    assert values("mrr", open_ties, None).tolist() == pytest.approx([(1 + 1 / 2 + 1 / 3) / 3, 1 / 2])
    assert values("recall", open_ties, 2).tolist() == pytest.approx([2 / 3, 1])


def test_note_counts_the_queries_that_depend_on_ties():
    tied = {"q1": {"b": 1}, "q2": {"b": 1}}
    queries = ranked(tied, TIED)
    recall = METRICS["ranking.recall"]
    assert recall.remark(queries, k=1) == "1 of 2 queries with gold depends on the order of tied scores"
    assert recall.remark(queries, k=3) == ""
    assert METRICS["ranking.map"].remark(queries, k=3, variant="gold").startswith("1 of 2 queries")


def test_a_tie_among_golds_only_changes_nothing():
    queries = ranked(gold(q="ab"), [("q", "a", 1.0), ("q", "b", 1.0), ("q", "c", 0.5)])
    assert queries.tie_golds.tolist() == [2, 2]
    for name, variant in CALLS:
        params = {"k": 1} if variant is None else {"k": 1, "variant": variant}
        assert not r.queries_affected_by_ties(METRICS[f"ranking.{name}"], queries, **params).any()


@pytest.mark.parametrize("n", range(1, 40))
def test_rounding_never_lifts_the_mean_over_orders_above_1(n):
    ids = [f"s{at}" for at in range(n)]
    queries = ranked({"q": dict.fromkeys(ids, 1)}, [("q", item, 0.5) for item in ids], "expected")
    for (name, variant), k in product(CALLS, KS):
        assert values(name, queries, k, variant)[0] <= 1


def test_unknown_ties_are_refused():
    with pytest.raises(InputError) as error:
        ranked(gold(q="a"), lists(q="a"), "random")
    assert (
        str(error.value)
        == "found ties = random, expected trec or stable or expected. Check the option. [OPT-003]"
    )


@pytest.mark.parametrize(
    ("k", "found"),
    [
        (0, "0"),
        (-1, "-1"),
        (1.5, "1.5"),
        (2.0, "2.0"),
        ("x", "'x'"),
        ("5", "'5'"),
        (True, "True"),
        (math.nan, "nan"),
    ],
)
@pytest.mark.parametrize("name", [metric.name for metric in RANKING])
def test_an_illegal_k_is_refused_by_every_metric_in_the_same_words(name, k, found):
    with pytest.raises(InputError) as error:
        values(name, WORKED, k)
    assert str(error.value) == (
        f"found K = {found}, expected a whole number from 1 on, or ALL for the whole list. "
        "Check --ks. [OPT-001]"
    )
    with pytest.raises(InputError, match="OPT-001"):
        r.effective_k(WORKED, k)


def test_legal_k():
    assert [r.check_k(k) for k in (1, np.int64(20), None, "ALL", "all")] == [1, 20, None, None, None]


@pytest.mark.parametrize("name", ["precision", "map", "ndcg"])
def test_an_unknown_variant_is_refused(name):
    with pytest.raises(InputError, match=r"found variant = 'best', expected one of .*OPT-003"):
        values(name, WORKED, 3, "best")


def test_variants_have_the_names_of_the_contract():
    names = {metric.name: list(metric.variants) for metric in RANKING}
    assert names == {
        "recall": [],
        "precision": ["k", "returned"],
        "hit_rate": [],
        "mrr": [],
        "map": ["min_gold_k", "gold"],
        "ndcg": ["default", "k_eff", "linear"],
    }


def test_without_gold_the_mean_over_positives_is_undefined_with_its_reason():
    queries = ranked({"q": {}}, lists(q="ab"))
    for metric in RANKING:
        assert metric.reason(queries) == "no query with gold"
        assert metric(queries, k=3).values.tolist() == [0.0]
        assert METRICS[metric.key].reason(WORKED) is None


@pytest.mark.parametrize("ties", ["trec", "stable", "expected"])
def test_nothing_at_all_is_no_error_here(ties):
    queries = ranked({}, [], ties)
    for name, variant in CALLS:
        assert values(name, queries, 3, variant).shape == (0,)


def case(text):
    """Gold and rows of query_id, doc_id, score, relevance; an empty score is judged and not in the list."""
    cells = [line.split(",") for line in text.split()]
    golds = {query: {} for query, *_ in cells}
    for query, item, _, relevance in cells:
        if relevance != "0":
            golds[query][item] = int(relevance)
    return golds, [(query, item, float(score)) for query, item, score, _ in cells if score]


def test_constant_scores_give_every_metric_the_same_order():
    # embeddings-benchmark/mteb#5092, beir-cellar/beir#105: twelve candidates of one score, K = 10.
    rows = [(query, f"s{n:02d}", 0.5) for query in ("q1", "q2") for n in range(12)]
    constant = {"q1": {"s00": 1}, "q2": {"s11": 1}}
    by_id, stable, open_ties = (ranked(constant, rows, ties) for ties in ("trec", "stable", "expected"))
    for name in ("recall", "hit_rate", "mrr", "map", "ndcg"):
        assert values(name, by_id, 10).tolist() == [0, 1]
        assert values(name, stable, 10).tolist() == [1, 0]
    assert values("recall", open_ties, 10).tolist() == pytest.approx([10 / 12] * 2, abs=1e-15)
    assert values("hit_rate", open_ties, 10).tolist() == pytest.approx([10 / 12] * 2, abs=1e-15)
    assert values("mrr", open_ties, 10).tolist() == pytest.approx([sum(1 / n for n in range(1, 11)) / 12] * 2)
    assert values("mrr", open_ties, 10).tolist() == pytest.approx([0.24408068783068781] * 2, abs=1e-15)
    assert values("ndcg", open_ties, 10).tolist() == pytest.approx([0.3786299448406955] * 2, abs=1e-15)


def test_an_empty_gold_in_the_middle_leaves_its_neighbours_alone():
    # cvangysel/pytrec_eval#49
    table = "q1,d1,3,0 q1,d2,2,1 q1,d3,1,0 q2,d1,3,0 q2,d2,2,0 q3,d1,3,0 q3,d2,2,1 q3,d3,1,1"
    queries = ranked(*case(table))
    assert values("recall", queries, 3).tolist() == [1, 0, 1]
    assert values("mrr", queries, 3).tolist() == [0.5, 0, 0.5]
    assert values("map", queries, 3).tolist() == pytest.approx([1 / 2, 0, (1 / 2 + 2 / 3) / 2])
    assert values("ndcg", queries, 3).tolist() == pytest.approx([0.6309297535714575, 0, 0.6934264036172708])
    assert (len(queries), int((queries.n_gold > 0).sum())) == (3, 2)


def test_a_gold_query_that_was_never_retrieved_stays_in_the_mean():
    # usnistgov/trec_eval#18, cvangysel/pytrec_eval#30, AmenRa/ranx#39
    queries = ranked(*case("q1,a,2,1 q1,b,1,0 q2,a,,1"))
    for name in ("recall", "mrr", "map", "ndcg"):
        assert values(name, queries, 5).tolist() == [1, 0]
