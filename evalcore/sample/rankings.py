"""Synthetic candidates with two scores and their gold, and the ranked lists that follow from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from evalcore.sample.draws import apportioned, bell, rank_within, shuffled, stream
from evalcore.sample.posts import CRITERIA, PUBLISHED_POSTS, Posts, draw_posts
from evalcore.sample.probabilities import id_columns

LIST_LENGTH = 20
# Positive queries with 1, 2, … 6 gold sentences, and those with one that is not among the candidates.
GOLD_COUNTS = (1247, 100, 22, 6, 3, 1)
ABSENT_GOLD = (20, 1359)  # with, without


@dataclass(frozen=True)
class Score:
    """A score over candidates: its scale, and how far it lifts a gold sentence above the others.

    Parameters
    ----------
    decimals : decimals kept; scores tie where they agree.
    mean, sd : of a sentence without evidence.
    lift, spread : mean and standard deviation, in ``sd``, by which a gold sentence scores higher.
    query_sd : standard deviation, in ``sd``, of what all candidates of a query share.
    """

    name: str
    decimals: int
    mean: float
    sd: float
    lift: float
    spread: float
    query_sd: float


SCORES = (
    Score("retriever", 4, 0.43, 0.07, lift=1.3, spread=0.9, query_sd=0.5),
    Score("reranker", 3, -3.2, 1.6, lift=1.5, spread=0.9, query_sd=0.5),
)
LISTS = {"retriever_topk": "retriever", "reranked_topk": "reranker"}
# Of a sentence: what both scores see, and what each sees alone; together of variance 1.
SHARED_NOISE = np.float32(0.6)
OWN_NOISE = np.float32(0.8)


@dataclass(frozen=True)
class Candidates:
    """All candidates of all queries, sentences in the order of their post.

    Parameters
    ----------
    query, sentence : integer codes, shape (R,); a sentence is numbered within its post from 0.
    first : row of the first candidate of each query, shape (Q,).
    is_gold : bool, shape (R,).
    absent_gold : bool, shape (Q,): the query has one more gold sentence, which is not a candidate.
    scores : name → whole numbers of the last kept decimal, shape (R,).
    """

    query: Any
    sentence: Any
    first: Any
    is_gold: Any
    absent_gold: Any
    scores: dict[str, Any]


def candidates(n_posts: int = PUBLISHED_POSTS, seed: int = 0) -> Any:
    """One row per (post, criterion, sentence), not sorted by any score.

    Parameters
    ----------
    n_posts : at least 1.
    seed : at least 0.

    Returns
    -------
    DataFrame: post_id, criterion_id, sent_uid, is_gold (0, 1), retriever (a similarity with four decimals),
    reranker (a logit with three decimals, mostly negative). A few gold sentences are no candidates: they
    stand in the ranked lists' gold only.
    """
    posts = draw_posts(n_posts, seed)
    drawn = draw_candidates(posts, seed)
    sentence = posts.first_sentence[drawn.query // len(CRITERIA)] + drawn.sentence
    ids = {name: column[drawn.query] for name, column in id_columns(posts).items()}
    return pd.DataFrame(
        {
            **ids,
            "sent_uid": pd.Categorical.from_codes(sentence, _sentence_ids(posts)),
            "is_gold": drawn.is_gold.astype(np.int8),
            **{score.name: drawn.scores[score.name] / 10**score.decimals for score in SCORES},
        }
    )


def ranked_lists(n_posts: int = PUBLISHED_POSTS, seed: int = 0) -> Any:
    """One row per (post, criterion): its gold and the best 20 candidates by each score.

    Ties in a score are broken as trec_eval does: by sentence id, descending.

    Parameters
    ----------
    n_posts : at least 1.
    seed : at least 0.

    Returns
    -------
    DataFrame: post_id, criterion_id, gold_ids, retriever_topk, reranked_topk; ids joined by ``|``, best
    first, empty text where there is no gold.
    """
    posts = draw_posts(n_posts, seed)
    drawn = draw_candidates(posts, seed)
    return pd.DataFrame(
        {
            **id_columns(posts),
            "gold_ids": _joined_gold(posts, drawn),
            **{column: _joined_best(posts, drawn, drawn.scores[name]) for column, name in LISTS.items()},
        }
    )


def draw_candidates(posts: Posts, seed: int) -> Candidates:
    """Candidates of every query of ``posts``: the post's sentences, with gold and scores."""
    n_candidates = np.repeat(posts.n_sentences, len(CRITERIA))
    first = np.cumsum(n_candidates) - n_candidates
    query = np.repeat(np.arange(posts.n_queries), n_candidates)
    sentence = np.arange(len(query)) - first[query]
    is_gold, absent_gold = _gold(posts, seed, query, n_candidates)
    return Candidates(
        query, sentence, first, is_gold, absent_gold, _scores(seed, query, is_gold, posts.n_queries)
    )


