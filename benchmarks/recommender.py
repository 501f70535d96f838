"""Recommendation lists from a full matrix of scores: twelve accuracy metrics at three cut-offs.

Beside a plain torch loop over batches of users as libraries of recommenders have it: one object a metric and
cut-off, each of which is shown the whole scores of the batch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

KS = (10, 20, 50)
BATCH = 1024
N_TRAIN, N_TEST = 20, 10
METRICS = (
    *("precision", "recall", "ndcg", "ndcg_rendle2020", "hit_rate", "map", "mar", "mrr", "f1"),
    *("auc", "gauc", "lauc"),
)


@dataclass(frozen=True)
class Made:
    """Scores of every item for every user, and pairs of train and test as codes, each once."""

    scores: NDArray[np.float32]
    train: NDArray[np.int64]
    test: NDArray[np.int64]


def title(n_users: int, n_items: int) -> str:
    """What is measured, in one line."""
    ks = ", ".join(map(str, KS))
    return (
        f"Recommendation: {len(METRICS)} accuracy metrics at K = {ks}, {n_users:,} users × {n_items:,} items"
    )


def data(n_users: int, n_items: int) -> Made:
    """Random scores without ties within a user, and about 20 items of train and 10 of test a user."""
    rng = np.random.default_rng(0)
    scores = rng.permuted(np.tile(np.arange(n_items, dtype=np.float32), (n_users, 1)), axis=1) / n_items
    n = n_users * (N_TRAIN + N_TEST)
    keys = np.unique(rng.integers(0, n_users * n_items, n))
    keys = rng.permutation(keys)
    cut = len(keys) * N_TRAIN // (N_TRAIN + N_TEST)
    train, test = (np.stack([part // n_items, part % n_items]) for part in (keys[:cut], keys[cut:]))
    return Made(scores, train, test)


def evalcore(made: Made) -> dict[str, float]:
    """Ours: one look at the scores of a block of users, every metric from it."""
    from evalcore import evaluate
    from evalcore.data import Data
    from evalcore.recommendations import Interactions, Recommendations, ScoreMatrix

    n_users, n_items = made.scores.shape
    table = Recommendations(
        np.arange(n_users).astype(str).astype(object),
        np.arange(n_items).astype(str).astype(object),
        {},
        {"m": ScoreMatrix(np.arange(n_users), np.arange(n_items), made.scores)},
        *(Interactions(user, item, np.ones(len(user))) for user, item in (made.train, made.test)),
    )
    names = tuple(f"recommender.{name}" for name in METRICS)
    report = evaluate(Data("recommender", (), {"recommendations": table}), ks=KS, metrics=names)
    rows = report.table
    rows = rows[
        (rows.variant == "default") & (rows.population != "all_users") & ~rows.params.str.contains("stat=")
    ]
    return {
        f"{name} {params}".strip(): value
        for name, params, value in zip(rows.metric, rows.params, rows.value, strict=True)
    }


def torch_loop(made: Made) -> dict[str, float]:
    """One object a metric and cut-off, which takes the scores and labels of each batch of users."""
    import torch

    n_users = len(made.scores)
    metrics = {
        f"{name} k={k}" if k else name: _OBJECTS[name](k)
        for name in METRICS
        for k in (KS if name not in ("auc", "gauc") else (0,))
    }
    train, test = (torch.from_numpy(part) for part in (made.train, made.test))
    for start in range(0, n_users, BATCH):
        stop = min(start + BATCH, n_users)
        scores = torch.from_numpy(made.scores[start:stop].copy())
        target = torch.zeros_like(scores)
        for pairs, fill in ((train, None), (test, 1.0)):
            own = (pairs[0] >= start) & (pairs[0] < stop)
            at = pairs[0][own] - start, pairs[1][own]
            if fill is None:
                scores[at] = -torch.inf
            else:
                target[at] = fill
        for one in metrics.values():
            one.update(scores, target)
    return {name: one.compute() for name, one in metrics.items()}


WAYS = {"evalcore": evalcore, "torch, one object a metric": torch_loop}


class _Mean:
    """The mean over users with a relevant item of a value of each."""

    def __init__(self, k: int) -> None:
        self.k, self.total, self.n = k, 0.0, 0

    def update(self, scores: Any, target: Any) -> None:
        """Add the users of a batch; ``scores`` and ``target`` of shape (users, items)."""
        has_one = target.sum(dim=1) > 0
        values = self.values(scores[has_one], target[has_one]).double()
        self.total += float(values.sum())
        self.n += len(values)

    def compute(self) -> float:
        """The mean."""
        return self.total / self.n

    def shown(self, scores: Any, target: Any) -> Any:
        """Relevance of the first K of each user."""
        return target.gather(1, scores.topk(self.k, dim=1).indices).double()

    def discounts(self, n: int) -> Any:
        """1 / log₂(i + 1) of the first places."""
        import torch

        return 1 / torch.log2(torch.arange(2, n + 2, dtype=torch.float64))

    def cuts(self, target: Any) -> Any:
        """min(|R|, K) of each user."""
        return target.sum(dim=1).double().clamp(max=self.k)

    def values(self, scores: Any, target: Any) -> Any:
        """The value of each user."""
        raise NotImplementedError


class _Precision(_Mean):
    def values(self, scores: Any, target: Any) -> Any:
        return self.shown(scores, target).sum(dim=1) / self.k


class _Recall(_Mean):
    def values(self, scores: Any, target: Any) -> Any:
        return self.shown(scores, target).sum(dim=1) / target.sum(dim=1)


class _Ndcg(_Mean):
    def values(self, scores: Any, target: Any) -> Any:
        gain = 2 ** self.shown(scores, target) - 1
        dcg = (gain * self.discounts(self.k)).sum(dim=1)
        ideal = (2 ** target.topk(self.k, dim=1).values.double() - 1) * self.discounts(self.k)
        return dcg / ideal.sum(dim=1)


class _HitRate(_Mean):
    def values(self, scores: Any, target: Any) -> Any:
        return self.shown(scores, target).sum(dim=1) > 0


class _Map(_Mean):
    def values(self, scores: Any, target: Any) -> Any:
        import torch

        shown = self.shown(scores, target)
        precision = shown.cumsum(dim=1) / torch.arange(1, self.k + 1)
        return (precision * shown).sum(dim=1) / self.cuts(target)


class _Mar(_Mean):
    def values(self, scores: Any, target: Any) -> Any:
        shown = self.shown(scores, target)
        recall = shown.cumsum(dim=1) / target.sum(dim=1, keepdim=True)
        return (recall * shown).sum(dim=1) / self.cuts(target)


class _Mrr(_Mean):
    def values(self, scores: Any, target: Any) -> Any:
        shown = self.shown(scores, target)
        return (shown.argmax(dim=1).double() + 1).reciprocal() * (shown.sum(dim=1) > 0)


class _F1(_Mean):
    def values(self, scores: Any, target: Any) -> Any:
        hits = self.shown(scores, target).sum(dim=1)
        return 2 * hits / (self.k + target.sum(dim=1))


class _Area(_Mean):
    def areas(self, scores: Any, target: Any) -> Any:
        """The share of negatives below each item, shape (users, items); of items of train whatever."""
        import torch

        is_negative = (target == 0) & ~torch.isinf(scores)
        order = scores.argsort(dim=1)
        below = is_negative.gather(1, order).double().cumsum(dim=1)
        found = torch.empty_like(below).scatter_(1, order, below)
        return found / is_negative.sum(dim=1, keepdim=True)


class _Auc(_Area):
    def update(self, scores: Any, target: Any) -> None:
        """Add the relevant pairs of a batch."""
        self.total += float((self.areas(scores, target) * target).sum())
        self.n += int(target.sum())


class _Gauc(_Area):
    def values(self, scores: Any, target: Any) -> Any:
        return (self.areas(scores, target) * target).sum(dim=1) / target.sum(dim=1)


class _Lauc(_Area):
    def values(self, scores: Any, target: Any) -> Any:
        top = scores.topk(self.k, dim=1).indices
        shown = (self.areas(scores, target) * target).gather(1, top)
        return shown.sum(dim=1) / self.cuts(target)


_OBJECTS = {
    "precision": _Precision,
    "recall": _Recall,
    "ndcg": _Ndcg,
    "ndcg_rendle2020": _Ndcg,
    "hit_rate": _HitRate,
    "map": _Map,
    "mar": _Mar,
    "mrr": _Mrr,
    "f1": _F1,
    "auc": _Auc,
    "gauc": _Gauc,
    "lauc": _Lauc,
}
