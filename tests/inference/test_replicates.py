"""Replicates of the tallies: every one as if its rows stood there as often as their post is drawn."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sk

from evalcore.drawn.post_values import PostValues, totals_together
from evalcore.drawn.replicates import (
    BLOCK_BYTES,
    Resampling,
    confusion,
    means,
    quantiles,
    score_table,
    state_work,
)
from evalcore.drawn.weights import hashes, poisson_weights
from evalcore.metrics import calibration, classification, gate, ranking
from evalcore.tallies.decisions import confusion_at, states_at
from evalcore.tallies.scores import ScoredRows, ScoreTable
from tests.support.made.rankings import ranked

N_POSTS = 40
IDS = [f"s_{code}" for code in range(N_POSTS)]
FPRS = (0.01, 0.03, 0.05, 0.1)


@pytest.fixture(scope="module")
def rows():
    """400 rows of 40 posts, scores with many ties, a fifth positive."""
    rng = np.random.default_rng(3)
    is_positive = rng.random(400) < 0.2
    score = np.round(np.clip(rng.beta(2, 5, 400) + 0.2 * is_positive, 0, 1), 2)
    return ScoredRows(score, is_positive, rng.integers(0, N_POSTS, 400), N_POSTS)


@pytest.fixture(scope="module")
def weights():
    return Resampling.of(hashes(IDS), 60, 5).weights()


small_rows = st.lists(
    st.tuples(st.sampled_from([-0.0, 0.0, 0.2, 0.4, 0.4000001, 0.9, 1.0]), st.booleans(), st.integers(0, 3)),
    min_size=1,
    max_size=14,
)


def scored_rows(listed):
    score, label, post = zip(*listed, strict=True)
    return ScoredRows(np.array(score), np.array(label), np.array(post, np.intp), 4)


def repeated(rows, drawn):
    """The rows themselves, each as often as its post is drawn."""
    at = np.repeat(np.arange(len(rows)), drawn[rows.post].astype(int))
    return ScoredRows(rows.score[at], rows.is_positive[at], rows.post[at], rows.n_posts)


@given(listed=small_rows, seed=st.integers(0, 1000))
def test_every_tally_equals_that_of_the_repeated_rows(listed, seed):
    rows = scored_rows(listed)
    weights = poisson_weights("abcd", seed=seed, start=0, stop=6).astype(float)
    tables = score_table(rows, weights)
    at_04 = confusion(rows, 0.4, weights)
    states = totals_together([state_work(rows, rows.score < 0.2, rows.score >= 0.9)], weights)[0]
    for replicate, drawn in enumerate(weights):
        own = ScoreTable.from_rows(repeated(rows, drawn))
        n_pos, n_neg = tables.n_pos[replicate], tables.n_neg[replicate]
        held = n_pos + n_neg > 0
        assert tables.score[held].tolist() == own.score.tolist()
        assert (n_pos[held].tolist(), n_neg[held].tolist()) == (own.n_pos.tolist(), own.n_neg.tolist())
        expected = confusion_at(own, 0.4)
        for cell in ("true_pos", "false_pos", "false_neg", "true_neg"):
            assert getattr(at_04, cell)[replicate] == getattr(expected, cell)
        expected = states_at(own, 0.2, 0.9)
        for cell in ("neg_pos", "neg_neg", "uncertain_pos", "uncertain_neg", "pos_pos", "pos_neg"):
            assert getattr(states, cell)[replicate] == getattr(expected, cell)


def by_sample_weight(rows, drawn):
    """What scikit-learn makes of the same weights of rows."""
    weight = drawn[rows.post]
    label, score = rows.is_positive, rows.score
    fpr, tpr, _ = sk.roc_curve(label, score, sample_weight=weight, drop_intermediate=False)
    n_neg = weight[~label].sum()
    called = score >= 0.5
    return {
        "auroc": sk.roc_auc_score(label, score, sample_weight=weight),
        "auprc": sk.average_precision_score(label, score, sample_weight=weight),
        "brier": sk.brier_score_loss(label, score, sample_weight=weight),
        "log_loss": sk.log_loss(label, np.clip(score, 1e-6, 1 - 1e-6), sample_weight=weight),
        "f1": sk.f1_score(label, called, sample_weight=weight),
        "mcc": sk.matthews_corrcoef(label, called, sample_weight=weight),
        # a budget of α·n⁻ queries, compared in whole numbers
        **{f"tpr_{at}": tpr[np.round(fpr * n_neg) <= np.floor(at * n_neg + 1e-9)].max() for at in FPRS},
    }


def ours(rows, weights):
    table = score_table(rows, weights)
    called = confusion(rows, 0.5, weights)
    return {
        "auroc": classification.auroc(table),
        "auprc": classification.auprc(table),
        "brier": calibration.brier(table),
        "log_loss": calibration.log_loss(table),
        "f1": classification.f1(called),
        "mcc": classification.mcc(called),
        **{f"tpr_{at}": classification.tpr_at_fpr(table, fpr=at).value for at in FPRS},
    }


def values_of(result):
    return np.asarray(getattr(result, "value", result), float)


def test_metrics_over_replicates_equal_scikit_learn_with_sample_weight(rows, weights):
    found = {name: values_of(values) for name, values in ours(rows, weights).items()}
    for replicate, drawn in enumerate(weights):
        for name, value in by_sample_weight(rows, drawn).items():
            assert found[name][replicate] == pytest.approx(value, rel=0, abs=1e-12), name


def test_a_replicate_with_one_class_is_undefined_and_no_zero():
    rows = ScoredRows(np.array([0.1, 0.9]), np.array([False, True]), np.array([0, 1]), 2)
    table = score_table(rows, np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [2.0, 3.0]]))
    assert np.isnan(classification.auroc(table)).tolist() == [True, True, True, False]
    assert np.isnan(calibration.brier(table)).tolist() == [False, False, True, False]
    work = state_work(rows, np.array([True, False]), np.array([False, True]))
    (states,) = totals_together([work], np.array([[1.0, 0.0]]))
    assert np.isnan(gate.screening_sensitivity(states).value).tolist() == [True]


@given(
    values=st.lists(
        st.tuples(st.floats(-5, 5) | st.just(np.nan), st.integers(0, 3)), min_size=1, max_size=12
    ),
    seed=st.integers(0, 100),
)
def test_a_mean_is_that_of_the_repeated_values(values, seed):
    value, unit = (np.array(column) for column in zip(*values, strict=True))
    weights = poisson_weights("abcd", seed=seed, start=0, stop=8).astype(float)
    for found, drawn in zip(means(value[:, None], unit, 4, weights)[:, 0], weights, strict=True):
        own = np.repeat(value, drawn[unit].astype(int))
        own = own[~np.isnan(own)]
        expected = np.mean(own) if len(own) else np.nan
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-13, nan_ok=True)


def test_the_mean_of_a_constant_is_that_constant(weights):
    """To 2⁻⁵⁰ of the largest value, the fineness of the sums; to the bit where it needs no finer one."""
    unit = np.arange(N_POSTS)
    for constant in (0.1, 1 / 3, 123.456):
        found = means(np.full((N_POSTS, 1), constant), unit, N_POSTS, weights)
        assert found == pytest.approx(np.full((60, 1), constant), rel=2**-49)
    for constant in (0.0, 0.375, 1.0):
        assert set(means(np.full((N_POSTS, 1), constant), unit, N_POSTS, weights)[:, 0]) == {constant}


@given(
    values=st.lists(
        st.tuples(st.sampled_from([0.0, 0.25, 1.0, 7.0, np.nan]), st.integers(0, 3)), min_size=1, max_size=12
    ),
    seed=st.integers(0, 100),
    q=st.sampled_from([0, 0.1, 0.5, 0.9, 1]),
)
def test_a_quantile_is_the_linear_one_of_the_repeated_values(values, seed, q):
    value, unit = (np.array(column) for column in zip(*values, strict=True))
    weights = poisson_weights("abcd", seed=seed, start=0, stop=8).astype(float)
    for found, drawn in zip(quantiles(value, unit, weights, [q])[:, 0], weights, strict=True):
        own = np.repeat(value, drawn[unit].astype(int))
        own = own[~np.isnan(own)]
        expected = np.quantile(own, q) if len(own) else np.nan
        assert found == pytest.approx(expected, rel=1e-12, nan_ok=True)


def test_ranking_means_are_those_of_queries_repeated_with_their_post():
    """12 queries, two a post: mean recall, MRR, MAP and nDCG at 2 against the queries written out again."""
    rng = np.random.default_rng(1)
    gold = {f"q{at}": dict.fromkeys(rng.permutation(list("abcd"))[: 1 + at % 2], 1) for at in range(12)}
    lists = {f"q{at}": rng.permutation(list("abcdef"))[:4] for at in range(12)}
    post = np.arange(12) // 2
    weights = poisson_weights(map(str, range(6)), seed=4, start=0, stop=25).astype(float)
    kinds = (ranking.recall, ranking.mrr, ranking.average_precision, ranking.ndcg)

    def queries_of(drawn):
        rows = [
            (f"{query}#{copy}", str(item), -float(place))
            for at, (query, items) in enumerate(lists.items())
            for copy in range(int(drawn[post[at]]))
            for place, item in enumerate(items)
        ]
        golds = {
            f"{query}#{copy}": gold[query]
            for at, query in enumerate(gold)
            for copy in range(int(drawn[post[at]]))
        }
        return ranked(golds, rows)

    once = queries_of(np.ones(6))
    for kind in kinds:
        found = means(kind(once, k=2).values[:, None], post, 6, weights)[:, 0]
        for value, drawn in zip(found, weights, strict=True):
            expected = kind(queries_of(drawn), k=2).values.mean() if drawn.any() else np.nan
            assert value == pytest.approx(expected, rel=0, abs=1e-12, nan_ok=True)


def test_order_of_rows_and_of_posts_changes_no_bit(rows, weights):
    order = np.random.default_rng(0).permutation(len(rows))
    renamed = np.random.default_rng(1).permutation(N_POSTS)  # the post with code c gets the code renamed[c]
    ids = np.empty(N_POSTS, object)
    ids[renamed] = IDS
    moved = ScoredRows(rows.score[order], rows.is_positive[order], renamed[rows.post[order]], N_POSTS)
    moved_weights = Resampling.of(hashes(ids), 60, 5).weights()
    for before, after in zip(ours(rows, weights).values(), ours(moved, moved_weights).values(), strict=True):
        assert np.array_equal(values_of(before), values_of(after))
    value = np.random.default_rng(2).random(len(rows))
    assert np.array_equal(
        means(value[:, None], rows.post, N_POSTS, weights),
        means(value[order, None], moved.post, N_POSTS, moved_weights),
    )
    assert np.array_equal(
        quantiles(value, rows.post, weights, [0.9]), quantiles(value[order], moved.post, moved_weights, [0.9])
    )


def test_blocks_of_replicates_are_the_replicates(rows, weights):
    n_cells = BLOCK_BYTES // (8 * 7)  # seven replicates fit
    blocks = list(Resampling.of(hashes(IDS), 60, 5).blocks(n_cells))
    assert [len(block) for block in blocks] == [7] * 8 + [4]
    assert np.array_equal(np.concatenate(blocks), weights)
    parts = [score_table(rows, block).n_pos for block in blocks]
    assert np.array_equal(np.concatenate(parts), score_table(rows, weights).n_pos)


def test_a_group_shares_the_weights_of_the_whole(rows, weights):
    """Posts keep their codes, so that the replicates of parts add up to those of the whole."""
    half = np.arange(len(rows)) % 2 == 0
    parts = [confusion(rows.where(mask), 0.5, weights).true_pos for mask in (half, ~half)]
    assert np.array_equal(parts[0] + parts[1], confusion(rows, 0.5, weights).true_pos)


def test_draws_of_a_byte_are_summed_exactly_without_becoming_floats_together():
    n_posts, n_replicates = 3000, 1000
    rng = np.random.default_rng(0)
    values = PostValues.from_rows(
        rng.integers(0, 1000, (n_posts, 3)).astype(float), np.arange(n_posts), n_posts
    )
    drawn = Resampling.of(rng.integers(0, 2**63, n_posts).astype(np.uint64), n_replicates, 0).weights()
    tracemalloc.start()
    totals = values.totals(drawn)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert drawn.dtype == np.uint8
    assert np.array_equal(totals, drawn.astype(np.int64) @ values.parts[0].T.astype(np.int64))
    assert peak < drawn.size * np.float64().nbytes / 4
