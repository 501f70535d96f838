"""Rows of one role that are known by tallies on a grid: of one site, of several, or pooled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.data import Data, Queries
from evalcore.inference.cluster_sums import ClusterSums
from evalcore.inference.correlation import UNKNOWN, ScoreCorrelation
from evalcore.metrics import gate
from evalcore.operating_point.origin import Origin, origin_of
from evalcore.operating_point.rules import RULES, Rules
from evalcore.operating_point.test_rows.rows import Role, RowSet
from evalcore.operating_point.tradeoff.post_sums import PostSums
from evalcore.problems import InputError, problem
from evalcore.spec import Metric, declared
from evalcore.splits import SPLIT
from evalcore.tallies.grid import EVERYTHING, GridCell, GridScores, GridTable
from evalcore.tallies.scores import ScoredRows

SITES = "sites"
"""The table of such tallies in `Data.tables`."""


@dataclass(frozen=True, kw_only=True)
class SiteRows(RowSet):
    """A `RowSet` without rows: what is asked of it comes from counts, and from sums over posts.

    Parameters
    ----------
    scores : the tallies.
    cell : those of these rows.
    """

    scores: GridScores
    cell: GridCell

    @cached_property
    def origin(self) -> Origin:
        """Where the scores come from."""
        found, score = origin_of(self.data, self.model), self.scores.score
        source = replace(found.source, columns={"probability": score.column}, has_header=True)
        return Origin(found.sources, source, score.column, score.level, score.is_maximum)

    @cached_property
    def scored(self) -> ScoredRows:
        """None: whoever asks for rows would go on with nothing.

        Raises
        ------
        TypeError : always.
        """
        raise TypeError("tallies hold no rows")

    @cached_property
    def table(self) -> GridTable:
        """The counts at each point of the grid that holds a row."""
        return self.cell.table(self.scores.n_points)

    @cached_property
    def posts(self) -> PostSums:
        """The sums over posts at each such point."""
        above = self.cell.above
        names = [name for name in PostSums.__dataclass_fields__ if name in above]
        return PostSums(
            **{name: above[name] for name in names},
            posts_pos=int(above["posts_kept"][0]),
            rules=self.rules,
            correlation=self._correlation,
        )

    @property
    def _correlation(self) -> ScoreCorrelation:
        if not self.scores.has_posts:
            return ScoreCorrelation(UNKNOWN, UNKNOWN)
        pos, pairs = self.cell.sums["pos"], self.cell.pairs.copy()
        points = self.cell.points[pos > 0]
        for column in (1, 2):
            pairs[:, column] = np.searchsorted(points, pairs[:, column])
        return ScoreCorrelation.of_pairs(pos[pos > 0], pairs, int(self.cell.above["posts_kept"][0]))

    @property
    def whole(self) -> PostSums:
        """The sums over posts of all rows."""
        return self.posts

    @cached_property
    def units(self) -> NDArray[np.intp]:
        """As many codes as there are posts; no id is known."""
        return np.arange(self.n_posts)

    @property
    def n_posts(self) -> int:
        """Posts that the rows belong to; rows where these name none."""
        return self.cell.n_posts

    @property
    def n_positives(self) -> int:
        """Rows with evidence."""
        return self.cell.n_pos

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return self.cell.n_rows

    @property
    def n_units(self) -> int:
        """How many posts are here."""
        return self.n_posts

    @property
    def prevalence_sums(self) -> ClusterSums:
        """The sums over posts behind the prevalence."""
        return self.posts.right(np.asarray(0))

    def n_changed_by_float32(self, *_: float | None) -> int | None:
        """None: nobody knows of which scores between two points."""
        return None

    def sums_at(self, metric: Metric, tau_neg: float | None, tau_pos: float | None) -> ClusterSums:
        """The sums over posts behind a metric at two thresholds.

        Parameters
        ----------
        metric : one of `SUMS_AT`.
        tau_neg, tau_pos : None empties a zone.
        """
        low = 0 if tau_neg is None else self.table.index(tau_neg)
        high = len(self.table.score) if tau_pos is None else max(low, self.table.index(tau_pos))
        return SUMS_AT[metric.key](self, np.asarray(low), np.asarray(high))

    def entry(self) -> dict[str, Any]:
        """The rows as an entry of a document's ``data``."""
        sources = self.origin.sources
        from_rows = super().entry()
        kept = {name: value for name, value in from_rows.items() if name != "row_ids_sha256"}
        named = {"cluster_field": "post"} if self.scores.has_posts else {}
        return kept | {"rows": self.n_rows, "sites": len(sources)} | named


