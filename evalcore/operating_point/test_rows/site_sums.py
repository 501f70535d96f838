"""The sums over posts behind every metric of the gate, from tallies on a grid."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from evalcore.inference.cluster_sums import ClusterSums
from evalcore.metrics import gate
from evalcore.operating_point.tradeoff.post_sums import PostSums
from evalcore.spec import declared
from evalcore.tallies.grid.cell import GridCell


class Tallied(Protocol):
    """Rows that are known by tallies."""

    @property
    def cell(self) -> GridCell:
        """The rows."""

    @property
    def posts(self) -> PostSums:
        """Their sums over posts."""


At = NDArray[np.intp]


def _of_rows_below(rows: Tallied, at: At) -> ClusterSums:
    """Rows below a threshold, of all rows."""
    opened = rows.posts.opened(at)
    below = opened.n - opened.successes
    return replace(
        opened,
        successes=below,
        sum_xx=opened.sum_mm - 2 * opened.sum_xm + opened.sum_xx,
        sum_xm=opened.sum_mm - opened.sum_xm,
    )


def _of_skipped_right(rows: Tallied, at: At) -> ClusterSums:
    """Rows without evidence among those below a threshold."""
    above, first = rows.cell.above, {name: sums[0] for name, sums in rows.cell.above.items()}
    now = {name: sums[at] for name, sums in above.items()}
    n, missed = first["rows"] - now["rows"], first["pos"] - now["pos"]
    n_n = first["rows_rows"] - 2 * now["rows_all_rows"] + now["rows_rows"]
    n_missed = first["pos_rows"] - now["pos_all_rows"] - now["rows_all_pos"] + now["pos_rows"]
    missed_missed = first["pos_pos"] - 2 * now["pos_all_pos"] + now["pos_pos"]
    with_right = first["posts_all_wrong"] - now["posts_all_wrong"]
    with_missed = first["posts_all_kept"] - now["posts_all_kept"]
    n_posts = first["posts"] - now["posts_whole"]
    return ClusterSums(
        successes=np.asarray(n - missed),
        n=np.asarray(n),
        n_posts=np.asarray(n_posts),
        sum_xx=np.asarray(n_n - 2 * n_missed + missed_missed),
        sum_xm=np.asarray(n_n - n_missed),
        sum_mm=np.asarray(n_n),
        n_telling=np.asarray(np.minimum(with_right, with_missed)),
        n_mixed=np.asarray(with_right + with_missed - n_posts),
        correlation=np.asarray(rows.posts.correlation_of_labels),
    )


def _of_none_missed(rows: Tallied) -> ClusterSums:
    """Rows with evidence below any threshold, of all rows, where no row holds evidence.

    Where some do, bounds of what is missed follow from those of what is kept.
    """
    none = np.asarray(0, np.int64)
    whole = rows.posts.right(np.asarray(0))
    return replace(whole, successes=none, sum_xx=none, sum_xm=none, n_telling=none, n_mixed=none)


SUMS_AT: Mapping[str, Callable[[Tallied, At, At], ClusterSums]] = {
    declared(gate.screening_sensitivity).key: lambda rows, low, _: rows.posts.kept(low),
    declared(gate.alert_recall).key: lambda rows, _, high: rows.posts.kept(high),
    declared(gate.alert_precision).key: lambda rows, _, high: rows.posts.right(high),
    declared(gate.pos_rate).key: lambda rows, _, high: rows.posts.opened(high),
    declared(gate.alerts_per_1000).key: lambda rows, _, high: rows.posts.opened(high),
    declared(gate.neg_rate).key: lambda rows, low, _: _of_rows_below(rows, low),
    declared(gate.neg_npv).key: lambda rows, low, _: _of_skipped_right(rows, low),
    declared(gate.screening_fn_per_1000).key: lambda rows, _, __: _of_none_missed(rows),
}
"""Metric → its sums at the places of τ_neg and τ_pos among the points; those that need both are not there."""
