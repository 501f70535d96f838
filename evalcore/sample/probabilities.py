"""Probabilities of two synthetic models, and the table of queries.

A model is described by cells of its probability range, each with its number of queries with and without
evidence. Whatever the seed, the pooled distribution is that of the description; which query gets which
probability follows from a latent score, by which criteria differ in difficulty.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from evalcore.sample.draws import Subject, bell, stream, uniform
from evalcore.sample.posts import CRITERIA, PUBLISHED_POSTS, Posts, draw_posts

UNITS = (
    100_000  # a probability is a whole number of these: five decimals, so that values tie as in real files
)


@dataclass(frozen=True)
class Cell:
    """Part of a model's probability range and what lies in it.

    Parameters
    ----------
    start, width : lower edge and width in `UNITS`; a width of 0 is a plateau.
    n_neg, n_pos : queries without and with evidence, at the published size.
    skew_neg, skew_pos : -1 (near the lower edge) to 1 (near the upper); the mean lies at 0.5 + skew/4 of
        the width.
    """

    start: int
    width: int
    n_neg: int
    n_pos: int
    skew_neg: float
    skew_pos: float


# Each tenth has the published mean probability and share of positives; 2,471 zeros and 46 ones besides.
# The skew of the positives in the lowest tenth sets the pooled AUROC, .8972.
GATE = (
    Cell(0, 0, 2468, 3, 0.0, 0.0),
    Cell(10, 9990, 9258, 332, -0.875, -0.122),
    Cell(10_000, 10_000, 791, 148, 0.36, 0.36),
    Cell(20_000, 10_000, 391, 109, -0.48, -0.48),
    Cell(30_000, 10_000, 151, 109, 0.2, 0.2),
    Cell(40_000, 10_000, 95, 82, 0.44, 0.44),
    Cell(50_000, 10_000, 70, 86, 0.72, 0.72),
    Cell(60_000, 10_000, 59, 93, -0.36, -0.36),
    Cell(70_000, 10_000, 45, 119, 0.88, 0.88),
    Cell(80_000, 10_000, 31, 141, -0.32, -0.32),
    Cell(90_000, 10_000, 29, 114, -0.8, -0.6),
    Cell(100_000, 0, 3, 43, 0.0, 0.0),
)
# Trained on balanced classes: weaker, and far too sure of evidence.
BASELINE = (Cell(1_000, 98_000, 13_391, 1_379, -0.9, 0.5),)


@dataclass(frozen=True)
class Model:
    """A synthetic model: the cells of its probabilities, and what moves a query within its class.

    Parameters
    ----------
    separation : how much of a criterion's ease the model finds.
    shared : weight of the noise of the first model, 0 to 1.
    own : weight of the model's own noise.
    """

    name: str
    cells: tuple[Cell, ...]
    subject: Subject
    separation: float
    shared: float
    own: float


MODELS = (
    Model("gnn_gate", GATE, "gate", separation=1.0, shared=1.0, own=0.0),
    Model("baseline", BASELINE, "baseline", separation=0.6, shared=0.5, own=0.9),
)
# By criterion: ease (positives up, negatives down) and level (both up where evidence is frequent).
EASE = (-0.1, 0.0, 0.2, 0.45, -0.3, 0.1, -0.05, -0.15, 0.5, -0.65)
LEVEL = (0.35, 0.0, -0.35, -0.05, -0.4, 0.0, 0.3, -0.3, 0.1, -0.15)
POST_EFFECT = 0.5

MAX_SELECTED = 10
MIN_SELECTED = 2


def queries(n_posts: int = PUBLISHED_POSTS, seed: int = 0) -> Any:
    """One row per model and (post, criterion), the first model's rows first.

    Parameters
    ----------
    n_posts : at least 1.
    seed : at least 0.

    Returns
    -------
    DataFrame: post_id, criterion_id, fold (0 to 4), split (tune, test), model, has_evidence (0, 1),
    probability in [0, 1] with five decimals, n_candidates, selected_k (sentences shown: half of the
    candidates, 2 to 10, at most all of them, none at probability 0).
    """
    posts = draw_posts(n_posts, seed)
    noise = _post_and_query_noise(posts, seed)
    return pd.concat([_queries_of(posts, model, noise, seed) for model in MODELS], ignore_index=True)


def id_columns(posts: Posts) -> dict[str, Any]:
    """post_id and criterion_id of every query as categorical text: posts in order, criteria within them."""
    n_posts, n_criteria = posts.has_evidence.shape
    return {
        "post_id": pd.Categorical.from_codes(np.repeat(np.arange(n_posts), n_criteria), posts.post_id),
        "criterion_id": pd.Categorical.from_codes(np.tile(np.arange(n_criteria), n_posts), CRITERIA),
    }


def _queries_of(posts: Posts, model: Model, noise: Any, seed: int) -> Any:
    n_criteria = len(CRITERIA)
    n_candidates = np.repeat(posts.n_sentences, n_criteria)
    units = _probability_units(posts, model, noise, seed)
    selected = np.minimum(np.clip(n_candidates // 2, MIN_SELECTED, MAX_SELECTED), n_candidates)
    return pd.DataFrame(
        {
            **id_columns(posts),
            "fold": np.repeat(posts.fold, n_criteria),
            "split": pd.Categorical.from_codes(np.repeat(1 - posts.is_tune, n_criteria), ["tune", "test"]),
            "model": pd.Categorical.from_codes(
                np.full(posts.n_queries, MODELS.index(model)), [m.name for m in MODELS]
            ),
            "has_evidence": posts.has_evidence.ravel().astype(np.int64),
            "probability": units / UNITS,
            "n_candidates": n_candidates,
            "selected_k": np.where(units > 0, selected, 0),
        }
    )


def _post_and_query_noise(posts: Posts, seed: int) -> Any:
    """What both models see of a query: an effect of its post and one of its own, shape (P, 10)."""
    bits = stream(seed, "gate")
    n_posts, n_criteria = posts.has_evidence.shape
    of_post = bell(bits, n_posts)[:, None]
    return POST_EFFECT * of_post + bell(bits, posts.n_queries).reshape(n_posts, n_criteria)


def _probability_units(posts: Posts, model: Model, noise: Any, seed: int) -> Any:
    """Probability of every query in `UNITS`, shape (Q,): its class's values in the order of the latent."""
    bits = stream(seed, model.subject)
    own = bell(bits, posts.n_queries).reshape(noise.shape)
    side = np.where(posts.has_evidence, 1.0, -1.0)
    latent = (
        np.array(LEVEL) + model.separation * np.array(EASE) * side + model.shared * noise + model.own * own
    )
    is_positive = posts.has_evidence.ravel()
    units = np.empty(posts.n_queries, dtype=np.int64)
    for of_class, counts, skews in (
        (~is_positive, [c.n_neg for c in model.cells], [c.skew_neg for c in model.cells]),
        (is_positive, [c.n_pos for c in model.cells], [c.skew_pos for c in model.cells]),
    ):
        rows = np.flatnonzero(of_class)
        order = np.argsort(latent.ravel()[rows], kind="stable")
        units[rows[order]] = _ascending_units(model.cells, counts, skews, uniform(bits, len(rows)))
    return units


def _ascending_units(cells: tuple[Cell, ...], counts: list[int], skews: list[float], jitter: Any) -> Any:
    """Values of one class in ascending order, one from each of n equal shares of its distribution."""
    quantile = (np.arange(len(jitter)) + jitter) / len(jitter) * sum(counts)
    upper = np.cumsum(counts)
    cell = np.minimum(np.searchsorted(upper, quantile, side="right"), len(cells) - 1)
    within = (quantile - (upper - counts)[cell]) / np.maximum(counts, 1)[cell]
    start, width = np.array([(c.start, c.width) for c in cells]).T
    return start[cell] + np.floor(width[cell] * _skewed(within, np.array(skews)[cell])).astype(np.int64)


def _skewed(share: Any, skew: Any) -> Any:
    """A rising curve from (0, 0) to (1, 1) with mean 0.5 + skew/4: a straight line mixed with a cube."""
    rest = 1.0 - share
    cube = np.where(skew > 0, 1.0 - rest * rest * rest, share * share * share)
    return share + np.abs(skew) * (cube - share)
