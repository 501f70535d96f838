"""Bootstrap over posts: 95 % intervals of fourteen statistics of scored queries, by us and by others.

The scikit-learn loop gets our weights as ``sample_weight``, so its intervals must equal ours. The others draw
in their own way and compute AUROC alone; confidenceinterval draws rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FPRS = (0.01, 0.03, 0.05, 0.1)
THRESHOLD = 0.5


@dataclass(frozen=True)
class Sample:
    """Scores and labels of queries, ten to a post."""

    post_ids: list[str]
    post: NDArray[np.intp]
    score: NDArray[np.float64]
    is_positive: NDArray[np.bool_]
    n_replicates: int


def title(n_posts: int, n_replicates: int) -> str:
    """What is measured, in one line."""
    return f"Bootstrap: {n_replicates:,} replicates of {n_posts:,} posts with ten queries each, 14 statistics"


def data(n_posts: int, n_replicates: int) -> Sample:
    """Probabilities without many ties, 9 % of the queries with evidence."""
    rng = np.random.default_rng(0)
    n = 10 * n_posts
    is_positive = rng.random(n) < 0.0934
    score = np.clip(rng.beta(2, 8, n) + 0.3 * is_positive, 0, 1)
    ids = [f"s_{code}" for code in range(n_posts)]
    return Sample(ids, np.repeat(np.arange(n_posts), 10), score, is_positive, n_replicates)


def _bounds(values: dict[str, NDArray[np.float64]]) -> dict[str, float]:
    found = {}
    for name, replicates in values.items():
        low, high = np.nanquantile(replicates, [0.025, 0.975])
        found |= {f"{name} low": float(low), f"{name} high": float(high)}
    return found


def evalcore(sample: Sample) -> dict[str, float]:
    """Ours: tallies of all replicates from matrix products, a block at a time."""
    from evalcore.drawn.ranks import Order
    from evalcore.drawn.replicates import Resampling, confusion, score_table
    from evalcore.drawn.weights import hashes
    from evalcore.metrics import calibration, classification
    from evalcore.metrics.classification import over_order
    from evalcore.tallies.scores import ScoredRows

    n_posts = len(sample.post_ids)
    rows = ScoredRows(sample.score, sample.is_positive, sample.post, n_posts)
    order = Order.of(rows)
    resampling = Resampling.of(hashes(sample.post_ids), sample.n_replicates, 0)
    parts: dict[str, list[NDArray[np.float64]]] = {}

    def keep(name: str, result: object) -> None:
        parts.setdefault(name, []).append(np.asarray(getattr(result, "value", result)))

    for weights in resampling.blocks(order.n_counts):
        ranks = order.drawn(weights)
        keep("auroc", over_order.AUROC.function(ranks))
        keep("auprc", over_order.AVERAGE_PRECISION.function(ranks))
        for fpr in FPRS:
            keep(f"tpr at {fpr}", over_order.TPR_AT_FPR.function(ranks, fpr=fpr))
    for weights in resampling.blocks(len(np.unique(rows.score))):
        keep("brier", calibration.brier(score_table(rows, weights)))
    counts = confusion(rows, THRESHOLD, resampling.weights())
    for name in ("sensitivity", "specificity", "precision", "npv", "f1", "mcc"):
        keep(name, getattr(classification, name)(counts))
    keep("called", (counts.true_pos + counts.false_pos) / counts.total)
    return _bounds({name: np.concatenate(blocks) for name, blocks in parts.items()})


def sklearn(sample: Sample) -> dict[str, float]:
    """scikit-learn in a loop over replicates, the weights of posts as those of their rows."""
    from sklearn import metrics as peer

    from evalcore.drawn.weights import poisson_weights

    label, score = sample.is_positive, sample.score
    called = score >= THRESHOLD
    values: dict[str, list[float]] = {}
    for drawn in poisson_weights(sample.post_ids, seed=0, start=0, stop=sample.n_replicates):
        weight = drawn[sample.post].astype(float)
        fpr, tpr, _ = peer.roc_curve(label, score, sample_weight=weight, drop_intermediate=False)
        n_neg = weight[~label].sum()
        found = {
            "auroc": peer.roc_auc_score(label, score, sample_weight=weight),
            "auprc": peer.average_precision_score(label, score, sample_weight=weight),
            "sensitivity": peer.recall_score(label, called, sample_weight=weight),
            "specificity": peer.recall_score(label, called, sample_weight=weight, pos_label=False),
            "precision": peer.precision_score(label, called, sample_weight=weight),
            "npv": peer.precision_score(label, called, sample_weight=weight, pos_label=False),
            "f1": peer.f1_score(label, called, sample_weight=weight),
            "mcc": peer.matthews_corrcoef(label, called, sample_weight=weight),
            "brier": peer.brier_score_loss(label, score, sample_weight=weight),
            "called": np.average(called, weights=weight),
        }
        for at in FPRS:
            # a budget of whole queries
            found[f"tpr at {at}"] = tpr[np.round(fpr * n_neg) <= np.floor(at * n_neg + 1e-9)].max()
        for name, value in found.items():
            values.setdefault(name, []).append(float(value))
    return _bounds({name: np.array(column) for name, column in values.items()})


def scipy_auroc(sample: Sample) -> dict[str, float]:
    """scipy.stats.bootstrap over posts with scikit-learn's AUROC."""
    from scipy import stats
    from sklearn import metrics as peer

    label, score = sample.is_positive.reshape(-1, 10), sample.score.reshape(-1, 10)

    def auroc(posts: NDArray[np.intp]) -> float:
        return float(peer.roc_auc_score(label[posts].ravel(), score[posts].ravel()))

    found = stats.bootstrap(
        (np.arange(len(label)),),
        auroc,
        n_resamples=sample.n_replicates,
        vectorized=False,
        method="percentile",
        rng=np.random.default_rng(0),
    ).confidence_interval
    return {"own draws, low": float(found.low), "own draws, high": float(found.high)}


def confidenceinterval_auroc(sample: Sample) -> dict[str, float]:
    """confidenceinterval's AUROC by percentile bootstrap over rows."""
    import confidenceinterval as peer

    _, (low, high) = peer.roc_auc_score(
        sample.is_positive.astype(int),
        sample.score,
        method="bootstrap_percentile",
        n_resamples=sample.n_replicates,
    )
    return {"own draws, low": float(low), "own draws, high": float(high)}


WAYS = {
    "evalcore, 14 statistics": evalcore,
    "scikit-learn loop, 14 statistics": sklearn,
    "scipy.stats.bootstrap, AUROC alone": scipy_auroc,
    "confidenceinterval, AUROC alone, rows": confidenceinterval_auroc,
}
