"""What the explorer is fed equals a plain count over the rows at every threshold."""

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalcore.inference.binomial import clopper_pearson, lower_bound
from evalcore.inference.clustered import ClusterSums, linearised, share_interval
from evalcore.inference.correlation import ScoreCorrelation
from evalcore.inference.verdicts import VERDICTS, verdict
from evalcore.operating_point.tradeoff import points
from evalcore.operating_point.tradeoff.table import Targets, Tradeoff, compute_tradeoff
from evalcore.tallies.decisions import states_at
from evalcore.tallies.scores import ScoredRows, ScoreTable

N_POSTS, N_CRITERIA = 60, 5


def made_rows(seed: int = 0, n_posts: int = N_POSTS) -> ScoredRows:
    """Rows with ties, plateaus at 0 and 1, and every post with every criterion."""
    rng = np.random.default_rng(seed)
    n = n_posts * N_CRITERIA
    is_positive = rng.random(n) < 0.2
    score = np.where(is_positive, rng.beta(2, 2, n), rng.beta(0.4, 4, n)).round(2)
    score[rng.random(n) < 0.1] = 0.0
    score[:2] = [1.0, -0.0]
    return ScoredRows(score, is_positive, np.repeat(np.arange(n_posts), N_CRITERIA), n_posts)


def plain_count(rows: ScoredRows, threshold: float) -> dict[str, int]:
    """Every count below a threshold, row by row."""
    is_below = rows.score < threshold
    missed = {int(post) for post in rows.post[is_below & rows.is_positive]}
    opened = {int(post) for post in rows.post[~is_below]}
    return {
        "pos_below": int((is_below & rows.is_positive).sum()),
        "neg_below": int((is_below & ~rows.is_positive).sum()),
        "posts_missed": len(missed),
        "posts_unopened": len({int(post) for post in rows.post} - opened),
    }


def counts_at(tradeoff: Tradeoff, index: int) -> dict[str, int]:
    names = ("pos_below", "neg_below", "posts_missed", "posts_unopened")
    return {name: int(getattr(tradeoff, name)[index]) for name in names}


def test_counts_at_every_threshold_equal_a_plain_count() -> None:
    rows = made_rows()
    tradeoff = compute_tradeoff(rows)
    for index, threshold in enumerate([*tradeoff.threshold, np.inf]):
        assert counts_at(tradeoff, index) == plain_count(rows, threshold)


def test_counts_equal_the_states_of_the_gate() -> None:
    rows = made_rows()
    tradeoff, table = compute_tradeoff(rows), ScoreTable.from_rows(rows)
    for tau_neg, tau_pos in ((0.05, 0.5), (0.2, 0.2), (0.0, 1.0), (0.123, 0.777)):
        low, high = tradeoff.index(tau_neg), tradeoff.index(tau_pos)
        states = states_at(table, tau_neg, tau_pos)
        assert tradeoff.pos_below[low] == states.neg_pos
        assert tradeoff.neg_below[low] == states.neg_neg
        assert tradeoff.n_pos - tradeoff.pos_below[high] == states.pos_pos


@pytest.mark.parametrize(
    ("threshold", "n_below"),
    [(0.2, 1), (0.3, 4), (0.30000000000000004, 5), (0.31, 6), (0.8, 6), (1.0, 8), (np.inf, 9)],
)
def test_threshold_equal_to_a_score_does_not_take_the_score_in(threshold: float, n_below: int) -> None:
    """0.3 and 0.30000000000000004 are two scores, and rows at the threshold are not below it."""
    score = np.array([0.2, 0.2, 0.2, 0.8, 0.8, 1.0, 0.0, 0.3, 0.30000000000000004])
    is_positive = np.array([1, 0, 0, 1, 0, 1, 0, 1, 1], bool)
    tradeoff = compute_tradeoff(ScoredRows(score, is_positive, np.arange(9), 9))
    at = tradeoff.index(threshold)
    assert tradeoff.pos_below[at] + tradeoff.neg_below[at] == n_below == (score < threshold).sum()


@settings(max_examples=50)
@given(
    score=st.lists(
        st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0]) | st.floats(0, 1), min_size=1, max_size=40
    ),
    seed=st.integers(0, 99),
    threshold=st.floats(0, 1),
)
def test_any_threshold_counts_like_the_rows(score: list[float], seed: int, threshold: float) -> None:
    rng = np.random.default_rng(seed)
    n = len(score)
    rows = ScoredRows(np.array(score), rng.random(n) < 0.4, rng.integers(0, 7, n), 7)
    tradeoff = compute_tradeoff(rows)
    assert counts_at(tradeoff, tradeoff.index(threshold)) == plain_count(rows, threshold)


