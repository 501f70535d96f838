"""What a place in a list is worth: one definition for ranked candidates and for judged chunks."""

import ast
import math
from pathlib import Path

import numpy as np
import pytest

from evalcore.catalog import METRICS
from evalcore.kernels import gains
from evalcore.tallies.judgements import Panels
from evalcore.tallies.ranked import RankedQueries

CORE = Path(gains.__file__).parents[1]
DISCOUNTS = ("log2",)


def lists(seed=0, n=200):
    """Grades of the chunks of lists, best place first, every judged chunk retrieved."""
    rng = np.random.default_rng(seed)
    return [rng.integers(0, 3, rng.integers(1, 9)).tolist() for _ in range(n)]


def both(graded, k):
    """The same lists as judged chunks and as ranked candidates."""
    panels = Panels.from_lists(
        k,
        topically_relevant=[[int(grade > 0) for grade in one] for one in graded],
        evidence_sufficient=[[int(grade == 2) for grade in one] for one in graded],
    )
    gold = [{f"c{at}": grade for at, grade in enumerate(one) if grade} for one in graded]
    ranked = RankedQueries.from_lists(gold, [[f"c{at}" for at in range(len(one))] for one in graded])
    return panels, ranked


@pytest.mark.parametrize("k", [1, 2, 3, 5, None])
def test_both_families_see_the_same_in_the_same_lists(k):
    panels, ranked = both(lists(), k)
    for of_chunks, of_candidates, variants in (
        ("topical_precision_at_k", "precision", ({"variant": "k"}, {"variant": "k"})),
        ("topical_precision_at_k", "precision", ({"variant": "present"}, {"variant": "returned"})),
        ("mean_reciprocal_rank_at_k", "mrr", ({}, {})),
    ):
        found = METRICS[f"rag.{of_chunks}"](panels, **variants[0]).values
        assert (
            found.tolist() == METRICS[f"ranking.{of_candidates}"](ranked, k=k, **variants[1]).values.tolist()
        )
    # The ideal of ranked candidates is that of all gold; here every gold is in the list.
    found = METRICS["rag.ndcg_at_k"](panels, variant="all_judged").values
    wanted = METRICS["ranking.ndcg"](ranked, k=k).values
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-15)


def test_dcg_by_hand():
    query, gain = np.array([0, 0, 2]), np.array([3.0, 1.0, 1.0])
    assert gains.ideal_dcg(query, gain, 3, gains.WHOLE_LIST).tolist() == [3 + 1 / math.log2(3), 0, 1]
    assert gains.ideal_dcg(query, gain, 3, np.array([1, 1, 0])).tolist() == [3, 0, 0]


@pytest.mark.parametrize("cut", [1, 3, gains.WHOLE_LIST, np.array([2, 0, 9, 4])])
def test_equal_gains_have_to_the_bit_the_ideal_of_unlike_ones(cut):
    query, gain = np.repeat([0, 1, 3], [7, 2, 40]), np.full(49, 0.1)
    alike = gains.ideal_dcg(query, gain, 4, cut)
    cut_of_five = np.append(cut, 1) if isinstance(cut, np.ndarray) else cut
    unlike = gains.ideal_dcg(np.append(query, 4), np.append(gain, 0.7), 5, cut_of_five)
    assert alike.tolist() == unlike[:4].tolist()
    assert alike[2] == 0


def discounting(tree):
    """The functions of a module that take a logarithm of base 2."""
    return [
        found.name
        for found in ast.walk(tree)
        if isinstance(found, ast.FunctionDef)
        and any(isinstance(node, ast.Attribute) and node.attr in DISCOUNTS for node in ast.walk(found))
    ]


def test_the_discount_stands_in_one_place():
    modules = [path for path in CORE.rglob("*.py") if "crosscheck" not in path.parts]
    found = {
        (path.relative_to(CORE).as_posix(), name)
        for path in modules
        for name in discounting(ast.parse(path.read_text()))
    }
    # Widths of sorting keys, numbers of bits and the surprise of an item are no discounts.
    others = ("tallies/places.py", "drawn/post_values.py", "metrics/recommender/novelty.py")
    sizes = {(path, name) for path, name in found if path in others}
    assert found - sizes == {("kernels/gains.py", "discount")}


def test_a_second_discount_would_be_seen():
    assert discounting(ast.parse("def dcg(gain, rank):\n    return gain / np.log2(rank + 1)")) == ["dcg"]
