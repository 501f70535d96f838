"""From rows and scores to lists: every tie by item, whatever the order of rows and the size of blocks."""

import numpy as np
import pytest

from evalcore.evaluation.recommender import listing, scores
from evalcore.evaluation.recommender.listing import Pairs, first_places
from evalcore.evaluation.recommender.scores import scored
from evalcore.recommendations import ItemLists, ScoreMatrix
from evalcore.tallies.places import best_first, by_code
from evalcore.tallies.recommended import ByUser

N_USERS, N_ITEMS = 9, 12


@pytest.fixture(params=[1, 7, 1 << 18])
def in_blocks(request, monkeypatch):
    """Blocks of a user, of some rows, and of everything."""
    monkeypatch.setattr(listing, "BLOCK_ROWS", request.param)
    monkeypatch.setattr(scores, "BLOCK_CELLS", request.param)


def by_user(mask):
    return ByUser(mask.sum(axis=1), {"item": np.nonzero(mask)[1].astype(np.int32)})


def pairs_in(mask):
    return Pairs.of(*np.nonzero(mask), *mask.shape)[0]


def made(seed):
    """Whole numbers as scores, so that many are equal; NaN in places, and a user without any."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 1 + seed % 5, (N_USERS, N_ITEMS)).astype(np.float32)
    values[rng.random(values.shape) < 0.2] = np.nan
    values[seed % N_USERS] = np.nan
    train, relevant = rng.random((2, N_USERS, N_ITEMS)) < 0.25
    return values, train, relevant, rng


def plain_lists(values, train, depth):
    """Item codes of each user, best first, by a sort of Python."""
    return [
        sorted(
            np.flatnonzero(~np.isnan(row) & ~known).tolist(), key=lambda item, row=row: (-row[item], item)
        )[:depth]
        for row, known in zip(values, train, strict=True)
    ]


def lists_in(shown):
    return [part.tolist() for part in np.split(shown.lists["item"], np.cumsum(shown.lists.n)[:-1])]


@pytest.mark.parametrize("depth", [1, 3, 20])
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.usefixtures("in_blocks")
def test_lists_of_shuffled_rows_are_best_first_with_equal_scores_by_item(seed, depth):
    values, train, _, rng = made(seed)
    user, item = np.nonzero(~np.isnan(values))
    order = rng.permutation(len(user))
    rows = ItemLists(user[order], item[order], values[user, item][order].astype(float), has_scores=True)
    shown = first_places(rows, N_USERS, N_ITEMS, pairs_in(train), depth)
    assert lists_in(shown) == plain_lists(values, train, depth)
    assert shown.n_ranked.tolist() == (~np.isnan(values) & ~train).sum(axis=1).tolist()
    assert shown.has_list.tolist() == (~np.isnan(values)).any(axis=1).tolist()


@pytest.mark.parametrize("is_matrix", [True, False])
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.usefixtures("in_blocks")
def test_lists_and_areas_of_scores_are_those_of_plain_counts(seed, is_matrix):
    values, train, relevant, rng = made(seed)
    users = rng.permutation(N_USERS)
    model = ScoreMatrix(users, np.arange(N_ITEMS), values[users])
    if not is_matrix:
        user, item = np.nonzero(~np.isnan(values))
        model = ItemLists(user, item, values[user, item].astype(float), has_scores=True)
    found = scored(model, N_USERS, N_ITEMS, pairs_in(train), by_user(relevant), 3)
    assert lists_in(found.shown) == plain_lists(values, train, 3)
    below, equal = [], []
    for row, known, liked in zip(values, train, relevant, strict=True):
        own = np.where(known | np.isnan(row), -np.inf, row)
        negatives = own[~known & ~liked]
        for score in own[liked]:
            has_any = np.isfinite(own).any()
            below.append(int((negatives < score).sum()) if has_any else 0)
            equal.append(int((negatives == score).sum()) if has_any else 0)
    assert found.below.tolist() == below
    assert found.equal.tolist() == equal
    assert found.n_negatives.tolist() == (~train & ~relevant).sum(axis=1).tolist()


@pytest.mark.parametrize("n_scores", [2, 40, None])
@pytest.mark.parametrize("n_items", [1, 64, 700, 4100])
@pytest.mark.parametrize("depth", [1, 5, 50, 5000])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_lists_and_areas_of_a_matrix_are_those_of_a_full_sort(n_scores, n_items, depth, kind):
    """Few and many relevant items, few and many equal scores, the best in any columns, sums above a byte."""
    rng = np.random.default_rng(n_items + depth)
    n_users = 7
    values = (
        rng.normal(size=(n_users, n_items))
        if n_scores is None
        else rng.integers(0, n_scores, (n_users, n_items))
    )
    values = values.astype(kind)
    values[rng.random(values.shape) < rng.choice([0, 0.3, 0.99], n_users)[:, None]] = np.nan
    values[0], values[1], values[2, ::2], values[3] = np.nan, 3, -np.inf, np.arange(n_items)
    train, relevant = (
        rng.random(values.shape) < rng.choice([0, 0.01, 0.4], n_users)[:, None] for _ in range(2)
    )
    train[1], relevant[1] = False, np.arange(n_items) % 500 == 3  # compared with thousands of equal ones
    given = values.copy()
    found = scored(
        ScoreMatrix(np.arange(n_users), np.arange(n_items), values),
        n_users,
        n_items,
        pairs_in(train),
        by_user(relevant),
        depth,
    )
    assert np.array_equal(values, given, equal_nan=True)
    items, below, equal = [], [], []
    for row, known, liked in zip(values, train, relevant, strict=True):
        scored_items = np.flatnonzero(~np.isnan(row) & ~known)
        items.append(scored_items[np.argsort(-row[scored_items], kind="stable")][:depth].tolist())
        # A score below all others stands for none; nothing is below anything where there is no score.
        place = np.where(np.isnan(row) | known, -1, np.unique(row, return_inverse=True)[1])
        negatives = np.sort(place[~known & ~liked]) if len(scored_items) else []
        low, high = (np.searchsorted(negatives, place[liked], side) for side in ("left", "right"))
        below += low.tolist()
        equal += (high - low).tolist()
    assert lists_in(found.shown) == items
    shown = [values[user][own] for user, own in enumerate(items)]
    assert found.shown.lists["score"].tolist() == np.concatenate(shown).tolist()
    assert found.below.tolist() == below
    assert found.equal.tolist() == equal


def test_nobody_with_scores_has_no_list():
    none = np.zeros((2, 3), bool)
    model = ScoreMatrix(np.zeros(0, int), np.arange(3), np.zeros((0, 3)))
    found = scored(model, 2, 3, pairs_in(none), by_user(none), 5)
    assert found.shown.n_ranked.tolist() == [0, 0]
    assert not found.shown.has_list.any()


def test_pairs_are_found_among_many_others():
    rng = np.random.default_rng(0)
    key = np.unique(rng.integers(0, 1 << 40, 1000))
    pairs = Pairs(key, key, key)
    asked = np.concatenate([rng.integers(0, 1 << 40, 5000), key[::7]])
    place, at = pairs.find(asked)
    assert place.tolist() == np.flatnonzero(np.isin(asked, key)).tolist()
    assert (key[at] == asked[place]).all()


def test_rows_by_code_stay_in_order_within_one():
    code = np.random.default_rng(1).integers(0, 5, 200)
    assert by_code(code, 7).tolist() == np.argsort(code, kind="stable").tolist()


@pytest.mark.parametrize("n_scores", [1, 3, 100])
def test_equal_scores_stand_by_what_settles_them(n_scores):
    rng = np.random.default_rng(2)
    query, score = rng.integers(0, 9, 300), rng.integers(0, n_scores, 300) * 1.0
    settles = rng.permutation(300)
    assert best_first(query, score, settles).tolist() == np.lexsort((settles, -score, query)).tolist()


@pytest.mark.parametrize("n_scores", [1, 3, 100])
def test_lists_of_one_length_are_best_first_too(n_scores):
    rng = np.random.default_rng(3)
    query, score = np.repeat(np.arange(20), 15), rng.integers(0, n_scores, 300) * 1.0
    settles = rng.permutation(300)
    assert best_first(query, score, settles).tolist() == np.lexsort((settles, -score, query)).tolist()
