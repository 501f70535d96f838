"""Accuracy against a peer on random lists: pytrec_eval, which runs NIST's trec_eval.

Optional: pytrec_eval-terrier is pinned in benchmarks/requirements.txt; without it the test skips.
"""

import numpy as np
import pytest

from evalcore import evaluate
from evalcore.data import Data
from evalcore.recommendations import Interactions, ItemLists, Recommendations

KS = (10, 20, 50)
N_USERS, N_ITEMS, LENGTH = 60, 300, 80


@pytest.mark.parametrize("seed", range(5))
def test_accuracy_of_random_lists_equals_pytrec_eval(seed):
    peer = pytest.importorskip("pytrec_eval", reason="pytrec_eval-terrier is not installed")
    rng = np.random.default_rng(seed)
    shown = [rng.permutation(N_ITEMS)[:LENGTH] for _ in range(N_USERS)]
    liked = [rng.permutation(N_ITEMS)[: rng.integers(1, 70)] for _ in range(N_USERS)]
    names = np.arange(N_ITEMS).astype(str).astype(object)
    table = Recommendations(
        np.arange(N_USERS).astype(str).astype(object),
        names,
        {"m": ItemLists(*_pairs(shown), -np.tile(np.arange(LENGTH), N_USERS) * 1.0, has_scores=True)},
        test=Interactions(*_pairs(liked), np.ones(sum(map(len, liked)))),
    )
    report = evaluate(Data("recommender", (), {"recommendations": table}), ks=KS)

    gold = {str(user): {names[item]: 1 for item in items} for user, items in enumerate(liked)}
    for k in KS:
        # trec_eval cuts no list for the reciprocal rank: it is shown the first K alone.
        run = {
            str(user): {names[item]: float(-at) for at, item in enumerate(items[:k])}
            for user, items in enumerate(shown)
        }
        asked = {f"P.{k}", f"recall.{k}", f"ndcg_cut.{k}", f"map_cut.{k}", f"success.{k}", "recip_rank"}
        values = peer.RelevanceEvaluator(gold, asked).evaluate(run)
        # trec_eval divides by |R| where document 004 divides by min(|R|, K).
        shares = [len(items) / min(len(items), k) for items in liked]
        expected = {
            name: np.mean([values[user][theirs] for user in gold])
            for name, theirs in {
                "precision": f"P_{k}",
                "recall": f"recall_{k}",
                "ndcg": f"ndcg_cut_{k}",
                "hit_rate": f"success_{k}",
                "mrr": "recip_rank",
            }.items()
        }
        expected["map"] = np.mean(
            [values[user][f"map_cut_{k}"] * share for user, share in zip(gold, shares, strict=True)]
        )
        for name, value in expected.items():
            assert report.value(f"recommender.{name}", params=f"k={k}") == pytest.approx(value, abs=1e-12), (
                name,
                k,
            )


def _pairs(items):
    return np.repeat(np.arange(N_USERS), [len(one) for one in items]), np.concatenate(items)