def test_shown_threshold_decides_like_the_score_it_stands_for() -> None:
    rows = made_rows()
    tradeoff = compute_tradeoff(rows)
    for score, threshold in zip(tradeoff.score, tradeoff.threshold, strict=True):
        np.testing.assert_array_equal(rows.score < score, rows.score < threshold)


def sums_by_hand(
    rows: ScoredRows, is_case: np.ndarray, is_success: np.ndarray, correlation: float = 1.0
) -> ClusterSums:
    """The sums over posts of one share, post by post."""
    success = is_success & is_case
    return ClusterSums.from_rows(success, is_case, rows.post, rows.n_posts, correlation=correlation)


def test_bounds_at_every_threshold_are_those_of_the_sums_over_posts() -> None:
    rows = made_rows()
    targets = Targets(sensitivity=0.9, precision=0.8, sensitivity_confidence=0.9, precision_confidence=0.99)
    tradeoff = compute_tradeoff(rows, targets=targets)
    correlation = ScoreCorrelation.of(rows.score[rows.is_positive], rows.post[rows.is_positive])
    prevalence = rows.is_positive.mean()
    assert 0 < correlation.low < correlation.high < 1
    for index, threshold in enumerate([*tradeoff.threshold, np.inf]):
        is_kept, every = rows.score >= threshold, np.ones(len(rows), bool)
        is_failure_rarer = 2 * (rows.is_positive & is_kept).sum() >= rows.is_positive.sum()
        alike = correlation.low if is_failure_rarer else correlation.high
        kept = sums_by_hand(rows, rows.is_positive, is_kept, alike)
        right = sums_by_hand(rows, is_kept, rows.is_positive)
        expected = [
            (tradeoff.sensitivity_interval, share_interval(kept)),
            (tradeoff.workload_interval, linearised(sums_by_hand(rows, every, is_kept))),
            (tradeoff.precision_interval, share_interval(right)),
        ]
        for found, wanted in expected:
            np.testing.assert_allclose(found.low[index], wanted.low, rtol=1e-12)
            np.testing.assert_allclose(found.high[index], wanted.high, rtol=1e-12)
        found, wanted = tradeoff.missed_interval, share_interval(kept)
        np.testing.assert_allclose(found.low[index], prevalence * (1 - wanted.high), atol=1e-15)
        np.testing.assert_allclose(found.high[index], prevalence * (1 - wanted.low), atol=1e-15)
        low = share_interval(kept, confidence=0.9, sides=1)
        np.testing.assert_allclose(tradeoff.missed_high[index], prevalence * (1 - low.low), atol=1e-15)
        np.testing.assert_allclose(tradeoff.sensitivity_low[index], low.low, rtol=1e-12)
        assert tradeoff.sensitivity_assumed[index] == low.is_independence_assumed
        low = share_interval(right, confidence=0.99, sides=1)
        np.testing.assert_allclose(tradeoff.precision_low[index], low.low, rtol=1e-12)
    n_kept = tradeoff.n_pos - tradeoff.pos_below
    exact = clopper_pearson(n_kept, tradeoff.n_pos, confidence=0.9, sides=1).low
    np.testing.assert_allclose(tradeoff.sensitivity_low_if_independent, exact, rtol=1e-12)
    assert "Korn–Graubard" in tradeoff.bound_method


def test_rows_without_posts_have_exact_bounds() -> None:
    rows = made_rows()
    alone = ScoredRows(rows.score, rows.is_positive, np.arange(len(rows)), len(rows))
    tradeoff = compute_tradeoff(alone)
    n_kept = tradeoff.n_pos - tradeoff.pos_below
    exact = clopper_pearson(n_kept, tradeoff.n_pos, sides=1).low
    np.testing.assert_allclose(tradeoff.sensitivity_low, exact, rtol=1e-12)
    assert "Clopper–Pearson" in tradeoff.bound_method


def test_precision_is_undefined_and_not_met_without_alerts() -> None:
    tradeoff = compute_tradeoff(made_rows())
    assert np.isnan(tradeoff.precision_low[-1])
    assert VERDICTS[tradeoff.precision_verdict[-1]] == "not_met"


def test_nothing_skipped_makes_no_claim() -> None:
    tradeoff = compute_tradeoff(made_rows(), targets=Targets(sensitivity=0.5))
    assert VERDICTS[tradeoff.sensitivity_verdict[0]] == "not_assessed"
    assert VERDICTS[tradeoff.sensitivity_verdict[1]] == "met_with_confidence"


def test_precision_chosen_on_the_same_rows_is_never_met_with_confidence() -> None:
    rows = made_rows()
    targets = Targets(precision=0.3)
    chosen_here = compute_tradeoff(rows, targets=targets).precision_verdict
    elsewhere = compute_tradeoff(rows, targets=targets, is_chosen_here=False).precision_verdict
    with_confidence, point_only = map(VERDICTS.index, ("met_with_confidence", "met_point_only"))
    assert with_confidence in elsewhere
    assert with_confidence not in chosen_here
    np.testing.assert_array_equal(chosen_here, np.where(elsewhere == with_confidence, point_only, elsewhere))


