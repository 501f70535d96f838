"""The sums of posts at every threshold at once are those of a plain count at each."""

from dataclasses import fields

import numpy as np
import pytest

from evalcore.inference.clustered import ClusterSums
from evalcore.operating_point.tradeoff import post_sums as post_sums_module
from evalcore.operating_point.tradeoff.post_sums import PostSums, post_sums, whole_sums
from evalcore.tallies.scores import ScoredRows

PARTS = ("successes", "n", "sum_xx", "sum_xm", "sum_mm")


@pytest.fixture(scope="module")
def rows():
    """80 rows of 12 posts on 9 scores, several positives a post."""
    rng = np.random.default_rng(3)
    return ScoredRows(rng.integers(0, 9, 80) / 8, rng.random(80) < 0.4, rng.integers(0, 12, 80), 12)


@pytest.mark.parametrize("share", ["kept", "opened", "right"])
def test_the_sums_at_each_threshold_are_those_of_its_rows(rows, share):
    score, at = np.unique(rows.score, return_inverse=True)
    found = getattr(post_sums(rows, at, len(score)), share)()
    everything = np.ones(len(rows), bool)
    for place, threshold in enumerate(score):
        is_above = rows.score >= threshold
        is_success, is_case = {
            "kept": (is_above, rows.is_positive),
            "opened": (is_above, everything),
            "right": (rows.is_positive, is_above),
        }[share]
        expected = ClusterSums.from_rows(is_success, is_case, rows.post, rows.n_posts)
        for part in PARTS:
            value = np.broadcast_to(getattr(found, part), len(score) + 1)[place]
            assert value == np.ravel(getattr(expected, part))[0], (threshold, part)


@pytest.mark.parametrize("is_together", [True, False])
def test_sums_of_blocks_of_posts_are_those_of_all(rows, is_together, monkeypatch):
    order = np.argsort(rows.post, kind="stable") if is_together else np.arange(len(rows))
    rows = rows.take(order)
    score, at = np.unique(rows.score, return_inverse=True)
    whole = post_sums(rows, at, len(score))
    monkeypatch.setattr(post_sums_module, "_BLOCK_ROWS", 9)
    assert len(list(post_sums_module._blocks_of_posts(rows, len(score)))) > 5
    in_blocks = post_sums(rows, at, len(score))
    for name in (field.name for field in fields(PostSums)):
        np.testing.assert_array_equal(getattr(in_blocks, name), getattr(whole, name), err_msg=name)


def test_sums_of_all_rows_are_those_below_every_score(rows):
    score, at = np.unique(rows.score, return_inverse=True)
    by_score = post_sums(rows, at, len(score))
    whole, at_one_score = whole_sums(rows), post_sums(rows, np.zeros(len(rows), np.intp), 1)
    for field in fields(PostSums):
        np.testing.assert_array_equal(getattr(whole, field.name), getattr(at_one_score, field.name))
    for share in ("kept", "opened", "right"):
        of_all, first = (getattr(one, share)(slice(0, 1)) for one in (whole, by_score))
        for field in fields(ClusterSums):
            np.testing.assert_array_equal(getattr(of_all, field.name), getattr(first, field.name))
