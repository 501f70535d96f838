"""Synthetic posts: ids, fold, split, number of sentences, and the criteria each holds evidence for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from evalcore.sample.draws import apportioned, rank_within, shuffled, stream, uniform

PUBLISHED_POSTS = 1477
CRITERIA = tuple(f"A.{number}" for number in range(1, 11))
CRITERION_POSITIVES = (328, 124, 44, 102, 35, 124, 311, 59, 166, 86)
FOLD_POSITIVES = (277, 261, 266, 304, 271)
N_FOLDS = len(FOLD_POSITIVES)
N_STRATA = 2 * N_FOLDS  # fold × split

# Share of posts, and the number of sentences they stay below; straight lines between, rounded down.
SENTENCE_QUANTILES = (
    (0.0, 1.0),
    (0.04, 1.0),
    (0.0401, 2.0),
    (0.25, 4.5),
    (0.5, 8.5),
    (0.75, 15.0),
    (0.9, 44.5),
    (0.95, 103.5),
    (0.985, 150.0),
    (1.0, 202.0),
)
MAX_SENTENCES = 200
# A post that already holds evidence is a little less likely to be given more: 1.45 positives per such post.
CROWDING = 0.01


@dataclass(frozen=True)
class Posts:
    """Synthetic posts in file order.

    Parameters
    ----------
    post_id : text, shape (P,), distinct.
    fold : integers 0 to 4, shape (P,).
    is_tune : whether the post is for choosing thresholds rather than for testing them, shape (P,).
    n_sentences : candidates of each of its queries, 1 to 200, shape (P,).
    has_evidence : bool, shape (P, 10), criteria in the order of `CRITERIA`.
    """

    post_id: Any
    fold: Any
    is_tune: Any
    n_sentences: Any
    has_evidence: Any

    @property
    def n_queries(self) -> int:
        """Number of (post, criterion) rows."""
        return int(self.has_evidence.size)

    @property
    def first_sentence(self) -> Any:
        """Number of sentences in all posts before each, shape (P,)."""
        return np.cumsum(self.n_sentences) - self.n_sentences


def draw_posts(n_posts: int, seed: int) -> Posts:
    """Posts with the published prevalence by criterion, fold sizes and lengths, scaled to ``n_posts``.

    Parameters
    ----------
    n_posts : at least 1; counts are exact at 1,477 and rounded in proportion elsewhere.
    seed : at least 0.
    """
    bits = stream(seed, "posts")
    post_id = _post_ids(bits, n_posts)
    n_posts_by_stratum = _posts_by_stratum(n_posts)
    stratum = np.empty(n_posts, dtype=np.int64)
    stratum[shuffled(bits, n_posts)] = np.repeat(np.arange(N_STRATA), n_posts_by_stratum)
    return Posts(
        post_id=post_id,
        fold=stratum // 2,
        is_tune=stratum % 2 == 0,
        n_sentences=_sentence_counts(bits, n_posts),
        has_evidence=_labels(seed, stratum, n_posts_by_stratum),
    )


def _post_ids(bits: np.random.PCG64, n_posts: int) -> Any:
    """Distinct ids of the form ``s_<thread>_<number>``, ascending in both numbers."""
    code = np.cumsum(1 + bits.random_raw(n_posts) % np.uint64(120)).tolist()
    return np.array([f"s_{100 + c // 100}_{c % 100}" for c in code], dtype=object)


def _posts_by_stratum(n_posts: int) -> Any:
    """Posts per fold and half: folds alike, the last one takes the rest; each half tune, half test."""
    sizes = np.full(N_FOLDS, n_posts // N_FOLDS)
    sizes[-1] += n_posts % N_FOLDS
    n_tune = (sizes + (np.arange(N_FOLDS) + 1) % 2) // 2
    return np.column_stack([n_tune, sizes - n_tune]).ravel()


def _sentence_counts(bits: np.random.PCG64, n_posts: int) -> Any:
    share, count = np.array(SENTENCE_QUANTILES).T
    quantile = (np.arange(n_posts) + 0.5) / n_posts
    counts = np.floor(np.interp(quantile, share, count)).astype(np.int64)
    return np.minimum(counts, MAX_SENTENCES)[shuffled(bits, n_posts)]


def _labels(seed: int, stratum: Any, n_posts_by_stratum: Any) -> Any:
    """Evidence by post and criterion: exact totals by criterion and by stratum, at random within them."""
    n_posts = len(stratum)
    total = max(1, round(n_posts * sum(CRITERION_POSITIVES) / PUBLISHED_POSTS))
    quota = _positives_by_criterion_and_stratum(total, n_posts_by_stratum)
    bits = stream(seed, "labels")
    has_evidence = np.zeros((n_posts, len(CRITERIA)), dtype=bool)
    for criterion in np.argsort(CRITERION_POSITIVES, kind="stable"):
        key = uniform(bits, n_posts) + CROWDING * has_evidence.sum(axis=1)
        has_evidence[:, criterion] = rank_within(stratum, key) < quota[criterion][stratum]
    return has_evidence


def _positives_by_criterion_and_stratum(total: int, n_posts_by_stratum: Any) -> Any:
    """Number of positives in every cell, both margins exact, shape (10, 10).

    Positives listed by criterion meet strata dealt out evenly, so each criterion spreads over all strata.
    """
    by_criterion = apportioned(total, CRITERION_POSITIVES)
    posts_by_fold = n_posts_by_stratum.reshape(N_FOLDS, 2)
    by_fold = apportioned(total, np.where(posts_by_fold.sum(axis=1) > 0, FOLD_POSITIVES, 0))
    by_stratum = np.concatenate(
        [apportioned(n, halves) for n, halves in zip(by_fold, posts_by_fold, strict=True)]
    )
    dealt = np.repeat(np.arange(N_STRATA), by_stratum)
    place = (np.arange(total) - np.repeat(np.cumsum(by_stratum) - by_stratum, by_stratum) + 0.5) / by_stratum[
        dealt
    ]
    dealt = dealt[np.argsort(place, kind="stable")]
    listed = np.repeat(np.arange(len(CRITERIA)), by_criterion)
    cells = np.bincount(listed * N_STRATA + dealt, minlength=len(CRITERIA) * N_STRATA)
    return cells.reshape(len(CRITERIA), N_STRATA)