At = NDArray[np.intp]


def _of_rows_below(rows: SiteRows, at: At) -> ClusterSums:
    """Rows below a threshold, of all rows."""
    opened = rows.posts.opened(at)
    below = opened.n - opened.successes
    return replace(
        opened,
        successes=below,
        sum_xx=opened.sum_mm - 2 * opened.sum_xm + opened.sum_xx,
        sum_xm=opened.sum_mm - opened.sum_xm,
    )


def _of_skipped_right(rows: SiteRows, at: At) -> ClusterSums:
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


def _of_none_missed(rows: SiteRows) -> ClusterSums:
    """Rows with evidence below any threshold, of all rows, where no row holds evidence.

    Where some do, bounds of what is missed follow from those of what is kept.
    """
    none = np.asarray(0, np.int64)
    whole = rows.prevalence_sums
    return replace(whole, successes=none, sum_xx=none, sum_xm=none, n_telling=none, n_mixed=none)


SUMS_AT: Mapping[str, Callable[[SiteRows, At, At], ClusterSums]] = {
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


def tallies_of(data: Data) -> GridScores | None:
    """The tallies of data without rows; None for data with rows."""
    found: GridScores | None = data.tables.get(SITES)
    return found


def refuse_tallies(what: str, advice: str, *several: Data | None) -> None:
    """Refuse data without rows for what needs them.

    Raises
    ------
    InputError : SIT-007.
    """
    if any(one is not None and tallies_of(one) is not None for one in several):
        raise InputError([problem("SIT-007", found=what, expected="what tallies give", advice=advice)])


def site_rows(
    scores: GridScores,
    data: Data,
    role: Role,
    *,
    split: str | None,
    model: str | None,
    cluster: str | None = None,
    rules: Rules = RULES,
) -> SiteRows:
    """The rows of a split as tallies; parameters as of `row_set`.

    Raises
    ------
    InputError : OPT-008 for another model, QRY-009 for a split that no site has, SIT-007 for a cluster.
    """
    name = scores.score.model
    if model not in (None, name):
        found, advice = f"the model {model!r}", "Leave out --model."
        raise InputError([problem("OPT-008", found=found, expected=name, advice=advice)])
    if cluster is not None:
        refuse_tallies(f"the cluster {cluster}", "sums over posts cannot be put together anew.", data)
    if split is not None and (SPLIT, split) not in scores.of_groups:
        expected = ", ".join(scores.levels(SPLIT)) or "no split, as the tallies have none"
        raise InputError([problem("QRY-009", found=split, expected=expected)])
    group = EVERYTHING if split is None else (SPLIT, split)
    row_filter = None if split is None else f"{SPLIT} = {split}"
    queries = _without_rows(name, has_posts=scores.has_posts)
    cell = scores.of_groups[group]
    return SiteRows(role, data, queries, name, row_filter, None, rules, scores=scores, cell=cell)


def n_shared_posts(tune: RowSet, test: RowSet) -> int | None:
    """Posts with rows in two splits, counted in each site; None where rows name no posts."""
    if not isinstance(tune, SiteRows) or not isinstance(test, SiteRows) or not tune.has_units:
        return None
    one, other = sorted(str(rows.row_filter).removeprefix(f"{SPLIT} = ") for rows in (tune, test))
    return tune.scores.shared.get((one, other), 0)


def site_filters(scores: GridScores) -> dict[str | None, tuple[str | None, str | None]]:
    """Every filter that can pick rows → its split and model."""
    splits = {f"{SPLIT} = {split}": split for split in scores.levels(SPLIT)}
    return {None: (None, None)} | {text: (split, None) for text, split in splits.items()}


def _without_rows(model: str, *, has_posts: bool) -> Queries:
    nothing, no_ids = np.zeros(0, np.intp), np.zeros(0, object)
    return Queries(
        post=nothing,
        post_ids=no_ids,
        criterion=nothing,
        criterion_ids=no_ids,
        has_evidence=np.zeros(0, bool),
        score=np.zeros(0),
        model=nothing,
        models=(model,),
        slices={},
        numbers={},
        row=nothing,
        has_posts=has_posts,
        has_ids=False,
    )