def test_one_class_has_no_sensitivity() -> None:
    rows = ScoredRows(np.array([0.1, 0.5, 0.9]), np.zeros(3, bool), np.arange(3), 3)
    tradeoff = compute_tradeoff(rows, targets=Targets(missed_per_1000=5))
    assert tradeoff.n_pos == 0
    assert np.isnan(tradeoff.sensitivity_low).all()
    assert {VERDICTS[code] for code in tradeoff.sensitivity_verdict} == {"not_assessed"}
    assert {VERDICTS[code] for code in tradeoff.missed_verdict} == {"not_assessed"}


def test_one_row_with_evidence_may_be_missed_altogether() -> None:
    tradeoff = compute_tradeoff(ScoredRows(np.array([0.5]), np.ones(1, bool), np.zeros(1, np.intp), 1))
    assert tradeoff.missed_interval.high.tolist() == pytest.approx([0.975, 1.0])


def test_order_of_rows_changes_nothing() -> None:
    rows = made_rows()
    order = np.random.default_rng(1).permutation(len(rows))
    shuffled = ScoredRows(rows.score[order], rows.is_positive[order], rows.post[order], rows.n_posts)
    one, other = compute_tradeoff(rows), compute_tradeoff(shuffled)
    assert one.data_id == other.data_id
    np.testing.assert_array_equal(one.posts_missed, other.posts_missed)


def test_posts_of_a_subset_are_those_it_has_rows_of() -> None:
    rows = made_rows()
    subset = rows.where(rows.post < 7)
    tradeoff = compute_tradeoff(subset)
    assert tradeoff.n_posts == 7
    assert tradeoff.posts_unopened[-1] == 7


def test_rows_without_posts_say_so() -> None:
    rows = ScoredRows(np.array([0.1, 0.5]), np.array([False, True]), np.arange(2), 2)
    assert not compute_tradeoff(rows).has_posts
    assert compute_tradeoff(made_rows()).has_posts


