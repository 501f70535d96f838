"""The sums of posts at every threshold at once are those of a plain count at each."""

import numpy as np
import pytest

from evalcore.inference.clustered import ClusterSums
from evalcore.operating_point.post_sums import post_sums
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
