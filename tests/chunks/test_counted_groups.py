"""Groups of queries that are alike: folds that nobody asked for, dropped columns, and any parts at all."""

from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalcore.catalog import METRICS
from evalcore.evaluation.gathering.units import groups_drawn
from evalcore.evaluation.steps import steps
from evalcore.evaluation.values import measure
from evalcore.tallies.counted_pairs import pair_table
from evalcore.tallies.ranked import RankedQueries
from evalcore.tallies.scores import ScoredRows
from evalcore.tallies.unit_lists import UnitList, UnitLists
from evalcore.tallies.units import Units
from tests.chunks.test_counted import both, candidates

N_POSTS = 14


def with_fold(of_row) -> pa.Table:
    """Lists with folds: of a post, and the number of a row in its table."""
    table = candidates(N_POSTS)
    posts = [int(one[1:]) for one in table["post_id"].to_pylist()]
    folds = [of_row(post, at) for at, post in enumerate(posts)]
    return table.append_column("fold", pa.array(folds, pa.int64()))


@pytest.mark.parametrize("by", [(), ("site", "criterion")])
def test_folds_that_nobody_asked_for_have_the_pairs_of_their_queries(by, tmp_path):
    of_whole, in_chunks = both(with_fold(lambda post, _: post % 3), tmp_path, by=by, bootstrap=0, ks=(1,))
    over_folds = of_whole.table[of_whole.table.params.str.contains("over=folds")]
    assert {"pair_auroc", "ndcg"} <= set(over_folds.metric)
    assert in_chunks.table.to_csv() == of_whole.table.to_csv()


def test_a_column_that_one_chunk_lacks_takes_no_pairs_along(tmp_path):
    """Folds of the last rows differ within a query: none are kept, and pairs stay with the other groups."""
    table = with_fold(lambda post, at: post % 3 if post < N_POSTS - 1 else at % 3)
    of_whole, in_chunks = both(table, tmp_path, by=("site",), bootstrap=0, ks=(1,))
    assert "fold" not in in_chunks.gathered.lists.slices
    assert in_chunks.table.to_csv() == of_whole.table.to_csv()


NUMBERS = st.sampled_from([-1e308, -1.0, -5e-324, -0.0, 0.0, 5e-324, 0.1, 0.1 + 1e-12, 0.3, 1e308])


@st.composite
def unit_lists(draw) -> UnitLists:
    """Up to a dozen queries of few kinds, with and without gold and candidates, of one or two models."""
    one_list = st.lists(st.tuples(NUMBERS, st.integers(0, 2)), max_size=4)
    missing = st.lists(st.integers(1, 2), max_size=1)
    kinds = draw(st.lists(st.tuples(one_list, missing), min_size=1, max_size=3))
    n = draw(st.integers(1, 12))
    codes = st.lists(st.integers(-1, 1), min_size=n, max_size=n).map(np.array)
    of_query = [[kinds[at] for at in draw(st.lists(st.integers(0, len(kinds) - 1), min_size=n, max_size=n))]]
    if draw(st.booleans()):  # the second model orders the same candidates the other way round
        of_query.append([([(-score, grade) for score, grade in one], lost) for one, lost in of_query[0]])
    lists = {}
    for name, queries in zip("ab", of_query, strict=False):
        golds, ranked, rows = [], [], []
        for at, (candidates_of, lost) in enumerate(queries):
            graded = {f"c{i}": grade for i, (_, grade) in enumerate(candidates_of) if grade}
            golds.append(graded | {f"x{i}": grade for i, grade in enumerate(lost)})
            order = sorted(range(len(candidates_of)), key=lambda i, of=candidates_of: -of[i][0])
            ranked.append([f"c{i}" for i in order])
            rows += [(score, grade > 0, at) for score, grade in candidates_of]
        score, is_gold, post = (
            np.array([row[i] for row in rows], of) for i, of in enumerate((float, bool, int))
        )
        of_model = RankedQueries.from_lists(golds, ranked)
        lists[name] = UnitList(of_model, None, ScoredRows(score, is_gold, post, n), None)
    slices = {name: (draw(codes), ("n", "m")) for name in ("site", "fold")}
    return UnitLists(
        posts=Units(np.arange(n), np.arange(n).astype(np.uint64), "posts"),
        drawn_by=None,
        criterion=draw(codes),
        criterion_ids=np.array(["A", "B"], object),
        slices=slices,
        has_posts=True,
        lists=lists,
    )


def values_of(lists: UnitLists, by: tuple[str, ...]) -> list:
    """What is said of every group: the names of all, the values of lists, and the counts of pairs."""
    found = []
    for (group_by, group, members), is_asked in steps(lists, by):
        at = np.flatnonzero(members.mask)
        for model, one in lists.lists.items():
            table = pair_table(one.pairs.of_posts(at))
            of_list = [
                measure(METRICS[f"ranking.{name}"], one.ranked.take(at), {"k": 2}, with_spread=True)
                for name in ("ndcg", "mrr", "precision")
            ]
            counts = [column.tolist() for column in (table.score, table.n_pos, table.n_neg)]
            found.append((group_by, group, is_asked, model, repr(of_list), counts))
    return found


@given(
    unit_lists(),
    st.lists(st.integers(1, 11), max_size=3),
    st.sampled_from([(), ("site",), ("criterion", "site")]),
    st.booleans(),
)
@settings(max_examples=25, deadline=None)
def test_any_parts_give_every_group_what_the_whole_gives(whole, cuts, by, drops_folds):
    """Folds that a part lacks are dropped, as chunks do it, once all are merged."""
    ends = sorted({0, len(whole), *(one for one in cuts if one < len(whole))})
    parts = [whole.take(np.arange(*ends_of)) for ends_of in pairwise(ends)]
    found = parts[-1].counted(by)
    for part in reversed(parts[:-1]):
        found = found.merge(part.counted(by))
    if drops_folds:
        found, whole = (replace(one, slices={"site": one.slices["site"]}) for one in (found, whole))
    assert values_of(found.ordered(), by) == values_of(whole.ordered(), by)


def test_narrow_codes_have_room_for_units_of_rows_without_a_value():
    """More of them than codes of one byte hold: each is drawn on its own, as before codes were narrow."""
    n = 300
    codes = np.where(np.arange(n) < 20, np.arange(n) % 2, -1).astype(np.int8)
    queries = SimpleNamespace(
        slices={"site": (codes, ("n", "s"))},
        post=np.arange(n, dtype=np.int32),
        criterion=np.full(n, -1, np.int8),
        criterion_ids=np.array([], object),
    )
    posts = Units(queries.post, np.arange(n).astype(np.uint64), "posts")
    units = groups_drawn(queries, "site", posts)
    assert len(np.unique(units.code)) == len(units.hashed) == 2 + n - 20
    assert units.code.min() == 0