def test_beyond_the_cap_a_grid_of_the_datas_own_scores_counts_exactly(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = made_rows(n_posts=400)
    score = rows.score + np.random.default_rng(2).uniform(0, 0.001, len(rows))
    rows = ScoredRows(score, rows.is_positive, rows.post, rows.n_posts)
    full = compute_tradeoff(rows)
    monkeypatch.setattr(points, "MAX_SCORES", 500)
    monkeypatch.setattr(points, "GRID_POINTS", 101)
    typed = float(np.median(score)) + 1e-9
    grid = compute_tradeoff(rows, also=(typed, 5.0))
    assert grid.is_grid
    assert not full.is_grid
    assert len(grid.score) <= 205
    assert set(grid.score) <= set(full.score)
    assert grid.data_id == full.data_id
    assert (grid.score[0], grid.score[-1]) == (full.score[0], full.score[-1])
    for index, threshold in enumerate([*grid.threshold, np.inf]):
        assert counts_at(grid, index) == plain_count(rows, threshold)
    at = grid.index(typed)
    assert grid.previous[at] < typed <= grid.score[at]
    assert counts_at(grid, at) == plain_count(rows, typed)


def test_bounds_on_a_grid_are_those_of_every_score_at_its_points(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = made_rows(n_posts=400)
    score = rows.score + np.random.default_rng(2).uniform(0, 0.001, len(rows))
    rows = ScoredRows(score, rows.is_positive, rows.post, rows.n_posts)
    targets = Targets(missed_per_1000=3.0)
    full = compute_tradeoff(rows, targets=targets)
    monkeypatch.setattr(points, "MAX_SCORES", 500)
    monkeypatch.setattr(points, "GRID_POINTS", 101)
    grid = compute_tradeoff(rows, targets=targets)
    at = np.append(np.searchsorted(full.score, grid.score), len(full.score))
    by_threshold = [
        field.name for field in fields(full) if np.shape(getattr(full, field.name)) == (len(full.score) + 1,)
    ]
    assert len(by_threshold) == 13
    for name in by_threshold:
        np.testing.assert_array_equal(getattr(grid, name), getattr(full, name)[at], err_msg=name)
    for name in ("sensitivity_interval", "missed_interval", "workload_interval", "precision_interval"):
        for end in ("low", "high"):
            of_grid, of_full = (getattr(getattr(one, name), end) for one in (grid, full))
            np.testing.assert_array_equal(of_grid, of_full[at], err_msg=name)
    np.testing.assert_array_equal(grid.threshold, full.threshold[at[:-1]])


def test_targets_do_not_change_the_name_of_the_data() -> None:
    rows = made_rows()
    other = ScoredRows(rows.score, ~rows.is_positive, rows.post, rows.n_posts)
    ids = [compute_tradeoff(rows).data_id, compute_tradeoff(rows, targets=Targets(0.9)).data_id]
    assert ids[0] == ids[1] != compute_tradeoff(other).data_id


def test_arrays_cannot_be_written() -> None:
    rows = made_rows()
    tradeoff = compute_tradeoff(rows)
    for array in (tradeoff.score, tradeoff.workload_interval.low):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


@pytest.mark.parametrize(
    ("score", "axis"),
    [
        (np.linspace(0.1, 0.9, 50), "linear"),
        (np.append(np.linspace(0.1, 0.9, 50), np.zeros(20)), "logit"),
        (np.append(np.linspace(0.1, 0.9, 50), np.full(20, 0.999)), "logit"),
        (np.linspace(-4, 4, 50), "linear"),
    ],
)
def test_axis_shows_scores_that_pile_up_on_a_logit_scale(score: np.ndarray, axis: str) -> None:
    rows = ScoredRows(score, np.arange(len(score)) % 2 == 0, np.arange(len(score)), len(score))
    assert compute_tradeoff(rows).axis == axis


def test_largest_threshold_that_holds_the_target_allows_the_misses_of_the_sample_size() -> None:
    """1379 positives, 99.5 % at 95 %: two misses pass and the third does not."""
    n = 1379
    rows = ScoredRows(np.arange(n) / n, np.ones(n, bool), np.arange(n), n)
    tradeoff = compute_tradeoff(rows)
    passes = tradeoff.sensitivity_verdict == VERDICTS.index("met_with_confidence")
    assert tradeoff.pos_below[np.flatnonzero(passes)[-1]] == 2
    assert tradeoff.sensitivity_low[2] == lower_bound(1377, 1379)


@pytest.mark.parametrize(
    ("sensitivity", "precision", "among"),
    [
        (0.75, 0.5, {"not_met", "met_point_only", "met_with_confidence"}),
        (0.97, 0.9, {"not_met", "infeasible_with_this_n"}),
    ],
)
def test_the_verdict_at_every_threshold_is_that_of_the_rows_counted_there(
    sensitivity: float, precision: float, among: set[str]
) -> None:
    rows = made_rows(3)
    n = len(rows) + 2  # as many with evidence as without lie below all others
    score, is_positive = np.append(rows.score, [-1, -1]), np.append(rows.is_positive, [True, False])
    rows = ScoredRows(score, is_positive, np.arange(n), n)
    targets = Targets(sensitivity, precision)
    tradeoff = compute_tradeoff(rows, targets=targets, is_chosen_here=False)
    n_pos = int(rows.is_positive.sum())
    seen = set()
    for index, threshold in enumerate([*tradeoff.threshold, np.inf]):
        is_above = rows.score >= threshold
        n_right, n_above = int((is_above & rows.is_positive).sum()), int(is_above.sum())
        kept = verdict(
            n_right,
            n_pos,
            target=sensitivity,
            low=lower_bound(n_right, n_pos),
            best_low=lower_bound(n_pos, n_pos),
        )
        right = verdict(
            n_right,
            n_above,
            target=precision,
            low=lower_bound(n_right, n_above),
            best_low=lower_bound(n_above, n_above),
            none_is_not_met=True,
        )
        assert VERDICTS[tradeoff.sensitivity_verdict[index]] == (kept if index else "not_assessed")
        assert VERDICTS[tradeoff.precision_verdict[index]] == right
        seen |= {kept, right}
    assert among <= seen


def test_missed_per_1000_has_a_verdict_by_the_bound_of_sensitivity() -> None:
    """1,000 checks, 100 with evidence, five of them below .5: exactly 5 per 1,000."""
    score = np.repeat([0.3, 0.7, 0.2, 0.8], [5, 95, 400, 500])
    rows = ScoredRows(score, np.arange(1000) < 100, np.arange(1000), 1000)

    def verdict_at(threshold: float, target: float | None) -> str:
        tradeoff = compute_tradeoff(rows, targets=Targets(missed_per_1000=target))
        return VERDICTS[tradeoff.missed_verdict[tradeoff.index(threshold)]]

    assert verdict_at(0.5, 5) == "met_point_only"
    assert verdict_at(0.5, 4.99) == "not_met"
    assert verdict_at(0.5, 10.2) == "met_point_only"
    assert verdict_at(0.5, 10.3) == "met_with_confidence"  # 10.22 is the bound of 5 of 100 missed
    assert verdict_at(0.3, 2) == "infeasible_with_this_n"  # 100 · (1 − .05^(1/100)) = 2.95 at best
    assert verdict_at(0.1, 5) == "not_assessed"
    assert verdict_at(0.5, None) == "not_assessed"