def _gold(posts: Posts, seed: int, query: Any, n_candidates: Any) -> tuple[Any, Any]:
    """Gold among the candidates, shape (R,), and queries with one more gold outside them, shape (Q,)."""
    bits = stream(seed, "gold")
    positives = np.flatnonzero(posts.has_evidence)
    n_gold = np.zeros(posts.n_queries, dtype=np.int64)
    n_gold[positives] = _gold_counts(bits, n_candidates[positives])
    n_absent = apportioned(len(positives), ABSENT_GOLD)[0]
    absent = np.zeros(posts.n_queries, dtype=bool)
    absent[positives[shuffled(bits, len(positives))[:n_absent]]] = True
    rows = np.flatnonzero(n_gold[query] > 0)
    is_gold = np.zeros(len(query), dtype=bool)
    is_gold[rows] = rank_within(query[rows], bits.random_raw(len(rows))) < (n_gold - absent)[query[rows]]
    return is_gold, absent


def _gold_counts(bits: np.random.PCG64, n_candidates: Any) -> Any:
    """Gold sentences per positive query; several only where at most half of the candidates become gold."""
    counts = apportioned(len(n_candidates), GOLD_COUNTS)
    n_gold = np.ones(len(n_candidates), dtype=np.int64)
    order = shuffled(bits, len(n_candidates))
    for several in range(len(GOLD_COUNTS), 1, -1):
        free = order[(n_gold[order] == 1) & (n_candidates[order] >= 2 * several)]
        n_gold[free[: counts[several - 1]]] = several
    return n_gold


def _scores(seed: int, query: Any, is_gold: Any, n_queries: int) -> dict[str, Any]:
    """Every score of every candidate as whole numbers of its last decimal."""
    bits = stream(seed, "scores")
    gold = np.flatnonzero(is_gold)
    of_sentence = SHARED_NOISE * bell(bits, len(query))
    found = bell(bits, len(gold))
    scores = {}
    for score in SCORES:
        z = OWN_NOISE * bell(bits, len(query))
        z += of_sentence
        z += (np.float32(score.query_sd) * bell(bits, n_queries))[query]
        z[gold] += np.float32(score.lift) + np.float32(score.spread) * found
        value = (score.mean + score.sd * z.astype(np.float64)) * 10**score.decimals
        scores[score.name] = np.rint(value).astype(np.int64)
    return scores


def _sentence_ids(posts: Posts) -> Any:
    """Ids of all sentences that are candidates, posts in order, e.g. ``s_1019_797_0``."""
    ids = [
        f"{post}_{i}"
        for post, n in zip(posts.post_id, posts.n_sentences.tolist(), strict=True)
        for i in range(n)
    ]
    return np.array(ids, dtype=object)


def _joined_gold(posts: Posts, drawn: Candidates) -> Any:
    """Gold ids of every query joined by ``|``; a gold that is no candidate is the sentence after the last."""
    n_criteria = len(CRITERIA)
    gold = np.flatnonzero(drawn.is_gold)
    absent = np.flatnonzero(drawn.absent_gold)
    query = np.concatenate([drawn.query[gold], absent])
    sentence = np.concatenate([drawn.sentence[gold], posts.n_sentences[absent // n_criteria]])
    joined = np.full(posts.n_queries, "", dtype=object)
    for q, s in zip(query.tolist(), sentence.tolist(), strict=True):
        uid = f"{posts.post_id[q // n_criteria]}_{s}"
        joined[q] = f"{joined[q]}|{uid}" if joined[q] else uid
    return joined


def _joined_best(posts: Posts, drawn: Candidates, score: Any) -> Any:
    """The best candidates of every query by ``score``, ids joined by ``|``."""
    sentence = posts.first_sentence[drawn.query // len(CRITERIA)] + _by_score(drawn, score)
    ranked = _sentence_ids(posts)[sentence]
    ends = np.append(drawn.first[1:], len(ranked))
    stops = np.minimum(drawn.first + LIST_LENGTH, ends)
    joined = ["|".join(ranked[a:b]) for a, b in zip(drawn.first.tolist(), stops.tolist(), strict=True)]
    return np.array(joined, dtype=object)


def _by_score(drawn: Candidates, score: Any) -> Any:
    """Sentence numbers, queries in order and best first, shape (R,).

    One integer holds query, score and id, so that a plain sort of values replaces three sorted columns; the
    lowest eight bits are the sentence's place in descending order of its number as text.
    """
    by_text = np.array(sorted(range(256), key=str, reverse=True))
    place = np.argsort(by_text, kind="stable")
    below_best = (score.max() - score) << 8
    width = int(below_best.max() | 255).bit_length()
    key = np.sort((drawn.query << width) | below_best | place[drawn.sentence])
    return by_text[key & 255]
