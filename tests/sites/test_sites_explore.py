"""The explorer and a document opened again from tallies: the digits of the pooled rows on the same grid."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evalcore
from evalcore import InputError
from evalcore.operating_point import point_from_thresholds
from evalcore.operating_point.gridding import gridded
from evalcore.operating_point.test_rows.row_sets import RowSet, row_set
from evalcore.operating_point.tradeoff.column_groups import all_groups
from evalcore.operating_point.tradeoff.table import compute_tradeoff
from evalcore.sites import read_tallies
from evalcore.tallies.grid.cell import grid_points
from tests.sites.conftest import TARGETS

Run = Callable[..., tuple[int, str, str]]
EXACT = ("score", "pos_below", "neg_below", "posts_missed", "posts_unopened")
"""Of a trade-off, what counts alone say."""


def given(page: Path) -> Any:
    """What a page hands to its script."""
    text = page.read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json" id="given">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    return json.loads(found.group(1))


def on_points(ten: Path, split: str | None) -> RowSet:
    """The pooled rows, each with the point of its score in place of the score."""
    data = evalcore.load(ten / "pooled.csv")
    assert data.queries is not None
    at = np.searchsorted(grid_points(2001), data.queries.score, side="right") - 1
    queries = replace(data.queries, score=grid_points(2001)[at])
    return row_set(data.with_tables(queries=queries), "all", split=split, model=None)


def of_sites(ten: Path, split: str | None) -> RowSet:
    return row_set(read_tallies(ten.glob("*.tally")), "all", split=split, model=None)


def test_explorer_of_ten_sites_is_that_of_their_pooled_rows(ten: Path, run: Run, tmp_path: Path) -> None:
    marked = ("--must-not-miss", "criterion=A.10", "--out")
    assert run("explore", *sorted(ten.glob("*.tally")), *marked, tmp_path / "sites.html")[0] == 0
    assert run("explore", ten / "pooled.csv", "--grid", 2001, *marked, tmp_path / "pooled.html")[0] == 0
    one, other = (given(tmp_path / name) for name in ("sites.html", "pooled.html"))
    assert one == other
    columns = [group["column"] for group in one["payload"]["groups"]]
    assert columns == ["criterion", "fold"]  # of the split alone that is counted
    assert one["payload"]["totals"] == {"n_rows": 1350, "n_pos": 405, "n_posts": 450}
    assert "a grid of 2,001" in (tmp_path / "sites.html").read_text()


@pytest.mark.parametrize("split", [None, "tune"])
def test_every_point_counts_what_the_rows_count_there(ten: Path, split: str | None) -> None:
    sites, rows = of_sites(ten, split).tradeoff(), compute_tradeoff(on_points(ten, split).scored)
    for name in EXACT:
        np.testing.assert_array_equal(getattr(sites, name), getattr(rows, name), err_msg=name)
    np.testing.assert_array_equal(sites.workload_interval.low, rows.workload_interval.low)
    # Bounds take scores of a post as more alike than rows do, never as less: none is higher.
    assert (sites.sensitivity_low <= rows.sensitivity_low + 1e-12).all()
    assert (sites.threshold > sites.previous).all()
    assert (sites.threshold <= sites.score).all()


def test_no_threshold_of_the_explorer_counts_other_rows_than_it_shows(ten: Path) -> None:
    sites, data = of_sites(ten, None).tradeoff(), evalcore.load(ten / "pooled.csv")
    assert data.queries is not None
    below = [(data.queries.score < tau).sum() for tau in sites.threshold]
    np.testing.assert_array_equal(below, (sites.pos_below + sites.neg_below)[:-1])


@pytest.mark.parametrize("split", [None, "tune"])
def test_groups_at_every_point_are_those_of_the_rows(ten: Path, split: str | None) -> None:
    how: dict[str, Any] = {"target": 0.95, "confidence": 0.95}
    sites, rows = of_sites(ten, split), on_points(ten, split)
    found = {one.column: one for one in sites.all_groups(**how)}
    expected = {one.column: one for one in all_groups(rows.scored, rows.queries, **how)}
    assert set(found) == set(expected)
    for column, one in expected.items():
        assert found[column].levels == one.levels
        assert found[column].n_without == one.n_without
        for name in ("n_rows", "n_pos", "score"):
            np.testing.assert_array_equal(getattr(found[column], name), getattr(one, name))
    criterion = "criterion"  # a post has one check of each, so that nothing is known of how alike they are
    np.testing.assert_array_equal(found[criterion].low, expected[criterion].low)
    np.testing.assert_array_equal(found[criterion].verdict, expected[criterion].verdict)
    for tau in (None, 0.05, 0.5):
        counts, of_rows = sites.group_counts(criterion, tau), rows.group_counts(criterion, tau)
        np.testing.assert_equal(counts, of_rows)


def test_a_threshold_between_two_points_is_refused(ten: Path, run: Run, tmp_path: Path) -> None:
    score = float(evalcore.load(ten / "pooled.csv").queries.score[0])
    between = (np.floor(score * 2000) + 0.5) / 2000
    taus = ("--tau-neg", between, "--tau-pos", 1, "--out", tmp_path / "page.html")
    status, _, told = run("explore", *sorted(ten.glob("*.tally")), *taus)
    assert (status, "SIT-008" in told, [*tmp_path.iterdir()]) == (2, True, [])
    with pytest.raises(InputError) as refused:
        point_from_thresholds(gridded(evalcore.load(ten / "pooled.csv")).data, between, 1.0)
    assert [one.code for one in refused.value.problems] == ["SIT-008"]


def test_a_document_is_shown_with_the_tallies_it_was_made_on(ten: Path, run: Run, tmp_path: Path) -> None:
    files, point = sorted(ten.glob("*.tally")), tmp_path / "point.json"
    run("choose", *files, *TARGETS, "--out", point)
    status, said, _ = run("show", point, *files, "--out", tmp_path / "page.html")
    assert status == 0
    assert "all as the document says" in said
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    tau = json.loads(point.read_text())["rule"]["tau_neg"]["value"]
    rows = row_set(evalcore.load(ten / "pooled.csv"), "test", split="test", model=None)
    n, of = rows.n_missed_posts(tau)
    assert n > 0
    assert f", in {n:,} of {of:,} posts with evidence" in page
    assert run("explore", *files, "--point", point, "--out", tmp_path / "explorer.html")[0] == 0
    status, _, told = run("show", point, *files[1:])
    assert (status, "OPT-076" in told) == (2, True)
